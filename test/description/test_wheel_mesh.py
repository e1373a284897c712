# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""The parametric wheel: closed meshes, against the formulas of turned solids."""

import math
import sys
from typing import Any
from urllib.parse import urlsplit

from hypothesis import given, settings
from hypothesis import strategies as st
import numpy as np
import pytest
from scipy.integrate import trapezoid

from racecar.base.errors import ConfigurationError, ParameterError
from racecar.base.parameter_file import load_parameter_file
from racecar.base.shapes import Mesh
from racecar.base.share import find_config, find_vehicle, resource_file, vehicle_names
from racecar.description.triangles import corners_of, volume
from racecar.description.vehicle_description import describe_vehicle
from racecar.description.wheel_files import SHIPPED_WHEEL, wheel_files
from racecar.description.wheel_mesh import rim_mesh, tyre_mesh, wheel_mass, wheel_meshes
from racecar.dynamics.vehicles.parameters import VehicleParameters
from racecar.dynamics.vehicles.wheel_parameters import DEFAULT_WHEEL, WheelShape

needs_libraries = pytest.mark.usefixtures('libraries')
FINE = WheelShape(subdivision=240, edge_subdivision=48)
# With usual wheels.
RACECAR = {name: value for name, value in load_parameter_file(
    find_config('vehicles/racecar'), 'any_node').items()
    if not name.startswith('vehicle.wheel.')}


@pytest.fixture(scope='module')
def libraries():
    pytest.importorskip('trimesh', reason='trimesh is not installed')
    pytest.importorskip('manifold3d', reason='manifold3d is not installed')


def turned(outline):
    """Return volume and moment of inertia about z at density 1 of an outline turned about z.

    outline: of half the height over the radius. By cylinder shells: 2 pi r 2 h(r) dr.
    """
    radius, half = outline
    shells = 4.0 * math.pi * radius * half
    return trapezoid(shells, radius), trapezoid(shells * radius**2, radius)


def tyre_outline(shape):
    """Return the outline of a tyre whose shoulders are quarters of ellipses."""
    inner, outer, half = shape.rim_radius, shape.tire_radius, 0.5 * shape.thickness
    radius = np.linspace(inner, outer, 40_001)
    high, wide = shape.curvature_factor * (outer - inner), shape.curvature_factor * half
    into = np.clip((radius - (outer - high)) / max(high, 1e-12), 0.0, 1.0)
    return radius, half - wide * (1.0 - np.sqrt(1.0 - into**2))


def polygon(shape):
    """Return by how much a polygon's area and polar moment are less than those of its circle."""
    angle = 2.0 * math.pi / shape.subdivision
    area = math.sin(angle) / angle
    return area, area * (2.0 + math.cos(angle)) / 3.0


@needs_libraries
@pytest.mark.parametrize('number', [8, 24, 37])
def test_a_tyre_without_curvature_is_a_hollow_prism_to_the_last_digit(number):
    shape = WheelShape(subdivision=number, curvature_factor=0.0)
    area, moment = polygon(shape)
    found = tyre_mesh(shape).mass_properties
    ring = math.pi * (0.4**2 - 0.28**2) * 0.3
    assert found.volume == pytest.approx(area * ring, rel=1e-12)
    assert found.inertia[2, 2] == pytest.approx(
        moment * 0.5 * math.pi * (0.4**4 - 0.28**4) * 0.3, rel=1e-12)
    assert found.center_mass == pytest.approx((0.0, 0.0, 0.0), abs=1e-12)


@needs_libraries
def test_a_tyre_of_full_curvature_is_the_outer_half_of_a_torus():
    # As wide as it is high, twice: the section is half a disc on the rim.
    shape = FINE._replace(thickness=0.24, curvature_factor=1.0, rim_beam_thickness=0.1)
    radius = 0.12
    by_pappus = 2.0 * math.pi * (0.28 + 4.0 * radius / (3.0 * math.pi)) * (
        0.5 * math.pi * radius**2)
    area, moment = polygon(shape)
    found = tyre_mesh(shape).mass_properties
    assert found.volume == pytest.approx(area * by_pappus, rel=5e-4)
    assert turned(tyre_outline(shape)) == pytest.approx(
        (by_pappus, found.inertia[2, 2] / moment), rel=5e-4)


