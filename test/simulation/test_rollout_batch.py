# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""Cars that follow given inputs: the bits of Simulator, resets by a mask, records."""

import contextlib
import math
import os
from pathlib import Path
import subprocess
import sys

from hypothesis import given, settings
from hypothesis import strategies as st
import numpy as np
import pytest

from racecar.base.errors import ConfigurationError, DivergenceError, ParameterError
from racecar.base.share import find_config
from racecar.base.types import AckermannCommand, Pose2
from racecar.dynamics.vehicles import make_vehicle_model, VEHICLE_MODELS, VehicleParameters
from racecar.dynamics.vehicles.initial_motion import Start
from racecar.simulation.car_parameters import SIMULATOR_PARAMETERS
from racecar.simulation.rollout_batch import RolloutBatch
from racecar.simulation.simulator import Simulator

SOURCES = Path(__file__).parents[2] / 'src'
RACECAR = VehicleParameters.from_file(find_config('vehicles/racecar'))
ACTUATORS = {
    'actuators.steering_delay': 0.013, 'actuators.steering_lag': 0.03,
    'actuators.steering_gain': 1.1, 'actuators.steering_offset': 0.01,
    'actuators.speed_delay': 0.004, 'actuators.acceleration': 5.0}
STEPS = 10


def values_of(name='single_track', tyre_model='fiala', **more):
    return SIMULATOR_PARAMETERS.resolve(
        {'vehicle_model': name, 'tyre_model': tyre_model, **more})


def model_of(name='single_track', vehicle=RACECAR, **more):
    return make_vehicle_model(name, vehicle, values_of(name, **more))


def commands(cars, ticks, seed=0):
    """Speeds and steering angles, some of them beyond the limits of the car."""
    numbers = np.random.default_rng(seed)
    return np.stack([numbers.uniform(-1.0, 9.0, (cars, ticks)),
                     numbers.uniform(-0.6, 0.6, (cars, ticks))], axis=-1)


def driven(simulator, inputs):
    """States of a Simulator under these commands."""
    states = [simulator.state]
    for command in inputs.tolist():
        simulator.set_command(AckermannCommand(*command))
        simulator.tick()
        states.append(simulator.state)
    return np.array(states)


@pytest.mark.parametrize('name', VEHICLE_MODELS)
@settings(max_examples=8, deadline=None)
@given(cars=st.integers(1, 40), ticks=st.integers(0, 12), every=st.integers(1, 5),
       actuated=st.booleans(), threads=st.integers(1, 3), shared=st.booleans())
