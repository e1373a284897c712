# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""Double track: rigid-body oracle, energy, loads, standstill, wheel spin, limits, symmetry."""

import cmath
import dataclasses
import math
import os
from pathlib import Path
import subprocess
import sys
from typing import Any

from compilation import plain
from hypothesis import given, settings
from hypothesis import strategies as st
import numpy as np
import pytest
from scipy.integrate import solve_ivp

from racecar.base.errors import ParameterError
from racecar.base.types import AckermannCommand, Pose2
from racecar.dynamics.tyres import TYRE_MODELS
from racecar.dynamics.vehicles import DoubleTrack, VehicleParameters
from racecar.dynamics.vehicles.initial_motion import Start
from racecar.simulation.simulator import Simulator

FOLDER = Path(__file__).parents[2] / 'config' / 'vehicles'
SOURCES = Path(__file__).parents[2] / 'src'
VEHICLES = {
    name: VehicleParameters.from_file(FOLDER / f'{name}.yaml')
    for name in ('racecar', 'report', 'course', 'f1tenth')}
RACECAR = VEHICLES['racecar']
ZERO = (0.0,) * 4


def derivative(model, state, inputs):
    return np.array(model.derivative(
        np.array(state, float), np.array(inputs, float), model.parameters))


def positions(vehicle):
    a, b = vehicle.cog_to_front_axle, vehicle.cog_to_rear_axle
    half = 0.5 * vehicle.track_width
    return [complex(a, half), complex(a, -half), complex(-b, half), complex(-b, -half)]


def wheel_velocities(vehicle, state, angles):
    """Return the velocity of each hub along and across its wheel as a complex number."""
    return [
        (complex(state[0], state[1]) + 1j * state[2] * position) * cmath.exp(-1j * angle)
        for position, angle in zip(positions(vehicle), (*angles, 0.0, 0.0), strict=True)]


states = st.tuples(
    st.floats(-6.0, 6.0), st.floats(-4.0, 4.0), st.floats(-10.0, 10.0), st.just(1.0),
    st.just(2.0), st.floats(-3.0, 3.0), *(st.floats(-150.0, 150.0) for _ in range(4)))
fours = st.lists(st.floats(-2.0, 2.0), min_size=4, max_size=4)
positive_fours = st.lists(st.floats(0.0, 2.0), min_size=4, max_size=4)


@pytest.mark.parametrize('tyre', TYRE_MODELS)
@pytest.mark.parametrize('name', VEHICLES)
@given(state=states, delta=st.floats(-1.0, 1.0), drive=fours)
@settings(max_examples=20, deadline=None)
def test_tyre_forces_move_a_rigid_body_with_four_wheels(name, tyre, state, delta, drive):
    vehicle = VEHICLES[name]
    model = DoubleTrack(vehicle, tyre)
    inputs = model.torque_inputs(delta, drive)
    rate = derivative(model, state, inputs)
    wheels = model.wheels(state, inputs)
    forces = [
        complex(wheel.longitudinal_force, wheel.lateral_force) * cmath.exp(1j * angle)
        for wheel, angle in zip(wheels, (*inputs[3:5], 0.0, 0.0), strict=True)]
    total = sum(forces) / vehicle.mass - 1j * state[2] * complex(state[0], state[1])
    moment = sum((position.conjugate() * force).imag
                 for position, force in zip(positions(vehicle), forces, strict=True))
    assert complex(rate[0], rate[1]) == pytest.approx(total, abs=1e-7, rel=1e-9)
    assert rate[2] == pytest.approx(moment / vehicle.yaw_inertia, abs=1e-7, rel=1e-9)
    velocity = complex(state[0], state[1]) * cmath.exp(1j * state[5])
    assert complex(rate[3], rate[4]) == pytest.approx(velocity)
    assert rate[5] == state[2]
    for i, wheel in enumerate(wheels):
        assert rate[6 + i] * vehicle.wheel_inertia == pytest.approx(
            drive[i] - vehicle.wheel_radius * wheel.longitudinal_force, abs=1e-9)


