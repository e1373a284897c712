# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""Several differential-drive robots as one plant, in the plane or in the 3-D world."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Protocol, TYPE_CHECKING
import zlib

import numpy as np

from racecar.base.errors import DivergenceError
from racecar.base.types import NANOSECONDS, Odometry, Pose3
from racecar.base.values import integer_of, number_of, text_of, Values
from racecar.differential.motion import PlanarMotion, WORLD
from racecar.differential.parameters import RobotParameters
from racecar.differential.plant import make_robot_plant, RobotPlant, start_height
from racecar.scene.scene import Scene
from racecar.scene.seen_by_each import SeenByEach
from racecar.scene.world_choice import scene_of
from racecar.simulation.contact import Contact
from racecar.simulation.fleet_file import CarValues
from racecar.simulation.obstacles import Outline
from racecar.simulation.planar_fleet import Cover, FleetRobot, PlanarFleet
from racecar.simulation.ports import Entity, Plant, unless_retired
from racecar.simulation.several_robots import (
    advance_without_lost,
    SeveralRobots,
)

if TYPE_CHECKING:
    from racecar.differential.world_motion import WorldMotion


def seed_of_robot(seed: int, name: str) -> int:
    """Seed of the noise of one of several robots, whose seeds are the same but for their names."""
    mixed = np.random.SeedSequence((seed, zlib.crc32(name.encode())))
    # As large as the parameter may be.
    return int(mixed.generate_state(1)[0]) >> 1


def cover_of(robot: RobotParameters) -> Cover:
    """What a robot covers."""
    return Cover(Outline.of(robot.footprint), robot.height, robot.body_radius)


class PlanarRobotFleet(PlanarFleet):
    """Robots of the modes kinematics and physics.

    One that runs into another one is blocked as by an obstacle.

    robots: each as a plant, by their names.
    """

    def __init__(self, motions: Mapping[str, PlanarMotion], rate: float = 100.0) -> None:
        """Take over motions of one scene, step and time, and the rate of all outputs [Hz].

        Raises ConfigurationError as PlanarFleet and RobotPlant do.
        """
        self.robots = {name: RobotPlant(motion, rate) for name, motion in motions.items()}
        super().__init__(
            [FleetRobot(name, motion, self.robots[name], cover_of(motion.robot))
             for name, motion in motions.items()],
            *(Contact().look_steps(motion.step_ns) for motion in [*motions.values()][:1]))


class WorldRobotFleet(SeveralRobots):
    """Robots of the mode world, in one model of the physics engine.

    robots: each as a plant, by their names.
    """

    def __init__(
        self, cars: Sequence[CarValues], scene: Scene, step: float, rate: float,
    ) -> None:
        """Take resolved values of each robot; step [s], rate of all outputs [Hz].

        Raises ParameterError or ConfigurationError for what cannot be simulated.
        """
        # Imports an engine that only this needs.
        from racecar.differential.world_motion import (
            advance_together,
            lost_robots,
            RobotEngine,
            WorldMotion,
        )

        made = {car.name: RobotParameters.from_values(car.values) for car in cars}
        engine = RobotEngine(made, scene, step)
        self._motions = motions = [WorldMotion(
            made[car.name], step=step, pose=car.start_in(scene),
            seed=seed_of_robot(integer_of(car.values, 'noise_seed'), car.name),
            height=start_height(car.values), name=car.name, engine=engine) for car in cars]
        self.robots = {motion.name: RobotPlant(motion, rate) for motion in motions}
        self._move = partial(advance_together, motions)
        self._find_lost = partial(lost_robots, motions)
        covers = [cover_of(motion.robot) for motion in motions]
        # Robots stand upright as boxes.
        super().__init__(
            motions[0], [*self.robots.values()], SeenByEach(lambda: (engine.loose_objects(), [
                cover.boxes(Odometry.of_body(self.time_ns, motion.body_state()))
                for cover, motion in zip(covers, motions, strict=True)])),
            self._entity, motions[0].loose)

    def _entity(self, index: int) -> Entity:
        motion = self._motions[index]

        def why_retired() -> str:
            return motion.failure

        def reset(pose: Pose3 | None) -> Pose3:
            self.seen.forget()
            return entity.reset(pose)

        entity, = self.robots[motion.name].entities
        assert entity.platform is not None
        return replace(
            entity, name=motion.name, retired=why_retired, reset=reset,
            inputs=tuple(unless_retired(port, why_retired) for port in entity.inputs),
            platform=replace(entity.platform, objects=partial(self.seen.of, index),
                             among=partial(self.seen.among, index)))

    def warm_up(self) -> None:
        """Do nothing: the engine is compiled."""

    def advance(self, steps: int) -> None:
        """Move on by whole steps.

        A robot whose motion cannot be computed stands from then on, with that as its fault, until
        it is reset; the others go on. Raises DivergenceError where one that stands has none, and
        where it cannot be told which robot it is; state and time are then as before.
        """
        self.seen.forget()
        advance_without_lost(
            partial(self._move, steps), partial(self._find_lost, steps), self._retire)

    def _retire(self, motion: WorldMotion, error: DivergenceError) -> None:
        motion.retire(
            f'the robot stands still from {self.time_ns / NANOSECONDS:.6g} s on: {error}')


class RobotsPlant(Plant, Protocol):
    """A plant of differential-drive robots; robots: by name, '' is that of a single one."""

    @property
    def robots(self) -> Mapping[str, RobotPlant]:
        """See the class."""


def make_robots_plant(cars: Sequence[CarValues]) -> RobotsPlant:
    """One robot, or several with names, of what values_of_cars() gives for its simulator.

    Raises ParameterError or ConfigurationError for what cannot be simulated, ConfigurationError if
    mode is world and MuJoCo is not there.
    """
    first: Values = cars[0].values
    if [car.name for car in cars] == ['']:
        return make_robot_plant(first)
    scene, step, rate = scene_of(first), number_of(first, 'step'), number_of(first, 'rate')
    mode = text_of(first, 'mode')
    if mode == WORLD:
        return WorldRobotFleet(cars, scene, step, rate)
    for car in cars:
        start_height(car.values)
    return PlanarRobotFleet({car.name: PlanarMotion(
        RobotParameters.from_values(car.values), mode, step=step, scene=scene,
        pose=car.start_in(scene),
        seed=seed_of_robot(integer_of(car.values, 'noise_seed'), car.name))
        for car in cars}, rate)
