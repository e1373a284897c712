# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""The batch, the compiled loop and the parts called tick by tick: one result, to the bit."""

import json
import math
import os
from pathlib import Path
import signal
import subprocess
import sys
import threading
import tracemalloc
from typing import Any

from closed_loops import metrics_with_laps
from covering import every_pair
import numpy as np
from presence import present
import pytest
from scipy.integrate import RK45

from racecar.base.compiled import compiled, has_compiler
from racecar.base.elementary import sine_cosine
from racecar.base.errors import ConfigurationError, DivergenceError
from racecar.base.random_numbers import four_normals, philox, WORD
from racecar.base.rows import count_numbers, filled, load, store
from racecar.base.types import AckermannCommand, Pose2
from racecar.base.vectors import vector
from racecar.control.tracker import TrajectoryTracker
from racecar.control.trajectories import Motion, Trajectory
from racecar.dynamics.integrators import INTEGRATORS
from racecar.dynamics.tyres import TYRE_MODELS
from racecar.dynamics.vehicles import SingleTrack, VehicleParameters
from racecar.dynamics.vehicles.initial_motion import Start
from racecar.metrics.run_table import RunTable
from racecar.simulation.batch import BatchSimulation
from racecar.simulation.batch_result import Noise
from racecar.simulation.block import Block, BlockRun, Fleet, kind_of, tick_times
from racecar.simulation.closed_loop import ClosedLoop, run_loop
from racecar.simulation.engine import integration, motion_parts
from racecar.simulation.held_loop import HeldLoop
from racecar.simulation.layout import lane_rows, LANES, Layout
from racecar.simulation.loop_kernel import CHUNK
from racecar.simulation.simulator import Simulator
from racecar.simulation.stepper import Stepper
from racecar.simulation.tick import car_kernels, kind_of_car, one_car_parts
from racecar.stacks import describe_stack, find_stack, StackOptions
from racecar.stacks.loops import make_loop

ROOT = Path(__file__).parents[2]
VEHICLES = ('racecar', 'report', 'course', 'f1tenth')
TYRES = ('linear', 'fiala', 'fiala_unsaturated')
FORMULATIONS = ('full', 'report')
TRAJECTORIES = ('line', 'parabola', 'circle', 'figure_eight', 'cycloid')
NOISE = Noise(x=0.01, y=0.01, yaw=0.01, vx=0.1, vy=0.1, yaw_rate=0.1, lateral=0.05, turning=0.1)


def loop(vehicle='racecar', tyre='fiala', formulation='full', trajectory='figure_eight',
         tracker=None, simulator=None, law=None):
    overrides = {
        'trajectory_tracker': {'Ki': 0.2, 'Kd': 0.01, **(tracker or {})},
        'kinematic_linearizer': law or {},
        'single_track_simulator': {'formulation': formulation, **(simulator or {})}}
    descriptions = describe_stack('kinematic_ode', StackOptions(
        vehicle=vehicle, trajectory=trajectory, tyre_model=tyre, overrides=overrides))
    return make_loop(
        find_stack('kinematic_ode'), {d.executable: d.resolve() for d in descriptions})


def rows_tick_by_tick(parts, ticks):
    """Return what the methods of the parts, which the nodes call, give; and the divergence."""
    rows: list[Any] = []
    try:
        parts.run_tick_by_tick(ticks, rows.append)
    except DivergenceError as error:
        return np.array(rows), str(error)
    return np.array(rows), None


def state_of(parts):
    tracker, linearizer, simulator = parts
    return (simulator.state, simulator.time_ns, simulator.command, simulator.wheel_rotations,
            simulator.odometry(), tuple(linearizer.state), tuple(tracker.state), tracker.origin,
            tracker.time_since_start(simulator.time_ns), tracker.time_step(simulator.time_ns))


@pytest.mark.parametrize(
    ('vehicle', 'tyre', 'formulation'), every_pair(VEHICLES, TYRES, FORMULATIONS))
