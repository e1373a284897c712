# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""What a vehicle's file adds to its robot description: the slot of seed 000 (1.2) for anything.

Each file is a URDF of links that are fixed to each other. Its root comes into the middle of the
rear axle, the origin of the link chassis.
"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from racecar.base.errors import ConfigurationError, RacecarError
from racecar.base.shapes import Mesh, Shape
from racecar.base.share import resource_file
from racecar.description.mesh_store import local_mesh
from racecar.description.robot_tree import FIXED, Joint, Lamp, Link, RobotTree
from racecar.description.urdf import read_urdf

CHASSIS = 'chassis'
"""Link to which extensions are fixed."""

_LARGEST = 1_000_000


def extended(robot: RobotTree, files: tuple[str, ...]) -> RobotTree:
    """Robot with what files add to it.

    Raises ConfigurationError in one line that names the file for one that cannot be read, is too
    large or is no URDF, for joints that move, and for links, joints or meshes that cannot be.
    """
    for file in files:
        try:
            path = resource_file(file)
            if path.stat().st_size > _LARGEST:
                raise ConfigurationError(f'is larger than {_LARGEST} bytes')
            links, joints, lamps = _parts(read_urdf(path.read_text()), path.parent)
            robot = RobotTree(robot.name, (*robot.links, *links), (*robot.joints, *joints),
                              (*robot.lamps, *lamps))
        except (RacecarError, OSError, UnicodeError) as error:
            raise ConfigurationError(
                f"parameter 'vehicle.extensions', file '{file}': {error}") from error
    return robot


def _parts(
    addition: RobotTree, folder: Path,
) -> tuple[tuple[Link, ...], tuple[Joint, ...], tuple[Lamp, ...]]:
    for joint in addition.joints:
        if joint.kind != FIXED:
            raise ConfigurationError(
                f"joint '{joint.name}' is {joint.kind}, expected fixed: what moves of a car are"
                ' its wheels, hinges and suspension')
    links = tuple(replace(
        link, visuals=tuple(_found(shape, folder) for shape in link.visuals),
        collisions=tuple(_found(shape, folder) for shape in link.collisions))
        for link in addition.links)
    root = Joint(f'{addition.root}_joint', FIXED, CHASSIS, addition.root)
    return links, (root, *addition.joints), addition.lamps


def _found(shape: Shape, folder: Path) -> Shape:
    """Shape with the name of its mesh such that everybody finds it."""
    if not isinstance(shape.geometry, Mesh):
        return shape
    return shape._replace(geometry=shape.geometry._replace(
        uri=local_mesh(shape.geometry.uri, folder)))