def test_rollouts_have_the_bits_of_the_simulator(
        name, cars, ticks, every, actuated, threads, shared):
    model, actuators = model_of(name), ACTUATORS if actuated else {}
    poses = [Pose2(0.3 * i, -0.1 * i, 0.7 * i) for i in range(cars)]
    batch = RolloutBatch([model] * cars, [model.initial_state(pose) for pose in poses],
                         actuators=actuators, threads=threads)
    inputs = commands(cars, ticks, cars + ticks)
    records = batch.run(inputs[0] if shared else inputs, STEPS, every)
    assert records.shape == (cars, 1 + ticks // every, len(model.state_names))
    assert batch.valid.all()
    assert batch.ticks_driven.tolist() == [ticks] * cars
    for car in {0, cars // 2, cars - 1}:
        alone = driven(
            Simulator(model, start=Start(poses[car]), actuators=actuators),
            inputs[0 if shared else car])
        np.testing.assert_array_equal(records[car], alone[::every])
        np.testing.assert_array_equal(batch.states[car], alone[-1])


@pytest.mark.parametrize('integrator', ['euler', 'dopri5'])
def test_several_runs_are_one_with_all_methods_and_actuators(integrator):
    model, inputs = model_of(), commands(20, 30)
    batches = [RolloutBatch([model] * 20, actuators=ACTUATORS, integrator=integrator, step=5e-4)
               for _ in range(2)]
    whole = batches[0].run(inputs, STEPS)
    parts = [batches[1].run(inputs[:, first:first + 10], STEPS) for first in (0, 10, 20)]
    np.testing.assert_array_equal(
        whole, np.concatenate([parts[0], parts[1][:, 1:], parts[2][:, 1:]], axis=1))
    # The last command stays in force.
    for batch in batches:
        batch.advance(7)
        batch.run(inputs[:, :0], STEPS)
        assert not batch.ticks_driven.any()
    np.testing.assert_array_equal(batches[0].states, batches[1].states)


@pytest.mark.parametrize(('name', 'inputs'), [
    ('single_track_force', [0.0, 0.1, 1.0, 8.0]),
    ('double_track', model_of('double_track').torque_inputs(0.1, [0.0, 0.0, 0.2, 0.2]))])
def test_all_inputs_of_a_model_have_the_bits_of_the_simulator(name, inputs):
    model = model_of(name)
    given_inputs = np.tile(np.array(inputs), (3, 12, 1))
    # The second input, the steering angle; of a double track there are angles of the wheels too.
    given_inputs[:, :, 1] = np.linspace(-0.1, 0.1, 3)[:, np.newaxis]
    batch = RolloutBatch([model] * 3, by_inputs=True)
    records = batch.run(given_inputs, STEPS)
    for car in range(3):
        simulator = Simulator(model)
        for tick in range(12):
            simulator.set_inputs(given_inputs[car, tick].tolist())
            simulator.tick()
            assert tuple(records[car, tick + 1].tolist()) == simulator.state
    given_inputs[1, 2, 2] = 0.0
    with pytest.raises(ParameterError, match='the mode, is 0, expected 1'):
        batch.run(given_inputs, STEPS)
    with pytest.raises(ConfigurationError, match='the cars follow all inputs of their model'):
        batch.command(1.0, 0.0)
    with pytest.raises(ConfigurationError, match='inputs are set past the actuators'):
        RolloutBatch([model], by_inputs=True, actuators=ACTUATORS)
    with pytest.raises(ConfigurationError, match='has no inputs but speed and steering angle'):
        RolloutBatch([model_of()], by_inputs=True)


# --- against equations written anew ----------------------------------------------------------

def runge_kutta(rates, state, steps, dt):
    for _ in range(steps):
        k1 = rates(state)
        k2 = rates(state + 0.5 * dt * k1)
        k3 = rates(state + 0.5 * dt * k2)
        k4 = rates(state + dt * k3)
        state = state + dt / 6.0 * (k1 + 2.0 * k2 + 2.0 * k3 + k4)
    return state


def test_kinematic_rollouts_are_those_of_a_runge_kutta_method_in_numpy():
    starts = np.random.default_rng(1).uniform(-2.0, 2.0, (25, 3))
    inputs = np.clip(commands(25, 8), [[[0.0, -0.25]]], [[[3.0, 0.25]]])
    batch = RolloutBatch([model_of('kinematic_bicycle')] * 25, starts)
    states = [starts]
    for tick in range(8):
        speed, angle = inputs[:, tick].T
        states.append(runge_kutta(lambda x, v=speed, d=angle: np.stack([
            v * np.cos(x[:, 2]), v * np.sin(x[:, 2]), v * np.tan(d) / RACECAR.wheelbase],
            axis=1), states[-1], 4, 0.0025))
    np.testing.assert_allclose(
        batch.run(inputs, STEPS), np.stack(states, axis=1), rtol=0.0, atol=1e-12)


def test_linear_single_track_rollouts_are_those_of_a_runge_kutta_method_in_numpy():
    car = RACECAR
    a, b = car.cog_to_front_axle, car.cog_to_rear_axle
    starts = np.random.default_rng(2).uniform(-0.3, 0.3, (20, 5))
    inputs = np.clip(commands(20, 6), [[[0.5, -0.25]]], [[[3.0, 0.25]]])

    def rates(x, v, d):
        vy, r, yaw = x[:, 0], x[:, 1], x[:, 4]
        front, rear = vy + a * r, vy - b * r
        slip_front = np.arctan2(
            front * np.cos(d) - v * np.sin(d), v * np.cos(d) + front * np.sin(d))
        force_front = -car.front_cornering_stiffness * slip_front
        force_rear = -car.rear_cornering_stiffness * np.arctan2(rear, v)
        return np.stack([
            (force_front * np.cos(d) + force_rear) / car.mass - v * r,
            (a * force_front * np.cos(d) - b * force_rear) / car.yaw_inertia,
            v * np.cos(yaw) - vy * np.sin(yaw), v * np.sin(yaw) + vy * np.cos(yaw), r], axis=1)

    batch = RolloutBatch([model_of(tyre_model='linear')] * 20, starts)
    states = [starts]
    for tick in range(6):
        speed, angle = inputs[:, tick].T
        states.append(runge_kutta(
            lambda x, v=speed, d=angle: rates(x, v, d), states[-1], STEPS, 0.001))
    np.testing.assert_allclose(
        batch.run(inputs, STEPS), np.stack(states, axis=1), rtol=0.0, atol=1e-11)


# --- resets ----------------------------------------------------------------------------------

@settings(max_examples=25, deadline=None)
@given(mask=st.lists(st.booleans(), min_size=1, max_size=40), actuated=st.booleans(),
       own_states=st.booleans(), seed=st.integers(0, 99))
def test_reset_cars_start_anew_and_the_others_keep_each_bit(mask, actuated, own_states, seed):
    model, cars = model_of(), len(mask)
    states = np.random.default_rng(seed).uniform(-0.3, 0.3, (cars, 5))
    batch, untouched, fresh = (
        RolloutBatch([model] * cars, actuators=ACTUATORS if actuated else {}) for _ in range(3))
    before, after = commands(cars, 7, seed), commands(cars, 6, seed + 1)
    for each in (batch, untouched):
        each.run(before, STEPS)
    batch.reset(np.array(mask), states if own_states else None)
    if own_states:
        fresh.reset(states=states)
    ran, kept, anew = (each.run(after, STEPS) for each in (batch, untouched, fresh))
    for car, is_reset in enumerate(mask):
        np.testing.assert_array_equal(ran[car], (anew if is_reset else kept)[car])


def test_reset_cars_are_under_no_command():
    batch = RolloutBatch([model_of()] * 2)
    batch.command(2.0, 0.1)
    batch.advance(50)
    batch.reset([True, False])
    rest = batch.states[0]
    batch.advance(50)
    assert tuple(batch.states[0]) == tuple(rest) == model_of().initial_state(Pose2(0.0, 0.0, 0.0))
    assert batch.states[1, 2] > 0.1


@pytest.mark.parametrize('name', VEHICLE_MODELS)
def test_reset_cars_may_have_other_vehicles(name):
    values, cars = values_of(name), 5
    model = model_of(name)
    mass = np.linspace(4.0, 7.0, cars)
    speed_max = np.linspace(1.0, 3.0, cars)
    batch, untouched = (RolloutBatch([model] * cars) for _ in range(2))
    inputs, mask = commands(cars, 8), np.array([True, False, True, True, False])
    for each in (batch, untouched):
        each.run(inputs, STEPS)
    batch.reset(mask, vehicles=batch.vary(
        values, {'vehicle.mass': mass, 'vehicle.speed_max': speed_max}))
    ran, kept = batch.run(inputs, STEPS), untouched.run(inputs, STEPS)
    for car in range(cars):
        vehicle = RACECAR.columns(
            {'vehicle.mass': mass[car], 'vehicle.speed_max': speed_max[car]})
        alone = driven(Simulator(model_of(name, vehicle)), inputs[car])
        np.testing.assert_array_equal(ran[car], alone if mask[car] else kept[car])
    # They stay what they are.
    batch.reset(mask)
    np.testing.assert_array_equal(batch.run(inputs, STEPS)[mask], ran[mask])


def test_cars_that_cannot_be_are_refused_and_stay_what_they_were():
    values = values_of(low_speed_threshold=0.1)
    batch = RolloutBatch([model_of(low_speed_threshold=0.1)] * 3)
    before = batch.states
    # The step is too long for so light a car.
    impossible = batch.vary(values, {'vehicle.mass': np.array([5.0, 0.5, 5.0])})
    assert impossible.are_possible.tolist() == [True, False, True]
    with pytest.raises(ParameterError, match='car 1 cannot be'):
        batch.reset(vehicles=impossible)
    np.testing.assert_array_equal(batch.states, before)
    batch.reset([True, False, True], vehicles=impossible)
    with pytest.raises(ParameterError, match='vehicles are 3, expected one for each of 2 cars'):
        RolloutBatch([model_of()] * 2).reset(vehicles=impossible)
    with pytest.raises(TypeError, match='different equations'):
        RolloutBatch([model_of(), model_of(tyre_model='linear')]).vary(
            values, {'vehicle.mass': np.array([5.0, 4.0])})
    with pytest.raises(TypeError, match='start at different points'):
        batch.vary(values, {'vehicle.cog_to_rear_axle': np.array([0.1, 0.15, 0.2])})


# --- divergence and errors -------------------------------------------------------------------

def test_a_car_that_diverges_keeps_its_last_state_until_it_is_reset():
    model, inputs = model_of('single_track_force'), commands(3, 9)
    starts = np.array([model.initial_state(Pose2(0.0, 0.0, 0.0))] * 3)
    # At the end of the range in which the model holds, which it leaves during the third tick.
    starts[1] = [0.0, 0.0, 0.0, 1e9 - 0.05, 0.0, 0.0]
    starts[1, 0] = 2.0
    inputs[1] = [2.0, 0.0]
    batch = RolloutBatch([model] * 3, starts)
    records = batch.run(inputs, STEPS)
    alone = Simulator(model)
    alone.state = starts[1].tolist()
    alone.set_command(AckermannCommand(2.0, 0.0))
    with contextlib.suppress(DivergenceError):
        for _ in range(9):
            alone.tick()
    ticks = alone.time_ns // alone.period_ns
    assert 0 < ticks < 8
    assert batch.valid.tolist() == [True, False, True]
    assert batch.ticks_driven.tolist() == [9, ticks, 9]
    assert (records[1, ticks:] == alone.state).all()
    for car in (0, 2):
        np.testing.assert_array_equal(records[car], driven(Simulator(model), inputs[car]))
    batch.reset([False, True, False], [0.0] * 6)
    assert batch.valid.all()
    assert np.isfinite(batch.run(inputs, STEPS)).all()
    assert batch.ticks_driven.tolist() == [9, 9, 9]


@pytest.mark.parametrize(('arguments', 'message'), [
    ({'inputs': np.zeros((3, 4, 2))}, r'shape \(3, 4, 2\), expected \(cars, ticks, 2\) for 2'),
    ({'inputs': np.zeros((2, 4, 3))}, r'expected \(cars, ticks, 2\)'),
    ({'inputs': np.zeros(2)}, r'shape \(2,\)'),
    ({'inputs': [[0.0, 0.0], [math.nan, 0.0]]}, r'inputs\[1, 0\] is nan'),
    ({'inputs': np.zeros((4, 2)), 'steps': 0}, 'steps is 0 and every is 1'),
    ({'inputs': np.zeros((4, 2)), 'every': 0}, 'every is 0'),
])
def test_inputs_that_cannot_be_are_refused(arguments, message):
    batch = RolloutBatch([model_of()] * 2)
    with pytest.raises(ParameterError, match=message):
        batch.run(**{'steps': STEPS, **arguments})
    np.testing.assert_array_equal(batch.states, RolloutBatch([model_of()] * 2).states)


@pytest.mark.parametrize(('arguments', 'message'), [
    ({'mask': [True]}, r'mask has the shape \(1,\)'),
    ({'mask': [1, 0]}, 'expected a truth value'),
    ({'states': [0.0] * 4}, 'expected 5 numbers for each of 2 cars, or once for all: vy'),
    ({'states': [[0.0] * 5, [math.inf] * 5]}, 'the state of car 1 is'),
])
def test_resets_that_cannot_be_are_refused(arguments, message):
    with pytest.raises(ParameterError, match=message):
        RolloutBatch([model_of()] * 2).reset(**arguments)
    # Of a car that is not reset the state does not matter.
    RolloutBatch([model_of()] * 2).reset([True, False], [[0.0] * 5, [math.inf] * 5])


# Runs in a process of its own; prints the states as hexadecimal numbers.
PLAIN = """
import sys
sys.path.insert(0, sys.argv[1])
from test_rollout_batch import *
for name in VEHICLE_MODELS:
    # What is before a model is the same for all.
    for actuators in ({}, ACTUATORS) if name == 'single_track' else ({},):
        model = model_of(name)
        starts = np.array([model.initial_state(Pose2(0.1, 0.2, 0.3))] * 3)
        # Out of the range of the model, where plain math functions raise.
        starts[2, 2] = 1e300
        batch = RolloutBatch([model] * 3, starts, actuators=actuators)
        records = batch.run(commands(3, 4), 5, 2)
        batch.reset([True, False, False])
        records = np.concatenate([records, batch.run(commands(3, 2, 1), 5)], axis=1)
        print(name, batch.valid, batch.ticks_driven, [x.hex() for x in records.ravel().tolist()])
"""


def test_rollouts_without_the_compiler_have_the_same_bits():
    pytest.importorskip('numba')
    answers = [subprocess.run(
        [sys.executable, '-c', PLAIN, str(Path(__file__).parent)], check=True, text=True,
        stdout=subprocess.PIPE, timeout=250,
        env={**os.environ, **environment,
             'PYTHONPATH': os.pathsep.join([str(SOURCES), *sys.path])}).stdout
        for environment in ({}, {'NUMBA_DISABLE_JIT': '1'})]
    assert answers[0] == answers[1]
    assert 'nan' not in answers[0]
    assert 'False' in answers[0]
