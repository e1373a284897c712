# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""World and sensors of a simulator by parameters."""

import pytest

from racecar.base.errors import ConfigurationError, ParameterError
from racecar.base.parameter_file import load_parameter_file
from racecar.base.readings import Imu, LaserScan
from racecar.base.share import find_config
from racecar.catalogue.tables import SINGLE_TRACK_SIMULATOR
from racecar.scene import load_world
from racecar.sensors.equipment import equip, EQUIPMENT_PARAMETERS, SENSOR_NAMES
from racecar.simulation.ports import collisions_of
from racecar.simulation.simulator import make_simulator
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
    assert entity.surroundings().values.shape == load_world('room').grid.values.shape
    assert collisions_of(entity).contacts == 0
    assert collisions_of(plant().entities[0]) is None


@pytest.mark.parametrize(('values', 'error', 'message'), [
    ({'sensors': ['lasre']}, ParameterError, "'lasre', which is unknown; did you mean laser"),
    ({'sensors': ['imu', 'imu']}, ParameterError, "names 'imu' twice"),
    ({'sensors': ['laser'], 'laser.rate': 33.0}, ConfigurationError,
     "rate of sensor 'laser' of 33 Hz"),
    ({'sensors': ['laser'], 'laser.range_min': 20.0}, ParameterError,
     "sensor 'laser': parameter 'range_min' is 20 m and range_max 10 m"),
    ({'world': 'moon'}, ConfigurationError, "world 'moon' is neither a file nor one of"),
    ({'laser.rays': 0}, ParameterError, r"'laser\.rays' is 0, expected")])
def test_what_does_not_fit_is_refused(values, error, message):
    with pytest.raises(error, match=message):
        plant(**values)


def test_each_sensor_has_rows_of_its_own():
    for name in SENSOR_NAMES:
        assert f'{name}.rate' in EQUIPMENT_PARAMETERS
        assert f'{name}.kind' not in EQUIPMENT_PARAMETERS
