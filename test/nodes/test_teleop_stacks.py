# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""Who drives by hand in a stack, what a bag holds of it, and a whole drive at a terminal."""

import re
import signal

from pseudo_terminal import PseudoTerminal
import pytest

from racecar.bags.reader import BagReader
from racecar.base.errors import ConfigurationError
from racecar.stacks import describe_stack, StackOptions
from racecar.stacks.parts import WORLD_JOINT_STATES

pytestmark = pytest.mark.ros

TELEOP = 'vesc/ackermann_cmd_mux/input/teleop'
ACTIVE = 'vesc/low_level/ackermann_cmd_mux/active'


def describe(name, **options):
    return {d.full_name: d for d in describe_stack(name, StackOptions(**options))}


@pytest.mark.parametrize(('stack', 'teleop', 'nodes'), [
    ('teleop', None, {'keyboard_teleop'}), ('teleop', 'joy', {'joy_teleop', 'joy_node'}),
    ('teleop_world', None, {'keyboard_teleop'}), ('teleop', 'none', set()),
    ('kinematic_ode', None, set()), ('kinematic_ode', 'keyboard', {'keyboard_teleop'}),
    ('gap_ode', 'joy', {'joy_teleop', 'joy_node'})])
def test_who_drives_by_hand_can_be_chosen_in_every_stack(stack, teleop, nodes):
    found = describe(stack, teleop=teleop)
    assert {name for name in found if 'teleop' in name or 'joy' in name} == nodes


def test_a_bag_holds_what_the_person_did_and_who_held_the_mux(tmp_path):
    bag = str(tmp_path / 'bag')
    for stack, teleop, more in (
            ('teleop', 'keyboard', {TELEOP, ACTIVE}), ('teleop', 'joy', {'joy', TELEOP, ACTIVE}),
            ('kinematic_ode', 'keyboard', {TELEOP, ACTIVE})):
        topics = describe(stack, teleop=teleop, record=bag)['bag_recorder'].resolve()['topics']
        assert more <= {*topics}
        assert topics[-1] == 'vesc/odom'
        assert len(topics) == len({*topics})
    usual = describe('kinematic_ode', record=bag)['bag_recorder'].resolve()['topics']
    assert TELEOP not in usual


def test_names_of_f1tenth_hold_for_the_person_too():
    node = describe('teleop', topic_names='f1tenth')['keyboard_teleop']
    assert dict(node.remappings)[TELEOP] == 'teleop'


@pytest.mark.parametrize(('options', 'message'), [
    ({'lockstep': True}, 'teleop is keyboard, but in lockstep the simulator waits for an answer'),
    ({'teleop': 'mouse'}, "teleop 'mouse' is unknown, expected one of none, keyboard, joy"),
    ({'trajectory': 'circle'}, "trajectory is 'circle', but in the configuration teleop a person"),
    ({'controller': 'a:B'}, "controller is 'a:B', but in the configuration teleop a person")])
def test_what_does_not_go_together_with_a_person_is_refused(options, message):
    with pytest.raises(ConfigurationError, match=message):
        describe('teleop', **options)


def test_the_stack_of_the_world_has_its_joint_states():
    simulator = describe('teleop_world')['world_simulator']
    assert WORLD_JOINT_STATES in simulator.remappings


def test_a_person_drives_round_the_track_and_it_is_recorded(tmp_path):
    with PseudoTerminal() as terminal:
        process = terminal.start(
            '-m', 'racecar.cli.main', 'demo', 'drive', '--output', str(tmp_path / 'run'))
        terminal.until_seen('no key held')
        terminal.type('rw')
        terminal.until_seen('in control: Teleoperation')
        terminal.until_seen('+0.75 m/s  [')
        assert not terminal.is_restored
        terminal.type(b'\x03')
        assert terminal.wait(process) == 0
        assert terminal.is_restored
        text = terminal.seen.decode()
        assert text.count('\x1b[?1049h') == text.count('\x1b[?1049l') == 1
        after = text.rpartition('\x1b[?1049l')[2]
        assert re.search(r'[\d.]+ m in [\d.]+ s, no collisions, at most 0\.7', after)
        assert f'Bag: {tmp_path}/run/bag' in after
        assert 'Traceback' not in text
    with BagReader(tmp_path / 'run' / 'bag') as bag:
        counts = {row.name.lstrip('/'): row.message_count for row in bag.summary.topics}
    assert counts[TELEOP] >= 1
    assert counts[ACTIVE] >= 1
    assert counts['vesc/odom'] >= 1


def test_a_drive_without_a_terminal_or_a_person_is_refused(tmp_path, capsys, monkeypatch):
    from racecar.cli.main import main
    monkeypatch.setenv('ROS_DOMAIN_ID', '1')
    for words, message in (
            ((), 'the standard input is no terminal, so there are no keys to drive with'),
            (('--teleop', 'none'), '--teleop none leaves nobody to drive')):
        assert main(['demo', 'drive', '--output', str(tmp_path / 'run'), *words]) == 1
        assert message in capsys.readouterr().err
    assert not (tmp_path / 'run').exists()
    assert signal.getsignal(signal.SIGTSTP) is signal.SIG_DFL
