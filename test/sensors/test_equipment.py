# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""World and sensors of a simulator by parameters."""

import math

from hypothesis import given
from hypothesis import strategies as st
import numpy as np
import pytest

from racecar.base.errors import ConfigurationError, ParameterError
from racecar.base.parameter_file import load_parameter_file
from racecar.base.readings import Imu, LaserScan
from racecar.base.share import find_config
from racecar.base.types import AckermannCommand
from racecar.catalogue.simulators.single_track import SINGLE_TRACK_SIMULATOR
from racecar.scene import load_world
from racecar.sensors.equipment import (
    chosen_sensors,
    described_with_sensors,
    equip,
    EQUIPMENT_PARAMETERS,
    SENSOR_NAMES,
    shown_sensor,
)
from racecar.simulation.make_simulator import make_simulator
from racecar.simulation.ports import collisions_of
from racecar.simulation.vehicle_plant import VehiclePlant

RACECAR = load_parameter_file(find_config('vehicles/racecar'), 'any_node')


def plant(vehicle=RACECAR, **values):
    resolved = SINGLE_TRACK_SIMULATOR.resolve({**vehicle, **values})
    return equip(VehiclePlant(make_simulator(resolved)), resolved)


def test_a_plant_without_any_is_left_as_it_is():
    assert isinstance(plant(), VehiclePlant)


def test_laser_and_imu_are_outputs_at_their_rates():
    entity = plant(sensors=['laser', 'imu']).entities[0]
    laser, imu = entity.output('laser'), entity.output('imu')
    assert (laser.value_type, laser.steps, laser.frame) == (LaserScan, 25, 'laser')
    assert (imu.value_type, imu.steps, imu.frame) == (Imu, 10, 'base_imu_link')
    assert len(laser.read().ranges) == 1081
    assert imu.read().az == pytest.approx(9.81, abs=0.2)


def test_the_laser_is_where_the_car_has_it():
    mount = next(mount for mount in plant(sensors=['laser']).entities[0].mounts
                 if mount.child == 'laser')
    assert mount.pose == pytest.approx((0.265, 0.0, 0.1374, 0.0, 0.0, 0.0, 1.0))


def test_another_car_has_it_elsewhere():
    f1tenth = load_parameter_file(find_config('vehicles/f1tenth'), 'any_node')
    entity = plant(f1tenth, sensors=['laser']).entities[0]
    mount = next(mount for mount in entity.mounts if mount.child == 'laser')
    assert mount.pose == pytest.approx(entity.describe().tree.poses()['laser'])
    assert mount.pose.x > 0.266


def test_a_place_of_ones_own_goes_before():
    mount = plant(**{'sensors': ['laser'], 'laser.x': 0.1, 'laser.frame': 'nose'}
                  ).entities[0].mounts[-1]
    assert (mount.child, mount.pose.x, mount.pose.z) == ('nose', 0.1, 0.0)


@pytest.mark.parametrize('piece', [25, 10, 75])
def test_late_scans_are_those_of_before_with_their_time(piece):
    """Whether or not somebody looks, and in whatever pieces the time goes on."""
    def drive(delay, piece, shown_every):
        moving = plant(world='racetrack', sensors=['laser'], **{
            'laser.delay': delay, 'laser.rays': 50})
        entity = moving.entities[0]
        entity.inputs[0].apply(AckermannCommand(2.0, 0.1))
        found = {}
        while moving.time_ns < 750_000_000:
            moving.advance(piece)
            if moving.time_ns % shown_every == 0:
                found[moving.time_ns] = entity.output('laser').read()
        return found

    late, present = drive(0.05, piece, 150_000_000), drive(0.0, 25, 25_000_000)
    assert len(late) == 5
    for time_ns, scan in late.items():
        expected = present[time_ns - 50_000_000]
        np.testing.assert_array_equal(scan.ranges, expected.ranges)
        assert scan.sweep_ns == 50_000_000
        assert not np.array_equal(scan.ranges, present[time_ns].ranges)


def test_before_the_first_late_scan_the_first_is_shown():
    moving = plant(world='racetrack', sensors=['laser'], **{'laser.delay': 0.1})
    laser = moving.entities[0].output('laser')
    first = laser.read()
    moving.advance(50)
    again = laser.read()
    np.testing.assert_array_equal(again.ranges, first.ranges)
    assert (first.sweep_ns, again.sweep_ns) == (0, 50_000_000)


def test_a_delay_of_no_whole_periods_is_refused():
    with pytest.raises(ConfigurationError, match="'laser.delay' is 0.03 s, expected a whole"):
        plant(sensors=['laser'], **{'laser.delay': 0.03})


