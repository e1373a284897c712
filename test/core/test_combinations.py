# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""Any combination of parts gives the same bits compiled, tick by tick and in a batch."""

from hypothesis import given, settings
from hypothesis import strategies as st
import numpy as np
import pytest

from racecar.core.errors import DivergenceError
from racecar.core.simulation.batch import BatchSimulation
from racecar.core.simulation.closed_loop import run_closed_loop
from racecar.stacks import describe_stack, find_stack, StackOptions
from racecar.stacks.loops import make_loop

TICKS = 60

# Stack, trajectory, vehicle model, tyre model, integrator, whether there are actuators.
COMBINATIONS = [
    ('kinematic_ode', 'parking', 'double_track', 'fiala', 'rk4', True),
    ('dynamic_ode', 'waypoints', 'single_track_force', 'linear', 'rk4', False),
    ('dynamic_ode', 'circle', 'double_track', 'pacejka', 'euler', False),
    ('kinematic_ode', 'cycloid', 'kinematic_bicycle', 'linear', 'dopri5', True),
    ('dynamic_ode', 'figure_eight', 'single_track', 'fiala', 'rk4', True),
    ('dynamic_ode', 'line', 'single_track', 'linear', 'rk4', False),
    ('kinematic_ode', 'waypoints', 'single_track', 'pacejka', 'rk4', False),
    ('kinematic_ode', 'parabola', 'single_track_force', 'fiala_unsaturated', 'rk4', True)]


def make(combination, tracker, actuators, start):
    stack_name, trajectory, model, tyre, integrator, has_actuators = combination
    stack = find_stack(stack_name)
    x, y, yaw = start
    simulator = {
        'vehicle_model': model, 'integrator': integrator, 'initial_x': x, 'initial_y': y,
        'initial_yaw': yaw,
        **({f'actuators.{key}': value for key, value in actuators.items()}
           if has_actuators else {})}
    descriptions = describe_stack(stack_name, StackOptions(
        trajectory=trajectory, tyre_model=tyre,
        overrides={stack.tracker: tracker, stack.simulator: simulator}))
    return make_loop(stack, {d.executable: d.resolve() for d in descriptions})


def outcome(run):
    try:
        return run(), None
    except DivergenceError as error:
        return None, str(error)


def state_of(parts):
    tracker, law, simulator = parts
    return (simulator.state, simulator.time_ns, simulator.command, simulator.wheel_rotations,
            tuple(law.state), tuple(tracker.state), tracker.origin)


number = st.floats(0.0, 1.0)
trackers = st.fixed_dictionaries({
    'Kp': st.floats(0.5, 10.0), 'Ki': number, 'Kd': st.floats(0.0, 0.05),
    'exact_feed_forward': st.booleans(), 'FFWD': st.booleans(),
    'reference_origin': st.sampled_from(['car', 'map']), 'catch_up_speed': st.floats(0.2, 5.0)})
actuators = st.fixed_dictionaries({
    'steering_lag': st.floats(0.0, 0.1), 'steering_rate': st.floats(0.0, 5.0),
    'speed_delay': st.integers(0, 30).map(lambda steps: 0.001 * steps),
    'steering_delay': st.integers(0, 30).map(lambda steps: 0.001 * steps),
    'acceleration': st.floats(0.5, 20.0)})
starts = st.tuples(st.floats(-2.0, 2.0), st.floats(-2.0, 2.0), st.floats(-3.1, 3.1))


@pytest.mark.parametrize('combination', COMBINATIONS, ids=lambda row: '-'.join(map(str, row)))
@settings(max_examples=8)
@given(trackers, actuators, starts)
def test_compiled_loop_has_the_bits_of_its_parts(combination, tracker, actuators, start):
    by_hand, compiled, side = (make(combination, tracker, actuators, start) for _ in range(3))
    assert compiled.is_compilable
    rows = []
    _, error = outcome(lambda: by_hand.run_tick_by_tick(TICKS, rows.append))
    table, compiled_error = outcome(
        lambda: run_closed_loop(*compiled, TICKS * compiled.simulator.period_ns * 1e-9))
    assert compiled_error == error
    assert state_of(compiled) == state_of(by_hand)
    if error is None:
        np.testing.assert_array_equal(table.rows, rows)
    result = BatchSimulation([side]).run(
        TICKS * side.simulator.period_ns * 1e-9, record_every=1)
    assert np.isnan(result.diverged_at[0]) == (error is None)
    np.testing.assert_array_equal(result.table(0).rows, rows)
    if error is None:
        assert result.rmse[0] == pytest.approx(table.metrics().rmse, rel=1e-9)
