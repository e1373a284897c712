# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""Scene and cars in motion: the engine's state with the tyres', moved on by whole steps."""

from __future__ import annotations

from collections.abc import Callable, Sequence
import math
from typing import NamedTuple, TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike

from racecar.base.compiled import types_of
from racecar.base.errors import ConfigurationError
from racecar.base.rows import first_row, flatten, Numbers, Part, store
from racecar.base.types import (
    HINGE_JOINTS,
    NANOSECONDS,
    ORIGIN,
    Pose2,
    Pose3,
    Twist3,
    WHEEL_JOINTS,
)
from racecar.base.vectors import as_vector
from racecar.description.car_bodies import CarBodies
from racecar.dynamics.tyres.contact import TyrePair
from racecar.dynamics.vehicles.double_track_wheels import OVERSPEED_FACTOR
from racecar.dynamics.vehicles.parameters import GRAVITY, VehicleParameters
from racecar.dynamics.vehicles.tyre_sets import TyreSet
from racecar.scene.scene import EMPTY_SCENE, Scene
from racecar.simulation.ground_friction import WheelSpots
from racecar.world.car_axles import make_axles, make_governor
from racecar.world.car_model import CarPart, Gains, prefixed, servo_name, touch_name
from racecar.world.clearance import FixedThings
from racecar.world.engine import engine_steps, load_engine
from racecar.world.engine_state import (
    EngineState,
    FloatArray,
    FreeBody,
    Held,
    IntArray,
)
from racecar.world.scene_model import cone_name
from racecar.world.world_kernel import (
    BODY,
    Body,
    Car,
    CAR_SIZE,
    CARRIER_COUNT,
    DEFLECTION,
    GOVERNOR,
    Paving,
    Places,
    plain_world,
    QUIET,
    SHOWN,
    Shown,
    TURNING,
    Turning,
    Views,
    Wheel,
    WHEEL_COUNT,
    WHEEL_SIZE,
    WHEELS,
    World,
    world_kernels,
    WorldKernels,
)
from racecar.world.world_model import pair_wheels, world_spec

if TYPE_CHECKING:
    from mujoco import MjData, MjModel, MjSpec

_SETTLING = 1.0

_UNTOUCHED = Body(0.0, QUIET, 0.0, 0.0, 0.0, 0.0)
_NOTHING_SHOWN = Shown(0.0, 0.0, 0.0, 0.0, 0.0)

# Rows of parts.
_GOVERNS, _WANTED = (
    first_row(GOVERNOR.example, 'governs'), first_row(GOVERNOR.example, 'drive', 'speed'))
_DRIVE, _BRAKE, _BRAKE_DAMPING = (
    first_row(TURNING.example, field) for field in ('drive', 'brake', 'brake_damping'))

# What of the present time is known besides the state.
_NOTHING, _MOTION, _FORCES = range(3)


class WorldCarSpec(NamedTuple):
    """A car to be simulated.

    name: unique in the world; it may be empty. bodies: of its robot description. tyres: whose
    forces push the wheels; None leaves that to the friction of the engine. start: pose of
    base_link at the start; start_height: how far above where it rests [m]. has_wheel_servos:
    whether its wheels may be driven by controllers of their rotation, as only the engine can hold
    these stable; torques come as generalised forces.
    """

    name: str
    vehicle: VehicleParameters
    bodies: CarBodies
    gains: Gains
    tyres: TyreSet | None = None
    start: Pose2 = ORIGIN
    start_height: float = 0.0
    has_wheel_servos: bool = True


class CarPlaces(NamedTuple):
    """Where a car is in the arrays of the engine.

    body: with its joints in the order of joint_names(); wheel_servos, hinge_servos: the actuators
    that control these joints, none of wheels without.
    """

    body: FreeBody
    wheel_servos: IntArray
    hinge_servos: IntArray


