# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""Messages of simulation_interfaces from what entities are, and filters from messages."""

from __future__ import annotations

from collections.abc import Callable, Sequence
import itertools

from geometry_msgs.msg import Pose, Vector3
import numpy as np
from simulation_interfaces.msg import (
    Bounds as BoundsMessage,
)
from simulation_interfaces.msg import (
    NamedPose as NamedPoseMessage,
)
from simulation_interfaces.msg import (
    TagsFilter,
)

from racecar.base.types import Pose3, POSITION_LIMIT
from racecar.entities.convex_bodies import Array, hull_distance
from racecar.entities.refusals import RefusedError
from racecar.entities.world_entities import NamedPose, tags_match
from racecar.ros.conversions import pose_from_message
from racecar.simulation.ports import Bounds

START_TAGS = 'spawn', 'start'
"""Tags of poses from which robots start."""

_MOST_POINTS = 1000


def fits(wanted: TagsFilter, tags: Sequence[str]) -> bool:
    """Whether tags have those wanted. Raises RefusedError for an unknown mode."""
    return tags_match(tags, wanted.tags, wanted.filter_mode)


def named_pose_message(named: NamedPose) -> NamedPoseMessage:
    """Message of a start."""
    return NamedPoseMessage(
        name=named.name, description='from where a robot starts', tags=list(START_TAGS),
        pose=pose_message(named.pose))


def box_message(bounds: Bounds) -> BoundsMessage:
    """Message of a box; its upper corner comes first."""
    return BoundsMessage(
        type=BoundsMessage.TYPE_BOX, points=[to_vector(bounds.upper), to_vector(bounds.lower)])


def area_of(bounds: BoundsMessage) -> Callable[[Array], bool] | None:
    """Whether corners of a box overlap with bounds; None for bounds that are empty.

    Raises RefusedError for bounds that are none.
    """
    points = np.array([numbers_of(point) for point in bounds.points]).reshape(-1, 3)
    counts = {BoundsMessage.TYPE_EMPTY: (0, None), BoundsMessage.TYPE_BOX: (2, 2),
              BoundsMessage.TYPE_CONVEX_HULL: (3, None), BoundsMessage.TYPE_SPHERE: (2, 2)}
    least, most = counts.get(bounds.type, (0, -1))
    if most == -1:
        raise RefusedError('FEATURE_UNSUPPORTED', f'type of bounds is {bounds.type}, expected 0'
                           ' (empty), 1 (box), 2 (convex hull) or 3 (sphere)')
    if len(points) < least or (most is not None and len(points) > most) \
            or len(points) > _MOST_POINTS or not (np.abs(points) < POSITION_LIMIT).all():
        raise RefusedError(
            'OPERATION_FAILED', f'bounds of type {bounds.type} have {len(points)} points, expected'
            f' {least}{"" if most == least else f" to {_MOST_POINTS}"}, each of finite numbers')
    if bounds.type == BoundsMessage.TYPE_EMPTY:
        return None
    if bounds.type == BoundsMessage.TYPE_SPHERE:
        radius = float(points[1, 0])
        if radius < 0.0:
            raise RefusedError(
                'OPERATION_FAILED', f'radius is {radius:g} m, expected at least 0')
        return lambda body: hull_distance(body, points[:1]) <= radius
    if bounds.type == BoundsMessage.TYPE_BOX:
        points = np.array(list(itertools.product(*points.T)))
    return lambda body: hull_distance(body, points) == 0.0


def numbers_of(vector: Vector3) -> tuple[float, float, float]:
    """Components of a vector."""
    return vector.x, vector.y, vector.z


def to_vector(numbers: Sequence[float]) -> Vector3:
    """Message of three numbers."""
    x, y, z = map(float, numbers)
    return Vector3(x=x, y=y, z=z)


def pose_message(pose: Pose3) -> Pose:
    """Message of a pose."""
    message = Pose()
    message.position.x, message.position.y, message.position.z = map(float, pose[:3])
    turn = message.orientation
    turn.x, turn.y, turn.z, turn.w = map(float, pose[3:])
    return message


def finite_pose(message: Pose) -> Pose3:
    """Pose of a message. Raises RefusedError for one that is none."""
    try:
        return pose_from_message(message)
    except ValueError as error:
        raise RefusedError('INVALID_POSE', str(error)) from error
