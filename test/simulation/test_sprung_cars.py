# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""Cars with suspension in the 3-D world against hand calculations and the plane."""

from dataclasses import replace
import math
from pathlib import Path
import runpy
from typing import Any

import mujoco
import numpy as np
from presence import present
import pytest
from scripts import load_script
from world_bench import make_car, world_values

from racecar.base.errors import ConfigurationError, ParameterError
from racecar.base.share import find_vehicle
from racecar.base.types import SUSPENSION_JOINTS, WheelCommand
import racecar.driver
from racecar.driver.world_driven_car import world_driven_car
from racecar.dynamics.vehicles.parameters import VehicleParameters
from racecar.dynamics.vehicles.ride import ride_of
from racecar.dynamics.vehicles.suspension import corners
from racecar.sensors.equipment import equip, EQUIPMENT_PARAMETERS
from racecar.world.make_world import make_world_plant
from racecar.world.vehicle_export import export_vehicle

DOCS = Path(__file__).parents[2] / 'docs'
CARS = ('bmw_x5', 'car_2014', 'citroen_czero', 'tesla_model3', 'toyota_prius')
GRAVITY = 9.81


def vehicle_of(name):
    return VehicleParameters.from_file(find_vehicle(name))


def roll_of(pose):
    return math.atan2(2.0 * (pose.qw * pose.qx + pose.qy * pose.qz),
                      1.0 - 2.0 * (pose.qx**2 + pose.qy**2))


def pitch_of(pose):
    return math.asin(2.0 * (pose.qw * pose.qy - pose.qz * pose.qx))


def springs(car):
    joints = car.read('joints')
    assert joints.names[6:] == SUSPENSION_JOINTS
    return joints.positions[6:]


@pytest.mark.parametrize('name', CARS)
@pytest.mark.parametrize(('contact', 'sag'), [('pacejka', 1e-6), ('coulomb', 1e-3)])
def test_a_car_rests_at_the_height_of_its_file_with_the_loads_of_its_axles(name, contact, sag):
    vehicle = vehicle_of(name)
    car = make_car(name, contact_model=contact).run(0.3)
    assert car.pose.z == pytest.approx(0.0, abs=sag)
    assert pitch_of(car.pose) == pytest.approx(0.0, abs=sag)
    assert springs(car) == pytest.approx((0.0,) * 4, abs=sag)
    loads = [wheel.load for wheel in car.read('wheels')]
    assert loads == pytest.approx(
        [0.5 * load for load in (vehicle.front_axle_load,) * 2 + (vehicle.rear_axle_load,) * 2],
        rel=1e-3)


def test_a_weight_sinks_by_springs_and_tyres_in_a_row():
    car = make_car('bmw_x5', contact_model='pacejka')
    engine = car.plant.engine
    root = engine.model.body('/base_link').id
    # Down at the centre of gravity of what rests on the springs.
    engine.data.xfrc_applied[root, 2] = -2000.0
    car.run(4.0)
    front, rear = corners(vehicle_of('bmw_x5'))
    x = float(engine.model.body_ipos[root, 0])
    share = x / 2.995
    front_sink, rear_sink = (
        0.5 * 2000.0 * part * (1.0 / corner.spring_rate + 1.0 / corner.tyre_rate)
        for part, corner in ((share, front), (1.0 - share, rear)))
    assert car.pose.z == pytest.approx(-rear_sink, rel=0.01)
    assert pitch_of(car.pose) == pytest.approx((front_sink - rear_sink) / 2.995, rel=0.02)
    for position, part, corner in zip(
            springs(car), (share, share, 1.0 - share, 1.0 - share), (front, front, rear, rear),
            strict=True):
        assert position == pytest.approx(0.5 * 2000.0 * part / corner.spring_rate, rel=0.01)


