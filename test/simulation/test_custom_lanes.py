# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""Compiled custom controllers side by side: the bits of each alone, and whose failure."""

import math
from typing import Any, NamedTuple

from closed_loops import metrics_with_laps
from hypothesis import given, settings
from hypothesis import strategies as st
import numpy as np
from presence import present
import pytest

from racecar.base.compiled import has_compiler
from racecar.base.errors import ConfigurationError, DivergenceError, RunError
from racecar.base.types import car_motion
from racecar.control.custom_driver import CustomDriver
from racecar.control.tracker import TrajectoryTracker
from racecar.control.trajectories import Motion, Trajectory
from racecar.dynamics.vehicles import SingleTrack
from racecar.metrics.run_table import RunTable
from racecar.simulation.batch import BatchSimulation
from racecar.simulation.batch_result import Noise
from racecar.simulation.batch_run import CHUNK
from racecar.simulation.block import kind_of
from racecar.simulation.closed_loop import row_of, run_loop
from racecar.simulation.custom_loop import CustomLoop
from racecar.simulation.make_simulator import make_simulator
from racecar.stacks import describe_stack, find_stack, StackOptions
from racecar.stacks.loops import make_loop

pytestmark = pytest.mark.skipif(
    not has_compiler(), reason='Numba is not installed, or switched off')

# More than one call of a kernel takes.
TICKS = CHUNK + 40
NO_LIMIT = 1e9


class State(NamedTuple):
    """Sum of what was to the left [m s], and the greatest distance [m]."""

    integral: float
    farthest: float


class Gains(NamedTuple):
    """Gains; x where the controller fails, distance where it does, x where it is silent [m]."""

    gain: float
    integral_gain: float
    speed: float
    fails_at: float
    lost_at: float
    silent_at: float


def step(state, gains, car, reference, dt):
    """Use all there is, so that a number that is lost shows."""
    dx, dy = reference.x - car.x, reference.y - car.y
    left = math.cos(car.yaw) * dy - math.sin(car.yaw) * dx
    farthest = max(state.farthest, math.hypot(dx, dy))
    if car.x > gains.fails_at:
        raise ValueError('too far')
    if farthest > gains.lost_at:
        raise ValueError('lost')
    integral = state.integral + left * dt
    speed = gains.speed + 0.1 * math.hypot(reference.vx, reference.vy) - 0.01 * farthest
    turning = 0.01 * (car.yaw_rate + car.vy - reference.rate + reference.ax + reference.ay)
    if car.x > gains.silent_at:
        speed = math.nan
    return State(integral, farthest), speed, (
        gains.gain * left + gains.integral_gain * integral - turning + 0.001 * car.vx)


class Own:
    step: Any = staticmethod(step)

    def __init__(self, preview=0.3, gain=0.8, integral_gain=0.1, speed=1.0, fails_at=NO_LIMIT,
                 lost_at=NO_LIMIT, silent_at=NO_LIMIT):
        self.preview = preview
        self.state = State(0.0, 0.0)
        self.parameters = Gains(gain, integral_gain, speed, fails_at, lost_at, silent_at)


class Plain(Own):
    step = None

    def command(self, odometry, reference):
        return 1.0, 0.0


def values(stack='kinematic_ode', trajectory='figure_eight', tracker=None, simulator=None):
    found = find_stack(stack)
    options = StackOptions(trajectory=trajectory, tyre_model='fiala', overrides={
        str(found.tracker): tracker or {}, found.simulator: simulator or {}})
    return {d.executable: d.resolve() for d in describe_stack(stack, options)}


def loop(controller=None, **what):
    resolved = values(**what)
    driver: Any = controller or Own()
    return CustomLoop(
        driver, TrajectoryTracker(resolved['trajectory_tracker']),
        make_simulator(resolved['single_track_simulator']))


def tick_by_tick(controller, ticks, **what):
    """Return rows by the parts, as nodes run them, and whether it diverged."""
    parts = loop(controller, **what)
    driver, simulator = CustomDriver(lambda: controller, parts.tracker), parts.simulator
    rows = []
    for tick in range(ticks + 1):
        odometry = simulator.odometry()
        command, now = driver.update(odometry)
        rows.append(row_of(odometry, now.x, now.y, command))
        if tick < ticks:
            simulator.set_command(command)
            try:
                simulator.tick()
            except DivergenceError:
                return np.array(rows), True
    return np.array(rows), False


ACTUATORS = {'actuators.steering_delay': 0.05, 'actuators.speed_lag': 0.2}
# Each is a kernel of its own.
KINDS = [{}, ACTUATORS, {'integrator': 'euler', 'formulation': 'report', 'rate': 50.0}]
controllers = st.builds(
    Own, preview=st.sampled_from([0.0, 0.1, 0.7]), gain=st.floats(0.1, 3.0),
    integral_gain=st.floats(0.0, 0.5), speed=st.floats(-1.0, 3.0))
