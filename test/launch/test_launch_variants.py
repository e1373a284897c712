# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""`ros2 launch` with other arguments, as a user types it."""

from __future__ import annotations

import json
import os
from pathlib import Path
import subprocess
import sys

from bag_samples import messages_in
from domains import claim_domain
from launch_bench import LaunchProcess, Listener, missing, wait_until
import pytest

pytestmark = [
    pytest.mark.ros, pytest.mark.skipif(bool(missing()), reason=missing() or 'not skipped')]

ROOT = Path(__file__).resolve().parents[2]
TRACKER = 'trajectory_tracker'


@pytest.fixture(scope='module')
def domain():
    import contextlib

    with contextlib.ExitStack() as stack:
        yield claim_domain(stack)


def metrics(*arguments):
    """Return what a subcommand of racecar prints with --json."""
    answer = subprocess.run(
        ['racecar', *map(str, arguments), '--json'], capture_output=True, text=True, check=True,
        timeout=120.0)
    return json.loads(answer.stdout)


def test_lockstep_gives_the_trajectory_of_the_offline_simulation(domain, tmp_path):
    bag = tmp_path / 'bag'
    with LaunchProcess(domain, tmp_path, 'lockstep:=true', 'real_time_factor:=0', 'end_time:=10',
                       f'record:={bag}') as launched:
        assert launched.wait() == 0
    assert 'end_time 10 s is reached' in launched.text()
    assert launched.text().count('process has finished cleanly') == 6
    recorded = metrics('analyze', bag)
    simulated = metrics('simulate', 'kinematic_ode', '--duration', '10')
    for name in ('samples', 'rmse', 'max_error'):
        assert recorded[name] == pytest.approx(simulated[name], rel=1e-12, abs=0.0)


def test_namespace_and_names_of_f1tenth(domain, tmp_path):
    with (LaunchProcess(domain, tmp_path, 'namespace:=car1', 'topic_names:=f1tenth',
                        'own_clock:=true', 'trajectory:=circle') as launched,
          Listener(domain, namespace='car1', odometry='odom') as listener):
        listener.wait_for_speed(lambda speed: speed > 0.2, 'car drives')
        expected = {'/car1/odom', '/car1/drive', '/car1/teleop', '/car1/tf', '/car1/clock',
                    '/car1/vesc/low_level/ackermann_cmd_mux/output'}
        wait_until(lambda: listener.topic_names() >= expected, 'all topics')
        assert not {'/vesc/odom', '/odom', '/clock', '/tf'} & listener.topic_names()
        wait_until(lambda: '/car1/trajectory_tracker' in listener.node_names(), 'the tracker')
        launched.interrupt()
        assert launched.wait() == 0
    assert launched.text().count('process has finished cleanly') == 5


@pytest.mark.parametrize(('names', 'odometry'), [
    ('f1tenth_gym', 'ego_racecar/odom'), ('f1tenth_pf', 'pf/pose/odom')])
def test_a_controller_of_f1tenth_drives_the_car(domain, tmp_path, names, odometry):
    from ackermann_msgs.msg import AckermannDriveStamped

    with (LaunchProcess(domain, tmp_path, f'topic_names:={names}', 'active:=false'),
          Listener(domain, odometry=odometry) as listener):
        publisher = listener.node.create_publisher(AckermannDriveStamped, 'drive', 1)

        def drives():
            # Stamp 0: as controllers often leave it.
            message = AckermannDriveStamped()
            message.drive.speed = 0.5
            publisher.publish(message)
            return listener.odometry and listener.odometry[-1].twist.twist.linear.x > 0.2

        wait_until(drives, 'car drives')
        assert '/vesc/odom' not in listener.topic_names()


def test_a_controller_of_the_users_own_drives(domain, tmp_path):
    example = ROOT / 'docs' / 'examples' / 'pure_pursuit.py'
    bag = tmp_path / 'bag'
    with LaunchProcess(domain, tmp_path, f'controller:={example}:PurePursuit', 'lockstep:=true',
                       'real_time_factor:=0', 'end_time:=5', f'record:={bag}') as launched:
        assert launched.wait() == 0
    assert 'kinematic_linearizer' not in launched.text()
    recorded = metrics('analyze', bag)
    simulated = metrics('simulate', 'kinematic_ode', '--duration', '5', '--controller',
                        f'{example}:PurePursuit')
    for name in ('samples', 'rmse', 'max_error'):
        assert recorded[name] == pytest.approx(simulated[name], rel=1e-12, abs=0.0)


