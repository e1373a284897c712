# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""The URDF against the vehicle's parameters, the simulator's joints and REP-103.

Without xacro a small reader of arguments, properties, expressions and macros takes its place.
"""

from __future__ import annotations

import ast
import copy
import math
from pathlib import Path
import re
import xml.etree.ElementTree as ElementTree

import numpy as np
import pytest

from racecar.core.types import HINGE_JOINTS, WHEEL_JOINTS
from racecar.core.vehicles.parameters import VehicleParameters

ROOT = Path(__file__).resolve().parents[2]
URDF = ROOT / 'urdf' / 'racecar.urdf.xacro'
NAMESPACE = '{http://www.ros.org/wiki/xacro}'
LINKS = {
    'base_link', 'chassis', 'chassis_inertia', 'left_rear_wheel', 'right_rear_wheel',
    'left_front_wheel', 'right_front_wheel', 'left_steering_hinge', 'right_steering_hinge',
    'laser', 'zed_camera_link', 'camera_link', 'zed_camera_right_link',
}


def expand_without_xacro():
    """Return the robot element with everything filled in."""
    robot = ElementTree.parse(URDF).getroot()
    arguments = {e.get('name'): e.get('default') for e in robot.iter(f'{NAMESPACE}arg')}
    names = {'pi': math.pi}

    def fill(text, extra):
        text = re.sub(r'\$\(arg (\w+)\)', lambda m: arguments[m.group(1)], text)
        return re.sub(r'\$\{([^}]*)\}', lambda m: str(
            eval(m.group(1), {'__builtins__': {}}, {**names, **extra})), text)

    def literal(text):
        try:
            return ast.literal_eval(text)
        except (ValueError, SyntaxError):
            return text

    for element in robot.iter(f'{NAMESPACE}property'):
        names[element.get('name')] = literal(fill(element.get('value'), {}))
    macros = {e.get('name'): e for e in robot.iter(f'{NAMESPACE}macro')}

    def expand(element, extra):
        for key, text in element.attrib.items():
            element.set(key, fill(text, extra))
        children = []
        for child in element:
            name = child.tag.removeprefix(NAMESPACE)
            if child.tag.startswith(NAMESPACE) and name in macros:
                given = {key: literal(text) for key, text in child.attrib.items()}
                body = copy.deepcopy(macros[name])
                for part in body:
                    expand(part, given)
                children += list(body)
            elif not child.tag.startswith(NAMESPACE):
                expand(child, extra)
                children.append(child)
        element[:] = children

    expand(robot, {})
    return robot


def expand_with_xacro():
    xacro = pytest.importorskip('xacro', reason='xacro is not installed')
    return ElementTree.fromstring(xacro.process_file(str(URDF)).toxml())


@pytest.fixture(params=[expand_without_xacro, expand_with_xacro])
def robot(request):
    return request.param()


def vector(text):
    return np.array([float(number) for number in (text or '0 0 0').split()])


def transform(element):
    """Return the 4x4 matrix of an <origin>; the identity where there is none."""
    matrix = np.eye(4)
    if element is None:
        return matrix
    roll, pitch, yaw = vector(element.get('rpy'))
    cr, sr, cp, sp = math.cos(roll), math.sin(roll), math.cos(pitch), math.sin(pitch)
    cy, sy = math.cos(yaw), math.sin(yaw)
    matrix[:3, :3] = (np.array([[cy, -sy, 0], [sy, cy, 0], [0, 0, 1]])
                      @ np.array([[cp, 0, sp], [0, 1, 0], [-sp, 0, cp]])
                      @ np.array([[1, 0, 0], [0, cr, -sr], [0, sr, cr]]))
    matrix[:3, 3] = vector(element.get('xyz'))
    return matrix


def joints(robot):
    return {joint.get('name'): joint for joint in robot.findall('joint')}


def pose(robot, link):
    """Return the 4x4 pose of a link in base_link, all joints at zero."""
    matrix = np.eye(4)
    by_child = {joint.find('child').get('link'): joint for joint in robot.findall('joint')}
    while link in by_child:
        joint = by_child[link]
        matrix = transform(joint.find('origin')) @ matrix
        link = joint.find('parent').get('link')
    assert link == 'base_link'
    return matrix


def wheel_centre(robot, name):
    link = next(e for e in robot.findall('link') if e.get('name') == name)
    return (pose(robot, name) @ transform(link.find('collision/origin')))[:3, 3]


def axis(robot, name):
    joint = joints(robot)[name]
    rotation = pose(robot, joint.find('child').get('link'))[:3, :3]
    return rotation @ vector(joint.find('axis').get('xyz'))


def test_the_links_of_the_original_form_one_tree(robot):
    assert {link.get('name') for link in robot.findall('link')} == LINKS
    assert len(joints(robot)) == len(LINKS) - 1
    for link in LINKS:
        pose(robot, link)


def test_the_moving_joints_are_those_that_the_simulator_publishes(robot):
    moving = {name for name, joint in joints(robot).items() if joint.get('type') != 'fixed'}
    assert moving == {*WHEEL_JOINTS, *HINGE_JOINTS}


def test_the_geometry_is_that_of_the_vehicle_file(robot):
    vehicle = VehicleParameters.from_file(ROOT / 'config' / 'vehicles' / 'racecar.yaml')
    for side, sign in (('left', 1.0), ('right', -1.0)):
        for axle, x in (('rear', 0.0), ('front', vehicle.wheelbase)):
            expected = [x, sign * 0.5 * vehicle.track_width, vehicle.wheel_radius]
            assert wheel_centre(robot, f'{side}_{axle}_wheel') == pytest.approx(expected, abs=1e-9)
    radii = {float(c.get('radius')) for c in robot.iter('cylinder')}
    assert radii == {vehicle.wheel_radius}


def test_the_mass_is_that_of_the_vehicle_file(robot):
    vehicle = VehicleParameters.from_file(ROOT / 'config' / 'vehicles' / 'racecar.yaml')
    mass = sum(float(element.get('value')) for element in robot.iter('mass'))
    assert mass == pytest.approx(vehicle.mass, abs=1e-4)


def test_wheels_roll_forward_and_hinges_steer_left(robot):
    for name in joints(robot):
        if name.endswith('hinge_joint'):
            assert axis(robot, name) == pytest.approx([0, 0, 1], abs=1e-9)
        elif name.endswith('wheel_joint'):
            assert axis(robot, name) == pytest.approx([0, 1, 0], abs=1e-9)


def test_both_hinges_are_revolute_within_the_limit_of_the_vehicle(robot):
    vehicle = VehicleParameters.from_file(ROOT / 'config' / 'vehicles' / 'racecar.yaml')
    for side in ('left', 'right'):
        hinge = joints(robot)[f'{side}_steering_hinge_joint']
        assert hinge.get('type') == 'revolute'
        limit = hinge.find('limit')
        assert float(limit.get('lower')) == -vehicle.steering_limit
        assert float(limit.get('upper')) == vehicle.steering_limit


def test_no_mesh_is_needed(robot):
    assert not list(robot.iter('mesh'))


@pytest.mark.parametrize('name', ['f1tenth', 'report'])
def test_the_launch_files_fill_in_the_vehicle(name):
    pytest.importorskip('xacro', reason='xacro is not installed')
    pytest.importorskip('launch_ros', reason='launch_ros is not installed')
    from racecar.stacks.launching import robot_description

    vehicle = VehicleParameters.from_file(ROOT / 'config' / 'vehicles' / f'{name}.yaml')
    filled = ElementTree.fromstring(robot_description(vehicle))
    front, rear = (wheel_centre(filled, f'left_{axle}_wheel') for axle in ('front', 'rear'))
    assert front[0] - rear[0] == pytest.approx(vehicle.wheelbase)
    assert rear[1] == pytest.approx(0.5 * vehicle.track_width)
    assert rear[2] == pytest.approx(vehicle.wheel_radius)
    # base_link is where the odometry refers to.
    assert rear[0] == pytest.approx(-vehicle.cog_to_rear_axle - vehicle.odometry_offset)
