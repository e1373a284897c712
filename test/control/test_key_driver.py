# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""What held keys command, by the times at which a keyboard repeats."""

import itertools
from typing import Any

from hypothesis import given
from hypothesis import strategies as st
import pytest

from racecar.base.errors import ParameterError
from racecar.control.command_mux import CommandMux, Source
from racecar.control.teleop.key_driver import KEY_PARAMETERS, KeyDriver
from racecar.control.teleop.key_events import KeyAction, KeyEvent

VALUES: dict[str, Any] = KEY_PARAMETERS.resolve({})
PERIOD = 1.0 / 30.0


def press(driver, key, at=0.0, action=KeyAction.PRESS):
    driver.handle(KeyEvent(key, action), at)


@pytest.fixture
def driver():
    return KeyDriver(VALUES)


# keyboard_teleop.py of racecar_gazebo: key, speed [m/s], steering angle [rad].
ORIGINAL = [('w', 0.5, 0.0), ('s', -0.5, 0.0), ('a', 0.5, 0.25), ('d', 0.5, -0.25),
            ('k', 0.0, 0.0)]


@pytest.mark.parametrize(('key', 'speed', 'angle'), [
    *ORIGINAL, ('up', 0.5, 0.0), ('down', -0.5, 0.0), ('left', 0.5, 0.25), ('right', 0.5, -0.25),
    ('z', -0.5, 0.25), ('y', -0.5, 0.25), ('c', -0.5, -0.25), ('space', 0.0, 0.0)])
def test_keys_of_the_original_and_new_ones(driver, key, speed, angle):
    press(driver, key)
    assert driver.command(0.0) == (speed, angle)


def test_without_a_key_it_says_nothing(driver):
    assert driver.command(0.0) is None


def held(driver, key, duration, delay, period):
    """Hold a key as a keyboard repeats it; return times and commands, to a second beyond."""
    times = [0.0, *itertools.takewhile(
        lambda t: t < duration, (delay + n * period for n in itertools.count()))]
    commands = []
    for tick in range(round((duration + 1.0) / PERIOD)):
        now = tick * PERIOD
        while times and times[0] <= now:
            press(driver, key, times.pop(0))
        commands.append((now, driver.command(now)))
    return commands


# X.org, GNOME, KDE, Windows, macOS: time before a key repeats and period of it [s].
@pytest.mark.parametrize(('delay', 'period'), [
    (0.66, 0.04), (0.5, 0.033), (0.6, 0.04), (0.25, 0.033), (0.375, 0.09)])
def test_a_held_key_drives_without_a_gap_in_which_the_mux_would_drop_it(driver, delay, period):
    commands = held(driver, 'w', 2.0, delay, period)
    driven = [at for at, command in commands if command and command.speed]
    assert driven[0] <= PERIOD
    assert max(b - a for a, b in itertools.pairwise(driven)) < 0.2
    # Released at 2 s.
    assert 1.9 < driven[-1] < 2.0 + VALUES['repeat_time'] + PERIOD
    assert all(command == (0.5, 0.0) for at, command in commands if at <= driven[-1])


def test_letting_go_stops_once_and_then_leaves_the_car_to_others(driver):
    said = [command for _, command in held(driver, 'w', 1.0, 0.5, 0.03)]
    end = said.index((0.0, 0.0))
    assert all(command == (0.5, 0.0) for command in said[:end])
    assert len(said) > end + 10
    assert all(command is None for command in said[end + 1:])


def test_behind_the_mux_autonomy_drives_again_0_2_s_after_the_key(driver):
    mux = CommandMux((Source('teleop', ('t',), 0.2, 10), Source('navigation', ('n',), 0.2, 0)))
    holders = []
    for at, command in held(driver, 'w', 1.0, 0.5, 0.03):
        now = round(at * 1e9)
        mux.expire(now)
        mux.receive('navigation', now)
        if command is not None:
            mux.receive('teleop', now)
        holders.append((at, mux.active))
    assert {who for at, who in holders if at < 1.0} == {'teleop'}
    assert {who for at, who in holders if at > 1.0 + 0.25 + 0.2 + 2 * PERIOD} == {'navigation'}