class WorldEngine(EngineState):
    """Model and state of a scene with cars; time and ports are for who owns this."""

    def __init__(
        self, scene: Scene, cars: Sequence[WorldCarSpec], step: float,
        gravity: tuple[float, float, float] = (0.0, 0.0, -GRAVITY),
    ) -> None:
        """Take the step [s], and the gravity in the frame of the world [m/s^2].

        Raises ConfigurationError if MuJoCo is not there, cars have different kinds of contact, or
        the step is too long for their tyres.
        """
        self.step = step
        self._cars = tuple(cars)
        self._gravity = gravity
        self._prepare = _tyre_maker(cars)
        self._held: dict[int, Held] = {}
        # By whether the ground has friction zones.
        self._made: dict[bool, WorldKernels] = {}
        super().__init__(self._spec_with(scene), scene)
        self._rows = np.array([
            number for car in cars for number in flatten(_numbers_of(car, step, gravity))])
        self._bind()

    def _spec_with(self, scene: Scene) -> MjSpec:
        parts = [_part(car) for car in self._cars]
        spec = world_spec(scene, parts, step=self.step, gravity=self._gravity)
        for part in parts:
            pair_wheels(spec, part)
        if len(parts) == 1 and not scene.cones:
            # All that moves is one island: the engine need not look for more.
            spec.option.disableflags |= load_engine().mjtDisableBit.mjDSBL_ISLAND
        return spec

    def change_scene(self, scene: Scene) -> None:
        """Let another scene stand around the cars, which stay as they are.

        Raises ConfigurationError, changing nothing, for what the engine cannot take.
        """
        self.surround(self._spec_with(scene), scene)
        self._bind()

    def _bind(self) -> None:
        """Find what the kernels work on in the engine's arrays."""
        cars, scene = self._cars, self.scene
        flags = load_engine().mjtDisableBit
        # What is nothing while no car can touch anything; the wheels may have pairs of their own.
        self._unread = int(flags.mjDSBL_SENSOR) | (
            0 if self.model.npair else int(flags.mjDSBL_CONTACT))
        self._steps = engine_steps(self.model, self.data)[:]
        self._scratch_steps = engine_steps(self.model, self.scratch)[:]
        self.places = [self._places_of(car) for car in cars]
        places = _places(self.model, cars, len(scene.cones))
        paving = _paving(self.model, cars, scene, places)
        self._fixed = FixedThings(self.model, scene, places.root, places.pose)
        self._world = World(
            _views(self.model, self.data), places, as_vector(self._rows),
            np.full((len(cars), 1 + len(scene.cones)), QUIET), paving,
            self._fixed.clearance)
        self._plain = plain_world(self._world)
        # Of the present time.
        self._shown_rows = self._rows.copy()
        self._shown = plain_world(World(
            _views(self.model, self.scratch), places, as_vector(self._shown_rows),
            self._world.since, paving, self._fixed.clearance))
        self._fresh = _NOTHING

    def advance(self, steps: int, time_ns: int = 0) -> bool:
        """Move on by whole steps; False, with all as before, if that fails.

        time_ns: simulated time at the begin, for things that move [ns].
        """
        self._fresh = _NOTHING
        for car, held in self._held.items():
            self.stay(self.places[car].body, held)
        go_back = self._keeping()
        if self._run(steps, time_ns):
            return True
        go_back()
        return False

    def _keeping(self) -> Callable[[], None]:
        """What puts all back to as it is now."""
        self.keep()
        changing = self._rows, self._world.since
        before = [numbers.copy() for numbers in changing]

        def go_back() -> None:
            self.put_back()
            for numbers, old in zip(changing, before, strict=True):
                numbers[:] = old

        return go_back

    def lost_cars(self, steps: int, time_ns: int) -> list[int]:
        """Cars for which advance() fails; none if that cannot be told."""
        step_ns = round(self.step * NANOSECONDS)

        def do_step(done: int) -> bool:
            return self._run(1, time_ns + done * step_ns)

        go_back = self._keeping()
        found = self.lost([places.body for places in self.places], steps, do_step)
        go_back()
        return found

    def hold_car(self, car: int) -> None:
        """Hold a car where it is until it is placed."""
        self._fresh = _NOTHING
        self._held[car] = self.hold(self.places[car].body)

    def _run(self, steps: int, time_ns: int) -> bool:
        has_room = self._fixed.look(self._qpos)
        if not self.scene.moving:
            done = self._run_clear(steps) if has_room else 0
            return done == steps or (done >= 0 and self._do_steps(steps - done))
        step_ns = round(self.step * NANOSECONDS)
        for done in range(steps):
            self.place_moving(time_ns + done * step_ns)
            if not self._do_steps(1):
                return False
        self.show_moving(time_ns + steps * step_ns)
        return True

    def _do_steps(self, steps: int) -> bool:
        return self._kernels.run(self._steps, self._plain, self.step, steps, False) >= 0

    def _run_clear(self, steps: int) -> int:
        """Do steps as long as no car can touch anything; the engine does not look for it."""
        option = self.model.opt
        flags, self.data.sensordata[:] = option.disableflags, 0.0
        option.disableflags = flags | self._unread
        try:
            return self._kernels.run(self._steps, self._plain, self.step, steps, True)
        finally:
            option.disableflags = flags

    def show_moving(self, time_ns: int) -> None:
        """Put the things that move to where they are at a simulated time [ns]."""
        self._fresh = _NOTHING
        self.place_moving(time_ns)

    def warm_up(self) -> None:
        """Compile the kernels, or load them from the cache."""
        self._fixed.look(self._qpos)
        self._do_steps(0)
        self.present()

    @property
    def _kernels(self) -> WorldKernels:
        has_zones = bool(self.scene.friction_zones)
        if has_zones not in self._made:
            self._made[has_zones] = world_kernels(
                self._prepare, types_of(self._steps, self._plain, self.step, 0, False),
                has_zones=has_zones)
        return self._made[has_zones]

    def place_car(self, car: int, pose: Pose3) -> None:
        """Put a car to a pose of its base_link, at rest, with nothing of what was before."""
        self._fresh = _NOTHING
        if car in self._held:
            self.release(self.places[car].body, self._held.pop(car))
        self.place(self.places[car].body, pose)
        for part in (DEFLECTION, SHOWN):
            _wheels(self._rows, car, part)[:] = 0.0
        store(self._world.rows, BODY, CAR_SIZE * car, _UNTOUCHED)
        self._world.since[car] = QUIET
        self.data.xfrc_applied[self._world.places.root[car]] = 0.0
        body = self.places[car].body
        self.data.qfrc_applied[body.motion:body.motion + 6] = 0.0
        self.data.qfrc_applied[body.dofs] = 0.0

    def push_car(self, car: int, twist: Twist3, wheel_speeds: ArrayLike) -> None:
        """Give a car a twist of its base_link in its axes, and its wheels speeds [rad/s]."""
        self._fresh = _NOTHING
        body = self.places[car].body
        self.push(body, twist)
        self.data.qvel[body.dofs[:WHEEL_COUNT]] = wheel_speeds

    def place_loose(self) -> None:
        """Put all that can be knocked over back to where it was at first."""
        self._fresh = _NOTHING
        super().place_loose()

    def set_control(self, actuators: IntArray, values: ArrayLike) -> None:
        """Set the set-points of actuators."""
        self._fresh = _NOTHING
        self.data.ctrl[actuators] = values

    def govern(self, car: int, speed: float | None) -> None:
        """Let the speed controller of a car drive at a speed [m/s]; None: it does not drive."""
        self._fresh = _NOTHING
        at = GOVERNOR.first + CAR_SIZE * car
        self._rows[at + _GOVERNS] = float(speed is not None)
        self._rows[at + _WANTED] = speed or 0.0

    def turn_wheels(
        self, car: int, drive: ArrayLike, brake: ArrayLike, brake_damping: ArrayLike,
    ) -> None:
        """Let torques and brakes act on the wheels of a car.

        Of each wheel, or one for all: drive, brake: torque, capacity of the brake [N m];
        brake_damping: of a viscous brake [N m s/rad].
        """
        self._fresh = _NOTHING
        turning = _wheels(self._rows, car, TURNING)
        turning[:, _DRIVE], turning[:, _BRAKE] = drive, brake
        turning[:, _BRAKE_DAMPING] = brake_damping

    def touched(self, car: int) -> Body:
        """What the body of a car has touched."""
        at = CAR_SIZE * car
        return Body(*self._rows[at + BODY.first:at + BODY.after].tolist())

    def present(self, *, forces: bool = False) -> MjData:
        """The engine's data of the present time, derived quantities included.

        forces: also accelerations and the forces of contacts. The state itself stays; the result
        holds until the next step or change.
        """
        wanted = _FORCES if forces else _MOTION
        if self._fresh >= wanted:
            return self.scratch
        mujoco = load_engine()
        model, scratch = self.model, self.scratch
        if self._fresh < _MOTION:
            self.copy_to_scratch()
            self._shown_rows[:] = self._rows
            self._kernels.look(self._scratch_steps, self._shown, self.step)
        if forces:
            mujoco.mj_fwdActuation(model, scratch)
            mujoco.mj_fwdAcceleration(model, scratch)
            mujoco.mj_fwdConstraint(model, scratch)
        self._fresh = wanted
        return scratch

    def shown(self, car: int) -> list[Shown]:
        """What the wheels of a car show at the present time."""
        self.present()
        return [Shown(*row) for row in _wheels(self._shown_rows, car, SHOWN).tolist()]

    def wheel_geoms(self, car: int) -> IntArray:
        """Number of the geom of each wheel of a car."""
        return self._world.places.geom[WHEEL_COUNT * car:WHEEL_COUNT * (car + 1)]

    def _places_of(self, car: WorldCarSpec) -> CarPlaces:
        def servos(joints: Sequence[str]) -> IntArray:
            return np.array([
                self.model.actuator(servo_name(prefixed(car.name, joint))).id
                for joint in joints], dtype=np.int64)

        return CarPlaces(
            self.find_body(prefixed(car.name, car.bodies.root.name),
                           [prefixed(car.name, joint) for joint in joint_names(car.bodies)]),
            servos(WHEEL_JOINTS if car.has_wheel_servos else ()), servos(HINGE_JOINTS))


