# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""The commands topic, node, param and service, on a simulator in another process."""

import contextlib
import os
import re
import subprocess
import sys

from node_bench import DEADLINE
from node_processes import NodeProcess, VEHICLE
from presence import present
import pytest
from rcl_interfaces.msg import ParameterType

from racecar.base.errors import ParameterError
from racecar.cli.inspecting import warn_if_nobody
from racecar.cli.main import main
from racecar.clients.inspection import inspector as inspection
from racecar.clients.inspection.parameters import checked_value
from racecar.clients.inspection.topics import RateMeter

pytestmark = pytest.mark.ros

ODOMETRY = '/vesc/odom'
SIMULATOR = '/single_track_simulator'


@pytest.fixture(scope='module')
def found():
    """Start a simulator, and find it once: that may take seconds."""
    with NodeProcess('single_track_simulator', *VEHICLE), inspection.Inspector() as inspector:
        assert inspector.spin(
            lambda: f'{SIMULATOR}/set_parameters' in inspector.graph.services()
            and inspector.graph.is_published(ODOMETRY), DEADLINE)
        yield inspector


@pytest.fixture
def run(found, capsys, monkeypatch):
    """Run a command; return its exit code, lines on stdout and text on stderr."""
    monkeypatch.setattr(inspection, 'Inspector', lambda _: contextlib.nullcontext(found))
    monkeypatch.setattr(found, 'settle', lambda *_: None)
    monkeypatch.setattr(inspection, '_PATIENCE', 0.2)

    def run(*words):
        capsys.readouterr()
        code = main([*words])
        out, err = capsys.readouterr()
        return code, out.splitlines(), err

    return run


def test_topics_are_listed_with_their_types(run):
    code, lines, _ = run('topic', 'list', '-t')
    assert code == 0
    assert f'{ODOMETRY} [nav_msgs/msg/Odometry]' in lines
    assert '/clock [rosgraph_msgs/msg/Clock]' in lines
    names = [line.split()[0] for line in lines]
    assert names == sorted(names)


def test_a_message_is_printed_as_yaml(run):
    _, lines, _ = run('topic', 'echo', '--once', ODOMETRY)
    assert lines[0] == 'header:'
    assert lines[4] == '  frame_id: odom'
    assert lines[-1] == '---'
    # Without the slash, and only a part.
    _, lines, _ = run('topic', 'echo', '--once', 'vesc/odom', '--field', 'pose.pose.position')
    assert lines == ['x: 0.0', 'y: 0.0', 'z: 0.0', '---']
    _, lines, _ = run('topic', 'echo', '--once', ODOMETRY, '--csv', '--field', 'twist.twist')
    assert lines == ['0.0,0.0,0.0,0.0,0.0,0.0']


def test_a_latched_message_is_heard_by_who_comes_late(run):
    _, lines, _ = run('topic', 'echo', '--once', '/robot_description', '-l', '5')
    assert lines[0].startswith("data: '<?xml") or lines[0].startswith('data: <?xml')


def test_the_rate_is_measured(run):
    _, lines, _ = run('topic', 'hz', ODOMETRY, '--times', '1')
    rate = float(present(re.fullmatch(r'average rate: ([\d.]+)', lines[0]))[1])
    # A real-time rate of 100 Hz, which a busy computer does not always reach.
    assert 20.0 < rate < 110.0
    assert re.fullmatch(
        r'\tmin: [\d.]+s max: [\d.]+s std dev: [\d.]+s window: \d+', lines[1])


def test_rate_and_spread_are_those_of_the_window():
    meter = RateMeter(3)
    assert meter.summary == ''
    for at in (0.0, 5.0, 5.1, 5.3):
        meter.add(at)
    # Mean 0.15 s, deviation 0.05 s.
    assert meter.summary == (
        'average rate: 6.667\n\tmin: 0.100s max: 0.200s std dev: 0.05000s window: 3')


def test_publishers_and_subscriptions_of_a_topic_are_told(run):
    _, lines, _ = run('topic', 'info', '/clock')
    assert lines == [
        'Type: rosgraph_msgs/msg/Clock', 'Publisher count: 1', 'Subscription count: 0']
    _, lines, _ = run('topic', 'info', '-v', '/vesc/low_level/ackermann_cmd_mux/output')
    assert lines[2] == 'Publisher count: 0'
    assert 'Node name: single_track_simulator' in lines
    assert '  Reliability: RELIABLE' in lines


def test_nodes_are_listed_and_one_told_of(run):
    assert run('node', 'list')[:2] == (0, [SIMULATOR])
    _, lines, _ = run('node', 'info', 'single_track_simulator')
    assert lines[0] == SIMULATOR
    assert f'    {ODOMETRY}: nav_msgs/msg/Odometry' in lines[lines.index('  Publishers:'):]
    assert f'    {SIMULATOR}/pause: std_srvs/srv/SetBool' in lines


def test_parameters_are_listed_got_set_and_described(run):
    name = 'real_time_factor'
    _, lines, _ = run('param', 'list', SIMULATOR, '--filter', 'real', '--param-type')
    assert lines == [f'  {name} (type: double)']
    # An integer is meant as a number.
    assert run('param', 'set', SIMULATOR, name, '2')[:2] == (0, ['Set parameter successful'])
    assert run('param', 'get', SIMULATOR, name)[1] == ['Double value is: 2.0']
    assert run('param', 'set', SIMULATOR, name, '1.0')[0] == 0
    assert run('param', 'get', SIMULATOR, name, '--hide-type')[1] == ['1.0']
    _, lines, _ = run('param', 'describe', SIMULATOR, name)
    assert lines[:2] == [f'Parameter name: {name}', '  Type: double']
    assert '    Max value: 1000000.0' in lines


