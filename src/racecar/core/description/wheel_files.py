# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""Where the meshes of a wheel lie, for whoever shows a robot description.

The seed's wheel ships with the package, as a wheel of the racecar, and is stretched to wheels of
any radius and width. A wheel of another shape is made when it is first described and kept in the
cache, named by `file://`, which RViz reads as well as `package://`.
"""

from __future__ import annotations

from functools import lru_cache
import math
from typing import NamedTuple

import numpy as np

from racecar.core.description.mesh_store import local_mesh, stored_mesh
from racecar.core.description.robot_tree import Box, Cylinder, Geometry, Mesh, Shape
from racecar.core.description.wheel_mesh import wheel_meshes
from racecar.core.poses import NO_POSE, pose_of_angles, pose_of_child
from racecar.core.types import Pose3, WHEEL_NAMES
from racecar.core.vehicles.parameters import VehicleParameters
from racecar.core.vehicles.wheel_parameters import (
    CYLINDER,
    DEFAULT_WHEEL,
    MESH,
    NO_LOGO,
    WheelLook,
    WheelShape,
)

SHIPPED_RADIUS, SHIPPED_WIDTH = 0.05, 0.045
"""Of the wheel of urdf/meshes/tyre.stl and rim.stl [m]; z along the axle, its outer face +z."""

SHIPPED_WHEEL = DEFAULT_WHEEL.shape(SHIPPED_RADIUS, SHIPPED_WIDTH)

_FOLDER = 'package://racecar/urdf/meshes'


class WheelFiles(NamedTuple):
    """The meshes of a wheel."""

    tyre: Mesh
    rim: Mesh


@lru_cache(maxsize=64)
def wheel_files(shape: WheelShape) -> WheelFiles:
    """Return the meshes of a wheel, made and stored if need be.

    Raises ConfigurationError as wheel_meshes() and stored_mesh().
    """
    radial, axial = shape.tire_radius / SHIPPED_RADIUS, shape.thickness / SHIPPED_WIDTH
    if np.allclose(SHIPPED_WHEEL.stretched(radial, axial), shape, rtol=1e-6, atol=0.0):
        scale = round(radial, 9), round(radial, 9), round(axial, 9)
        return WheelFiles(
            Mesh(f'{_FOLDER}/tyre.stl', scale), Mesh(f'{_FOLDER}/rim.stl', scale))
    tyre, rim = wheel_meshes(shape)
    return WheelFiles(
        Mesh(stored_mesh('tyre', tyre.triangles)), Mesh(stored_mesh('rim', rim.triangles)))


def wheel_visuals(vehicle: VehicleParameters, axle: str, side: float) -> tuple[Shape, ...]:
    """Return tyre, rim and logo of a wheel in its frame, in the middle of its inner face.

    axle: front or rear; side: 1 left, -1 right; z is along the axle, to the right of the car.
    Raises ConfigurationError as wheel_files() and local_mesh().
    """
    shape, look = vehicle.wheel_designs[
        WHEEL_NAMES.index(f"{'left' if side > 0.0 else 'right'}_{axle}")]
    files = wheel_files(shape)
    # The outer face of a mesh is towards its z.
    pose = pose_of_angles(
        0.0, 0.0, -0.5 * side * shape.thickness, math.pi if side > 0.0 else 0.0, 0.0, 0.0)
    return (Shape(pose, files.tyre, (*look.tyre_colour, 1.0), 'tyre'),
            Shape(pose, files.rim, (*look.rim_colour, 1.0), 'rim'), *_logo(shape, look, pose))


def _logo(shape: WheelShape, look: WheelLook, wheel: Pose3) -> tuple[Shape, ...]:
    """Return the logo on the outer face of a wheel; wheel: pose of its mesh."""
    if look.logo_shape == NO_LOGO:
        return ()
    edge = 1.4 * shape.central_inner_radius
    width, height, thickness = look.logo_size or (edge, edge, 0.04 * shape.thickness)
    face = 0.5 * shape.thickness
    geometry: Geometry
    if look.logo_shape == MESH:
        geometry = Mesh(
            local_mesh(look.logo_file), (width, height, thickness) if look.logo_size else (
                1.0, 1.0, 1.0))
    elif look.logo_shape == CYLINDER:
        geometry = Cylinder(0.5 * width, thickness)
    else:
        geometry = Box((width, height, thickness))
    return (Shape(pose_of_child(wheel, NO_POSE._replace(z=face)), geometry,
                  (*look.logo_colour, 1.0), 'logo'),)
