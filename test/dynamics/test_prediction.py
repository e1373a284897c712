# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""predict(), motion_of() and state_at(): the bits of the simulator, compiled and not."""

import functools
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st
import pytest

import racecar
from racecar.base.compiled import compiled
from racecar.base.rows import (
    count_numbers,
    filled,
    flatten,
    Kind,
    kind_of,
    load,
    Part,
    store,
)
from racecar.base.types import car_motion
from racecar.base.vectors import vector
from racecar.dynamics.prediction import motion_of, predict, state_at, vehicle_numbers
from racecar.dynamics.vehicles.initial_motion import Start
from racecar.simulation.simulator import Simulator

VEHICLE = racecar.VehicleParameters.from_file(racecar.find_config('vehicles/racecar'))
VALUES = {'tyre_model': 'fiala'}
MODELS = {name: racecar.make_vehicle_model(
    name, VEHICLE, racecar.SIMULATOR_PARAMETERS.resolve({'vehicle_model': name, **VALUES}))
    for name in racecar.VEHICLE_MODELS}
commands = st.lists(st.tuples(st.floats(-0.9, 3.0), st.floats(-0.3, 0.3), st.integers(0, 15)),
                    min_size=1, max_size=5)


@functools.cache
def kernel_of(name):
    """Compiled function of flat state, numbers and found motion that asks all of them."""
    model = MODELS[name]
    numbers, state = vehicle_numbers(model), model.equations.state
    numbers_part, state_part = Part(kind_zero(numbers)), Part(state)
    motion_part = Part(racecar.CarMotion(*(0.0,) * 6))

    def ask(rows, car, motion, speed, steering_angle, steps):
        after = predict(load(car, numbers_part, 0), load(rows, state_part, 0), speed,
                        steering_angle, 0.001, steps)
        store(rows, state_part, 0, after)
        store(motion, motion_part, 0, motion_of(
            load(car, numbers_part, 0), after, speed, steering_angle))

    return compiled(ask, '(float64[::1], float64[::1], float64[::1], float64, float64, int64)')


def kind_zero(value):
    return kind_of(value).zeros


@pytest.mark.parametrize('name', MODELS)
@settings(max_examples=10, deadline=None)
@given(plan=commands)
def test_predictions_are_those_of_the_simulator_compiled_and_not(name, plan):
    model = MODELS[name]
    kernel = kernel_of(name)
    simulator = Simulator(model, start=Start(racecar.Pose2(0.3, -0.2, 1.1)))
    numbers = vehicle_numbers(model)
    state = filled(model.equations.state, simulator.state)
    rows, car, motion = vector(simulator.state), vector(tuple(flatten(numbers))), vector(6)
    for speed, angle, steps in plan:
        simulator.set_command(racecar.AckermannCommand(speed, angle))
        simulator.advance(steps)
        state = predict(numbers, state, speed, angle, 0.001, steps)
        kernel(rows, car, motion, speed, angle, steps)
        seen = motion_of(numbers, state, speed, angle)
        assert tuple(state) == simulator.state == tuple(rows)
        assert seen == car_motion(simulator.odometry()[1:]) == tuple(motion)


@pytest.mark.parametrize('name', [name for name in MODELS if name != 'double_track'])
@given(car=st.tuples(*[st.floats(-2.0, 2.0)] * 6))
def test_state_at_is_the_inverse_of_motion_of(name, car):
    numbers, motion = vehicle_numbers(MODELS[name]), racecar.CarMotion(*car)
    state = state_at(numbers, motion)
    assert kind_of(state) == kind_of(MODELS[name].equations.state)
    seen = motion_of(numbers, state, motion.vx, 0.0)
    assert seen[:3] == pytest.approx(motion[:3], abs=1e-12)
    if hasattr(state, 'vy'):
        assert seen[3:] == pytest.approx(motion[3:], abs=1e-12)


def test_what_cannot_be_predicted_is_refused():
    report = racecar.make_vehicle_model(
        'single_track', VEHICLE, racecar.SIMULATOR_PARAMETERS.resolve({'formulation': 'report'}))
    with pytest.raises(racecar.ConfigurationError, match='expected the full formulation'):
        vehicle_numbers(report)
    with pytest.raises(TypeError, match='state_at is not implemented for DoubleCar'):
        state_at(vehicle_numbers(MODELS['double_track']), racecar.CarMotion(*(0.0,) * 6))
    with pytest.raises(TypeError, match='predict is not implemented for tuple'):
        predict((1.0,), (0.0,), 1.0, 0.0, 0.001, 1)


def test_kinds_tell_types_with_equal_numbers_apart():
    inner, other = (racecar.Pose2(0.0, 0.0, 0.0), 1.0), ((0.0, 0.0, 0.0), 1.0)
    assert inner == other
    assert kind_of(inner) != kind_of(other)
    assert kind_of(inner) == kind_of((racecar.Pose2(4.0, 5.0, 6.0), 7.0)) == Kind(
        tuple, (Kind(racecar.Pose2, (None, None, None)), None))
    made: Any = kind_of(inner).zeros
    assert made == (racecar.Pose2(0.0, 0.0, 0.0), 0.0)
    assert isinstance(made[0], racecar.Pose2)
    assert count_numbers(made) == 4