def joint_names(bodies: CarBodies) -> tuple[str, ...]:
    """Names of the joints of a car: wheels, hinges, and suspension if it has one."""
    return (*WHEEL_JOINTS, *HINGE_JOINTS,
            *(body.joint.name for body in bodies.suspensions if body.joint is not None))


def rest_pose(car: WorldCarSpec, step: float) -> Pose3:
    """Pose of base_link of a car that has settled on the ground at the origin."""
    engine = WorldEngine(EMPTY_SCENE, [car], step)
    engine.advance(math.ceil(_SETTLING / step))
    pose = engine.pose(engine.places[0].body)
    # Upright cars stay where they are; what is left of the way there is no part of a pose.
    return pose._replace(x=0.0, y=0.0, qx=0.0, qz=0.0,
                         qw=math.sqrt(1.0 - pose.qy * pose.qy))


def _part(car: WorldCarSpec) -> CarPart:
    return CarPart(car.name, car.bodies, car.gains,
                   car.vehicle.friction_coefficient if car.tyres is None else None,
                   wheel_servos=car.has_wheel_servos, wheel_motors=False)


def _numbers_of(
    car: WorldCarSpec, step: float, gravity: tuple[float, float, float],
) -> Car:
    """Numbers of a car that stands and has touched nothing."""
    vehicle = car.vehicle
    front, rear = make_axles(vehicle, car.tyres, step)
    fastest = max(vehicle.speed_max, -vehicle.speed_min)
    a, b = (
        Wheel(0.0, 0.0, Turning(
            0.0, 0.0, 0.0, OVERSPEED_FACTOR * fastest / max(vehicle.wheel_radii),
            vehicle.rolling_resistance * radius), _NOTHING_SHOWN)
        for radius in vehicle.wheel_radii)
    return Car(front, rear, make_governor(vehicle, step, gravity), _UNTOUCHED, (a, a, b, b))


