# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""Bodies by their geometry: boxes, cylinders, spheres and meshes, each in a frame."""

from __future__ import annotations

from typing import NamedTuple

from racecar.base.types import Pose3


class Box(NamedTuple):
    """Lengths of the edges along x, y, z [m]."""

    size: tuple[float, float, float]


class Cylinder(NamedTuple):
    """Along z; radius, length [m]."""

    radius: float
    length: float


class Sphere(NamedTuple):
    """Radius [m]."""

    radius: float


class Mesh(NamedTuple):
    """A file, as `package://racecar/urdf/...` or a path, and factors along x, y, z [-]."""

    uri: str
    scale: tuple[float, float, float] = (1.0, 1.0, 1.0)


Geometry = Box | Cylinder | Sphere | Mesh


class Shape(NamedTuple):
    """A geometry in the frame of its link.

    colour: red, green, blue, opacity, each from 0 to 1; None if none is given, and for what
    collides. name: empty if it has none.
    """

    origin: Pose3
    geometry: Geometry
    colour: tuple[float, float, float, float] | None = None
    name: str = ''
