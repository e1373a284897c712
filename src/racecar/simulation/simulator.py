# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""Fixed-step simulation of one vehicle; it owns time."""

from __future__ import annotations

from collections.abc import Callable, Sequence
import math

import numpy as np

from racecar.base.errors import ConfigurationError, DivergenceError, ParameterError
from racecar.base.poses import check_planar_pose
from racecar.base.readings import Collisions, LaserScan
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
from racecar.base.values import Values
from racecar.dynamics.actuators import Actuators, Channels
from racecar.dynamics.integrators import DEFAULT_INTEGRATOR, find_integrator
from racecar.dynamics.stability import check_stability
from racecar.dynamics.vehicles import VehicleModel
from racecar.dynamics.vehicles.command_limits import cut_notice, not_finite, within_limits
from racecar.dynamics.vehicles.initial_motion import (
    AT_ORIGIN,
    check_initial_speed,
    initial_state,
    InitialMotion,
    Start,
    state_in_motion,
)
from racecar.scene.scene import EMPTY_SCENE, Scene
from racecar.simulation.car_contacts import CarContacts, KeptState
from racecar.simulation.car_rows import CarRows, Propulsion, WheelRotations
from racecar.simulation.ground_friction import GroundFriction
from racecar.simulation.obstacles import Obstacles
from racecar.simulation.ports import (
    DEFAULT_PERIOD,
    DEFAULT_STEP,
    period_steps,
    whole_nanoseconds,
)
from racecar.simulation.tick import CarKernels, Clock


