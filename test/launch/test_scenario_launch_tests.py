# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""Launch tests of scenarios that fail say what was found, what was expected and where the bag is.

Each runs pytest as a user does.
"""

from __future__ import annotations

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


def run_test(folder, content, source=TWO_LINES):
    """Write a scenario and a launch test of it into a folder; return exit code and output."""
    file = Path(folder) / 'tried.yaml'
    file.write_text(yaml.safe_dump(content))
    (Path(folder) / 'test_tried.py').write_text(source.format(file=str(file)))
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
    assert 'trajectory_tracker has ended with exit code 1' in text or 'no idea' in text, text


def test_without_launch_the_module_says_what_it_needs(monkeypatch):
    from racecar.base.errors import ConfigurationError
    from racecar.scenarios import launch_tests

    for name in ('launch', 'launch_testing', 'launch_testing.actions'):
        monkeypatch.setitem(sys.modules, name, None)
    with pytest.raises(ConfigurationError, match='launch_testing of ROS 2'):
        launch_tests.scenario_launch('figure_eight')
