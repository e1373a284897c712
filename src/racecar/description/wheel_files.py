# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""Where the meshes of a wheel lie, for whoever shows a robot description.

The seed's wheel and those of the shipped vehicles lie in urdf/meshes in the size of a wheel of the
racecar and are stretched to any radius and width. Tyres and rims of another shape are made when
they are first described and kept in the cache, named by `file://`, which RViz reads as well as
`package://`.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
import json
import math
from typing import NamedTuple

import numpy as np

from racecar.base.errors import ConfigurationError
from racecar.base.poses import NO_POSE, pose_of_angles, pose_of_child
from racecar.base.shapes import Box, Cylinder, Geometry, Mesh, Shape
from racecar.base.share import resource_file
from racecar.base.types import Pose3, WHEEL_NAMES
from racecar.description.mesh_store import local_mesh, stored_mesh
from racecar.description.wheel_mesh import rim_mesh, tyre_mesh
from racecar.dynamics.vehicles.parameters import VehicleParameters
from racecar.dynamics.vehicles.wheel_parameters import (
    CYLINDER,
    DEFAULT_WHEEL,
    MESH,
    NO_LOGO,
    WheelLook,
    WheelShape,
)

SHIPPED_RADIUS, SHIPPED_WIDTH = 0.05, 0.045
"""Of the wheels in urdf/meshes [m]; z along the axle, its outer face +z."""

SHIPPED_WHEEL = DEFAULT_WHEEL.shape(SHIPPED_RADIUS, SHIPPED_WIDTH)

_FOLDER = 'package://racecar/urdf/meshes'


class WheelFiles(NamedTuple):
    """The meshes of a wheel."""

    tyre: Mesh
    rim: Mesh


@lru_cache(maxsize=64)
def wheel_files(shape: WheelShape) -> WheelFiles:
    """Meshes of a wheel, made and stored if need be.

    Raises ConfigurationError as wheel_meshes() and stored_mesh(), and for a list of the shipped
    wheels that cannot be read.
    """
    radial, axial = shape.tire_radius / SHIPPED_RADIUS, shape.thickness / SHIPPED_WIDTH
    scale = round(radial, 9), round(radial, 9), round(axial, 9)
    own = shape.stretched(1.0 / radial, 1.0 / axial)
    found = {}
    for part, fields in PART_FIELDS.items():
        numbers = [getattr(own, name) for name in fields]
        file = next((file for file, shipped in _shipped()[part].items() if np.allclose(
            numbers, shipped, rtol=1e-6, atol=1e-12)), None)
        found[part] = Mesh(f'{_FOLDER}/{file}', scale) if file else _made(shape, part)
    return WheelFiles(found['tyre'], found['rim'])


def _made(shape: WheelShape, part: str) -> Mesh:
    if shape.fault:
        raise ConfigurationError(f'a wheel cannot be made: {shape.fault}')
    make = tyre_mesh if part == 'tyre' else rim_mesh
    return Mesh(stored_mesh(part, make(shape).triangles))


PART_FIELDS: Mapping[str, tuple[str, ...]] = {
    'tyre': ('subdivision', 'curvature_factor', 'edge_subdivision', 'rim_radius'),
    'rim': ('subdivision', 'rim_radius', 'rim_beam_number', 'rim_beam_width',
            'central_inner_radius', 'central_outer_radius', 'rim_beam_thickness',
            'rim_beam_offset')}
"""What the shape of tyre and rim depends on besides the size of the wheel."""

SHIPPED_LIST = 'wheels.json'
"""In urdf/meshes: by part and file the numbers of PART_FIELDS of a wheel of the shipped size."""


@lru_cache(maxsize=1)
def _shipped() -> dict[str, dict[str, list[float]]]:
    path = resource_file(f'{_FOLDER}/{SHIPPED_LIST}')
    try:
        lists: dict[str, dict[str, list[float]]] = json.loads(path.read_text())
    except ValueError as error:
        raise ConfigurationError(f'{path}: {error}') from error
    return lists


def wheel_visuals(vehicle: VehicleParameters, axle: str, side: float) -> tuple[Shape, ...]:
    """Tyre, rim and logo of a wheel in its frame, in the middle of its inner face.

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
    """Logo on the outer face of a wheel; wheel: pose of its mesh."""
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
