# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""Controllers by progress: where they see the car, and the bits of loop, driver and block."""

import functools
import itertools
import math
from typing import Any, NamedTuple

from hypothesis import given
from hypothesis import strategies as st
import numpy as np
import pytest

from racecar.base.compiled import has_compiler
from racecar.base.errors import ConfigurationError, RunError
from racecar.base.parameter_file import load_parameter_file
from racecar.base.share import find_config
from racecar.base.types import CarMotion, NANOSECONDS
from racecar.catalogue import TABLES
from racecar.control.custom_controller import controller_class, find_controller
from racecar.control.custom_driver import CustomDriver
from racecar.control.progress import (
    car_numbers,
    lane_numbers,
    LineReference,
    look,
    NO_PROGRESS,
    path_at,
    sight_of,
)
from racecar.control.racelines.line_numbers import line_at, line_numbers, nearest_way
from racecar.control.racelines.raceline import Raceline
from racecar.control.racing import CONTROLLERS
from racecar.control.racing.lqr import error_dynamics, LinearQuadratic, regulator
from racecar.control.racing.steering_table import steady_steering, steering_table
from racecar.control.tracker import TrajectoryTracker
from racecar.control.trajectories.race_line import RaceLine
from racecar.dynamics.vehicles.grip_map import GripMap
from racecar.dynamics.vehicles.parameters import VehicleParameters
from racecar.simulation.batch import BatchSimulation
from racecar.simulation.closed_loop import run_loop
from racecar.simulation.custom_loop import CustomLoop
from racecar.simulation.make_simulator import make_simulator

VALUES = load_parameter_file(find_config('vehicles/f1tenth'), 'any_node')
CAR = VehicleParameters.from_values(VALUES)
LINE = RaceLine('racetrack_f1tenth_curvature', 0.6)
TICKS = 260


def circle(radius=3.0):
    angles = np.linspace(0.0, 2.0 * math.pi, 201)
    points = radius * np.column_stack([np.cos(angles), np.sin(angles)])
    points[-1] = points[0]
    return Raceline.through(points, np.full(200, 4.0), 0.1)


def tracker(**values):
    return TrajectoryTracker(TABLES['trajectory_tracker'].resolve(
        {**VALUES, 'trajectory': 'raceline', 'raceline_speed': 0.6, **values}))


def simulator(**values):
    return make_simulator(TABLES['single_track_simulator'].resolve(
        {**VALUES, 'initial_yaw': -0.05, 'tyre_model': 'fiala', **values}))


def made(name, **settings):
    return find_controller(name).make(CAR, settings)


class Count(NamedTuple):
    """How often it was asked."""

    asked: float


class Gain(NamedTuple):
    """Of the lateral error."""

    gain: float


def step(state, parameters, car, path, dt):
    """Count in the memory, and steer by the table and the line ahead."""
    at = path.memory + int(state.asked) % 3
    path.numbers[at] = path.numbers[at] + 1.0
    ahead = path_at(path, 1.0)
    steering = path.numbers[path.table] * ahead.curvature - parameters.gain * (
        path.lateral_error + path.heading_error)
    return Count(state.asked + 1.0), 2.0 + 0.01 * path.numbers[path.memory + 2] + dt, steering


class Remembering:
    command: Any = None
    follows = 'progress'
    step = staticmethod(step)
    table, memory = np.array([0.33, 7.0]), np.zeros(3)
    state, parameters = Count(0.0), Gain(0.8)

    def __init__(self, vehicle=None, rate=0.0, latency=0.0):
        self.rate, self.latency = rate, latency


class Uncompilable(Remembering):
    @staticmethod
    def step(state, parameters, car, path, dt):
        {'a', 1}  # noqa: B018
        return step(state, parameters, car, path, dt)


# So few that plain Python has time for them.
BRIEF: dict[str, dict[str, Any]] = {
    'nmpc': {'steps': 8, 'iterations': 2}, 'kinematic_nmpc': {'steps': 8, 'iterations': 2},
    'mpcc': {'steps': 8, 'iterations': 2},
    'mppi': {'steps': 8, 'candidates': 128, 'rate': 20.0},
}
BY_PROGRESS = [name for name in CONTROLLERS if find_controller(name).is_by_progress]
MAKERS: dict[str, Any] = {
    **{name: functools.partial(made, name, **BRIEF.get(name, {})) for name in BY_PROGRESS},
    'slow': lambda: made('lqr', rate=20.0, latency=0.03, slip_feed_forward=0.5),
    'remembering': Remembering, 'uncompilable': Uncompilable,
}
COLUMNS = 'x', 'y', 'x_reference', 'y_reference', 'speed_command', 'steering_command'


