# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""Fixed-step simulation of one vehicle; it owns time.

One class, although long: what a tick changes, and what a reset and a divergence restore, stand
together; the table of its parameters is beside it.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from copy import copy
import functools
import math
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from racecar.base.errors import ConfigurationError, DivergenceError, ParameterError
from racecar.base.parameters import Parameter, ParameterTable
from racecar.base.poses import check_planar_pose
from racecar.base.readings import Collisions, LaserScan
from racecar.base.rows import first_row, Numbers, Part
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
from racecar.base.values import number_of, text_of, Values
from racecar.base.vectors import as_vector, Flat
from racecar.dynamics.actuators import ACTUATOR_PARAMETERS, Actuators, Channels
from racecar.dynamics.impulse import Body
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
from racecar.dynamics.vehicles.command_limits import cut_notice, not_finite, within_limits
from racecar.dynamics.vehicles.initial_motion import (
    AT_REST,
    INITIAL_MOTION_PARAMETERS,
    initial_state,
    InitialMotion,
)
from racecar.dynamics.vehicles.interface import Command, SPEED, STEERING_ANGLE
from racecar.dynamics.vehicles.kinematic_bicycle import SPEED_GAIN
from racecar.dynamics.vehicles.low_speed import LOW_SPEED_THRESHOLD
from racecar.dynamics.vehicles.parameters import DESCRIPTION_PARAMETERS
from racecar.dynamics.vehicles.planar import DRIVE_TIME_CONSTANT
from racecar.dynamics.vehicles.single_track_equations import FORMULATIONS
from racecar.dynamics.vehicles.tyre_sets import TYRE_PARAMETERS
from racecar.scene.scene import EMPTY_SCENE, Scene
from racecar.scene.world_choice import scene_of, START_PARAMETERS, start_pose, WORLD_PARAMETER
from racecar.simulation.car_body import (
    asked_speed,
    body_with_slip,
    body_without_slip,
    car_body,
    Seen,
)
from racecar.simulation.car_hits import CarHits, Place
from racecar.simulation.contact import Contact, CONTACT_PARAMETERS, IMPULSE, NONE, STOP
from racecar.simulation.ground_friction import GroundFriction
from racecar.simulation.obstacles import (
    CONTACT_PARAMETER,
    ContactShape,
    GIVE_PARAMETER,
    Obstacles,
    OUTLINE,
    Outline,
)
from racecar.simulation.ports import period_steps, whole_nanoseconds
from racecar.simulation.tick import (
    car_kernels,
    CarKernels,
    kind_of_car,
    one_car_parts,
    orders,
)

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
    CONTACT_PARAMETER,
    GIVE_PARAMETER,
    *CONTACT_PARAMETERS,
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


class Start(NamedTuple):
    """Pose of the odometry point, and motion, with which a car starts."""

    pose: Pose2 = ORIGIN
    motion: InitialMotion = AT_REST


AT_ORIGIN = Start()


class Propulsion(NamedTuple):
    """What moves a car in place of the kernel of a tick, e.g. with new inputs at each step.

    advance(state, inputs, parameters, limits, dt, steps): moves state and inputs on. Returns
    False, and leaves all as it is, if the state would leave its limits. memory: arrays that it
    changes besides these. How far the wheels turn is for its owner to know.
    """

    advance: Callable[[Flat, Flat, Flat, Flat, float, int], bool]
    memory: Sequence[Flat] = ()


class Change(NamedTuple):
    """Another vehicle from a tick on; channels: of its actuators, None without."""

    tick: int
    model: VehicleModel
    channels: Channels | None


class KeptState(NamedTuple):
    """A state to which a Simulator can go back; see Simulator.kept()."""

    steps: int
    arrays: Sequence[Flat]
    stands: bool
    inputs: Flat
    collisions: Collisions | None


