# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""Scene and cars in motion: the engine's state with the tyres', moved on by whole steps."""

from __future__ import annotations

from collections.abc import Sequence
import math
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from racecar.base.errors import ConfigurationError
from racecar.base.rows import flatten
from racecar.base.types import HINGE_JOINTS, Pose2, Pose3, WHEEL_JOINTS
from racecar.dynamics.vehicles.double_track_wheels import OVERSPEED_FACTOR
from racecar.dynamics.vehicles.parameters import GRAVITY, VehicleParameters
from racecar.dynamics.vehicles.tyre_sets import TyreSet
from racecar.scene.scene import EMPTY_SCENE, Scene
from racecar.simulation.world.car_axles import make_axles, make_governor
from racecar.simulation.world.car_bodies import CarBodies
from racecar.simulation.world.car_model import Gains, motor_name, prefixed, servo_name, touch_name
from racecar.simulation.world.engine import engine_steps, load_engine
from racecar.simulation.world.engine_state import EngineState, FreeBody
from racecar.simulation.world.scene_model import cone_name
from racecar.simulation.world.world_kernel import (
    BODY_SIZE,
    DRIVEN_SIZE,
    friction_kernels,
    GOVERNOR_SIZE,
    GOVERNS,
    Numbers,
    OVERSPEED,
    pack_axle,
    Places,
    QUIET,
    ROLLING,
    SHOWN_SIZE,
    SINCE,
    STATE_SIZE,
    tyre_kernels,
    Views,
    WANTED,
    WHEEL_COUNT,
    WorldKernels,
)
from racecar.simulation.world.world_model import CarPart, world_spec

_SETTLING = 1.0

# What of the present time is known besides the state.
_NOTHING, _MOTION, _FORCES = range(3)

FloatArray = NDArray[np.float64]


class WorldCarSpec(NamedTuple):
    """A car to be simulated.

    name: unique in the world; it may be empty. bodies: of its robot description. tyres: whose
    forces push the wheels; None leaves that to the friction of the engine. start: pose of
    base_link at the start; start_height: how far above where it rests [m].
    """

    name: str
    vehicle: VehicleParameters
    bodies: CarBodies
    gains: Gains
    tyres: TyreSet | None = None
    start: Pose2 = Pose2(0.0, 0.0, 0.0)
    start_height: float = 0.0


class CarPlaces(NamedTuple):
    """Where a car is in the arrays of the engine.

    body: with its joints in the order of joint_names(); servo: actuator of each wheel and hinge.
    """

    body: FreeBody
    servo: FloatArray