def test_what_the_laser_sees_is_the_world():
    entity = plant(world='tunnel', sensors=['laser'], **{
        'laser.noise': 0.0, 'laser.resolution': 0.0, 'laser.rays': 3,
        'laser.angle_min': -1.5707963, 'laser.angle_max': 1.5707963,
        'laser.range_max': 30.0}).entities[0]
    right, ahead, left = entity.output('laser').read().ranges
    # Across the corridor, into the niche; the end is at x = 26 less half a wall.
    assert (right, left) == pytest.approx((3.045, 2.925), abs=1e-3)
    assert ahead == pytest.approx(25.925 - 0.265, abs=1e-3)


def test_a_car_in_a_world_knows_its_map_and_counts_collisions():
    entity = plant(world='room').entities[0]
    assert entity.surroundings() is not None
    grid, collisions = load_world('room').grid, collisions_of(entity)
    assert grid is not None
    assert entity.surroundings().values.shape == grid.values.shape
    assert collisions is not None
    assert collisions.contacts == 0
    assert collisions_of(plant().entities[0]) is None


@pytest.mark.parametrize(('values', 'error', 'message'), [
    ({'sensors': ['lasre']}, ParameterError, "'lasre', which is unknown; did you mean laser"),
    ({'sensors': ['imu', 'imu']}, ParameterError, "names 'imu' twice"),
    ({'sensors': ['laser'], 'laser.rate': 33.0}, ConfigurationError,
     "rate of sensor 'laser' of 33 Hz"),
    ({'sensors': ['laser'], 'laser.range_min': 20.0}, ParameterError,
     "sensor 'laser': parameter 'range_min' is 20 m and range_max 10 m"),
    ({'world': 'moon'}, ConfigurationError, "world 'moon' is neither a file nor one of"),
    ({'laser.rays': 0}, ParameterError, r"'laser\.rays' is 0, expected"),
    ({'sensors': ['lidar:rear']}, ParameterError,
     "'lidar:rear', which is unknown; known: laser, camera, depth, imu"),
    ({'sensors': ['laser', 'laser:laser']}, ParameterError,
     "names 'laser' twice, expected once; one more laser needs a name of its own"),
    ({'sensors': ['laser:rear', 'imu:rear']}, ParameterError, "names 'rear' twice"),
    ({'sensors': ['laser:camera']}, ParameterError,
     "'laser:camera', but camera is the name of another kind"),
    ({'sensors': ['laser:vehicle']}, ParameterError,
     "'laser:vehicle', but vehicle is what other parameters begin with"),
    ({'sensors': ['laser:diagnostics']}, ConfigurationError,
     "sensor 'diagnostics': the robot has an output of this name"),
    ({'sensors': ['laser'], 'rear.x': 1.0}, ParameterError, r"'rear\.x' is unknown here"),
    ({'sensors': ['laser', 'laser:rear'], 'rear.beams': 3}, ParameterError,
     r"'rear\.beams' is unknown here"),
    ({'sensors': ['laser', 'laser:rear'], 'rear.rays': 0}, ParameterError,
     r"'rear\.rays' is 0, expected"),
    ({'sensors': ['laser:rear', 'imu'], 'rear.x': -0.1, 'rear.frame': 'base_imu_link'},
     ConfigurationError, "its frame 'base_imu_link' is at another place")])
def test_what_does_not_fit_is_refused(values, error, message):
    with pytest.raises(error, match=message):
        plant(**values)


def test_each_sensor_has_rows_of_its_own():
    for name in SENSOR_NAMES:
        assert f'{name}.rate' in EQUIPMENT_PARAMETERS
        assert f'{name}.kind' not in EQUIPMENT_PARAMETERS


@pytest.mark.parametrize('name', [
    '', ' ', '2nd', '_rear', 'rear_', 're__ar', 'rear laser', 'rear/left', 'rear.left', 'r:l', 'ü',
    'x' * 61])
def test_a_name_that_ros_does_not_allow_is_refused(name):
    with pytest.raises(ParameterError, match='expected a name behind the colon that begins with'):
        chosen_sensors([f'laser:{name}'])


NAMES = st.from_regex(r'[A-Za-z](_?[A-Za-z0-9]){0,20}', fullmatch=True)


@given(st.lists(st.tuples(st.sampled_from(SENSOR_NAMES), NAMES),
                unique_by=lambda row: row[1], max_size=6))
def test_sensors_come_in_the_order_in_which_they_are_named(rows):
    rows = [row for row in rows if row[1] not in SENSOR_NAMES]
    assert chosen_sensors([f'{kind}:{name}' for kind, name in rows]) == [
        (name, kind) for kind, name in rows]


