# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""What a picture shows: which robots there are, and where everything is at an instant."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from racecar.base.poses import pose_of_angles
from racecar.base.types import Lamps, Pose3
from racecar.description.robot_tree import RobotTree
from racecar.scene.scene import Colour, Scene


class Quality(NamedTuple):
    """What makes pictures nicer and slower.

    width, height: the largest picture [pixels]. samples: per pixel, 0 for hard edges. shadow_size:
    edge of the picture of depths for shadows [pixels], 0 for no shadows.
    """

    width: int
    height: int
    samples: int = 0
    shadow_size: int = 0


class DrawnRobot(NamedTuple):
    """A robot that can be drawn; joints: names of those whose positions are known."""

    tree: RobotTree
    joints: tuple[str, ...] = ()


class RobotSight(NamedTuple):
    """A robot: pose of its root in the scene, positions of the joints [rad or m], lit lamps."""

    pose: Pose3
    positions: tuple[float, ...] = ()
    lamps: Lamps = Lamps()


class Line(NamedTuple):
    """A strip through points (n, 3) on the ground [m]; colour; half its width [m]."""

    points: NDArray[np.float64]
    colour: Colour
    radius: float


class Dots(NamedTuple):
    """Round points (n, 3) [m]; colour; diameter [m]."""

    points: NDArray[np.float64]
    colour: Colour
    edge: float


class Sight(NamedTuple):
    """Where everything is that moves.

    robots: in the order in which they were given to the renderer. cones: poses of those of the
    scene, in their order. lines, dots: what is drawn into the picture. moving: poses of the things
    of the scene that move, in their order.
    """

    robots: Sequence[RobotSight] = ()
    cones: Sequence[Pose3] = ()
    lines: Sequence[Line] = ()
    dots: Sequence[Dots] = ()
    moving: Sequence[Pose3] = ()


def standing_cones(scene: Scene) -> tuple[Pose3, ...]:
    """Poses of the cones where the scene has them."""
    return tuple(pose_of_angles(cone.x, cone.y, 0.0, 0.0, 0.0, 0.0) for cone in scene.cones)


def moving_poses(scene: Scene, time_ns: int) -> tuple[Pose3, ...]:
    """Poses of the things that move at a simulated time [ns]."""
    places = [thing.motion.at(time_ns) for thing in scene.moving]
    return tuple(pose_of_angles(at.x, at.y, 0.0, 0.0, 0.0, at.yaw) for at in places)
