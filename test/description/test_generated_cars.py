# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""Generated cars against their files, seed 000 and formulas of their own."""

from collections import Counter
from dataclasses import replace
import math
import os
import tempfile
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st
import numpy as np
from presence import present
import pytest

from racecar.base.errors import ConfigurationError, ParameterError
from racecar.base.poses import pose_of_child, rotated
from racecar.base.shapes import Box
from racecar.base.share import find_vehicle, resource_file, vehicle_names
from racecar.base.types import SUSPENSION_JOINTS, WHEEL_JOINTS
from racecar.description.axle_devices import driven_wheels
from racecar.description.car_surfaces import (
    Arch,
    body,
    line_at,
    pane_patch,
    shell,
    side_patch,
    Skin,
)
from racecar.description.mesh_store import stored_mesh
from racecar.description.triangles import corners_of, volume
from racecar.description.urdf import read_urdf
from racecar.description.urdf_writer import write_urdf
from racecar.description.vehicle_description import describe_vehicle
from racecar.dynamics.vehicles.parameters import VehicleParameters
from racecar.dynamics.vehicles.ride import ride_of
from racecar.dynamics.vehicles.suspension import corners

# Of seed 000, table 1, as it stands there: x to the right, y up, z forward.
TABLE_1 = {
    'bmw_x5': ((0.0, 0.45, 3.85), (0.0, 1.45, 1.0), (0.0, 0.3, -1.0)),
    'citroen_czero': ((0.0, 0.05, 3.075), (0.0, 1.35, 1.075), (0.0, 0.3, -0.425)),
    'toyota_prius': ((0.0, 0.40, 3.635), (0.0, 1.30, 1.1), (0.0, 0.3, -0.85)),
}


def vehicle_of(name):
    return VehicleParameters.from_file(find_vehicle(name))


GENERATED = [name for name in vehicle_names() if vehicle_of(name).body.is_generated]


def test_all_cars_of_the_driver_are_generated():
    assert GENERATED == ['bmw_x5', 'car_2014', 'citroen_czero', 'tesla_model3', 'toyota_prius']


@pytest.mark.parametrize('name', GENERATED)
def test_dimensions_and_all_moments_of_inertia_are_those_of_the_file(name):
    vehicle = vehicle_of(name)
    tree = describe_vehicle(vehicle).tree
    poses = tree.poses()
    for side, sign in (('left', 1.0), ('right', -1.0)):
        for axle, x, track, radius in (
                ('front', vehicle.wheelbase, vehicle.track_widths[0], vehicle.wheel_radii[0]),
                ('rear', 0.0, vehicle.track_widths[1], vehicle.wheel_radii[1])):
            wheel = tree.link(f'{side}_{axle}_wheel')
            middle = pose_of_child(poses[wheel.name], wheel.collisions[0].origin)
            assert middle[:3] == pytest.approx((x, sign * 0.5 * track, radius), abs=1e-12)
            assert present(wheel.inertial).mass == getattr(vehicle.body, axle).wheel_mass
            assert present(wheel.inertial).izz == vehicle.wheel_inertia
    whole = tree.mass_properties()
    assert whole.mass == pytest.approx(vehicle.mass, rel=1e-12)
    assert whole.centre == pytest.approx(
        (vehicle.cog_to_rear_axle, 0.0, vehicle.cog_height), abs=1e-12)
    assert np.diag(whole.tensor) == pytest.approx(
        (vehicle.body.roll_inertia, vehicle.body.pitch_inertia, vehicle.yaw_inertia), rel=1e-9)
    assert whole.tensor - np.diag(np.diag(whole.tensor)) == pytest.approx(
        np.zeros((3, 3)), abs=1e-6)


