# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""Joystick: events of the kernel, maps, and what a person at it commands."""

import math
import struct

from hypothesis import given
from hypothesis import strategies as st
import pytest

from racecar.base.errors import ConfigurationError, MessageError
from racecar.base.share import find_config
from racecar.control.teleop.joy_driver import JoyDriver
from racecar.control.teleop.joystick_events import JoystickState
from racecar.control.teleop.joystick_map import load_joystick_map

ORIGINAL = find_config('joystick/mit_racecar')
LEFT_BUMPER, RIGHT_BUMPER = 4, 5


def event(kind, number, value, at=0):
    """Return struct js_event of <linux/joystick.h>."""
    return struct.pack('=IhBB', at, value, kind, number)


def test_events_set_axes_and_buttons_with_the_signs_of_ros():
    state = JoystickState(0.0)
    assert state.feed(event(0x82, 1, 0) + event(0x81, 2, 0)) == 2
    assert (state.axes, state.buttons) == ([0.0, 0.0], [0, 0, 0])
    # Forward is negative in the kernel, positive in ROS.
    state.feed(event(2, 1, -32767) + event(1, 2, 1))
    assert (state.axes, state.buttons) == ([0.0, 1.0], [0, 0, 1])
    assert state.feed(event(1, 2, 1)) == 0


@pytest.mark.parametrize('value', [-32768, -32767, -20000, -400, 0, 300, 12345, 32767])
def test_dead_zone_is_that_of_joy_node(value):
    deadzone = 0.1
    state = JoystickState(deadzone)
    state.feed(event(2, 0, value))
    # joy_node.cpp of ROS 1: behind the dead zone the axis begins at 0.
    unscaled, scale = 32767.0 * deadzone, -1.0 / (1.0 - deadzone) / 32767.0
    beyond = value - unscaled if value > unscaled else value + unscaled if value < -unscaled else 0
    assert state.axes[0] == pytest.approx(min(beyond * scale, 1.0), abs=1e-12)


@given(st.lists(st.binary(max_size=40)))
def test_any_bytes_give_finite_axes_and_pieces_do_not_matter(chunks):
    pieces, whole = JoystickState(0.05), JoystickState(0.05)
    for chunk in chunks:
        pieces.feed(chunk)
    whole.feed(b''.join(chunks))
    assert (pieces.axes, pieces.buttons) == (whole.axes, whole.buttons)
    assert all(abs(axis) <= 1.0 for axis in whole.axes)


@pytest.fixture
def driver():
    return JoyDriver(load_joystick_map(ORIGINAL))


def pressed(*numbers):
    return [int(number in numbers) for number in range(11)]


def test_the_left_bumper_drives_as_in_the_original(driver):
    # 2 m/s and 0.34 rad at full deflection: joy_teleop.yaml of the MIT RACECAR.
    assert driver.command([0, 1.0, 0, -0.5], pressed(LEFT_BUMPER), False) == (2.0, -0.17)
    assert driver.command([0, -1.0, 0, 1.0], pressed(LEFT_BUMPER, 0), False) == (-2.0, 0.34)


def test_an_idle_joystick_says_nothing_and_letting_go_stops_once(driver):
    sticks = [0.0, 1.0, 0.0, 1.0]
    assert driver.command(sticks, pressed(), False) is None
    driver.command(sticks, pressed(LEFT_BUMPER), False)
    assert driver.command(sticks, pressed(), False) == (0.0, 0.0)
    assert driver.command(sticks, pressed(), False) is None


def test_with_idle_stops_autonomy_drives_only_while_its_bumper_is_held(driver):
    assert driver.command([0] * 4, pressed(), True) == (0.0, 0.0)
    assert driver.command([0] * 4, pressed(RIGHT_BUMPER), True) is None
    assert driver.command([0] * 4, pressed(), True) == (0.0, 0.0)


def test_who_drives_goes_before_who_leaves_it(driver):
    both = pressed(LEFT_BUMPER, RIGHT_BUMPER)
    assert driver.command([0, 1.0, 0, 0], both, False) == (2.0, 0.0)


