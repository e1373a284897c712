# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""Whole labs with nodes: what a student's program does costs only its own mark."""

import importlib.util
import json

import numpy as np
import pytest

from racecar.cli.course import NOT_PASSED
from racecar.cli.main import main
from racecar.courses.confine import UNCONFINED
from racecar.courses.job import read_drive
from racecar.courses.running import students_of

pytestmark = pytest.mark.skipif(
    any(importlib.util.find_spec(name) is None for name in ('rclpy', 'ackermann_msgs')),
    reason='needs ROS 2')

LAB = """
summary: straight on
topic_names: rss
dynamic_parameters: true
world: room
nodes:
  - executables: [mine]
parameters: {speed: 1.0}
time_limit: 6
start_limit: 40
check: {kind: distance, metres: 2.0}
cases:
  straight: {start: [-2.0, 0.0, 0.0]}
"""


def run(tmp_path, capsys, folders, lab=LAB, *options):
    """Run a lab; returns exit code and {student: result}."""
    path = tmp_path / 'straight.yaml'
    path.write_text(lab)
    output = tmp_path / 'results'
    code = main(['course', str(path), *map(str, folders), '-o', str(output), '--json', '--jobs',
                 '2', *options])
    text = capsys.readouterr().out
    found = json.loads(text)
    assert found == json.loads((output / 'results.json').read_text())
    assert (output / 'index.html').stat().st_size > 1000
    return code, {row['student']: row['cases'][0] for row in found['students']}


def test_programs_that_misbehave_cost_only_their_own_mark(tmp_path, capsys, students):
    names = ('crashing', 'flooding', 'nonsense', 'writing', 'hitting', 'hanging', 'good')
    code, found = run(tmp_path, capsys, students(*names))
    assert code == NOT_PASSED
    good = found.pop('good')
    assert good['mark'] == 1.0, good
    assert good['text'] == 'drove 2.0 of 2 m'
    assert good['faults'] == []
    samples, _ = read_drive(tmp_path / 'results' / 'good' / 'straight')
    assert samples[-1, 1] == pytest.approx(0.0, abs=0.2)
    # One for each scan of 50 Hz. The case begins with the first command, before a scan or not.
    assert np.diff(samples[:, 0]) == pytest.approx(0.02)
    assert np.isfinite(samples[1:, 7]).all()
    assert (tmp_path / 'results/good/straight/drive.png').stat().st_size > 1000
    texts = {name: row['text'] for name, row in found.items()}
    assert texts['crashing'].startswith("mine ended with exit code 1: KeyError: 'wall'; drove")
    assert 'commands in a second: a flood' in texts['flooding']
    assert '1 collision' in texts['hitting']
    assert 'time limit of 6 s, its last command' in texts['hanging']
    log = (tmp_path / 'results/writing/straight/mine_output.txt').read_text()
    if UNCONFINED not in log:
        assert texts['writing'].startswith('mine ended with exit code 1: PermissionError')
    nonsense = found.pop('nonsense')
    assert nonsense['mark'] == 1.0
    assert 'messages had values that are not finite' in nonsense['notes'][0]
    assert all(row['mark'] < 0.5 for row in found.values())


def test_what_could_not_be_built_is_said_where_a_program_ends_by_an_error(
        tmp_path, capsys, students):
    folder, = students('crashing')
    (folder / 'package.xml').write_text('<package><name>mine</name></package>')
    (folder / 'setup.py').write_text('raise RuntimeError("no numpy/arrayobject.h")')
    _, found = run(tmp_path, capsys, [folder])
    row = found['crashing']
    assert row['text'].startswith('mine ended with exit code 1')
    assert row['notes'] == [
        '.: setup.py ended with exit code 1: RuntimeError: no numpy/arrayobject.h']


def test_a_program_that_commands_nothing_is_given_up(tmp_path, capsys, students):
    lab = LAB.replace('start_limit: 40', 'start_limit: 2')
    code, found = run(tmp_path, capsys, students('silent'), lab)
    assert code == NOT_PASSED
    assert found['silent']['text'] == 'published no command within 2 s after the start'


