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

from racecar.core.description.mesh_store import stored_mesh
from racecar.core.description.robot_tree import Mesh, Shape
from racecar.core.description.wheel_mesh import wheel_meshes
from racecar.core.poses import pose_of_angles
from racecar.core.vehicles.parameters import VehicleParameters
from racecar.core.vehicles.wheel_parameters import DEFAULT_WHEEL, WheelShape

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


def wheel_visuals(vehicle: VehicleParameters, axle: str, side: float) -> tuple[Shape, Shape]:
    """Return tyre and rim of a wheel in its frame, which lies in the middle of its inner face.

    axle: front or rear; side: 1 left, -1 right; z is along the axle, to the right of the car.
    Raises ConfigurationError as wheel_files().
    """
    look, width = vehicle.wheel, vehicle.wheel_width
    front, rear = look.shapes(vehicle.wheel_radii, width)
    files = wheel_files(front if axle == 'front' else rear)
    middle = -0.5 * side * width
    # The outer face of a mesh is towards its z.
    turn = math.pi if side > 0.0 else 0.0
    return (
        Shape(pose_of_angles(0.0, 0.0, middle, turn, 0.0, 0.0), files.tyre,
              (*look.tyre_colour, 1.0), 'tyre'),
        Shape(pose_of_angles(0.0, 0.0, middle, turn, 0.0, 0.0), files.rim,
              (*look.rim_colour, 1.0), 'rim'))