@pytest.mark.parametrize('tyre', TYRE_MODELS)
@pytest.mark.parametrize('name', VEHICLES)
@given(state=states, delta=st.floats(-1.0, 1.0), drive=fours, brake=positive_fours,
       damping=st.floats(0.0, 0.1))
@settings(max_examples=20, deadline=None)
def test_energy_comes_from_the_engine_alone(name, tyre, state, delta, drive, brake, damping):
    vehicle = VEHICLES[name]
    model = DoubleTrack(vehicle, tyre)
    inputs = model.torque_inputs(delta, drive, brake, (damping,) * 4)
    rate = derivative(model, state, inputs)
    spins = np.array(state[6:])
    power = (
        vehicle.mass * (state[0] * rate[0] + state[1] * rate[1])
        + vehicle.yaw_inertia * state[2] * rate[2]
        + vehicle.wheel_inertia * float(spins @ rate[6:]))
    tyres = sum(
        wheel.longitudinal_force * (velocity.real - vehicle.wheel_radius * wheel.speed)
        + wheel.lateral_force * velocity.imag
        for wheel, velocity in zip(
            model.wheels(state, inputs), wheel_velocities(vehicle, state, inputs[3:5]),
            strict=True))
    engine = float(spins @ np.array(drive))
    scale = 1e-9 * (1.0 + abs(engine) + abs(tyres))
    assert tyres <= scale
    # What is left is what brakes and damping take.
    brakes = power - engine - tyres
    assert brakes <= scale
    limit = float(np.abs(spins) @ np.array(brake)) + damping * float(spins @ spins)
    assert brakes >= -limit - scale


@pytest.mark.parametrize('tyre', ['fiala', 'pacejka'])
@given(state=states, delta=st.floats(-1.0, 1.0))
@settings(max_examples=60, deadline=None)
def test_loads_carry_the_weight_and_balance_the_accelerations(tyre, state, delta):
    model = DoubleTrack(RACECAR, tyre)
    inputs = model.torque_inputs(delta, ZERO)
    loads = [wheel.load for wheel in model.wheels(state, inputs)]
    assert sum(loads) == pytest.approx(RACECAR.mass * 9.81, rel=1e-12)
    assert min(loads) >= 0.0
    rate = derivative(model, state, inputs)
    ax = rate[0] - state[1] * state[2]
    ay = rate[1] + state[0] * state[2]
    height, weight = RACECAR.cog_height, RACECAR.mass * 9.81
    # Pitch and roll moments about the ground, to what the load passes leave open.
    assert loads[0] + loads[1] == pytest.approx(
        RACECAR.front_axle_load - RACECAR.mass * ax * height / RACECAR.wheelbase,
        abs=0.04 * weight)
    assert 0.5 * RACECAR.track_width * (loads[1] + loads[3] - loads[0] - loads[2]) == (
        pytest.approx(RACECAR.mass * ay * height, abs=0.04 * weight * height))


def test_inner_wheels_lift_on_a_tall_car_and_the_outer_ones_carry_it():
    tall = dataclasses.replace(RACECAR, cog_height=0.5)
    model = DoubleTrack(tall, 'fiala')
    wheels = model.wheels((3.0, 1.5, 0.0, 0.0, 0.0, 0.0, *(60.0,) * 4),
                          model.torque_inputs(0.0, ZERO))
    # It slides to the left, so the tyres push to the right and the left wheels are the outer.
    assert (wheels[1].load, wheels[3].load) == (0.0, 0.0)
    assert wheels[0].load + wheels[2].load == pytest.approx(tall.mass * 9.81)
    assert (wheels[1].lateral_force, wheels[1].longitudinal_force) == (0.0, 0.0)


@given(delta=st.floats(-0.9, 0.9))
def test_front_wheels_point_about_one_centre(delta):
    _, _, _, left, right = DoubleTrack(RACECAR).torque_inputs(delta, ZERO)[:5]
    k = RACECAR.track_width / (2.0 * RACECAR.wheelbase)
    tangent = math.tan(delta)
    assert math.tan(left) == pytest.approx(tangent / (1.0 - k * tangent))
    assert math.tan(right) == pytest.approx(tangent / (1.0 + k * tangent))


