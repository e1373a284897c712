# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""Entry point of the command `racecar`: finds the subcommand and reports errors in one line."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
import importlib
import re
import signal
import sys
from typing import NoReturn

from racecar.core.errors import RacecarError
from racecar.core.parameters import suggest
from racecar.signals import code_of_command, Interruption

# Each module has HELP, add_arguments(parser) and run(arguments) -> exit code.
_COMMANDS = ('demo', 'up', 'simulate', 'reproduce', 'sweep', 'analyze', 'identify', 'render',
             'parameters')


def main(arguments: Sequence[str] | None = None) -> int:
    """Run a subcommand; returns 0, or 1 after an error, 2 for bad usage.

    After SIGINT it is 130, after SIGTERM 143.
    """
    parser = argparse.ArgumentParser(
        prog='racecar', description='A car-like robot stack for ROS 2, with or without ROS.')
    subparsers = parser.add_subparsers(dest='command', required=True, metavar='COMMAND')
    modules = {name: importlib.import_module(f'racecar.cli.{name}') for name in _COMMANDS}
    for name, module in modules.items():
        module.add_arguments(subparsers.add_parser(name, help=module.HELP))
    parsed, unknown = parser.parse_known_args(arguments)
    if unknown:
        _refuse(subparsers.choices[parsed.command], unknown)
    try:
        return int(modules[parsed.command].run(parsed))
    except RacecarError as error:
        print(f'racecar {parsed.command}: error: {error}', file=sys.stderr)
        return 1
    except ImportError as error:
        if error.name and error.name.split('.')[0].startswith('racecar'):
            raise
        print(f'racecar {parsed.command}: error: {error}', file=sys.stderr)
        return 1
    except Interruption as error:
        number = error.number
    except KeyboardInterrupt:
        number = signal.SIGINT
    print(f'racecar {parsed.command}: interrupted', file=sys.stderr)
    return code_of_command(number)


def _refuse(parser: argparse.ArgumentParser, unknown: Sequence[str]) -> NoReturn:
    """End with the usage of the command, where argparse alone shows that of `racecar`."""
    option = unknown[0].partition('=')[0]
    options = re.findall(r'(?<=\[)--[\w-]+', parser.format_usage())
    nearest = f'; {suggest(option, options)}' if option.startswith('--') else ''
    parser.error(f"unrecognized arguments: {' '.join(unknown)}{nearest}")


if __name__ == '__main__':
    sys.exit(main())
