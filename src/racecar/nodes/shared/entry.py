# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""`ros2 run racecar NODE`: what is missing, --help and stray arguments, before the node starts."""

from __future__ import annotations

import ast
from collections.abc import Sequence
import importlib
import inspect
import re
import sys
from types import ModuleType

from racecar.base.errors import RacecarError
from racecar.base.parameter_text import described
from racecar.base.parameters import ParameterTable
from racecar.base.share import share_folder
from racecar.catalogue import TABLES
from racecar.dynamics.vehicles.parameters import VEHICLE_FILE_PARAMETERS

_HELP = ('-h', '--help')
_ROS_ARGUMENTS = '--ros-args -p NAME:=VALUE, --params-file FILE or -r FROM:=TO'


class _UsageError(RacecarError):
    """The command line cannot be used."""


def run_executable(executable: str, argv: Sequence[str]) -> int:
    """Run a node, or print its usage; return 0, 1, or 2 for bad usage.

    argv: the command line with the program. What went wrong stands in one line on stderr.
    """
    try:
        module = importlib.import_module(f'racecar.nodes.{executable}')
    except RacecarError as error:
        return _refuse(error, 1)
    except ModuleNotFoundError as error:
        if not error.name or error.name.split('.')[0] == 'racecar':
            raise
        return _refuse(f'{error}: run `rosdep install --ignore-src -y --from-paths .` in the'
                       ' folder of the repository', 1)
    table = TABLES[executable]
    try:
        if _asks_for_help(executable, table, argv):
            print(usage(executable, module, table))
            return 0
    except _UsageError as error:
        return _refuse(error, 2)
    return int(module.main())


def usage(executable: str, module: ModuleType, table: ParameterTable) -> str:
    """Help text of a node: purpose, topics, parameters and how to set them."""
    own = [row for row in table if row.name not in VEHICLE_FILE_PARAMETERS]
    example = next((row for row in own if row.type is float and row.default), None)
    lines = [
        f'usage: ros2 run racecar {executable} [--help] [--ros-args [-p NAME:=VALUE]...'
        ' [--params-file FILE]... [-r FROM:=TO]...]', '', *_about(module), '',
        'Parameters, with -p NAME:=VALUE or in a ROS parameter file:']
    if example is not None:
        lines.append(
            f'    ros2 run racecar {executable} --ros-args -p {example.name}:={example.default}')
    if len(own) < len([*table]):
        vehicle = share_folder() / 'config' / 'vehicles' / 'racecar.yaml'
        lines += [f'Those of the vehicle come from a file, as --params-file {vehicle};',
                  '`racecar parameters vehicle` lists them.']
    return '\n'.join([*lines, '', *described(own)])


def _about(module: ModuleType) -> list[str]:
    """Return the documentation of the node and of what it is derived from in this package."""
    from racecar.ros.node import TableNode

    node = next(
        kind for _, kind in inspect.getmembers(module, inspect.isclass)
        if issubclass(kind, TableNode) and kind.__module__ == module.__name__)
    texts = [
        inspect.cleandoc(kind.__doc__ or '') for kind in node.__mro__
        if issubclass(kind, TableNode) and kind is not TableNode]
    # Names of Python modules mean nothing here, and what they name follows.
    return re.sub(r'(those of )?racecar(\.\w+)+', 'see below', '\n\n'.join(texts)).splitlines()


def _asks_for_help(executable: str, table: ParameterTable, argv: Sequence[str]) -> bool:
    """Whether the usage is wanted; raise _UsageError for what ROS does not take."""
    stray = _stray(argv)
    if any(word in _HELP for word in stray):
        return True
    if stray:
        word = stray[0]
        name, assigned, _ = word.partition(':=')
        remedy = f'did you mean --ros-args -p {word}?' if assigned and name in table else (
            f'expected {_ROS_ARGUMENTS}; `ros2 run racecar {executable} --help` lists parameters')
        raise _UsageError(f'argument {word!r} is unknown here: {remedy}')
    return False


def _stray(argv: Sequence[str]) -> list[str]:
    """Return the arguments that ROS has no use for; raise _UsageError for what it cannot read."""
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