class Simulator:
    """One vehicle driven by speed and steering commands, advanced tick by tick.

    Time is time_ns = steps * step_ns in integers, so stamps never accumulate rounding.
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
        self.model = model
        self.integrator = integrator
        self.step_ns = whole_nanoseconds('step', step)
        self.steps_per_tick = period_steps('rate', 1.0 / period, self.step_ns)
        self.period_ns = self.steps_per_tick * self.step_ns
        check_stability(model, method, self.step_ns, self.period_ns)
        self._step = self.step_ns / NANOSECONDS
        self._propulsion = propulsion
        made = Actuators.from_values(actuators or {}, self._step)
        self.kind = kind_of_car(model, integrator, actuated=made is not None)
        self.channels = None if made is None else made.channels
        self._parts = parts = one_car_parts(self.kind)
        self._order = orders(self.kind)
        by_command = car_kernels(self.kind, self.kind.equations)
        # Actuators do not know torques.
        by_wheels = self.kind.wheel_equations if made is None else None
        # By the number among the inputs that tells which.
        self._mode = -1 if by_wheels is None else first_row(by_wheels.inputs, 'mode')
        self._choice = by_command, by_command if by_wheels is None else car_kernels(
            self.kind, by_wheels)
        self._kernels: CarKernels = by_command
        # Of what the newest odometry is, and that.
        self._observed: tuple[int, CarKernels, bytes] | None = None
        self._odometry: Odometry
        self._lay_out(np.zeros(parts.lines + (0 if made is None else made.line_count)))
        self._put(parts.limits, model.state_limits)
        self._put(parts.clock, (self._step, self.step_ns))
        self._scene, self._contact, self._response = scene, OUTLINE, Contact()
        self.change(model, self.channels)
        self._start = start
        self.has_diverged = False
        self._hits = self._hits_of(self._response)
        # Without any, nothing is looked for.
        self._obstacles = self._obstacles_of(scene)
        self._stands = False
        self._steps = 0
        self._asked: AckermannCommand | None = None
        self.reset()

    def _lay_out(self, numbers: NDArray[np.float64]) -> None:
        """Have all numbers in an array."""
        parts, self._numbers = self._parts, numbers
        self.rows = as_vector(numbers)
        self._state, self._inputs, self._parameters, self._limits = map(self._at, (
            parts.state, parts.inputs, parts.parameters, parts.limits))

    def lie_in(self, numbers: NDArray[np.float64]) -> None:
        """Have the numbers from now on in this array, which is as long as `rows`."""
        numbers[:] = self._numbers
        self._lay_out(numbers)

    def _at(self, part: Part[Numbers]) -> Flat:
        """Numbers of a part, in the form that kernels take."""
        return self.rows[part.first:part.after]

    def _values(self, part: Part[Numbers]) -> tuple[float, ...]:
        """Numbers of a part now."""
        return tuple(self._numbers[part.first:part.after].tolist())

    def _put(self, part: Part[Numbers], values: ArrayLike) -> None:
        self._numbers[part.first:part.after] = values

    def change(self, model: VehicleModel, channels: Channels | None) -> None:
        """Go on as another vehicle, whose equations and delays are those of this one.

        State, limits of the state, and commands under way stay.
        """
        self.model, self.channels = model, channels
        vehicle, parts = model.vehicle, self._parts
        self._put(parts.parameters, model.parameters)
        self._ground = self._ground_of(self._scene)
        self._put(parts.command_limits, (
            vehicle.speed_min, vehicle.speed_max, *vehicle.steering_range))
        self._put(parts.channels, 0.0 if channels is None else np.ravel(channels))

    def warm_up(self) -> None:
        """Compile, or load from the cache, all that a tick and its outputs call."""
        self.warm_up_command()
        rows = as_vector(self._numbers.copy())
        for kernels in {*self._choice}:
            kernels.tick(rows, 0)
            kernels.diagnose(rows)
        self._drive(0)
        odometry = self.odometry()
        if self._obstacles is not None:
            self._obstacles.block(odometry)
            if self._hits is not None:
                self._obstacles.touch(odometry)
        self.wheels()

    def warm_up_command(self) -> None:
        """Compile, or load from the cache, what takes a command; nothing changes."""
        rows = as_vector(self._numbers.copy())
        for kernels in {*self._choice}:
            kernels.set_command(rows, 0.0, 0.0)

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
        self._scene, self._obstacles = scene, self._obstacles_of(scene)
        self._ground = self._ground_of(scene)
        self._put(self._parts.parameters, self.model.parameters)
        self._stands = False

    def _ground_of(self, scene: Scene) -> GroundFriction | None:
        return GroundFriction(scene, self.model) if scene.friction_zones else None

    @property
    def _model_here(self) -> VehicleModel:
        """The model on the ground where the car is."""
        return self.model if self._ground is None else self._ground.model_at(
            *self._kernels.observe(self.rows)[:4])

    def _feel_ground(self) -> None:
        """Take the friction under the axles."""
        if self._ground is not None:
            self._parameters[:] = self._model_here.parameters

    def _obstacles_of(self, scene: Scene) -> Obstacles | None:
        return None if scene.is_empty else Obstacles(
            scene, self.model.vehicle.footprint, self._contact)

    @property
    def contact(self) -> ContactShape:
        """What of the car runs into things."""
        return self._contact

    @contact.setter
    def contact(self, shape: ContactShape) -> None:
        """Let this run into things from now on. Raises ConfigurationError for a disc that hits."""
        before, self._contact = self._contact, shape
        try:
            self._hits = self._hits_of(self._response)
        except ConfigurationError:
            self._contact = before
            raise
        self._obstacles = self._obstacles_of(self._scene)

    @property
    def response(self) -> Contact:
        """What happens when the car runs into something."""
        return self._response

    @response.setter
    def response(self, contact: Contact) -> None:
        """Let this happen from now on.

        Raises ConfigurationError for the policy `none`, and for hits of a disc.
        """
        contact.check()
        if contact.policy == NONE:
            raise ConfigurationError(
                f'the policy of contacts is {NONE!r}, expected {STOP!r} or {IMPULSE!r}')
        self._response, self._hits = contact, self._hits_of(contact)

    def _hits_of(self, contact: Contact) -> CarHits | None:
        if contact.policy != IMPULSE:
            return None
        if self._contact.radius:
            raise ConfigurationError(
                f"parameter '{CONTACT_PARAMETER.name}' is {self._contact.radius:g} m with"
                f" contact '{IMPULSE}', expected 0: hits are those of the outline")
        return CarHits([self], contact, keep=self._keeping)

    def _keeping(self) -> Callable[[], None]:
        return functools.partial(self.go_back, self.kept())

    @property
    def obstacles(self) -> Obstacles | None:
        """What stands in the way; None for nothing."""
        return self._obstacles

    @property
    def outline(self) -> Outline:
        """What the car covers."""
        return Outline.of(self.model.vehicle.footprint)

    @property
    def _place_part(self) -> Part[Place]:
        state = self._parts.state
        return Part((0.0, 0.0, 0.0), state.first + first_row(state.example, 'x'))

    @property
    def place(self) -> Place:
        """x, y [m] and yaw [rad] in the state, of the point that the model counts from."""
        x, y, yaw = self._values(self._place_part)
        return x, y, yaw

    @place.setter
    def place(self, place: Place) -> None:
        self._put(self._place_part, place)

    def body(self) -> Body:
        """The car as a body that is hit."""
        car, names = car_body(self.model.vehicle, 0.0), self.model.state_names
        if 'yaw_rate' in names:
            return body_with_slip(
                Seen(*self._kernels.observe(self.rows)), car, 1.0 if 'vy' in names else 0.0, 1.0)
        speed = float(self._inputs[SPEED])
        return body_without_slip(self._seen_at(asked_speed(speed)), car, speed, 1.0)

    def _seen_at(self, speed: float) -> Seen:
        """What would be seen of the car at another speed in force [m/s]."""
        numbers = self._numbers.copy()
        numbers[self._parts.inputs.first + SPEED] = speed
        return Seen(*self._kernels.observe(as_vector(numbers)))

    def take(self, body: Body) -> None:
        """Go on with the motion of a body.

        A speed that is an input is in force until the next command, behind actuators until these
        have changed it.
        """
        names = self.model.state_names
        if 'vx' not in names:
            speed = body.vx / self._seen_at(1.0).vx
            self._inputs[SPEED] = speed
            if self.channels is not None:
                self._numbers[self._parts.memory.first + SPEED] = speed
        for name, value in (('vx', body.vx), ('vy', body.vy), ('yaw_rate', body.yaw_rate)):
            if name in names:
                self._state[names.index(name)] = value

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
        before, asked = self._numbers.copy(), self._asked
        vehicle, names = self.model.vehicle, self.model.state_names
        state = dict(zip(names, self.state, strict=True))
        if 'vx' in state:
            rear, front = vehicle.wheel_radii[1], vehicle.wheel_radii[0]
            half = 0.5 * vehicle.track_width
            state |= {name: value for name, value in {
                'vx': vx,
                **{f'wheel_speed_{axle}_{side}': (vx - sign * half * yaw_rate) / radius
                   for axle, radius in (('front', front), ('rear', rear))
                   for side, sign in (('left', 1.0), ('right', -1.0))}}.items() if name in state}
        else:
            angle = self.command.steering_angle
            if 'yaw_rate' not in state and vx:
                angle = math.atan(vehicle.wheelbase * yaw_rate / vx)
            self.set_command(AckermannCommand(vx, angle))
        across = vy - vehicle.odometry_offset * yaw_rate
        wanted = {'vy': across, 'yaw_rate': yaw_rate,
                  'beta': math.atan2(across, vx) if vx else 0.0}
        state |= {name: value for name, value in wanted.items() if name in state}
        self._put(self._parts.state, tuple(state.values()))
        now = self.odometry()
        if not (np.allclose(now[5:], (vx, vy, yaw_rate), rtol=1e-6, atol=1e-6)
                and (np.abs(self._state) <= self._limits).all()):
            self._numbers[:] = before
            self._asked = asked
            self._choose_kernels()
            raise ParameterError(
                f'velocity {vx:g}, {vy:g} m/s with yaw rate {yaw_rate:g} rad/s, expected one that'
                f' {self.model.description} can have; it would have {now.vx:g}, {now.vy:g} m/s and'
                f' {now.yaw_rate:g} rad/s')

    def watch(self, on_scan: Callable[[LaserScan], object]) -> bool:
        """False: what it simulates carries no sensors."""
        return False

    @property
    def collisions(self) -> Collisions | None:
        """Contacts since the last reset; None where there is nothing to run into."""
        return None if self._obstacles is None else self._obstacles.collisions

    @property
    def command(self) -> AckermannCommand:
        """The command in force, within the vehicle's limits."""
        return AckermannCommand(*self._values(self._parts.command))

    @property
    def state(self) -> tuple[float, ...]:
        """State of the model, in the order of model.state_names [SI]."""
        return self._values(self._parts.state)

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
        self._put(self._parts.state, values)

    @property
    def inputs(self) -> tuple[float, ...]:
        """Inputs of the model that are in force [SI]."""
        return self._values(self._parts.inputs)

    @property
    def wheel_rotations(self) -> WheelRotations:
        """Rotation of the wheels since the last reset."""
        return WheelRotations(*self.model.wheel_rotations(
            self._values(self._parts.travel)))

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
        if self._asked is None:
            return ''
        vehicle = self.model.vehicle
        return cut_notice(
            self._asked, within_limits(self._asked, vehicle, vehicle.steering_range))

    def set_command(self, command: AckermannCommand) -> None:
        """Apply a command from now on, clamped to the vehicle's limits.

        Raises ParameterError, and keeps the old command, if it is NaN or infinite.
        """
        kernels = self._choice[0]
        if not kernels.set_command(self.rows, command.speed, command.steering_angle):
            raise not_finite(command)
        self._asked, self._stands, self._kernels = command, False, kernels

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
        if self.channels is not None:
            raise ConfigurationError(
                'inputs are set past the actuators; switch off actuators.* to do so')
        self._put(self._parts.inputs, inputs)
        self._put(self._parts.command, (inputs[SPEED], inputs[STEERING_ANGLE]))
        self._stands = False
        self._choose_kernels()

    def _choose_kernels(self) -> None:
        """Take the kernels of the equations that the inputs are for."""
        if self._mode >= 0:
            self._kernels = self._choice[1 if self._inputs[self._mode] else 0]

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
        if self._stands:
            before = [copy(array) for array in self._uncertain()]
            self._drive(steps)
            self._stay(before)
            self._note_comers(steps)
        elif self._obstacles is None:
            self._drive(steps)
        elif self._hits is not None:
            self._hits.advance(steps)
            return
        else:
            self._drive_among(self._obstacles, steps)
        self._steps += steps

    def advance_freely(self, steps: int) -> None:
        """Advance as if nothing were in the way. Raises DivergenceError."""
        self._drive(steps)
        self._steps += steps

    def kept(self) -> KeptState:
        """What go_back() takes: state and time as they are now."""
        return KeptState(self._steps, [copy(array) for array in self._uncertain()], self._stands,
                         self._numbers[self._parts.inputs.first:self._parts.inputs.after].copy(),
                         self.collisions)

    def go_back(self, kept: KeptState) -> None:
        """Undo what was driven since a state was kept; commands stay."""
        self._steps, self._stands = kept.steps, kept.stands
        self._put_back(kept.arrays)
        self._put(self._parts.inputs, kept.inputs)
        if self._obstacles is not None and kept.collisions is not None:
            self._obstacles.collisions = kept.collisions
        self._choose_kernels()

    def stop_at(self, kept: KeptState) -> None:
        """Stand where a kept state is until the next command, as a car that runs into something.

        The time stays as it is, and so do commands on their way through the actuators.
        """
        under_way = self._under_way()
        self._put_back(kept.arrays)
        self._stand(self.odometry(), under_way)

    def retire(self) -> None:
        """Stand where it is from now on, as a car that cannot go on."""
        self.stop()
        self.stop_at(self.kept())

    def _drive(self, steps: int) -> None:
        """Move the state on. Raises DivergenceError."""
        try:
            valid = self._move(steps) if self._ground is None else self._move_by_steps(steps)
        except (ValueError, OverflowError):
            # Plain Python's math raises where compiled code yields NaN.
            valid = False
        if not valid:
            raise self._divergence(steps)

    def _move(self, steps: int) -> bool:
        return self._kernels.tick(self.rows, steps) if self._propulsion is None \
            else self._propel(self._propulsion, steps)

    def _move_by_steps(self, steps: int) -> bool:
        """Advance with the friction under the axles at the begin of each step; as _move()."""
        go_back = self._keeping()
        try:
            for _ in range(steps):
                self._feel_ground()
                if not self._move(1):
                    go_back()
                    return False
        except (ValueError, OverflowError):
            go_back()
            raise
        return True

    def _propel(self, propulsion: Propulsion, steps: int) -> bool:
        """Advance by steps; whether the state is within its limits, else nothing changes."""
        valid = propulsion.advance(
            self._state, self._inputs, self._parameters, self._limits, self._step, steps)
        self._choose_kernels()
        return valid

    def _note_comers(self, steps: int) -> None:
        """Take note of what moves against the car, which stands, in so many steps."""
        obstacles = self._obstacles
        if obstacles is None or not obstacles.moves or not steps:
            return
        is_near = obstacles.may_meet(self._odometry_in(steps), steps * self.step_ns)
        for done in range(1 if is_near else steps, steps + 1):
            place = self._odometry_in(done)
            if obstacles.block(place):
                obstacles.note_contact(place, 0.0)
            else:
                obstacles.note_free(place)

    def _drive_among(self, obstacles: Obstacles, steps: int) -> None:
        """Move the state on as far as nothing is in the way. Raises DivergenceError."""
        before = [copy(array) for array in self._uncertain()]
        self._drive(steps)
        end = self._odometry_in(steps)
        is_met = obstacles.moves and obstacles.may_meet(end, steps * self.step_ns)
        if not is_met and not obstacles.block(end):
            obstacles.note_free(end)
            return
        under_way = self._under_way()
        self._put_back(before)
        if is_met:
            self._drive_among_moving(obstacles, steps, under_way)
            return
        start = self.odometry()
        if obstacles.hold(start):
            self._drive(steps)
            return
        for _ in range(steps):
            before, last = [copy(array) for array in self._uncertain()], self.odometry()
            self._drive(1)
            if obstacles.block(self.odometry()):
                break
        self._put_back(before)
        obstacles.note_contact(last, math.hypot(start.vx, start.vy))
        self._stand(last, under_way)

    def _drive_among_moving(self, obstacles: Obstacles, steps: int, under_way: Flat) -> None:
        """Do that step by step, as what moves may have come and gone at the end of them."""
        for done in range(steps):
            before, last = [copy(array) for array in self._uncertain()], self._odometry_in(done)
            self._drive(1)
            place = self._odometry_in(done + 1)
            if obstacles.block(place, obstacles.freedom(last)):
                self._put_back(before)
                obstacles.note_contact(last, math.hypot(last.vx, last.vy))
                self._stand(last, under_way)
                self._steps += done + 1
                self._note_comers(steps - done - 1)
                self._steps -= done + 1
                return
            if not obstacles.block(place):
                obstacles.note_free(place)

    def _under_way(self) -> Flat:
        """Commands on their way through the actuators, which arrive all the same."""
        return self._numbers[self._parts.memory.first:].copy()

    def _stand(self, place: Odometry, under_way: Flat) -> None:
        """Be at rest at a place until the next command.

        Until then, so that it does not matter in how many parts a tick goes.
        """
        self._rest(Pose2(place.x, place.y, place.yaw))
        self._stands = True
        self._hold_still(under_way)

    def _stay(self, before: Sequence[Flat]) -> None:
        """Undo what was driven since `before`, but for commands that are under way."""
        under_way = self._under_way()
        self._put_back(before)
        self._hold_still(under_way)

    def _hold_still(self, under_way: Flat) -> None:
        """Let nothing but the steering act, to which the commands that are under way lead."""
        parts, steering_angle = self._parts, self.command.steering_angle
        if self.channels is not None:
            self._numbers[parts.memory.first:] = under_way
            self._numbers[parts.memory.first + SPEED] = 0.0
            steering_angle = self.rows[parts.memory.first + STEERING_ANGLE]
        self._put(parts.inputs, 0.0)
        self._inputs[STEERING_ANGLE] = steering_angle
        self._choose_kernels()

    def _uncertain(self) -> list[Flat]:
        """What _drive() changes, but for the inputs."""
        return [self._numbers[self._parts.state.first:], *(
            () if self._propulsion is None else self._propulsion.memory)]

    def _put_back(self, before: Sequence[Flat]) -> None:
        """Undo the last _drive(); before: copies of _uncertain() from before it."""
        for array, numbers in zip(self._uncertain(), before, strict=True):
            array[:] = numbers

    def _rest(self, pose: Pose2) -> None:
        self.has_diverged = False
        self._put(self._parts.state, self.model.initial_state(pose))

    @property
    def compiled(self) -> Simulator | None:
        """This simulator if compiled loops can run on its numbers, else None; see LoopCar."""
        return self if self._obstacles is None and self._ground is None and (
            self.is_moved_by_kernels) else None

    reckoning = None
    """It has no errors of odometry, see LoopCar."""

    @property
    def is_moved_by_kernels(self) -> bool:
        """Whether nothing but its kernels and what stands around moves it."""
        return self._propulsion is None and not has_own(
            self, Simulator, 'tick', 'advance', 'odometry', 'set_command')

    @property
    def moves_freely(self) -> bool:
        """Whether a tick is all that advance() does until its outline is in something."""
        obstacles = self._obstacles
        return not self._stands and self._ground is None and self._hits is None and (
            obstacles is None or not (
                self._contact.radius or obstacles.moves or obstacles.collisions.in_contact))

    def count(self, steps: int) -> None:
        """Let the time go on by steps for which somebody else has moved the rows."""
        self._steps += steps

    @property
    def description(self) -> str:
        """What is simulated, for messages."""
        return self.model.description

    @property
    def kernels(self) -> CarKernels:
        """What is compiled for the inputs in force."""
        return self._kernels

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
        key = self._steps, self._kernels, self._numbers.tobytes()
        if key != self._observed:
            # Half the time of a call of the NamedTuple.
            self._observed, self._odometry = key, tuple.__new__(Odometry, (
                self._steps * self.step_ns, *self._kernels.observe(self.rows)))
        return self._odometry

    def _odometry_in(self, steps: int) -> Odometry:
        """The same of the state, which is ahead of the time by so many steps."""
        return self.odometry()._replace(time_ns=(self._steps + steps) * self.step_ns)

    def acceleration(self) -> tuple[float, float, float]:
        """Return the acceleration of the odometry point and of the rotation.

        Forward, to the left [m/s^2], in the axes of the body, against the ground; yaw [rad/s^2].
        They are the mean of the step that would come next, tried on a copy: so actuators count,
        and a speed that a model takes over at once has none.
        """
        self._feel_ground()
        kernels, numbers = self._kernels, self._numbers.copy()
        rows = as_vector(numbers)
        vx, vy, rate = kernels.observe(rows)[4:]
        kernels.tick(rows, 1)
        next_vx, next_vy, next_rate = kernels.observe(rows)[4:]
        return ((next_vx - vx) / self._step - rate * vy, (next_vy - vy) / self._step + rate * vx,
                (next_rate - rate) / self._step)

    def diagnostics(self) -> VehicleDiagnostics:
        """Return velocities, slip and forces at the current time."""
        self._feel_ground()
        return VehicleDiagnostics(
            *self._kernels.diagnose(self.rows))

    def wheels(self) -> tuple[WheelState, ...]:
        """Return slip and forces of each wheel, in the order of WHEEL_NAMES, at the current time.

        Single-track models give each wheel half of its axle; see wheels() of the model.
        """
        return self._model_here.wheels(self._state, self._inputs)

    def reset(self, pose: Pose2 | None = None) -> None:
        """Put the car at rest with the odometry point at a pose; if None, into its initial state.

        The command becomes zero, or the speed of a flying start, and the wheels' rotation zero.
        Time goes on: a clock that jumps back would upset every listener.
        Raises ParameterError if the pose is not finite.
        """
        if pose is None:
            check_planar_pose(self._start.pose)
            self._put(self._parts.state, initial_state(
                self.model, *self._start))
        else:
            check_planar_pose(pose)
            self._rest(pose)
        self._put(self._parts.travel, self.model.no_travel)
        if self._obstacles is not None:
            self._obstacles.forget()
        self._numbers[self._parts.memory.first:] = 0.0
        self._apply(AckermannCommand(0.0, 0.0))
        if pose is None and self._start.motion.speed:
            self._start_flying(self._start.motion)

    def _start_flying(self, motion: InitialMotion) -> None:
        """Let the car, its wheels and what lies between command and wheels be at a speed.

        Raises ParameterError for one that the car cannot have.
        """
        speed, vehicle = motion.speed, self.model.vehicle
        if not vehicle.speed_min <= speed <= vehicle.speed_max:
            raise ParameterError(
                f"parameter 'initial_speed' is {speed:g} m/s, expected a number in"
                f' [{vehicle.speed_min:g}, {vehicle.speed_max:g}], the speeds of the vehicle')
        if self.channels is not None:
            first = self._parts.lines
            self._numbers[first:first + int(self.channels.speed.delay_steps)] = speed
            self._put(self._parts.memory, (speed, 0.0, 0.0, 0.0))
        self._apply(AckermannCommand(speed, 0.0))
        self.push(speed, speed * math.tan(motion.sideslip)
                  + vehicle.odometry_offset * motion.yaw_rate, motion.yaw_rate)

    def _apply(self, command: AckermannCommand) -> None:
        self._stands = False
        self._order(self.rows, Command(*command))
        self._choose_kernels()

    def _divergence(self, steps: int) -> DivergenceError:
        self.has_diverged = True
        start, command = self._steps * self.step_ns / NANOSECONDS, self.command
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
            f' command speed={command.speed:.6g} m/s,'
            f' steering_angle={command.steering_angle:.6g} rad; limits'
            f' {limits}. Either the car spins at a speed that no drive could hold: reset it and'
            f' steer less or drive slower; or the step of {self._step:.6g} s is too long for its'
            ' tyres: use a shorter one or tyre_model fiala, whose force is bounded')


