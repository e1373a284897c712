# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""The single-track model against textbook formulas, symmetries and limit cases."""

import cmath
import dataclasses
import math
from pathlib import Path

from hypothesis import given, settings
from hypothesis import strategies as st
import numpy as np
import pytest
from scipy.integrate import solve_ivp

from racecar.base.types import AckermannCommand, Pose2
from racecar.dynamics.tyres import TYRE_MODELS
from racecar.dynamics.vehicles import SingleTrack, VehicleParameters
from racecar.dynamics.vehicles.initial_motion import Start
from racecar.simulation.simulator import Simulator

FOLDER = Path(__file__).parents[2] / 'config' / 'vehicles'
VEHICLES = {
    name: VehicleParameters.from_file(FOLDER / f'{name}.yaml')
    for name in ('racecar', 'report', 'course', 'f1tenth')}
FORMULATIONS = ('full', 'report')
TYRES = ('linear', 'fiala', 'fiala_unsaturated')


def drive(model, commands, duration=0.01, **options):
    """Return the simulator after holding each (speed, steering angle) for a duration [s]."""
    simulator = Simulator(model, **options)
    for command in commands:
        simulator.set_command(AckermannCommand(*command))
        for _ in range(round(duration * 100)):
            simulator.tick()
    return simulator


def derivative(model, state, speed, steering_angle):
    return np.array(model.derivative(
        np.array(state, float), np.array([speed, steering_angle], float), model.parameters))


def textbook(vehicle, formulation, state, speed, delta):
    """Return the right-hand side for linear tyres and V > 0, without regularisation."""
    m, inertia = vehicle.mass, vehicle.yaw_inertia
    a, b = vehicle.cog_to_front_axle, vehicle.cog_to_rear_axle
    front, rear = vehicle.front_cornering_stiffness, vehicle.rear_cornering_stiffness
    lateral, r, _, _, yaw = state
    if formulation == 'report':
        force_front = -front * (lateral + a * r / speed - delta)
        force_rear = -rear * (lateral - b * r / speed)
        return [
            (force_front + force_rear) * math.cos(lateral) / (m * speed) - r,
            (a * force_front - b * force_rear) / inertia,
            speed * math.cos(yaw), speed * math.sin(yaw), r]
    # The angle of the front axle's velocity less the steering angle is its slip.
    force_front = -front * (math.atan2(lateral + a * r, speed) - delta) * math.cos(delta)
    force_rear = -rear * math.atan2(lateral - b * r, speed)
    velocity = complex(speed, lateral) * cmath.exp(1j * yaw)
    return [
        (force_front + force_rear) / m - speed * r, (a * force_front - b * force_rear) / inertia,
        velocity.real, velocity.imag, r]


@pytest.mark.parametrize('formulation', FORMULATIONS)
@pytest.mark.parametrize('name', VEHICLES)
@given(
    lateral=st.floats(-0.3, 0.3), r=st.floats(-2.0, 2.0), yaw=st.floats(-4.0, 4.0),
    speed=st.floats(0.3, 10.0), delta=st.floats(-0.3, 0.3))
@settings(max_examples=40, deadline=None)
def test_equations_are_the_textbook_ones_above_the_threshold(
        name, formulation, lateral, r, yaw, speed, delta):
    vehicle = VEHICLES[name]
    state = (lateral * (speed if formulation == 'full' else 1.0), r, 1.0, 2.0, yaw)
    # The slip of each axle is regularised by the velocity along its own wheels.
    along_front = speed * math.cos(delta) + (
        (state[0] + vehicle.cog_to_front_axle * r) * math.sin(delta))
    if formulation == 'full' and along_front < 0.1:
        return
    np.testing.assert_allclose(
        derivative(SingleTrack(vehicle, 'linear', formulation), state, speed, delta),
        textbook(vehicle, formulation, state, speed, delta), rtol=1e-9, atol=1e-9)


@pytest.mark.parametrize('formulation', FORMULATIONS)
@pytest.mark.parametrize('name', VEHICLES)
def test_trajectory_agrees_with_an_adaptive_integration_of_the_textbook_equations(
        name, formulation):
    vehicle = VEHICLES[name]
    model = SingleTrack(vehicle, 'linear', formulation)
    state = np.array(model.initial_state(Pose2(0.5, -0.3, 0.7)))
    commands = [(2.0, 0.1), (2.0, -0.2), (3.0, 0.05), (1.0, 0.25)]
    for speed, delta in commands:
        state = solve_ivp(
            lambda _, y, v=speed, d=delta: textbook(vehicle, formulation, y, v, d), (0.0, 0.5),
            state, method='DOP853', rtol=1e-10, atol=1e-12).y[:, -1]
    for integrator in ('rk4', 'dopri5'):
        simulator = drive(
            model, commands, 0.5, start=Start(Pose2(0.5, -0.3, 0.7)), integrator=integrator)
        np.testing.assert_allclose(simulator.state, state, rtol=0.0, atol=2e-7)