@needs_libraries
@pytest.mark.parametrize('curvature', [0.1, 0.35, 0.8])
def test_round_shoulders_take_away_what_their_ellipses_leave(curvature):
    shape = FINE._replace(curvature_factor=curvature)
    volume, inertia = turned(tyre_outline(shape))
    area, moment = polygon(shape)
    found = tyre_mesh(shape).mass_properties
    assert found.volume == pytest.approx(area * volume, rel=2e-4)
    assert found.inertia[2, 2] == pytest.approx(moment * inertia, rel=2e-4)


def rim_by_formula(shape):
    """Return volume and moment about the axle of a round rim: ring, hub with cone, beams."""
    half, wall, rim = 0.5 * shape.thickness, shape.wall_radius, shape.rim_radius
    outer, inner = shape.central_outer_radius, shape.central_inner_radius
    ring = 2.0 * half
    cap = half - shape.rim_beam_offset - 0.5 * shape.rim_beam_thickness
    volume = (math.pi * (rim**2 - wall**2) * ring
              + math.pi * outer**2 * shape.rim_beam_thickness
              + math.pi * cap * (outer**2 + outer * inner + inner**2) / 3.0)
    moment = 0.5 * math.pi * (
        (rim**4 - wall**4) * ring + outer**4 * shape.rim_beam_thickness
        + cap * sum(outer**(4 - k) * inner**k for k in range(5)) / 5.0)
    # A beam between hub and ring, in strips along it.
    y = np.linspace(-0.5, 0.5, 20_001) * shape.rim_beam_width
    start, end = np.sqrt(outer**2 - y**2), np.sqrt(wall**2 - y**2)
    beams = shape.rim_beam_number * shape.rim_beam_thickness
    volume += beams * trapezoid(end - start, y)
    moment += beams * trapezoid((end**3 - start**3) / 3.0 + (end - start) * y**2, y)
    return volume, moment


@needs_libraries
@pytest.mark.parametrize('changes', [
    {}, {'rim_beam_number': 1, 'rim_beam_width': 0.02}, {'central_inner_radius': 0.13},
    {'rim_beam_number': 9, 'rim_beam_width': 0.05, 'rim_beam_offset': -0.05}])
def test_a_rim_is_ring_beams_and_central_part_and_nothing_twice(changes):
    shape = FINE._replace(**changes)
    volume, moment = rim_by_formula(shape)
    found = rim_mesh(shape).mass_properties
    assert found.volume == pytest.approx(volume, rel=1e-3)
    assert found.inertia[2, 2] == pytest.approx(moment, rel=1e-3)


@needs_libraries
def test_a_wheel_of_one_material_weighs_what_its_parts_weigh():
    parts = [rim_by_formula(FINE), turned(tyre_outline(FINE))]
    density = 30.0 / sum(volume for volume, _ in parts)
    found = wheel_mass(FINE, 30.0)
    assert found.about_axle == pytest.approx(density * sum(m for _, m in parts), rel=1e-3)
    assert found.mass == 30.0
    # Its beams are on the outer side.
    assert 0.0 < found.centre < FINE.rim_beam_offset
    assert 0.5 * found.about_axle < found.across < found.about_axle


@st.composite
def wheels(draw):
    """Give shapes that there can be."""
    share = st.floats(0.02, 0.98)
    tire = draw(st.floats(0.01, 2.0))
    rim = tire * draw(st.floats(0.1, 0.95))
    width = tire * draw(st.floats(0.05, 2.0))
    subdivision = draw(st.integers(8, 48))
    room = 0.93 * rim * math.cos(math.pi / subdivision)
    outer = room * draw(share)
    number = draw(st.integers(1, 12))
    thickness = width * draw(share)
    return WheelShape(
        width, tire, subdivision, draw(st.floats(0.0, 1.0)), draw(st.integers(1, 6)), rim, number,
        draw(share) * min(2.0 * outer, 2.0 * math.pi * room / number), outer * draw(share), outer,
        thickness, 0.5 * (width - thickness) * draw(st.floats(-1.0, 1.0)))


