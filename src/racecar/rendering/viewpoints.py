# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""From where pictures are taken: poses of a camera that looks along its x axis, z up."""

from __future__ import annotations

from collections.abc import Callable
import math

import numpy as np

from racecar.base.columns import Array
from racecar.base.errors import ConfigurationError
from racecar.base.poses import pose_of_angles, pose_of_child, rotated, Vector3
from racecar.base.types import Pose3, quaternion_to_yaw
from racecar.description.robot_tree import RobotTree
from racecar.rendering.lens import Lens, LENS_OF_OPTICAL
from racecar.scene.scene import Scene

Viewpoint = Callable[[Pose3, float], Pose3]
"""Of the pose of the robot and the share of the time that is over, 0 to 1."""

Bounds = tuple[float, float, float, float]
"""Least x and y, largest x and y [m]."""

CAMERA_FRAME = 'camera_optical_frame'

# Of a car of this length [m]; larger ones are seen from further away.
_USUAL_LENGTH = 0.5
_BEHIND, _ABOVE, _AIM_AHEAD = 1.5, 0.75, 0.35
_AIM_ABOVE = 0.08
_ROUND_DISTANCE, _ROUND_HEIGHT = 1.15, 0.55

# Around what is seen from above, as a share of it, and at least [m].
_MARGIN, _LEAST_MARGIN = 0.04, 0.5


def looking_at(place: Vector3, target: Vector3) -> Pose3:
    """Pose of a camera at a place that looks at a target [m]."""
    x, y, z = (b - a for a, b in zip(place, target, strict=True))
    # From straight above, the picture's top is to +y.
    yaw = math.atan2(y, x) if math.hypot(x, y) > 1e-9 else 0.5 * math.pi
    return pose_of_angles(*place, 0.0, math.atan2(-z, math.hypot(x, y)), yaw)


def framing(points: Array, direction: Vector3, lens: Lens, share: float) -> Pose3:
    """Pose of the nearest camera that has all points within a share of its picture.

    points: (n, 3) [m]; direction: in which it looks, not straight up or down. The points reach
    the edge of that part of the picture at two opposite sides, and are centred between the others.
    """
    level = math.hypot(direction[0], direction[1])
    yaw, pitch = math.atan2(direction[1], direction[0]), math.atan2(-direction[2], level)
    turned = pose_of_angles(0.0, 0.0, 0.0, 0.0, pitch, yaw)
    axes = np.array([rotated(turned[3:], axis) for axis in (
        (1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0))])
    depth, left, up = axes @ points.T
    places, depths = [], []
    for across, size in ((left, lens.width), (up, lens.height)):
        # Of a ray to the edge, over its depth: a point is inside if it is not beyond on any side.
        slope = share * 0.5 * size / lens.focal_length
        high, low = (across - slope * depth).max(), (-across - slope * depth).max()
        places.append(0.5 * (high - low))
        depths.append(-0.5 * (high + low) / slope)
    x, y, z = map(float, np.array([min(depths), *places]) @ axes)
    return turned._replace(x=x, y=y, z=z)


def chase(length: float) -> Viewpoint:
    """Viewpoint behind and above a robot of a length [m], which turns with it."""
    size = length / _USUAL_LENGTH

    def viewpoint(robot: Pose3, _: float) -> Pose3:
        return _beside(robot, math.pi, _BEHIND * size, _ABOVE * size, _AIM_AHEAD * size,
                       _AIM_ABOVE * size)
    return viewpoint


def around(length: float) -> Viewpoint:
    """Viewpoint that goes once around a robot of a length [m], from its front left."""
    size = length / _USUAL_LENGTH

    def viewpoint(robot: Pose3, share: float) -> Pose3:
        return _beside(robot, 0.7 + 2.0 * math.pi * share, _ROUND_DISTANCE * size,
                       _ROUND_HEIGHT * size, 0.3 * size, _AIM_ABOVE * size)
    return viewpoint


def _beside(
    robot: Pose3, angle: float, distance: float, height: float, ahead: float, rise: float,
) -> Pose3:
    """Look at a point ahead of and above a robot, from a direction against its own [rad].

    distance, height of the place; ahead, rise of the point [m].
    """
    yaw = quaternion_to_yaw(*robot[3:])
    target = (robot.x + ahead * math.cos(yaw), robot.y + ahead * math.sin(yaw), robot.z + rise)
    return looking_at(
        (target[0] + distance * math.cos(yaw + angle),
         target[1] + distance * math.sin(yaw + angle), robot.z + height), target)


def height_above(bounds: Bounds, field_of_view: float, aspect: float) -> float:
    """How high a camera must be that sees all of a rectangle [m].

    field_of_view: across the picture [rad]; aspect: its width over its height.
    """
    low_x, low_y, high_x, high_y = bounds
    margin = max(_LEAST_MARGIN, _MARGIN * max(high_x - low_x, high_y - low_y))
    width = max(high_x - low_x + 2.0 * margin, aspect * (high_y - low_y + 2.0 * margin))
    return 0.5 * width / math.tan(0.5 * field_of_view)


def top(bounds: Bounds, height: float) -> Viewpoint:
    """Viewpoint so high above the middle of a rectangle [m], +y at the top."""
    x, y = 0.5 * (bounds[0] + bounds[2]), 0.5 * (bounds[1] + bounds[3])
    pose = looking_at((x, y, height), (x, y, 0.0))
    return lambda robot, share: pose


def fixed(place: Vector3, target: Vector3) -> Viewpoint:
    """Viewpoint that stays. Raises ConfigurationError if target is place."""
    if math.dist(place, target) < 1e-6:
        raise ConfigurationError(
            f'the camera stands at {place} and is to look there, expected two different points')
    pose = looking_at(place, target)
    return lambda robot, share: pose


def onboard(tree: RobotTree) -> Viewpoint:
    """Viewpoint of the camera of a robot.

    Raises ConfigurationError if it has none.
    """
    tree.link(CAMERA_FRAME)
    lens = pose_of_child(tree.poses()[CAMERA_FRAME], LENS_OF_OPTICAL)
    return lambda robot, share: pose_of_child(robot, lens)


def scene_bounds(scene: Scene) -> Bounds | None:
    """Rectangle around what stands in a scene; None if nothing does."""
    points: list[tuple[float, float]] = []
    for wall in scene.surfaces:
        points += [(wall.x1, wall.y1), (wall.x2, wall.y2)]
    points += [(cone.x, cone.y) for cone in scene.cones]
    points += [leg.begin[:2] for thing in scene.moving for leg in thing.motion.legs]
    for box in scene.grid_boxes:
        points += [(side.x1, side.y1) for side in box.sides]
    if not points:
        return None
    xs, ys = zip(*points, strict=True)
    return min(xs), min(ys), max(xs), max(ys)


def joined(first: Bounds, second: Bounds | None) -> Bounds:
    """Rectangle around both."""
    if second is None:
        return first
    return (min(first[0], second[0]), min(first[1], second[1]), max(first[2], second[2]),
            max(first[3], second[3]))