@pytest.mark.parametrize('formulation', FORMULATIONS)
@pytest.mark.parametrize('name', VEHICLES)
@pytest.mark.parametrize('speed', [0.5, 2.0, 5.0, -1.0, -2.0])
def test_steady_yaw_rate_follows_the_understeer_gradient(name, formulation, speed):
    vehicle = VEHICLES[name]
    delta = 1e-3
    simulator = drive(SingleTrack(vehicle, 'linear', formulation), [(speed, delta)], 6.0)
    # Reversing swaps the axles and with them the sign of K.
    gradient = math.copysign(vehicle.understeer_gradient, speed)
    expected = speed * delta / (vehicle.wheelbase + gradient * speed * speed)
    assert simulator.diagnostics().yaw_rate == pytest.approx(expected, rel=1e-4)


@pytest.mark.parametrize('formulation', FORMULATIONS)
@pytest.mark.parametrize('name', VEHICLES)
@pytest.mark.parametrize('speed', [1.0, 3.0, 5.0])
def test_step_steer_follows_the_closed_second_order_solution(name, formulation, speed):
    vehicle = VEHICLES[name]
    m, inertia = vehicle.mass, vehicle.yaw_inertia
    a, b = vehicle.cog_to_front_axle, vehicle.cog_to_rear_axle
    front, rear = vehicle.front_cornering_stiffness, vehicle.rear_cornering_stiffness
    delta = 1e-4
    # s^2 + p s + q = 0 of the linear single track; r(0) = 0, r'(0) = a Cf delta / Iz.
    p = (front + rear) / (m * speed) + (a * a * front + b * b * rear) / (inertia * speed)
    q = (front * rear * vehicle.wheelbase ** 2 / (m * inertia * speed ** 2)
         + (b * rear - a * front) / inertia)
    root = cmath.sqrt(p * p / 4.0 - q)
    s1, s2 = -p / 2.0 + root, -p / 2.0 - root
    final = front * rear * vehicle.wheelbase * delta / (m * inertia * speed) / q
    c1 = (a * front * delta / inertia + s2 * final) / (s1 - s2)
    simulator = Simulator(SingleTrack(vehicle, 'linear', formulation))
    simulator.set_command(AckermannCommand(speed, delta))
    for _ in range(50):
        simulator.tick()
        time = simulator.time_ns * 1e-9
        expected = final + c1 * cmath.exp(s1 * time) - (final + c1) * cmath.exp(s2 * time)
        assert simulator.odometry().yaw_rate == pytest.approx(expected.real, abs=2e-4 * final)


@pytest.mark.parametrize('formulation', FORMULATIONS)
@pytest.mark.parametrize('tyre', TYRE_MODELS)
def test_mirrored_steering_gives_the_mirrored_trajectory_to_the_bit(formulation, tyre):
    model = SingleTrack(VEHICLES['racecar'], tyre, formulation)
    commands = [(2.0, 0.2), (0.5, 0.3), (0.05, 0.3), (-1.0, -0.1), (4.0, 0.1)]
    left = drive(model, commands, 0.3).state
    right = drive(model, [(v, -d) for v, d in commands], 0.3).state
    assert right == (-left[0], -left[1], left[2], -left[3], -left[4])


@pytest.mark.parametrize('formulation', FORMULATIONS)
def test_trajectory_does_not_depend_on_where_the_car_starts(formulation):
    model = SingleTrack(VEHICLES['racecar'], 'fiala', formulation)
    commands = [(2.0, 0.2), (-1.0, -0.1), (4.0, 0.1)]
    here = drive(model, commands, 0.5).odometry()
    there = drive(model, commands, 0.5, start=Start(Pose2(3.0, -2.0, 1.1))).odometry()
    position = complex(3.0, -2.0) + complex(here.x, here.y) * cmath.exp(1.1j)
    assert (there.x, there.y) == pytest.approx((position.real, position.imag), abs=1e-9)
    assert there.yaw == pytest.approx(math.remainder(here.yaw + 1.1, math.tau), abs=1e-9)
    assert there[5:] == pytest.approx(here[5:], abs=1e-9)


@pytest.mark.parametrize('formulation', FORMULATIONS)
@pytest.mark.parametrize('tyre', TYRES)
@pytest.mark.parametrize('delta', [0.0, 0.3, -1.0])
def test_car_at_rest_stays_exactly_where_it_is_whatever_the_steering(formulation, tyre, delta):
    model = SingleTrack(VEHICLES['racecar'], tyre, formulation)
    simulator = drive(model, [(0.0, delta)], 2.0, start=Start(Pose2(1.0, 2.0, 0.5)))
    assert simulator.state == model.initial_state(Pose2(1.0, 2.0, 0.5))


