# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""racecar.rollouts(): where cars go from given states under given inputs."""

import math
from typing import Any
import warnings

from hypothesis import given, settings
from hypothesis import strategies as st
import numpy as np
import pytest

import racecar

SPEED, ANGLE = 2.0, 0.1
SIMULATOR = racecar.SIMULATOR_PARAMETERS


def straight(ticks=20, cars=None):
    inputs = np.tile([SPEED, ANGLE], (ticks, 1))
    return inputs if cars is None else np.tile(inputs, (cars, 1, 1))


def simulated(vehicle, inputs, *, model='single_track', steps=10, **options):
    """Last state of a Simulator under these commands."""
    values = SIMULATOR.resolve({'vehicle_model': model, 'tyre_model': 'fiala', **options})
    simulator = racecar.Simulator(
        racecar.make_vehicle_model(model, vehicle.parameters, values), actuators=values)
    for command in inputs.tolist():
        simulator.set_command(racecar.AckermannCommand(*command))
        simulator.advance(steps)
    return np.array(simulator.state)


def test_one_car_is_that_of_the_simulator():
    found = racecar.rollouts('single_track', straight(), tyre_model='fiala')
    assert len(found) == 1
    assert found.states.shape == (1, 21, 5)
    assert found.state_names == ('vy', 'yaw_rate', 'x', 'y', 'yaw')
    np.testing.assert_array_equal(found.times, np.arange(21) * 0.01)
    np.testing.assert_array_equal(found['yaw'], found.states[..., 4])
    np.testing.assert_array_equal(
        found.states[0, -1], simulated(racecar.Vehicle(), straight()))
    assert found.valid.all()
    assert np.isnan(found.diverged_at).all()
    assert '1 cars, 21 samples in 0.2 s, 0 diverged' in repr(found)


def test_period_step_method_actuators_and_options_count():
    options = {'formulation': 'report', 'actuators.steering_lag': 0.05}
    found = racecar.rollouts(
        'single_track', straight(9), tyre_model='fiala', period=0.02, set=options, every=4)
    np.testing.assert_array_equal(found.times, [0.0, 0.08, 0.16])
    np.testing.assert_array_equal(
        found.states[0, -1], simulated(racecar.Vehicle(), straight(8), steps=20, **options))
    assert found.state_names[0] == 'beta'
    exact = racecar.rollouts('single_track', straight(9), tyre_model='fiala')
    for integrator, step, error in (('euler', 0.001, 5e-3), ('dopri5', 0.0005, 1e-8)):
        other = racecar.rollouts(
            'single_track', straight(9), tyre_model='fiala', integrator=integrator, step=step)
        difference = np.abs(other.states - exact.states).max()
        assert 0.0 < difference < error


@pytest.mark.parametrize('model', racecar.VEHICLE_MODELS)
def test_cars_may_differ_in_parameters_of_the_vehicle(model):
    # The first are numbers, of which the cars are made at once; the others decide more.
    masses, shares = [4.0, 5.0, 6.5], [0.16, 0.17, 0.18]
    for column, values in (('mass', masses), ('cog_to_rear_axle', shares),
                           ('driven_axle', ['rear', 'all', 'front'])):
        found = racecar.rollouts(
            model, straight(), vary={column: values}, tyre_model='fiala')
        for car, value in enumerate(values):
            vehicle = racecar.Vehicle().replace({column: value})
            np.testing.assert_array_equal(
                found.states[car, -1], simulated(vehicle, straight(), model=model))


def test_each_car_may_have_its_own_vehicle():
    vehicles: list[Any] = ['racecar', racecar.Vehicle('f1tenth'), racecar.Vehicle('report')]
    inputs = straight(cars=3)
    inputs[:, :, 1] = [[0.1], [0.0], [-0.1]]
    found = racecar.rollouts(
        'double_track', inputs, vehicle=vehicles, vary={'mass': [5.0, 4.0, 6.0]},
        tyre_model='fiala', jobs=1)
    for car, (vehicle, mass) in enumerate(zip(vehicles, (5.0, 4.0, 6.0), strict=True)):
        np.testing.assert_array_equal(found.states[car, -1], simulated(
            racecar.Vehicle(dict(racecar.Vehicle(vehicle).replace(mass=mass))), inputs[car],
            model='double_track'))


@settings(max_examples=20, deadline=None)
@given(cars=st.integers(2, 30), ticks=st.integers(0, 9), every=st.integers(1, 4),
       said_by=st.sampled_from(['inputs', 'start', 'column', 'vary', 'vehicle']))
