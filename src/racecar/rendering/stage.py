# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""The robots of a plant in their scene as what cameras look at."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import cast

from racecar.base.types import JointStates, Lamps, Pose3
from racecar.rendering.drawing_process import DrawingProcess
from racecar.rendering.lens import Lens
from racecar.rendering.renderer import Depths, Pixels
from racecar.rendering.sight import (
    DrawnRobot,
    moving_poses,
    Quality,
    RobotSight,
    Sight,
    standing_cones,
)
from racecar.scene.scene import Scene
from racecar.simulation.ports import Entity, SensorPlatform


class _Actor:
    """A robot of the plant that is drawn."""

    def __init__(self, entity: Entity, platform: SensorPlatform) -> None:
        assert entity.describe is not None
        joints = [output.read for output in entity.outputs if output.value_type is JointStates]
        self._joints = cast(Callable[[], JointStates], joints[0]) if joints else None
        names = self._joints().names if self._joints else ()
        self.drawn = DrawnRobot(entity.describe().tree, names)
        self._state = platform.state
        self._lamps = entity.lamps or Lamps

    def sight(self) -> RobotSight:
        positions = self._joints().positions if self._joints else ()
        return RobotSight(self._state().pose, tuple(positions), self._lamps())


class Stage:
    """Takes pictures of a plant; the process that draws them starts with the first.

    Robots that nobody can describe are not on them.
    """

    def __init__(
        self, scene: Scene, entities: Sequence[Entity], time_ns: Callable[[], int],
    ) -> None:
        """entities: all robots of the plant; time_ns: gives its time [ns]."""
        self._scene, self._time_ns = scene, time_ns
        self._entities = tuple(entities)
        self._actors: tuple[_Actor, ...] = ()
        self._cones: Callable[[], Sequence[Pose3]] = partial(standing_cones, scene)
        self._process: DrawingProcess | None = None
        self._size = (0, 0)

    def picture(self, viewpoint: Pose3, lens: Lens) -> Callable[[], Pixels]:
        """Note where everything is now; the result draws it, later and in any thread.

        viewpoint: of a camera that looks along its x axis, z up. Raises ConfigurationError if
        there is no OpenGL, or a robot cannot be described; the result raises RenderingError.
        """
        process = self._started(lens)
        return partial(process.draw, self._sight(), viewpoint, lens)

    def depths(self, viewpoint: Pose3, lens: Lens) -> Callable[[], Depths]:
        """Do as picture() for the depths on it."""
        process = self._started(lens)
        return partial(process.measure, self._sight(), viewpoint, lens)

    def close(self) -> None:
        """End the process that draws, until the next picture."""
        if self._process is not None:
            self._process.close()
            self._process = None

    def _sight(self) -> Sight:
        return Sight([actor.sight() for actor in self._actors], self._cones(),
                     moving=moving_poses(self._scene, self._time_ns()))

    def _started(self, lens: Lens) -> DrawingProcess:
        width, height = self._size
        if self._process is None or lens.width > width or lens.height > height:
            if self._process is None:
                self._find_actors()
            else:
                self._process.close()
            self._size = max(width, lens.width), max(height, lens.height)
            self._process = DrawingProcess(
                self._scene, [actor.drawn for actor in self._actors], Quality(*self._size))
        return self._process

    def _find_actors(self) -> None:
        carried = [(entity, entity.platform) for entity in self._entities
                   if entity.platform is not None and entity.describe is not None]
        self._actors = tuple(_Actor(entity, platform) for entity, platform in carried)
        for _, platform in carried:
            if platform.cones is not None:
                self._cones = platform.cones