cars = st.lists(st.tuples(
    controllers,
    st.sampled_from(['figure_eight', 'circle', 'cycloid', 'parabola', 'parking', 'waypoints']),
    st.sampled_from(['kinematic_ode', 'dynamic_ode']),
    st.sampled_from(['car', 'map']), st.floats(-3.1, 3.1)), min_size=1, max_size=7)


def arguments(car, kind):
    controller, trajectory, stack, origin, yaw = car
    if trajectory == 'parking':
        stack = 'kinematic_ode'
    return {'controller': controller, 'stack': stack, 'trajectory': trajectory,
            'tracker': {'reference_origin': origin}, 'simulator': {'initial_yaw': yaw, **kind}}


@pytest.mark.parametrize('kind', KINDS, ids=['plain', 'actuators', 'report'])
@settings(max_examples=8)
@given(cars, st.integers(1, 5))
def test_cars_side_by_side_have_the_bits_of_each_alone(kind, cars, block_size):
    made = [loop(**arguments(car, kind)) for car in cars]
    assert all(kind_of(parts) is not None for parts in made)
    period = made[0].simulator.period_ns * 1e-9
    result = BatchSimulation(made, threads=2, block_size=block_size).run(
        TICKS * period, skip=0.5, record_every=1, with_path=True)
    assert result.failures == {}
    for index, car in enumerate(cars):
        what = arguments(car, kind)
        rows, diverges = tick_by_tick(ticks=TICKS, **what)
        np.testing.assert_array_equal(result.table(index).rows, rows)
        assert np.isnan(result.diverged_at[index]) == (not diverges)
        parts = loop(**what)
        if diverges:
            with pytest.raises(DivergenceError):
                run_loop(parts, TICKS * period)
        else:
            np.testing.assert_array_equal(run_loop(parts, TICKS * period).rows, rows)
        if rows[-1, 0] >= 0.5:
            table = RunTable(rows, parts.tracker.tracked_ahead)
            assert result.metrics(index) == metrics_with_laps(table, parts.tracker, 0.5)


def custom_and_stock():
    stock = make_loop(find_stack('kinematic_ode'), values())
    return [loop(), stock, loop(Own(gain=1.5)),
            loop(simulator={'vehicle_model': 'double_track'}), loop(Plain())]


def test_own_and_stock_controllers_run_in_one_batch():
    result = BatchSimulation(custom_and_stock()).run(2.0, record_every=1)
    for car, parts in enumerate(custom_and_stock()):
        table = run_loop(parts, 2.0)
        np.testing.assert_array_equal(result.table(car).rows, table.rows)
        assert result.metrics(car) == table.metrics(with_path=False)


# --- failures -------------------------------------------------------------------------------

FAILING = [Own(), Own(fails_at=0.5), Own(gain=1.5), Own(silent_at=0.7), Own(fails_at=1.5),
           Own(gain=2.0, preview=0.1)]


def outcome_alone(controller, duration):
    """Return loop, rows and the message of its failure."""
    parts = loop(controller)
    try:
        return parts, run_loop(parts, duration).rows, None
    except RunError as error:
        return parts, None, str(error)


@pytest.mark.parametrize('block_size', [1, 4, 20])
def test_a_controller_that_fails_does_so_for_its_own_car_only(block_size):
    told: list[Any] = []
    result = BatchSimulation(map(loop, FAILING), threads=2, block_size=block_size).run(
        4.0, record_every=1, with_path=True, on_progress=told.append)
    alone = [outcome_alone(controller, 4.0) for controller in FAILING]
    assert sum(message is not None for *_, message in alone) == 3
    assert result.failures == {
        car: message for car, (*_, message) in enumerate(alone) if message is not None}
    assert 'ValueError: too far' in result.failures[1]
    assert 'speed=nan' in result.failures[3]
    for car, (parts, rows, message) in enumerate(alone):
        if message is None:
            np.testing.assert_array_equal(result.table(car).rows, rows)
            assert result.metrics(car) == metrics_with_laps(RunTable(rows), parts.tracker)
        else:
            assert np.isnan(present(result.records)[car]).all()
            assert np.isnan([result.rmse[car], result.diverged_at[car]]).all()
            assert result.samples[car] == 0
            assert result.metrics(car).path is None
    assert told == sorted(told)
    assert told[-1] == pytest.approx(1.0)


def test_the_time_of_a_failure_is_that_of_its_tick():
    result = BatchSimulation([loop(), loop(Own(fails_at=0.5))]).run(4.0, record_every=1)
    rows = run_loop(loop(), 4.0).rows
    first = rows[np.argmax(rows[:, 1] > 0.5), 0]
    assert f'the controller fails at {first:g} s: ValueError' in result.failures[1]


