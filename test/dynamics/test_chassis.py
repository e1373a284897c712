# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""Roll stiffness, friction over load, rolling resistance, drag and tyre lag of a double track."""

import dataclasses
import math
from pathlib import Path

from hypothesis import given, settings
from hypothesis import strategies as st
import numpy as np
import pytest
from scipy.optimize import brentq

from racecar.base.errors import ConfigurationError, ParameterError
from racecar.base.parameter_file import load_parameter_file
from racecar.base.types import AckermannCommand, Pose2
from racecar.base.vectors import vector
from racecar.dynamics.vehicles import DoubleTrack, VehicleParameters
from racecar.dynamics.vehicles.initial_motion import Start
from racecar.simulation.simulator import Simulator

FOLDER = Path(__file__).parents[2] / 'config' / 'vehicles'
RACECAR, BMW, CITROEN = (
    VehicleParameters.from_file(FOLDER / f'{name}.yaml')
    for name in ('racecar', 'bmw_x5', 'citroen_czero'))
G = 9.81
ZERO = (0.0,) * 4


def with_(vehicle, **fields):
    return DoubleTrack(dataclasses.replace(vehicle, **fields))


def rolling_at(model, vx, vy=0.0, yaw_rate=0.0):
    """Return a simulator of a car that rolls at these velocities."""
    simulator = Simulator(model)
    front, rear = (vx / radius for radius in model.vehicle.wheel_radii)
    state = [vx, vy, yaw_rate, 0.0, 0.0, 0.0, front, front, rear, rear]
    simulator.state = [*state, *simulator.state[len(state):]]
    return simulator


def run(simulator, seconds):
    states = []
    for _ in range(round(seconds * 100)):
        simulator.tick()
        states.append(simulator.state)
    return np.array(states)


# Lateral load transfer


@pytest.mark.parametrize('split', [0.3, 0.5, 0.65])
@pytest.mark.parametrize('vehicle', [BMW, CITROEN], ids=lambda vehicle: vehicle.name)
def test_each_axle_takes_its_share_of_the_load_transfer(vehicle, split):
    model = with_(vehicle, roll_stiffness_split=split)
    simulator = Simulator(model)
    simulator.set_command(AckermannCommand(12.0, 0.06))
    run(simulator, 5.0)
    left, right, rear_left, rear_right = (wheel.load for wheel in simulator.wheels())
    ay = simulator.diagnostics().lateral_acceleration
    assert ay > 2.0
    roll_moment = vehicle.mass * ay * vehicle.cog_height
    front, rear = vehicle.track_widths
    assert 0.5 * (right - left) == pytest.approx(split * roll_moment / front, rel=5e-3)
    assert 0.5 * (rear_right - rear_left) == pytest.approx(
        (1.0 - split) * roll_moment / rear, rel=5e-3)
    assert left + right + rear_left + rear_right == pytest.approx(vehicle.mass * G)


def fiala(z, load, stiffness, friction):
    limit = 3.0 * friction * load / stiffness
    return stiffness * z * (1.0 - abs(z) / limit + z * z / (3.0 * limit * limit)) \
        if abs(z) < limit else math.copysign(friction * load, z)


def steering_by_hand(vehicle, split, ay, speed):
    """Return the steering angle of a steady turn to the left, from forces to geometry.

    ay [m/s^2]; speed [m/s] along the car.
    """
    rate = ay / speed
    length = vehicle.wheelbase

    def force(share, load, width, stiffness, tangents):
        transfer = share * vehicle.mass * ay * vehicle.cog_height / width
        return sum(-fiala(tangent, 0.5 * load + side * transfer, 0.5 * stiffness,
                          vehicle.friction_coefficient)
                   for side, tangent in zip((-1.0, 1.0), tangents, strict=True))

    front, rear = vehicle.track_widths

    def rear_surplus(across):
        return force(
            1.0 - split, vehicle.rear_axle_load, rear, vehicle.rear_cornering_stiffness,
            [across / (speed + side * 0.5 * rate * rear) for side in (-1.0, 1.0)]) - (
                vehicle.rear_axle_load / G * ay)

    across = brentq(rear_surplus, -0.5 * speed, 0.0) + length * rate

    def front_surplus(angle):
        tangents = []
        for side in (-1.0, 1.0):
            own = math.atan(math.tan(angle) / (
                1.0 + side * 0.5 * front / length * math.tan(angle)))
            tangents.append(math.tan(
                math.atan(across / (speed + side * 0.5 * rate * front)) - own))
        return force(split, vehicle.front_axle_load, front, vehicle.front_cornering_stiffness,
                     tangents) - vehicle.front_axle_load / G * ay

    return brentq(front_surplus, 0.0, 0.5)


