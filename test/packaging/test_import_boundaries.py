# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""What each room of the package may import, of the others and of ROS."""

import ast
import collections
import functools
import graphlib
from pathlib import Path
import re
import subprocess
import sys
from typing import NamedTuple

import pytest

from racecar.base.kernel_sources import modules_of

SRC = Path(__file__).resolve().parents[2] / 'src'

ROS = re.compile(
    r'(rclpy|rcl_interfaces|rosidl_\w+|ament_\w+|launch\w*|tf2_\w+|tf_transformations'
    r'|rosgraph_msgs|\w+_(msgs|srvs|interfaces))(\.|$)')


class Room(NamedTuple):
    """Modules below racecar: what of the others they may import, and whether ROS packages.

    others: rooms, or modules in them of which alone something is imported; what stands below is
    meant as well. A room may always import its own. by_name: rooms of which it may load a module
    whose name it is given, when it is given.
    """

    others: tuple[str, ...] = ()
    ros: bool = False
    by_name: tuple[str, ...] = ()


FLOORS = (
    ('base',), ('dynamics', 'metrics', 'scene'), ('control',), ('description',), ('simulation',),
    ('world',), ('rendering',), ('sensors', 'entities'),
    ('driver', 'differential', 'faults', 'race'), ('analysis',), ('identification',))
"""The rooms without ROS from the ground up; each imports only what stands below it."""

_ALL_FLOORS = tuple(room for floor in FLOORS for room in floor)
_OF_STACKS = ('bags.folder', 'catalogue', *_ALL_FLOORS, 'ros.topics')


def _below(floor):
    return tuple(room for rooms in FLOORS[:floor] for room in rooms)


ROOMS = {
    **{room: Room(_below(floor)) for floor, rooms in enumerate(FLOORS) for room in rooms},
    'api': Room(_ALL_FLOORS),
    'bags': Room((*_ALL_FLOORS, 'ros.topics')),
    'catalogue': Room(_ALL_FLOORS, by_name=('nodes',)),
    # No vehicle, no law, no analysis.
    'ros': Room(('base', 'description.robot_tree', 'description.urdf', 'scene.grid_map',
                 'simulation.ports', 'signals'), ros=True),
    'nodes': Room(('bags', 'catalogue', *_ALL_FLOORS, 'ros', 'signals', 'terminal'), ros=True),
    # Keys and pictures of characters; modes that are left again however the process ends.
    'terminal': Room((*_ALL_FLOORS, 'signals')),
    # They know a stack by its topics.
    'clients': Room((*_ALL_FLOORS, 'ros', 'terminal'), ros=True),
    # With the definitions of the messages.
    'clients.foxglove': Room(
        ('bags.message_definitions', *_ALL_FLOORS, 'ros'), ros=True),
    # It fills the frames of the cockpit, whose server is in another process.
    'clients.cockpit_bridge': Room(('cockpit', *_ALL_FLOORS, 'ros', 'signals'), ros=True),
    # The server of a page, and what it shows; it starts stacks as processes.
    'cockpit': Room(('bags', 'catalogue', *_ALL_FLOORS, 'neo', 'ros.topics', 'signals', 'stacks')),
    # What a stack is can be said without ROS; three modules start it.
    'stacks': Room(_OF_STACKS),
    'stacks.composing': Room((*_OF_STACKS, 'ros', 'signals'), ros=True),
    'stacks.launching': Room((*_OF_STACKS, 'ros', 'signals'), ros=True),
    'stacks.navigating': Room((*_OF_STACKS, 'ros'), ros=True),
    # Scenario files, and the drives of nodes that they stand for.
    'scenarios': Room((*_ALL_FLOORS, 'clients.graph', 'ros', 'stacks'), ros=True),
    # Programs of a course drive a stack in this process.
    'neo': Room((*_ALL_FLOORS, 'stacks')),
    # Environments for learning.
    'gym': Room(('cockpit', *_ALL_FLOORS)),
    # Graders of courses; the process of a case runs a stack.
    'courses': Room((*_ALL_FLOORS, 'neo', 'signals', 'stacks')),
    'courses.node_case': Room((*_ALL_FLOORS, 'ros', 'signals', 'stacks'), ros=True),
    # As a student's node does.
    'courses.start_node': Room(ros=True),
    # What Python programs and commands have in common.
    'facade': Room(('bags', 'catalogue', *_ALL_FLOORS, 'gym', 'stacks')),
    # Only what needs no ROS, or takes it from the others.
    'cli': Room(('bags', 'catalogue', 'clients', 'cockpit', 'courses', 'facade', *_ALL_FLOORS,
                 'neo', 'nodes', 'ros', 'scenarios', 'signals', 'stacks', 'terminal')),
    'signals': Room(),
    'executables': Room(('base.starting', 'cli.main', 'nodes.shared.entry', 'signals')),
}
"""By what comes after `racecar.`; the longest name counts."""

