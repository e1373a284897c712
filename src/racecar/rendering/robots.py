# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""Robots as vertices: those of a link that never change are one mesh, each lamp is another."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from racecar.base.columns import Array
from racecar.base.errors import ConfigurationError
from racecar.base.poses import rotated
from racecar.base.shapes import Box, Cylinder, Geometry, Mesh
from racecar.base.share import resource_file
from racecar.base.types import Pose3
from racecar.description.robot_tree import Lamp, RobotTree
from racecar.description.triangles import corners_of, is_stl, outward, solid, Triangles
from racecar.rendering.creases import normals_of
from racecar.rendering.vertices import joined, Vertices, vertices
from racecar.scene.scene import GREY, WHITE

_SIDES = 40
_AXES = ((1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0))


class Part(NamedTuple):
    """What moves and shines as one.

    vertices: in the frame of the link. lamp: None of what does not shine; white, as its colour
    changes. opaque: whether nothing
    is seen through it.
    """

    link: str
    vertices: Vertices
    lamp: Lamp | None = None
    opaque: bool = True


def robot_parts(tree: RobotTree) -> list[Part]:
    """All that is seen of a robot.

    Raises ConfigurationError if a mesh cannot be read.
    """
    lamps = {(lamp.link, lamp.visual): lamp for lamp in tree.lamps}
    parts, clear = [], []
    for link in tree.links:
        fixed = []
        for shape in link.visuals:
            triangles = _triangles(shape.geometry)
            turn, shift = matrix(shape.origin)[:3, :3], shape.origin[:3]
            lamp = lamps.get((link.name, shape.name))
            colour = shape.colour or GREY
            rows = vertices(
                triangles.reshape(-1, 3) @ turn.T + shift,
                normals_of(triangles).reshape(-1, 3) @ turn.T, WHITE if lamp else colour)
            if lamp is not None:
                parts.append(Part(link.name, rows, lamp))
            elif min(colour[3:], default=1.0) < 1.0:
                clear.append(Part(link.name, rows, opaque=False))
            else:
                fixed.append(rows)
        if fixed:
            parts.append(Part(link.name, joined(fixed)))
    # Last, over what is behind them.
    return parts + clear


def matrix(pose: Pose3) -> Array:
    """Transformation (4, 4) from a frame with this pose."""
    result = np.eye(4)
    result[:3, :3] = np.array([rotated(pose[3:], axis) for axis in _AXES]).T
    result[:3, 3] = pose[:3]
    return result


def _triangles(geometry: Geometry) -> Triangles:
    if isinstance(geometry, Mesh):
        return _file(geometry)
    if isinstance(geometry, Box):
        x, y, z = (0.5 * size for size in geometry.size)
        ring = np.array([(-x, -y), (x, -y), (x, y), (-x, y)])
        return _prism(ring, z)
    angles = 2.0 * np.pi * np.arange(_SIDES) / _SIDES
    circle = np.column_stack([np.cos(angles), np.sin(angles)])
    if isinstance(geometry, Cylinder):
        return _prism(geometry.radius * circle, 0.5 * geometry.length)
    levels = np.linspace(-0.5 * np.pi, 0.5 * np.pi, _SIDES // 2 + 1)[1:-1]
    return outward(geometry.radius * solid(np.array([
        np.column_stack([np.cos(level) * circle, np.full(_SIDES, np.sin(level))])
        for level in levels])))


def _prism(ring: Array, half: float) -> Triangles:
    return outward(solid(np.array([
        np.column_stack([ring, np.full(len(ring), z)]) for z in (-half, half)])))


def _file(mesh: Mesh) -> Triangles:
    """Triangles of a file [m]. Raises ConfigurationError if it has none that can be drawn."""
    path = resource_file(mesh.uri)
    data = path.read_bytes()
    if is_stl(data):
        triangles = corners_of(data)
    else:
        import trimesh
        try:
            triangles = np.asarray(trimesh.load_mesh(path).triangles)
        # Whatever the readers of the formats raise for what is none of theirs.
        except Exception as error:
            raise ConfigurationError(
                f"mesh '{mesh.uri}' cannot be read: {' '.join(str(error).split())}; expected"
                ' STL, OBJ or another format of trimesh') from error
    if not len(triangles) or not np.isfinite(triangles).all():
        raise ConfigurationError(
            f"mesh '{mesh.uri}' has {len(triangles)} triangles, expected some, all of whose"
            ' corners are finite numbers')
    triangles = triangles * mesh.scale
    # A mirrored solid is inside out.
    return triangles[:, ::-1] if np.prod(mesh.scale) < 0.0 else triangles
