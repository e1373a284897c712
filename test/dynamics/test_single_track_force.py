# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""Force-driven single track against textbook equations, power balance and the speed-driven one."""

import cmath
import dataclasses
import math
from pathlib import Path

from hypothesis import given, settings
from hypothesis import strategies as st
import numpy as np
import pytest
from scipy.integrate import solve_ivp

from racecar.base.errors import ParameterError
from racecar.base.types import AckermannCommand, Pose2
from racecar.dynamics.tyres import TYRE_MODELS
from racecar.dynamics.vehicles import SingleTrack, SingleTrackForce, VehicleParameters
from racecar.dynamics.vehicles.initial_motion import Start
from racecar.simulation.simulator import Simulator

FOLDER = Path(__file__).parents[2] / 'config' / 'vehicles'
VEHICLES = {
    name: VehicleParameters.from_file(FOLDER / f'{name}.yaml')
    for name in ('racecar', 'report', 'course', 'f1tenth')}


def derivative(model, state, inputs):
    return np.array(model.derivative(
        np.array(state, float), np.array(inputs, float), model.parameters))


def textbook(vehicle, state, force, delta):
    """Return the right-hand side for linear tyres, vx > 0 and forces within the friction."""
    vx, vy, r, _, _, yaw = state
    a, b, m = vehicle.cog_to_front_axle, vehicle.cog_to_rear_axle, vehicle.mass
    share = vehicle.front_drive_share
    slip_front = math.atan2(vy + a * r, vx) - delta
    slip_rear = math.atan2(vy - b * r, vx)
    loads = (vehicle.front_axle_load, vehicle.rear_axle_load)
    ellipse = [
        math.sqrt(1.0 - (part * force / (vehicle.friction_coefficient * load)) ** 2)
        for part, load in zip((share, 1.0 - share), loads, strict=True)]
    front = complex(share * force, -ellipse[0] * vehicle.front_cornering_stiffness * slip_front)
    front *= cmath.exp(1j * delta)
    rear = complex(
        (1.0 - share) * force, -ellipse[1] * vehicle.rear_cornering_stiffness * slip_rear)
    acceleration = (front + rear) / m - 1j * r * complex(vx, vy)
    velocity = complex(vx, vy) * cmath.exp(1j * yaw)
    return [acceleration.real, acceleration.imag,
            (a * front.imag - b * rear.imag) / vehicle.yaw_inertia, velocity.real, velocity.imag,
            r]


@pytest.mark.parametrize('name', VEHICLES)
@given(
    vx=st.floats(0.6, 10.0), beta=st.floats(-0.2, 0.2), r=st.floats(-1.0, 1.0),
    yaw=st.floats(-4.0, 4.0), share=st.floats(-0.6, 0.6), delta=st.floats(-0.3, 0.3))
@settings(max_examples=40, deadline=None)
def test_equations_are_the_textbook_ones_above_the_threshold(
        name, vx, beta, r, yaw, share, delta):
    vehicle = VEHICLES[name]
    force = share * min(
        vehicle.friction_coefficient * min(vehicle.front_axle_load, vehicle.rear_axle_load),
        vehicle.drive_force_limit)
    state = (vx, beta * vx, r, 1.0, 2.0, yaw)
    np.testing.assert_allclose(
        derivative(SingleTrackForce(vehicle), state, (0.0, delta, 1.0, force)),
        textbook(vehicle, state, force, delta), rtol=1e-9, atol=1e-9)


def test_trajectory_agrees_with_an_adaptive_integration_of_the_textbook_equations():
    vehicle = VEHICLES['racecar']
    simulator = Simulator(SingleTrackForce(vehicle), start=Start(Pose2(0.5, -0.3, 0.7)))
    simulator.set_command(AckermannCommand(1.0, 0.0))
    for _ in range(100):
        simulator.tick()
    state = np.array(simulator.state)
    for force, delta in ((5.0, 0.1), (-3.0, -0.2), (10.0, 0.05)):
        state = solve_ivp(
            lambda _, y, f=force, d=delta: textbook(vehicle, y, f, d), (0.0, 0.3), state,
            method='DOP853', rtol=1e-10, atol=1e-12).y[:, -1]
        simulator.set_inputs((0.0, delta, 1.0, force))
        for _ in range(30):
            simulator.tick()
        np.testing.assert_allclose(simulator.state, state, atol=1e-7)