def _wheels(rows: FloatArray, car: int, part: Part[Numbers]) -> FloatArray:
    """A view of a part of the wheels of a car, (wheels, numbers)."""
    own = rows[CAR_SIZE * car + WHEELS:CAR_SIZE * (car + 1)].reshape(-1, WHEEL_SIZE)
    return own[:, part.first - WHEELS:part.after - WHEELS]


def _tyre_maker(cars: Sequence[WorldCarSpec]) -> Callable[[TyrePair], Numbers] | None:
    makers = {None if car.tyres is None else car.tyres.contact_tyre() for car in cars}
    if len(makers) > 1:
        raise ConfigurationError('cars of one world have different tyres, expected one kind')
    maker, = makers
    return maker


def _places(model: MjModel, cars: Sequence[WorldCarSpec], cones: int) -> Places:
    mujoco = load_engine()

    def numbers(values: ArrayLike) -> IntArray:
        return np.array(values, dtype=np.int64)

    roots = [prefixed(car.name, car.bodies.root.name) for car in cars]
    loose = ['', *(cone_name(index) for index in range(cones))]
    joints = [prefixed(car.name, joint) for car in cars for joint in WHEEL_JOINTS]
    wheels = [prefixed(car.name, wheel.name) for car in cars for wheel in car.bodies.wheels]
    return Places(
        numbers([model.body(root).id for root in roots]),
        numbers([model.joint(root).qposadr[0] for root in roots]),
        numbers([model.joint(root).dofadr[0] for root in roots]),
        numbers([[model.sensor(touch_name(car.name, other)).adr[0] for other in loose]
                 for car in cars]),
        numbers([model.body(wheel).id for wheel in wheels]),
        numbers([model.geom(wheel).id for wheel in wheels]),
        numbers([mujoco.mj_name2id(model, mujoco.mjtObj.mjOBJ_PAIR, wheel) for wheel in wheels]),
        numbers([model.joint(joint).id for joint in joints]),
        numbers([model.joint(joint).dofadr[0] for joint in joints]),
        numbers([_carriers(model, model.body(wheel).id) for wheel in wheels]))