def test_a_body_that_is_pushed_down_heaves_at_its_natural_frequency():
    # Its centre of gravity is in the middle: it heaves without pitching.
    values = {f'vehicle__body__{axle}__damping_rate': 50.0 for axle in ('front', 'rear')}
    car = make_car('car_2014', contact_model='pacejka', **values)
    engine = car.plant.engine
    root = engine.model.body('/base_link').id
    engine.data.xfrc_applied[root, 2] = -3000.0
    car.run(0.2)
    engine.data.xfrc_applied[root, 2] = 0.0
    poses = []
    for _ in range(300):
        car.run(0.01)
        poses.append(car.pose)
    heights = np.array([pose.z for pose in poses])
    crossings = np.flatnonzero((heights[:-1] > 0.0) & (heights[1:] <= 0.0))
    period = 0.01 * (crossings[-1] - crossings[0]) / (len(crossings) - 1)
    expected = ride_of(vehicle_of('car_2014')).heave
    assert heights.max() > 5e-3
    assert 1.0 / period == pytest.approx(expected, rel=0.02)


@pytest.mark.parametrize('name', ['bmw_x5', 'citroen_czero'])
def test_the_body_rolls_out_of_the_turn_and_dives_when_it_brakes(name):
    vehicle = vehicle_of(name)
    front, rear = corners(vehicle)
    car = make_car(name, contact_model='pacejka', command_interface='wheel_torques')
    car.drive(11.0, 0.0, 4.0).drive(11.0, 0.1, 3.0)
    lateral = car.twist.vx * car.twist.wz
    # The springs against the moment of the whole about the ground, and what its lean adds.
    stiffness = sum(
        0.5 * track**2 / (1.0 / corner.spring_rate + 1.0 / corner.tyre_rate)
        for track, corner in zip(vehicle.track_widths, (front, rear), strict=True))
    tilting = vehicle.mass * GRAVITY * vehicle.cog_height
    expected = vehicle.mass * lateral * vehicle.cog_height / (stiffness - tilting)
    assert lateral > 3.0
    # To the left: the left side comes up.
    assert roll_of(car.pose) == pytest.approx(expected, rel=0.06)
    left_front, right_front, left_rear, right_rear = springs(car)
    assert left_front < 0.0 < right_front
    assert left_rear < 0.0 < right_rear

    car.drive(15.0, 0.0, 5.0)
    torque = 0.25 * 0.25 * vehicle.mass * GRAVITY * vehicle.wheel_radii[1]
    car.inputs['wheels'](WheelCommand(
        0.0, 0.0, (0.0,) * 4, (torque,) * 4, (0.0,) * 4, (0.0,) * 4))
    before = car.run(1.5).twist.vx
    deceleration = (before - car.run(0.2).twist.vx) / 0.2
    assert deceleration > 2.0
    shift = vehicle.mass * deceleration * vehicle.cog_height / vehicle.wheelbase
    expected = sum(
        0.5 * shift * (1.0 / corner.spring_rate + 1.0 / corner.tyre_rate)
        for corner in (front, rear)) / vehicle.wheelbase
    # REP-103: nose down is positive.
    assert pitch_of(car.pose) == pytest.approx(expected, rel=0.08)


def test_steered_wheels_follow_ackermann_about_their_own_kingpins():
    vehicle = vehicle_of('toyota_prius')
    car = make_car('toyota_prius', contact_model='pacejka').drive(1.0, 0.5, 3.0)
    left, right = car.read('joints').positions[4:6]
    half = 0.5 * (vehicle.track_width - vehicle.wheel_width)
    # cot(outer) - cot(inner) = 2 half/L, and the mean of both is that of the middle.
    assert 1.0 / math.tan(right) - 1.0 / math.tan(left) == pytest.approx(
        2.0 * half / vehicle.wheelbase, rel=0.01)
    assert 0.5 * (1.0 / math.tan(right) + 1.0 / math.tan(left)) == pytest.approx(
        1.0 / math.tan(0.5), rel=0.01)
    assert car.radius == pytest.approx(vehicle.wheelbase / math.tan(0.5), rel=0.005)
    # The controllers of the wheels do not fight the tyres.
    assert all(abs(wheel.slip) < 0.005 for wheel in car.read('wheels'))


