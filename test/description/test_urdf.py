# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""The URDF against the vehicles' parameters, the simulator's joints, the original and REP-103."""

from __future__ import annotations

import concurrent.futures
from dataclasses import replace
import math
from pathlib import Path
import xml.etree.ElementTree as ElementTree

from hypothesis import given, settings
from hypothesis import strategies as st
import numpy as np
from presence import present
import pytest

from racecar.base.errors import ConfigurationError
from racecar.base.share import vehicle_names
from racecar.base.types import HINGE_JOINTS, SUSPENSION_JOINTS, WHEEL_JOINTS
from racecar.description.urdf import read_urdf
from racecar.description.vehicle_description import describe_vehicle, expand_urdf
from racecar.dynamics.vehicles.parameters import VehicleParameters
from racecar.sensors import SENSOR_KINDS

ROOT = Path(__file__).resolve().parents[2]
ORIGINAL = {
    'base_link', 'chassis', 'chassis_inertia', 'left_rear_wheel', 'right_rear_wheel',
    'left_front_wheel', 'right_front_wheel', 'left_steering_hinge', 'right_steering_hinge',
    'laser', 'zed_camera_link', 'camera_link', 'zed_camera_right_link',
}
ADDED = {'base_imu_link', 'camera_optical_frame', 'zed_camera_right_optical_frame'}
GENERATED = {
    'base_link', 'chassis', 'chassis_inertia', 'front_slot', 'top_slot', 'rear_slot',
    'centre_slot', 'laser', 'camera_link', 'camera_optical_frame', 'base_imu_link',
    *(joint.removesuffix('_joint')
      for joint in (*WHEEL_JOINTS, *HINGE_JOINTS, *SUSPENSION_JOINTS)),
}


def vehicle_of(name):
    return VehicleParameters.from_file(ROOT / 'config' / 'vehicles' / f'{name}.yaml')


@pytest.fixture(params=['default', *vehicle_names()])
def case(request):
    """Element tree and vehicle: of the xacro file as it stands, and filled in by each vehicle."""
    if request.param == 'default':
        return ElementTree.fromstring(expand_urdf()), vehicle_of('racecar')
    vehicle = vehicle_of(request.param)
    return ElementTree.fromstring(describe_vehicle(vehicle).urdf), vehicle


@pytest.fixture
def robot():
    return ElementTree.fromstring(expand_urdf())


# Kinematics and masses by matrices, other than the package has them.


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


def links(robot):
    return {link.get('name'): link for link in robot.findall('link')}


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
    return (pose(robot, name) @ transform(links(robot)[name].find('collision/origin')))[:3, 3]


def axis(robot, name):
    joint = joints(robot)[name]
    rotation = pose(robot, joint.find('child').get('link'))[:3, :3]
    return rotation @ vector(joint.find('axis').get('xyz'))


def inertials(robot):
    """Yield name of the link, mass, place in base_link, tensor in the axes of base_link."""
    for name, link in links(robot).items():
        inertial = link.find('inertial')
        if inertial is not None:
            matrix = pose(robot, name) @ transform(inertial.find('origin'))
            numbers = {key: float(text) for key, text in inertial.find('inertia').items()}
            tensor = np.array([[numbers[''.join(('i', *sorted((a, b))))] for a in 'xyz']
                               for b in 'xyz'])
            yield (name, float(inertial.find('mass').get('value')), matrix[:3, 3],
                   matrix[:3, :3] @ tensor @ matrix[:3, :3].T)


def test_the_links_of_the_original_and_more_form_one_tree(case):
    robot, vehicle = case
    expected = GENERATED if vehicle.body.is_generated else ORIGINAL | ADDED
    assert links(robot).keys() == expected
    assert len(robot.findall('link')) == len(expected)
    assert len(robot.findall('joint')) == len(joints(robot)) == len(expected) - 1
    for link in expected:
        pose(robot, link)


def test_the_moving_joints_are_those_that_the_simulator_publishes(case):
    robot, vehicle = case
    moving = {name for name, joint in joints(robot).items() if joint.get('type') != 'fixed'}
    springs = SUSPENSION_JOINTS if vehicle.body.is_sprung else ()
    assert moving == {*WHEEL_JOINTS, *HINGE_JOINTS, *springs}


def test_the_geometry_is_that_of_the_vehicle_file(case):
    robot, vehicle = case
    rear_x = -vehicle.cog_to_rear_axle - vehicle.odometry_offset
    for side, sign in (('left', 1.0), ('right', -1.0)):
        for i, (axle, x) in enumerate((('front', rear_x + vehicle.wheelbase), ('rear', rear_x))):
            name = f'{side}_{axle}_wheel'
            expected = [x, sign * 0.5 * vehicle.track_widths[i], vehicle.wheel_radii[i]]
            assert wheel_centre(robot, name) == pytest.approx(expected, abs=1e-9)
            cylinder = links(robot)[name].find('collision/geometry/cylinder')
            assert float(cylinder.get('radius')) == vehicle.wheel_radii[i]
            assert float(cylinder.get('length')) == vehicle.wheel_widths[i]