class Simulator:
    """One vehicle driven by speed and steering commands, advanced tick by tick.

    Time is time_ns = steps * step_ns in integers, so stamps never accumulate rounding.

    car: its numbers and kernels. contacts: what it runs into, and what happens then. has_diverged:
    whether its newest advance() has raised a DivergenceError, and it was not reset.
    """

    def __init__(
        self, model: VehicleModel, *, step: float = DEFAULT_STEP,
        period: float = DEFAULT_PERIOD, integrator: str = DEFAULT_INTEGRATOR,
        start: Start = AT_ORIGIN, actuators: Values | None = None,
        propulsion: Propulsion | None = None, scene: Scene = EMPTY_SCENE,
    ) -> None:
        """Begin at time 0, at the start.

        step: of the integration [s]; period: of one tick [s], a whole number of steps;
        actuators: rows of ACTUATOR_PARAMETERS, without which commands act at once; scene: what the
        car can run into, which stops it; propulsion: moves it in place of the kernel of a tick.
        Raises ParameterError if the integrator is unknown, the pose is not finite or the model
        has no such motion, and ConfigurationError if step, period or delays do not fit or the step
        is too long for the model.
        """
        method = find_integrator(integrator)
        self.integrator = integrator
        self.step_ns = whole_nanoseconds('step', step)
        self.steps_per_tick = period_steps('rate', 1.0 / period, self.step_ns)
        self.period_ns = self.steps_per_tick * self.step_ns
        check_stability(model, method, self.step_ns, self.period_ns)
        dt = self.step_ns / NANOSECONDS
        self.car = CarRows(
            model, integrator, Actuators.from_values(actuators or {}, dt),
            Clock(dt, self.step_ns), propulsion)
        # Of what the newest odometry is, and that.
        self._observed: tuple[int, CarKernels, bytes] | None = None
        self._odometry: Odometry
        self._scene, self._start = scene, start
        self._ground = GroundFriction.of(scene, model)
        self.has_diverged = False
        self.contacts = CarContacts(self, scene)
        self._steps = 0
        self._asked: AckermannCommand | None = None
        self.reset()

    @property
    def model(self) -> VehicleModel:
        """The vehicle."""
        return self.car.model

    @property
    def channels(self) -> Channels | None:
        """Its actuators, None without."""
        return self.car.channels

    def change(self, model: VehicleModel, channels: Channels | None) -> None:
        """Go on as another vehicle, whose equations and delays are those of this one.

        State, limits of the state, and commands under way stay.
        """
        self.car.become(model, channels)
        self._ground = GroundFriction.of(self._scene, model)

    def warm_up(self) -> None:
        """Compile, or load from the cache, all that a tick and its outputs call."""
        self.car.warm_up()
        self.drive(0)
        self.contacts.warm_up()
        self.wheels()

    @property
    def time_ns(self) -> int:
        """Simulated time since the start [ns]."""
        return self._steps * self.step_ns

    @property
    def scene(self) -> Scene:
        """What stands around."""
        return self._scene

    @scene.setter
    def scene(self, scene: Scene) -> None:
        """Let something else stand around; the car stays as it is, its contacts are counted anew.

        A car that stands at what it ran into is free.
        """
        self._scene, self._ground = scene, GroundFriction.of(scene, self.model)
        self.contacts.surround(scene)
        self.car.put(self.car.parts.parameters, self.model.parameters)

    @property
    def _model_here(self) -> VehicleModel:
        """The model on the ground where the car is."""
        return self.model if self._ground is None else self._ground.model_of(self.car)

    def _feel_ground(self) -> None:
        """Take the friction under the axles."""
        if self._ground is not None:
            self._ground.act_on(self.car)

    @property
    def obstacles(self) -> Obstacles | None:
        """What stands in the way; None for nothing."""
        return self.contacts.obstacles

    def restart(self) -> None:
        """Let the time begin at 0 again; the car stays as it is."""
        self._steps = 0

    def push(self, vx: float, vy: float, yaw_rate: float) -> None:
        """Give the odometry point the velocity vx, vy and the car the yaw_rate, where it is.

        vx, vy: ahead and to the left [m/s]; yaw_rate: counterclockwise [rad/s].

        A model whose speed is that of its command is commanded to drive so; the wheels of one that
        turns them roll. Raises ParameterError, changing nothing, for a motion that the car cannot
        have.
        """
        car, model, asked = self.car, self.model, self._asked
        before, names = car.numbers.copy(), model.state_names
        if 'vx' not in names:
            angle = self.command.steering_angle
            if 'yaw_rate' not in names and vx:
                angle = math.atan(model.vehicle.wheelbase * yaw_rate / vx)
            self.set_command(AckermannCommand(vx, angle))
        self.state = state_in_motion(model, self.state, vx, vy, yaw_rate)
        now = self.odometry()
        if not (np.allclose(now[5:], (vx, vy, yaw_rate), rtol=1e-6, atol=1e-6)
                and (np.abs(car.state) <= car.limits).all()):
            car.numbers[:] = before
            self._asked = asked
            car.choose_kernels()
            raise ParameterError(
                f'velocity {vx:g}, {vy:g} m/s with yaw rate {yaw_rate:g} rad/s, expected one that'
                f' {model.description} can have; it would have {now.vx:g}, {now.vy:g} m/s and'
                f' {now.yaw_rate:g} rad/s')

    def watch(self, on_scan: Callable[[LaserScan], object]) -> bool:
        """False: what it simulates carries no sensors."""
        return False

    @property
    def collisions(self) -> Collisions | None:
        """Contacts since the last reset; None where there is nothing to run into."""
        return self.contacts.collisions

    @property
    def command(self) -> AckermannCommand:
        """The command in force, within the vehicle's limits."""
        return self.car.command

    @property
    def state(self) -> tuple[float, ...]:
        """State of the model, in the order of model.state_names [SI]."""
        return self.car.values(self.car.parts.state)

    @state.setter
    def state(self, values: Sequence[float]) -> None:
        """Put the car into a state; commands, actuators and rotation of the wheels stay.

        Raises ParameterError if the numbers are too few or too many.
        """
        names = self.model.state_names
        if len(values) != len(names):
            raise ParameterError(
                f"state of {self.model.description} is {list(values)!r}, expected"
                f" {len(names)} numbers: {', '.join(names)}")
        self.car.put(self.car.parts.state, values)

    @property
    def inputs(self) -> tuple[float, ...]:
        """Inputs of the model that are in force [SI]."""
        return self.car.values(self.car.parts.inputs)

    @property
    def wheel_rotations(self) -> WheelRotations:
        """Rotation of the wheels since the last reset."""
        return WheelRotations(*self.model.wheel_rotations(
            self.car.values(self.car.parts.travel)))

    @property
    def wheel_speeds(self) -> Wheels:
        """Speed of rotation of the wheels, as wheel_rotations integrates it [rad/s]."""
        return self.model.wheel_speeds(self.car.state, self.car.inputs)

    @property
    def steering_angles(self) -> tuple[float, float]:
        """Steering angle of the left and right front wheel [rad]."""
        return self.model.steering_angles(self.car.inputs)

    @property
    def notice(self) -> str:
        """What the limits of the vehicle have cut off the newest command; empty if nothing."""
        if self._asked is None:
            return ''
        vehicle = self.model.vehicle
        return cut_notice(
            self._asked, within_limits(self._asked, vehicle, vehicle.steering_range))

    def set_command(self, command: AckermannCommand) -> None:
        """Apply a command from now on, clamped to the vehicle's limits.

        Raises ParameterError, and keeps the old command, if it is NaN or infinite.
        """
        if not self.car.set_command(command.speed, command.steering_angle):
            raise not_finite(command)
        self._asked, self.contacts.stands = command, False

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
        if len(inputs) != len(self.car.inputs) or not all(map(math.isfinite, inputs)):
            raise ParameterError(
                f'inputs of {self.model.description} are {list(inputs)!r}, expected'
                f' {len(self.car.inputs)} finite numbers; they are ignored')
        if self.channels is not None:
            raise ConfigurationError(
                'inputs are set past the actuators; switch off actuators.* to do so')
        self.car.set_inputs(inputs)
        self.contacts.stands = False

    def stop(self) -> None:
        """Command speed 0 and hold the last steering angle."""
        self._apply(AckermannCommand(0.0, self.command.steering_angle))

    def tick(self) -> None:
        """Advance by one period, as advance() does."""
        self.advance(self.steps_per_tick)

    def advance(self, steps: int) -> None:
        """Advance by so many steps.

        A car that runs into something stands there until the next command.
        Raises DivergenceError if the state is not finite or leaves the range in which the model
        holds; state and time then stay those before the call.
        """
        contacts = self.contacts
        if contacts.obstacles is None and not contacts.stands:
            self.drive(steps)
            self._steps += steps
        else:
            contacts.advance(steps)

    def advance_freely(self, steps: int) -> None:
        """Advance as if nothing were in the way. Raises DivergenceError."""
        self.drive(steps)
        self._steps += steps

    def kept(self) -> KeptState:
        """What go_back() takes: state and time as they are now."""
        return KeptState(self._steps, self.car.copies(), self.contacts.stands, self.inputs,
                         self.collisions)

    def go_back(self, kept: KeptState) -> None:
        """Undo what was driven since a state was kept; commands stay."""
        self._steps = kept.steps
        self.car.put_back(kept.arrays, kept.inputs)
        self.contacts.go_back(kept.stands, kept.collisions)

    def stop_at(self, kept: KeptState) -> None:
        """Stand where a kept state is until the next command, as a car that runs into something.

        The time stays as it is, and so do commands on their way through the actuators.
        """
        self.has_diverged = False
        self.contacts.stop_at(kept.arrays)

    def retire(self) -> None:
        """Stand where it is from now on, as a car that cannot go on."""
        self.stop()
        self.stop_at(self.kept())

    def drive(self, steps: int) -> None:
        """Move the state on, but not the time. Raises DivergenceError, changing nothing."""
        try:
            valid = self.car.tick(steps) if self._ground is None else self._ground.move(
                self.car, steps)
        except (ValueError, OverflowError):
            # Plain Python's math raises where compiled code yields NaN.
            valid = False
        if not valid:
            raise self._divergence(steps)

    @property
    def compiled(self) -> Simulator | None:
        """This simulator if compiled loops can run on its numbers, else None; see LoopCar."""
        return self if self.contacts.obstacles is None and self._ground is None and (
            self.is_moved_by_kernels) else None

    reckoning = None
    """It has no errors of odometry, see LoopCar."""

    @property
    def is_moved_by_kernels(self) -> bool:
        """Whether nothing but its kernels and what stands around moves it."""
        return self.car.propulsion is None and not has_own(
            self, Simulator, 'tick', 'advance', 'odometry', 'set_command')

    @property
    def moves_freely(self) -> bool:
        """Whether a tick is all that advance() does until its outline is in something."""
        return self._ground is None and self.contacts.are_stops_of_outline

    def count(self, steps: int) -> None:
        """Let the time go on by steps for which somebody else has moved the rows."""
        self._steps += steps

    @property
    def description(self) -> str:
        """What is simulated, for messages."""
        return self.model.description

    def take_over(self, command: AckermannCommand, ticks: int, *, diverges: bool) -> None:
        """Take over what a compiled loop made of the rows.

        command: the last one that was applied; ticks: how many were driven. Raises DivergenceError
        if the one after them diverges.
        """
        self._steps += ticks * self.steps_per_tick
        if ticks or diverges:
            self.set_command(command)
        if diverges:
            raise self._divergence(self.steps_per_tick)

    def odometry(self) -> Odometry:
        """Return pose and twist of the odometry point, stamped with the current time.

        While nothing changes that is one object.
        """
        # Sensors ask several times at one instant.
        car = self.car
        key = self._steps, car.kernels, car.numbers.tobytes()
        if key != self._observed:
            # Half the time of a call of the NamedTuple.
            self._observed, self._odometry = key, tuple.__new__(Odometry, (
                self._steps * self.step_ns, *car.kernels.observe(car.rows)))
        return self._odometry

    def odometry_in(self, steps: int) -> Odometry:
        """The same of the state, which is ahead of the time by so many steps."""
        return self.odometry()._replace(time_ns=(self._steps + steps) * self.step_ns)

    def acceleration(self) -> tuple[float, float, float]:
        """Return the acceleration of the odometry point and of the rotation.

        Forward, to the left [m/s^2], in the axes of the body, against the ground; yaw [rad/s^2].
        They are the mean of the step that would come next, tried on a copy: so actuators count,
        and a speed that a model takes over at once has none.
        """
        self._feel_ground()
        return self.car.acceleration()

    def diagnostics(self) -> VehicleDiagnostics:
        """Return velocities, slip and forces at the current time."""
        self._feel_ground()
        return VehicleDiagnostics(*self.car.kernels.diagnose(self.car.rows))

    def wheels(self) -> tuple[WheelState, ...]:
        """Return slip and forces of each wheel, in the order of WHEEL_NAMES, at the current time.

        Single-track models give each wheel half of its axle; see wheels() of the model.
        """
        return self._model_here.wheels(self.car.state, self.car.inputs)

    def reset(self, pose: Pose2 | None = None) -> None:
        """Put the car at rest with the odometry point at a pose; if None, into its initial state.

        The command becomes zero, or the speed of a flying start, and the wheels' rotation zero.
        Time goes on: a clock that jumps back would upset every listener.
        Raises ParameterError if the pose is not finite.
        """
        start, motion = self._start
        check_planar_pose(start if pose is None else pose)
        self.car.begin(initial_state(self.model, start, motion) if pose is None
                       else self.model.initial_state(pose))
        self.has_diverged = False
        self.contacts.forget()
        self._apply(AckermannCommand(0.0, 0.0))
        if pose is None and motion.speed:
            self._start_flying(motion)

    def _start_flying(self, motion: InitialMotion) -> None:
        """Let the car, its wheels and what lies between command and wheels be at a speed.

        Raises ParameterError for one that the car cannot have.
        """
        speed, vehicle = motion.speed, self.model.vehicle
        check_initial_speed(speed, vehicle)
        self.car.reach(speed)
        self._apply(AckermannCommand(speed, 0.0))
        self.push(speed, speed * math.tan(motion.sideslip)
                  + vehicle.odometry_offset * motion.yaw_rate, motion.yaw_rate)

    def _apply(self, command: AckermannCommand) -> None:
        self.contacts.stands = False
        self.car.order(*command)

    def _divergence(self, steps: int) -> DivergenceError:
        self.has_diverged = True
        start = self._steps * self.step_ns / NANOSECONDS
        return self.car.divergence(start, start + steps * self.step_ns / NANOSECONDS)


def has_own(part: object, kind: type, *names: str) -> bool:
    """Whether a part has methods of its own in the place of those of a class."""
    return any(name in vars(part) or getattr(type(part), name) is not getattr(kind, name)
               for name in names)