@pytest.mark.parametrize('formulation', FORMULATIONS)
def test_stopping_in_a_bend_ends_the_motion(formulation):
    model = SingleTrack(VEHICLES['racecar'], 'fiala', formulation)
    simulator = drive(model, [(3.0, 0.2), (0.0, 0.2)], 2.0)
    before = simulator.odometry()
    assert before[5:] == pytest.approx((0.0, 0.0, 0.0), abs=1e-12)
    for _ in range(500):
        simulator.tick()
    assert simulator.odometry()[1:5] == pytest.approx(before[1:5], abs=1e-12)


@pytest.mark.parametrize('name', VEHICLES)
@pytest.mark.parametrize('delta', [0.1, 0.4])
@pytest.mark.parametrize('speed', [0.01, 0.001, -0.001, -0.01])
def test_slow_car_is_the_kinematic_bicycle(name, delta, speed):
    vehicle = dataclasses.replace(VEHICLES[name], odometry_point='rear_axle')
    odometry = drive(SingleTrack(vehicle, 'fiala'), [(speed, delta)], 1.0).odometry()
    assert odometry.yaw_rate == pytest.approx(
        speed * math.tan(delta) / vehicle.wheelbase, rel=0.3 * abs(speed))
    assert odometry.vy == pytest.approx(0.0, abs=0.01 * abs(speed))


@pytest.mark.parametrize('name', VEHICLES)
@pytest.mark.parametrize('speed', [0.001, -0.001])
def test_slow_car_turns_like_the_kinematic_bicycle_in_the_report_formulation(name, speed):
    vehicle = VEHICLES[name]
    odometry = drive(SingleTrack(vehicle, 'fiala', 'report'), [(speed, 0.2)], 3.0).odometry()
    assert odometry.yaw_rate == pytest.approx(speed * 0.2 / vehicle.wheelbase, rel=2e-3)


@pytest.mark.parametrize('formulation', FORMULATIONS)
@pytest.mark.parametrize('tyre', ['linear', 'fiala'])
@pytest.mark.parametrize('name', VEHICLES)
def test_slow_sweep_through_standstill_retraces_its_arc(name, formulation, tyre):
    model = SingleTrack(VEHICLES[name], tyre, formulation)
    # Forwards, backwards and forwards again, ending where the speed integrates to zero.
    speeds = [0.3 * math.sin(math.tau * i / 400.0) for i in range(1200)]
    simulator = drive(model, [(speed, 0.2) for speed in speeds])
    odometry = simulator.odometry()
    assert (odometry.x, odometry.y, odometry.yaw) == pytest.approx((0.0, 0.0, 0.0), abs=0.02)


@pytest.mark.parametrize('formulation', FORMULATIONS)
@pytest.mark.parametrize('tyre', ['linear', 'fiala'])
@pytest.mark.parametrize('name', VEHICLES)
def test_sudden_reversal_in_a_bend_settles_on_the_new_arc(name, formulation, tyre):
    vehicle = VEHICLES[name]
    # Within friction of the slippery course car too: V^2 tan(delta)/L is below mu g.
    delta = 0.15
    simulator = drive(
        SingleTrack(vehicle, tyre, formulation), [(1.5, delta), (-1.0, delta)] * 3, 2.0)
    steady = drive(SingleTrack(vehicle, tyre, formulation), [(-1.0, delta)], 6.0)
    assert simulator.odometry()[5:] == pytest.approx(steady.odometry()[5:], abs=1e-4)
    assert simulator.odometry().yaw_rate < 0.0


@pytest.mark.parametrize('formulation', FORMULATIONS)
@pytest.mark.parametrize('name', VEHICLES)
def test_reversing_is_stable_up_to_the_critical_speed_only(name, formulation):
    vehicle = VEHICLES[name]
    model = SingleTrack(vehicle, 'linear', formulation)
    critical = vehicle.critical_speed_reverse

    def growth(speed):
        return np.linalg.eigvals(model.lateral_jacobian(speed)).real.max()

    assert all(growth(-critical * part) < 0.0 for part in (0.999, 0.7, 0.3, 0.05, 0.01))
    assert growth(-1.001 * critical) > 0.0
    assert all(growth(speed) < 0.0 for speed in np.linspace(0.01, 30.0, 50))


@given(
    vy=st.floats(-3.0, 3.0), r=st.floats(-20.0, 20.0), delta=st.floats(-1.5, 1.5),
    name=st.sampled_from(list(VEHICLES)), tyre=st.sampled_from(TYRES))
@settings(deadline=None)
def test_tyres_take_energy_from_a_car_that_slides_without_drive(vy, r, delta, name, tyre):
    vehicle = VEHICLES[name]
    rate = derivative(SingleTrack(vehicle, tyre), (vy, r, 0.0, 0.0, 0.0), 0.0, delta)
    assert vehicle.mass * vy * rate[0] + vehicle.yaw_inertia * r * rate[1] <= 1e-12