def test_a_program_without_a_finite_command_is_given_up(tmp_path, capsys, students):
    # Long enough for its start on a busy machine.
    lab = LAB.replace('start_limit: 40', 'start_limit: 15')
    code, found = run(tmp_path, capsys, students('not_finite'), lab)
    assert code == NOT_PASSED
    text = 'published no command that is finite within 15 s after the start'
    assert found['not_finite']['text'] == text


def test_parameters_are_set_while_the_programs_run(tmp_path, capsys, students):
    lab = LAB.replace('speed: 1.0}', 'speed: 0.1}\nset_parameters: {speed: 1.0, colour: red}')
    lab = lab.replace('executables: [mine]', 'executables: [mine]\n    params_file: params.yaml')
    folders = students('live', 'good')
    # By the name of the node, which counts more than that of all.
    (folders[1] / 'params.yaml').write_text('mine: {ros__parameters: {speed: -1.0}}')
    code, found = run(tmp_path, capsys, folders, lab + 'warm_up: 5\n')
    assert code == NOT_PASSED
    assert found['live']['mark'] == 1.0
    # Has read its speed at the start.
    assert 'drove 0.6 of 2 m' in found['good']['text']
    for row in found.values():
        note, = row['notes']
        assert note.startswith("no node took the parameter 'colour': ")


def test_a_student_without_the_node_is_told_what_there_is(tmp_path, capsys, students):
    folder, = students('good')
    code, found = run(tmp_path, capsys, [folder], LAB.replace('[mine]', '[yours]'))
    assert code == NOT_PASSED
    assert found['good']['text'] == 'no executable is called yours; there are mine'


def test_the_executable_can_be_named_and_a_film_made(tmp_path, capsys, students):
    folder, = students('good')
    code, found = run(tmp_path, capsys, [folder], LAB.replace('[mine]', '[yours]'),
                      '--executable', 'mine', '--film', '--real-time-factor', '0.8')
    assert code == 0
    assert found['good']['mark'] == 1.0
    assert (tmp_path / 'results/good/straight/drive.mp4').stat().st_size > 1000


def test_students_have_names_of_their_own(tmp_path):
    paths = [tmp_path / name for name in ('team_10', 'team_1', 'a/team_1', 'b/team_1')]
    for path in paths:
        path.mkdir(parents=True)
    names = [student.name for student in students_of([*paths, paths[1]])]
    assert names[:4] == ['team_10', 'team_1', 'a_team_1', 'b_team_1']
    assert len(set(names)) == 5


FILTER = """
import rclpy
from geometry_msgs.msg import PoseWithCovarianceStamped
from nav_msgs.msg import OccupancyGrid, Odometry
from rclpy.node import Node


class Mine(Node):
    def __init__(self):
        super().__init__('mine')
        self.told = 0
        self.create_subscription(PoseWithCovarianceStamped, '/initialpose', self.on_pose, 1)
        self.create_subscription(OccupancyGrid, '/map', self.on_map, 1)
        self.has_map = False
        self.estimates = self.create_publisher(Odometry, '/pf/pose/odom', 1)

    def on_map(self, message):
        self.has_map = True

    def on_pose(self, message):
        if not self.has_map:
            return
        self.told += 1
        if self.told == 2:
            self.create_timer(0.02, lambda: self.estimates.publish(self.estimate))
        self.estimate = Odometry()
        self.estimate.pose.pose = message.pose.pose


if __name__ == '__main__':
    rclpy.init()
    rclpy.spin(Mine())
"""


def test_a_filter_that_is_silent_until_it_knows_the_start_is_told(tmp_path, capsys):
    folder = tmp_path / 'silent_filter'
    folder.mkdir()
    (folder / 'mine.py').write_text(FILTER)
    code, found = run(tmp_path, capsys, [folder], LAB.replace(
        'check: {kind: distance, metres: 2.0}',
        'check: {kind: localisation, topic: /pf/pose/odom, settle: 0.5}').replace(
            'time_limit: 6', 'time_limit: 2').replace('start: [-2.0', 'start: [-1.5'))
    row = found['silent_filter']
    assert row['faults'] == []
    # The car stands where it was told.
    assert row['mark'] == pytest.approx(1.0), row
    assert code == 0


