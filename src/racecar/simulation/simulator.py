# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""Fixed-step simulation of one vehicle; it owns time.

One class, although long: what a tick changes, and what a reset and a divergence restore, stand
together; the table of its parameters is beside it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
import math
from typing import Any, NamedTuple

from racecar.base.errors import ConfigurationError, DivergenceError, ParameterError
from racecar.base.packing import vector
from racecar.base.parameters import Parameter, ParameterTable
from racecar.base.poses import check_planar_pose
from racecar.base.readings import Collisions
from racecar.base.types import (
    AckermannCommand,
    NANOSECONDS,
    Odometry,
    Pose2,
    VehicleDiagnostics,
    WheelCommand,
    Wheels,
    WheelState,
)
from racecar.dynamics.actuators import ACTUATOR_PARAMETERS, Actuators
from racecar.dynamics.integrators import (
    DEFAULT_INTEGRATOR,
    find_integrator,
    INTEGRATORS,
)
from racecar.dynamics.stability import check_stability
from racecar.dynamics.tyres import DEFAULT_TYRE_MODEL, SELECTION, tyre_model_choices
from racecar.dynamics.vehicles import (
    make_vehicle_model,
    VEHICLE_MODELS,
    VehicleModel,
    VehicleParameters,
)
from racecar.dynamics.vehicles.command_limits import cut_notice, within_limits
from racecar.dynamics.vehicles.initial_motion import (
    AT_REST,
    INITIAL_MOTION_PARAMETERS,
    initial_state,
    InitialMotion,
)
from racecar.dynamics.vehicles.interface import SPEED, STEERING_ANGLE
from racecar.dynamics.vehicles.kinematic_bicycle import SPEED_GAIN
from racecar.dynamics.vehicles.low_speed import LOW_SPEED_THRESHOLD
from racecar.dynamics.vehicles.parameters import DESCRIPTION_PARAMETERS
from racecar.dynamics.vehicles.planar import DRIVE_TIME_CONSTANT
from racecar.dynamics.vehicles.single_track_equations import FORMULATIONS
from racecar.dynamics.vehicles.tyre_sets import TYRE_PARAMETERS
from racecar.scene.scene import EMPTY_SCENE, Scene
from racecar.scene.world_choice import scene_of, START_PARAMETERS, start_pose, WORLD_PARAMETER
from racecar.simulation.loop_kernel import has_own, simulator_kernels, SimulatorKernels
from racecar.simulation.obstacles import Obstacles
from racecar.simulation.ports import period_steps, whole_nanoseconds

DEFAULT_STEP = 0.001
"""Integration step [s]."""

DEFAULT_PERIOD = 0.01
"""Period of a tick [s]."""

SIMULATOR_PARAMETERS = ParameterTable([
    Parameter('vehicle_model', str, 'single_track', 'Equations of motion of the vehicle',
              choices=tuple(VEHICLE_MODELS), read_only=True),
    Parameter('tyre_model', str, DEFAULT_TYRE_MODEL, f'Tyre model, {SELECTION}',
              choices=tyre_model_choices(), read_only=True),
    Parameter('formulation', str, FORMULATIONS[0], 'Single-track equations: without small angles,'
              ' or as in the report', choices=FORMULATIONS, read_only=True),
    Parameter('integrator', str, DEFAULT_INTEGRATOR, 'Integration method',
              choices=tuple(INTEGRATORS), read_only=True),
    Parameter('step', float, DEFAULT_STEP, 'Integration step; a whole number of them makes one'
              ' period of rate', unit='s', above=0.0, maximum=1.0, read_only=True),
    Parameter('rate', float, 1.0 / DEFAULT_PERIOD, 'Frequency of odometry and control', unit='Hz',
              above=0.001, maximum=10000.0, read_only=True),
    Parameter('low_speed_threshold', float, 0.0, 'Longitudinal velocity below which the slip is'
              f' regularised; 0 chooses {LOW_SPEED_THRESHOLD:g}, or more where the tyres are too'
              ' stiff for steps of 1 ms', unit='m/s', minimum=0.0, read_only=True),
    Parameter('speed_gain', float, SPEED_GAIN, 'Speed of the kinematic bicycle over the commanded'
              " one; the original's servo chain had 0.5", above=0.0, read_only=True),
    Parameter('understeer_gradient', float, 0.0, 'Of kinematic_understeer; 0: that of the'
              " vehicle's tyres", unit='rad s^2/m', minimum=-1.0, maximum=1.0, read_only=True),
    Parameter('drive_time_constant', float, DRIVE_TIME_CONSTANT, 'Time constant of the speed'
              ' controller of single_track_force and double_track', unit='s', above=0.0,
              read_only=True),
    *TYRE_PARAMETERS,
    *ACTUATOR_PARAMETERS,
    WORLD_PARAMETER,
    *START_PARAMETERS,
    *INITIAL_MOTION_PARAMETERS,
    *DESCRIPTION_PARAMETERS,
])


