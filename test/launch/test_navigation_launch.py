# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""Launch description with Nav2, whose packages are empty ones here; nothing is started."""

from __future__ import annotations

import os

from launch_bench import missing
import pytest

from racecar.base.errors import ConfigurationError

pytestmark = [
    pytest.mark.ros, pytest.mark.skipif(bool(missing()), reason=missing() or 'not skipped')]

NAV2 = {
    'nav2_amcl', 'nav2_planner', 'nav2_controller', 'nav2_behaviors', 'nav2_bt_navigator',
    'nav2_lifecycle_manager', 'nav2_smac_planner', 'nav2_mppi_controller', 'nav2_costmap_2d'}
SERVERS = {'planner_server', 'controller_server', 'behavior_server', 'bt_navigator',
           'lifecycle_manager'}
SLAM = """
from launch import LaunchDescription
from launch.actions import LogInfo
from launch.substitutions import LaunchConfiguration


def generate_launch_description():
    return LaunchDescription([LogInfo(msg=LaunchConfiguration('slam_params_file'))])
"""


@pytest.fixture
def install(tmp_path, monkeypatch):
    """Put packages into an ament index of their own."""
    def add(*packages):
        index = tmp_path / 'share' / 'ament_index' / 'resource_index' / 'packages'
        index.mkdir(parents=True, exist_ok=True)
        for package in packages:
            (index / package).touch()
            launch = tmp_path / 'share' / package / 'launch'
            launch.mkdir(parents=True)
            (launch / 'online_async_launch.py').write_text(SLAM, encoding='utf-8')

    monkeypatch.setenv(
        'AMENT_PREFIX_PATH', f"{tmp_path}{os.pathsep}{os.environ['AMENT_PREFIX_PATH']}")
    return add


def described(**arguments):
    """Return the launch configurations and all actions, those of included files too."""
    from launch import LaunchContext

    from racecar.stacks.navigating import generate_navigation

    context = LaunchContext()
    context.launch_configurations.update(arguments)
    found, waiting = [], [generate_navigation()]
    while waiting:
        entity = waiting.pop(0)
        found.append(entity)
        if not hasattr(entity, 'process_description'):
            waiting = [*(entity.visit(context) or []), *waiting]
    return context.launch_configurations, found


def executables(found):
    from launch_ros.actions import Node

    return [entity.node_executable for entity in found if isinstance(entity, Node)]


def test_packages_that_are_not_there_are_named(install):
    install('nav2_amcl')
    with pytest.raises(ConfigurationError, match=(
            'needs nav2_behaviors, .* not installed: sudo apt install ros-.*-nav2-behaviors')):
        described()
    with pytest.raises(ConfigurationError, match='needs slam_toolbox, not installed'):
        described(localization='slam_toolbox', navigation='false')


def test_the_car_comes_with_a_localisation_and_the_servers_of_nav2(install):
    install(*NAV2)
    values, found = described()
    started = executables(found)
    assert {*started} >= SERVERS | {'amcl', 'single_track_simulator'}
    assert started.count('lifecycle_manager') == 2
    assert 'trajectory_tracker' not in started
    assert values['set'].split() == [
        'single_track_simulator.publish_map_to_odom=false',
        'single_track_simulator.take_initialpose=false']
    assert (values['world'], values['sensors']) == ('racetrack', 'laser')


def test_the_map_is_that_of_slam_toolbox_and_what_the_user_sets_comes_last(install):
    install('slam_toolbox')
    values, found = described(
        localization='slam_toolbox', navigation='false', world='cones',
        set='single_track_simulator.publish_map=true')
    assert values['slam_params_file'].endswith('config/navigation/slam_toolbox.yaml')
    assert values['set'].split()[-2:] == [
        'single_track_simulator.publish_map=false', 'single_track_simulator.publish_map=true']
    assert values['world'] == 'cones'
    assert not {*executables(found)} & (SERVERS | {'amcl'})


def test_with_the_truth_nothing_but_the_car_is_needed(install):
    values, found = described(localization='truth', navigation='false')
    assert 'single_track_simulator' in executables(found)
    assert values['set'] == ''