def test_wheels_roll_forward_and_hinges_steer_left(case):
    robot, _ = case
    for name in joints(robot):
        if name.endswith('hinge_joint'):
            assert axis(robot, name) == pytest.approx([0, 0, 1], abs=1e-9)
        elif name.endswith('wheel_joint'):
            assert axis(robot, name) == pytest.approx([0, 1, 0], abs=1e-9)


def hinge_limits(robot):
    hinges = [joints(robot)[name] for name in HINGE_JOINTS]
    assert [hinge.get('type') for hinge in hinges] == ['revolute', 'revolute']
    limits = [hinge.find('limit') for hinge in hinges]
    return {(float(limit.get('lower')), float(limit.get('upper'))) for limit in limits}


def test_both_hinges_are_revolute_and_stop_where_the_inner_wheel_does(case):
    robot, vehicle = case
    # cot(inner) = cot(middle) - t/(2 L)
    inner = math.pi / 2.0 - math.atan(
        1.0 / math.tan(vehicle.steering_limit)
        - 0.5 * vehicle.track_width / vehicle.wheelbase)
    (lower, upper), = hinge_limits(robot)
    assert lower == -upper
    assert upper == pytest.approx(max(vehicle.steering_limit, min(inner, 1.0)))


@pytest.mark.parametrize(('name', 'stop'), [
    ('racecar', 1.0), ('bmw_x5', 1.0), ('tesla_model3', 1.0), ('citroen_czero', 0.631)])
def test_the_stops_are_those_that_the_vehicle_files_state(name, stop):
    """The inner wheel is there at its stop when the car steers by its limit, they say."""
    vehicle = vehicle_of(name)
    (_, upper), = hinge_limits(ElementTree.fromstring(describe_vehicle(vehicle).urdf))
    assert upper == pytest.approx(stop, abs=1e-3)


def test_effort_and_speed_of_all_joints_are_limited_as_in_the_original_or_the_report():
    for arguments, effort in (({}, 10.0), ({'effort_limit': 1000}, 1000.0)):
        moving = [joint for joint in read_urdf(expand_urdf(arguments)).joints if joint.moves]
        assert len(moving) == 6
        assert {(joint.limit.effort, joint.limit.velocity) for joint in moving} == {
            (effort, 100.0)}


def test_each_moving_joint_has_a_transmission_and_an_entry_for_ros2_control(robot):
    names = {*WHEEL_JOINTS, *HINGE_JOINTS}
    transmissions = robot.findall('transmission')
    assert {t.find('joint').get('name') for t in transmissions} == names
    assert len(transmissions) == 6
    for transmission in transmissions:
        name = transmission.find('joint').get('name').removesuffix('_joint')
        assert transmission.get('name') == f'{name}_transmission'
        assert transmission.find('actuator').get('name') == f'{name}_motor'
        assert transmission.findtext('type') == 'transmission_interface/SimpleTransmission'
        assert transmission.findtext('actuator/mechanicalReduction') == '1'
        assert {e.text for e in transmission.iter('hardwareInterface')} == {
            'hardware_interface/EffortJointInterface'}
    control, = robot.findall('ros2_control')
    assert {joint.get('name') for joint in control.findall('joint')} == names
    for joint in control.findall('joint'):
        second = 'position' if 'hinge' in joint.get('name') else 'velocity'
        assert [e.get('name') for e in joint.findall('command_interface')] == ['effort', second]
    assert control.findtext('hardware/plugin') == 'mock_components/GenericSystem'


def test_an_argument_that_makes_no_sense_is_refused_in_one_line():
    with pytest.raises(ConfigurationError) as caught:
        expand_urdf({'wheelbase': 'long'})
    assert 'racecar.urdf.xacro cannot be expanded' in str(caught.value)
    assert '\n' not in str(caught.value)


# Masses


def test_mass_centre_of_gravity_and_yaw_inertia_are_those_of_the_vehicle_file(case):
    robot, vehicle = case
    parts = list(inertials(robot))
    mass = sum(mass for _, mass, _, _ in parts)
    centre = sum(mass * place for _, mass, place, _ in parts) / mass
    yaw_inertia = sum(
        tensor[2, 2] + mass * ((place - centre)[0]**2 + (place - centre)[1]**2)
        for _, mass, place, tensor in parts)
    # The file has the sums of the original rounded.
    assert mass == pytest.approx(vehicle.mass, rel=1e-9)
    assert centre == pytest.approx(
        [-vehicle.odometry_offset, 0.0, vehicle.cog_height], abs=2e-5)
    assert yaw_inertia == pytest.approx(vehicle.yaw_inertia, rel=2e-4)


def test_each_part_is_one_that_can_exist(case):
    robot, vehicle = case
    for name, mass, _, tensor in inertials(robot):
        assert mass > 0.0, name
        moments = np.linalg.eigvalsh(tensor)
        assert moments[0] > 0.0, name
        assert moments[2] <= moments[0] + moments[1], name


