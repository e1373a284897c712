# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""Robots of a sweep run side by side and are, to the bit, those that run alone."""

from dataclasses import replace

from closed_loops import metrics_with_laps
import numpy as np
import pytest

from racecar.base.errors import ConfigurationError, DivergenceError, ParameterError
from racecar.differential.parameters import ROBOT_COLUMNS
from racecar.simulation.batch import BatchSimulation
from racecar.simulation.batch_result import Noise
from racecar.simulation.closed_loop import run_loop
from racecar.stacks.loops import make_stack_loop
from racecar.stacks.sweep import make_sweep

SIMULATOR = 'differential_wheels_simulator'
DURATION = 1.5


def sweep_of(**content):
    return make_sweep('differential_wheels', {
        'vehicle': 'khepera', 'duration': DURATION, **content})


def alone(sweep, point):
    return make_stack_loop(sweep.stack, sweep.values_at(point))


def run(sweep, **options):
    return BatchSimulation(fleets=sweep.fleets()).run(
        sweep.duration, record_every=1, with_path=True, **options)


def assert_all_are_as_alone(sweep, result):
    for point in range(len(sweep.points)):
        loop = alone(sweep, point)
        table = run_loop(loop, sweep.duration)
        np.testing.assert_array_equal(result.table(point).rows, table.rows)
        assert replace(result.metrics(point), collisions=None) == metrics_with_laps(
            table, loop.tracker)


@pytest.mark.parametrize('mode', ['kinematics', 'physics'])
def test_a_robot_of_a_sweep_has_the_bits_of_one_alone(mode):
    sweep = sweep_of(
        set={f'{SIMULATOR}.mode': mode}, count=5, seed=2, trajectory='figure_eight',
        sample={f'{SIMULATOR}.robot.wheel_radius': {'uniform': [0.006, 0.009]},
                f'{SIMULATOR}.robot.axle_length': {'uniform': [0.04, 0.06]},
                'trajectory_tracker.Kp': {'uniform': [2.0, 8.0]},
                'differential_linearizer.epsilon': {'uniform': [0.02, 0.04]}})
    fleet, = sweep.fleets()
    assert fleet.kind is not None
    assert_all_are_as_alone(sweep, run(sweep))


def test_random_numbers_of_a_robot_are_those_of_its_seed():
    sweep = sweep_of(grid={
        f'{SIMULATOR}.noise_seed': [0, 3, 8], f'{SIMULATOR}.robot.slip_noise': [0.0, 0.1, 0.3],
        f'{SIMULATOR}.robot.encoder_noise': [0.0, 0.2]})
    # With noise and without; at the tick at which a piece of a run begins, too.
    assert len({fleet.kind for fleet in sweep.fleets()}) == 2
    result = run(sweep)
    assert_all_are_as_alone(sweep, result)
    # Without noise the seed does not matter, with it it does.
    assert len(set(result.rmse.tolist())) == 1 + 3 * 2


def test_robots_with_many_steps_a_tick_draw_theirs_in_parts():
    sweep = sweep_of(set={f'{SIMULATOR}.step': 1e-5}, grid={
        f'{SIMULATOR}.noise_seed': [1, 2]}, duration=0.6)
    assert_all_are_as_alone(sweep, run(sweep))


@pytest.mark.parametrize('name', sorted(ROBOT_COLUMNS))
def test_columns_are_the_numbers_of_each_robot(name):
    value = sweep_of(grid={f'{SIMULATOR}.noise_seed': [0]}).base[SIMULATOR][name] or 0.01
    sweep = sweep_of(grid={f'{SIMULATOR}.{name}': [0.99 * value, value]})
    fleets = list(sweep.fleets())
    assert sorted(car for fleet in fleets for car in fleet.cars) == [0, 1]
    for fleet in fleets:
        if fleet.columns is None:
            continue
        for index, point in enumerate(fleet.cars):
            lane = alone(sweep, point).lane
            parameters = lane.car.numbers().parameters
            wanted = np.ravel([*parameters.mode, *parameters.base])
            np.testing.assert_array_equal(fleet.columns.parameters[:, index], wanted)
            np.testing.assert_array_equal(fleet.columns.control[:, index], lane.parameters)