def rows_of(table):
    return np.column_stack([table.column(name) for name in COLUMNS])


@pytest.mark.parametrize('kind', MAKERS)
def test_loop_driver_and_block_give_the_same_bits(kind):
    make = MAKERS[kind]
    whole = rows_of(run_loop(CustomLoop(make(), tracker(), simulator()), 0.01 * TICKS))
    driver, car = CustomDriver(make, tracker()), simulator()
    assert (driver.why_plain == '') == (has_compiler() and kind != 'uncompilable')
    for _ in range(2):
        for row in whole:
            odometry = car.odometry()
            command, reference = driver.update(odometry)
            assert (odometry.x, odometry.y, reference.x, reference.y, *command) == tuple(row)
            car.set_command(command)
            car.tick()
        # Anew, with a state and a memory as at first.
        driver.start_anew(tracker())
        car = simulator()
    assert np.ptp(whole[:, -1]) > 0.02
    if kind != 'uncompilable':
        result = BatchSimulation([
            CustomLoop(make(), tracker(reference_origin=origin), simulator())
            for origin in ('map', 'car', 'map')], threads=2).run(
                0.01 * TICKS, record_every=1, with_path=True)
        np.testing.assert_array_equal(rows_of(result.table(1)), whole)
        np.testing.assert_array_equal(rows_of(result.table(0)), rows_of(result.table(2)))
        assert not np.array_equal(rows_of(result.table(0)), whole)


def test_answers_come_at_their_rate_and_act_after_their_latency():
    rows = rows_of(run_loop(CustomLoop(
        Remembering(rate=20.0, latency=0.03), tracker(), simulator()), 0.5))
    changes = np.flatnonzero(np.any(np.diff(rows[:, 4:], axis=0) != 0.0, axis=1)) + 1
    # Asked each 5 ticks, from the first on; acting 3 ticks later.
    assert changes.tolist() == [*range(3, 51, 5)]
    # At rest until the first acts.
    assert np.all(rows[:3, 4:] == 0.0)


def test_the_reference_is_the_nearest_point_of_the_line():
    table = run_loop(CustomLoop(made('lqr'), tracker(), simulator()), 3.0)
    points = LINE.line.points - LINE.line.points[0]
    for row in rows_of(table)[::60]:
        least = np.hypot(*(points - row[:2]).T).min()
        assert np.hypot(*(row[:2] - row[2:4])) <= least + 1e-6
        # Nowhere behind a row by more than the step.
        assert np.hypot(*(points - row[2:4]).T).min() <= 0.11
    assert np.hypot(*(rows_of(table)[-1, :2] - rows_of(table)[-1, 2:4])) < 0.1


@given(st.floats(-math.pi, math.pi), st.floats(-1.5, 1.5), st.floats(-1.0, 1.0),
       st.floats(-1.0, 30.0))
def test_errors_on_a_circle_are_those_of_geometry(angle, left, turned, last):
    numbers = lane_numbers([np.concatenate([
        [0.0, 0.0, 0.0], np.asarray(line_numbers(circle(), 0.5))])], 1)
    # To the left is inwards.
    radius = 3.0 - left
    car = CarMotion(radius * math.cos(angle), radius * math.sin(angle),
                    angle + 0.5 * math.pi + turned, 1.0, 0.0, 0.0)
    near = last if abs((last - 3.0 * angle + 9.0) % (6.0 * math.pi) - 9.0) < 0.9 else -1.0
    path = look(sight_of(LineReference(0.0, 0.0, 0.0, 0.0), numbers, 0), car, 0.0, near)
    assert path.lateral_error == pytest.approx(left, abs=1e-4)
    assert path.heading_error == pytest.approx(turned, abs=1e-3)
    assert path.curvature == pytest.approx(1.0 / 3.0, abs=1e-3)
    assert path.speed == pytest.approx(2.0)
    away = (path.s - 3.0 * angle) % (6.0 * math.pi)
    assert min(away, 6.0 * math.pi - away) < 1e-2
    ahead = path_at(path, 3.0 * 0.5 * math.pi)
    assert (ahead.x, ahead.y) == pytest.approx(
        (-3.0 * math.sin(angle), 3.0 * math.cos(angle)), abs=1e-2)