def test_a_car_that_diverged_is_not_asked_any_more(monkeypatch):
    monkeypatch.setattr(SingleTrack, 'state_limits', (1e9, 0.8, 1e9, 1e9, 1e9))
    # Without the car the reference moves out of its sight.
    controllers = [Own(gain=2.0, lost_at=3.0), Own(gain=0.2, lost_at=3.0)]
    result = BatchSimulation(map(loop, controllers)).run(30.0, record_every=1)
    diverged_at = []
    for car, controller in enumerate(controllers):
        rows, diverges = tick_by_tick(controller, 3000)
        np.testing.assert_array_equal(result.table(car).rows, rows)
        diverged_at.append(rows[-1, 0] if diverges else math.nan)
    assert diverged_at[0] < 10.0
    assert result.failures == {}
    np.testing.assert_array_equal(result.diverged_at, diverged_at)


class Broken(Trajectory):
    """A trajectory of one's own that fails: no failure of a controller."""

    name = 'broken'
    parameters = ()

    def motion(self, time):
        if time > 1.0:
            raise RunError('the trajectory ends')
        return Motion(time, 0.0, 1.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0)


def test_a_trajectory_that_fails_ends_the_run():
    resolved = values()
    tracker = TrajectoryTracker(resolved['trajectory_tracker'], Broken())
    stock = make_loop(find_stack('kinematic_ode'), resolved)._replace(tracker=tracker)
    with pytest.raises(RunError, match='the trajectory ends'):
        BatchSimulation([stock]).run(2.0)


# --- noise ----------------------------------------------------------------------------------

NOISE = Noise(x=0.01, yaw=0.005, vy=0.01, turning=0.05)


def noisy(noise=NOISE, seed=4, controllers=None, **options):
    return BatchSimulation(
        map(loop, controllers or FAILING), noise=noise, generator=np.random.default_rng(seed),
        **options).run(4.0, record_every=1, with_path=True)


def test_noise_of_a_car_does_not_depend_on_the_others():
    result = noisy()
    assert sorted(result.failures) == [1, 3, 4]
    for other in (noisy(threads=1, block_size=1), noisy(block_size=3)):
        np.testing.assert_array_equal(other.records, result.records)
        np.testing.assert_array_equal(np.stack(other.path), np.stack(result.path))
        assert other.failures == result.failures
    assert not np.array_equal(noisy(seed=5).rmse, result.rmse, equal_nan=True)


def test_noise_acts_as_measured_and_on_the_motion():
    quiet = BatchSimulation([loop()]).run(4.0, record_every=1)
    silent = noisy(Noise(), controllers=[Own()])
    np.testing.assert_array_equal(silent.records, quiet.records)
    measured = noisy(Noise(x=0.02), controllers=[Own()] * 20)
    # The record has what was measured, the metrics where the car was.
    spread = measured.records[:, :, 1] - present(quiet.records)[0, :, 1]
    assert np.std(spread[:, 0]) == pytest.approx(0.02, rel=0.5)
    assert measured.max_error.max() < quiet.max_error[0] + 0.06
    moved = noisy(Noise(turning=0.05), controllers=[Own()])
    assert moved.records[0, 0].tolist() == present(quiet.records)[0, 0].tolist()
    assert moved.records[0, 1, 6] != present(quiet.records)[0, 1, 6]


class Spoken(Own):
    """The same in plain Python, without a step that could be compiled."""

    step = None

    def command(self, odometry, reference):
        car = car_motion(odometry[1:])
        self.state, speed, steering = step(
            self.state, self.parameters, car, reference, 0.01 if odometry.time_ns else 0.0)
        return speed, steering


def test_a_controller_in_plain_python_meets_the_noise_of_a_compiled_one():
    noise = Noise(x=0.02, y=0.02, yaw=0.01, vx=0.05, vy=0.05, yaw_rate=0.1)
    compiled, plain = (noisy(noise, controllers=[made() for _ in range(3)])
                       for made in (Own, Spoken))
    # The heading goes through a quaternion once more.
    for name in ('rmse', 'ise', 'max_error'):
        np.testing.assert_allclose(getattr(plain, name), getattr(compiled, name), rtol=1e-5)
    assert len(set(plain.rmse)) == 3
    quiet = BatchSimulation([loop(Spoken())]).run(4.0)
    assert abs(plain.rmse[0] / quiet.rmse[0] - 1.0) > 1e-4


def test_noise_is_refused_with_the_reason():
    with pytest.raises(
            ConfigurationError, match='a custom controller: it does not run compiled'):
        BatchSimulation([loop(Plain())], noise=NOISE, generator=np.random.default_rng(0))