@pytest.mark.parametrize('name', VEHICLES)
@pytest.mark.parametrize('tyre', TYRE_MODELS)
@given(
    vx=st.floats(-5.0, 5.0), vy=st.floats(-5.0, 5.0), r=st.floats(-10.0, 10.0),
    delta=st.floats(-1.5, 1.5), force=st.floats(-60.0, 60.0))
@settings(max_examples=20, deadline=None)
def test_energy_comes_from_the_drive_alone(name, tyre, vx, vy, r, delta, force):
    vehicle = dataclasses.replace(VEHICLES[name], drive_force_limit=1e3)
    model = SingleTrackForce(vehicle, tyre)
    rate = derivative(model, (vx, vy, r, 0.0, 0.0, 0.0), (0.0, delta, 1.0, force))
    power = (vehicle.mass * (vx * rate[0] + vy * rate[1]) + vehicle.yaw_inertia * r * rate[2])
    share = vehicle.front_drive_share
    grip = [vehicle.friction_coefficient * load
            for load in (vehicle.front_axle_load, vehicle.rear_axle_load)]
    front, rear = (float(np.clip(part * force, -limit, limit))
                   for part, limit in zip((share, 1.0 - share), grip, strict=True))
    wheel = complex(vx, vy + vehicle.cog_to_front_axle * r) * cmath.exp(-1j * delta)
    assert power <= front * wheel.real + rear * vx + 1e-9


@pytest.mark.parametrize('name', VEHICLES)
@pytest.mark.parametrize('speed', [0.5, 2.0, -1.0])
def test_it_settles_where_the_speed_driven_model_does(name, speed):
    results = []
    for model in (SingleTrackForce(VEHICLES[name]), SingleTrack(VEHICLES[name])):
        simulator = Simulator(model)
        simulator.set_command(AckermannCommand(speed, 0.02))
        for _ in range(600):
            simulator.tick()
        results.append(simulator.diagnostics())
    # Cornering drag leaves a small error of the speed.
    assert results[0].vx == pytest.approx(speed, rel=2e-3)
    assert results[0].yaw_rate == pytest.approx(results[1].yaw_rate, rel=3e-3)


@pytest.mark.parametrize('name', VEHICLES)
def test_car_at_rest_stays_exactly_where_it_is(name):
    model = SingleTrackForce(VEHICLES[name], 'pacejka')
    simulator = Simulator(model, start=Start(Pose2(1.0, 2.0, 0.5)))
    simulator.set_command(AckermannCommand(0.0, 0.4))
    for _ in range(100):
        simulator.tick()
    assert simulator.state == model.initial_state(Pose2(1.0, 2.0, 0.5))


def test_mirrored_steering_gives_the_mirrored_trajectory_to_the_bit():
    states = []
    for side in (1.0, -1.0):
        simulator = Simulator(SingleTrackForce(VEHICLES['racecar'], 'fiala'))
        for speed, angle in ((2.0, 0.4), (0.0, 0.3), (-1.0, -0.5), (4.0, 1.0)):
            simulator.set_command(AckermannCommand(speed, side * angle))
            for _ in range(30):
                simulator.tick()
        states.append(simulator.state)
    signs = (1.0, -1.0, -1.0, 1.0, -1.0, -1.0)
    assert states[1] == tuple(s * value for s, value in zip(signs, states[0], strict=True))


def test_speed_rises_no_faster_than_grip_allows():
    vehicle = dataclasses.replace(VEHICLES['racecar'], driven_axle='rear', drive_force_limit=1e3)
    simulator = Simulator(SingleTrackForce(vehicle, 'fiala'))
    simulator.set_command(AckermannCommand(5.0, 0.0))
    for _ in range(20):
        simulator.tick()
    assert simulator.odometry().vx == pytest.approx(
        0.2 * vehicle.friction_coefficient * vehicle.rear_axle_load / vehicle.mass, rel=1e-6)


@pytest.mark.parametrize(
    ('options', 'name'), [({'low_speed_threshold': 0.0}, 'low_speed_threshold'),
                          ({'drive_time_constant': math.nan}, 'drive_time_constant')])
def test_bad_options_are_refused(options, name):
    with pytest.raises(ParameterError, match=name):
        SingleTrackForce(VEHICLES['racecar'], **options)
