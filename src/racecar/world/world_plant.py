# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""The 3-D world as a plant: scene and cars behind ports."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
import math
from typing import NamedTuple

from racecar.base.errors import ConfigurationError, DivergenceError
from racecar.base.frames import BASE_LINK, COG
from racecar.base.readings import Collisions
from racecar.base.types import (
    AckermannCommand,
    BodyState,
    JointSetpoint,
    JointStates,
    NANOSECONDS,
    Pose3,
    quaternion_to_yaw,
    VehicleDiagnostics,
    WheelCommand,
    Wheels,
    WheelStates,
)
from racecar.control.servo_commands import SERVO_NAMES, ServoCommands
from racecar.description.vehicle_description import describe_vehicle
from racecar.dynamics.vehicles.parameters import GRAVITY
from racecar.scene.scene import Box, Scene
from racecar.scene.seen_by_each import SeenByEach
from racecar.simulation.lamp_board import LampBoard
from racecar.simulation.ports import (
    COLLISIONS,
    DEFAULT_STEP,
    Entity,
    Input,
    Mount,
    ODOMETRY,
    Output,
    period_steps,
    Scenery,
    SensorPlatform,
    unless_retired,
    whole_nanoseconds,
)
from racecar.simulation.several_robots import advance_without_lost
from racecar.simulation.vehicle_plant import bounds_of_vehicle
from racecar.world.world_car import WorldCar
from racecar.world.world_engine import rest_pose, WorldCarSpec, WorldEngine
from racecar.world.world_parameters import (
    ACKERMANN,
    DIFFERENTIAL,
    SERVOS,
    WHEEL_CONTROLLERS,
    WHEEL_TORQUES,
)


class WorldRates(NamedTuple):
    """Frequencies of the outputs of a car [Hz]."""

    odometry: float = 20.0
    joints: float = 50.0
    wheels: float = 100.0
    diagnostics: float = 100.0


_RATES = WorldRates()


class DrivenCar(NamedTuple):
    """A car and how it is driven: see COMMAND_INTERFACES in the parameters of the world.

    wheel_drive: one of WHEEL_DRIVES there.
    """

    car: WorldCarSpec
    servo: ServoCommands
    interface: str = ACKERMANN
    wheel_drive: str = DIFFERENTIAL

    @property
    def has_wheel_servos(self) -> bool:
        """Whether its wheels may be driven by controllers of their rotation."""
        return self.interface != ACKERMANN or self.wheel_drive == SERVOS