def test_roll_stiffness_at_the_front_makes_the_car_understeer_as_much_as_by_hand():
    found, expected = [], []
    for split in (0.4, 0.6):
        model = with_(BMW, roll_stiffness_split=split)
        simulator = rolling_at(model, 20.0)
        # Without a drive, as its force would cost the front tyres some of theirs.
        simulator.set_inputs(model.torque_inputs(0.07, ZERO))
        run(simulator, 3.0)
        data = simulator.diagnostics()
        assert 4.5 < data.lateral_acceleration < 5.0
        straight = BMW.wheelbase * data.yaw_rate / data.vx
        found.append(0.07 - straight)
        expected.append(steering_by_hand(
            BMW, split, data.lateral_acceleration, data.vx) - straight)
    assert found == pytest.approx(expected, rel=0.01)
    # The same acceleration needs more steering, and by how much.
    assert found[1] - found[0] == pytest.approx(expected[1] - expected[0], rel=0.15)
    assert found[1] > found[0] + 0.001


def test_where_an_inner_wheel_lifts_the_other_axle_takes_the_rest():
    model = with_(BMW, cog_height=0.7, roll_stiffness_split=0.8)
    wheels = model.wheels((3.0, 4.0, 0.0, 0.0, 0.0, 0.0, *(8.0,) * 4),
                          model.torque_inputs(0.0, ZERO))
    loads = [wheel.load for wheel in wheels]
    side = sum(wheel.lateral_force for wheel in wheels)
    # It slides to the left.
    assert loads[1] == 0.0
    assert loads[0] + loads[1] + loads[2] + loads[3] == pytest.approx(BMW.mass * G)
    assert 0.5 * BMW.track_width * (loads[1] + loads[3] - loads[0] - loads[2]) == pytest.approx(
        side * 0.7, rel=1e-3)


def test_without_a_split_loads_are_those_of_the_plain_model():
    state = (9.0, 0.7, 0.5, 0.0, 0.0, 0.3, 25.0, 24.0, 25.0, 24.0)
    plain, other = DoubleTrack(BMW), with_(BMW, drag_area=1.0)
    inputs = plain.torque_inputs(0.1, ZERO)
    np.testing.assert_allclose(
        other.wheels(state, inputs), plain.wheels(state, inputs), rtol=1e-12)


# Friction


def test_load_transfer_costs_grip_where_friction_depends_on_the_load():
    k, split = 0.2, 0.6
    # Slides sideways, wheels still along the car.
    state = (0.0, -20.0, *(0.0,) * 8)
    forces = []
    for sensitivity in (0.0, k):
        model = with_(BMW, roll_stiffness_split=split, friction_load_sensitivity=sensitivity)
        forces.append(sum(
            wheel.lateral_force
            for wheel in model.wheels(state, model.torque_inputs(0.0, ZERO, (1e5,) * 4))))
    # 2 wheels with the loads Fz0 -+ d hold mu (2 Fz0 - 2 k d^2/Fz0).
    ay = forces[1] / BMW.mass
    lost = sum(
        2.0 * k * (share * BMW.mass * ay * BMW.cog_height / BMW.track_width) ** 2 / (0.5 * load)
        for share, load in ((split, BMW.front_axle_load), (1.0 - split, BMW.rear_axle_load)))
    assert forces[0] == pytest.approx(BMW.mass * G, rel=1e-9)
    assert forces[0] - forces[1] == pytest.approx(lost, rel=0.04)
    assert forces[1] < 0.97 * forces[0]


# Resistance


def rolling_mass(vehicle):
    """Return the mass of a car with that for which its wheels count."""
    return vehicle.mass + sum(
        2.0 * vehicle.wheel_inertia / radius ** 2 for radius in vehicle.wheel_radii)


def coast(vehicle, f, start, time):
    """Return the speed of a rolling car by the closed form."""
    mass = rolling_mass(vehicle)
    constant, square = f * vehicle.mass * G / mass, vehicle.drag_factor / mass
    if square == 0.0:
        return start - constant * time
    if constant == 0.0:
        return start / (1.0 + start * square * time)
    return math.sqrt(constant / square) * math.tan(
        math.atan(start * math.sqrt(square / constant)) - time * math.sqrt(constant * square))