@pytest.fixture(scope='module')
def measuring():
    return load_script('docs/measure_vehicles.py')


@pytest.mark.parametrize('name', ['tesla_model3', 'racecar'])
def test_a_driven_car_does_in_the_world_what_it_does_in_the_plane(measuring, name):
    """0-100 km/h, stopping distance, cornering; docs/any_vehicle.md has all cars."""
    plane, world = measuring.measure(name, world=False), measuring.measure(name, world=True)
    assert world == pytest.approx(plane, rel=0.1)
    assert plane.target == pytest.approx({'tesla_model3': 27.78, 'racecar': 4.0}[name], abs=0.01)


def test_the_example_for_the_plane_drives_in_the_world_without_a_change(monkeypatch, capsys):
    class InTheWorld(racecar.driver.Driver):
        def __init__(self):
            super().__init__('toyota_prius', world='empty')

        def step(self):
            places[round(self.getTime(), 1)] = self.odometry
            return super().step()

    places: dict[Any, Any] = {}
    monkeypatch.setattr(racecar.driver, 'Driver', InTheWorld)
    runpy.run_path(str(DOCS / 'examples' / 'lane_change.py'))
    assert places[10.0].y == pytest.approx(0.0, abs=0.02)
    assert places[15.5].y < -2.0
    assert places[23.9].y == pytest.approx(0.0, abs=0.1)
    assert 3.6 * places[23.9].vx == pytest.approx(50.0, rel=0.02)
    assert 'indicating right' in capsys.readouterr().out


def test_a_car_of_the_world_stands_until_it_is_driven_and_is_held_by_its_brake():
    car = racecar.driver.Car('citroen_czero', world='empty')
    for _ in range(50):
        car.step()
    assert abs(car.odometry.x) < 1e-6
    car.setGear(1)
    car.setThrottle(0.5)
    for _ in range(100):
        car.step()
    assert car.getWheelEncoder(0) > 0.5
    assert car.getCurrentSpeed() == pytest.approx(3.6 * car.odometry.vx, rel=0.05)
    car.setThrottle(0.0)
    car.setBrakeIntensity(1.0)
    for _ in range(200):
        car.step()
    assert abs(car.odometry.vx) < 1e-3


def test_the_lamps_that_a_driver_switches_are_seen_in_the_world():
    world = world_driven_car('bmw_x5')
    robot, = world.plant.entities
    car = racecar.driver.Car(plant=world)

    def colours():
        return {mark.function: mark.colour for mark in robot.output('lamps').read().markers}

    dark = colours()
    car.setIndicator(car.INDICATOR_LEFT)
    car.setBrakeIntensity(1.0)
    seen = []
    for _ in range(70):
        car.step()
        assert present(robot.lamps)() == car.lamps
        seen.append(car.lamps.left_indicator)
    # Lit for 0.34 s, dark for as long; the time is that after a step of 0.01 s.
    assert seen == [int(0.01 * (step + 1) / 0.34 + 1e-9) % 2 == 0 for step in range(70)]
    lit = colours()
    assert {name for name in dark if lit[name] != dark[name]} == {'brake', 'left_indicator'}


def test_a_step_that_is_too_long_for_wheel_and_tyre_is_refused():
    light: dict[str, Any] = {'vehicle.body.front.wheel_mass': 0.3}
    with pytest.raises(ConfigurationError, match='step is 0.001 s, expected at most .* 0.3 kg'):
        world_driven_car('bmw_x5', **light)


# Sensors


def equipped(**values):
    table = EQUIPMENT_PARAMETERS
    given = {name.replace('__', '.'): value for name, value in values.items()}
    plant = make_world_plant(world_values('bmw_x5'))
    return equip(plant, {**table.resolve(
        {'sensors': ['laser', 'camera', 'imu'], **given}), 'world': 'empty'})


def mounts(plant):
    return {mount.child: mount.pose for mount in plant.entities[0].mounts}