def test_a_line_is_looked_up_on_any_lap_and_at_its_very_end():
    numbers = line_numbers(circle())
    length = float(numbers[2])
    for s in (0.0, -1e-17, length, np.nextafter(length, 0.0), 3.0 * length, -2.0 * length):
        point = line_at(numbers, 0, s)
        assert (point.x, point.y) == pytest.approx((3.0, 0.0), abs=1e-6)
        assert 0.0 <= point.s <= length
    assert nearest_way(numbers, 0, 3.0, -1e-9, 0.1) == pytest.approx(length, abs=1e-6)


def test_the_compiled_table_of_steering_is_that_of_the_map():
    grip = GripMap.of(CAR)
    table = steering_table(grip)
    for speed in (0.0, 0.7, 3.3, 19.9, 30.0):
        for share in (0.0, 0.01, 0.4, 0.99, 1.0, 1.3):
            lateral = -share * float(grip.lateral_limit(speed))
            assert steady_steering(table, 0, speed, lateral) == pytest.approx(
                float(grip.steer(speed, lateral)), abs=1e-12)


def test_the_regulator_solves_the_riccati_equation():
    linalg = pytest.importorskip('scipy.linalg')
    a, b = error_dynamics(CAR, 4.0, 0.02)
    weights = np.diag([1.0, 0.0, 0.1, 0.0])
    cost = linalg.solve_discrete_are(a, b[:, None], weights, np.array([[0.3]]))
    wanted = (b @ cost @ a) / (0.3 + b @ cost @ b)
    assert regulator(a, b, weights, 0.3) == pytest.approx(wanted, rel=1e-8)
    exact = linalg.expm(np.zeros((4, 4)))
    slow, _ = error_dynamics(CAR, 4.0, 1e-9)
    assert slow == pytest.approx(exact, abs=1e-5)


def test_the_regulator_is_made_for_the_time_between_its_answers():
    def table(**settings):
        return LinearQuadratic(CAR, **settings).table.tolist()

    assert table(rate=25.0) == table(period=0.04)
    assert table(rate=25.0) != table()
    # Without a rate it keeps the gains that it had.
    assert table() == table(period=0.02)


@pytest.mark.parametrize(('name', 'most'), [
    ('pure_pursuit', 0.25), ('stanley', 0.06), ('lqr', 0.06), ('map', 0.2)])
def test_each_controller_keeps_to_the_line(name, most):
    table = run_loop(CustomLoop(
        made(name), tracker(raceline_speed=0.75), simulator(tyre_model='pacejka')), 20.0)
    rows = rows_of(table)[500:]
    error = np.hypot(rows[:, 0] - rows[:, 2], rows[:, 1] - rows[:, 3])
    assert error.max() < most
    assert table.column('vx')[500:].max() > 6.5


def test_the_slip_feed_forward_keeps_a_double_track_nearer_to_its_speeds():
    def speed_error(share):
        table = run_loop(CustomLoop(
            made('lqr', slip_feed_forward=share), tracker(),
            simulator(vehicle_model='double_track', tyre_model='pacejka')), 15.0)
        start, last, errors = LINE.line.points[0], -1.0, []
        for row, speed in list(zip(rows_of(table), table.column('vx'), strict=True))[400:]:
            last = nearest_way(LINE.numbers, 0, row[2] + start[0], row[3] + start[1], last)
            errors.append(speed - line_at(LINE.numbers, 0, last).speed)
        return float(np.sqrt(np.mean(np.square(errors))))

    assert speed_error(1.0) < 0.6 * speed_error(0.0)


@pytest.mark.parametrize(('attributes', 'message'), [
    ({'follows': 'time_'}, "follows of the controller is 'time_', expected 'time' or 'progress'"),
    ({'rate': -1.0}, 'rate of the controller is -1 Hz'),
    ({'rate': 10.0, 'latency': 0.2}, 'and its latency 0.2 s, expected'),
    ({'latency': 0.2}, 'rate of the controller is 0 Hz and its latency 0.2 s'),
    ({'table': [math.nan]}, 'table of the controller is .*, expected an array of finite numbers'),
    ({'point_ahead': 'front'}, "point_ahead of the controller is 'front', expected a finite"),
    ({'step': None}, 'follows by progress, expected a pure step'),
])
def test_what_cannot_be_asked_is_refused(attributes, message):
    kind = type('Odd', (Remembering,), {**attributes, '__init__': lambda self, vehicle: None})
    with pytest.raises(ConfigurationError, match=message):
        controller_class('odd', kind).make(CAR)