@pytest.mark.parametrize('name', TABLE_1)
def test_sensor_slots_are_those_of_seed_000_in_our_axes(name):
    tree = describe_vehicle(vehicle_of(name)).tree
    poses = tree.poses()
    middle = np.array(poses['chassis'][:3])
    for slot, (right, up, forward) in zip(('front', 'top', 'rear'), TABLE_1[name], strict=True):
        place = np.array(poses[f'{slot}_slot'][:3]) - middle
        assert place == pytest.approx((forward, -right, up), abs=1e-12)
        looks_to = rotated(poses[f'{slot}_slot'][3:], (1.0, 0.0, 0.0))
        assert looks_to == pytest.approx((-1.0 if slot == 'rear' else 1.0, 0.0, 0.0), abs=1e-12)
    assert poses['centre_slot'] == poses['chassis']
    for frame, slot in (('laser', 'front'), ('camera_link', 'top'), ('base_imu_link', 'centre')):
        assert poses[frame] == poses[f'{slot}_slot']


@pytest.mark.parametrize('name', GENERATED)
def test_springs_and_tyres_carry_the_car_at_rest(name):
    vehicle = vehicle_of(name)
    tree = describe_vehicle(vehicle).tree
    front, rear = corners(vehicle)
    # Both axles together, and about the rear one.
    assert 2.0 * (front.load + rear.load) == pytest.approx(vehicle.mass * 9.81)
    assert 2.0 * front.load * vehicle.wheelbase == pytest.approx(
        vehicle.mass * 9.81 * vehicle.cog_to_rear_axle)
    for joint_name, corner in zip(SUSPENSION_JOINTS, (front, front, rear, rear), strict=True):
        joint = tree.joint(joint_name)
        unsprung = {joint.child}
        for other in tree.joints:
            if other.parent in unsprung:
                unsprung.add(other.child)
        mass = sum(present(tree.link(link).inertial).mass for link in unsprung)
        stiffness, reference = joint.dynamics.stiffness, joint.dynamics.reference
        # At position 0 the spring pushes the wheel down with what the tyre bears above it.
        assert -stiffness * reference == pytest.approx(corner.load - mass * 9.81)
        assert corner.unsprung_mass == pytest.approx(mass)
        assert (joint.limit.lower, joint.limit.upper) == (-0.1, 0.1)


@pytest.mark.parametrize(('name', 'wheels'), [
    ('bmw_x5', WHEEL_JOINTS[:2]), ('tesla_model3', WHEEL_JOINTS[2:])])
def test_the_driven_wheels_have_motors_and_all_have_brakes(name, wheels):
    vehicle = vehicle_of(name)
    assert driven_wheels(vehicle) == wheels
    assert driven_wheels(replace(vehicle, driven_axle='all')) == WHEEL_JOINTS
    urdf = describe_vehicle(vehicle).urdf
    assert urdf.count('<command_interface name="brake" />') == 4
    assert urdf.count('<command_interface name="velocity" />') == 2
    assert urdf.count('<transmission ') == 4


def test_a_written_description_reads_back_as_the_same():
    tree = describe_vehicle(vehicle_of('citroen_czero')).tree
    again = read_urdf(write_urdf(tree))
    assert again.links[0].name == tree.root
    positions = {joint.name: 0.05 for joint in tree.joints if joint.moves}
    for name, pose in tree.poses(positions).items():
        read = again.poses(positions)[name]
        assert read[:3] == pytest.approx(pose[:3], abs=1e-12)
        assert abs(np.dot(read[3:], pose[3:])) == pytest.approx(1.0)
    for link in tree.links:
        visuals = again.link(link.name).visuals
        assert [shape.geometry for shape in visuals] == [
            shape.geometry for shape in link.visuals]
        assert [shape.colour for shape in visuals] == [
            shape.colour for shape in link.visuals]
    for joint in tree.joints:
        other = again.joint(joint.name)
        assert (other.kind, other.limit, other.dynamics) == (
            joint.kind, joint.limit, joint.dynamics)