@needs_libraries
@settings(max_examples=15, deadline=None)
@given(wheels())
def test_every_wheel_that_there_can_be_is_closed_and_has_its_size(shape):
    assert shape.fault == ''
    tyre, rim = wheel_meshes(shape)
    for mesh in (tyre, rim):
        assert mesh.is_volume
        assert mesh.body_count == 1
        assert mesh.volume > 0.0
    half, close = 0.5 * shape.thickness, 1e-6 * shape.tire_radius
    # To one side of a polygon of an odd number of sides it does not reach the circle.
    assert tyre.bounds[1] == pytest.approx((shape.tire_radius, tyre.bounds[1][1], half), abs=close)
    assert shape.tire_radius * math.cos(math.pi / shape.subdivision) - close <= tyre.bounds[1][1]
    assert np.hypot(*tyre.vertices[:, :2].T).min() == pytest.approx(shape.rim_radius, abs=close)
    assert np.hypot(*rim.vertices[:, :2].T).max() == pytest.approx(shape.rim_radius, abs=close)
    assert np.abs(rim.vertices[:, 2]).max() <= half + close
    if shape.rim_beam_number > 1:
        assert rim.center_mass[:2] == pytest.approx((0.0, 0.0), abs=0.05 * shape.tire_radius)


# What there cannot be

@pytest.mark.parametrize(('values', 'message'), [
    ({'rim_radius': 0.06}, 'rim_radius is 0.06 m, expected less than the radius of the tyre,'),
    ({'central_outer_radius': 0.034}, 'central_outer_radius is 0.034 m, expected less than the'
                                      ' inside of the rim, 0.03243 m'),
    ({'central_inner_radius': 0.02}, 'central_inner_radius is 0.02 m, expected at most'
                                     ' central_outer_radius, 0.01625 m'),
    ({'rim_beam_width': 0.04}, 'rim_beam_width is 0.04 m, expected at most the diameter'),
    ({'rim_beam_number': 20}, '20 beams of rim_beam_width 0.0125 m leave no gap, expected less'
                              ' than 0.01019 m each'),
    ({'rim_beam_offset': 0.01}, 'reach 0.025 m from the middle, expected at most half the width of'
                                ' the wheel, 0.0225 m'),
    ({'rim_radius': -0.03}, "'vehicle.wheel.rim_radius' is -0.03, expected a number in"),
    ({'subdivision': 7}, "'vehicle.wheel.subdivision' is 7, expected an integer in [8, 256]"),
    ({'curvature_factor': 1.5}, "'vehicle.wheel.curvature_factor' is 1.5"),
    ({'rim_colour': [1.0, 2.0, 0.0]}, "'vehicle.wheel.rim_colour' is [1.0, 2.0, 0.0], expected"
                                      ' red, green and blue, each from 0 to 1'),
])
def test_a_wheel_that_there_cannot_be_is_one_line(values, message):
    with pytest.raises(ParameterError) as caught:
        VehicleParameters.from_values(
            {**RACECAR, **{f'vehicle.wheel.{name}': value for name, value in values.items()}})
    assert message in str(caught.value)
    assert '\n' not in str(caught.value)


def test_numbers_that_are_none_are_faults_of_a_shape():
    for name, kind in WheelShape.__annotations__.items():
        if kind == 'float':
            change: dict[str, Any] = {name: math.nan}
            assert WheelShape()._replace(**change).fault


# Files

@pytest.mark.parametrize(('radius', 'width'), [(0.05, 0.045), (0.374, 0.25), (0.28675, 0.145)])
def test_usual_wheels_of_any_size_are_the_one_that_ships(radius, width):
    files = wheel_files(DEFAULT_WHEEL.shape(radius, width))
    for mesh, name in zip(files, ('tyre', 'rim'), strict=True):
        assert mesh.uri == f'package://racecar/urdf/meshes/{name}.stl'
        assert mesh.scale == pytest.approx((radius / 0.05, radius / 0.05, width / 0.045))


@needs_libraries
def test_the_wheel_that_ships_is_stretched_to_what_would_be_made():
    shape = DEFAULT_WHEEL.shape(0.3, 0.2)
    for stretched, made in zip(wheel_meshes(SHIPPED_WHEEL), wheel_meshes(shape), strict=True):
        stretched.apply_scale((6.0, 6.0, 0.2 / 0.045))
        assert stretched.volume == pytest.approx(made.volume, rel=1e-5)
        assert stretched.bounds == pytest.approx(made.bounds, abs=1e-6)