FRONT_AND_REAR = {
    'sensors': ['laser', 'laser:rear'], 'rear.x': -0.1, 'rear.z': 0.1374, 'rear.yaw': math.pi,
    **{f'{name}.{key}': value for name in ('laser', 'rear') for key, value in {
        'noise': 0.0, 'resolution': 0.0, 'rays': 1, 'angle_min': 0.0, 'angle_max': 0.0,
        'range_max': 40.0}.items()}}


def test_a_second_laser_looks_backwards_from_its_own_place():
    entity = plant(world='tunnel', initial_x=10.0, **FRONT_AND_REAR).entities[0]
    ahead, = entity.output('laser').read().ranges
    behind, = entity.output('rear').read().ranges
    tunnel = load_world('tunnel')
    ends = [wall.x1 for wall in tunnel.surfaces if wall.x1 == wall.x2 and min(wall.y1, wall.y2)
            < 0.0 < max(wall.y1, wall.y2)]
    assert ahead == pytest.approx(min(x for x in ends if x > 10.0) - 10.265, abs=1e-3)
    assert behind == pytest.approx(9.9 - max(x for x in ends if x < 10.0), abs=1e-3)


def test_two_sensors_of_a_kind_have_noise_rate_and_frame_of_their_own():
    entity = plant(world='tunnel', **{
        'sensors': ['laser', 'laser:rear'], 'rear.x': 0.265, 'rear.z': 0.1374, 'rear.rate': 20.0,
        'rear.rays': 181}).entities[0]
    first, second = entity.output('laser'), entity.output('rear')
    assert (first.steps, second.steps) == (25, 50)
    assert (first.frame, second.frame) == ('laser', 'rear')
    assert (len(first.read().ranges), len(second.read().ranges)) == (1081, 181)
    twins = plant(world='tunnel', **{
        'sensors': ['laser', 'laser:twin'], 'twin.x': 0.265, 'twin.z': 0.1374}).entities[0]
    one, other = (twins.output(name).read().ranges for name in ('laser', 'twin'))
    assert not np.array_equal(one, other)
    np.testing.assert_array_equal(
        one, plant(world='tunnel', sensors=['laser']).entities[0].output('laser').read().ranges)


@pytest.mark.parametrize(('kind', 'frame'), [
    ('laser', 'spare'), ('camera', 'spare_optical_frame'), ('imu', 'base_spare_link')])
def test_a_further_sensor_has_the_defaults_of_its_kind_but_for_the_frame(kind, frame):
    values = SINGLE_TRACK_SIMULATOR.resolve({**RACECAR, 'sensors': [f'{kind}:spare']})
    names = [name for name in values if name.startswith(f'{kind}.')]
    assert len(names) > 10
    assert {name: values[f'spare{name.removeprefix(kind)}'] for name in names} == {
        **{name: values[name] for name in names}, f'{kind}.frame': frame}


def test_the_robot_description_has_a_link_for_each_sensor():
    values = {'sensors': ['laser', 'laser:rear', 'camera:left'], 'rear.x': -0.1, 'rear.yaw': 3.0,
              'left.x': 0.3, 'left.pitch': 0.2}
    entity = plant(**values).entities[0]
    places = entity.describe().tree.poses()
    for mount in entity.mounts:
        if mount.child != 'cog':
            assert mount.parent == 'base_link'
            assert places[mount.child] == pytest.approx(mount.pose, abs=1e-12)
    # What launch gives to robot_state_publisher is the same.
    resolved = SINGLE_TRACK_SIMULATOR.resolve({**RACECAR, **values})
    assert described_with_sensors(
        plant().entities[0].describe(), resolved).urdf == entity.describe().urdf
    # Without them nothing is added.
    assert plant(sensors=['laser', 'camera', 'imu']).entities[0].describe() \
        == plant().entities[0].describe()


@pytest.mark.parametrize(('values', 'shown'), [
    ({}, None), ({'sensors': []}, None), ({'sensors': ['imu']}, None),
    ({'sensors': ['laser']}, ('laser', 'laser')),
    ({'sensors': ['laser:front', 'laser']}, ('laser', 'laser')),
    ({'sensors': ['laser:front', 'laser:rear']}, ('front', 'front')),
    ({'sensors': ['laser:front'], 'front.frame': 'nose', 'front.slot': ''}, ('front', 'nose')),
    ({'sensors': ['laser:front'], 'front.frame': 'front', 'front.slot': 'front_slot'},
     ('front', 'front_slot_front'))])
def test_of_several_lasers_that_called_laser_is_shown_or_the_first(values, shown):
    assert shown_sensor(values, 'laser') == shown