def test_masses_and_inertias_are_those_of_the_original(robot):
    parts = {name: (mass, tensor) for name, mass, _, tensor in inertials(robot)}
    expected = {
        'chassis_inertia': (4.0, [0.010609, 0.050409, 0.05865]),
        'laser': (0.13, [4e-6] * 3), 'left_steering_hinge': (0.1, [4e-6] * 3),
        'camera_link': (1e-5, [1e-6] * 3), 'zed_camera_link': (1e-5, [1e-6] * 3),
        # Its axle, z, points to the right of the car.
        'left_front_wheel': (0.34055, [0.00026046, 0.00041226, 0.00026046])}
    for name, (mass, diagonal) in expected.items():
        assert parts[name][0] == mass
        assert np.diag(parts[name][1]) == pytest.approx(diagonal, rel=1e-5)


@given(**{name: st.floats(*limits) for name, limits in {
    'mass': (0.2, 5000.0), 'yaw_inertia': (0.001, 10000.0), 'cog_to_front_axle': (0.05, 3.0),
    'cog_to_rear_axle': (0.05, 3.0), 'cog_height': (0.0, 1.0), 'track_width': (0.05, 3.0),
    'wheel_radius': (0.01, 0.6), 'wheel_width': (0.01, 0.4),
    'wheel_inertia': (1e-6, 10.0)}.items()})
@settings(max_examples=30)
def test_any_vehicle_has_parts_that_can_exist_and_its_own_mass(**numbers):
    vehicle = replace(vehicle_of('racecar'), **numbers)
    tree = describe_vehicle(vehicle).tree
    for link in tree.links:
        if link.inertial is not None:
            assert link.inertial.mass > 0.0, link.name
            moments = np.linalg.eigvalsh(link.inertial.tensor)
            assert moments[0] > 0.0, link.name
            assert moments[2] <= (moments[0] + moments[1]) * (1.0 + 1e-9), link.name
    whole = tree.mass_properties()
    assert whole.mass == pytest.approx(vehicle.mass)
    assert whole.centre == pytest.approx(
        [-vehicle.odometry_offset, 0.0, vehicle.cog_height], abs=1e-9)
    # Wheels and hinges that lie so far out that they alone have more leave less for the body.
    chassis = present(tree.link('chassis_inertia').inertial)
    assert whole.tensor[2, 2] == pytest.approx(vehicle.yaw_inertia) or (
        chassis.izz == pytest.approx(0.05 * vehicle.yaw_inertia))


# Frames


def test_optical_frames_look_forward_with_x_to_the_right_and_y_down(case):
    robot, vehicle = case
    lenses = (('camera_link', 'camera_optical_frame'),
              ('zed_camera_right_link', 'zed_camera_right_optical_frame'))
    for lens, optical in lenses[:1] if vehicle.body.is_generated else lenses:
        matrix = pose(robot, optical)
        assert matrix[:3, 3] == pytest.approx(pose(robot, lens)[:3, 3])
        x, y, z = matrix[:3, :3].T
        assert x == pytest.approx([0, -1, 0], abs=1e-12)
        assert y == pytest.approx([0, 0, -1], abs=1e-12)
        assert z == pytest.approx([1, 0, 0], abs=1e-12)


def test_the_numbers_of_the_sensors_are_those_of_the_original(robot):
    found = {sensor.get('name'): sensor for sensor in robot.findall('sensor')}
    scan = found['laser'].find('ray/horizontal')
    assert (found['laser'].get('update_rate'), scan.get('samples')) == ('40', '1081')
    assert float(scan.get('max_angle')) == -float(scan.get('min_angle')) == pytest.approx(
        0.75 * math.pi, abs=1e-9)
    image = found['camera'].find('camera/image')
    # The focal length of the camera's calibration.
    assert 0.5 * float(image.get('width')) / math.tan(
        0.5 * float(image.get('hfov'))) == pytest.approx(687.8066)
    for sensor in found.values():
        assert sensor.find('parent').get('link') in links(robot)
    # The simulators' own laser has the same by default.
    laser = {row.name: row.default for row in SENSOR_KINDS['laser'].parameters}
    assert (laser['rays'], laser['angle_min'], laser['angle_max']) == (
        int(scan.get('samples')), float(scan.get('min_angle')), float(scan.get('max_angle')))


def test_sensors_are_where_the_original_has_them(robot):
    places = {name: pose(robot, name)[:3, 3] for name in links(robot)}
    assert places['laser'] == pytest.approx([0.265, 0.0, 0.1374])
    assert places['zed_camera_link'] == pytest.approx([0.390, 0.0, 0.09])
    assert places['camera_link'] == pytest.approx([0.390, 0.06, 0.09])
    assert places['zed_camera_right_link'] == pytest.approx([0.390, -0.06, 0.09])
    assert places['base_imu_link'] == pytest.approx([0.245, 0.0, 0.117])
    assert pose(robot, 'base_imu_link')[:3, :3] == pytest.approx(np.eye(3))


def test_several_threads_may_ask_for_descriptions():
    with concurrent.futures.ThreadPoolExecutor(4) as threads:
        found = [*threads.map(lambda _: expand_urdf(), range(8))]
    assert set(found) == {expand_urdf()}