def test_the_newest_key_counts_where_releases_are_not_told(driver):
    press(driver, 'w', 0.0)
    press(driver, 'd', 0.1)
    assert driver.command(0.1) == (0.5, -0.25)


def test_keys_are_combined_where_releases_are_told(driver):
    press(driver, '', 0.0, KeyAction.SPEAKS_PROTOCOL)
    press(driver, 'down', 0.0)
    press(driver, 'left', 0.1)
    assert driver.command(0.1) == (-0.5, 0.25)
    press(driver, 'left', 0.2, KeyAction.RELEASE)
    assert driver.command(0.2) == (-0.5, 0.0)
    assert driver.command(1.5) == (-0.5, 0.0)
    press(driver, 'down', 1.6, KeyAction.RELEASE)
    assert driver.command(1.6) == (0.0, 0.0)
    assert driver.command(1.7) is None


def test_opposite_keys_cancel_each_other(driver):
    press(driver, '', 0.0, KeyAction.SPEAKS_PROTOCOL)
    for key in ('w', 's', 'a', 'd'):
        press(driver, key)
    assert driver.command(0.0) == (0.0, 0.0)


def test_another_window_or_a_terminal_that_went_away_stops_the_car(driver):
    press(driver, '', 0.0, KeyAction.SPEAKS_PROTOCOL)
    press(driver, 'w', 0.0)
    press(driver, '', 0.1, KeyAction.FOCUS_LOST)
    assert driver.command(0.1) is None
    press(driver, 'w', 1.0)
    assert driver.command(3.9) == (0.5, 0.0)
    assert driver.command(4.1) == (0.0, 0.0)


def test_space_holds_the_car_until_x_or_a_driving_key(driver):
    press(driver, 'space', 0.0)
    assert [driver.command(at) for at in (0.0, 5.0, 60.0)] == [(0.0, 0.0)] * 3
    press(driver, 'k', 60.0)
    assert driver.command(61.0) == (0.0, 0.0)
    press(driver, 'x', 61.0)
    assert driver.command(61.0) == (0.0, 0.0)
    assert driver.command(61.1) is None
    press(driver, 'space', 62.0)
    press(driver, 'w', 62.0)
    assert driver.command(62.0) == (0.5, 0.0)
    assert not driver.is_stopping


@pytest.mark.parametrize('key', ['h', '?', 'v', 'escape'])
def test_help_and_view_do_not_stop_the_car(driver, key):
    press(driver, 'w', 0.0)
    press(driver, key, 0.1)
    assert driver.command(0.1) == (0.5, 0.0)


def test_steps_go_up_to_the_largest_and_never_to_0(driver):
    for _ in range(100):
        press(driver, 'r')
        press(driver, 't')
    assert (driver.speed, driver.steering_angle) == (3.0, 0.4)
    for _ in range(100):
        press(driver, 'f')
        press(driver, 'g')
    assert (driver.speed, driver.steering_angle) == (0.25, 0.05)


def test_more_than_keys_may_set_is_refused():
    with pytest.raises(ParameterError, match=r"'speed' is 4 m/s, expected at most speed_max \(3"):
        KeyDriver({**VALUES, 'speed': 4.0})


KEYS = st.sampled_from([*'wasdzcrftgxkhv', 'space', 'up', 'down', ''])


@given(st.lists(st.tuples(KEYS, st.sampled_from(KeyAction), st.floats(0.0, 1.0))))
def test_whatever_is_pressed_it_stays_within_its_limits_and_ends(events):
    driver, now = KeyDriver(VALUES), 0.0
    for key, action, pause in events:
        now += pause
        press(driver, key, now, action)
        command = driver.command(now)
        assert command is None or (
            abs(command.speed) <= VALUES['speed_max']
            and abs(command.steering_angle) <= VALUES['steering_max'])
    press(driver, 'x', now)
    driver.command(now + 5.0)
    assert driver.command(now + 5.0) is None
