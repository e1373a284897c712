# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""How much room a robot takes up: corners of the boxes about what is seen of it."""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache

import numpy as np

from racecar.base.columns import Array
from racecar.base.poses import NO_POSE, pose_of_child
from racecar.base.shapes import Box, Cylinder, Geometry, Mesh
from racecar.base.share import resource_file
from racecar.description.robot_tree import RobotTree
from racecar.description.triangles import corners_of


def outline(tree: RobotTree, positions: Mapping[str, float] | None = None) -> Array:
    """Corners (n, 3) of the box about each visual, in the root [m].

    positions: of joints by name [rad or m], 0 for those that are missing. Raises
    ConfigurationError for a joint or the file of a mesh that there is not.
    """
    poses = tree.poses(positions)
    return np.array([
        pose_of_child(pose_of_child(poses[link.name], shape.origin), NO_POSE._replace(
            x=x, y=y, z=z))[:3]
        for link in tree.links for shape in link.visuals
        for x, y, z in _corners(shape.geometry)]).reshape(-1, 3)


@lru_cache(maxsize=256)
def _corners(geometry: Geometry) -> tuple[tuple[float, float, float], ...]:
    """Corners of the box about a geometry in its own axes [m]."""
    if isinstance(geometry, Mesh):
        points = corners_of(resource_file(geometry.uri).read_bytes()).reshape(-1, 3) * np.array(
            geometry.scale)
        low, high = points.min(axis=0), points.max(axis=0)
    else:
        if isinstance(geometry, Box):
            high = 0.5 * np.array(geometry.size)
        elif isinstance(geometry, Cylinder):
            high = np.array([geometry.radius, geometry.radius, 0.5 * geometry.length])
        else:
            high = np.full(3, geometry.radius)
        low = -high
    return tuple((x, y, z) for x in (float(low[0]), float(high[0]))
                 for y in (float(low[1]), float(high[1]))
                 for z in (float(low[2]), float(high[2])))
