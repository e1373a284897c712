# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""Pictures that cars of environments see, drawn as those of the camera of a simulator.

They are drawn without the car that looks at them, one after the other in each process, so this is
by far the slowest part of an observation.
"""

from __future__ import annotations

from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
import os
from typing import Annotated, NamedTuple

import numpy as np
from numpy.typing import NDArray

from racecar.analysis.robot_profile import car_profile
from racecar.base.parameter_fields import Row, table_of, with_plain_signature
from racecar.base.poses import pose_of_angles, pose_of_child
from racecar.base.types import Pose3
from racecar.dynamics.vehicles.parameters import VehicleParameters
from racecar.rendering.drawing_process import DrawingTeam
from racecar.rendering.lens import Lens
from racecar.rendering.sight import (
    DrawnRobot,
    moving_poses,
    Quality,
    RobotSight,
    Sight,
    standing_cones,
)
from racecar.scene.motions import MotionState
from racecar.scene.scene import Scene

Pictures = NDArray[np.uint8]

CAMERA = 'camera'
"""Name of the part of an observation."""

_NEAR, _FAR = 0.02, 100.0  # [m]
_AWAY = pose_of_angles(0.0, 0.0, -1000.0, 0.0, 0.0, 0.0)
"""Where the car is drawn that looks."""


@with_plain_signature
class CameraSettings(NamedTuple):
    """The camera of an observation."""

    width: Annotated[int, Row('Width of a picture in pixels', minimum=8, maximum=1024)] = 64
    height: Annotated[int, Row('Height of a picture in pixels', minimum=8, maximum=1024)] = 48
    field_of_view: Annotated[float, Row(
        'Angle between the left and the right edge of a picture', 'rad', minimum=0.01,
        maximum=3.0)] = 1.5
    ahead: Annotated[float, Row(
        'Position of the camera ahead of base_link', 'm', minimum=-100.0, maximum=100.0)] = 0.3
    above: Annotated[float, Row(
        'Position of the camera above the ground', 'm', above=0.0, maximum=100.0)] = 0.2
    down: Annotated[float, Row(
        'Angle by which the camera looks down', 'rad', minimum=-1.5, maximum=1.5)] = 0.15


CAMERA_PARAMETERS = table_of(CameraSettings, 'camera.')


class Cameras:
    """Cameras of all cars of worlds with one vehicle; processes that draw start at the first look.

    They end with close() and with this program.
    """

    def __init__(
        self, settings: CameraSettings, scenes: Sequence[Scene], vehicle: VehicleParameters,
        cars: int,
    ) -> None:
        """cars: in each world."""
        self._lens = Lens(settings.width, settings.height, settings.field_of_view, _NEAR, _FAR)
        self._mount = pose_of_angles(
            settings.ahead, 0.0, settings.above, 0.0, settings.down, 0.0)
        self._scenes, self._vehicle, self._cars = scenes, vehicle, cars
        self._teams: dict[int, DrawingTeam] = {}
        self._size = len(os.sched_getaffinity(0))
        self._pool = ThreadPoolExecutor(self._size)

    def pictures(
        self, poses: NDArray[np.float64], scenes: Sequence[int], car: int = 0,
        moving: Sequence[Sequence[MotionState]] | None = None,
    ) -> Pictures:
        """Pictures of a car in each of some worlds, (worlds, height, width, 3).

        poses: x, y [m], yaw [rad] of base_link, (worlds, cars, 3); scenes: number of each world's
        scene; moving: where the things that move are in each world, by default where they begin.
        Raises ConfigurationError where pictures cannot be drawn, and RenderingError.
        """
        shape = len(poses), self._lens.height, self._lens.width, 3
        found = np.empty(shape, np.uint8)

        def draw(k: int) -> None:
            found[k] = self._team(scenes[k]).draw(*self._view(
                poses[k], scenes[k], car, None if moving is None else moving[k]))

        for number in sorted(set(scenes)):
            self._team(number)
        for _ in self._pool.map(draw, range(len(poses))):
            pass
        return found

    def close(self) -> None:
        """End the processes, until the next look."""
        while self._teams:
            self._teams.popitem()[1].close()

    def _team(self, number: int) -> DrawingTeam:
        if number not in self._teams:
            tree = car_profile(self._vehicle).describe()
            self._teams[number] = DrawingTeam(
                self._scenes[number], [DrawnRobot(tree)] * self._cars,
                Quality(self._lens.width, self._lens.height),
                size=max(self._size // len(self._scenes), 1))
        return self._teams[number]

    def _view(
        self, poses: NDArray[np.float64], scene: int, car: int,
        moving: Sequence[MotionState] | None,
    ) -> tuple[Sight, Pose3, Lens]:
        places = [pose_of_angles(x, y, 0.0, 0.0, 0.0, yaw) for x, y, yaw in poses.tolist()]
        robots = [RobotSight(_AWAY if k == car else place) for k, place in enumerate(places)]
        things = moving_poses(self._scenes[scene], 0) if moving is None else tuple(
            pose_of_angles(at.x, at.y, 0.0, 0.0, 0.0, at.yaw) for at in moving)
        return (Sight(robots, standing_cones(self._scenes[scene]), moving=things),
                pose_of_child(places[car], self._mount), self._lens)