class WorldEngine(EngineState):
    """Model and state of a scene with cars; time and ports are for who owns this.

    numbers: what the kernel works on, rows for each wheel or car.
    """

    def __init__(
        self, scene: Scene, cars: Sequence[WorldCarSpec], step: float,
        gravity: tuple[float, float, float] = (0.0, 0.0, -GRAVITY),
    ) -> None:
        """Take the step [s], and the gravity in the frame of the world [m/s^2].

        Raises ConfigurationError if MuJoCo is not there, cars have different kinds of contact, or
        the step is too long for their tyres.
        """
        self.step = step
        self.kernels = _kernels_for(cars)
        super().__init__(
            world_spec(scene, [_part(car) for car in cars], step=step, gravity=gravity), scene)
        self._steps = engine_steps(self.model, self.data)
        self._scratch_steps = engine_steps(self.model, self.scratch)
        self.places = [self._places_of(car) for car in cars]
        self._all_places = _places(self.model, cars, len(scene.cones))
        self._views = _views(self.model, self.data)
        self._scratch_views = _views(self.model, self.scratch)
        wheels = len(cars) * WHEEL_COUNT
        axles = [axle for car in cars for axle in make_axles(car.vehicle, car.tyres, step)]
        self.numbers = Numbers(
            np.zeros((wheels, STATE_SIZE)), np.zeros((wheels, DRIVEN_SIZE)),
            np.zeros((wheels, SHOWN_SIZE)), np.zeros((len(cars), BODY_SIZE)),
            np.full((len(cars), 1 + len(scene.cones)), QUIET),
            np.array([number for axle in axles for number in pack_axle(axle)]),
            np.array([tuple(flatten(make_governor(car.vehicle, step, gravity)))
                      for car in cars]).ravel())
        for row, car in enumerate(cars):
            fastest = max(car.vehicle.speed_max, -car.vehicle.speed_min)
            driven = self.numbers.driven[WHEEL_COUNT * row:WHEEL_COUNT * (row + 1)]
            driven[:, OVERSPEED] = OVERSPEED_FACTOR * fastest / max(car.vehicle.wheel_radii)
            driven[:, ROLLING] = car.vehicle.rolling_resistance * np.repeat(
                car.vehicle.wheel_radii, 2)
        self._fresh = _NOTHING

    def advance(self, steps: int) -> bool:
        """Move on by whole steps; return False, with all as before, if that fails."""
        self._fresh = _NOTHING
        self.keep()
        numbers = self.numbers
        changing = numbers.state, numbers.bodies, numbers.since, numbers.shown
        before = [rows.copy() for rows in changing]
        if self.kernels.run(
                self._steps, self._views, self._all_places, numbers, self.step, steps):
            return True
        self.put_back()
        for rows, old in zip(changing, before, strict=True):
            rows[:] = old
        return False

    def warm_up(self) -> None:
        """Compile the kernels, or load them from the cache."""
        self.kernels.run(
            self._steps, self._views, self._all_places, self.numbers, self.step, 0)
        self.present()

    def place_car(self, car: int, pose: Pose3) -> None:
        """Put a car to a pose of its base_link, at rest, with nothing of what was before."""
        self._fresh = _NOTHING
        self.place(self.places[car].body, pose)
        wheels = slice(WHEEL_COUNT * car, WHEEL_COUNT * (car + 1))
        self.numbers.state[wheels] = 0.0
        self.numbers.shown[wheels] = 0.0
        self.numbers.bodies[car] = 0.0
        self.numbers.bodies[car, SINCE] = QUIET
        self.numbers.since[car] = QUIET
        for body in (self._all_places.root[car], *self._all_places.body[wheels]):
            self.data.xfrc_applied[body] = 0.0

    def place_loose(self) -> None:
        """Put all that can be knocked over back to where it was at first."""
        self._fresh = _NOTHING
        super().place_loose()

    def set_control(self, actuators: Any, values: Any) -> None:
        """Set the set-points of actuators."""
        self._fresh = _NOTHING
        self.data.ctrl[actuators] = values

    def govern(self, car: int, speed: float | None) -> None:
        """Let the speed controller of a car drive at a speed [m/s]; None: it does not drive."""
        self._fresh = _NOTHING
        first = GOVERNOR_SIZE * car
        self.numbers.governors[first + GOVERNS] = float(speed is not None)
        self.numbers.governors[first + WANTED] = speed or 0.0

    def present(self, *, forces: bool = False) -> Any:
        """Return the engine's data of the present time, derived quantities included.

        forces: also accelerations and the forces of contacts. The state itself stays; the result
        holds until the next step or change.
        """
        wanted = _FORCES if forces else _MOTION
        if self._fresh >= wanted:
            return self.scratch
        mujoco = load_engine()
        model, scratch, numbers = self.model, self.scratch, self.numbers
        if self._fresh < _MOTION:
            self.copy_to_scratch()
            self._shown = numbers._replace(
                state=numbers.state.copy(), shown=numbers.shown.copy())
            self.kernels.look(
                self._scratch_steps, self._scratch_views, self._all_places, self._shown,
                self.step)
        if forces:
            mujoco.mj_fwdActuation(model, scratch)
            mujoco.mj_fwdAcceleration(model, scratch)
            mujoco.mj_fwdConstraint(model, scratch)
        self._fresh = wanted
        return scratch

    def shown(self, car: int) -> FloatArray:
        """Return what the tyres of a car show at the present time, see world_kernel."""
        self.present()
        rows: FloatArray = self._shown.shown[WHEEL_COUNT * car:WHEEL_COUNT * (car + 1)]
        return rows

    def wheel_geoms(self, car: int) -> FloatArray:
        """Return the number of the geom of each wheel of a car."""
        geoms: FloatArray = self._all_places.geom[WHEEL_COUNT * car:WHEEL_COUNT * (car + 1)]
        return geoms

    def _places_of(self, car: WorldCarSpec) -> CarPlaces:
        driven = [prefixed(car.name, joint) for joint in (*WHEEL_JOINTS, *HINGE_JOINTS)]
        return CarPlaces(
            self.find_body(prefixed(car.name, car.bodies.root.name),
                           [prefixed(car.name, joint) for joint in joint_names(car.bodies)]),
            np.array([self.model.actuator(servo_name(name)).id for name in driven]))


def joint_names(bodies: CarBodies) -> tuple[str, ...]:
    """Return the names of the joints of a car: wheels, hinges, and suspension if it has one."""
    return (*WHEEL_JOINTS, *HINGE_JOINTS,
            *(body.joint.name for body in bodies.suspensions if body.joint is not None))


def rest_pose(car: WorldCarSpec, step: float) -> Pose3:
    """Return the pose of base_link of a car that has settled on the ground at the origin."""
    engine = WorldEngine(EMPTY_SCENE, [car], step)
    engine.advance(math.ceil(_SETTLING / step))
    pose = engine.pose(engine.places[0].body)
    # Upright cars stay where they are; what is left of the way there is no part of a pose.
    return pose._replace(x=0.0, y=0.0, qx=0.0, qz=0.0,
                         qw=math.sqrt(1.0 - pose.qy * pose.qy))


def _part(car: WorldCarSpec) -> CarPart:
    return CarPart(car.name, car.bodies, car.gains,
                   car.vehicle.friction_coefficient if car.tyres is None else None)


def _kernels_for(cars: Sequence[WorldCarSpec]) -> WorldKernels:
    makers = {None if car.tyres is None else car.tyres.contact_tyre() for car in cars}
    if len(makers) > 1:
        raise ConfigurationError('cars of one world have different tyres, expected one kind')
    make, = makers
    return friction_kernels() if make is None else tyre_kernels(make)


def _places(model: Any, cars: Sequence[WorldCarSpec], cones: int) -> Places:
    def numbers(values: list[Any]) -> Any:
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
        numbers([model.joint(joint).id for joint in joints]),
        numbers([model.joint(joint).dofadr[0] for joint in joints]),
        numbers([model.actuator(motor_name(joint)).id for joint in joints]))


def _views(model: Any, data: Any) -> Views:
    return Views(
        data.qpos, data.qvel, data.ctrl, data.xfrc_applied, data.cvel, data.subtree_com,
        data.xipos, data.xaxis, data.geom_xpos, data.sensordata, model.dof_frictionloss)