def _carriers(model: MjModel, wheel: int) -> list[tuple[int, int, int]]:
    """Joints from the body of a wheel up to the root of its car, for Places."""
    found, body = [], wheel
    while model.body_parentid[body] != 0:
        joint = int(model.body_jntadr[body])
        found.append((joint, int(model.jnt_dofadr[joint]), int(
            model.jnt_type[joint] == load_engine().mjtJoint.mjJNT_SLIDE)))
        body = model.body_parentid[body]
    return found + [(-1, -1, 0)] * (CARRIER_COUNT - len(found))


def _views(model: MjModel, data: MjData) -> Views:
    return Views(
        data.qpos, data.qvel, data.ctrl, data.xfrc_applied, data.qfrc_applied, data.cvel,
        data.subtree_com, data.xpos, data.xmat, data.xanchor, data.xaxis, data.geom_xpos,
        data.sensordata, model.dof_frictionloss, model.pair_friction)


def _paving(
    model: MjModel, cars: Sequence[WorldCarSpec], scene: Scene, places: Places,
) -> Paving:
    """Friction of the ground; model: as it was compiled."""
    spots = [spot for car in cars for spot in WheelSpots.of(car.vehicle).of_wheels]
    return Paving(scene.friction_rows, np.array(spots), model.geom_friction[places.geom, 0].copy())
