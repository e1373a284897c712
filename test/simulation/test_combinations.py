# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""Any combination of parts gives the same bits compiled, tick by tick and in a batch."""

from typing import Any

from closed_loops import metrics_with_laps
from hypothesis import example, given, settings
from hypothesis import strategies as st
import numpy as np
from presence import present
import pytest

from racecar.base.errors import DivergenceError
from racecar.dynamics.vehicles import SingleTrack
from racecar.metrics.run_table import RunTable
from racecar.simulation.batch import BatchSimulation
from racecar.simulation.block import Block, BlockRun, Fleet, kind_of, tick_times
from racecar.simulation.closed_loop import run_loop
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


def make(combination, tracker, actuators, start, **further):
    stack_name, trajectory, model, tyre, integrator, has_actuators = combination
    stack = find_stack(stack_name)
    x, y, yaw = start
    simulator = {
        'vehicle_model': model, 'integrator': integrator, 'initial_x': x, 'initial_y': y,
        'initial_yaw': yaw, **further,
        **({f'actuators.{key}': value for key, value in actuators.items()}
           if has_actuators else {})}
    descriptions = describe_stack(stack_name, StackOptions(
        trajectory=trajectory, tyre_model=tyre,
        overrides={str(stack.tracker): tracker, stack.simulator: simulator}))
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
    check_bits(combination, tracker, actuators, start)


# What a double track may have besides: each kind of its kernels.
CHASSIS = {
    'chassis': {'roll_stiffness_split': 0.6, 'friction_load_sensitivity': 0.1,
                'rolling_resistance': 0.02, 'drag_area': 0.05},
    'relaxed': {'relaxation_length': 0.04, 'rolling_resistance': 0.02}}


@pytest.mark.parametrize('name', CHASSIS)
@settings(max_examples=4)
@given(trackers, starts)
def test_double_track_with_more_than_the_plain_one_has_the_bits_of_its_parts(
        name, tracker, start):
    check_bits(
        ('kinematic_ode', 'circle', 'double_track', 'fiala', 'rk4', False), tracker, {}, start,
        **{f'vehicle.{field}': value for field, value in CHASSIS[name].items()})


@pytest.mark.parametrize('model', ['single_track', 'single_track_force', 'double_track'])
def test_bits_stay_equal_when_a_car_comes_to_rest(model, monkeypatch):
    monkeypatch.setitem(globals(), 'TICKS', 600)
    # Without feedback the command is exactly zero once the reference stands.
    car = check_bits(
        ('kinematic_ode', 'parking', model, 'fiala', 'rk4', False),
        {'Kp': 0.0, 'parking_offset': -0.05, 'parking_length': 0.5, 'parking_run_up': 0.2,
         'parking_room': 0.0, 'parking_pause': 0.0, 'parking_speed': 2.0}, {}, (0.0, 0.0, 0.0))
    assert car.odometry()[5:] == (0.0, 0.0, 0.0)
    assert car.time_ns == 6_000_000_000


def check_bits(combination, tracker, actuators, start, **further):
    by_hand, compiled, side = (
        make(combination, tracker, actuators, start, **further) for _ in range(3))
    assert compiled.is_compilable
    rows: list[Any] = []
    _, error = outcome(lambda: by_hand.run_tick_by_tick(TICKS, rows.append))
    table, compiled_error = outcome(
        lambda: run_loop(compiled, TICKS * compiled.simulator.period_ns * 1e-9))
    assert compiled_error == error
    assert state_of(compiled) == state_of(by_hand)
    if error is None:
        np.testing.assert_array_equal(table.rows, rows)
    result = BatchSimulation([side]).run(
        TICKS * side.simulator.period_ns * 1e-9, record_every=1, with_path=True)
    assert np.isnan(result.diverged_at[0]) == (error is None)
    np.testing.assert_array_equal(result.table(0).rows, rows)
    assert result.metrics(0) == metrics_with_laps(
        RunTable(np.array(rows), by_hand.tracker.tracked_ahead), by_hand.tracker)
    return compiled.simulator