@pytest.mark.parametrize(('f', 'area'), [(0.015, 0.0), (0.0, 0.9), (0.012, 0.9)])
@pytest.mark.parametrize('sign', [1.0, -1.0])
def test_car_coasts_down_as_the_closed_form_says(f, area, sign):
    model = with_(CITROEN, rolling_resistance=f, drag_area=area)
    simulator = rolling_at(model, sign * 30.0)
    simulator.set_inputs(model.torque_inputs(0.0, ZERO))
    run(simulator, 60.0)
    expected = coast(model.vehicle, f, 30.0, 60.0)
    assert 5.0 < expected < 25.0
    assert sign * simulator.state[0] == pytest.approx(expected, rel=2e-3)


@pytest.mark.parametrize('vehicle', [RACECAR, BMW], ids=lambda vehicle: vehicle.name)
def test_rolling_resistance_stops_a_car_and_lets_it_stand(vehicle):
    model = with_(vehicle, rolling_resistance=0.02)
    simulator = rolling_at(model, 1.0)
    simulator.set_inputs(model.torque_inputs(0.1, ZERO))
    states = run(simulator, 20.0)
    assert np.all(np.diff(states[:, 0]) <= 0.0)
    assert 0.0 <= states[-1, 0] < 1e-6
    distance = np.abs(np.diff(states[:, 3] + 1j * states[:, 4])).sum()
    assert distance == pytest.approx(
        0.5 / (0.02 * G) * rolling_mass(vehicle) / vehicle.mass, rel=0.02)


def test_top_speed_is_where_drag_and_rolling_resistance_take_the_force():
    model = with_(BMW, rolling_resistance=0.015, drag_area=0.9)
    force = 1500.0
    simulator = rolling_at(model, 40.0)
    simulator.set_inputs(model.torque_inputs(0.0, (0.25 * force * BMW.wheel_radius,) * 4))
    run(simulator, 300.0)
    assert simulator.state[0] == pytest.approx(math.sqrt(
        (force - 0.015 * BMW.mass * G) / (0.5 * 1.225 * 0.9)), rel=2e-3)


def test_resistance_takes_energy_and_friction_torque_has_its_size():
    model = with_(CITROEN, rolling_resistance=0.02)
    state = (10.0, 0.0, 0.0, 0.0, 0.0, 0.0, 30.0, 40.0, -30.0, 0.01)
    plain = DoubleTrack(CITROEN)
    inputs = plain.torque_inputs(0.0, ZERO)
    found, without = (np.array(each.derivative(
        vector(state), vector(inputs), each.parameters)) for each in (model, plain))
    moments = (without - found)[6:] * CITROEN.wheel_inertia
    expected = [0.02 * wheel.load * radius * math.copysign(1.0, wheel.speed) for wheel, radius in
                zip(model.wheels(state, inputs), np.repeat(CITROEN.wheel_radii, 2), strict=True)]
    assert moments[:3] == pytest.approx(expected[:3], rel=1e-9)
    assert 0.0 < moments[3] < expected[3]
    np.testing.assert_array_equal(found[:6], without[:6])


# Tyres that lag


@pytest.mark.parametrize('speed', [4.0, 25.0, -8.0])
def test_slip_builds_up_over_the_relaxation_length_at_any_speed(speed):
    # So heavy that its way does not bend.
    model = with_(CITROEN, relaxation_length=0.6, mass=1e6, yaw_inertia=1e6)
    simulator = rolling_at(model, speed, 0.01 * abs(speed))
    simulator.set_inputs(model.torque_inputs(0.0, ZERO))
    states = run(simulator, 0.3)
    distance = np.abs(speed) * 0.01 * np.arange(1, 31)
    for column in range(10, 14):
        np.testing.assert_allclose(
            states[:, column], 0.01 * (1.0 - np.exp(-distance / 0.6)), rtol=2e-2)
    assert simulator.wheels()[0].slip_angle == pytest.approx(math.atan(states[-1, 10]), rel=1e-9)


def test_lag_does_not_change_a_steady_turn():
    data = []
    for length in (0.0, 0.5):
        simulator = Simulator(with_(BMW, relaxation_length=length))
        simulator.set_command(AckermannCommand(15.0, 0.06))
        run(simulator, 20.0)
        data.append(simulator.diagnostics()[5:12])
    np.testing.assert_allclose(data[1], data[0], rtol=2e-4)


@pytest.mark.parametrize(('vehicle', 'length'), [(RACECAR, 0.05), (BMW, 0.5)],
                         ids=['racecar', 'bmw_x5'])
