# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""The inertial measurement unit at rest, in turns, on slopes and off the middle of the car."""

import math
from pathlib import Path

import numpy as np
import pytest

from racecar.base.parameter_file import load_parameter_file
from racecar.base.parameters import ParameterTable
from racecar.base.poses import acceleration_of_child, NO_POSE, pose_of_angles, twist_of_child
from racecar.base.types import Acceleration3, AckermannCommand, Twist3
from racecar.dynamics.vehicles import VEHICLE_MODELS, VEHICLE_PARAMETERS
from racecar.scene import EMPTY_SCENE, Objects
from racecar.sensors import SENSOR_KINDS, View
from racecar.sensors.imu import IMU, PARAMETERS
from racecar.simulation.car_parameters import SIMULATOR_PARAMETERS
from racecar.simulation.make_simulator import make_simulator
from racecar.simulation.vehicle_plant import VehiclePlant

FILE = Path(__file__).parents[2] / 'config' / 'vehicles' / 'racecar.yaml'
STILL = Twist3(0.0, 0.0, 0.0, 0.0, 0.0, 0.0)
NOWHERE = Acceleration3(0.0, 0.0, 0.0, 0.0, 0.0, 0.0)
G = 9.81


def measured(pose=NO_POSE, twist=STILL, acceleration=NOWHERE, draw=0, **values):
    exact = {row.name: 0.0 for row in PARAMETERS}
    sensor = IMU.make({**ParameterTable(PARAMETERS).resolve({**exact, **values}), 'seed': 3})
    return sensor.measure(
        View(EMPTY_SCENE, pose, 0, lambda: twist, lambda: acceleration, Objects),
        np.random.default_rng(draw))


def test_at_rest_it_shows_gravity_upwards():
    reading = measured()
    assert reading[:4] == (0.0, 0.0, 0.0, 1.0)
    assert reading[4:10] == (0.0, 0.0, 0.0, 0.0, 0.0, G)


def test_on_its_side_gravity_is_along_another_axis():
    left_up = measured(pose_of_angles(0.0, 0.0, 0.0, math.pi / 2.0, 0.0, 0.7))
    assert (left_up.ax, left_up.ay, left_up.az) == pytest.approx((0.0, G, 0.0))
    nose_up = measured(pose_of_angles(0.0, 0.0, 0.0, 0.0, -math.pi / 2.0, 0.0))
    assert (nose_up.ax, nose_up.ay, nose_up.az) == pytest.approx((G, 0.0, 0.0))


def test_acceleration_and_rotation_are_those_of_the_sensor():
    reading = measured(twist=Twist3(1.0, 2.0, 3.0, 0.1, 0.2, 0.3),
                       acceleration=Acceleration3(1.5, -0.5, 0.25, 0.0, 0.0, 0.0))
    assert (reading.wx, reading.wy, reading.wz) == (0.1, 0.2, 0.3)
    assert (reading.ax, reading.ay, reading.az) == pytest.approx((1.5, -0.5, 0.25 + G))


def test_noise_is_as_large_as_its_variance_says():
    readings = np.array([
        measured(draw=draw, rotation_noise=0.1, acceleration_noise=0.3, orientation_noise=0.02)
        for draw in range(3000)])
    # Twice the vector part of a small rotation is its angle about each axis.
    turned = 2.0 * readings[:, :3]
    for found, deviation in ((turned, 0.02), (readings[:, 4:7], 0.1), (readings[:, 7:10], 0.3)):
        assert found.std(axis=0) == pytest.approx([deviation] * 3, rel=0.06)
    assert readings[:, 4:10].mean(axis=0) == pytest.approx([0, 0, 0, 0, 0, G], abs=0.03)
    assert np.linalg.norm(readings[:, :4], axis=1) == pytest.approx(np.ones(3000))
    assert readings[0, 10:].tolist() == pytest.approx([0.02**2, 0.1**2, 0.3**2])


def test_a_bias_stays_and_is_part_of_the_variance():
    one, other = (measured(draw=draw, acceleration_bias=0.5) for draw in (1, 2))
    assert one[7:10] == other[7:10]
    assert one.ax != 0.0
    assert one.acceleration_variance == pytest.approx(0.25)


def test_nothing_is_known_exactly():
    # A covariance of zeros would mean that it is unknown.
    assert min(measured()[10:]) > 0.0