def has_own(part: object, kind: type, *names: str) -> bool:
    """Whether a part has methods of its own in the place of those of a class."""
    return any(name in vars(part) or getattr(type(part), name) is not getattr(kind, name)
               for name in names)


def make_simulator(
    values: Values, model: VehicleModel | None = None, start: Pose2 | None = None,
) -> Simulator:
    """Build a simulator from the resolved values of VEHICLE_PARAMETERS + SIMULATOR_PARAMETERS.

    model: one that is built from the same values already; models have no memory. start: of
    base_link in map, by default start_pose(). Raises ParameterError or ConfigurationError as
    Simulator and the models do.
    """
    scene = scene_of(values)
    simulator = Simulator(
        model or make_vehicle_model(
            text_of(values, 'vehicle_model'), VehicleParameters.from_values(values), values),
        step=number_of(values, 'step'), period=1.0 / number_of(values, 'rate'),
        integrator=text_of(values, 'integrator'),
        start=Start(start or start_pose(scene, values), InitialMotion(
            number_of(values, 'initial_yaw_rate'), number_of(values, 'initial_sideslip'),
            number_of(values, 'initial_speed'))),
        actuators=values, scene=scene)
    simulator.contact = ContactShape.from_values(values)
    simulator.response = Contact.from_values(values)
    return simulator
