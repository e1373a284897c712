# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""The cones of a scene where they are now, as sensors take them."""

from __future__ import annotations

from collections.abc import Sequence
import math

from racecar.base.types import BodyState, Pose3, Twist3
from racecar.scene.scene import Box, Cone

# A cone that leans further [-], as cosine, lies on the ground.
_STANDS = 0.7


def loose_objects(
    cones: Sequence[Cone], poses: Sequence[Pose3],
) -> tuple[list[Cone], list[Box]]:
    """Cones that stand, and boxes about those that have been knocked over."""
    standing: list[Cone] = []
    boxes: list[Box] = []
    for cone, pose in zip(cones, poses, strict=True):
        up = 1.0 - 2.0 * (pose.qx * pose.qx + pose.qy * pose.qy)
        if up > _STANDS:
            standing.append(cone._replace(x=pose.x, y=pose.y))
        else:
            boxes.append(_lying(cone, pose))
    return standing, boxes


def still(cones: Sequence[Cone]) -> list[BodyState]:
    """Poses and motions of cones that nothing moves."""
    return [BodyState(Pose3(cone.x, cone.y, 0.0, 0.0, 0.0, 0.0, 1.0),
                      Twist3(0.0, 0.0, 0.0, 0.0, 0.0, 0.0)) for cone in cones]


def _lying(cone: Cone, pose: Pose3) -> Box:
    """Box about a cone that has been knocked over."""
    _, _, _, qx, qy, qz, qw = pose
    # Its axis on the ground.
    x, y = 2.0 * (qx * qz + qw * qy), 2.0 * (qy * qz - qw * qx)
    half = 0.5 * cone.height
    return Box(pose.x + half * x, pose.y + half * y, math.atan2(y, x), cone.height, cone.base,
               cone.base, cone.colour)