# Narrower bodies than wheels are refused; 0 leaves the width to the tracks.
@given(width=st.just(0.0) | st.floats(0.1, 3.0), **{name: st.floats(*limits) for name, limits in {
    'mass': (300.0, 20000.0), 'cog_to_front_axle': (0.7, 4.0), 'cog_to_rear_axle': (0.7, 4.0),
    'cog_height': (0.1, 1.4), 'track_width': (0.5, 3.0), 'wheel_radius': (0.2, 0.6),
    'wheel_width': (0.05, 0.4), 'wheel_inertia': (0.01, 0.1)}.items()})
@settings(max_examples=25)
def test_any_generated_car_has_parts_that_can_exist_and_its_own_mass(**numbers):
    vehicle = vehicle_of('bmw_x5')
    wheels = replace(vehicle.body.front, wheel_mass=0.0)
    body = replace(vehicle.body, shape='axles', roll_inertia=0.0, pitch_inertia=0.0,
                   front=wheels, rear=wheels)
    mass, reach = numbers['mass'], max(
        numbers['cog_to_front_axle'], numbers['cog_to_rear_axle'])
    vehicle = replace(
        vehicle, **numbers, body=body, yaw_inertia=mass * reach**2)
    tree = describe_vehicle(vehicle).tree
    for link in tree.links:
        if link.inertial is not None:
            assert link.inertial.mass > 0.0, link.name
            moments = np.linalg.eigvalsh(link.inertial.tensor)
            assert moments[0] > 0.0, link.name
            assert moments[2] <= (moments[0] + moments[1]) * (1.0 + 1e-9), link.name
    whole = tree.mass_properties()
    assert whole.mass == pytest.approx(mass)
    assert whole.centre == pytest.approx(
        (vehicle.cog_to_rear_axle, 0.0, vehicle.cog_height), abs=1e-9)
    assert whole.tensor[2, 2] == pytest.approx(vehicle.yaw_inertia)


def changed(vehicle='bmw_x5', **values):
    """Return the values of a file with others in their place; two underscores are a dot."""
    from racecar.base.parameter_file import load_parameter_file

    found = load_parameter_file(find_vehicle(vehicle), 'vehicle')
    return {**found, **{f"vehicle.{key.replace('__', '.')}": value
                        for key, value in values.items()}}


