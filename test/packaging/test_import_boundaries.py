# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""core knows no ROS; ros knows no vehicle; clients know a stack by its topics only."""

import ast
from pathlib import Path
import re

import pytest

SRC = Path(__file__).resolve().parents[2] / 'src'

NOT_FOR_CORE = re.compile(
    r'rclpy|rcl_interfaces|rosidl_\w+|ament_\w+|launch\w*|tf2_\w+|tf_transformations'
    r'|\w+_(msgs|srvs|interfaces)|racecar\.(ros|nodes|clients|stacks|cli)'
)
CORE_FOR_ROS = re.compile(r'racecar\.core\.(errors|frames|parameter_file|parameters|ports|types)')


def imports(text, module, is_package=False):
    """Return the full dotted names that a module imports, with line numbers."""
    package = module if is_package else module.rpartition('.')[0]
    found = []
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.Import):
            found += [(alias.name, node.lineno) for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            base = node.module or ''
            if node.level:
                parents = package.split('.')
                parents = parents[: len(parents) - node.level + 1]
                base = '.'.join([*parents, *filter(None, [base])])
            # `from racecar import ros` imports racecar.ros as much as `import racecar.ros`.
            found += [(f'{base}.{alias.name}', node.lineno) for alias in node.names]
    return found


def crosses_into_ros(name):
    """Tell whether core must not import this name."""
    return re.match(rf'({NOT_FOR_CORE.pattern})(\.|$)', name) is not None


def crosses_into_vehicles(name):
    """Tell whether ros must not import this name."""
    if re.match(r'racecar\.(nodes|clients|stacks|cli)(\.|$)', name):
        return True
    in_core = re.match(r'racecar\.core(\.|$)', name) is not None
    return in_core and re.match(rf'{CORE_FOR_ROS.pattern}(\.|$)', name) is None


def crosses_into_stacks(name):
    """Tell whether clients must not import this name."""
    return re.match(r'racecar\.(nodes|stacks|cli)(\.|$)', name) is not None


def violations(folder, forbidden):
    found = []
    for path in sorted((SRC / folder).rglob('*.py')):
        relative = path.relative_to(SRC)
        parts = list(relative.with_suffix('').parts)
        is_package = parts[-1] == '__init__'
        module = '.'.join(parts[:-1] if is_package else parts)
        found += [
            f'{relative}:{line} imports {name}'
            for name, line in imports(path.read_text(), module, is_package)
            if forbidden(name)
        ]
    return found


def test_core_knows_no_ros():
    assert violations('racecar/core', crosses_into_ros) == []


def test_ros_knows_no_vehicle():
    assert violations('racecar/ros', crosses_into_vehicles) == []


def test_clients_know_no_stack():
    assert violations('racecar/clients', crosses_into_stacks) == []


@pytest.mark.parametrize('room', ['nodes', 'stacks'])
def test_nodes_and_stacks_know_no_clients(room):
    assert violations(f'racecar/{room}', lambda name: name.startswith('racecar.clients')) == []


@pytest.mark.parametrize('text', [
    'import rclpy',
    'import rclpy.node as n',
    'from nav_msgs.msg import Odometry',
    'from racecar_interfaces.srv import Reset',
    'import std_srvs.srv',
    'from racecar import ros',
    'from racecar.nodes.x import X',
    'from racecar.stacks import x',
    'from ...ros import qos',
    'from launch_ros.actions import Node',
    'def f():\n    import rclpy',
])
def test_the_check_sees_ros_in_core(text):
    assert any(crosses_into_ros(name) for name, _ in imports(text, 'racecar.core.sensors.lidar'))


@pytest.mark.parametrize('text', [
    'import numpy as np',
    'from racecar.core import types',
    'from ..types import Pose2',
    'import math',
])
def test_the_check_lets_core_import_core(text):
    assert not any(
        crosses_into_ros(name) for name, _ in imports(text, 'racecar.core.sensors.lidar'))


@pytest.mark.parametrize(('text', 'bad'), [
    ('from racecar.core.vehicles import single_track', True),
    ('from racecar.core import vehicles', True),
    ('from ..core import control', True),
    ('import racecar.core', True),
    ('from racecar.nodes import x', True),
    ('from racecar.stacks import x', True),
    ('from racecar.core import parameters', False),
    ('from racecar.core.types import Pose2', False),
    ('from ..core.errors import ParameterError', False),
    ('from . import qos', False),
    ('import rclpy', False),
])
def test_the_check_sees_vehicles_in_ros(text, bad):
    assert any(
        crosses_into_vehicles(name) for name, _ in imports(text, 'racecar.ros.clock')) == bad