@pytest.mark.parametrize('name', VEHICLES)
@pytest.mark.parametrize('speed', [2.0, 3.0, -1.5])
def test_gentle_cornering_follows_the_understeer_gradient(name, speed):
    vehicle = VEHICLES[name]
    simulator = Simulator(DoubleTrack(vehicle, 'linear'))
    simulator.set_command(AckermannCommand(speed, 0.005))
    for _ in range(600):
        simulator.tick()
    data = simulator.diagnostics()
    gradient = math.copysign(vehicle.understeer_gradient, speed)
    assert data.vx == pytest.approx(speed, rel=1e-2)
    assert data.yaw_rate == pytest.approx(
        data.vx * 0.005 / (vehicle.wheelbase + gradient * data.vx ** 2), rel=5e-3)


@pytest.mark.parametrize('tyre', ['fiala', 'pacejka'])
def test_fixed_steps_agree_with_an_adaptive_integration(tyre):
    model = DoubleTrack(RACECAR, tyre)
    simulator = Simulator(model)
    simulator.set_command(AckermannCommand(2.0, 0.0))
    for _ in range(100):
        simulator.tick()
    state = np.array(simulator.state)
    for torque, delta in ((0.2, 0.1), (-0.1, -0.2), (0.3, 0.3)):
        inputs = model.torque_inputs(delta, (torque,) * 4)
        state = solve_ivp(
            lambda _, y, u=inputs: derivative(model, y, u), (0.0, 0.2), state,
            method='DOP853', rtol=1e-9, atol=1e-11).y[:, -1]
        simulator.set_inputs(inputs)
        for _ in range(20):
            simulator.tick()
        np.testing.assert_allclose(simulator.state, state, rtol=1e-4, atol=2e-5)


def run(simulator, inputs, seconds):
    simulator.set_inputs(inputs)
    states = []
    for _ in range(round(seconds * 100)):
        simulator.tick()
        states.append(simulator.state)
    return np.array(states)


@pytest.mark.parametrize('name', VEHICLES)
def test_brake_holds_the_car_against_its_engine_exactly(name):
    model = DoubleTrack(VEHICLES[name])
    simulator = Simulator(model, start=Start(Pose2(1.0, 2.0, 0.5)))
    states = run(simulator, model.torque_inputs(0.3, (0.1,) * 4, (0.11,) * 4), 1.0)
    assert np.all(states == model.initial_state(Pose2(1.0, 2.0, 0.5)))
    # Let go, it pulls away.
    assert run(simulator, model.torque_inputs(0.0, (0.1,) * 4), 0.1)[-1, 0] > 0.05


@pytest.mark.parametrize('name', VEHICLES)
@pytest.mark.parametrize('speed', [2.0, -1.0])
@pytest.mark.parametrize('brake', [0.05, 5.0])
def test_braked_car_stops_once_and_stands_without_jitter(name, speed, brake):
    vehicle = VEHICLES[name]
    model = DoubleTrack(vehicle)
    simulator = Simulator(model)
    simulator.set_command(AckermannCommand(speed, 0.2))
    for _ in range(200):
        simulator.tick()
    start = simulator.odometry().vx
    states = run(simulator, model.torque_inputs(0.2, ZERO, (brake,) * 4), 8.0)
    along = states[:, 0] * math.copysign(1.0, speed)
    # It never speeds up nor turns round, and in the end everything is at rest.
    assert np.all(np.diff(along) <= 1e-6)
    assert along.min() > -1e-4
    assert np.abs(states[-1, [0, 1, 2, 6, 7, 8, 9]]).max() < 1e-6
    assert np.abs(np.diff(states[-100:, 3:6], axis=0)).max() < 1e-9
    distance = np.abs(np.diff(states[:, 3] + 1j * states[:, 4])).sum()
    deceleration = min(
        4.0 * brake / vehicle.wheel_radius / (
            vehicle.mass + 4.0 * vehicle.wheel_inertia / vehicle.wheel_radius ** 2),
        vehicle.friction_coefficient * 9.81)
    assert distance == pytest.approx(start ** 2 / (2.0 * deceleration), rel=0.25, abs=0.03)