def test_compiled_loop_gives_the_bits_of_tracker_linearizer_and_simulator(
        vehicle, tyre, formulation):
    trajectory = TRAJECTORIES[(VEHICLES.index(vehicle) + TYRES.index(tyre)) % 5]
    case = (vehicle, tyre, formulation, trajectory)
    by_hand = loop(*case)
    assert by_hand.is_compilable
    # More than one call of the kernel takes.
    ticks = CHUNK + 76
    rows, error = rows_tick_by_tick(by_hand, ticks)
    compiled = loop(*case)
    if error is None:
        np.testing.assert_array_equal(run_loop(compiled, 0.01 * ticks).rows, rows)
    else:
        with pytest.raises(DivergenceError) as raised:
            run_loop(compiled, 0.01 * ticks)
        assert str(raised.value) == error
    assert state_of(compiled) == state_of(by_hand)


@pytest.mark.parametrize('trajectory', TRAJECTORIES)
def test_compiled_loop_gives_the_same_bits_on_every_trajectory_and_goes_on_with_the_parts(
        trajectory):
    options = {
        'tracker': {'reference_origin': 'map', 'velocity_limit': 2.0, 'FFWD': False},
        'simulator': {'initial_x': 0.3, 'initial_y': -0.2, 'initial_yaw': 3.0,
                      'integrator': 'dopri5', 'step': 0.002, 'rate': 50.0}}
    by_hand, compiled = (loop(trajectory=trajectory, **options) for _ in range(2))
    rows, error = rows_tick_by_tick(by_hand, 150)
    assert error is None
    np.testing.assert_array_equal(run_loop(compiled, 3.0).rows, rows)
    # The second run goes on from where the first one ended.
    rows, _ = rows_tick_by_tick(by_hand, 20)
    np.testing.assert_array_equal(run_loop(compiled, 0.4).rows, rows)


@pytest.mark.parametrize('trajectory', TRAJECTORIES)
@pytest.mark.parametrize(('x', 'yaw'), [(0.0, 3.1), (3.0, 0.5), (-9.0, -1.6)])
def test_compiled_loop_turns_round_waits_and_catches_up_with_the_same_bits(trajectory, x, yaw):
    options = {'tracker': {'reference_origin': 'map', 'catch_up_speed': 0.7},
               'simulator': {'initial_x': x, 'initial_yaw': yaw}}
    rows, error = rows_tick_by_tick(loop(trajectory=trajectory, **options), 1500)
    assert error is None
    np.testing.assert_array_equal(
        run_loop(loop(trajectory=trajectory, **options), 15.0).rows, rows)


def test_ctrl_c_ends_a_batch_within_some_chunks():
    shares = []

    def on_progress(share):
        shares.append(share)
        if len(shares) == 1:
            os.kill(os.getpid(), signal.SIGINT)

    batch = BatchSimulation([loop(), loop()], threads=2, block_size=1)
    with pytest.raises(KeyboardInterrupt):
        batch.run(90_000.0, on_progress=on_progress)
    # Two threads, which would each end their car.
    assert max(shares) < 0.4


def test_limits_of_law_and_plant_may_differ():
    options = {'law': {'vehicle.steering_limit': 0.2, 'vehicle.speed_max': 0.6},
               'simulator': {'vehicle.steering_limit': 0.15, 'vehicle.speed_max': 0.5}}
    rows, _ = rows_tick_by_tick(loop(**options), 300)
    np.testing.assert_array_equal(run_loop(loop(**options), 3.0).rows, rows)
    assert rows[:, 10].max() == pytest.approx(0.2)


def test_progress_comes_some_times_and_ends_with_the_last_tick():
    ticks: list[Any] = []
    run_loop(loop(), 60.0, ticks.append)
    assert len(ticks) > 3
    assert ticks == sorted(ticks)
    assert ticks[-1] == 6000


def test_divergence_within_a_chunk_leaves_the_parts_as_they_are_tick_by_tick(monkeypatch):
    monkeypatch.setattr(SingleTrack, 'state_limits', (1.0, 1e3, 1e9, 1e9, 1e9))
    options = {'trajectory': 'circle', 'tyre': 'linear', 'tracker': {'W': 0.9},
               'simulator': {'vehicle.rear.cornering_stiffness': 10.0}}
    by_hand, compiled = loop(**options), loop(**options)
    _, error = rows_tick_by_tick(by_hand, 500)
    assert error is not None
    with pytest.raises(DivergenceError) as raised:
        run_loop(compiled, 5.0)
    assert str(raised.value) == error
    assert state_of(compiled) == state_of(by_hand)


