# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""Starts a node of a student's: `python start_node.py SETTINGS ARGUMENTS ...`.

A program of its own, for any Python with rclpy. The settings are JSON: `target`, a file or
module:function; `name` of the program; `dynamic_parameters`, whether parameters take values of
another type than that of their default, as in ROS 2 Foxy, for which programs of courses are
written that declare a number with the default 'default'. Since Galactic that is an error.
"""

from __future__ import annotations

from functools import wraps
import importlib
import json
import os
import runpy
import sys


def allow_any_type() -> None:
    """Let nodes declare parameters whose type may change."""
    from rcl_interfaces.msg import ParameterDescriptor
    from rclpy.node import Node

    declare = Node.declare_parameter

    @wraps(declare)
    def declare_dynamic(
        self: Node, name: str, value: object = None,
        descriptor: ParameterDescriptor | None = None, ignore_override: bool = False,
    ) -> object:
        descriptor = descriptor or ParameterDescriptor()
        descriptor.dynamic_typing = True
        return declare(self, name, value, descriptor, ignore_override)

    Node.declare_parameter = declare_dynamic  # type: ignore[method-assign,assignment]


def main() -> None:
    """Run the target as if it had been started itself."""
    settings = json.loads(sys.argv[1])
    target = settings['target']
    sys.argv = [settings['name'], *sys.argv[2:]]
    # The folder of this file is none of the student's.
    sys.path[0] = os.path.dirname(target) if target.endswith('.py') else os.getcwd()
    if settings['dynamic_parameters']:
        allow_any_type()
    if target.endswith('.py'):
        runpy.run_path(target, run_name='__main__')
    else:
        module, _, function = target.partition(':')
        sys.exit(getattr(importlib.import_module(module), function)())


if __name__ == '__main__':
    main()