def test_pulling_away_follows_the_mass_and_the_wheels():
    model = DoubleTrack(RACECAR)
    simulator = Simulator(model)
    states = run(simulator, model.torque_inputs(0.0, (0.1,) * 4), 1.0)
    inertia = RACECAR.mass + 4.0 * RACECAR.wheel_inertia / RACECAR.wheel_radius ** 2
    assert states[-1, 0] - states[49, 0] == pytest.approx(
        0.5 * 4.0 * 0.1 / RACECAR.wheel_radius / inertia, rel=1e-2)


def test_driven_wheels_spin_on_ice_and_the_others_roll():
    vehicle = dataclasses.replace(RACECAR, driven_axle='rear')
    model = DoubleTrack(vehicle, 'pacejka', tyre_values={'tyre_parameters': 'ice'})
    simulator = Simulator(model)
    states = run(simulator, model.torque_inputs(0.0, (0.0, 0.0, 0.5, 0.5)), 0.5)
    speed, rolling = states[-1, 0], states[-1, 6:] * vehicle.wheel_radius
    assert rolling[:2] == pytest.approx([speed, speed], rel=0.05)
    assert min(rolling[2:]) > 10.0 * speed
    # Peak friction 0.1 of a rear axle that load transfer presses down a little.
    most = 0.1 * (vehicle.rear_axle_load + 1.0) / vehicle.mass
    assert 0.4 * most < speed / 0.5 <= most


def test_one_wheel_on_its_own_torque_turns_the_car():
    model = DoubleTrack(RACECAR)
    right = run(Simulator(model), model.torque_inputs(0.0, (0.0, 0.0, 0.0, 0.2)), 0.3)[-1]
    left = run(Simulator(model), model.torque_inputs(0.0, (0.0, 0.0, 0.2, 0.0)), 0.3)[-1]
    assert right[2] > 0.0
    swapped = left[[0, 1, 2, 3, 4, 5, 7, 6, 9, 8]] * np.array([1, -1, -1, 1, -1, -1, 1, 1, 1, 1])
    np.testing.assert_array_equal(right, swapped)


@pytest.mark.parametrize('tyre', TYRE_MODELS)
def test_mirrored_steering_gives_the_mirrored_trajectory_to_the_bit(tyre):
    states = []
    for side in (1.0, -1.0):
        simulator = Simulator(DoubleTrack(RACECAR, tyre))
        for speed, angle in ((2.0, 0.4), (0.0, 0.3), (-1.0, -0.5), (4.0, 1.0)):
            simulator.set_command(AckermannCommand(speed, side * angle))
            for _ in range(30):
                simulator.tick()
        states.append(simulator.state)
    a, b = states
    assert b == (a[0], -a[1], -a[2], a[3], -a[4], -a[5], a[7], a[6], a[9], a[8])


def test_trajectory_does_not_depend_on_where_the_car_starts():
    results = []
    for pose in (Pose2(0.0, 0.0, 0.0), Pose2(3.0, -2.0, 1.1)):
        simulator = Simulator(DoubleTrack(RACECAR), start=Start(pose))
        for speed, angle in ((2.0, 0.2), (-1.0, -0.1), (4.0, 0.1)):
            simulator.set_command(AckermannCommand(speed, angle))
            for _ in range(50):
                simulator.tick()
        results.append(simulator.odometry())
    here, there = results
    position = complex(3.0, -2.0) + complex(here.x, here.y) * cmath.exp(1.1j)
    assert (there.x, there.y) == pytest.approx((position.real, position.imag), abs=1e-9)
    assert there[5:] == pytest.approx(here[5:], abs=1e-9)


@pytest.mark.parametrize('name', VEHICLES)
@pytest.mark.parametrize('tyre', TYRE_MODELS)
@given(
    speeds=st.lists(st.floats(-2.0, 5.0), min_size=1, max_size=5), sweep=st.floats(0.0, 3.0))