def test_progress_is_counted_and_told_by_one_thread_at_a_time():
    inside, most, told = [], [], []
    second = threading.Event()

    def on_progress(share):
        inside.append(share)
        most.append(len(inside))
        if len(inside) > 1:
            second.set()
        # The first to come gives others the time to come too.
        second.wait(0.2)
        second.set()
        told.append(share)
        inside.pop()

    BatchSimulation((loop() for _ in range(8)), threads=8, block_size=1).run(
        1.5, on_progress=on_progress)
    assert max(most) == 1
    assert told == sorted(told)
    assert told[-1] == 1.0


def mixed_loops():
    """Cars that differ in everything, the last of which diverges.

    Each combination of tyre and formulation, in blocks of cars too, is with the steps below.
    """
    cases = [(vehicle, tyre, formulation) for vehicle in VEHICLES for tyre, formulation in (
        ('linear', 'full'), ('fiala', 'full'), ('fiala_unsaturated', 'report'))]
    # Fast on a circle, with hardly any grip at the rear.
    spinning = loop(tyre='linear', trajectory='circle', tracker={'W': 2.0},
                    simulator={'vehicle.rear.cornering_stiffness': 3.0})
    return [*(loop(*case, trajectory=TRAJECTORIES[i % 5],
                   tracker={'Kp': 2.0 + i % 7, 'w': 0.1 + 0.02 * (i % 11)})
              for i, case in enumerate(cases)), spinning]


@pytest.fixture(scope='module')
def mixed_result():
    return BatchSimulation(mixed_loops()).run(4.0, skip=0.5, record_every=10, with_path=True)


def test_batch_agrees_with_each_car_alone(mixed_result):
    assert np.isfinite(mixed_result.diverged_at).tolist() == [False] * 12 + [True]
    for car, parts in enumerate(mixed_loops()):
        rows, error = rows_tick_by_tick(parts, 400)
        recorded = mixed_result.table(car).rows
        np.testing.assert_array_equal(recorded, rows[::10])
        assert math.isnan(mixed_result.diverged_at[car]) == (error is None)
        if error is not None:
            assert mixed_result.diverged_at[car] == rows[-1, 0]
        error_squared = (rows[:, 1] - rows[:, 7])**2 + (rows[:, 2] - rows[:, 8])**2
        counted = error_squared[rows[:, 0] >= 0.5]
        metrics = mixed_result.metrics(car)
        assert metrics.samples == len(counted)
        assert metrics.rmse == pytest.approx(math.sqrt(counted.mean()), rel=1e-12)
        assert metrics.sum_squared_error == pytest.approx(counted.sum(), rel=1e-12)
        assert metrics.ise == pytest.approx(
            0.01 * (counted.sum() - 0.5 * (counted[0] + counted[-1])), rel=1e-10)
        assert metrics.max_error == pytest.approx(math.sqrt(counted.max()), rel=1e-12)
        assert metrics.duration == pytest.approx(0.01 * (len(counted) - 1))
        assert metrics == metrics_with_laps(
            RunTable(rows, parts.tracker.tracked_ahead), parts.tracker, 0.5)


@pytest.mark.parametrize(('threads', 'block_size'), [(1, 1), (2, 5), (3, LANES)])
def test_result_does_not_depend_on_threads_or_blocks(mixed_result, threads, block_size):
    other = BatchSimulation(mixed_loops(), threads=threads, block_size=block_size).run(
        4.0, skip=0.5, record_every=10, with_path=True)
    for name, values in vars(mixed_result).items():
        np.testing.assert_array_equal(getattr(other, name), values, err_msg=name)


def test_more_cars_than_a_block_holds_give_what_they_give_alone():
    gains = np.linspace(1.0, 8.0, LANES + 9)
    base = loop()

    def car(gain):
        tracker = loop(tracker={'Kp': float(gain)}).tracker if gain in gains[[0, -1]] else \
            type(base.tracker)({**VALUES, 'Kp': float(gain)})
        return ClosedLoop(tracker, base.linearizer, base.simulator)

    result = BatchSimulation(map(car, gains)).run(1.0)
    for index in (0, LANES + 8):
        alone = run_loop(loop(tracker={'Kp': float(gains[index])}), 1.0)
        assert result.rmse[index] == alone.metrics().rmse


