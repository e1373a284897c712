# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""Launch description of a car with the nodes of Nav2 and of a localisation around it."""

from __future__ import annotations

from pathlib import Path
import shlex

from ament_index_python.packages import get_package_share_directory
from launch import LaunchContext, LaunchDescription, LaunchDescriptionEntity
from launch.actions import DeclareLaunchArgument, IncludeLaunchDescription, OpaqueFunction
from launch.launch_description_sources import PythonLaunchDescriptionSource
from launch_ros.actions import Node

from racecar.base.errors import ConfigurationError
from racecar.base.share import share_folder
from racecar.catalogue import node_names
from racecar.ros.packages import is_installed
from racecar.stacks.options import SET_ARGUMENT

AMCL, SLAM, TRUTH = 'amcl', 'slam_toolbox', 'truth'
_BOOLEANS = ('true', 'false')

_SERVERS = {
    'nav2_planner': 'planner_server', 'nav2_controller': 'controller_server',
    'nav2_behaviors': 'behavior_server', 'nav2_bt_navigator': 'bt_navigator'}
"""Executables of Nav2 by package, which are also the names of the nodes."""

# Loaded by these servers by the names in config/navigation/nav2.yaml.
_PLUGINS = ('nav2_smac_planner', 'nav2_mppi_controller', 'nav2_costmap_2d')
_LIFECYCLE = 'nav2_lifecycle_manager'


def generate_navigation() -> LaunchDescription:
    """Launch description of the configuration plant, with a localisation and Nav2 around it.

    All arguments of plant.launch.py are taken, too; they have the same names there.
    """
    return LaunchDescription([
        DeclareLaunchArgument(
            'localization', default_value=AMCL, choices=[AMCL, SLAM, TRUTH],
            description='who tells the pose in the map: nav2_amcl by the map of the world,'
            ' slam_toolbox, which makes a map, or truth, which is the simulator'),
        DeclareLaunchArgument(
            'navigation', default_value='true', choices=_BOOLEANS,
            description='whether the planner, controller and navigator of Nav2 are started'),
        DeclareLaunchArgument(
            'navigation_params', default_value=str(_settings('nav2')),
            description='parameter file of the nodes of Nav2'),
        DeclareLaunchArgument(
            'localization_params', default_value='',
            description='parameter file of the localisation; empty: that in config/navigation'),
        # Of plant.launch.py, with defaults for this purpose.
        DeclareLaunchArgument(
            'world', default_value='racetrack', description='what stands around the car'),
        DeclareLaunchArgument(
            'sensors', default_value='laser',
            description='sensors of the car; a laser is needed'),
        DeclareLaunchArgument(
            SET_ARGUMENT, default_value='',
            description='override any parameter of the nodes of racecar'),
        OpaqueFunction(function=_set_up),
    ])


def _set_up(context: LaunchContext) -> list[LaunchDescriptionEntity]:
    values = context.launch_configurations
    localization, navigates = values['localization'], values['navigation'] == 'true'
    _check_installed([
        *({AMCL: ('nav2_amcl', _LIFECYCLE), SLAM: ('slam_toolbox',), TRUTH: ()}[localization]),
        *((*_SERVERS, *_PLUGINS, _LIFECYCLE) if navigates else ())])
    settings = Path(values['localization_params'] or _settings(localization))
    overrides = {
        AMCL: {'publish_map_to_odom': False, 'take_initialpose': False},
        SLAM: {'publish_map_to_odom': False, 'publish_map': False},
        TRUTH: {}}[localization]
    actions: list[LaunchDescriptionEntity] = [_plant(overrides, values[SET_ARGUMENT])]
    if localization == AMCL:
        actions += [
            Node(package='nav2_amcl', executable='amcl', name='amcl', output='screen',
                 parameters=[str(settings)]),
            Node(package=_LIFECYCLE, executable='lifecycle_manager',
                 name='lifecycle_manager_localization', output='screen', parameters=[{
                     'use_sim_time': True, 'autostart': True, 'node_names': ['amcl']}])]
    elif localization == SLAM:
        actions.append(IncludeLaunchDescription(
            PythonLaunchDescriptionSource(str(
                Path(get_package_share_directory('slam_toolbox'))
                / 'launch' / 'online_async_launch.py')),
            launch_arguments={
                'slam_params_file': str(settings), 'use_sim_time': 'true'}.items()))
    if navigates:
        actions += _navigation(values['navigation_params'])
    return actions


def _plant(overrides: dict[str, bool], chosen: str) -> IncludeLaunchDescription:
    """The car without a tracker; what the user sets goes over what is set here."""
    words = [f'{node_names.SINGLE_TRACK_SIMULATOR}.{name}={str(value).lower()}'
             for name, value in overrides.items()]
    return IncludeLaunchDescription(
        PythonLaunchDescriptionSource(str(share_folder() / 'launch' / 'plant.launch.py')),
        launch_arguments={
            SET_ARGUMENT: ' '.join([shlex.join(words), chosen]).strip(),
            'without': node_names.TRAJECTORY_TRACKER}.items())


def _navigation(settings: str) -> list[LaunchDescriptionEntity]:
    # The default tree spins a robot that is stuck, which a car cannot.
    tree = (Path(get_package_share_directory('nav2_bt_navigator'))
            / 'behavior_trees' / 'navigate_w_replanning_time.xml')
    return [
        *(Node(package=package, executable=name, name=name, output='screen',
               parameters=[settings, *(
                   [{'default_nav_to_pose_bt_xml': str(tree)}] if name == 'bt_navigator' else [])])
          for package, name in _SERVERS.items()),
        Node(package=_LIFECYCLE, executable='lifecycle_manager', name='lifecycle_manager',
             output='screen', parameters=[settings])]


def _settings(name: str) -> Path:
    return share_folder() / 'config' / 'navigation' / f'{name}.yaml'


def _check_installed(packages: list[str]) -> None:
    missing = sorted({package for package in packages if not is_installed(package)})
    if missing:
        raise ConfigurationError(
            f"navigation.launch.py needs {', '.join(missing)}, not installed: sudo apt install "
            + ' '.join(f"ros-$ROS_DISTRO-{package.replace('_', '-')}" for package in missing))