@given(vy=st.floats(-4.0, 4.0), yaw_rate=st.floats(-2.0, 2.0))
@settings(max_examples=6, deadline=None)
def test_braked_car_that_slides_rocks_on_its_tyres_and_comes_to_rest(
        vehicle, length, vy, yaw_rate):
    model = with_(vehicle, relaxation_length=length)
    simulator = rolling_at(model, 0.0, vy, yaw_rate)
    simulator.set_inputs(model.torque_inputs(0.0, ZERO, (1e5 * vehicle.wheel_inertia,) * 4))
    states = run(simulator, 4.0)
    energy = 0.5 * (vehicle.mass * (states[:, 0] ** 2 + states[:, 1] ** 2)
                    + vehicle.yaw_inertia * states[:, 2] ** 2)
    start = 0.5 * (vehicle.mass * vy ** 2 + vehicle.yaw_inertia * yaw_rate ** 2)
    assert energy.max() <= start * (1.0 + 1e-9)
    # A tyre gives back no more than it has taken as a spring up to its friction.
    stored = vehicle.friction_coefficient ** 2 * 0.5 * length * sum(
        load ** 2 / stiffness for load, stiffness in (
            (vehicle.front_axle_load, vehicle.front_cornering_stiffness),
            (vehicle.rear_axle_load, vehicle.rear_cornering_stiffness)))
    # When it first stands or begins to swing back.
    turn = next((i for i, rise in enumerate(np.diff(energy)) if rise > 0.0), len(energy) - 1)
    assert energy[turn:].max() <= max(1.5 * stored, energy[turn])
    assert energy[-1] < 1e-6 * vehicle.mass
    # What is left in the tyres of an axle pulls against each other.
    holds = [vehicle.friction_coefficient * load / stiffness for load, stiffness in (
        (vehicle.front_axle_load, vehicle.front_cornering_stiffness),
        (vehicle.rear_axle_load, vehicle.rear_cornering_stiffness))]
    left = np.abs(states[-1, 10:].reshape(2, 2))
    assert np.all(left.max(axis=1) <= 1.01 * np.array(holds))
    assert np.abs(states[-1, 10:].reshape(2, 2).sum(axis=1)).max() < 1e-3


def test_car_at_rest_on_tyres_that_lag_stays_exactly_where_it_is():
    model = with_(RACECAR, relaxation_length=0.05, rolling_resistance=0.02, drag_area=0.1)
    simulator = Simulator(model, start=Start(Pose2(1.0, 2.0, 0.5)))
    simulator.set_command(AckermannCommand(0.0, 0.4))
    run(simulator, 1.0)
    assert simulator.state == model.initial_state(Pose2(1.0, 2.0, 0.5))
    assert len(simulator.state) == len(model.state_names) == 14


@pytest.mark.parametrize('vehicle', [RACECAR, BMW], ids=lambda vehicle: vehicle.name)
@given(speeds=st.lists(st.floats(-0.4, 1.0), min_size=1, max_size=5), sweep=st.floats(0.0, 3.0))
@settings(max_examples=6, deadline=None)
def test_with_all_of_them_no_speed_and_chirp_up_to_the_stop_leaves_the_range(
        vehicle, speeds, sweep):
    simulator = Simulator(with_(
        vehicle, roll_stiffness_split=0.7, friction_load_sensitivity=0.3, drag_area=0.5,
        relaxation_length=vehicle.wheel_radius, rolling_resistance=0.02))
    for i in range(200):
        time = i * 0.01
        simulator.set_command(AckermannCommand(
            0.4 * vehicle.speed_max * speeds[i * len(speeds) // 200],
            vehicle.steering_limit * math.sin(math.tau * (0.5 + sweep * time) * time)))
        simulator.tick()
    assert np.isfinite(simulator.state).all()


def test_a_relaxation_length_too_short_for_the_step_is_named():
    with pytest.raises(ConfigurationError, match='is too long for .*relaxation length 0.001 m'):
        Simulator(with_(RACECAR, relaxation_length=0.001))


@pytest.mark.parametrize(('field', 'value', 'expected'), [
    ('roll_stiffness_split', 1.2, r'\[0, 1\]'), ('friction_load_sensitivity', 0.5, r'\[0, 0.3\]'),
    ('relaxation_length', -0.1, r'\[0, 10\] \[m\]'), ('rolling_resistance', -0.01, r'\[0, 0.5\]'),
    ('drag_area', math.nan, r'\[0, 1000\] \[m\^2\]')])
def test_numbers_out_of_range_are_refused(field, value, expected):
    values = load_parameter_file(FOLDER / 'racecar.yaml', 'vehicle')
    with pytest.raises(ParameterError, match=rf"'vehicle.{field}'.*{expected}"):
        VehicleParameters.from_values({**values, f'vehicle.{field}': value})
