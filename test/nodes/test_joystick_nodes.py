# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""joy_node reads a device, joy_teleop drives by its messages; a named pipe stands for a device."""

import math
import os
import struct

from ackermann_msgs.msg import AckermannDriveStamped
from node_bench import command
import pytest
from sensor_msgs.msg import Joy

from racecar.nodes.ackermann_mux import AckermannMuxNode
from racecar.nodes.joy_node import JoyNode
from racecar.nodes.joy_teleop import JoyTeleopNode

pytestmark = pytest.mark.ros

TELEOP = '/vesc/ackermann_cmd_mux/input/teleop'
BUTTON, AXIS, INITIAL = 1, 2, 0x80
DEVICE = '/dev/input/js0'


def event(kind, number, value):
    return struct.pack('=IhBB', 0, value, kind, number)


def begin(axes=4, buttons=6):
    """Return what the kernel sends first: the state of every axis and button."""
    return b''.join([*(event(AXIS | INITIAL, number, 0) for number in range(axes)),
                     *(event(BUTTON | INITIAL, number, 0) for number in range(buttons))])


class Pipe:
    """A joystick for the node: its device and what it does."""

    def __init__(self, path):
        self.path = str(path)
        os.mkfifo(self.path)
        self._file = -1

    def plug_in(self):
        # Both ways, so that nobody waits for the other end.
        self._file = os.open(self.path, os.O_RDWR | os.O_NONBLOCK)
        self.do(begin())

    def do(self, *events):
        os.write(self._file, b''.join(events))

    def unplug(self):
        if self._file >= 0:
            os.close(self._file)
            self._file = -1


@pytest.fixture
def joystick(tmp_path):
    pipe = Pipe(tmp_path / 'js0')
    yield pipe
    pipe.unplug()


def test_a_joystick_drives_from_its_device_to_the_mux(bench, joystick):
    joystick.plug_in()
    bench.start(JoyNode, use_sim_time=False, device=joystick.path)
    commands = bench.listen(TELEOP, AckermannDriveStamped)
    bench.start(JoyTeleopNode, use_sim_time=False)
    joystick.do(event(AXIS, 1, -32767), event(AXIS, 3, 16384), event(BUTTON, 4, 1))
    bench.until(lambda: len(commands) > 3, 'commands of a held stick')
    assert commands[-1].drive.speed == 2.0
    # Right is negative; half of 0.34 rad, less the dead zone of 0.01.
    half = (16384 / 32767 - 0.01) / 0.99
    assert commands[-1].drive.steering_angle == pytest.approx(-0.34 * half, abs=1e-6)
    joystick.do(event(BUTTON, 4, 0))
    bench.until(lambda: commands[-1].drive.speed == 0.0, 'the stop')


def test_joy_node_repeats_its_state_and_goes_on_when_it_is_plugged_in_again(bench, joystick):
    joystick.plug_in()
    heard = bench.listen('/joy', Joy)
    bench.start(JoyNode, use_sim_time=False, device=joystick.path, autorepeat_rate=50.0)
    bench.until(lambda: len(heard) > 5, 'repetitions')
    assert ([*heard[-1].axes], [*heard[-1].buttons]) == ([0.0] * 4, [0] * 6)
    assert heard[-1].header.frame_id == 'joy'
    joystick.unplug()
    bench.logged(f'joystick {joystick.path} is gone: it has been closed')
    joystick.plug_in()
    joystick.do(event(BUTTON, 5, 1))
    bench.until(lambda: heard[-1].buttons[5:] and heard[-1].buttons[5], 'the button')


def test_without_a_device_it_waits_and_says_for_which(bench, tmp_path):
    node = bench.start(JoyNode, use_sim_time=False, device=str(tmp_path / 'js7'))
    line = node.waits_for()
    assert 'waiting for a joystick' in line
    assert 'js7' in line
    assert 'No such file or directory; plug one in, or name its device' in line


@pytest.mark.skipif(not os.path.exists(DEVICE), reason=f'no joystick at {DEVICE}')
def test_a_real_joystick_tells_its_axes(bench):
    heard = bench.listen('/joy', Joy)
    bench.start(JoyNode, use_sim_time=False, device=DEVICE)
    bench.until(lambda: heard and heard[-1].axes and heard[-1].buttons, 'its state')


def joy(*buttons, axes=(0.0, 1.0, 0.0, 1.0)):
    return Joy(axes=[*axes], buttons=[int(number in buttons) for number in range(8)])