def test_a_controller_that_fails_ends_the_launch_with_its_line(domain, tmp_path):
    path = tmp_path / 'mine.py'
    path.write_text('class A:\n    def __init__(self, vehicle): pass\n'
                    '    def command(self, o, r): return 1.0 / o.vy, 0.0\n')
    with LaunchProcess(domain, tmp_path, f'controller:={path}:A') as launched:
        assert launched.wait() == 1
    assert 'ZeroDivisionError: float division by zero (' in launched.text()
    assert 'mine.py, line 3)' in launched.text()
    assert 'the controller ended with exit code 1; see its message above' in launched.text()


@pytest.mark.parametrize(('stack', 'arguments'), [
    ('plant', ()), ('kinematic_ode', ('without:=kinematic_linearizer',))])
def test_a_node_of_the_users_own_drives_in_lockstep(domain, tmp_path, stack, arguments):
    example = ROOT / 'docs' / 'examples' / 'pure_pursuit_node.py'
    bag = tmp_path / 'bag'
    with (LaunchProcess(domain, tmp_path, 'lockstep:=true', 'real_time_factor:=0', 'end_time:=3',
                        f'record:={bag}', *arguments, stack=stack) as launched,
          subprocess.Popen([sys.executable, str(example)],
                           env={**os.environ, 'ROS_DOMAIN_ID': str(domain)}) as node):
        try:
            assert launched.wait() == 0
        finally:
            node.kill()
    assert 'end_time 3 s is reached' in launched.text()
    assert 'kinematic_linearizer' not in launched.text()
    assert metrics('analyze', bag)['rmse'] < 0.05


def test_an_inactive_start_waits_for_the_activation(domain, tmp_path):
    with (LaunchProcess(domain, tmp_path, 'active:=false') as launched,
          Listener(domain) as listener):
        wait_until(lambda: 'inactive; activate it by `ros2 param set /trajectory_tracker active'
                   ' true`' in launched.text(), 'what the tracker waits for')
        wait_until(lambda: listener.time > 1.0, 'time passes')
        assert listener.odometry[-1].twist.twist.linear.x == 0.0
        assert listener.set_parameter(TRACKER, 'active', True) == (True, '')
        listener.wait_for_speed(lambda speed: speed > 0.2, 'car drives')


def test_a_parameter_file_and_single_settings_reach_the_nodes(domain, tmp_path):
    from rcl_interfaces.srv import GetParameters

    file = tmp_path / 'mine.yaml'
    file.write_text('trajectory_tracker:\n  ros__parameters: {Kp: 4, R: 3.0, trajectory: 2}\n')
    with (LaunchProcess(domain, tmp_path, f'params_file:={file}',
                        'set:=trajectory_tracker.R=2.5 trajectory_tracker.W=0.4'),
          Listener(domain) as listener):
        values = listener.call(GetParameters, f'{TRACKER}/get_parameters', GetParameters.Request(
            names=['Kp', 'R', 'W', 'trajectory'])).values
        assert [v.double_value for v in values[:3]] == [4.0, 2.5, 0.4]
        assert values[3].string_value == '2'


@pytest.mark.parametrize(('process', 'name'), [
    ('single_track_simulator-6', 'simulator'), ('bag_recorder-1', 'recorder')])
def test_a_process_that_fails_ends_the_launch_with_an_error(domain, tmp_path, process, name):
    with (LaunchProcess(domain, tmp_path, f'record:={tmp_path / "bag"}') as launched,
          Listener(domain) as listener):
        wait_until(lambda: listener.time > 0.0, 'time passes')
        pid = int(launched.text().split(f'[{process}]: process started with pid [')
                  [1].split(']')[0])
        subprocess.run(['kill', '-KILL', str(pid)], check=True)
        assert launched.wait() == 1
    assert f'the {name} ended with exit code -9' in launched.text()


