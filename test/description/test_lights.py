# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""Lamps as parts of a car: from parameters to shapes, into URDF and back."""

import math
import re

import numpy as np
import pytest
import trimesh

from racecar.base.errors import ConfigurationError, ParameterError
from racecar.base.parameter_file import load_parameter_file
from racecar.base.poses import NO_POSE, pose_of_angles, pose_of_child, rotated
from racecar.base.shapes import Box, Cylinder, Mesh, Shape, Sphere
from racecar.base.share import find_config, resource_file, vehicle_names
from racecar.base.types import Lamps, LampSwitches
from racecar.description.lights import LampPlace, light_parts
from racecar.description.robot_tree import Link, RobotTree
from racecar.description.triangles import corners_of
from racecar.description.urdf import read_urdf
from racecar.description.urdf_writer import write_urdf
from racecar.description.vehicle_description import describe_vehicle
from racecar.dynamics.vehicles.light_parameters import DEFAULT_LIGHTS, Lights
from racecar.dynamics.vehicles.parameters import VehicleParameters
from racecar.simulation.lamp_board import LampBoard

RACECAR = load_parameter_file(find_config('vehicles/racecar'), 'any_node')
MIDDLE = {'braking': [LampPlace(NO_POSE._replace(x=-1.0), 0.2, 0.1)]}


def lights(**values):
    return Lights.from_values(
        {f"vehicle.lights.{name.replace('__', '.')}": value for name, value in values.items()})


def lamps_of(settings, places):
    """Return function, shape and lamp of each part."""
    shapes, lamps = light_parts(settings, places, 'chassis')
    assert [lamp.visual for lamp in lamps] == [shape.name for shape in shapes]
    return [(lamp.function, shape, lamp) for shape, lamp in zip(shapes, lamps, strict=True)]


def test_colours_are_those_of_the_seed_but_for_the_two_that_it_has_the_wrong_way_round():
    colours = {name: group.colour for name, group in DEFAULT_LIGHTS._asdict().items()}
    white, red = (0.8, 0.8, 0.8), (0.7, 0.12, 0.12)
    assert colours == {'front': white, 'indicator': (1.0, 0.7, 0.1), 'antifog': white,
                       'braking': red, 'rear': red, 'backwards': white}


@pytest.mark.parametrize('name', vehicle_names())
def test_every_car_has_every_lamp_on_the_right_side_and_end(name):
    vehicle = VehicleParameters.from_file(find_config(f'vehicles/{name}'))
    tree = describe_vehicle(vehicle).tree
    assert {lamp.function for lamp in tree.lamps} == set(Lamps._fields)
    middle = 0.5 * vehicle.wheelbase
    for lamp in tree.lamps:
        x, y, z = tree.lamp_shape(lamp).origin[:3]
        if 'indicator' in lamp.function:
            assert (y > 0.0) == (lamp.function == 'left_indicator')
        elif lamp.function in ('front', 'antifog'):
            assert x > middle
        else:
            assert x < middle
        # Below the axle of the rear wheels is the ground.
        assert -vehicle.wheel_radii[1] < z < 2.0
    ends = [tree.lamp_shape(lamp).origin.x > middle for lamp in tree.lamps
            if lamp.function == 'left_indicator']
    assert sorted(ends) == [False, True]


def test_what_is_on_the_left_is_mirrored_to_the_right():
    place = LampPlace(pose_of_angles(2.0, 0.5, 0.3, 0.0, 0.0, 0.2), 0.2, 0.1)
    (left_function, left, _), (right_function, right, _) = lamps_of(
        DEFAULT_LIGHTS, {'indicator': [place]})
    assert (left_function, right_function) == ('left_indicator', 'right_indicator')
    assert left.origin == place.pose
    assert right.origin == pytest.approx(pose_of_angles(2.0, -0.5, 0.3, 0.0, 0.0, -0.2))
    assert right.geometry == left.geometry


def test_in_the_middle_there_is_one():
    (function, _, lamp), = lamps_of(DEFAULT_LIGHTS, MIDDLE)
    assert (function, lamp.visual) == ('brake', 'braking_lamp_0')


@pytest.mark.parametrize(('shape', 'geometry'), [
    ('box', Box((0.04, 0.3, 0.2))), ('cylinder', Cylinder(0.1, 0.04)), ('sphere', Sphere(0.1))])