@pytest.mark.parametrize(('values', 'parts'), [
    ({'wheel_radius': -0.374}, ("'vehicle.wheel_radius' is -0.374", 'expected a number in')),
    ({'cog_to_front_axle': -2.0}, ("'vehicle.cog_to_front_axle' is -2.0", 'expected')),
    ({'cog_to_front_axle': 0.3, 'cog_to_rear_axle': 0.4},
     ("'vehicle.cog_to_front_axle' is 0.3 m", 'more than 0.348 m', 'overlap')),
    ({'track_width': 0.2}, ("'vehicle.track_width' is 0.2 m", 'more than', '0.25 m', 'overlap')),
    ({'rear__track_width': 0.2}, ("'vehicle.rear.track_width' is 0.2 m", 'overlap')),
    ({'width': 1.5}, ("'vehicle.width' is 1.5 m", 'at least 1.878 m')),
    ({'body__front__spring_rate': 900.0},
     ("'vehicle.body.front.spring_rate' is 900 N/m", 'too soft', '2.272e+04 N/m')),
    ({'body__rear__spring_rate': 0.0}, ("'vehicle.body.rear.spring_rate' is 0 N/m", 'or none')),
    ({'body__rear__damping_rate': 0.0}, ("'vehicle.body.rear.damping_rate' is 0", 'more than 0')),
    ({'body__height': 0.6}, ("'vehicle.body.height' is 0.6 m", 'more than', '0.748 m')),
    ({'body__clearance': 2.0}, ("'vehicle.body.clearance' is 2 m", 'less than', '1.78 m')),
    ({'body__front__wheel_mass': 900.0}, ("'vehicle.mass' is 2120 kg", 'wheels alone')),
    ({'yaw_inertia': 100.0}, ("'vehicle.yaw_inertia' is 100", 'more than 352.9')),
    ({'body__pitch_inertia': 3000.0}, ("'vehicle.body.pitch_inertia' is 3000", 'at least')),
    ({'body__shape': 'sub'}, ("'vehicle.body.shape' is 'sub'", 'did you mean suv')),
    ({'body__slots__top': [1.0]}, ("'vehicle.body.slots.top' is [1.0]", 'expected 3 numbers')),
    ({'body__colour': [1.0, 2.0, 0.0]}, ("'vehicle.body.colour' is", 'from 0 to 1')),
    ({'body__cabin': [1.0, 2.0]}, ("'vehicle.body.cabin' is [1.0, 2.0]", 'expected 4 numbers')),
    ({'body__cabin': [-0.8, -0.9, 1.4, 2.2]},
     ("'vehicle.body.cabin' is -0.9 m", 'rear end of the roof', 'foot of the rear window')),
    ({'body__cabin': [-0.8, -0.5, 1.4, 3.9]}, ("'vehicle.body.cabin' is 3.85 m", 'the nose')),
    ({'body__heights': [1.0, 1.7, 1.0]}, ("'vehicle.body.heights' is 1.7 m", 'the belt line')),
    ({'body__hieght': 1.0}, ("'vehicle.body.hieght' is unknown", 'vehicle.body.height')),
    # Each alone can be; together they cannot.
    ({'body__height': 0.0, 'body__clearance': 1.5},
     ("'vehicle.body.clearance' is 1.5 m", 'less than the height of the body, 1.49')),
    ({'cog_to_front_axle': 0.01, 'body__cabin': []},
     ("'vehicle.body.rear.wheel_mass' is", 'nothing for a spring')),
    ({'track_width': 0.3, 'rear__track_width': 0.3},
     ("'vehicle.body.front.spring_rate' is", 'topples')),
    ({'wheel__rim_radius': 1e-9}, ('rim_radius is 1e-09 m, expected 3.74e-06 m',)),
    ({'name': '../../elsewhere'}, ("'vehicle.name' is '../../elsewhere'", 'first is a letter')),
    ({'name': ''}, ("'vehicle.name' is ''", 'files are named after the vehicle')),
    ({'name': 'x' * 300}, ("'vehicle.name' is 'xxx", 'up to 80 letters')),
])
def test_a_car_that_cannot_be_is_refused_in_one_line(values, parts):
    with pytest.raises(ParameterError) as caught:
        VehicleParameters.from_values(changed(**values))
    message = str(caught.value)
    assert '\n' not in message
    for part in parts:
        assert part in message


@pytest.mark.parametrize(('values', 'parts'), [
    ({'cog_to_front_axle': 0.05, 'cog_to_rear_axle': 0.04}, ('overlap',)),
    ({'track_width': 0.03}, ("'vehicle.track_width' is 0.03 m", 'overlap')),
    ({'body__front__spring_rate': 900.0},
     ("'vehicle.body.front.spring_rate' is 900.0", 'no use for it', 'saloon, hatchback')),
    ({'body__colour': [1.0, 0.0, 0.0]}, ("'vehicle.body.colour' is [1.0, 0.0, 0.0]",)),
])
def test_the_racecar_is_refused_what_it_cannot_be_or_has_no_use_for(values, parts):
    with pytest.raises(ParameterError) as caught:
        VehicleParameters.from_values(changed('racecar', **values))
    for part in parts:
        assert part in str(caught.value)


def test_the_message_names_the_file(tmp_path):
    path = tmp_path / 'mine.yaml'
    path.write_text(find_vehicle('bmw_x5').read_text().replace(
        'wheel_radius: 0.374', 'wheel_radius: -0.374'))
    with pytest.raises(ParameterError, match='mine.yaml.*wheel_radius.* is -0.374, expected'):
        VehicleParameters.from_file(path)


