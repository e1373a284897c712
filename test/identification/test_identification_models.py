# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""Kinematic bicycle with understeer, single track with wheel speeds, and drives to identify by."""

from dataclasses import replace
import math
from pathlib import Path

from hypothesis import given, settings
from hypothesis import strategies as st
import pytest

from racecar.base.errors import ParameterError
from racecar.base.types import AckermannCommand, Pose2
from racecar.control.trajectories import make_trajectory, TRAJECTORY_PARAMETERS
from racecar.dynamics.vehicles import (
    KinematicBicycle,
    KinematicUndersteer,
    SingleTrack,
    SingleTrackSlip,
    VehicleParameters,
)
from racecar.dynamics.vehicles.initial_motion import Start
from racecar.dynamics.vehicles.parameters import GRAVITY
from racecar.simulation.simulator import Simulator

RACECAR = VehicleParameters.from_file(
    Path(__file__).parents[2] / 'config' / 'vehicles' / 'racecar.yaml')
MANOEUVRES = ('skidpad', 'circle_to_slip', 'step_steer', 'ramp_steer', 'coast_down')


def drive(model, command, seconds, **values):
    simulator = Simulator(model, **values)
    simulator.set_command(AckermannCommand(*command))
    for _ in range(round(seconds * 100)):
        simulator.tick()
    return simulator


@given(gradient=st.floats(0.001, 0.2), speed=st.floats(-2.0, 5.0), angle=st.floats(-0.6, 0.6))
@settings(max_examples=25, deadline=None)
def test_the_understeering_bicycle_turns_as_the_formula_says(gradient, speed, angle):
    odometry = drive(KinematicUndersteer(RACECAR, gradient), (speed, angle), 0.1).odometry()
    wanted = speed * math.tan(angle) / (RACECAR.wheelbase + gradient * speed**2)
    assert odometry.yaw_rate == pytest.approx(wanted, abs=1e-12)
    assert odometry.vx == pytest.approx(speed)


@pytest.mark.parametrize('point', ['cog', 'rear_axle'])
def test_odometry_of_the_understeering_bicycle_is_that_of_its_point_on_the_circle(point):
    car = replace(RACECAR, odometry_point=point)
    ahead = {'cog': car.cog_to_rear_axle, 'rear_axle': 0.0}[point]
    speed, angle, gradient, seconds = 1.5, 0.3, 0.05, 2.0
    start = Pose2(2.0, -1.0, 0.8)
    found = drive(KinematicUndersteer(car, gradient), (speed, angle), seconds,
                  start=Start(start)).odometry()
    rate = speed * math.tan(angle) / (car.wheelbase + gradient * speed**2)
    radius, yaw = speed / rate, start.yaw + rate * seconds
    # The rear axle goes round a centre that lies to its left.
    x = start.x - ahead * math.cos(start.yaw) - radius * math.sin(start.yaw)
    y = start.y - ahead * math.sin(start.yaw) + radius * math.cos(start.yaw)
    assert (found.x, found.y) == pytest.approx((
        x + radius * math.sin(yaw) + ahead * math.cos(yaw),
        y - radius * math.cos(yaw) + ahead * math.sin(yaw)), abs=1e-9)
    assert (found.qz, found.qw) == pytest.approx((math.sin(yaw / 2), math.cos(yaw / 2)))
    assert (found.vx, found.vy, found.yaw_rate) == pytest.approx((speed, ahead * rate, rate))


def test_without_a_gradient_of_its_own_it_is_that_of_the_tyres_in_steady_turning():
    car = replace(RACECAR, odometry_point='rear_axle')
    tyres = drive(SingleTrack(car, 'linear'), (2.0, 0.05), 3.0).odometry().yaw_rate
    assert drive(KinematicUndersteer(car), (2.0, 0.05), 0.1).odometry().yaw_rate == (
        pytest.approx(tyres, rel=0.01))


def test_a_gradient_without_a_steady_turn_is_refused():
    with pytest.raises(ParameterError, match='understeer_gradient'):
        KinematicUndersteer(RACECAR, -0.1)


def test_slow_wheels_roll_as_the_kinematic_bicycle():
    # All four driven alike they would scrub: the front wheels have the longer way.
    rear = replace(RACECAR, driven_axle='rear')
    slow = drive(SingleTrackSlip(rear, 'fiala'), (0.3, 0.3), 4.0).odometry()
    exact = drive(KinematicBicycle(RACECAR), (0.3, 0.3), 4.0).odometry()
    assert (slow.x, slow.y) == pytest.approx((exact.x, exact.y), abs=0.03)