def test_idle_messages_never_keep_autonomy_from_the_car(bench):
    outputs = bench.listen('/ackermann_cmd_mux/output', AckermannDriveStamped)
    bench.start(AckermannMuxNode, use_sim_time=False, config_file='mux/low_level',
                remap={'/ackermann_cmd_mux/teleop': TELEOP})
    bench.start(JoyTeleopNode, use_sim_time=False)
    for count in range(1, 30):
        bench.send('/joy', joy())
        bench.send('/ackermann_cmd_mux/input/navigation', command(0.0, 1.5))
        bench.until(lambda count=count: len(outputs) >= count)
    assert {message.drive.speed for message in outputs} == {1.5}
    bench.send('/joy', joy(4))
    bench.until(lambda: outputs[-1].drive.speed == 2.0, 'the person')


def test_with_idle_stops_the_car_stands_until_a_button_is_held(bench):
    commands = bench.listen(TELEOP, AckermannDriveStamped)
    node = bench.start(JoyTeleopNode, use_sim_time=False, idle_stops=True)
    bench.send('/joy', joy())
    assert bench.count(commands, 1).drive.speed == 0.0
    bench.send('/joy', joy(5))
    bench.send('/joy', joy())
    bench.count(commands, 2)
    assert bench.set_parameter(node, 'idle_stops', False).successful
    bench.send('/joy', joy())
    bench.send('/joy', joy(4))
    assert bench.count(commands, 3).drive.speed == 2.0


def test_a_joystick_that_goes_away_under_a_held_button_stops_the_car(bench):
    commands = bench.listen(TELEOP, AckermannDriveStamped)
    bench.start(JoyTeleopNode, use_sim_time=False)
    bench.send('/joy', joy(4))
    bench.count(commands, 1)
    bench.logged('no messages on /joy for')
    assert bench.count(commands, 2).drive.speed == 0.0


class HandClock:
    """A clock that the test sets, and how often it was read."""

    def __init__(self):
        self.nanoseconds, self.reads = 0, 0

    def now(self):
        self.reads += 1
        return self


def test_the_car_is_not_stopped_before_the_joystick_was_silent_for_its_timeout(bench):
    commands = bench.listen(TELEOP, AckermannDriveStamped)
    node = bench.start(JoyTeleopNode, use_sim_time=False, joy_timeout=0.25)
    clock = node.steady_clock = HandClock()
    clock.nanoseconds = 5_000_000_000
    bench.send('/joy', joy(4))
    bench.count(commands, 1)
    clock.nanoseconds += 250_000_000
    reads = clock.reads
    bench.until(lambda: clock.reads > reads + 1, 'two looks at the clock')
    assert bench.count(commands, 1).drive.speed == 2.0
    clock.nanoseconds += 1
    assert bench.count(commands, 2).drive.speed == 0.0


@pytest.mark.parametrize(('message', 'reason'), [
    (joy(4, axes=(0.0, 1.0)), "axis 3 of 'human_control' is not there"),
    (joy(4, axes=(0.0, math.nan, 0.0, 0.0)), "axis 1 of 'human_control' is nan")])
def test_a_joystick_that_does_not_fit_its_map_is_refused_and_stops_the_car(
        bench, message, reason):
    commands = bench.listen(TELEOP, AckermannDriveStamped)
    bench.start(JoyTeleopNode, use_sim_time=False)
    bench.send('/joy', joy(4))
    bench.count(commands, 1)
    bench.send('/joy', message)
    assert bench.count(commands, 2).drive.speed == 0.0
    assert 'joystick not used' in bench.logged(reason)


def test_another_map_can_be_chosen_while_it_runs_and_a_faulty_one_is_refused(bench, tmp_path):
    commands = bench.listen(TELEOP, AckermannDriveStamped)
    node = bench.start(JoyTeleopNode, use_sim_time=False)
    path = tmp_path / 'map.yaml'
    path.write_text('teleop: {human: {deadman_buttons: [0], axis_mappings:'
                    ' [{axis: 0, target: drive.speed, scale: 1.0, offset: 0.25}]}}')
    assert bench.set_parameter(node, 'config_file', str(path)).successful
    bench.send('/joy', joy(0))
    assert bench.count(commands, 1).drive.speed == 0.25
    path.write_text('teleop: {}')
    result = bench.set_parameter(node, 'config_file', f'{tmp_path}/./map.yaml')
    assert not result.successful
    assert "has no mapping 'teleop' of commands" in result.reason