@pytest.mark.parametrize('formulation', FORMULATIONS)
@pytest.mark.parametrize('point', ['rear_axle', 'cog'])
def test_twist_is_the_rate_of_the_pose_in_the_body_frame(formulation, point):
    vehicle = dataclasses.replace(VEHICLES['racecar'], odometry_point=point)
    simulator = drive(
        SingleTrack(vehicle, 'linear', formulation), [(2.0, 0.2)], 0.1, period=0.001)
    # The centred difference of the poses 1 ms before and after.
    before = simulator.odometry()
    simulator.tick()
    now = simulator.odometry()
    simulator.tick()
    after = simulator.odometry()
    velocity = complex(after.x - before.x, after.y - before.y) / 0.002 * cmath.exp(-1j * now.yaw)
    assert (now.vx, now.vy) == pytest.approx((velocity.real, velocity.imag), abs=1e-3)
    assert now.yaw_rate == pytest.approx((after.yaw - before.yaw) / 0.002, abs=1e-3)


@pytest.mark.parametrize('formulation', FORMULATIONS)
@pytest.mark.parametrize('name', VEHICLES)
def test_initial_state_puts_the_odometry_point_at_the_pose(name, formulation):
    model = SingleTrack(VEHICLES[name], 'linear', formulation)
    x, y, qz, qw, *twist = model.odometry(model.initial_state(Pose2(1.0, -2.0, 2.5)), (0.0, 0.3))
    assert (x, y) == pytest.approx((1.0, -2.0), abs=1e-15)
    assert (qz, qw) == pytest.approx((math.sin(1.25), math.cos(1.25)))
    assert twist == [0.0, 0.0, 0.0]


def test_report_formulation_moves_along_the_heading():
    model = SingleTrack(VEHICLES['report'], 'linear', 'report')
    odometry = model.odometry((0.2, 1.5, 3.0, 4.0, 0.5), (2.0, 0.1))
    assert odometry == pytest.approx((3.0, 4.0, math.sin(0.25), math.cos(0.25), 2.0, 0.0, 1.5))


@pytest.mark.parametrize('formulation', FORMULATIONS)
@pytest.mark.parametrize('tyre', TYRES)
@pytest.mark.parametrize('speed', [2.0, -1.0, 0.05])
def test_diagnostics_agree_with_the_equations_of_motion(formulation, tyre, speed):
    vehicle = VEHICLES['racecar']
    model = SingleTrack(vehicle, tyre, formulation)
    state = (0.05, 0.4, 1.0, 2.0, 0.5)
    data = model.diagnostics(state, (speed, 0.2))
    rate = derivative(model, state, speed, 0.2)
    assert (data.x, data.y, data.yaw, data.yaw_rate) == (1.0, 2.0, 0.5, 0.4)
    assert (data.speed, data.steering_angle) == (speed, 0.2)
    assert math.tan(data.sideslip) == pytest.approx(data.vy / data.vx)
    cosine = math.cos(0.2) if formulation == 'full' else 1.0
    front, rear = cosine * data.lateral_force_front, data.lateral_force_rear
    assert vehicle.yaw_inertia * rate[1] == pytest.approx(
        vehicle.cog_to_front_axle * front - vehicle.cog_to_rear_axle * rear)
    if formulation == 'full':
        assert data.lateral_acceleration == pytest.approx(rate[0] + speed * 0.4)
    else:
        assert data.lateral_acceleration == pytest.approx(speed * (rate[0] + 0.4))
    assert data.slip_angle_front * data.lateral_force_front < 0.0
    assert data.slip_angle_rear * data.lateral_force_rear < 0.0


def test_fastest_mode_is_the_one_known_for_the_report_car():
    # Lateral eigenvalues at 0.04 m/s: -1101 and -3304 1/s.
    for formulation in FORMULATIONS:
        model = SingleTrack(VEHICLES['report'], 'linear', formulation, low_speed_threshold=0.04)
        assert model.fastest_mode() == pytest.approx(3304.0, rel=1e-3)


@pytest.mark.parametrize('name', VEHICLES)
def test_fastest_mode_covers_steering_and_every_speed(name):
    vehicle = VEHICLES[name]
    for formulation in FORMULATIONS:
        model = SingleTrack(vehicle, 'linear', formulation)
        others = [
            np.abs(np.linalg.eigvals(model.lateral_jacobian(speed, delta))).max()
            for speed in np.linspace(vehicle.speed_min, vehicle.speed_max, 97)
            for delta in np.linspace(-vehicle.steering_limit, vehicle.steering_limit, 9)]
        assert max(others) <= 1.001 * model.fastest_mode()