def test_usual_numbers_are_made_at_once():
    sweep = sweep_of(count=6, sample={
        f'{SIMULATOR}.robot.{name}': {'uniform': bounds} for name, bounds in {
            'max_speed': [50.0, 130.0], 'max_acceleration': [100.0, 1000.0],
            'mass': [0.05, 0.1], 'slip_noise': [0.05, 0.2]}.items()})
    fleet, = sweep.fleets()
    assert len(fleet.cars) == 6


def test_an_impossible_robot_is_named():
    sweep = sweep_of(grid={f'{SIMULATOR}.robot.wheel_mass': [0.002, 0.003, 0.04]})
    with pytest.raises(ParameterError, match=r'point 3 of 3 .*wheel_mass=0\.04.*less than half'):
        list(sweep.fleets())


def test_a_reference_is_too_fast_for_robots_with_slow_wheels_alone():
    sweep = sweep_of(trajectory='line', grid={
        f'{SIMULATOR}.robot.max_speed': [1.0, 130.0], f'{SIMULATOR}.robot.wheel_radius': [0.0075]})
    list(sweep.fleets())
    assert [*sweep.outrun] == [0]
    assert 'robot.max_speed' in sweep.outrun[0]


def test_a_robot_among_obstacles_runs_alone():
    sweep = sweep_of(
        world='arena', grid={f'{SIMULATOR}.robot.wheel_radius': [0.0075, 0.008]})
    assert [fleet.kind for fleet in sweep.fleets()] == [None, None]
    assert_all_are_as_alone(sweep, run(sweep))


def test_a_robot_that_diverges_stands_and_the_others_go_on():
    # Its yaw rate is beyond all numbers.
    sweep = sweep_of(trajectory='circle', grid={
        f'{SIMULATOR}.robot.axle_length': [0.052, 1e-310, 0.06]})
    result = run(sweep)
    loop = alone(sweep, 1)
    rows: list[np.ndarray] = []
    with pytest.raises(DivergenceError):
        loop.run(100, rows.append)
    np.testing.assert_array_equal(result.table(1).rows, np.concatenate(rows))
    assert result.diverged_at.tolist() == pytest.approx(
        [np.nan, loop.simulator.time_ns * 1e-9, np.nan], nan_ok=True)
    for point in (0, 2):
        np.testing.assert_array_equal(
            result.table(point).rows, run_loop(alone(sweep, point), DURATION).rows)


def test_a_command_that_is_not_finite_is_a_divergence():
    sweep = sweep_of(
        set={'trajectory_tracker.reference_origin': 'map', 'trajectory_tracker.Kp': 1000.0},
        grid={f'{SIMULATOR}.initial_x': [0.0, 1e307]})
    assert run(sweep).diverged_at.tolist() == pytest.approx([np.nan, 0.0], nan_ok=True)


def with_noise(sweep, seed, **deviations):
    return BatchSimulation(
        fleets=sweep.fleets(), noise=Noise(**deviations),
        generator=np.random.default_rng(seed)).run(sweep.duration).rmse


def test_measurements_of_robots_take_noise():
    sweep = sweep_of(set={f'{SIMULATOR}.robot.slip_noise': 0.0}, grid={
        f'{SIMULATOR}.robot.wheel_radius': [0.0075, 0.0075]})
    first, second = with_noise(sweep, 1, x=0.01)
    assert first != second
    assert with_noise(sweep, 1, x=0.01).tolist() == [first, second]
    assert set(with_noise(sweep, 1).tolist()).isdisjoint([first, second])


def test_noise_of_the_motion_is_refused_for_robots():
    sweep = sweep_of(grid={f'{SIMULATOR}.robot.wheel_radius': [0.0075, 0.008]})
    with pytest.raises(ConfigurationError, match=r"'lateral' is 0\.1, expected 0 for the equat"):
        with_noise(sweep, 1, lateral=0.1)