VALUES = next(d for d in describe_stack('kinematic_ode', StackOptions())
              if d.executable == 'trajectory_tracker').resolve() | {'Ki': 0.2, 'Kd': 0.01}


def noisy(seed, count=20, **options):
    return BatchSimulation(
        (loop(tracker={'Kp': 3.0 + i}) for i in range(count)), noise=NOISE,
        generator=np.random.default_rng(seed), **options).run(2.0, record_every=1)


def test_noise_is_reproducible_and_does_not_depend_on_threads_or_blocks():
    first = noisy(7, threads=1)
    np.testing.assert_array_equal(first.records, noisy(7, threads=2, block_size=3).records)
    assert not np.array_equal(first.records, noisy(8).records)
    # A car's stream is its own: those behind it do not change it.
    np.testing.assert_array_equal(first.records[:3], noisy(7, count=20).records[:3])


def test_noise_reaches_cars_with_actuators_too():
    # Such a rate limits nothing, so that the actuators let through what they get.
    results = [
        BatchSimulation(
            (loop(tracker={'Kp': 3.0 + i}, simulator=simulator) for i in range(11)), noise=NOISE,
            generator=np.random.default_rng(7), threads=threads, block_size=block_size).run(
                2.0, record_every=1, with_path=True)
        for simulator, threads, block_size in (
            ({}, 1, LANES), ({'actuators.steering_rate': 1e9}, 1, LANES),
            ({'actuators.steering_rate': 1e9}, 2, 3), ({'actuators.steering_lag': 0.1}, 1, 4))]
    for other in results[1:3]:
        np.testing.assert_array_equal(other.records, results[0].records)
        np.testing.assert_array_equal(other.path, results[0].path)
    assert not np.array_equal(present(results[3].records), present(results[0].records))


def test_noise_has_the_deviations_asked_for_and_metrics_are_of_the_true_position():
    parts = [loop(tracker={'Kp': 0.0, 'Ki': 0.0, 'Kd': 0.0, 'FFWD': False}) for _ in range(30)]
    noise = Noise(x=0.02, y=0.03, yaw=0.04, vx=0.05, vy=0.06, yaw_rate=0.07)
    result = BatchSimulation(parts, noise=noise, generator=np.random.default_rng(1)).run(
        3.0, record_every=1)
    # The car stands, so all that moves is noise.
    found = present(result.records)[:, :, 1:7].std(axis=(0, 1))
    assert found == pytest.approx([0.02, 0.03, 0.04, 0.05, 0.06, 0.07], rel=0.05)
    still = BatchSimulation([loop(
        tracker={'Kp': 0.0, 'Ki': 0.0, 'Kd': 0.0, 'FFWD': False})]).run(3.0)
    assert result.rmse == pytest.approx(np.full(30, still.rmse[0]))


@pytest.mark.parametrize('model', ['single_track_force', 'single_track_slip', 'double_track'])
def test_every_model_with_tyres_is_pushed(model):
    def run(noise, threads):
        return BatchSimulation(
            (loop(trajectory='line', simulator={'vehicle_model': model}) for _ in range(3)),
            noise=noise, generator=np.random.default_rng(2), threads=threads, block_size=2).run(
                1.0, record_every=1).records

    one, other = (run(Noise(lateral=0.1, turning=0.3), threads) for threads in (1, 2))
    np.testing.assert_array_equal(one, other)
    assert len(set(one[:, -1, 2])) == 3


@pytest.mark.parametrize('model', ['kinematic_bicycle', 'kinematic_understeer'])
@pytest.mark.parametrize('name', ['lateral', 'turning'])
def test_noise_of_a_motion_that_a_model_has_no_state_for_is_refused(model, name):
    def batch(noise):
        return BatchSimulation([loop(simulator={'vehicle_model': model})], noise=noise,
                               generator=np.random.default_rng(1))

    with pytest.raises(ConfigurationError) as error:
        batch(Noise(**{name: 0.25}))
    for part in (f"noise '{name}' is 0.25", model, 'single_track'):
        assert part in str(error.value)
    assert batch(Noise(x=0.01)).run(0.5).rmse > 0.0


