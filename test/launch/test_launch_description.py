# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""Launch descriptions without processes: arguments, defaults, what is started."""

from __future__ import annotations

import dataclasses
import os
from pathlib import Path
from typing import Any

from launch_bench import missing
import pytest

from racecar.base.errors import ConfigurationError
from racecar.description.vehicle_description import describe_vehicle
from racecar.dynamics.vehicles.parameters import VehicleParameters
from racecar.stacks import StackOptions

pytestmark = [
    pytest.mark.ros, pytest.mark.skipif(bool(missing()), reason=missing() or 'not skipped')]

ROOT = Path(__file__).resolve().parents[2]


def entities(stack='kinematic_ode', **arguments):
    """Return the actions of a configuration with these arguments, nothing started."""
    from launch import LaunchContext
    from launch.actions import DeclareLaunchArgument

    from racecar.stacks.launching import generate

    context = LaunchContext()
    context.launch_configurations.update(arguments)
    found: list[Any] = []
    for entity in generate(stack).entities:
        found += entity.visit(context) or []
        if isinstance(entity, DeclareLaunchArgument):
            found.append(entity)
    return found


def of_type(kind, found):
    return [entity for entity in found if isinstance(entity, kind)]


def test_every_argument_has_a_description_and_a_default():
    from launch.actions import DeclareLaunchArgument

    arguments = of_type(DeclareLaunchArgument, entities())
    assert len(arguments) >= 16
    for argument in arguments:
        assert len(argument.description) > 10, argument.name
        assert argument.default_value is not None, argument.name


def test_every_option_of_a_stack_is_an_argument():
    from launch.actions import DeclareLaunchArgument

    names = {argument.name for argument in of_type(DeclareLaunchArgument, entities())}
    options = {field.name for field in dataclasses.fields(StackOptions)}
    # `set` fills the overrides, `simulate` has a control rate; the others are for programs.
    assert options - names == {
        'overrides', 'overrides_option', 'observers', 'control_rate', 'car'}


def test_driver_has_no_arguments_of_a_tracker():
    from launch.actions import DeclareLaunchArgument

    names = {argument.name for argument in of_type(DeclareLaunchArgument, entities('driver'))}
    usual = {argument.name for argument in of_type(DeclareLaunchArgument, entities())}
    assert usual - names == {'trajectory', 'waypoints', 'active', 'controller', 'policy',
                             'flying_start'}
    assert names < usual


def test_every_launch_file_generates():
    import runpy

    files = sorted((ROOT / 'launch').glob('*.launch.py'))
    assert files
    for path in files:
        assert runpy.run_path(str(path))['generate_launch_description']().entities


@pytest.fixture
def fake_packages(tmp_path, monkeypatch):
    """Packages of which only the executable exists."""
    def install(*names):
        for name in names:
            marker = tmp_path / 'share' / 'ament_index' / 'resource_index' / 'packages' / name
            marker.parent.mkdir(parents=True, exist_ok=True)
            marker.touch()
            program = tmp_path / 'lib' / name / name
            program.parent.mkdir(parents=True)
            program.write_text('#!/bin/sh\n')
            program.chmod(0o755)
        monkeypatch.setenv('AMENT_PREFIX_PATH', os.pathsep.join(
            [str(tmp_path), os.environ['AMENT_PREFIX_PATH']]))

    return install


def packages(found):
    from launch_ros.actions import Node

    return [node.node_package for node in of_type(Node, found)]


def parameters_of(package, found):
    """Return the parameters of the one node of a package that has such, by name."""
    from launch import LaunchContext
    from launch_ros.actions import Node
    from launch_ros.utilities import evaluate_parameters

    context = LaunchContext()
    sets = [evaluate_parameters(context, node._Node__parameters)
            for node in of_type(Node, found) if node.node_package == package]
    return [{name: value for part in parts for name, value in part.items()} for parts in sets]


def who_describes(found):
    """Return whether the simulator describes the robot, and what the other node is given."""
    simulator, = [row for row in parameters_of('racecar', found) if 'publish_clock' in row]
    others = parameters_of('robot_state_publisher', found)
    return simulator['publish_robot_description'], [row['robot_description'] for row in others]


def test_viewers_are_started_where_they_are_installed(fake_packages):
    fake_packages('robot_state_publisher', 'rviz2')
    assert packages(entities(rviz='true'))[-2:] == ['robot_state_publisher', 'rviz2']
    assert packages(entities())[-1] == 'robot_state_publisher'


def test_one_of_simulator_and_robot_state_publisher_describes_the_robot(fake_packages):
    assert who_describes(entities()) == (True, [])
    fake_packages('robot_state_publisher')
    publishes, (description,) = who_describes(entities(vehicle='f1tenth'))
    assert not publishes
    vehicle = VehicleParameters.from_file(ROOT / 'config' / 'vehicles' / 'f1tenth.yaml')
    assert description == describe_vehicle(vehicle).urdf


@pytest.mark.parametrize('value', [True, False])
def test_who_chooses_who_describes_the_robot_has_it_so(fake_packages, tmp_path, value):
    fake_packages('robot_state_publisher')
    text = str(value).lower()
    found = entities(set=f'single_track_simulator.publish_robot_description={text}')
    assert who_describes(found) == (value, [])
    path = tmp_path / 'own.yaml'
    path.write_text('single_track_simulator:\n  ros__parameters:\n'
                    f'    publish_robot_description: {text}\n')
    assert who_describes(entities(params_file=str(path))) == (value, [])


def test_where_no_description_can_be_made_the_simulator_says_so(fake_packages, monkeypatch):
    from racecar.catalogue.simulators import cars

    def describe(vehicle):
        raise ConfigurationError('xacro is not installed')

    fake_packages('robot_state_publisher')
    monkeypatch.setattr(cars, 'describe_vehicle', describe)
    assert who_describes(entities()) == (True, [])


def test_missing_rviz_is_named(monkeypatch):
    from launch.actions import LogInfo

    from racecar.stacks import launching

    monkeypatch.setattr(launching, 'is_installed', lambda package: False)
    found = entities(rviz='true')
    assert set(packages(found)) == {'racecar'}
    told = ' '.join(part.text for info in of_type(LogInfo, found) for part in info.msg)
    assert 'rviz2 not installed' in told


def test_a_pushed_namespace_comes_before_that_of_the_argument():
    from launch import LaunchContext
    from launch_ros.actions import Node

    found = entities(ros_namespace='/fleet', namespace='car1')
    context = LaunchContext()
    context.launch_configurations['ros_namespace'] = '/fleet'
    names = set()
    for node in of_type(Node, found):
        node._perform_substitutions(context)
        names.add(node.node_name)
    assert '/fleet/car1/trajectory_tracker' in names
    assert '/fleet/car1/vesc/low_level/ackermann_cmd_mux' in names