PLAIN = (*_ALL_FLOORS, 'api', 'bags', 'catalogue', 'cockpit', 'courses', 'facade', 'gym', 'neo',
         'stacks', 'signals', 'executables', 'terminal')
"""Rooms that import nothing of ROS, nor what does."""


@functools.cache
def nodes_of(text):
    """Return the nodes of the syntax tree of a module."""
    return [*ast.walk(ast.parse(text))]


def imports(text, module, is_package=False):
    """Return the full dotted names that a module imports, with line numbers."""
    package = module if is_package else module.rpartition('.')[0]
    found = []
    for node in nodes_of(text):
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


def imports_by_name(text):
    """Return what a module imports by import_module, as far as its text tells, with line numbers.

    Of a name that is put together only the beginning is known.
    """
    return [
        (name, node.lineno) for node in nodes_of(text)
        if isinstance(node, ast.Call) and node.args
        and ast.unparse(node.func).endswith('import_module')
        and (name := beginning(node.args[0]))]


def beginning(node):
    """Return the constant beginning of a text in whole parts, empty without one."""
    if isinstance(node, ast.JoinedStr):
        first = node.values[0]
        return beginning(first).rpartition('.')[0] if isinstance(first, ast.Constant) else ''
    return node.value if isinstance(node, ast.Constant) and isinstance(node.value, str) else ''


def is_below(name, room):
    return f'{name}.'.startswith(f'{room}.')


def room_of(module):
    """Return the room of a module; None if it stands in none."""
    inner = module.removeprefix('racecar').removeprefix('.')
    return max((room for room in ROOMS if is_below(inner, room)), key=len, default=None)


def may_import(room, name, by_name=False):
    """Tell whether the modules of a room may import a name; by_name: by import_module."""
    if ROS.match(name):
        return ROOMS[room].ros
    if not is_below(name, 'racecar'):
        return True
    inner = name.removeprefix('racecar').removeprefix('.')
    own = room.partition('.')[0]
    # `racecar` itself is empty, but who imports it whole means some room of it.
    if is_below(inner, own):
        return room_of(name) in (own, room)
    others = (*ROOMS[room].others, *(ROOMS[room].by_name if by_name else ()))
    return any(is_below(inner, other) for other in others)


@functools.cache
def modules():
    """Return path, full name and whether it is a package of each module."""
    found = []
    for path in sorted((SRC / 'racecar').rglob('*.py')):
        parts = list(path.relative_to(SRC).with_suffix('').parts)
        is_package = parts[-1] == '__init__'
        found.append((path, '.'.join(parts[:-1] if is_package else parts), is_package))
    return found


def test_every_module_stands_in_a_room():
    names = [name for _, name, _ in modules()]
    assert [name for name in names if room_of(name) is None] == ['racecar']
    assert {room_of(name) for name in names} == {*ROOMS, None}


def test_digests_of_kernels_cover_what_the_syntax_trees_of_their_modules_import():
    """The digest reads imports by patterns: it may find more than there are, never less."""
    texts = {name: path.read_text() for path, name, _ in modules()}
    kernels = re.compile(r'^ *@(pure|routine|subroutine|kernel|importable|by_type)$', re.MULTILINE)
    roots = [name for name, text in texts.items() if kernels.search(text)]
    assert len(roots) > 90
    covered = modules_of(frozenset(roots))
    assert len(roots) < len(covered) < 0.5 * len(texts)
    packages = {name for _, name, is_package in modules() if is_package}
    for module in covered:
        for name, line in imports(texts[module], module, module in packages):
            found = next((each for each in (name, name.rpartition('.')[0]) if each in texts), None)
            if found and found not in covered:
                assert is_for_types(texts[module], line), f'{module}:{line} imports {name}'


def is_for_types(text, line):
    """Tell whether a line stands under TYPE_CHECKING."""
    return any(
        isinstance(node, ast.If) and ast.unparse(node.test).endswith('TYPE_CHECKING')
        and node.lineno <= line <= (node.end_lineno or 0) for node in ast.parse(text).body)