def test_noise_of_a_car_and_a_tick_is_that_of_its_key():
    def records(noise, generator):
        return present(BatchSimulation(
            [loop(tracker={'Kp': 0.0, 'Ki': 0.0, 'Kd': 0.0, 'FFWD': False}) for _ in range(2)],
            noise=noise, generator=generator).run(3.0, record_every=1).records)

    measured = records(Noise(x=0.5, vy=2.0), np.random.default_rng(4))
    true = records(None, None)
    keys = np.random.default_rng(4).integers(0, WORD, size=(2, 2)).tolist()
    for car, tick in ((0, 0), (1, 7), (1, 129), (0, 300)):
        x, _, _, _ = four_normals(philox((tick, 0, 0, 0), tuple(keys[car])))
        vy, _, _, _ = four_normals(philox((tick, 1, 0, 0), tuple(keys[car])))
        found = (measured - true)[car, tick, [1, 5]]
        assert found == pytest.approx([0.5 * x, 2.0 * vy], rel=1e-9)


def test_process_noise_moves_the_car():
    result = BatchSimulation(
        [loop(trajectory='line') for _ in range(8)], noise=Noise(lateral=0.1, turning=0.3),
        generator=np.random.default_rng(2)).run(2.0)
    assert len(set(result.rmse)) == 8


class Zigzag(Trajectory):
    """A trajectory without a kernel."""

    name = 'zigzag'
    parameters = ()

    def motion(self, time):
        return Motion(time, abs(time % 2.0 - 1.0), 1.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0)


def test_trajectory_without_a_kernel_gives_the_same_bits():
    by_hand, compiled = (
        parts._replace(tracker=TrajectoryTracker(VALUES, Zigzag())) for parts in (loop(), loop()))
    rows, _ = rows_tick_by_tick(by_hand, 200)
    np.testing.assert_array_equal(run_loop(compiled, 2.0).rows, rows)


class OddSimulator(Simulator):
    """A simulator that the kernels do not know."""

    def tick(self):
        super().tick()


def test_parts_that_the_kernels_do_not_know_run_tick_by_tick():
    def extended():
        parts = loop(tracker={'Kp': 4.0})
        return parts._replace(simulator=OddSimulator(parts.simulator.model))

    assert not extended().is_compilable
    result = BatchSimulation([loop(), extended(), loop(tracker={'Kp': 4.0})]).run(
        2.0, skip=0.5, record_every=5, with_path=True)
    records = present(result.records)
    np.testing.assert_array_equal(records[1], records[2])
    # Any metric: side by side and alone they are the same.
    side_by_side, alone = (result.metrics(car).as_dict() for car in (2, 1))
    assert set(side_by_side) > {'rmse', 'cross_track_rmse', 'best_lap'}
    assert alone == side_by_side
    with pytest.raises(ConfigurationError, match='noise is not available for single_track'):
        BatchSimulation([extended()], noise=NOISE, generator=np.random.default_rng(0))


def test_cars_that_run_one_by_one_do_not_share_parts():
    tracker, law, car = loop()
    parts = HeldLoop(tracker, law, car, 2)
    with pytest.raises(ConfigurationError, match='loop 1 shares its tracker, linearizer or sim'):
        BatchSimulation([parts, parts])


def test_a_batch_ends_with_the_laps_that_are_wanted():
    def loops():
        return [loop(trajectory='circle'), loop(trajectory='circle', tracker={'Kp': 4.0})]

    whole = BatchSimulation(loops()).run(60.0, record_every=1, with_path=True)
    shares: list[float] = []
    some = BatchSimulation(loops()).run(60.0, record_every=1, laps=1, on_progress=shares.append)
    assert some.path is None
    assert shares[-1] == pytest.approx(1.0)
    for car in range(2):
        lap, last = present(some.laps[car]).laps[0], some.table(car)['time'][-1]
        assert lap == present(whole.laps[car]).laps[0]
        assert lap.begun + lap.time <= last < lap.begun + lap.time + 4.0
        assert last < 50.0
        rows = some.table(car).rows
        np.testing.assert_array_equal(rows, whole.table(car).rows[:len(rows)])
    # A path without laps is driven for the whole duration.
    straight = BatchSimulation([loop(trajectory='line')]).run(5.0, record_every=1, laps=1)
    assert straight.table(0)['time'][-1] == pytest.approx(5.0)