@pytest.mark.parametrize(('argument', 'message'), [
    ('vehicle:=ferrari', "vehicle 'ferrari' is neither a file nor one of bmw_x5, car_2014,"),
    ('tyre_model:=round', 'Argument "tyre_model" provided value "round" is not valid'),
    ('real_time_factor:=fast', "parameter 'real_time_factor' is 'fast', expected a number"),
    ('real_time_factor:=-1', "parameter 'real_time_factor' is -1.0, expected a number in"),
    ('set:=trajectory_tracker.trajectory=waypoints trajectory_tracker.waypoints_file=absent.csv',
     "waypoint file 'absent.csv' is neither a file nor one of"),
    ('namespace:=car 1', "namespace 'car 1' is no name, expected letters, digits and _"),
    ('world:=racetrak', "world 'racetrak' is neither a file nor one of ar, arena"),
    ('sensors:=lidar', "parameter 'sensors' names 'lidar', which is unknown"),
    ('params_file:=absent.yaml', "parameter file 'absent.yaml' cannot be read"),
    ('set:=trajectory_tracker.Kpp=3', "parameter 'Kpp' is unknown here; did you mean Kp?"),
    ('set:=tracker.Kp=3', "set: node 'tracker' is not part of kinematic_ode"),
    ('set:=Kp', "set 'Kp': expected node.parameter=value"),
    ('set:=trajectory_tracker.Kp=[', "set 'trajectory_tracker.Kp=[': the value is not YAML"),
    ("set:='", 'No closing quotation'),
    ('without:=trajectory_trakker', 'did you mean trajectory_tracker?'),
    ('record:=.', "bag folder '.' exists already"),
    ('record:=/proc/bag', "bag folder '/proc/bag' cannot be made: No such file or directory"),
])
def test_a_bad_value_is_refused_in_one_line_before_anything_starts(
        domain, tmp_path, argument, message):
    with LaunchProcess(domain, tmp_path, argument) as launched:
        assert launched.wait() == 1
    assert message in launched.text()
    assert 'process started' not in launched.text()
    assert 'Traceback' not in launched.text()
    assert '--set' not in launched.text()


def test_an_argument_that_has_no_effect_is_named_if_it_looks_like_one_of_ours(domain, tmp_path):
    with LaunchProcess(domain, tmp_path, 'trajektory:=circle', 'color:=red', 'vehicle:=ferrari',
                       'trajectory:=line') as launched:
        assert launched.wait() == 1
    assert ("argument 'trajektory' of kinematic_ode is unknown and has no effect; did you mean"
            ' trajectory?') in launched.text()
    assert launched.text().count('has no effect') == 1


def test_interfaces_that_are_not_built_are_named_once_before_anything_starts(domain, tmp_path):
    package = tmp_path / 'without' / 'racecar_interfaces'
    package.mkdir(parents=True)
    (package / '__init__.py').write_text(
        'raise ModuleNotFoundError("No module", name="racecar_interfaces")\n')
    path = os.pathsep.join(filter(None, [str(package.parent), os.environ.get('PYTHONPATH')]))
    with LaunchProcess(domain, tmp_path, environment={'PYTHONPATH': path}) as launched:
        assert launched.wait() == 1
    assert launched.text().count('racecar_interfaces is not built: run `colcon build') == 1
    assert 'process started' not in launched.text()
    assert 'Traceback' not in launched.text()


@pytest.mark.parametrize(('words', 'code', 'line'), [
    (['--help'], 0, 'usage: ros2 run racecar trajectory_tracker [--help]'),
    (['Kp:=3'], 2, "[node not started] error: argument 'Kp:=3' is unknown here: did you mean"
                   ' --ros-args -p Kp:=3?'),
])
def test_ros2_run_answers_for_a_node_that_it_does_not_start(words, code, line):
    done = subprocess.run(
        ['ros2', 'run', 'racecar', 'trajectory_tracker', *words], capture_output=True, text=True,
        timeout=60.0)
    text = done.stdout + done.stderr
    assert line in text
    assert 'Traceback' not in text
    assert done.returncode == code


def test_several_cars_drive_in_lockstep_and_end(domain, tmp_path):
    bag = tmp_path / 'bag'
    with LaunchProcess(domain, tmp_path, 'cars:=red,blue', 'lockstep:=true',
                       'real_time_factor:=0', 'end_time:=2', f'record:={bag}',
                       stack='gap_ode') as launched:
        assert launched.wait() == 0
    assert 'end_time 2 s is reached' in launched.text()
    last = {car: [row.message.pose.pose.position.x
                  for row in messages_in(bag, [f'/{car}/vesc/odom'])][-1]
            for car in ('red', 'blue')}
    # Blue begins 1 m behind, and drives more slowly behind the car that it sees.
    assert 0.99 < last['red'] - last['blue'] < 2.0
    assert last['red'] > 2.0