@settings(max_examples=4, deadline=None)
def test_no_speed_and_chirp_up_to_the_stop_leaves_the_range(name, tyre, speeds, sweep):
    simulator = Simulator(DoubleTrack(VEHICLES[name], tyre))
    lock = VEHICLES[name].steering_limit
    for i in range(200):
        time = i * 0.01
        simulator.set_command(AckermannCommand(
            speeds[i * len(speeds) // 200],
            lock * math.sin(math.tau * (0.5 + sweep * time) * time)))
        simulator.tick()
    assert max(map(abs, simulator.state[:2])) < 10.0


@pytest.mark.parametrize('name', VEHICLES)
def test_car_at_rest_stays_exactly_where_it_is(name):
    model = DoubleTrack(VEHICLES[name])
    simulator = Simulator(model, start=Start(Pose2(1.0, 2.0, 0.5)))
    simulator.set_command(AckermannCommand(0.0, 0.4))
    for _ in range(100):
        simulator.tick()
    assert simulator.state == model.initial_state(Pose2(1.0, 2.0, 0.5))


def test_diagnostics_agree_with_the_wheels():
    model = DoubleTrack(RACECAR)
    state = (2.0, 0.1, 1.0, 0.5, 0.6, 0.3, 39.0, 41.0, 40.0, 42.0)
    inputs = model.torque_inputs(0.1, ZERO)
    data, wheels = model.diagnostics(state, inputs), model.wheels(state, inputs)
    assert data.lateral_force_front == pytest.approx(
        wheels[0].lateral_force + wheels[1].lateral_force)
    assert data.slip_angle_rear == pytest.approx(
        0.5 * (wheels[2].slip_angle + wheels[3].slip_angle))
    rate = derivative(model, state, inputs)
    assert data.lateral_acceleration == pytest.approx(rate[1] + state[0] * state[2])


@pytest.mark.parametrize(
    ('drive', 'brake'), [((1.0,), ZERO), ((math.nan, 0.0, 0.0, 0.0), ZERO),
                         (ZERO, (0.0, -1.0, 0.0, 0.0))])
def test_bad_torques_are_refused(drive, brake):
    with pytest.raises(ParameterError, match='expected four finite numbers each'):
        DoubleTrack(RACECAR).torque_inputs(0.0, drive, brake)


def test_kernels_agree_with_their_python_source_to_the_bit():
    pytest.importorskip('numba')
    model = DoubleTrack(RACECAR, 'pacejka')
    state = np.array((2.0, 0.1, 1.0, 0.5, 0.6, 0.3, 39.0, 41.0, 40.0, 42.0))
    inputs = np.array(model.torque_inputs(0.1, (0.1, 0.2, 0.0, 0.3), (0.0, 0.1, 0.0, 0.4)))
    kernels: tuple[Any, ...] = (model.derivative, model.observe, model.diagnose)
    for kernel in kernels:
        arguments = (state, inputs, model.parameters)
        assert kernel(*arguments) == tuple(plain(kernel)(*arguments))


# Runs in a process of its own; prints the states as hexadecimal numbers.
TRAJECTORIES = """
import json, math, sys
if sys.argv[1] == 'plain':
    sys.modules['numba'] = None
from racecar.simulation.simulator import Simulator
from racecar.base.types import AckermannCommand
from racecar.dynamics.vehicles import *
vehicle = VehicleParameters.from_file(sys.argv[2])
models = [KinematicBicycle(vehicle), SingleTrack(vehicle, 'pacejka')]
for tyre in ('linear', 'fiala', 'fiala_unsaturated', 'pacejka'):
    models += [SingleTrackForce(vehicle, tyre), DoubleTrack(vehicle, tyre)]
numbers = []
for model in models:
    sim = Simulator(model)
    for i in range(15):
        sim.set_command(AckermannCommand(2.0 * math.sin(0.5 * i), 0.4 * math.cos(0.4 * i)))
        sim.tick()
    numbers += [float(value).hex() for value in (*sim.state, *sim.odometry(), *sim.diagnostics())]
print(json.dumps(numbers))
"""


def test_compiled_and_plain_python_give_the_same_bits_for_every_model():
    pytest.importorskip('numba')
    results = [
        subprocess.run(
            [sys.executable, '-c', TRAJECTORIES, mode, str(FOLDER / 'racecar.yaml')], check=True,
            text=True, stdout=subprocess.PIPE, timeout=250,
            env={**os.environ, 'PYTHONPATH': str(SOURCES)}).stdout
        for mode in ('compiled', 'plain')]
    assert results[0] == results[1]