def test_a_batch_runs_once_and_refuses_bad_arguments():
    batch = BatchSimulation([loop()])
    with pytest.raises(ConfigurationError, match='expected a positive duration'):
        batch.run(0.0)
    with pytest.raises(ConfigurationError, match=r'laps -1: .* the others at least 0'):
        batch.run(1.0, laps=-1)
    with pytest.raises(ConfigurationError, match='leave out laps'):
        batch.run(1.0, laps=1, with_path=True)
    assert len(batch.run(0.1)) == 1
    with pytest.raises(ConfigurationError, match='a batch runs once'):
        batch.run(0.1)
    with pytest.raises(ConfigurationError, match='noise needs a generator'):
        BatchSimulation([], noise=NOISE)
    with pytest.raises(ConfigurationError, match='threads is 0'):
        BatchSimulation([], threads=0)
    with pytest.raises(
            ConfigurationError, match=f'block_size is {LANES + 1}, expected 1 to {LANES}'):
        BatchSimulation([], block_size=LANES + 1)
    with pytest.raises(ConfigurationError, match=r"noise 'yaw' is -1\.0"):
        Noise(yaw=-1.0)
    with pytest.raises(ConfigurationError, match='nothing was recorded'):
        BatchSimulation([loop()]).run(0.1).table(0)
    assert len(BatchSimulation([]).run(1.0)) == 0


def test_metrics_without_a_sample_are_nan():
    result = BatchSimulation(
        [loop(), loop(simulator={'vehicle_model': 'kinematic_bicycle'})]).run(
            0.5, skip=1.0, with_path=True)
    assert np.isnan(result.rmse).all()
    assert np.isnan(present(result.path)).all()
    assert result.samples.tolist() == [0.0, 0.0]
    assert result.metrics(0).path is None


def test_metrics_against_the_path_are_computed_where_they_are_asked_for():
    result = BatchSimulation([loop()]).run(0.5)
    assert result.path is None
    assert list(result.metrics(0).as_dict())[-1] == 'duration'


@pytest.mark.skipif(not has_compiler(), reason='plain Python counts its own numbers, too')
def test_what_some_ticks_take_does_not_grow_with_the_run():
    parts = loop()
    kind = kind_of(parts)
    assert kind is not None
    block = Block(kind)
    block.add(Fleet(parts, [0]))
    block.seal()
    whole = BlockRun(tick_times(kind.period_ns, 1_000_000))
    block.run(whole, 0, CHUNK)
    tracemalloc.start()
    try:
        block.run(whole, CHUNK, CHUNK)
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert peak < 1_000_000


def test_state_of_a_car_is_small():
    car = loop()
    equations, control = car.simulator.model.equations, car.lane.control
    assert 8 * sum(map(count_numbers, (equations.state, equations.inputs, control.state))) <= 256


# --- steps ----------------------------------------------------------------------------------


MODELS = every_pair(TYRES, FORMULATIONS, INTEGRATORS)
COMMAND = vector((1.5, 0.2))
NO_LIMITS = (1e9,) * 5


def racecar(tyre, formulation):
    return SingleTrack(
        VehicleParameters.from_file(ROOT / 'config/vehicles/racecar.yaml'), tyre, formulation)


def advanced(model, integrator, state, inputs, dt, steps):
    """Return the state of one car after steps of dt, however far it goes."""
    kind = kind_of_car(model, integrator, actuated=False)
    parts = one_car_parts(kind)
    rows = vector(parts.lines)
    for part, numbers in (
            (parts.state, state), (parts.inputs, inputs), (parts.limits, NO_LIMITS),
            (parts.parameters, model.parameters), (parts.clock, (dt, round(dt * 1e9)))):
        store(rows, part, 0, tuple(numbers))
    assert car_kernels(kind, kind.equations).tick(rows, steps)
    return list(rows[parts.state.first:parts.state.after])


