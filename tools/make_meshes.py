#!/usr/bin/env python3
# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""Write urdf/meshes: the shapes of the car that boxes and cylinders do not give, and its wheel.

Run it with `./run python tools/make_meshes.py`; with --check it only says what is out of date.
All lengths in metres, in the frame `chassis` of the 1:10 car (x forward from the rear axle, z up
from the axle); a wheel about its own middle, z along the axle, its outer face towards +z.
"""

from __future__ import annotations

from collections.abc import Sequence
import json
import math
from pathlib import Path
import sys
from typing import Any

import numpy as np
from numpy.typing import NDArray

from racecar.base.share import find_vehicle, vehicle_names
from racecar.description.triangles import corners_of, outward, solid, stl, Triangles
from racecar.description.wheel_files import (
    PART_FIELDS,
    SHIPPED_LIST,
    SHIPPED_RADIUS,
    SHIPPED_WHEEL,
    SHIPPED_WIDTH,
)
from racecar.description.wheel_mesh import rim_mesh, tyre_mesh
from racecar.dynamics.vehicles.parameters import VehicleParameters
from racecar.dynamics.vehicles.wheel_parameters import WheelShape

FOLDER = Path(__file__).resolve().parents[1] / 'urdf' / 'meshes'

_TITLE = 'metres; made by tools/make_meshes.py'


# Building blocks


def section(station: Sequence[float], points: int) -> NDArray[np.float64]:
    """Ring of points across the car: a superellipse, widest at a share `waist` of its height.

    station: x, half width, bottom, top [m], power of the superellipse, waist.
    """
    x, half_width, bottom, top, power, waist = station
    angles = 2.0 * math.pi * (np.arange(points) + 0.5) / points
    cosine, sine = np.cos(angles), np.sin(angles)
    y = half_width * np.sign(cosine) * np.abs(cosine) ** (2.0 / power)
    middle = bottom + waist * (top - bottom)
    height = np.where(sine > 0.0, top - middle, middle - bottom)
    z = middle + height * np.sign(sine) * np.abs(sine) ** (2.0 / power)
    return np.stack([np.full(points, x), y, z], axis=-1)


def lofted(stations: Sequence[Sequence[float]], points: int) -> Triangles:
    """Solid through the sections (x, half width, bottom, top, power, waist)."""
    return solid(np.stack([section(station, points) for station in stations]))


# Parts


def body() -> Triangles:
    """Return the lower body: slim between the wheels, with side pods between the axles."""
    return lofted((
        (-0.066, 0.050, -0.010, 0.014, 3.0, 0.5),
        (-0.062, 0.066, -0.018, 0.026, 3.5, 0.5),
        (-0.050, 0.076, -0.022, 0.034, 3.5, 0.5),
        (-0.010, 0.080, -0.024, 0.038, 3.5, 0.5),
        (0.045, 0.082, -0.025, 0.038, 3.5, 0.45),
        (0.060, 0.090, -0.026, 0.037, 3.5, 0.4),
        (0.078, 0.112, -0.026, 0.034, 3.2, 0.35),
        (0.100, 0.124, -0.026, 0.032, 3.0, 0.35),
        (0.180, 0.124, -0.026, 0.033, 3.0, 0.35),
        (0.215, 0.116, -0.026, 0.035, 3.0, 0.35),
        (0.238, 0.090, -0.026, 0.038, 3.2, 0.4),
        (0.256, 0.064, -0.026, 0.040, 3.5, 0.45),
        (0.275, 0.053, -0.026, 0.040, 3.5, 0.5),
        (0.295, 0.050, -0.026, 0.039, 3.5, 0.5),
        (0.320, 0.048, -0.026, 0.032, 3.2, 0.45),
        (0.350, 0.046, -0.026, 0.020, 3.0, 0.45),
        (0.376, 0.042, -0.025, 0.008, 2.8, 0.45),
        (0.390, 0.034, -0.023, 0.000, 2.6, 0.45),
        (0.396, 0.020, -0.018, -0.006, 2.4, 0.45)), 24)


def cowl() -> Triangles:
    """Return the cover of motor and computer, below the beams of the laser."""
    return lofted((
        (-0.058, 0.022, 0.024, 0.032, 2.4, 0.3),
        (-0.050, 0.034, 0.024, 0.042, 2.4, 0.3),
        (-0.020, 0.046, 0.024, 0.060, 2.5, 0.3),
        (0.030, 0.054, 0.024, 0.073, 2.6, 0.3),
        (0.090, 0.058, 0.024, 0.078, 2.7, 0.3),
        (0.140, 0.059, 0.024, 0.077, 2.7, 0.3)), 18)


def screen() -> Triangles:
    """Return the wind-screen, which continues the cowl."""
    return lofted((
        (0.1401, 0.057, 0.024, 0.0745, 2.6, 0.3),
        (0.165, 0.054, 0.024, 0.066, 2.5, 0.3),
        (0.195, 0.048, 0.024, 0.051, 2.4, 0.3),
        (0.215, 0.040, 0.024, 0.040, 2.3, 0.3),
        (0.222, 0.030, 0.024, 0.034, 2.2, 0.3)), 18)


def bumper() -> Triangles:
    """Return the bumper, bent about the nose and clear of the front wheels at full lock."""
    rings = []
    for y in np.linspace(-0.112, 0.112, 13):
        front = 0.419 - 1.1 * y * y
        thickness = 0.013 if abs(y) < 0.11 else 0.008
        height = 0.5 * (0.026 if abs(y) < 0.11 else 0.018)
        corners = [(front - thickness, height), (front - 0.003, height), (front, 0.6 * height),
                   (front, -0.6 * height), (front - 0.003, -height), (front - thickness, -height)]
        rings.append([(x, y, z - 0.012) for x, z in corners])
    return solid(np.array(rings))


def wing() -> Triangles:
    """Return the rear wing: an aerofoil between two end plates."""
    outline = [(0.016, 0.0), (0.010, 0.0022), (0.0, 0.0034), (-0.010, 0.0036), (-0.017, 0.0028),
               (-0.010, 0.0010), (0.0, -0.0004), (0.010, -0.0012)]
    tilt = -0.22
    foil = [(x * math.cos(tilt) - z * math.sin(tilt) - 0.058,
             x * math.sin(tilt) + z * math.cos(tilt) + 0.070) for x, z in outline]
    parts = [solid(np.array([[(x, y, z) for x, z in foil] for y in (-0.086, 0.086)]))]
    plate = [(-0.038, 0.060), (-0.038, 0.077), (-0.046, 0.081), (-0.080, 0.081), (-0.080, 0.064),
             (-0.070, 0.060)]
    parts += [
        solid(np.array([[(x, y, z) for x, z in reversed(plate)] for y in (inner, inner + 0.0035)]))
        for inner in (-0.0895, 0.086)]
    return np.concatenate([outward(part) for part in parts])


def _triangles(mesh: Any) -> Triangles:
    """Return the faces that are left when corners are rounded as in a file."""
    corners: Triangles = np.asarray(mesh.triangles)
    rounded = np.round(corners, 6)
    kept: Triangles = corners[(rounded != np.roll(rounded, 1, axis=1)).any(axis=2).all(axis=1)]
    return kept


PARTS = {'body': body, 'cowl': cowl, 'screen': screen, 'bumper': bumper, 'wing': wing}


def wheels() -> dict[str, dict[str, tuple[str, WheelShape]]]:
    """Return name of the file and shape of each tyre and rim, by the numbers that make it."""
    found: dict[str, dict[str, tuple[str, WheelShape]]] = {part: {} for part in PART_FIELDS}
    shapes = {'': SHIPPED_WHEEL}
    for name in vehicle_names():
        shape = VehicleParameters.from_file(find_vehicle(name)).wheel_designs[0].shape
        shapes[f'{name}_'] = shape.stretched(
            SHIPPED_RADIUS / shape.tire_radius, SHIPPED_WIDTH / shape.thickness)
    for prefix, shape in shapes.items():
        for part, fields in PART_FIELDS.items():
            # Equal ones are one file.
            found[part].setdefault(
                json.dumps([float(f'{getattr(shape, name):.9g}') for name in fields]),
                (f'{prefix}{part}', shape))
    return found


def wheel_list(found: dict[str, dict[str, tuple[str, WheelShape]]]) -> bytes:
    """Return the list by which wheel_files() finds the files of the wheels."""
    return (json.dumps({
        part: {f'{name}.stl': json.loads(numbers) for numbers, (name, _) in rows.items()}
        for part, rows in found.items()}, indent=1) + '\n').encode()


# Files


# Of a computer's sines and powers the last digits differ [m].
_ROUNDING = 2e-6


def mesh_files() -> dict[Path, bytes]:
    """Return path and content of every mesh, and of the list of the wheels."""
    found = wheels()
    parts = {name: outward(make()) for name, make in PARTS.items()} | {
        name: _triangles(make(shape))
        for part, make in (('tyre', tyre_mesh), ('rim', rim_mesh))
        for name, shape in found[part].values()}
    return {FOLDER / SHIPPED_LIST: wheel_list(found)} | {
        FOLDER / f'{name}.stl': stl(part, f'{name} of racecar, {_TITLE}')
        for name, part in parts.items()}


def outdated() -> dict[Path, bytes]:
    """Return path and right content of the files that have another shape than is made here."""
    def is_right(path: Path, data: bytes) -> bool:
        if not path.is_file() or path.stat().st_size != len(data):
            return False
        if path.suffix != '.stl':
            return path.read_bytes() == data
        return bool(np.abs(corners_of(path.read_bytes()) - corners_of(data)).max() < _ROUNDING)

    return {path: data for path, data in mesh_files().items() if not is_right(path, data)}


def main() -> int:
    """Write the files, or with --check only name the outdated ones and return 1."""
    files = outdated()
    FOLDER.mkdir(exist_ok=True)
    for path, data in files.items():
        if '--check' in sys.argv:
            print(f'{path} is out of date')
        else:
            path.write_bytes(data)
            print(f'{path}: {len(data)} bytes')
    return 1 if files and '--check' in sys.argv else 0


if __name__ == '__main__':
    sys.exit(main())