def test_it_stands_in_the_registry():
    assert SENSOR_KINDS['imu'] is IMU


# Where it sits

def test_a_sensor_off_the_middle_feels_the_rotation():
    place = pose_of_angles(0.2, -0.1, 0.3, 0.3, -0.2, 0.5)
    body, twist = Acceleration3(1.0, 2.0, 3.0, 0.4, -0.6, 0.8), Twist3(1, -2, 0.5, 0.3, 0.7, -1.1)
    # The velocity of the place against the ground, differentiated in small steps.
    dt = 1e-5
    found = []
    for time in (-dt, dt):
        rates = np.array(twist[3:]) + time * np.array(body[3:])
        # Axes of the body at this time, seen from those at 0.
        turn = time * np.array(twist[3:])
        skew = np.array([[0, -turn[2], turn[1]], [turn[2], 0, -turn[0]], [-turn[1], turn[0], 0]])
        axes = np.eye(3) + skew + 0.5 * skew @ skew
        origin = np.array(twist[:3]) + time * np.array(body[:3])
        found.append(origin + axes @ np.cross(rates, place[:3]))
    expected = (found[1] - found[0]) / (2.0 * dt)
    child = acceleration_of_child(body, twist, place)
    back = np.array([
        twist_of_child(Twist3(x, y, z, 0, 0, 0), place)[:3] for x, y, z in np.eye(3)])
    assert back @ np.array(child[:3]) == pytest.approx(expected, abs=1e-6)
    assert back @ np.array(child[3:]) == pytest.approx(body[3:])


# On a car in the plane

def plant(model, **values):
    return VehiclePlant(make_simulator((VEHICLE_PARAMETERS + SIMULATOR_PARAMETERS).resolve(
        {**load_parameter_file(FILE, 'any_node'), 'vehicle_model': model, **values})))


def acceleration(of):
    return of.entities[0].platform.acceleration()


@pytest.mark.parametrize('model', VEHICLE_MODELS)
def test_a_steady_turn_gives_the_centripetal_acceleration(model):
    car = plant(model)
    for _ in range(300):
        car.entities[0].inputs[0].apply(AckermannCommand(1.0, 0.2))
        car.advance(10)
    vx, vy, _, _, _, rate = car.entities[0].platform.state().twist
    found = acceleration(car)
    assert found.ay == pytest.approx(vx * rate, rel=1e-3)
    assert found.ax == pytest.approx(-vy * rate, abs=1e-3)
    assert found.alpha_z == pytest.approx(0.0, abs=1e-3)


@pytest.mark.parametrize('model', VEHICLE_MODELS)
def test_acceleration_is_the_change_of_the_velocity(model):
    car = plant(model, **{'actuators.speed_lag': 0.3, 'actuators.steering_lag': 0.1})
    car.entities[0].inputs[0].apply(AckermannCommand(1.5, 0.1))

    def velocity():
        pose, twist = car.entities[0].platform.state()
        yaw = 2.0 * math.atan2(pose.qz, pose.qw)
        return (twist.vx * math.cos(yaw) - twist.vy * math.sin(yaw),
                twist.vx * math.sin(yaw) + twist.vy * math.cos(yaw), twist.wz), yaw

    car.advance(40)
    for _ in range(10):
        found = acceleration(car)
        before, yaw = velocity()
        car.advance(1)
        after, _ = velocity()
        ax, ay, alpha = ((b - a) / 1e-3 for a, b in zip(before, after, strict=True))
        along, across = ax * math.cos(yaw) + ay * math.sin(yaw), \
            ay * math.cos(yaw) - ax * math.sin(yaw)
        assert (found.ax, found.ay, found.alpha_z) == pytest.approx(
            (along, across, alpha), abs=2e-2)
        assert found[2:5] == (0.0, 0.0, 0.0)


def test_to_ask_for_the_acceleration_changes_nothing():
    tracks = []
    for asks in (False, True):
        car = plant('double_track', **{'actuators.speed_lag': 0.3})
        car.entities[0].inputs[0].apply(AckermannCommand(1.5, 0.1))
        for _ in range(50):
            car.advance(10)
            if asks:
                acceleration(car)
        tracks.append(car.simulator.state)
    assert tracks[0] == tracks[1]