class WorldPlant:
    """Cars in a scene.

    Inputs of each: drive (AckermannCommand); with interface wheel_torques also wheels
    (WheelCommand); with wheel_controllers, in their place, a JointSetpoint for each joint; always
    lamps (LampSwitches). Outputs: diagnostics (VehicleDiagnostics), joints (JointStates), wheels
    (WheelStates), lamps (LampMarkers), collisions (Collisions, where there is something to run
    into), odometry (BodyState).

    scene, cars: as given.
    """

    def __init__(
        self, scene: Scene, cars: Sequence[DrivenCar], *, step: float = DEFAULT_STEP,
        rates: WorldRates = _RATES,
        gravity: tuple[float, float, float] = (0.0, 0.0, -GRAVITY),
    ) -> None:
        """Put cars into a scene; step [s], gravity in the frame of the world [m/s^2].

        scene: ground, walls and what stands around; cars: how each is made and driven, the first
        is car 0; rates: at which outputs come [Hz].

        Raises ConfigurationError for rates that the step does not give, names that stand twice,
        and what WorldEngine does not take.
        """
        names = [driven.car.name for driven in cars]
        if len(set(names)) < len(names) or not names:
            raise ConfigurationError(
                f'cars of the world are named {names}, expected at least one, each with a name of'
                ' its own')
        self.step_ns = whole_nanoseconds('step', step)
        self._done = 0
        # Cars that were put to their start since the time went on.
        self._at_start: set[int] = set()
        self.cars = tuple(
            driven._replace(car=driven.car._replace(has_wheel_servos=driven.has_wheel_servos))
            for driven in cars)
        seconds = self.step_ns / NANOSECONDS
        self._engine = WorldEngine(scene, [driven.car for driven in self.cars], seconds, gravity)
        # Equal cars rest alike.
        rest = {id(driven.car.bodies): driven.car for driven in self.cars}
        poses = {key: rest_pose(car, seconds) for key, car in rest.items()}
        self._cars = [
            WorldCar(self._engine, index, driven.car, driven.servo, poses[id(driven.car.bodies)],
                     SERVOS if driven.interface == WHEEL_CONTROLLERS else driven.wheel_drive)
            for index, driven in enumerate(self.cars)]
        self._seen = SeenByEach(lambda: (self._engine.loose_objects(), [
            [_body_box(driven.car, car.body_state().pose)]
            for driven, car in zip(self.cars, self._cars, strict=True)]))
        self._periods = WorldRates(*(
            period_steps(f'rate of {name}', rate, self.step_ns)
            for name, rate in zip(rates._fields, rates, strict=True)))
        self._boards = [
            LampBoard(partial(describe_vehicle, driven.car.vehicle), lambda: self.time_ns)
            for driven in cars]
        self._show()

    @property
    def scene(self) -> Scene:
        """What stands around the cars."""
        return self._engine.scene

    @property
    def scenery(self) -> Scenery:
        """What stands around the cars, which can be replaced."""
        return Scenery(lambda: self.scene, self._surround, self._engine.loose_states)

    def _surround(self, scene: Scene) -> None:
        self._engine.change_scene(scene)
        self._engine.show_moving(self.time_ns)
        self._show()

    def _show(self) -> None:
        """Show the cars with what the scene asks for."""
        self._seen.forget()
        self._entities = tuple(
            self._entity(index, driven, self._periods) for index, driven in enumerate(self.cars))

    def restart(self) -> None:
        """Let the time begin at 0 again; the cars stay."""
        self._done = 0
        self._seen.forget()
        self._engine.show_moving(0)

    @property
    def time_ns(self) -> int:
        """Simulated time since the start [ns]."""
        return self._done * self.step_ns

    @property
    def entities(self) -> Sequence[Entity]:
        """The cars."""
        return self._entities

    @property
    def engine(self) -> WorldEngine:
        """Model and state, for who draws or measures them; nobody else is to move them."""
        return self._engine

    def warm_up(self) -> None:
        """Compile all that a step and the outputs call."""
        self._engine.warm_up()

    def command_wheels(self, car: int, command: WheelCommand, forced: Wheels) -> None:
        """Drive a car as its input `wheels` does, but for those forced to a speed.

        forced: 1 for a wheel whose number in `drive` is its speed [rad/s]. Raises ParameterError
        as that input.
        """
        self._cars[car].set_wheel_command(command, forced)

    def advance(self, steps: int) -> None:
        """Move on by whole steps.

        Of several cars one whose motion cannot be computed stands from then on, with that as its
        fault, until it is reset, and the others go on. Raises DivergenceError if a velocity is not
        finite or beyond all reason where there is one car, where one that stands does not, and
        where it cannot be told which car it is; state and time then stay those before the call.
        """
        self._seen.forget()
        advance_without_lost(
            partial(self._move, steps), partial(self._find_lost, steps), self._retire)
        self._done += steps
        self._at_start.clear()

    def _move(self, steps: int) -> None:
        if not self._engine.advance(steps, self.time_ns):
            raise self._divergence(steps)

    def _find_lost(self, steps: int) -> list[WorldCar]:
        if len(self._cars) == 1:
            return []
        return [self._cars[index] for index in self._engine.lost_cars(steps, self.time_ns)]

    def _retire(self, car: WorldCar, _: DivergenceError) -> None:
        car.retire(
            f'the car stands still from {self.time_ns / NANOSECONDS:.6g} s on: the 3-D world left'
            f' the velocities that can be; last good state {car.body_state()} under'
            f' {car.command}: reset it; a shorter step or tyres that are less stiff may help')

    def _divergence(self, steps: int) -> DivergenceError:
        start = self.time_ns / NANOSECONDS
        cars = '; '.join(f'{car.body_state()} under {car.command}' for car in self._cars)
        return DivergenceError(
            f'the 3-D world left the velocities that can be between {start:.6g} s and'
            f' {start + steps * self.step_ns / NANOSECONDS:.6g} s; last good state {cars}.'
            ' Reset the cars; a shorter step or tyres that are less stiff may help')

    def _reset(self, index: int, pose: Pose3 | None) -> Pose3:
        """Reset a car; once all of them are at their start, what was knocked over stands again.

        One of several cars that returns to its start leaves the cones to the others.
        """
        self._seen.forget()
        placed = self._cars[index].reset(pose)
        if pose is None:
            self._at_start.add(index)
            if len(self._at_start) == len(self._cars):
                self._engine.place_loose()
        else:
            self._at_start.discard(index)
        return placed

    def _entity(self, index: int, driven: DrivenCar, periods: WorldRates) -> Entity:
        car, vehicle = self._cars[index], driven.car.vehicle
        drive = Input('drive', AckermannCommand, car.set_command)
        torques = Input('wheels', WheelCommand, car.set_wheel_command)
        inputs = {
            ACKERMANN: (drive,), WHEEL_TORQUES: (drive, torques),
            WHEEL_CONTROLLERS: tuple(
                Input(name, JointSetpoint, partial(car.set_joint, joint))
                for joint, name in enumerate(SERVO_NAMES)),
        }
        collisions = (Output(COLLISIONS, Collisions, car.collisions,
                             int(periods.diagnostics), BASE_LINK),)
        cog = Pose3(-vehicle.odometry_offset, 0.0, vehicle.cog_height, 0.0, 0.0, 0.0, 1.0)
        describe, board = partial(describe_vehicle, vehicle), self._boards[index]
        can_collide = not self.scene.is_empty or len(self.cars) > 1
        has_moving = bool(self.scene.cones) or len(self.cars) > 1
        return Entity(
            name=driven.car.name, inputs=(
                *(unless_retired(port, lambda: car.failure) for port in inputs[driven.interface]),
                board.input),
            outputs=(
                Output('diagnostics', VehicleDiagnostics, car.diagnostics,
                       int(periods.diagnostics), COG),
                Output('joints', JointStates, car.joints, int(periods.joints)),
                Output('wheels', WheelStates, car.wheels, int(periods.wheels)),
                board.output(int(periods.joints)),
                *(collisions if can_collide else ()),
                Output(ODOMETRY, BodyState, car.body_state, int(periods.odometry), BASE_LINK)),
            reset=partial(self._reset, index), halt=car.halt, mounts=(Mount(BASE_LINK, COG, cog),),
            platform=SensorPlatform(
                BASE_LINK, car.body_state, car.acceleration,
                partial(self._seen.of, index) if has_moving else None,
                self._engine.loose_poses if self.scene.cones else None, car.wheel_reading,
                partial(self._seen.among, index) if len(self._cars) > 1 else None),
            describe=describe, fault=lambda: car.fault, retired=lambda: car.failure,
            notice=lambda: car.notice, lamps=board.lit, bounds=bounds_of_vehicle(vehicle),
            push=car.push)


def _body_box(car: WorldCarSpec, pose: Pose3) -> Box:
    """Return the box about the biggest shape of a car's body."""
    length, width, height, ahead = car.bodies.outline
    yaw = quaternion_to_yaw(*pose[3:])
    return Box(pose.x + ahead * math.cos(yaw), pose.y + ahead * math.sin(yaw), yaw, length, width,
               pose.z + height)