@pytest.mark.parametrize(('axes', 'found'), [
    ([0.0, 1.0], 'axis 3 of .* is not there'), ([0, math.nan, 0, 0], 'axis 1 of .* is nan'),
    ([], 'has 0 axes')])
def test_a_joystick_that_lacks_an_axis_is_refused(driver, axes, found):
    with pytest.raises(MessageError, match=found):
        driver.command(axes, pressed(LEFT_BUMPER), False)


def test_axes_beyond_1_command_no_more_than_full_deflection(driver):
    assert driver.command([0, 9.0, 0, -9.0], pressed(LEFT_BUMPER), False) == (2.0, -0.34)


def test_the_file_of_the_original_can_be_used_as_it_is(tmp_path):
    # Its commands, with the keys that have no meaning here.
    path = tmp_path / 'joy_teleop.yaml'
    path.write_text("""
joy_node: {deadzone: 0.01, autorepeat_rate: 20, coalesce_interval: 0.01}
teleop:
  default:
    type: topic
    is_default: true
    message_type: ackermann_msgs/AckermannDriveStamped
    topic_name: low_level/ackermann_cmd_mux/input/teleop
    message_value: [{target: drive.speed, value: 0.0}, {target: drive.steering_angle, value: 0.0}]
  human_control:
    type: topic
    message_type: ackermann_msgs/AckermannDriveStamped
    topic_name: low_level/ackermann_cmd_mux/input/teleop
    deadman_buttons: [4]
    axis_mappings:
      - {axis: 1, target: drive.speed, scale: 2.0, offset: 0.0}
      - {axis: 3, target: drive.steering_angle, scale: 0.34, offset: 0.0}
  autonomous_control:
    type: topic
    message_type: std_msgs/Int8
    topic_name: /dev/null
    deadman_buttons: [5]
    message_value: [{target: data, value: 0}]
""")
    assert load_joystick_map(path) == load_joystick_map(ORIGINAL)


HUMAN = 'human: {deadman_buttons: [4], axis_mappings: [{axis: 1, target: drive.speed, scale: 1}]}'


@pytest.mark.parametrize(('text', 'message'), [
    ('{}', "has no mapping 'teleop' of commands"),
    ('teleop: [1]', "has no mapping 'teleop' of commands"),
    ('teleop: {human: 3}', "'human' is 3, expected deadman_buttons"),
    ('teleop: {human: {deadman_button: [4]}}', "key 'deadman_button' is unknown; did you mean"),
    ('teleop: {human: {deadman_buttons: 4}}', 'deadman_buttons is 4, expected a list of numbers'),
    ('teleop: {human: {deadman_buttons: [-1]}}', r'deadman_buttons is \[-1\], expected'),
    ('teleop: {human: {deadman_buttons: [4]}}', "'human' commands nothing"),
    ('teleop: {human: {deadman_buttons: [4], axis_mappings: [{axis: 1}]}}',
     'axis_mappings, number 1 is .* expected axis, target, scale'),
    (f"teleop: {{{HUMAN.replace('axis: 1', 'axis: x')}}}", "axis is 'x', expected the number"),
    (f"teleop: {{{HUMAN.replace('scale: 1', 'scale: .nan')}}}", 'scale is nan, expected a number'),
    (f"teleop: {{{HUMAN.replace('drive.speed', 'drive.jerk')}}}",
     "target is 'drive.jerk', expected drive.speed or drive.steering_angle"),
    (f"teleop: {{{HUMAN}, {HUMAN.replace('human', 'other')}}}", 'stand twice'),
    ('teleop: {auto: {deadman_buttons: [5], message_type: std_msgs/Int8}}',
     'has no command that drives')])
def test_a_faulty_map_is_refused_by_a_line_that_says_what_is_wrong(tmp_path, text, message):
    path = tmp_path / 'map.yaml'
    path.write_text(text)
    with pytest.raises(ConfigurationError, match=message) as caught:
        load_joystick_map(path)
    assert '\n' not in str(caught.value)
    assert str(path) in str(caught.value)