@needs_libraries
def test_a_wheel_of_its_own_is_made_once_and_found_by_who_shows_it(tmp_path, monkeypatch):
    monkeypatch.setenv('XDG_CACHE_HOME', str(tmp_path))
    vehicle = VehicleParameters.from_values({
        **RACECAR, 'vehicle.wheel.rim_beam_number': 7, 'vehicle.wheel.curvature_factor': 0.6})
    uris = {shape.geometry.uri for link in describe_vehicle(vehicle).tree.links
            for shape in link.visuals if isinstance(shape.geometry, Mesh)
            and shape.name in ('tyre', 'rim')}
    assert len(uris) == 2
    for uri in uris:
        # Of all that RViz reads, what is not in a package.
        assert urlsplit(uri).scheme == 'file'
        assert resource_file(uri).is_relative_to(tmp_path)
    files = sorted(tmp_path.rglob('*.stl'))
    assert len(files) == 2
    wheel_files.cache_clear()
    before = [path.stat().st_mtime_ns for path in files]
    wheel_files(vehicle.wheel.shape(vehicle.wheel_radius, vehicle.wheel_width))
    assert [path.stat().st_mtime_ns for path in sorted(tmp_path.rglob('*.stl'))] == before


def test_without_the_libraries_one_line_says_what_to_install(monkeypatch):
    monkeypatch.setitem(sys.modules, 'trimesh', None)
    with pytest.raises(ConfigurationError, match='trimesh and manifold3d, .* not inst') as caught:
        wheel_meshes(WheelShape())
    assert '\n' not in str(caught.value)
    # The vehicles that ship need none.
    assert describe_vehicle(VehicleParameters.from_values(RACECAR)).tree.lamps


WITH_DESIGN = ('bmw_x5', 'car_2014', 'citroen_czero', 'racecar', 'tesla_model3', 'toyota_prius')


def test_each_shipped_road_car_has_a_wheel_of_its_own_that_ships_with_it():
    rims = {}
    for name in vehicle_names():
        vehicle = VehicleParameters.from_file(find_vehicle(name))
        for design in vehicle.wheel_designs:
            assert not design.shape.fault
            for mesh in wheel_files(design.shape):
                assert mesh.uri.startswith('package://racecar/urdf/meshes/')
        rims[name] = wheel_files(vehicle.wheel_designs[0].shape).rim.uri
    assert len({rims[name] for name in WITH_DESIGN}) == len(WITH_DESIGN)


@needs_libraries
@pytest.mark.parametrize('name', WITH_DESIGN)
def test_the_files_of_a_shipped_wheel_are_what_would_be_made(name):
    design = VehicleParameters.from_file(find_vehicle(name)).wheel_designs[2]
    for mesh, made in zip(wheel_files(design.shape), wheel_meshes(design.shape), strict=True):
        points = (corners_of(resource_file(mesh.uri).read_bytes()) * mesh.scale).reshape(-1, 3)
        size = design.shape.tire_radius
        assert points.min(axis=0) == pytest.approx(made.bounds[0], abs=1e-4 * size)
        assert points.max(axis=0) == pytest.approx(made.bounds[1], abs=1e-4 * size)
        assert volume(points.reshape(-1, 3, 3)) == pytest.approx(made.volume, rel=1e-3)


def test_the_car_of_2014_has_the_wheel_of_the_seed_in_all_fields():
    design = VehicleParameters.from_file(find_vehicle('car_2014')).wheel_designs[0]
    assert design.shape == pytest.approx(WheelShape())


def test_the_front_tyres_of_the_czero_are_narrower_than_the_rear_ones():
    vehicle = VehicleParameters.from_file(find_vehicle('citroen_czero'))
    assert [(shape.tire_radius, shape.thickness) for shape, _ in vehicle.wheel_designs] == [
        pytest.approx(size) for size in (
            (0.28475, 0.145), (0.28475, 0.145), (0.28675, 0.175), (0.28675, 0.175))]


@given(st.floats(0.02, 5.0), st.floats(0.02, 5.0))
@settings(max_examples=20)
def test_a_wheel_that_says_its_size_is_stretched_to_that_of_the_vehicle(radius, width):
    vehicle = VehicleParameters.from_file(find_vehicle('tesla_model3'))
    shape = vehicle.wheel.shape(radius, width)
    assert not shape.fault
    assert (shape.tire_radius, shape.thickness) == pytest.approx((radius, width))
    # rim_radius is 0.275 m of a wheel of 0.36 m.
    assert shape.rim_radius / radius == pytest.approx(0.275 / 0.36)
    assert wheel_files(shape).rim.uri == wheel_files(vehicle.wheel_designs[0].shape).rim.uri
