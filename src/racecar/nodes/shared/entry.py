# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""`ros2 run racecar NODE`: what is missing, --help and stray arguments, before the node starts."""

from __future__ import annotations

import ast
from collections.abc import Sequence
import inspect
import re
import sys
from typing import TYPE_CHECKING

from racecar.base.errors import excerpt, MissingParameterError, ParameterError, RacecarError
from racecar.base.parameter_text import described
from racecar.base.parameters import suggestion
from racecar.base.share import find_vehicle
from racecar.catalogue import NODES, NodeSpec

if TYPE_CHECKING:
    from racecar.ros.node import TableNode

_HELP = ('-h', '--help')
_ROS_ARGUMENTS = '--ros-args -p NAME:=VALUE, --params-file FILE or -r FROM:=TO'


class _UsageError(RacecarError):
    """The command line cannot be used."""


def run_executable(executable: str, argv: Sequence[str]) -> int:
    """Run a node, or print its usage; return 0, 1, or 2 for bad usage.

    argv: the command line with the program. What went wrong stands in one line on stderr.
    """
    spec = NODES.get(executable)
    if spec is None:
        return _refuse(
            f"node {excerpt(executable)} is unknown, expected one of {', '.join(NODES)}"
            f'{suggestion(executable, NODES)}', 2)
    try:
        spec.load_class()
        from racecar.ros.run_node import run_node
    except RacecarError as error:
        return _refuse(error, 1)
    except ModuleNotFoundError as error:
        if not error.name or error.name.split('.')[0] == 'racecar':
            raise
        return _refuse(f'{error}: run `rosdep install --ignore-src -y --from-paths .` in the'
                       ' folder of the repository', 1)
    try:
        if _asks_for_help(spec, argv):
            print(usage(spec))
            return 0
    except _UsageError as error:
        return _refuse(error, 2)
    run_node(lambda: _made(spec))


def _made(spec: NodeSpec) -> TableNode:
    try:
        node: TableNode = spec.make_node()
    except MissingParameterError as error:
        from racecar.dynamics.vehicles.parameters import VEHICLE_FILE_PARAMETERS

        if error.name in VEHICLE_FILE_PARAMETERS:
            arguments = f"--params-file {find_vehicle('racecar')}"
        else:
            arguments = f'-p {error.name}:={spec.table[error.name].example}'
        raise ParameterError(
            f'{error}: ros2 run racecar {spec.name} --ros-args {arguments}') from error
    return node


def usage(spec: NodeSpec) -> str:
    """Help text of a node: purpose, topics, parameters and how to set them."""
    from racecar.dynamics.vehicles.parameters import VEHICLE_FILE_PARAMETERS

    executable = spec.name
    own = [row for row in spec.table if row.name not in VEHICLE_FILE_PARAMETERS]
    example = next((row for row in own if row.type is float and row.default), None)
    lines = [
        f'usage: ros2 run racecar {executable} [--help] [--ros-args [-p NAME:=VALUE]...'
        ' [--params-file FILE]... [-r FROM:=TO]...]', '', *_about(spec), '',
        'Parameters, with -p NAME:=VALUE or in a ROS parameter file:']
    if example is not None:
        lines.append(
            f'    ros2 run racecar {executable} --ros-args -p {example.name}:={example.default}')
    if len(own) < len([*spec.table]):
        vehicle = find_vehicle('racecar')
        lines += [f'Those of the vehicle come from a file, as --params-file {vehicle};',
                  '`racecar parameters vehicle` lists them.']
    return '\n'.join([*lines, '', *described(own)])


def _about(spec: NodeSpec) -> list[str]:
    """Documentation of the node and of what it is derived from in this package."""
    from racecar.ros.node import TableNode

    texts = [
        inspect.cleandoc(kind.__doc__ or '') for kind in spec.load_class().__mro__
        if issubclass(kind, TableNode) and kind is not TableNode]
    if spec.law is not None:
        texts[0] = spec.law.about
    # Names of Python modules mean nothing here, and what they name follows.
    return re.sub(r'(those of )?racecar(\.\w+)+', 'see below', '\n\n'.join(texts)).splitlines()


def _asks_for_help(spec: NodeSpec, argv: Sequence[str]) -> bool:
    """Whether the usage is wanted; raise _UsageError for what ROS does not take."""
    stray = _stray(argv)
    if any(word in _HELP for word in stray):
        return True
    if stray:
        word = stray[0]
        name, assigned, _ = word.partition(':=')
        remedy = f'did you mean --ros-args -p {word}?' if assigned and name in spec.table else (
            f'expected {_ROS_ARGUMENTS}; `ros2 run racecar {spec.name} --help` lists parameters')
        raise _UsageError(f'argument {word!r} is unknown here: {remedy}')
    return False


def _stray(argv: Sequence[str]) -> list[str]:
    """Arguments that ROS has no use for; raise _UsageError for what it cannot read."""
    from rclpy.impl.implementation_singleton import rclpy_implementation
    from rclpy.utilities import remove_ros_args

    try:
        return list(remove_ros_args(argv)[1:])
    except rclpy_implementation.UnknownROSArgsError as error:
        # Its text is the list of them.
        return list(ast.literal_eval(str(error)))
    except rclpy_implementation.RCLInvalidROSArgsError as error:
        # Without the places in rcl's sources and the numbers of its lexemes.
        text = str(error).removeprefix('Failed to parse ROS arguments: ')
        reason, *_ = re.split(r', at /|\. Error: Expected lexeme', text)
        raise _UsageError(f'{reason}; expected {_ROS_ARGUMENTS}') from error


def _refuse(error: object, code: int) -> int:
    print(f'[node not started] error: {error}', file=sys.stderr)
    return code