def test_shape_size_place_and_colour_are_parameters(shape, geometry):
    settings = lights(
        braking__shape=shape, braking__size=[0.04, 0.3, 0.2], braking__colour=[0.9, 0.1, 0.2],
        braking__positions=[-1.0, 0.0, 0.9, -1.1, 0.4, 0.5])
    found = lamps_of(settings, MIDDLE)
    assert [part.origin[:3] for _, part, _ in found] == [
        (-1.0, 0.0, 0.9), (-1.1, 0.4, 0.5), (-1.1, -0.4, 0.5)]
    for _, part, lamp in found:
        assert part.geometry == geometry
        assert lamp.colour == (0.9, 0.1, 0.2)
        # Dark, it is less bright and of the same hue.
        assert part.colour[0] / part.colour[1] == pytest.approx(9.0)
        assert part.colour[0] < 0.5


def test_a_group_may_have_no_lamps():
    assert lamps_of(lights(braking__shape='none'), MIDDLE) == []


@pytest.mark.parametrize(('name', 'value', 'message'), [
    ('front.colour', [0.5, 0.5], 'red, green and blue, each from 0 to 1'),
    ('front.colour', [0.5, 0.5, 1.5], 'red, green and blue, each from 0 to 1'),
    ('front.size', [0.1, 0.1], 'depth, width and height above 0 m'),
    ('front.size', [0.1, 0.1, 0.0], 'depth, width and height above 0 m'),
    ('front.positions', [1.0, 0.5], 'x, y and z of each lamp'),
    ('front.positions', [1.0, -0.5, 0.0], 'since the right side mirrors the left'),
    ('front.positions', [math.nan, 0.5, 0.0], 'expected a list of finite numbers'),
    ('front.shape', 'cone', 'expected one of none, box, cylinder, sphere'),
    ('frnt.shape', 'box', 'unknown'),
])
def test_what_there_cannot_be_is_one_line(name, value, message):
    with pytest.raises(ParameterError) as caught:
        VehicleParameters.from_values({**RACECAR, f'vehicle.lights.{name}': value})
    assert message in str(caught.value)
    assert name in str(caught.value)
    assert '\n' not in str(caught.value)


def triangles_of(shape):
    """Return the faces of a shape in its link (n, 3, 3); those of round ones are inscribed."""
    if isinstance(shape.geometry, Mesh):
        points = corners_of(resource_file(shape.geometry.uri).read_bytes()) * np.array(
            shape.geometry.scale)
    elif isinstance(shape.geometry, Box):
        points = trimesh.creation.box(shape.geometry.size).triangles
    elif isinstance(shape.geometry, Cylinder):
        points = trimesh.creation.cylinder(*shape.geometry).triangles
    else:
        points = trimesh.creation.icosphere(1, shape.geometry.radius).triangles
    flat = [pose_of_child(shape.origin, NO_POSE._replace(x=x, y=y, z=z))[:3]
            for x, y, z in points.reshape(-1, 3).tolist()]
    return np.array(flat).reshape(-1, 3, 3)


def is_inside(point, triangles):
    """Tell whether a point is in a closed solid: its faces are then seen all around it.

    The solid angles of the triangles (van Oosterom and Strackee 1983) add up to 4 pi, or to 0.
    """
    a, b, c = np.moveaxis(triangles - point, 1, 0)
    la, lb, lc = (np.linalg.norm(corner, axis=1) for corner in (a, b, c))
    volume = np.einsum('ij,ij->i', a, np.cross(b, c))
    around = la * lb * lc + lc * np.einsum('ij,ij->i', a, b) + la * np.einsum(
        'ij,ij->i', b, c) + lb * np.einsum('ij,ij->i', c, a)
    return abs(np.arctan2(volume, around).sum()) > math.pi


# Out of the body, in the frame of a shape.
OUT = {Box: (1.0, 0.0, 0.0), Cylinder: (0.0, 0.0, 1.0)}


def of_shape(name, shape):
    values = load_parameter_file(find_config(f'vehicles/{name}'), 'any_node')
    return VehicleParameters.from_values({**values, 'vehicle.body.shape': shape})


@pytest.mark.parametrize('vehicle', [
    *(pytest.param(of_shape(name, shape), id=f'{name}-{shape}')
      for name in ('bmw_x5', 'citroen_czero')
      for shape in ('saloon', 'hatchback', 'suv', 'axles')),
    *(pytest.param(VehicleParameters.from_file(find_config(f'vehicles/{name}')), id=name)
      for name in ('racecar', 'f1tenth', 'report', 'car_2014', 'toyota_prius'))])