def test_natural_frequencies_are_those_of_springs_on_which_a_symmetric_car_stands():
    vehicle = vehicle_of('car_2014')
    # Its centre of gravity is in the middle, so that heave and pitch do not mix.
    corner, other = corners(vehicle)
    assert corner.load == pytest.approx(other.load)
    ride = ride_of(vehicle)
    rate = corner.spring_rate * corner.tyre_rate / (corner.spring_rate + corner.tyre_rate)
    sprung = vehicle.mass - 2.0 * corner.unsprung_mass - 2.0 * other.unsprung_mass
    # The knuckles make the front a little heavier.
    assert ride.heave == pytest.approx(
        math.sqrt(4.0 * rate / sprung) / (2.0 * math.pi), rel=1e-3)
    assert ride.roll_stiffness == pytest.approx(
        0.5 * vehicle.track_width**2 * (corner.ride_rate + other.ride_rate))


# Meshes


def edges(triangles):
    """Count the edges of triangles, each in its direction; corners to 1 µm."""
    found: Counter[Any] = Counter()
    points = [tuple(tuple(corner) for corner in triangle)
              for triangle in np.round(triangles, 6) + 0.0]
    for a, b, c in points:
        for pair in ((a, b), (b, c), (c, a)):
            if pair[0] != pair[1]:
                found[pair] += 1
    return found


SKIN = Skin(
    -1.0, 3.85, 0.95, -0.16,
    ((-1.0, 0.7), (-0.8, 0.72), (-0.5, 1.35), (0.5, 1.4), (1.6, 1.36), (2.4, 0.75), (3.85, 0.6)),
    ((-1.0, 0.65), (2.4, 0.7), (3.85, 0.5)), (0.3, 0.8, 0.1, 0.03), (0.6, 0.6, 0.1, 0.08),
    (Arch(0.0, 0.0, 0.42), Arch(3.0, 0.05, 0.42)))


@pytest.mark.parametrize('part', [
    body(SKIN), shell(pane_patch(SKIN, (2.4, 1.6)), 0.004),
    shell(side_patch(SKIN, (-0.4, 1.9), (10, 14), 1.0), 0.004),
    shell(side_patch(SKIN, (-0.4, 1.9), (10, 14), -1.0), 0.004)])
def test_the_parts_of_a_body_are_closed_and_look_outwards(part):
    counted = edges(part)
    assert all(counted[b, a] == number for (a, b), number in counted.items())
    assert volume(part) > 0.0


@pytest.mark.parametrize('side', [1.0, -1.0])
def test_a_window_lies_on_the_outside_of_the_body(side):
    patch = side_patch(SKIN, (-0.4, 1.9), (10, 14), side)
    outer = shell(patch, 0.004, 0.0)[..., 1] * side
    assert outer.max() > (patch[..., 1] * side).max() + 0.003
    assert outer.min() > (patch[..., 1] * side).min() - 1e-9


def corners_in(link, name):
    """The corners (n, 3) of the visual mesh of this name [m]."""
    shape, = (shape for shape in link.visuals if shape.name == name)
    return corners_of(resource_file(shape.geometry.uri).read_bytes()).reshape(-1, 3)


@pytest.mark.parametrize('name', ['bmw_x5', 'citroen_czero', 'tesla_model3'])
def test_a_body_is_as_long_wide_and_high_as_its_file_says(name):
    vehicle = vehicle_of(name)
    chassis = describe_vehicle(vehicle).tree.link('chassis')
    body = corners_in(chassis, 'body')
    front, rear, side = vehicle.footprint
    assert (body[:, 0].max(), body[:, 0].min()) == pytest.approx((front, -rear), abs=1e-5)
    assert np.abs(body[:, 1]).max() == pytest.approx(side, rel=0.01)
    ground = -vehicle.wheel_radii[1]
    assert body[:, 2].max() == pytest.approx(ground + vehicle.body.height, abs=1e-5)
    assert body[:, 2].min() == pytest.approx(ground + vehicle.body.clearance, abs=1e-5)