# Delays of no step, one and many; with and without lag and limited rate.
channels = st.fixed_dictionaries({
    f'{channel}_{kind}': values for channel in ('speed', 'steering') for kind, values in {
        'delay': st.one_of(st.just(0), st.just(1), st.integers(2, 300)),
        'lag': st.one_of(st.just(0.0), st.floats(0.001, 0.2))}.items()} | {
    'acceleration': st.one_of(st.just(0.0), st.floats(0.5, 20.0)),
    'steering_rate': st.one_of(st.just(0.0), st.floats(0.1, 5.0))})
cars = st.lists(st.tuples(trackers, channels, starts), min_size=1, max_size=10)
kinds = st.sampled_from([
    ('kinematic_ode', 'figure_eight', 'single_track', 'fiala', 'rk4', True),
    ('kinematic_ode', 'circle', 'single_track', 'linear', 'euler', True),
    ('dynamic_ode', 'circle', 'single_track', 'fiala', 'dopri5', True)])
times = st.sampled_from([(0.001, 100.0), (0.002, 100.0), (0.001, 1000.0), (0.0005, 50.0)])


NO_ACTUATORS = dict.fromkeys(
    [*(f'{channel}_{kind}' for channel in ('speed', 'steering') for kind in ('delay', 'lag')),
     'acceleration', 'steering_rate'], 0)


@settings(max_examples=12)
@example(
    ('kinematic_ode', 'figure_eight', 'single_track', 'fiala', 'rk4', True), (0.001, 100.0),
    [({'Kp': 1.0, 'exact_feed_forward': False, 'FFWD': False}, NO_ACTUATORS, (0.0, 0.0, 0.0))],
    1.0).via('a command after a divergence')
@given(kinds, times, cars, st.one_of(st.just(1e9), st.floats(0.05, 1.0)))
def test_cars_with_actuators_side_by_side_have_the_bits_of_each_alone(kind, time, cars, limit):
    step, rate = time

    def loops():
        return [make(kind, tracker, {
            name: value * step if name.endswith('delay') else value
            for name, value in own.items()}, start, step=step, rate=rate)
            for tracker, own, start in cars]

    with pytest.MonkeyPatch.context() as patch:
        # Some leave the range of the yaw rate in the middle of the run.
        patch.setattr(SingleTrack, 'state_limits', (1e9, limit, 1e9, 1e9, 1e9))
        alone = loops()
        runs = []
        for parts in alone:
            rows: list[Any] = []
            _, error = outcome(lambda parts=parts, rows=rows: parts.run_tick_by_tick(
                TICKS, rows.append))
            runs.append((np.array(rows), error))
        result = BatchSimulation(loops(), block_size=7).run(
            TICKS / rate, record_every=1, with_path=True)
        for car, (table, error) in enumerate(runs):
            np.testing.assert_array_equal(result.table(car).rows, table)
            assert np.isnan(result.diverged_at[car]) == (error is None)
            if error is not None:
                assert result.diverged_at[car] == pytest.approx(table[-1, 0])
            assert result.metrics(car) == metrics_with_laps(
                RunTable(table, float(result.tracked_ahead[car])), alone[car].tracker)
        # What a divergence puts back, and where the others have come.
        blocks: dict[Any, Any] = {}
        for car, parts in enumerate(loops()):
            own = present(kind_of(parts))
            blocks.setdefault(own, Block(own)).add(Fleet(parts, [car]))
        for block in blocks.values():
            block.seal()
            block.run(BlockRun(tick_times(block.kind.period_ns, TICKS)), 0, TICKS + 1)
            states = block.motion.T
            np.testing.assert_array_equal(states, [
                (*alone[car].simulator.state, *alone[car].simulator.inputs[:2])
                for car in block.cars])
