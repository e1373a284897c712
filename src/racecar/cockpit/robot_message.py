# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""A robot description as the message `robot` and the frames of its meshes."""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from racecar.base.errors import ConfigurationError
from racecar.base.frames import BASE_LINK
from racecar.base.shapes import Box, Cylinder, Geometry, Mesh, Shape, Sphere
from racecar.base.share import resource_file
from racecar.base.types import Pose3
from racecar.cockpit.columns import columns, units
from racecar.cockpit.frames import json_frame, LARGEST, mesh_frame
from racecar.description.robot_tree import Link, RobotTree
from racecar.description.triangles import corners_of, triangle_count

_MOST_TRIANGLES = 500_000
_GREY = (0.7, 0.7, 0.7, 1.0)
_LASERS = ('laser', 'laser_link', 'base_laser', 'scan')

# What stands for a robot that nobody describes: as large as a car of the scale 1:10 [m].
_PLAIN_SIZE = (0.5, 0.3, 0.15)

PLAIN_ROBOT = RobotTree('robot', (Link(BASE_LINK, visuals=(Shape(
    Pose3(0.15, 0.0, 0.5 * _PLAIN_SIZE[2], 0.0, 0.0, 0.0, 1.0), Box(_PLAIN_SIZE), _GREY),)),), ())
"""A box in the place of a robot without description."""


class RobotFrames(NamedTuple):
    """What a page gets of a robot.

    frames: meshes first, then the message; columns: of its state; faults: shapes that are left
    out, and why.
    """

    frames: tuple[bytes, ...]
    columns: tuple[str, ...]
    faults: tuple[str, ...]


def robot_frames(
    index: int, tree: RobotTree, *, driver: bool = False, laser_frame: str | None = None,
    car: str = '',
) -> RobotFrames:
    """Frames of a robot.

    driver: whether its state has the columns of a driver; laser_frame: of its scans if known, by
    default a link that is called like a laser; car: its name among several.
    """
    keys: dict[str, str] = {}
    meshes: list[bytes] = []
    faults: list[str] = []
    links = [{'name': link.name, 'visuals': [
        found for shape in link.visuals
        if (found := _visual(shape, index, keys, meshes, faults)) is not None]}
        for link in tree.links]
    joints = [{
        'name': joint.name, 'kind': joint.kind, 'parent': joint.parent, 'child': joint.child,
        'origin': [*joint.origin], 'axis': [*joint.axis]} for joint in tree.joints]
    names = columns(tuple(j.name for j in tree.joints if j.moves), driver=driver)
    known = [link.name for link in tree.links]
    laser = laser_frame if laser_frame in known else next(
        (name for name in _LASERS if name in known), tree.root)
    message = json_frame(
        'robot', robot=index, name=tree.name, car=car, columns=names, units=units(names),
        root=tree.root, links=links, joints=joints, laser_frame=laser,
        lamps=[lamp._asdict() for lamp in tree.lamps])
    return RobotFrames((*meshes, message), names, tuple(faults))


def _visual(
    shape: Shape, index: int, keys: dict[str, str], meshes: list[bytes], faults: list[str],
) -> dict[str, object] | None:
    """Shape for the page; None for a mesh that cannot be had."""
    found: dict[str, object] = {
        'origin': [*shape.origin], 'colour': [*(shape.colour or _GREY)], 'name': shape.name}
    geometry: Geometry = shape.geometry
    match geometry:
        case Box(size):
            return {**found, 'shape': 'box', 'size': [*size]}
        case Cylinder(radius, length):
            return {**found, 'shape': 'cylinder', 'size': [radius, length]}
        case Sphere(radius):
            return {**found, 'shape': 'sphere', 'size': [radius]}
        case Mesh(uri, scale):
            key = keys.get(uri, f'{index}-{len(keys)}')
            try:
                if uri not in keys:
                    meshes.append(mesh_frame(key, *_read_stl(resource_file(uri))))
                    keys[uri] = key
            except ConfigurationError as error:
                faults.append(f'a shape is left out: {error}')
                return None
            return {**found, 'shape': 'mesh', 'mesh': key, 'scale': [*scale]}


def _read_stl(path: Path) -> tuple[NDArray[np.floating], NDArray[np.integer]]:
    """Vertices (n, 3) [m] and indices of triangles (m, 3); equal vertices are one.

    Raises ConfigurationError for what is no binary STL file.
    """
    try:
        is_mesh = path.suffix.lower() == '.stl' and path.stat().st_size <= LARGEST
        data = path.read_bytes() if is_mesh else b''
    except OSError as error:
        raise ConfigurationError(f"mesh '{path}' cannot be read: {error.strerror}") from error
    count = triangle_count(data)
    if count is None or count > _MOST_TRIANGLES:
        raise ConfigurationError(
            f"mesh '{path}' is no binary STL file of at most {_MOST_TRIANGLES} triangles")
    corners = corners_of(data).reshape(-1, 3)
    if not np.isfinite(corners).all():
        raise ConfigurationError(f"mesh '{path}' has vertices that are not finite")
    vertices, indices = np.unique(corners, axis=0, return_inverse=True)
    return vertices, indices.reshape(-1, 3)
