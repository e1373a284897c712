# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""Launch tests of scenarios that fail say what was found, what was expected and where the bag is.

Each runs pytest as a user does.
"""

from __future__ import annotations

import json
import os
from pathlib import Path
import re
import subprocess
import sys

from launch_bench import DEADLINE, missing
import pytest
import yaml

pytestmark = [
    pytest.mark.ros, pytest.mark.skipif(bool(missing()), reason=missing() or 'not skipped')]

TWO_LINES = """\
from racecar.scenarios.launch_tests import scenario_test

generate_test_description, TestScenario = scenario_test({file!r})
"""

# A node of the user's own drives, and the test looks at what came of it.
WITH_A_NODE = """\
import json
import sys
import unittest

from launch.actions import ExecuteProcess
import pytest
from racecar.scenarios.launch_tests import scenario_launch


@pytest.mark.launch_test
def generate_test_description():
    return scenario_launch(
        {file!r}, [ExecuteProcess(cmd=[sys.executable, {node!r}])], record=False)


class TestDrive(unittest.TestCase):

    def test_it_ends_as_expected(self, scenario):
        scenario.check()
        with open('outcome.json', 'w') as file:
            json.dump(scenario.outcome().as_dict(), file)
"""
NODE = Path(__file__).parents[2] / 'docs' / 'examples' / 'pure_pursuit_node.py'
SCENARIO = {
    'configuration': 'plant', 'trajectory': 'circle', 'duration': 3,
    'faults': [{'kind': 'freeze', 'target': 'odometry', 'onset': 2, 'duration': 0.2}],
    'expected': {'max_error': 1.0, 'distance': {'least': 1},
                 'topics': {'vesc/odom': {'messages': {'least': 100}}}}}


def run_test(folder, content, source=TWO_LINES):
    """Write a scenario and a launch test of it into a folder; return exit code and output."""
    file = Path(folder) / 'tried.yaml'
    file.write_text(yaml.safe_dump(content))
    (Path(folder) / 'test_tried.py').write_text(source.format(
        file=str(file), node=str(NODE)))
    done = subprocess.run(
        [sys.executable, '-m', 'pytest', '-q', '-p', 'no:cacheprovider', 'test_tried.py'],
        cwd=folder, capture_output=True, text=True, timeout=4 * DEADLINE, check=False,
        env={**os.environ, 'ROS_LOG_DIR': str(Path(folder) / 'ros_logs')})
    return done.returncode, done.stdout


def test_value_limit_and_bag_are_told(tmp_path):
    pytest.importorskip('launch_testing')
    code, text = run_test(tmp_path, {
        'configuration': 'kinematic_ode', 'trajectory': 'circle', 'duration': 2,
        'expected': {'distance': {'least': 100}, 'final_speed': 0.0,
                     'topics': {'vesc/odom': {'messages': {'least': 10}, 'silence': 0.1}}}})
    assert code == 1, text
    assert re.search(r'distance: [\d.]+ m, expected at least 100 m', text), text
    assert re.search(r'final_speed: [\d.]+ m/s, expected at most 0 m/s', text), text
    assert 'messages on' not in text.partition('AssertionError')[2]
    bag, = map(Path, {*re.findall(r'Bag: (.*)', text)})
    assert bag.parent == tmp_path / 'runs'
    assert [*bag.glob('*.mcap')]


def test_a_node_that_ends_is_told(tmp_path):
    pytest.importorskip('launch_testing')
    (tmp_path / 'law.py').write_text(
        'def drive(odometry, reference):\n'
        "    if odometry.x > 0.2:\n        raise ValueError('no idea')\n"
        '    return 1.0, 0.0\n')
    code, text = run_test(tmp_path, {
        'configuration': 'kinematic_ode', 'duration': 2, 'controller': 'law.py:drive',
        'expected': {'final_speed': 3.0}})
    assert code == 1, text
    assert 'no idea' in text
    assert ('drive: trajectory_tracker has ended with exit code 1, expected the end, with all'
            ' nodes') in text, text


def test_a_node_of_ones_own_drives_with_the_same_bits_each_time(tmp_path):
    pytest.importorskip('launch_testing')
    found = []
    for name in ('one', 'other'):
        (tmp_path / name).mkdir()
        code, text = run_test(tmp_path / name, SCENARIO, WITH_A_NODE)
        assert code == 0, text
        found.append(json.loads((tmp_path / name / 'outcome.json').read_text()))
    assert {**found[0], 'wall_time': 0} == {**found[1], 'wall_time': 0}


def test_without_launch_the_module_says_what_it_needs(monkeypatch):
    from racecar.base.errors import ConfigurationError
    from racecar.scenarios import launch_tests

    for name in ('launch', 'launch_testing', 'launch_testing.actions'):
        monkeypatch.setitem(sys.modules, name, None)
    with pytest.raises(ConfigurationError, match='launch_testing of ROS 2'):
        launch_tests.scenario_launch('figure_eight')
