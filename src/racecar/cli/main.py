# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""Entry point of the command `racecar`: finds the subcommand and reports errors in one line."""

from __future__ import annotations

import argparse
from collections.abc import Collection, Mapping, Sequence
import contextlib
import importlib
import os
import re
import signal
import sys
from types import ModuleType
from typing import NamedTuple, NoReturn

from racecar.base.errors import RacecarError
from racecar.base.parameters import suggestion
from racecar.signals import code_of_command, Interruption

COMMANDS = {
    'demo': 'drive with all nodes, record a bag, print the error, draw pictures',
    'up': 'run the nodes of a configuration in one process; needs no launch package',
    'cockpit': 'watch and drive in a browser; starts configurations, or attaches to one',
    'replay': 'watch a recorded bag or run in a browser: play, pause, scrub',
    'neo': 'drive the car by programs of the RACECAR Neo course, without ROS',
    'course': "run students' programs through the cases of a lab, unmodified, and mark them",
    'simulate': 'run a configuration without ROS, far faster than real time',
    'reproduce': "run the report's experiments again and set the figures side by side",
    'sweep': 'simulate a grid or a random sample of parameters, many cars at once',
    'campaign': 'run a car with faults drawn at random and say what was survived',
    'scenario': 'run the nodes of scenarios and hold their ends against what is expected',
    'tune': 'seek the best values of parameters: gains, settings, numbers of the vehicle',
    'analyze': 'compute the tracking error of a recorded run, draw it and write an HTML report',
    'compare': 'compare runs: metrics as a table, paths, errors and parameters in an HTML report',
    'animate': 'draw runs from above as a GIF or MP4: path, cars, trails and time',
    'identify': 'fit a vehicle to logs of real drives and say what they can tell',
    'render': 'draw a picture or a video of a world, a recorded bag or a run',
    'track': 'find the centre line of a track in a map, show and check it; make or fetch one',
    'raceline': 'make a line round a track by curvature or lap time, with its speeds',
    'league': 'race controllers on lines, plants and conditions against each other',
    'race': 'let cars race by the rules of RoboRacer, judge them, and drive a race again',
    'vehicle': 'show the figures of a vehicle, export it as URDF and MJCF, draw it',
    'parameters': 'print the parameters of a node: type, default, range, unit, meaning',
    'examples': 'copy notebooks, sweeps, controllers and other files to begin with',
    'topic': 'list, echo, measure and publish topics, as ros2 topic',
    'node': 'list running nodes and what they publish and offer, as ros2 node',
    'param': 'list, get and set parameters of running nodes, as ros2 param',
    'service': 'list and call services, as ros2 service',
    'foxglove': 'serve running nodes to the Foxglove app: topics, parameters, services',
    'completion': 'print a script for a shell that completes commands, options and names',
}
"""Commands and what they do. The module of each has add_arguments(parser) and run(arguments),
which returns the exit code; the texts stand here, so that `racecar --help` imports no module."""

_WITHOUT_ROS = ('nodes need ROS 2: source an installation, or take `./run racecar` in a clone of'
                ' the repository, which brings it; `racecar simulate` needs none')


class Parsers(NamedTuple):
    """The parser of `racecar`, and those of its commands by name."""

    whole: argparse.ArgumentParser
    commands: Mapping[str, argparse.ArgumentParser]


def make_parsers(
    complete: Collection[str], kind: type[argparse.ArgumentParser] = argparse.ArgumentParser,
) -> Parsers:
    """Parsers, of a kind; only the commands in complete have their arguments."""
    parser = kind(
        prog='racecar', description='A car-like robot stack for ROS 2, with or without ROS.',
        epilog='`racecar COMMAND --help` describes a command and its options.')
    parser.add_argument('--version', action=_Version, nargs=0, help='print the version and exit')
    subparsers = parser.add_subparsers(dest='command', required=True, metavar='COMMAND')
    for name, text in COMMANDS.items():
        command = subparsers.add_parser(name, help=text)
        if name in complete:
            _module(name).add_arguments(command)
    return Parsers(parser, subparsers.choices)


def main(arguments: Sequence[str] | None = None) -> int:
    """Run a subcommand; returns 0, or 1 after an error, 2 for bad usage.

    After SIGINT it is 130, after SIGTERM 143.
    """
    words = with_number_lists(sys.argv[1:] if arguments is None else list(arguments))
    name = next((word for word in words if not word.startswith('-')), '')
    try:
        return _run(words, name)
    except (OSError, MemoryError, RuntimeError) as error:
        text = _of_the_system(error)
        if text is None:
            raise
        _drop_output()
        print(f'racecar {name}: error: {text}', file=sys.stderr)
        return 1