def test_no_room_is_so_large_that_nobody_finds_the_way():
    lines: collections.Counter[str] = collections.Counter()
    for path, module, _ in modules():
        lines[module.split('.')[1] if '.' in module else ''] += len(path.read_text().splitlines())
    total = sum(lines.values())
    assert {room: n for room, n in lines.items() if n > 0.12 * total} == {}


@pytest.mark.parametrize('room', ROOMS)
def test_a_room_imports_what_its_row_allows(room):
    found = []
    for path, module, is_package in modules():
        if room_of(module) == room:
            text = path.read_text()
            found += [
                f'{path.relative_to(SRC)}:{line} imports {name}'
                for by_name, names in enumerate(
                    (imports(text, module, is_package), imports_by_name(text)))
                for name, line in names if not may_import(room, name, by_name)]
    assert found == []


@pytest.mark.parametrize('room', ROOMS)
def test_the_check_sees_what_a_room_imports_of_any_other(room):
    module = f'racecar.{room}' if '.' in room else f'racecar.{room}.module'
    others = [other for other in ROOMS if '.' not in other and not is_below(room, other)]
    assert len(others) > 20
    for other in others:
        allowed = [name for name in ROOMS[room].others if is_below(name, other)]
        for text in (f'from racecar.{other}.x import Y', f'from racecar.{other} import x',
                     f'from ..{other}.x import y', f'import racecar.{other}',
                     f'def f():\n    import racecar.{other} as z'):
            (name, _), = imports(text, module)
            assert may_import(room, name) == (other in allowed), text
        for text in (f'importlib.import_module("racecar.{other}.x")',
                     f'import_module(f"racecar.{other}.{{name}}")'):
            (name, _), = imports_by_name(text)
            assert may_import(room, name, by_name=True) == (
                other in allowed or other in ROOMS[room].by_name), text
        for name in allowed:
            assert may_import(room, f'racecar.{name}.thing')


@pytest.mark.parametrize(('room', 'text', 'allowed'), [
    ('simulation', 'import rclpy', False),
    ('simulation', 'import rclpy.node as n', False),
    ('simulation', 'from nav_msgs.msg import Odometry', False),
    ('simulation', 'from racecar_interfaces.srv import Reset', False),
    ('simulation', 'import std_srvs.srv', False),
    ('simulation', 'from launch_ros.actions import Node', False),
    ('simulation', 'def f():\n    import rclpy', False),
    ('simulation', 'from racecar import ros', False),
    ('simulation', 'from racecar.ros import topics', False),
    ('simulation', 'from racecar.stacks import x', False),
    ('simulation', 'from racecar import stacks', False),
    ('simulation', 'from racecar.bags.reader import BagReader', False),
    ('simulation', 'from .. import bags', False),
    ('simulation', 'import numpy as np', True),
    ('base', 'from racecar.base import types', True),
    ('base', 'from .types import Pose2', True),
    ('base', 'from racecar.dynamics.tyres import fiala', False),
    ('dynamics', 'from racecar.scene import Scene', False),
    ('scene', 'from racecar import dynamics', False),
    ('control', 'from racecar.simulation.simulator import Simulator', False),
    ('simulation', 'from racecar.control import laws', True),
    ('simulation', 'from racecar.sensors.laser import Laser', False),
    ('sensors', 'from racecar.rendering.lens import Lens', True),
    ('differential', 'from racecar.driver import car', False),
    ('analysis', 'from racecar.differential.description import x', True),
    ('simulation', 'import math', True),
    ('bags', 'import rclpy', False),
    ('bags', 'from racecar.ros import topics', True),
    ('bags', 'from racecar.ros.topics import CLOCK', True),
    ('bags', 'from racecar.ros.topics_of_others import X', False),
    ('bags', 'from racecar.ros import qos', False),
    ('bags', 'from racecar.ros import topics, qos', False),
    ('bags', 'import racecar.ros', False),
    ('bags', 'import rosbags', True),
    ('catalogue', 'from racecar.ros import topics', False),
    ('catalogue', 'import racecar.nodes.ackermann_mux', False),
    ('ros', 'from racecar.dynamics.vehicles import single_track', False),
    ('ros', 'from racecar import dynamics', False),
    ('ros', 'from racecar.description import vehicle_description', False),
    ('ros', 'from racecar.description.urdf import RobotDescription', True),
    ('ros', 'from .. import control', False),
    ('ros', 'import racecar.simulation', False),
    ('ros', 'from racecar.nodes import x', False),
    ('ros', 'from racecar.stacks import x', False),
    ('ros', 'from racecar import stacks', False),
    ('ros', 'from racecar import catalogue', False),
    ('ros', 'from racecar.bags import folder', False),
    ('ros', 'from racecar.base import parameters', True),
    ('ros', 'from racecar.base.types import Pose2', True),
    ('ros', 'from ..base.errors import ParameterError', True),
    ('ros', 'from . import qos', True),
    ('ros', 'import rclpy', True),
    ('nodes', 'from racecar.stacks import parts', False),
    ('nodes', 'from racecar.clients.run_probe import RunProbe', False),
    ('nodes', 'from racecar.cli import output', False),
    ('nodes', 'from racecar.bags.writer import BagWriter', True),
    ('clients', 'from racecar.nodes.shared import entry', False),
    ('clients', 'from racecar.stacks import parts', False),
    ('clients', 'from racecar.catalogue import NODES', False),
    ('stacks', 'import rclpy', False),
    ('stacks', 'from racecar.ros.node import TableNode', False),
    ('stacks', 'from racecar.nodes import ackermann_mux', False),
    ('stacks', 'from racecar.bags.reader import BagReader', False),
    # What is said without ROS does not lean on what starts it.
    ('stacks', 'from racecar.stacks import composing', False),
    ('stacks.composing', 'from racecar.stacks import launching', False),
    ('stacks.composing', 'from racecar.stacks import parts', True),
    ('stacks.composing', 'import rclpy', True),
    ('stacks.composing', 'from racecar.ros.node import TableNode', True),
    ('stacks.composing', 'from racecar.cli import output', False),
    ('cli', 'import rclpy', False),
    ('cli', 'from racecar.stacks.composing import ComposedStack', True),
    ('signals', 'from racecar.base import errors', False),
    ('executables', 'from racecar.nodes.ackermann_mux import main', False),
])
def test_the_check_tells_what_a_room_may_import(room, text, allowed):
    found = imports(text, f'racecar.{room}.module' if '.' not in room else f'racecar.{room}')
    assert all(may_import(room, name) for name, _ in found) == allowed