def test_sensors_sit_in_the_slots_that_parameters_name():
    found = mounts(equipped())
    assert found['laser'][:3] == pytest.approx((3.85, 0.0, 0.824))
    found = mounts(equipped(
        laser__slot='rear_slot', laser__z=0.1, camera__slot='front_slot', imu__slot='top_slot'))
    assert found['rear_slot_laser'][:3] == pytest.approx((-1.0, 0.0, 0.774))
    # It looks back.
    assert found['rear_slot_laser'][3:] == pytest.approx((0.0, 0.0, 1.0, 0.0))
    # z ahead, x to the right.
    assert found['front_slot_camera_optical_frame'] == pytest.approx(
        (3.85, 0.0, 0.824, -0.5, 0.5, -0.5, 0.5))
    assert found['top_slot_base_imu_link'][:3] == pytest.approx((1.0, 0.0, 1.824))


@pytest.mark.parametrize(('slot', 'reason'), [
    ('rear_slott', "is 'rear_slott', expected a link of the robot: .*did you mean rear_slot"),
    ('left_front_wheel', "is 'left_front_wheel', which moves against the body")])
def test_a_slot_that_there_is_not_is_refused(slot, reason):
    with pytest.raises(ParameterError, match=f"parameter 'laser.slot' {reason}"):
        equipped(laser__slot=slot)


# Export


def test_an_exported_vehicle_stands_by_itself(tmp_path):
    import mujoco

    from racecar.description.urdf import read_urdf

    vehicle = replace(vehicle_of('citroen_czero'), name='mine')
    exported = export_vehicle(vehicle, tmp_path / 'mine', 'mine_description')
    assert all(path.is_file() for path in exported.meshes)
    model = mujoco.MjModel.from_xml_path(str(exported.mjcf))
    data = mujoco.MjData(model)
    mujoco.mj_step(model, data, 500)
    assert data.qpos[2] == pytest.approx(0.0, abs=1e-3)
    assert model.body_mass.sum() == pytest.approx(vehicle.mass)
    urdf = exported.urdf.read_text()
    assert 'package://mine_description/meshes/' in urdf
    assert 'file://' not in urdf + exported.mjcf.read_text()
    assert read_urdf(urdf).mass_properties().mass == pytest.approx(vehicle.mass)
    with pytest.raises(ConfigurationError, match='cannot be written .*not there yet'):
        export_vehicle(vehicle, tmp_path / 'mine')


@pytest.mark.parametrize('name', ['racecar', 'bmw_x5'])
def test_forces_of_tyres_and_torques_act_on_joints_as_the_engine_would_have_it(name):
    car = make_car(name, contact_model='pacejka', command_interface='wheel_torques')
    car.drive(3.0, 0.2, 0.7)
    torques, none = (0.1, 0.2, -0.3, 0.4), (0.0, 0.0, 0.0, 0.0)
    car.inputs['wheels'](WheelCommand(0.2, 0.2, torques, none, none, none))
    engine = car.plant.engine
    data, wheels = engine.present(), car.read('wheels')
    expected = np.zeros(engine.model.nv)
    expected[engine.places[0].body.dofs[:4]] = torques
    for geom, wheel in zip(engine.wheel_geoms(0), wheels, strict=True):
        body = int(engine.model.geom_bodyid[geom])
        axle = data.xaxis[engine.model.body_jntadr[body]]
        down = axle[2] * axle - np.array((0.0, 0.0, 1.0))
        radius = engine.model.geom_size[geom, 0]
        point = data.geom_xpos[geom] + radius * down / np.linalg.norm(down)
        ahead = np.array((axle[1], -axle[0], 0.0)) / math.hypot(axle[0], axle[1])
        left = np.array((-ahead[1], ahead[0], 0.0))
        force = wheel.longitudinal_force * ahead + wheel.lateral_force * left
        force[2] = wheel.load
        mujoco.mj_applyFT(engine.model, data, force, np.zeros(3), point, body, expected)
    np.testing.assert_allclose(
        data.qfrc_applied, expected, rtol=1e-9, atol=1e-9 * np.abs(expected).max())
    assert np.abs(expected[6:]).min() > 0.0