def test_spinning_wheels_push_with_all_their_friction_and_no_more():
    simulator = drive(SingleTrackSlip(RACECAR, 'fiala'), (5.0, 0.0), 0.1)
    limit = RACECAR.friction_coefficient * GRAVITY
    assert simulator.odometry().vx == pytest.approx(0.1 * limit, rel=0.01)
    rear = drive(SingleTrackSlip(replace(RACECAR, driven_axle='rear'), 'fiala'), (5.0, 0.0), 0.1)
    # The load that the push itself brings to the rear axle pushes too: X = mu (m g a + X h)/L.
    assert rear.odometry().vx == pytest.approx(
        0.1 * limit * RACECAR.cog_to_front_axle / (
            RACECAR.wheelbase - RACECAR.friction_coefficient * RACECAR.cog_height), rel=0.01)


def test_braking_moves_load_forward_and_none_moves_of_a_car_without_height():
    for height, share in ((RACECAR.cog_height, 1.0), (0.0, 0.0)):
        car = replace(RACECAR, cog_height=height)
        model = SingleTrackSlip(car, 'fiala')
        wheels = model.wheels((2.0, 0.1, 0.5, 0.0, 0.0, 0.0), (1.2, 0.2))
        loads = [wheel.load for wheel in wheels]
        along = sum(wheel.longitudinal_force for wheel in wheels[2:]) + sum(
            wheel.longitudinal_force * math.cos(0.2) - wheel.lateral_force * math.sin(0.2)
            for wheel in wheels[:2])
        assert along < 0.0
        assert sum(loads) == pytest.approx(car.mass * GRAVITY)
        moved = loads[0] + loads[1] - car.front_axle_load
        # Three rounds leave a little of the loop of forces and loads.
        assert moved == pytest.approx(-share * along * car.cog_height / car.wheelbase, rel=0.02)


@given(speed=st.floats(0.5, 5.0), angle=st.floats(-0.5, 0.5))
@settings(max_examples=25, deadline=None)
def test_no_wheel_holds_more_than_its_friction(speed, angle):
    simulator = drive(SingleTrackSlip(RACECAR, 'fiala'), (speed, angle), 0.3)
    for wheel in simulator.wheels():
        assert math.hypot(wheel.longitudinal_force, wheel.lateral_force) <= (
            RACECAR.friction_coefficient * wheel.load * (1.0 + 1e-9))


@pytest.mark.parametrize('tyre', ['linear', 'fiala', 'fiala_unsaturated', 'pacejka'])
def test_left_and_right_are_alike_and_steady_wheels_give_the_turn_of_the_single_track(tyre):
    left, right = (drive(SingleTrackSlip(RACECAR, tyre), (1.5, side * 0.05), 3.0).odometry()
                   for side in (1.0, -1.0))
    assert left.y == pytest.approx(-right.y, abs=1e-9)
    single = drive(SingleTrack(RACECAR, tyre), (left.vx, 0.05), 3.0).odometry()
    assert left.yaw_rate == pytest.approx(single.yaw_rate, rel=0.02)


def test_the_steering_has_gain_and_offset_at_the_wheels():
    simulator = drive(KinematicBicycle(RACECAR), (1.0, 0.2), 0.5, actuators={
        'actuators.steering_gain': 1.2, 'actuators.steering_offset': -0.03})
    assert simulator.steering_angles[0] == pytest.approx(1.2 * 0.2 - 0.03)


@pytest.mark.parametrize('name', MANOEUVRES)
@given(share=st.floats(0.01, 1.2))
@settings(max_examples=40, deadline=None)
def test_velocity_and_acceleration_are_the_derivatives_of_a_manoeuvre(name, share):
    trajectory = make_trajectory(TRAJECTORY_PARAMETERS.resolve({'trajectory': name}))
    time, h = share * trajectory.duration + 0.0123, 1e-5
    before, now, after = (trajectory.at(time + shift) for shift in (-h, 0.0, h))
    jumps = abs((after.vx - before.vx) / (2 * h) - now.ax) > 1.0
    if jumps:  # between two speeds of the skidpad
        return
    assert (after.x - before.x) / (2 * h) == pytest.approx(now.vx, abs=1e-6)
    assert (after.y - before.y) / (2 * h) == pytest.approx(now.vy, abs=1e-6)
    assert (after.vx - before.vx) / (2 * h) == pytest.approx(now.ax, abs=1e-5)
    assert (after.vy - before.vy) / (2 * h) == pytest.approx(now.ay, abs=1e-5)


@pytest.mark.parametrize('name', ['skidpad_radius', 'slip_radius', 'step_radius'])
def test_a_circle_without_radius_is_refused(name):
    kind = {'skidpad_radius': 'skidpad', 'slip_radius': 'circle_to_slip',
            'step_radius': 'step_steer'}[name]
    with pytest.raises(ParameterError, match=name):
        make_trajectory(TRAJECTORY_PARAMETERS.resolve({'trajectory': kind, name: 0.0}))