def module_graph(sources):
    """Return the modules that each module imports, inside functions too.

    sources: {module: (text, is_package)}. That a package runs before a module in it does not
    count, nor that it imports its modules for those who want them by its name.
    """
    graph = {}
    for module, (text, is_package) in sources.items():
        found = set()
        for name, _ in imports(text, module, is_package):
            while name and name not in sources:
                name = name.rpartition('.')[0]
            if name not in ('', module):
                found.add(name)
        graph[module] = found
    return graph


def circles(graph):
    """Return the sorted names of modules that import each other, however far around."""
    sorter = graphlib.TopologicalSorter(graph)
    try:
        sorter.prepare()
    except graphlib.CycleError as error:
        return sorted(set(error.args[1]))
    return []


def test_no_modules_import_each_other_in_a_circle():
    sources = {name: (path.read_text(), is_package) for path, name, is_package in modules()}
    assert circles(module_graph(sources)) == []


@pytest.mark.parametrize(('second', 'expected'), [
    ('import math', []), ('from racecar.one import X', ['racecar.one', 'racecar.two']),
    ('def f():\n    from racecar import one', ['racecar.one', 'racecar.two']),
    ('if TYPE_CHECKING:\n    from .one import X', ['racecar.one', 'racecar.two'])])
def test_a_circle_of_modules_is_found(second, expected):
    sources = {'racecar.one': ('from racecar.two import Y', False),
               'racecar.two': (second, False)}
    assert circles(module_graph(sources)) == expected


def test_plain_rooms_load_nothing_of_ros():
    """Also what they import may import nothing of it."""
    names = [name for _, name, _ in modules() if room_of(name) in PLAIN]
    assert len(names) > 60
    done = subprocess.run(
        [sys.executable, '-c',
         'import importlib, sys\n'
         f'for name in {names}:\n    importlib.import_module(name)\n'
         'print("\\n".join(sys.modules))'],
        capture_output=True, text=True, check=True, cwd=SRC)
    loaded = done.stdout.splitlines()
    assert set(names) <= set(loaded)
    assert [name for name in loaded if ROS.match(name)] == []
