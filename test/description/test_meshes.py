# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""The meshes of the robot description: found, up to date, closed, of the right size."""

from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import make_meshes
from racecar.base.shapes import Mesh
from racecar.base.share import find_vehicle, resource_file, vehicle_names
from racecar.description.triangles import stl
from racecar.description.vehicle_description import describe_vehicle
from racecar.description.wheel_files import SHIPPED_LIST
from racecar.dynamics.vehicles.parameters import VehicleParameters

ROOT = Path(__file__).resolve().parents[2]
FOLDER = ROOT / 'urdf' / 'meshes'
FILES = sorted(FOLDER.glob('*.stl'))


def triangles(path):
    """Return normals (n, 3) and corners (n, 3, 3) of a binary STL."""
    data = path.read_bytes()
    count = int.from_bytes(data[80:84], 'little')
    assert len(data) == 84 + 50 * count
    table = np.frombuffer(
        data, dtype=[('normal', '<f4', 3), ('corners', '<f4', (3, 3)), ('rest', '<u2')], offset=84)
    return table['normal'], table['corners'].astype(float)


def uses(name='racecar'):
    """Return the meshes of the description of a vehicle."""
    vehicle = VehicleParameters.from_file(find_vehicle(name))
    return [shape.geometry for link in describe_vehicle(vehicle).tree.links
            for shape in link.visuals if isinstance(shape.geometry, Mesh)]


def test_every_mesh_of_the_descriptions_is_there_and_every_file_is_used():
    shipped = {resource_file(mesh.uri) for name in vehicle_names() for mesh in uses(name)
               if mesh.uri.startswith('package:')}
    assert shipped == set(FILES)


def test_the_meshes_of_the_default_car_keep_their_size():
    assert {mesh.scale for mesh in uses()} == {(1.0, 1.0, 1.0)}


def test_the_files_are_what_the_script_writes():
    pytest.importorskip('manifold3d', reason='trimesh and manifold3d make the wheels')
    pytest.importorskip('trimesh', reason='trimesh and manifold3d make the wheels')
    assert set(make_meshes.mesh_files()) == {*FILES, FOLDER / SHIPPED_LIST}
    assert make_meshes.outdated() == {}, 'run tools/make_meshes.py'


def test_the_script_notices_another_shape(tmp_path, monkeypatch):
    path, wheels = tmp_path / 'bumper.stl', tmp_path / SHIPPED_LIST
    monkeypatch.setattr(make_meshes, 'FOLDER', tmp_path)
    monkeypatch.setattr(make_meshes, 'PARTS', {'bumper': make_meshes.bumper})
    monkeypatch.setattr(make_meshes, 'wheels', lambda: {'tyre': {}, 'rim': {}})
    assert set(make_meshes.outdated()) == {path, wheels}
    assert make_meshes.main() == 0
    assert make_meshes.outdated() == {}
    wheels.write_text('{}')
    assert list(make_meshes.outdated()) == [wheels]
    assert make_meshes.main() == 0
    path.write_bytes(stl(make_meshes.bumper() * 1.01, 'bumper'))
    assert list(make_meshes.outdated()) == [path]


def test_all_files_together_are_small():
    assert sum(path.stat().st_size for path in FILES) < 400_000


@pytest.mark.parametrize('path', FILES, ids=lambda path: path.stem)
def test_a_mesh_is_closed_and_its_normals_point_outwards(path):
    normals, corners = triangles(path)
    edges: Counter[Any] = Counter()
    for triangle in np.round(corners, 6):
        points = [tuple(point) for point in triangle]
        assert len(set(points)) == 3
        for i in range(3):
            edges[points[i], points[i - 1]] += 1
    # Each edge is gone along once in each direction, or as often where parts touch.
    assert all(edges[b, a] == count for (a, b), count in edges.items())
    volume = np.einsum('ij,ij->', corners[:, 0], np.cross(corners[:, 1], corners[:, 2])) / 6.0
    assert volume > 0.0
    across = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
    across /= np.linalg.norm(across, axis=1, keepdims=True)
    assert normals == pytest.approx(across, abs=0.02)


def extent(name):
    _, corners = triangles(FOLDER / f'{name}.stl')
    points = corners.reshape(-1, 3)
    return points.min(axis=0), points.max(axis=0)


def test_the_tyre_is_that_of_the_vehicle_and_the_rim_within_it():
    lower, upper = extent('tyre')
    # A polygon of 36 corners, which lie on the circle.
    assert upper == pytest.approx([0.05, 0.05, 0.0225], abs=1e-6)
    assert lower == pytest.approx([-0.05, -0.05, -0.0225], abs=1e-6)
    lower, upper = extent('rim')
    assert max(*upper[:2], *-lower[:2]) < 0.036
    assert upper[2] == pytest.approx(0.0225, abs=1e-6)


def test_no_part_of_the_body_is_in_the_way_of_beams_and_wheels():
    for name in ('body', 'cowl', 'screen', 'bumper', 'wing'):
        lower, upper = extent(name)
        # Of the laser, which stands 0.0874 m above the axles; the ground is 0.05 m below them.
        assert upper[2] < 0.0874, name
        assert lower[2] > -0.04, name
    for name in ('body', 'bumper'):
        _, corners = triangles(FOLDER / f'{name}.stl')
        assert clear_of_front_wheel(corners.reshape(-1, 3)), name


def clear_of_front_wheel(points):
    """Tell whether no point lies within the left front wheel at any angle of its hinge."""
    for angle in np.linspace(-1.0, 1.0, 81):
        relative = points - [0.325, 0.1, 0.0]
        along = np.cos(angle) * relative[:, 0] + np.sin(angle) * relative[:, 1]
        outward = -np.sin(angle) * relative[:, 0] + np.cos(angle) * relative[:, 1]
        within = (np.hypot(along, relative[:, 2]) < 0.05) & (outward > 0.0) & (outward < 0.045)
        if within.any():
            return False
    return True