def _of_the_system(error: Exception) -> str | None:
    """Say in one line what the system refused; None for an error of the program."""
    if isinstance(error, MemoryError) or 'start new thread' in str(error):
        return ('memory or threads of this process do not suffice: shorten the run, vary less at a'
                ' time, or raise the limit (ulimit)')
    # A reader who has seen enough is for ending_with_the_reader().
    if not isinstance(error, OSError) or isinstance(error, BrokenPipeError | FileNotFoundError):
        return None
    if error.errno is None:
        # Of a library that could not be loaded, for example.
        reason = str(error).partition('. ')[0]
        return f'{reason}; do the limits of this process suffice (ulimit -a)?'
    place = f"'{error.filename}': " if error.filename else ''
    return f'{place}{error.strerror}'


def _run(words: Sequence[str], name: str) -> int:
    """Run the subcommand of a name, flush what it printed, and return its exit code."""
    parsers = make_parsers({name} & COMMANDS.keys())
    if name and name not in COMMANDS:
        parsers.whole.error(f"unknown command '{name}', expected one of {', '.join(COMMANDS)}"
                            f'{suggestion(name, COMMANDS)}')
    parsed, unknown = parsers.whole.parse_known_args(words)
    if unknown:
        _refuse(parsers.commands[parsed.command], unknown, words)
    try:
        code = int(_module(parsed.command).run(parsed))
        _flush()
        return code
    except RacecarError as error:
        print(f'racecar {parsed.command}: error: {error}', file=sys.stderr)
        return 1
    except ImportError as error:
        if error.name and error.name.split('.')[0].startswith('racecar'):
            raise
        print(f'racecar {parsed.command}: error: {_missing(error)}', file=sys.stderr)
        return 1
    except Interruption as error:
        number = error.number
    except KeyboardInterrupt:
        number = signal.SIGINT
    print(f'racecar {parsed.command}: interrupted', file=sys.stderr)
    return code_of_command(number)


def _missing(error: ImportError) -> str:
    """Say in one line which library is missing, and where it comes from."""
    from racecar.base.extras import LIBRARIES, not_installed

    module = (error.name or '').partition('.')[0]
    if module in LIBRARIES:
        return str(not_installed('this command', module))
    return f'{error}; {_WITHOUT_ROS}' if module.startswith('rclpy') else str(error)


def _flush() -> None:
    """Write what was printed, which would else fail while Python ends, where nobody catches it."""
    if sys.stdout is not None:  # as after `>&-`
        sys.stdout.flush()


def _drop_output() -> None:
    """Forget what cannot be printed, which Python would try once more at its end."""
    try:
        _flush()
    except OSError:
        # Not of a stream that stands in for it, which has no descriptor.
        with contextlib.suppress(OSError, ValueError):
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _module(command: str) -> ModuleType:
    return importlib.import_module(f'racecar.cli.{command}')


class _Version(argparse.Action):
    """Prints the version, which is looked up only then."""

    def __call__(self, parser: argparse.ArgumentParser, *_: object) -> NoReturn:
        from racecar.base.share import version

        print(f'racecar {version()}')
        parser.exit()


# Numbers of which the first is negative, which argparse takes for an option.
_NUMBER_LIST = re.compile(r'-[\d.][\d.eE+-]*(,[\d.eE+-]*)+')


def with_number_lists(words: Sequence[str]) -> list[str]:
    """Join each long option with a list of numbers that follows it: --at -1,2 to --at=-1,2."""
    joined: list[str] = []
    for word in words:
        if joined and joined[-1].startswith('--') and '=' not in joined[-1] and (
                _NUMBER_LIST.fullmatch(word)):
            joined[-1] += f'={word}'
        else:
            joined.append(word)
    return joined


def _refuse(
    parser: argparse.ArgumentParser, unknown: Sequence[str], words: Sequence[str],
) -> NoReturn:
    """End with the usage of the command, where argparse alone shows that of `racecar`."""
    for option, setting, value in zip(words, words[1:], words[2:], strict=False):
        if option == '--set' and '=' not in setting and value == unknown[0]:
            parser.error(f'--set {setting} {value}: expected {setting}={value}')
    option = unknown[0].partition('=')[0]
    options = re.findall(r'(?<=[\[| ])--[\w-]+', parser.format_usage())
    nearest = suggestion(option, options) if option.startswith('--') else ''
    parser.error(f"unrecognized arguments: {' '.join(unknown)}{nearest}")


if __name__ == '__main__':
    sys.exit(main())