PLANNER = """
import time

import rclpy
from ackermann_msgs.msg import AckermannDriveStamped
from geometry_msgs.msg import Pose, PoseArray, PoseStamped, PoseWithCovarianceStamped
from nav_msgs.msg import Odometry
from rclpy.node import Node


class Mine(Node):
    # Plans from where /initialpose says that the car is, as planners of MIT RSS do.

    def __init__(self):
        super().__init__('mine')
        self.start = self.end = None
        self.create_subscription(
            PoseWithCovarianceStamped, '/initialpose', self.on_pose, 1)
        self.create_subscription(PoseStamped, '/goal_pose', self.on_goal, 10)
        self.create_subscription(Odometry, '/odom', self.on_odometry, 1)
        self.paths = self.create_publisher(PoseArray, '/trajectory/current', 1)
        self.commands = self.create_publisher(AckermannDriveStamped, '/drive', 1)

    def on_pose(self, message):
        self.start = message.pose.pose.position.x

    def on_goal(self, message):
        time.sleep(1.5)
        self.end = message.pose.position.x
        print('from', self.start, 'to', self.end, flush=True)
        self.paths.publish(PoseArray(poses=[Pose()]))

    def on_odometry(self, message):
        if self.end is not None:
            command = AckermannDriveStamped()
            command.drive.speed = 1.0 if message.pose.pose.position.x < self.end else 0.0
            self.commands.publish(command)


if __name__ == '__main__':
    rclpy.init()
    rclpy.spin(Mine())
"""


def test_a_planner_is_told_the_start_of_each_path_and_its_computing_costs_no_time(
        tmp_path, capsys):
    folder = tmp_path / 'planner'
    folder.mkdir()
    (folder / 'mine.py').write_text(PLANNER)
    code, found = run(tmp_path, capsys, [folder], LAB.replace(
        'check: {kind: distance, metres: 2.0}',
        'set: {single_track_simulator.take_initialpose: false}\n'
        'check: {kind: goals, goals: [[-0.5, 0], [1, 0]], tolerance: 0.3,'
        ' path_topic: /trajectory/current}').replace('time_limit: 6', 'time_limit: 20'))
    row = found['planner']
    assert (code, row['text']) == (0, 'reached 2 of 2 goals'), row
    # 2 s at the start, and 2.7 m at 1 m/s; 3 s of computing and the pauses before are not in it.
    assert row['duration'] == pytest.approx(5.0, abs=1.0)
    assert row['figures']['planning, longest [s]'] >= 1.5
    log = (tmp_path / 'results/planner/straight/mine_output.txt').read_text()
    starts = [float(line.split()[1]) for line in log.splitlines() if line.startswith('from')]
    assert starts == [pytest.approx(-2.0, abs=0.01), pytest.approx(-0.8, abs=0.1)]


def test_a_program_that_follows_the_odometry_is_not_awaited_after_scans_between(
        tmp_path, capsys, students):
    folder, = students('good')
    text = (folder / 'mine.py').read_text()
    (folder / 'mine.py').write_text(text.replace('sensor_msgs', 'nav_msgs').replace(
        'LaserScan', 'Odometry').replace('/scan', '/ego_racecar/odom'))
    # 40 scans in a second, 100 odometries: half of the scans come between two of them.
    code, found = run(tmp_path, capsys, [folder], LAB.replace('topic_names: rss',
                                                              'topic_names: f1tenth_gym'))
    row = found['good']
    assert (code, row['text']) == (0, 'drove 2.0 of 2 m'), row
    # Waiting for an answer to each of these scans, 0.05.
    assert row['real_time_factor'] > 0.2, row