def tableau(integrator):
    """Return rows of coefficients and weights of a method, as textbooks print them."""
    if integrator == 'euler':
        return [[]], [1.0]
    if integrator == 'rk4':
        return [[], [0.5], [0.0, 0.5], [0.0, 0.0, 1.0]], [1.0, 2.0, 2.0, 1.0]
    return [list(row[:k]) for k, row in enumerate(RK45.A)], list(RK45.B)


def textbook_step(rates, state, dt, integrator):
    """Return the state after a step; the weights of rk4 are over a sixth of the step."""
    rows, weights = tableau(integrator)

    def ahead(h, factors):
        if integrator == 'rk4' and factors and factors is not weights:
            return [s + (factors[-1] * h) * k for s, k in zip(state, slopes[-1], strict=True)]
        moved = []
        for number, own in zip(state, zip(*slopes, strict=True), strict=True):
            total = 0.0
            for factor, slope in zip(factors, own, strict=True):
                total += factor * slope
            moved.append(number + h * total)
        return moved

    slopes = []
    for row in rows:
        slopes.append(list(rates(ahead(dt, row) if row else list(state))))
    return ahead(dt / 6.0 if integrator == 'rk4' else dt, weights)


@pytest.mark.parametrize(('tyre', 'formulation', 'integrator'), MODELS)
def test_integration_gives_the_bits_of_the_textbook_method(tyre, formulation, integrator):
    model = racecar(tyre, formulation)
    equations, step = model.equations, 0.0005
    general = [0.05, 0.3, 1.0, 2.0, 0.7]
    state = advanced(model, integrator, general, COMMAND, step, 200)
    car = filled(equations.parameters, model.parameters)
    held = equations.hold(equations.inputs._make(map(float, COMMAND)), car)
    for _ in range(200):
        # x, y and yaw from the pose at the start of the step.
        lateral, rate, ahead, left, turned = textbook_step(
            lambda point: equations.rates(equations.state._make(point), held),
            [*general[:2], 0.0, 0.0, 0.0], step, integrator)
        sine, cosine = sine_cosine(general[4])
        general = [lateral, rate, general[2] + (ahead * cosine - left * sine),
                   general[3] + (ahead * sine + left * cosine), general[4] + turned]
    assert state == general


@pytest.mark.parametrize(('tyre', 'formulation', 'integrator'), MODELS)
def test_steps_from_the_pose_of_the_car_are_those_of_the_derivative(tyre, formulation, integrator):
    # A circle: several turns.
    model, steps = racecar(tyre, formulation), 10_000 if has_compiler() else 500
    general = [0.05, 0.3, 1.0, 2.0, 0.7]
    state = advanced(model, integrator, general, COMMAND, 0.001, steps)
    for _ in range(steps):
        general = textbook_step(
            lambda point: model.derivative(vector(point), COMMAND, model.parameters), general,
            0.001, integrator)
    assert state == pytest.approx(general, rel=1e-11, abs=1e-11)
    if has_compiler():
        assert general[4] > 2.0 * math.pi


@pytest.mark.parametrize(('tyre', 'formulation', 'integrator'), MODELS)
def test_blocks_of_cars_give_the_bits_of_one_car(tyre, formulation, integrator):
    model = racecar(tyre, formulation)
    equations, layout = model.equations, Layout()
    parts = motion_parts(layout, equations, integrator)
    count, steps = 19, 10_000 if has_compiler() else 20
    advance_all = compiled(
        integration(equations, integrator, parts), '(float64[::1], int64, float64, int64)')
    rows, states = lane_rows(layout.rows), []
    for lane in range(count):
        # Some of them spin.
        state = [0.3 * (lane - 9), 0.5 * lane, 0.1 * lane, 2.0, 0.4 * lane]
        inputs = (1.0 + 0.1 * lane, 0.03 * (lane - 5))
        store(rows, parts.state, lane, tuple(state))
        store(rows, parts.held, lane, equations.hold(
            equations.inputs._make(inputs), filled(equations.parameters, model.parameters)))
        states.append(advanced(model, integrator, state, inputs, 0.001, steps))
    advance_all(rows, count, 0.001, steps)
    for lane, state in enumerate(states):
        assert list(load(rows, parts.state, lane)) == state