def test_cabin_and_bonnet_are_where_the_file_says():
    vehicle = VehicleParameters.from_values(changed(
        body__cabin=[-0.5, 0.1, 1.3, 2.0], body__heights=[1.1, 1.05, 0.9]))
    chassis = describe_vehicle(vehicle).tree.link('chassis')
    ground = -vehicle.wheel_radii[1]
    glass, body = (corners_in(chassis, name) for name in ('windows', 'body'))
    panes = glass[np.abs(glass[:, 1]) < 0.3]
    assert (panes[:, 0].min(), panes[:, 0].max()) == pytest.approx((-0.5, 2.0), abs=0.08)
    # Between its ends the roof is nearly level.
    middle = body[np.abs(body[:, 1]) < 0.01]
    high = middle[middle[:, 2] > ground + vehicle.body.height - 0.06]
    assert (high[:, 0].min(), high[:, 0].max()) == pytest.approx((0.1, 1.3), abs=0.12)
    nose = body[(body[:, 0] > 3.5) & (np.abs(body[:, 1]) > 0.6)]
    assert nose[:, 2].max() - ground == pytest.approx(0.9, abs=0.06)
    # What collides follows.
    lower, upper = chassis.collisions
    assert isinstance(upper.geometry, Box)
    assert upper.origin.x - 0.5 * upper.geometry.size[0] == pytest.approx(-0.5)


def test_equal_meshes_are_one_file_and_others_another(tmp_path, monkeypatch):
    monkeypatch.setenv('XDG_CACHE_HOME', str(tmp_path))
    one = body(SKIN)
    first, again, other = stored_mesh('a', one), stored_mesh('a', one), stored_mesh('a', 2.0 * one)
    assert first == again != other
    assert sorted(path.name for path in (tmp_path / 'racecar' / 'meshes').iterdir()) == sorted(
        resource_file(uri).name for uri in (first, other))
    resource_file(first).write_bytes(b'cut off')
    assert corners_of(resource_file(stored_mesh('a', one)).read_bytes()) == pytest.approx(
        one, abs=1e-6)


def test_meshes_that_can_be_written_nowhere_are_refused_in_one_line(tmp_path, monkeypatch):
    (tmp_path / 'file').write_text('')
    monkeypatch.setenv('XDG_CACHE_HOME', str(tmp_path / 'file'))
    monkeypatch.setattr(tempfile, 'gettempdir', lambda: str(tmp_path))
    one = body(SKIN)
    # Where the cache cannot be written it is the folder for temporary files.
    assert str(resource_file(stored_mesh('a', one))).startswith(
        str(tmp_path / f'racecar-{os.getuid()}'))
    monkeypatch.setattr(tempfile, 'gettempdir', lambda: str(tmp_path / 'file'))
    with pytest.raises(ConfigurationError, match=r'a-\w+\.stl cannot be written .*XDG_CACHE') as e:
        stored_mesh('a', one)
    assert '\n' not in str(e.value)


@given(st.lists(st.tuples(st.floats(0.1, 2.0), st.integers(-3, 3)), min_size=2, max_size=8))
def test_lines_of_bodies_are_the_monotone_ones_of_scipy(steps):
    interpolate = pytest.importorskip('scipy.interpolate', reason='SciPy is not installed')
    x, y = np.cumsum([width for width, _ in steps]), np.array([float(value) for _, value in steps])
    at = np.linspace(x[0], x[-1], 50)
    np.testing.assert_allclose(
        line_at(tuple(zip(x, y, strict=True)), at), interpolate.PchipInterpolator(x, y)(at),
        atol=1e-12)