def test_only_a_line_can_be_followed_by_progress():
    with pytest.raises(ConfigurationError, match='trajectory is circle, expected raceline'):
        CustomLoop(Remembering(), tracker(trajectory='circle'), simulator())
    with pytest.raises(ConfigurationError, match='one of pure_pursuit, .*did you mean lqr'):
        find_controller('lqrr')
    assert len(car_numbers(NO_PROGRESS, LINE, 0.0)) == 3 + len(LINE.numbers)


@pytest.mark.parametrize(('rate', 'latency', 'asked'), [
    # Each 2.5 ticks in the mean; each 1.5, with answers that wait for one tick and a half.
    (40.0, 0.0, [0, 3, 5, 8, 10, 13, 15, 18, 20]),
    (200.0 / 3.0, 0.015, [0, 2, 3, 5, 6, 8, 9, 11]),
])
def test_a_rate_that_does_not_divide_that_of_the_odometry_is_kept_in_the_mean(
        rate, latency, asked):
    rows = rows_of(run_loop(CustomLoop(
        Remembering(rate=rate, latency=latency), tracker(), simulator()), 0.5))
    changes = np.flatnonzero(np.any(np.diff(rows[:, 4:], axis=0) != 0.0, axis=1)) + 1
    if latency:
        # After two ticks, or when the next answer is asked for.
        acting = [min(tick + 2, after) for tick, after in itertools.pairwise(asked)]
        assert changes[:len(acting)].tolist() == acting
    else:
        assert [0, *changes[:len(asked) - 1].tolist()] == asked


@pytest.mark.parametrize('speed', [0.0, 1.0])
@pytest.mark.parametrize('name', ['stanley', 'lqr', 'map'])
def test_a_car_that_rolls_along_a_bend_is_steered_along_it(name, speed):
    controller = made(name)
    line = np.asarray(line_numbers(circle(), 0.5))
    numbers = lane_numbers([np.concatenate([
        [0.0, 0.0, 0.0], line, np.asarray(getattr(controller, 'table', ()))])], 1)
    numbers[2] = 3 + len(line)
    # The rear axle goes round the centre, and the tracked point is on the line.
    to_rear = -CAR.cog_to_rear_axle - CAR.odometry_offset
    radius = math.sqrt(9.0 - (controller.point_ahead - to_rear) ** 2)
    turning = speed / radius
    car = CarMotion(radius, -to_rear, 0.5 * math.pi, speed, -to_rear * turning, turning)
    path = look(sight_of(LineReference(0.0, 0.0, 0.0, 0.0), numbers, 0), car,
                controller.point_ahead, -1.0)
    assert path.lateral_error == pytest.approx(0.0, abs=1e-3)
    _, _, steering = controller.step(controller.state, controller.parameters, car, path, 0.0)
    assert steering == pytest.approx(math.atan(CAR.wheelbase / radius), abs=0.01)


def test_a_car_that_was_put_elsewhere_is_found_again():
    numbers = line_numbers(circle(20.0))
    assert nearest_way(numbers, 0, -20.0, 0.0, 0.3) == pytest.approx(20.0 * math.pi, abs=1e-2)
    # Within reach it stays on its branch.
    assert nearest_way(numbers, 0, 20.0, 4.0, 0.3) < 4.5


@pytest.mark.parametrize(('name', 'settings', 'message'), [
    ('pure_pursuit', {'look_ahead': -0.3}, 'look_ahead is -0.3, expected a number above 0'),
    ('map', {'longest_look_ahead': 0.1}, 'longest_look_ahead is 0.1 m, expected at least'),
    ('stanley', {'softening': 0.0}, 'softening is 0, expected a number above 0'),
    ('stanley', {'damping': -1.0}, 'damping is -1, expected a number of at least 0'),
    ('lqr', {'steering_weight': 0.0}, 'steering_weight is 0, expected'),
    ('lqr', {'period': -0.02}, 'period is -0.02, expected'),
    ('lqr', {'preview': -0.1}, 'preview is -0.1, expected'),
])
def test_settings_out_of_range_are_refused(name, settings, message):
    with pytest.raises(ConfigurationError, match=message):
        made(name, **settings)


@pytest.mark.parametrize('name', BY_PROGRESS)
@pytest.mark.parametrize('field', ['x', 'qz', 'vx'])
def test_odometry_that_is_no_number_ends_the_run_with_an_error(name, field):
    driver = CustomDriver(MAKERS[name], tracker())
    odometry = simulator().odometry()
    driver.update(odometry)
    with pytest.raises(RunError, match='the controller (commands|fails)'):
        # Later than the slowest of them answers again.
        driver.update(odometry._replace(
            **{'time_ns': odometry.time_ns + NANOSECONDS, field: math.nan}))