def test_rows_of_a_block_start_with_a_line_of_the_cache():
    if not has_compiler():
        pytest.skip('plain lists have no address')
    for count in (1, 5, 87):
        rows = np.asarray(lane_rows(count))
        assert rows.ctypes.data % 64 == 0
        assert rows.tolist() == [0.0] * (count * LANES)
    assert 8 * LANES % 64 == 0


def test_tyre_model_without_the_fast_form_gives_the_same_forces(monkeypatch):
    vehicle = VehicleParameters.from_file(ROOT / 'config/vehicles/racecar.yaml')
    slow = TYRE_MODELS['fiala']._replace(
        name='fiala_without_form', number=77, lateral=None)
    monkeypatch.setitem(TYRE_MODELS, slow.name, slow)
    for formulation in FORMULATIONS:
        states = []
        for tyre in ('fiala', slow.name):
            simulator = Simulator(SingleTrack(vehicle, tyre, formulation))
            simulator.set_command(AckermannCommand(2.0, 0.3))
            for _ in range(50):
                simulator.tick()
            states.append(simulator.state)
        assert states[0] == pytest.approx(states[1], rel=1e-10)


def test_stepper_gives_the_bits_of_the_simulator():
    model = SingleTrack(
        VehicleParameters.from_file(ROOT / 'config/vehicles/f1tenth.yaml'), 'fiala')
    pose = Pose2(1.0, 2.0, 0.5)
    simulator = Simulator(model, start=Start(pose))
    stepper = Stepper(model, initial_pose=pose)
    for i in range(20):
        simulator.set_command(AckermannCommand(2.0, 0.01 * i))
        simulator.tick()
        for _ in range(10):
            stepper.step(2.0, 0.01 * i)
    assert stepper.state == simulator.state
    assert stepper.is_valid
    stepper.state = (math.nan, 0.0, 0.0, 0.0, 0.0)
    assert not stepper.is_valid


# Runs in a process of its own, with and without Numba.
BATCH = """
import json, sys
if sys.argv[1] == 'plain':
    sys.modules['numba'] = None
import numpy as np
from racecar.simulation.held_loop import HeldLoop
from racecar.metrics.run_table import RunTable
from racecar.base.compiled import has_compiler
from racecar.simulation.batch import BatchSimulation
from racecar.simulation.batch_result import Noise
from racecar.stacks import describe_stack, find_stack, StackOptions
from racecar.stacks.loops import make_loop
def loop(vehicle, tyre, formulation, trajectory, lag=0.0):
    return make_loop(find_stack('kinematic_ode'), {
        d.executable: d.resolve() for d in describe_stack(
        'kinematic_ode', StackOptions(
            vehicle=vehicle, tyre_model=tyre, trajectory=trajectory,
            overrides={'single_track_simulator': {
                'formulation': formulation, 'actuators.steering_lag': lag,
                'actuators.speed_delay': lag}}))})
cases = [('racecar', 'fiala', 'full', 'figure_eight'), ('report', 'linear', 'report', 'circle'),
         ('f1tenth', 'linear', 'full', 'line'), ('course', 'fiala', 'report', 'cycloid'),
         ('racecar', 'linear', 'full', 'circle', 0.02)]
result = BatchSimulation(
    (loop(*case) for case in cases), noise=Noise(x=0.01, turning=0.1),
    generator=np.random.default_rng(3)).run(0.5, record_every=5, with_path=True)
print(json.dumps({'compiled': has_compiler(), 'rmse': result.rmse.tolist(),
                  'path': np.ravel(result.path).tolist(),
                  'records': result.records.ravel().tolist()}))
"""


def test_without_numba_the_batch_gives_the_same_results():
    pytest.importorskip('numba')
    answers = [
        json.loads(subprocess.run(
            [sys.executable, '-c', BATCH, mode], check=True, text=True, stdout=subprocess.PIPE,
            timeout=250, env={**os.environ, 'PYTHONPATH': str(ROOT / 'src')}).stdout)
        for mode in ('compiled', 'plain')]
    assert [answer['compiled'] for answer in answers] == [True, False]
    for key in ('rmse', 'path', 'records'):
        np.testing.assert_allclose(answers[0][key], answers[1][key], rtol=1e-12, atol=1e-12)