def test_the_back_of_every_lamp_is_in_the_body_and_its_front_is_seen(vehicle):
    tree = describe_vehicle(vehicle).tree
    lamps = {lamp.visual for lamp in tree.lamps}
    visuals = tree.link('chassis').visuals
    solids = [triangles_of(shape) for shape in visuals if shape.name not in lamps]
    for shape in visuals:
        if shape.name not in lamps or shape.origin.y < 0.0:
            continue
        out = rotated(shape.origin[3:], OUT[type(shape.geometry)])
        corners = np.unique(triangles_of(shape).reshape(-1, 3), axis=0)
        depths = (corners - shape.origin[:3]) @ out
        backs, fronts = corners[depths < -1e-9], corners[depths > 1e-9]
        for point in backs:
            assert any(is_inside(point, solid) for solid in solids), (shape.name, point)
        for point in fronts:
            assert not any(is_inside(point, solid) for solid in solids), (shape.name, point)


# In URDF

def test_lamps_come_back_from_urdf_as_they_went():
    vehicle = VehicleParameters.from_values(RACECAR)
    tree = describe_vehicle(vehicle).tree
    again = read_urdf(write_urdf(tree))
    assert again.lamps == tree.lamps
    for lamp in tree.lamps:
        a, b = tree.lamp_shape(lamp), again.lamp_shape(lamp)
        assert a.geometry == b.geometry
        assert a.origin == pytest.approx(b.origin)


@pytest.mark.parametrize('yaw', [-3.0, -0.2, 0.0, 0.145, 2.0])
@pytest.mark.parametrize('pitch', [-0.5 * math.pi, 0.5 * math.pi, 0.3])
def test_a_shape_that_looks_straight_up_or_down_comes_back_from_urdf_as_it_went(pitch, yaw):
    shape = Shape(pose_of_angles(1.0, 2.0, 3.0, 0.0, pitch, yaw), Sphere(0.1))
    link, = read_urdf(write_urdf(RobotTree('one', (Link('base', visuals=(shape,)),), ()))).links
    back = link.visuals[0].origin
    assert back[:3] == shape.origin[:3]
    assert abs(np.dot(back[3:], shape.origin[3:])) == pytest.approx(1.0)


@pytest.mark.parametrize(('old', 'new', 'message'), [
    ('function="brake"', 'function="horn"', "has the function 'horn', expected one of left_ind"),
    ('link="chassis"', 'link="roof"', "has no link 'roof'"),
    ('visual="left_braking_lamp_0"', 'visual="window"', 'which has 0 of this name, expected one'),
    ('rgb="0.7 0.12 0.12"', 'rgb="0.7 red 0.12"', "rgb is '0.7 red 0.12', expected 3 finite"),
    ('function="brake"', '', 'a <lamp> has no function'),
])
def test_a_lamp_that_is_none_is_one_line(old, new, message):
    text = describe_vehicle(VehicleParameters.from_values(RACECAR)).urdf
    line = next(row for row in text.splitlines() if '<lamp' in row and 'left_braking' in row)
    assert old in line
    with pytest.raises(ConfigurationError) as caught:
        read_urdf(text.replace(line, line.replace(old, new)))
    assert re.search(re.escape(message), str(caught.value))
    assert '\n' not in str(caught.value)


# Switching

class Clock:
    time_ns = 0


@pytest.fixture
def clock():
    return Clock()


@pytest.fixture
def board(clock):
    return LampBoard(
        lambda: describe_vehicle(VehicleParameters.from_values(RACECAR)), lambda: clock.time_ns)


def test_a_board_shows_what_is_switched_and_blinks_by_the_time_of_its_plant(board, clock):
    assert board.lit() == Lamps()
    board.switch(LampSwitches(left_indicator=True, brake=True))
    for time_ns, is_lit in ((0, True), (339_999_999, True), (340_000_000, False),
                            (679_999_999, False), (680_000_000, True)):
        clock.time_ns = time_ns
        assert board.lit() == Lamps(left_indicator=is_lit, brake=True)
        bright = {mark.function for mark in board.markers().markers if max(mark.colour[:3]) > 0.5}
        assert bright == ({'brake', 'left_indicator'} if is_lit else {'brake'})


def test_a_board_gives_one_object_as_long_as_nothing_changes(board):
    assert board.markers() is board.markers()


@pytest.mark.parametrize('period', [0.0, -1.0, math.nan, math.inf, 0.009, 11.0])
def test_a_period_out_of_range_leaves_the_lamps_as_they_are(board, period):
    board.switch(LampSwitches(brake=True))
    with pytest.raises(ParameterError, match='indicator_period of the lamps is .* from 0.01 to 1'):
        board.switch(LampSwitches(front=True, indicator_period=period))
    assert board.lit() == Lamps(brake=True)


def test_a_robot_that_nobody_can_describe_shows_none():
    def describe():
        raise ConfigurationError('no xacro')
    assert LampBoard(describe, lambda: 0).markers().markers == ()
