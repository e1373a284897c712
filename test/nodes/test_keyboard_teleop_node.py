# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""keyboard_teleop at a terminal: what keys do to the car, and how the node ends."""

from contextlib import ExitStack
import os
import signal
from typing import Any

from ackermann_msgs.msg import AckermannDriveStamped
from node_bench import Bench, command
from pseudo_terminal import PseudoTerminal, stopped
import pytest

from racecar.nodes.ackermann_mux import AckermannMuxNode
from racecar.nodes.keyboard_teleop import KeyboardTeleopNode

pytestmark = pytest.mark.ros

TELEOP = '/vesc/ackermann_cmd_mux/input/teleop'
OUTPUT = '/ackermann_cmd_mux/output'


@pytest.fixture
def terminal():
    with PseudoTerminal() as found:
        yield found


@pytest.fixture
def commands(bench):
    return bench.listen(TELEOP, AckermannDriveStamped)


def start(bench, terminal, **parameters):
    node = bench.start(
        KeyboardTeleopNode, use_sim_time=False, terminal=terminal.path, **parameters)
    bench.until(lambda: not terminal.is_restored, 'the terminal taken')
    return node


def drives(commands):
    return [(message.drive.speed, message.drive.steering_angle) for message in commands]


def test_a_key_drives_until_its_time_is_up_and_then_one_stop_is_sent(bench, terminal, commands):
    start(bench, terminal, press_time=0.3)
    terminal.type('w')
    bench.until(lambda: (0.0, 0.0) in drives(commands), 'a stop')
    *driven, last = drives(commands)
    assert len(driven) >= 5
    assert set(driven) == {(0.5, 0.0)}
    assert last == (0.0, 0.0)
    stamps = [message.header.stamp.sec for message in commands]
    assert all(stamps)
    assert commands[0].header.frame_id == 'base_link'
    # Silent from now on: the next is that of the next key.
    count = len(commands)
    terminal.type('s')
    bench.until(lambda: len(commands) > count, 'the next key')
    assert drives(commands)[count] == (-0.5, 0.0)


def test_a_held_key_holds_the_mux_and_an_idle_keyboard_leaves_it_to_autonomy(
        bench, terminal):
    outputs = bench.listen(OUTPUT, AckermannDriveStamped)
    bench.start(
        AckermannMuxNode, use_sim_time=False, config_file='mux/low_level',
        remap={'/ackermann_cmd_mux/teleop': TELEOP})
    start(bench, terminal, press_time=0.3)

    def navigate(speed, wanted):
        """Let autonomy ask for a speed until another one comes out."""
        def try_it():
            bench.send('/ackermann_cmd_mux/input/navigation', command(0.0, speed))
            return outputs and outputs[-1].drive.speed == wanted
        bench.until(try_it, f'{wanted} m/s')

    navigate(1.5, 1.5)
    terminal.type('d')
    navigate(1.5, 0.5)
    count = len(outputs)
    bench.send('/ackermann_cmd_mux/input/navigation', command(0.0, 1.75))
    navigate(1.75, 1.75)
    while_held = [message.drive.speed for message in outputs[count:]]
    # First the key, then its stop, then autonomy with what it asked for: no turn of the two.
    assert sorted(while_held, key=[0.5, 0.0, 1.5, 1.75].index) == while_held


def test_steps_are_parameters_and_parameters_set_the_speed(bench, terminal, commands):
    node = start(bench, terminal, press_time=0.2)
    terminal.type('rt')
    bench.until(lambda: node.get_parameter('speed').value == 0.75, 'the step')
    assert node.get_parameter('steering_angle').value == pytest.approx(0.3)
    assert bench.set_parameter(node, 'speed', 1.25).successful
    terminal.type('a')
    bench.until(lambda: commands)
    assert commands[0].drive.speed == 1.25
    refused = bench.set_parameter(node, 'speed', 9.0)
    assert refused.reason == "parameter 'speed' is 9 m/s, expected at most speed_max (3 m/s)"


def test_help_and_state_are_shown_in_the_terminal(bench, terminal):
    start(bench, terminal)

    def has_seen(text):
        terminal.read()
        return text in terminal.seen.decode()

    bench.until(lambda: has_seen('Ctrl-C      end; Ctrl-Z suspends'))
    bench.until(lambda: has_seen(f'| nobody listens to {TELEOP} |'))
    bench.listen(TELEOP, AckermannDriveStamped)
    bench.until(lambda: has_seen('keys: 0.50 m/s, 14 deg | no key held | h: help'))
    terminal.type('a')
    bench.until(lambda: has_seen('| +0.50 m/s +14 deg |'))
    terminal.type(' ')
    bench.until(lambda: has_seen('| STOPPED, x hands back |'))
    seen = terminal.seen.count(b'w  s')
    terminal.type('h')
    bench.until(lambda: has_seen('w  s') and terminal.seen.count(b'w  s') > seen)


def test_the_end_under_a_held_key_stops_the_car_and_gives_the_terminal_back(
        bench, terminal, commands):
    node = start(bench, terminal)
    terminal.type('w')
    bench.until(lambda: len(commands) > 1)
    node.close()
    bench.until(lambda: (0.0, 0.0) in drives(commands), 'the stop')
    terminal.read()
    assert terminal.is_restored


def test_without_a_terminal_the_node_waits_and_says_why(bench):
    node = bench.start(KeyboardTeleopNode, use_sim_time=False, terminal=os.devnull)
    assert bench.until(node.waits_for) == (
        "waiting for a terminal: '/dev/null' is no terminal: start it in a terminal of its own")


# test/terminal has the others.
ENDS = {'Ctrl-C': b'\x03', signal.SIGTERM: None, signal.SIGQUIT: None}


@pytest.fixture(scope='module')
def ended():
    """Start a node for each way to end, side by side, suspend it, go on, and end it."""
    with ExitStack() as stack, Bench() as bench:
        commands = bench.listen(TELEOP, AckermannDriveStamped)
        nodes: list[Any] = []
        for end in ENDS:
            terminal = stack.enter_context(PseudoTerminal())
            nodes.append((end, terminal, terminal.start(
                '-m', 'racecar.nodes', 'keyboard_teleop', '--ros-args', '-r',
                f'__node:=teleop_{len(nodes)}')))
        for _, terminal, process in nodes:
            # Not before the node has found the bench.
            terminal.until_seen('no key held')
            process.send_signal(signal.SIGTSTP)
            place = terminal.until_seen('\x1b[<u')
            if stopped(process):
                assert terminal.is_restored
                process.send_signal(signal.SIGCONT)
            terminal.until_seen('\x1b[>11u', place)
        found = {}
        for end, terminal, process in nodes:
            del commands[:]
            terminal.type('w')
            bench.until(lambda: commands, 'a command')
            terminal.type(ENDS[end]) if ENDS[end] else process.send_signal(end)
            if end != signal.SIGQUIT:
                bench.until(lambda: (0.0, 0.0) in drives(commands), 'the stop')
            found[end] = terminal, terminal.wait(process)
        yield found


@pytest.mark.parametrize('end', ENDS, ids=str)
def test_however_the_node_ends_the_terminal_is_as_it_was(ended, end):
    terminal, code = ended[end]
    assert code == (-end if end == signal.SIGQUIT else 0)
    assert terminal.is_restored
    assert terminal.seen.count(b'\x1b[>11u') == terminal.seen.count(b'\x1b[<u')
    assert b'Traceback' not in terminal.seen