def test_a_boolean_may_be_set_as_0_or_1():
    kind = ParameterType.PARAMETER_BOOL
    assert (checked_value('FFWD', 0, kind), checked_value('FFWD', 1, kind)) == (False, True)
    with pytest.raises(ParameterError, match='boolean'):
        checked_value('FFWD', 2, kind)


def test_a_dump_is_a_parameter_file(run, tmp_path):
    from racecar.base.parameter_file import load_parameter_file
    _, lines, _ = run('param', 'dump', SIMULATOR)
    path = tmp_path / 'dump.yaml'
    path.write_text('\n'.join(lines))
    values = load_parameter_file(path, 'single_track_simulator')
    assert values['vehicle.name'] == 'racecar'
    assert values['real_time_factor'] == 1.0


def test_services_are_listed_and_called(run):
    code, lines, _ = run('service', 'list', '-t')
    assert f'{SIMULATOR}/pause [std_srvs/srv/SetBool]' in lines
    assert run('service', 'type', f'{SIMULATOR}/pause')[1] == ['std_srvs/srv/SetBool']
    for data in ('true', 'false'):
        code, lines, _ = run(
            'service', 'call', f'{SIMULATOR}/pause', 'std_srvs/srv/SetBool', f'{{data: {data}}}')
        assert code == 0
        assert lines[0] == ('requester: making request: std_srvs.srv.SetBool_Request('
                            f'data={data.capitalize()})')
        assert lines[2] == 'response:'
        assert lines[3].startswith('std_srvs.srv.SetBool_Response(success=True')


def test_a_message_reaches_a_latched_subscription_that_was_not_discovered_before(
        run, found, monkeypatch):
    monkeypatch.setattr(found.graph, 'subscriptions', lambda _: [])
    code, lines, _ = run('topic', 'pub', '--once', '/driver/lamps',
                         'racecar_interfaces/msg/LampSwitches', '{brake: true}')
    assert code == 0
    assert any(line.startswith('publishing #1: ') for line in lines)


def test_a_message_is_published(run):
    code, lines, _ = run(
        'topic', 'pub', '--once', '/initialpose', 'geometry_msgs/msg/PoseWithCovarianceStamped',
        '{header: {frame_id: map}, pose: {pose: {position: {x: 2.5}, orientation: {w: 1.0}}}}')
    assert code == 0
    assert any(line.startswith('publishing #1: geometry_msgs.msg.Pose') for line in lines)
    # An odometry may be on its way that is older than the pose.
    while run('topic', 'echo', '--once', ODOMETRY, '--field', 'pose.pose.position.x')[1] != [
            '2.5', '---']:
        pass


@pytest.mark.parametrize(('words', 'message'), [
    (('topic', 'pub', '--once', '/vesc/wheel_command', 'std_msgs/msg/String', '{data: a}'),
     'subscriptions of /vesc/wheel_command have the type racecar_interfaces/msg/WheelCommand, not'
     ' std_msgs/msg/String'),
    (('topic', 'echo', '/vesc/odo'),
     "topic '/vesc/odo' is not there (ROS_DOMAIN_ID "),
    (('topic', 'echo', ODOMETRY, '--field', 'poze', '--once'), 'did you mean pose'),
    (('param', 'get', SIMULATOR, 'real_time'), 'did you mean real_time_factor'),
    (('param', 'get', '/simulator', 'x'), "node '/simulator' is not there"),
    (('param', 'set', SIMULATOR, 'real_time_factor', 'fast'), 'is of type double, not '),
    (('param', 'set', SIMULATOR, 'real_time_factor', '-1'), 'Setting parameter failed: parameter'),
    (('param', 'set', SIMULATOR, 'lockstep', 'true'), 'read-only'),
    (('service', 'call', f'{SIMULATOR}/pause', 'std_srvs/srv/Trigger'),
     'is of type std_srvs/srv/SetBool, not std_srvs/srv/Trigger'),
    (('service', 'call', f'{SIMULATOR}/pause', 'std_srvs/srv/SetBool', '{data: 3}'),
     'expected true or false')])
def test_what_cannot_be_done_is_said_in_one_line(run, words, message):
    code, _, error = run(*words)
    assert code == 1
    assert message in error
    assert error.count('\n') == 1


def test_a_command_finds_by_itself_who_is_there(found, capsys):
    # A process of its own, as the context of this one is taken.
    done = subprocess.run(
        [sys.executable, '-m', 'racecar.cli.main', 'node', 'list'], capture_output=True,
        text=True, timeout=DEADLINE, env={**os.environ, 'PYTHONPATH': os.pathsep.join(sys.path)})
    assert done.stdout.splitlines() == [SIMULATOR]


def test_where_nobody_is_it_says_so(capsys, monkeypatch):
    monkeypatch.setenv('ROS_DOMAIN_ID', '7')
    warn_if_nobody([], 'nodes')
    assert capsys.readouterr().err.startswith(
        'no nodes found in ROS domain 7; does a stack run there?')
