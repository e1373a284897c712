# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""A custom controller asked one by one, as a node does: the bits of the whole loop."""

import math
import re
from typing import Any, NamedTuple

import pytest

from racecar.base.compiled import has_compiler, NO_NUMBA
from racecar.base.errors import ConfigurationError, RunError
from racecar.base.parameter_file import load_parameter_file
from racecar.base.share import find_config
from racecar.base.types import AckermannCommand, Odometry
from racecar.catalogue import TABLES
from racecar.control.custom_driver import CustomDriver
from racecar.control.tracker import TrajectoryTracker
from racecar.simulation.closed_loop import run_loop
from racecar.simulation.custom_loop import CustomLoop
from racecar.simulation.loop_kernel import CHUNK
from racecar.simulation.make_simulator import make_simulator

VEHICLE = load_parameter_file(find_config('vehicles/racecar'), 'any_node')
ORIGIN = (3.0, -2.0, 0.5)


class State(NamedTuple):
    """Sum of what was to the left [m s]."""

    integral: float


class Gains(NamedTuple):
    """Of the offset and of its sum."""

    gain: float
    integral_gain: float


def step(state, gains, car, reference, dt):
    """Remember something, so that a state or a dt that is lost shows."""
    left = math.cos(car.yaw) * (reference.y - car.y) - math.sin(car.yaw) * (reference.x - car.x)
    integral = state.integral + left * dt
    return State(integral), 1.0, gains.gain * left + gains.integral_gain * integral


class Stepped:
    preview = 0.3
    step = staticmethod(step)
    state, parameters = State(0.0), Gains(0.8, 0.3)


class Commanding:
    preview = 0.3

    def __init__(self):
        self.state, self.last = State(0.0), None

    def command(self, odometry, reference):
        dt = 0.0 if self.last is None else (odometry.time_ns - self.last) / 1e9
        self.last = odometry.time_ns
        self.state, speed, steering = step(
            self.state, Stepped.parameters, odometry, reference, dt)
        return AckermannCommand(speed, steering)


class Uncompilable(Stepped):
    @staticmethod
    def step(state, gains, car, reference, dt):
        {'a', 1}  # noqa: B018
        return step(state, gains, car, reference, dt)


def tracker(**values):
    table = TABLES['trajectory_tracker']
    return TrajectoryTracker(table.resolve({**VEHICLE, **values}))


def simulator():
    x, y, yaw = ORIGIN
    return make_simulator(TABLES['single_track_simulator'].resolve(
        {**VEHICLE, 'initial_x': x, 'initial_y': y, 'initial_yaw': yaw}))


def driven(driver, car, ticks):
    """Return stamps, commands and references of a loop that is closed here."""
    rows = []
    for _ in range(ticks):
        odometry = car.odometry()
        command, reference = driver.update(odometry)
        rows.append((odometry.x, odometry.y, reference.x, reference.y, *command))
        car.set_command(command)
        car.tick()
    return rows


@pytest.mark.parametrize('kind', [Stepped, Commanding, Uncompilable])
def test_one_by_one_it_gives_the_bits_of_the_whole_loop(kind):
    # More than one call of the kernel takes.
    ticks = CHUNK + 76
    controller: Any = Stepped()
    table = run_loop(CustomLoop(controller, tracker(), simulator()), 0.01 * ticks)
    wanted = [tuple(row) for row in zip(*(
        table.column(name) for name in (
            'x', 'y', 'x_reference', 'y_reference', 'speed_command', 'steering_command')),
        strict=True)]
    driver = CustomDriver(kind, tracker())
    assert (driver.why_plain == '') == (kind is Stepped and has_compiler())
    assert driven(driver, simulator(), ticks + 1) == wanted
    assert max(abs(row[-1]) for row in wanted) > 0.1


@pytest.mark.parametrize('kind', [Stepped, Commanding, Uncompilable])
def test_a_new_start_forgets_what_was(kind):
    driver = CustomDriver(kind, tracker())
    first = driven(driver, simulator(), 50)
    driver.start_anew(tracker())
    assert driven(driver, simulator(), 50) == first


def driver_of(kind):
    """One of a class that need not have command()."""
    return CustomDriver(kind, tracker())


class Unknowing(Stepped):
    @staticmethod
    def step(state, gains, car, reference, dt):
        return state, car.acceleration, 0.0


@pytest.mark.skipif(not has_compiler(), reason='Numba is not installed')
def test_what_cannot_be_compiled_is_told_in_one_line_with_its_place():
    # After the decorator and the head.
    line = Unknowing.step.__code__.co_firstlineno + 2
    told = driver_of(Unknowing).why_plain
    assert told.startswith("its step cannot be compiled: Unknown attribute 'acceleration' of type")
    assert re.search(rf'test_custom_driver\.py", line {line}:$', told)


def test_a_step_that_its_author_has_compiled_is_called_as_it_is():
    numba = pytest.importorskip('numba')

    class Compiled(Stepped):
        step = staticmethod(numba.njit(step))

    driver = driver_of(Compiled)
    assert driver.why_plain == ('' if has_compiler() else NO_NUMBA)
    wanted = driven(driver_of(Stepped), simulator(), 50)
    assert driven(driver, simulator(), 50) == wanted


def test_reference_is_that_of_now_and_the_controller_sees_ahead():
    seen = []

    class Watching:
        preview = 2.0

        def command(self, odometry, reference):
            seen.append(reference)
            return 1.0, 0.0

    driver = CustomDriver(Watching, tracker(trajectory='line', a_coeff=3.0, b_coeff=-1.0))
    start = Odometry(10_000_000_000, 4.0, 5.0, 0.0, 1.0, 0.0, 0.0, 0.0)
    driver.update(start)
    # Of a time after the odometry, as in real time.
    _, now = driver.update(start._replace(time_ns=10_500_000_000), 11_000_000_000)
    assert (now.x, now.y) == pytest.approx((7.0, 4.0))
    assert (seen[-1].x, seen[-1].y) == pytest.approx((13.0, 2.0))


@pytest.mark.parametrize(('answer', 'message'), [
    (lambda odometry: (1.0, math.nan), r'the controller commands .*nan.* at 0 s, expected finite'),
    (lambda odometry: None,
     r'the controller returns None at 0 s \(.*, line \d+\), expected speed .* and steering'),
    (lambda odometry: (1.0 / odometry.vx, 0.0),
     r'ZeroDivisionError: .*test_custom_driver.*, line \d+')])
def test_what_is_no_command_is_an_error_with_the_line(answer, message):
    class Faulty:
        def command(self, odometry, reference):
            return answer(odometry)

    with pytest.raises(RunError, match=message):
        CustomDriver(Faulty, tracker()).update(simulator().odometry())


def test_a_step_that_raises_or_gives_nonsense_is_an_error():
    class Raising(Stepped):
        @staticmethod
        def step(state, gains, car, reference, dt):
            raise ValueError('too far away')

    class Nonsense(Stepped):
        @staticmethod
        def step(state, gains, car, reference, dt):
            return state, math.inf, 0.0

    kind: Any
    for kind, message in ((Raising, 'ValueError: too far away'), (Nonsense, 'finite numbers')):
        with pytest.raises(RunError, match=message):
            CustomDriver(kind, tracker()).update(simulator().odometry())


def test_preview_that_is_none_is_refused():
    class Faulty(Commanding):
        preview = -1.0

    with pytest.raises(ConfigurationError, match=r'preview of the controller is -1\.0'):
        CustomDriver(Faulty, tracker())