def test_the_number_of_cars_follows_from_any_argument(cars, ticks, every, said_by):
    more = {
        'inputs': {'inputs': straight(ticks, cars)},
        'start': {'start': np.zeros((cars, 3))},
        'column': {'start': {'yaw': np.linspace(0.0, 1.0, cars)}},
        'vary': {'vary': {'mass': np.linspace(4.0, 5.0, cars)}},
        'vehicle': {'vehicle': ['racecar'] * cars}}[said_by]
    found = racecar.rollouts(
        'kinematic_bicycle', **{'inputs': straight(ticks), 'every': every, **more})
    assert found.states.shape == (cars, 1 + ticks // every, 3)
    assert found.times.shape == (1 + ticks // every,)
    assert found['x'].shape == (cars, 1 + ticks // every)


def test_starts_are_states_or_some_of_them_by_name():
    rows = np.array([[0.1, 0.2, 1.0, 2.0, 0.3], [0.0, -0.2, 0.0, 0.0, -0.3]])
    by_row = racecar.rollouts('single_track', straight(), start=rows)
    by_name = racecar.rollouts('single_track', straight(), start={
        'vy': [0.1, 0.0], 'yaw_rate': [0.2, -0.2], 'x': [1.0, 0.0], 'y': [2.0, 0.0],
        'yaw': [0.3, -0.3]})
    np.testing.assert_array_equal(by_row.states, by_name.states)
    np.testing.assert_array_equal(by_row.states[:, 0], rows)
    one = racecar.rollouts('single_track', straight(), start=rows[1])
    np.testing.assert_array_equal(one.states[0], by_row.states[1])
    rest = racecar.rollouts('single_track', straight(0))
    left_out = racecar.rollouts('single_track', straight(0), start={'yaw': 0.3})
    np.testing.assert_array_equal(
        left_out.states[0, 0], [*rest.states[0, 0, :4], 0.3])


def test_a_force_drives_where_the_model_takes_one():
    vehicle = racecar.Vehicle()
    inputs = np.tile([0.0, 0.0, 1.0, 5.0], (10, 1))
    found = racecar.rollouts('single_track_force', inputs)
    assert found['vx'][0, -1] == pytest.approx(5.0 * 0.1 / vehicle['mass'], rel=1e-6)


def test_cars_that_diverge_are_a_warning():
    with pytest.warns(UserWarning, match=r'1 of 2 cars diverged, the first \(car 1\) at 0 s'):
        found = racecar.rollouts('single_track', straight(), start={'yaw_rate': [0.0, 1e7]})
    assert found.valid.tolist() == [True, False]
    assert found.diverged_at[1] == 0.0
    assert math.isnan(found.diverged_at[0])
    assert (found['yaw_rate'][1] == 1e7).all()
    assert '1 diverged' in repr(found)
    with warnings.catch_warnings():
        warnings.simplefilter('error')
        racecar.rollouts('single_track', straight())


@pytest.mark.parametrize(('changed', 'message'), [
    ({'model': 'single'}, 'did you mean single_track'),
    ({'inputs': [2.0, 0.1]}, r'inputs have the shape \(2,\), expected \(cars, ticks, 2\)'),
    ({'inputs': 'fast'}, "inputs is 'fast', expected numbers"),
    ({'inputs': [[1.0, 0.0], [1.0]]}, 'lists of equal lengths'),
    ({'inputs': [[math.nan, 0.1]]}, r'inputs\[0, 0\] is nan'),
    ({'inputs': [[1.0, 0.1, 1.0]]}, 'has no inputs but speed and steering angle'),
    ({'inputs': np.zeros((0, 3, 2))}, 'inputs has no cars'),
    ({'start': {'jaw': 1.0}}, "no state 'jaw'; did you mean yaw"),
    ({'start': {'yaw': [[1.0]]}}, r"start\['yaw'\] has the shape \(1, 1\)"),
    ({'start': [0.0] * 4}, 'expected 5 numbers'),
    ({'start': [math.inf] * 5}, 'the state of car 0 is'),
    ({'start': {'yaw': [0.0] * 3}, 'vary': {'mass': [4.0, 5.0]}},
     r"vary\['vehicle.mass'\] is for 2 cars, but start\['yaw'\] for 3"),
    ({'vary': {'mass': [4.0, -1.0]}}, "'vehicle.mass' is -1.0"),
    ({'vary': {'mas': [4.0]}}, "no parameter 'mas'; did you mean mass"),
    ({'vary': {'mass': 4.0}}, 'expected one value a car'),
    ({'vary': [4.0]}, 'vary is .* expected a dictionary'),
    ({'vary': {'rear.cornering_stiffness': [932.0, 9.0]}, 'model': 'kinematic_understeer'},
     "^car 1: parameter 'understeer_gradient' is -"),
    ({'vehicle': 'nobody'}, "vehicle 'nobody' is neither a file nor one of"),
    ({'set': {'world': 'walls'}}, "'world' is unknown here"),
    ({'set': {'integrator': 'euler'}}, 'which is an argument: give integrator='),
    ({'set': 3}, 'set is 3, expected a dictionary'),
    ({'period': 0.0015}, 'expected a whole number of steps of 0.001 s: choose 0.001 s'),
    ({'period': 'long'}, "'period' is 'long'"),
    ({'step': 0.01}, 'is too long for single_track'),
    ({'every': 0}, "'every' is 0, expected an integer in"),
    ({'jobs': 0}, 'jobs is 0'),
    ({'integrator': 'rk5'}, 'did you mean rk4'),
    ({'speed': 1.0}, r"rollouts\(\) has no argument 'speed'"),
])
def test_what_cannot_be_is_one_clear_error(changed, message):
    with pytest.raises(racecar.RacecarError, match=message) as raised:
        racecar.rollouts(**{'model': 'single_track', 'inputs': straight(), **changed})
    assert '\n' not in str(raised.value)