ORIGIN = Pose2(0.0, 0.0, 0.0)


class WheelRotations(NamedTuple):
    """Rotation of the wheels since the last reset [rad], positive forwards."""

    left_front: float
    right_front: float
    left_rear: float
    right_rear: float


class PackedSimulator(NamedTuple):
    """The numbers of a simulator, in arrays that it shares: state, inputs and so on.

    good: state and memory before a tick; memory and channels: those of Actuators, empty without
    them; command: speed and steering angle in force; command_limits: lowest and
    highest speed, lowest and highest steering angle; dt: step [s]; steps: in a tick; period: of a
    tick [s].
    """

    state: Any
    good: Any
    inputs: Any
    parameters: Any
    limits: Any
    travel: Any
    memory: Any
    channels: Any
    command: Any
    command_limits: Any
    dt: float
    steps: int
    period: float


class Simulator:
    """One vehicle driven by speed and steering commands, advanced tick by tick.

    Time is time_ns = steps * step_ns in integers, so stamps never accumulate rounding.
    """

    def __init__(
        self, model: VehicleModel, *, step: float = DEFAULT_STEP,
        period: float = DEFAULT_PERIOD, integrator: str = DEFAULT_INTEGRATOR,
        initial_pose: Pose2 = ORIGIN, initial_motion: InitialMotion = AT_REST,
        actuators: Mapping[str, Any] | None = None, advance: Any = None,
        scene: Scene = EMPTY_SCENE, kept: Sequence[Any] = (),
    ) -> None:
        """Start at time 0 with the odometry point at the initial pose, with the initial motion.

        step: of the integration [s]; period: of one tick [s], a whole number of steps;
        actuators: rows of ACTUATOR_PARAMETERS, without which commands act at once; advance: takes
        the place of model_advance(model, integrator), e.g. to compute the inputs at each step;
        how far the wheels turn is then for the caller to know; scene: what the car
        can run into, which stops it; kept: arrays that `advance` changes besides the state, for
        whom to put them back.
        Raises ParameterError if the integrator is unknown, the pose is not finite or the model
        has no such motion, and ConfigurationError if step, period or delays do not fit or the step
        is too long for the model.
        """
        method = find_integrator(integrator)
        self.model = model
        self.integrator = integrator
        self.step_ns = whole_nanoseconds('step', step)
        self.steps_per_tick = period_steps('rate', 1.0 / period, self.step_ns)
        self.period_ns = self.steps_per_tick * self.step_ns
        check_stability(model, method, self.step_ns, self.period_ns)
        self._step = self.step_ns / NANOSECONDS
        # Plain Python advances where the inputs are computed at each step.
        self._advance: Any = advance
        self._observe = model.observe
        self._follow = model.follow
        self._parameters = model.parameters
        self._limits: Any = vector(model.state_limits)
        self._inputs: Any = vector((0.0,) * model.input_count)
        self._actuators = Actuators.from_values(actuators or {}, self._step)
        self._memory: Any = vector(0) if self._actuators is None else self._actuators.memory
        self._channels: Any = vector(0) if self._actuators is None else self._actuators.channels
        self._kernels = simulator_kernels(
            model.equations, model.wheel_equations, model.travelled, integrator,
            actuated=self._actuators is not None)
        self._initial_pose = initial_pose
        self._initial_motion = initial_motion
        # Without any, nothing is looked for.
        self._obstacles = None if scene.is_empty else Obstacles(scene, model.vehicle.footprint)
        self._kept = kept
        self._stands = False
        self._steps = 0
        self._command = AckermannCommand(0.0, 0.0)
        self._notice = ''
        self._travel: Any = vector(model.no_travel)
        self._state: Any = vector(model.initial_state(initial_pose))
        self._good: Any = vector(len(self._state) + len(self._memory))
        # The arrays stay the same ones; to name them at each tick would take a tenth of it.
        self._move: Callable[..., bool] = self._move_by_inputs if advance else partial(
            self._kernels.move, self._state, self._good, self._inputs, self._parameters,
            self._limits, self._travel, self._memory, self._channels, self._step)
        self.reset()

    def warm_up(self) -> None:
        """Compile, or load from the cache, all that a tick and its outputs call."""
        self._move(0, 0.0, *self._command)
        odometry = self.odometry()
        if self._obstacles is not None:
            self._obstacles.block(odometry)
        self.diagnostics()
        self.wheels()

    @property
    def time_ns(self) -> int:
        """Simulated time since the start [ns]."""
        return self._steps * self.step_ns

    @property
    def collisions(self) -> Collisions | None:
        """Contacts since the last reset; None where there is nothing to run into."""
        return None if self._obstacles is None else self._obstacles.collisions

    @property
    def command(self) -> AckermannCommand:
        """The command in force, within the vehicle's limits."""
        return self._command

    @property
    def state(self) -> tuple[float, ...]:
        """State of the model, in the order of model.state_names [SI]."""
        return tuple(float(value) for value in self._state)

    @property
    def wheel_rotations(self) -> WheelRotations:
        """Rotation of the wheels since the last reset."""
        return WheelRotations(*self.model.wheel_rotations(tuple(self._travel.tolist())))

    @property
    def wheel_speeds(self) -> Wheels:
        """Speed of rotation of the wheels, as wheel_rotations integrates it [rad/s]."""
        return self.model.wheel_speeds(self._state, self._inputs)

    @property
    def steering_angles(self) -> tuple[float, float]:
        """Steering angle of the left and right front wheel [rad]."""
        return self.model.steering_angles(self._inputs)

    @property
    def notice(self) -> str:
        """What the limits of the vehicle have cut off the newest command; empty if nothing."""
        return self._notice

    def set_command(self, command: AckermannCommand) -> None:
        """Apply a command from now on, clamped to the vehicle's limits.

        Raises ParameterError, and keeps the old command, if it is NaN or infinite.
        """
        if not command.is_finite:
            raise ParameterError(
                f'command has speed {command.speed!r} and steering_angle'
                f' {command.steering_angle!r}, expected finite numbers [m/s, rad]')
        vehicle = self.model.vehicle
        driven = within_limits(command, vehicle, vehicle.steering_range)
        self._notice = cut_notice(command, driven)
        self._apply(driven)

    def set_wheel_command(self, command: WheelCommand) -> None:
        """Drive with steering angles and torques of wheels from now on, as the model can.

        Raises ParameterError, and keeps the old command, for what is not finite or out of the
        model's range, and ConfigurationError if the model takes no torques or there are actuators.
        """
        self.set_inputs(self.model.wheel_inputs(command))

    def set_inputs(self, inputs: Sequence[float]) -> None:
        """Apply all inputs of the model as they are, e.g. DoubleTrack.torque_inputs().

        The last of set_command() and set_inputs() governs; actuators do not act on these.
        Raises ParameterError, and keeps the old ones, if their number is wrong or one is not
        finite, and ConfigurationError if there are actuators.
        """
        if len(inputs) != len(self._inputs) or not all(map(math.isfinite, inputs)):
            raise ParameterError(
                f'inputs of {self.model.description} are {list(inputs)!r}, expected'
                f' {len(self._inputs)} finite numbers; they are ignored')
        if self._actuators is not None:
            raise ConfigurationError(
                'inputs are set past the actuators; switch off actuators.* to do so')
        self._command = AckermannCommand(float(inputs[SPEED]), float(inputs[STEERING_ANGLE]))
        self._stands = False
        self._inputs[:] = vector(inputs)

    def stop(self) -> None:
        """Command speed 0 and hold the last steering angle."""
        self._apply(AckermannCommand(0.0, self._command.steering_angle))

    def tick(self) -> None:
        """Advance by one period, as advance() does."""
        self.advance(self.steps_per_tick)

    def advance(self, steps: int) -> None:
        """Advance by so many steps.

        A car that runs into something stands there until the next command.
        Raises DivergenceError if the state is not finite or leaves the range in which the model
        holds; state and time then stay those before the call.
        """
        if self._obstacles is None:
            self._drive(steps)
        else:
            self._drive_among(self._obstacles, steps)
        self._steps += steps

    def _drive(self, steps: int) -> None:
        """Move the state on. Raises DivergenceError."""
        try:
            valid = self._move(steps, steps * self.step_ns / NANOSECONDS, *self._command)
        except (ValueError, OverflowError):
            # Plain Python's math raises where compiled code yields NaN.
            states = len(self._state)
            self._state[:], self._memory[:] = self._good[:states], self._good[states:]
            valid = False
        if not valid:
            if self._actuators is not None:
                self._follow(self._actuators.output, self._inputs)
            raise self._divergence(steps)

    def _drive_among(self, obstacles: Obstacles, steps: int) -> None:
        """Move the state on as far as nothing is in the way. Raises DivergenceError."""
        before = self._uncertain()
        self._drive(steps)
        end = self.odometry()
        if not self._stands and not obstacles.block(end):
            obstacles.note_free(end)
            return
        # What actuators have been told is on its way all the same.
        under_way = self._memory.copy()
        self._put_back(before)
        if not self._stands:
            start = self.odometry()
            if obstacles.hold(start):
                self._drive(steps)
                return
            for _ in range(steps):
                before, last = self._uncertain(), self.odometry()
                self._drive(1)
                if obstacles.block(self.odometry()):
                    break
            self._put_back(before)
            obstacles.note_contact(last, math.hypot(start.vx, start.vy))
            self._rest(Pose2(last.x, last.y, last.yaw))
            # Until the next command, so that it does not matter in how many parts a tick goes.
            self._stands = True
        steering_angle = self._command.steering_angle
        if self._actuators is not None:
            self._memory[:] = under_way
            self._actuators.stop()
            steering_angle = self._actuators.output.steering_angle
        self._follow(AckermannCommand(0.0, steering_angle), self._inputs)

    def _uncertain(self) -> list[Any]:
        """Return copies of what _drive() changes and does not keep."""
        return [array.copy() for array in (self._travel, *self._kept)]

    def _put_back(self, before: Sequence[Any]) -> None:
        """Undo the last _drive(); before: what _uncertain() returned before it."""
        states = len(self._state)
        self._state[:], self._memory[:] = self._good[:states], self._good[states:]
        for array, numbers in zip((self._travel, *self._kept), before, strict=True):
            array[:] = numbers

    def _rest(self, pose: Pose2) -> None:
        self._state[:] = vector(self.model.initial_state(pose))

    def _move_by_inputs(self, steps: int, *_: float) -> bool:
        """Advance the state by steps; return whether it is valid, else all stays."""
        states = len(self._state)
        self._good[:states] = self._state
        valid: bool = self._advance(
            self._state, self._inputs, self._parameters, self._limits, self._step, steps)
        if not valid:
            self._state[:] = self._good[:states]
        return valid

    @property
    def packed(self) -> PackedSimulator | None:
        """The numbers on which compiled loops run; None if the steps are not this class's own."""
        if not self._moves_by_kernels:
            return None
        vehicle = self.model.vehicle
        return PackedSimulator(
            self._state, self._good, self._inputs, self._parameters, self._limits, self._travel,
            self._memory, self._channels, vector(self._command),
            vector((vehicle.speed_min, vehicle.speed_max, *vehicle.steering_range)), self._step,
            self.steps_per_tick, self.period_ns / NANOSECONDS)

    @property
    def compiled(self) -> Simulator | None:
        """This simulator if compiled loops can run on its numbers, else None; see LoopCar."""
        return self if self._moves_by_kernels else None

    @property
    def _moves_by_kernels(self) -> bool:
        return self._advance is None and self._obstacles is None and not has_own(
            self, Simulator, 'tick', 'advance', 'odometry', 'set_command')

    @property
    def description(self) -> str:
        """What is simulated, for messages."""
        return self.model.description

    @property
    def kernels(self) -> SimulatorKernels:
        """What compiled loops call in place of a tick."""
        return self._kernels

    def take_over(self, command: AckermannCommand, ticks: int, *, diverges: bool) -> None:
        """Take over what a compiled loop made of the packed numbers.

        command: the last one that was applied; ticks: how many were driven. Raises DivergenceError
        if the one after them diverges.
        """
        self._steps += ticks * self.steps_per_tick
        if ticks or diverges:
            self.set_command(command)
        if diverges:
            raise self._divergence(self.steps_per_tick)

    def odometry(self) -> Odometry:
        """Return pose and twist of the odometry point, stamped with the current time."""
        return Odometry(
            self._steps * self.step_ns,
            *self._observe(self._state, self._inputs, self._parameters))

    def acceleration(self) -> tuple[float, float, float]:
        """Return the acceleration of the odometry point and of the rotation.

        Forward, to the left [m/s^2], in the axes of the body, against the ground; yaw [rad/s^2].
        They are the mean of the step that would come next, tried on a copy: so actuators count,
        and a speed that a model takes over at once has none.
        """
        state, inputs = self._state.copy(), self._inputs.copy()
        self._kernels.move(
            state, self._good.copy(), inputs, self._parameters, self._limits,
            self._travel.copy(), self._memory.copy(), self._channels, self._step, 1, self._step,
            *self._command)
        vx, vy, rate = self._observe(self._state, self._inputs, self._parameters)[4:]
        next_vx, next_vy, next_rate = self._observe(state, inputs, self._parameters)[4:]
        return ((next_vx - vx) / self._step - rate * vy, (next_vy - vy) / self._step + rate * vx,
                (next_rate - rate) / self._step)

    def diagnostics(self) -> VehicleDiagnostics:
        """Return velocities, slip and forces at the current time."""
        return VehicleDiagnostics(
            *self.model.diagnose(self._state, self._inputs, self._parameters))

    def wheels(self) -> tuple[WheelState, ...]:
        """Return slip and forces of each wheel, in the order of WHEEL_NAMES, at the current time.

        Single-track models give each wheel half of its axle; see wheels() of the model.
        """
        return self.model.wheels(self._state, self._inputs)

    def reset(self, pose: Pose2 | None = None) -> None:
        """Put the car at rest with the odometry point at a pose; if None, into its initial state.

        The command becomes zero and the wheels' rotation too. Time goes on: a clock that jumps
        back would upset every listener.
        Raises ParameterError if the pose is not finite.
        """
        if pose is None:
            check_planar_pose(self._initial_pose)
            self._state[:] = vector(
                initial_state(self.model, self._initial_pose, self._initial_motion))
        else:
            check_planar_pose(pose)
            self._rest(pose)
        self._travel[:] = vector(self.model.no_travel)
        if self._obstacles is not None:
            self._obstacles.forget()
        if self._actuators is not None:
            self._actuators.reset()
        self._apply(AckermannCommand(0.0, 0.0))

    def _apply(self, command: AckermannCommand) -> None:
        self._command = command
        self._stands = False
        self._follow(
            command if self._actuators is None else self._actuators.output, self._inputs)

    def _divergence(self, steps: int) -> DivergenceError:
        start = self._steps * self.step_ns / NANOSECONDS
        duration = steps * self.step_ns / NANOSECONDS
        state = ', '.join(
            f'{name}={value:.6g}' for name, value in zip(
                self.model.state_names, self.state, strict=True))
        limits = ', '.join(
            f'|{name}|<={limit:.3g}' for name, limit in zip(
                self.model.state_names, self._limits, strict=True))
        return DivergenceError(
            f'the integration of {self.model.description} left the range in which the model holds'
            f' between {start:.6g} s and {start + duration:.6g} s; last good state {state};'
            f' command speed={self._command.speed:.6g} m/s,'
            f' steering_angle={self._command.steering_angle:.6g} rad; limits'
            f' {limits}. Either the car spins at a speed that no drive could hold: reset it and'
            f' steer less or drive slower; or the step of {self._step:.6g} s is too long for its'
            ' tyres: use a shorter one or tyre_model fiala, whose force is bounded')


def make_simulator(values: Mapping[str, Any], model: VehicleModel | None = None) -> Simulator:
    """Build a simulator from the resolved values of VEHICLE_PARAMETERS + SIMULATOR_PARAMETERS.

    model: one that is built from the same values already; models have no memory. Raises
    ParameterError or ConfigurationError as Simulator and the models do.
    """
    scene = scene_of(values)
    return Simulator(
        model or make_vehicle_model(
            values['vehicle_model'], VehicleParameters.from_values(values), values),
        step=values['step'], period=1.0 / values['rate'], integrator=values['integrator'],
        initial_pose=start_pose(scene, values),
        initial_motion=InitialMotion(values['initial_yaw_rate'], values['initial_sideslip']),
        actuators=values, scene=scene)
