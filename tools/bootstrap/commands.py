# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""The commands of ./run."""

import difflib
import os
import re
import shutil
import signal
import sys
from typing import Any, List

from . import paths
from .checks import missing_modules
from .choice import choose
from .errors import SetupError, Stopped, UnknownCommandError
from .processes import exclusive
from .stamps import remove
from .terminal import say


def clean() -> None:
    """Remove everything that was prepared, except the lock that guards it."""
    if not paths.STATE.exists():
        return
    with exclusive():
        for path in paths.STATE.iterdir():
            if path.name != 'lock':
                remove(path)


def command_line(arguments: List[str]) -> List[str]:
    """Translate the short commands into what is executed."""
    command, rest = arguments[0], arguments[1:]
    if command == 'demo':
        return [paths.PACKAGE, 'demo', *rest]
    if command == 'test':
        return ['python3', '-m', 'pytest', *rest]
    if command == 'shell':
        return [os.environ.get('SHELL') or 'bash', *rest]
    return arguments


def parallel(arguments: List[str]) -> List[str]:
    """Return pytest's options for two workers a core, where they pay.

    Tests wait for processes that they start, as nodes and browsers: three workers leave two cores
    idle for a fifth of the time. Starting workers takes longer than most files, and a file named
    by hand is often being debugged.
    """
    named = [word.partition('::')[0] for word in arguments if not word.startswith('-')]
    if any('/' in word and not (paths.ROOT / word).exists() for word in named):
        # pytest says that there is no such file, but not if workers look for it.
        return []
    paths_named = [paths.ROOT / word for word in named if (paths.ROOT / word).exists()]
    if paths_named and all(path.is_file() for path in paths_named):
        return []
    if any(re.match(r'-n|--numprocesses|--dist|--pdb|--trace$|-s$|-p', word)
           for word in arguments):
        return []
    # Who is done takes over tests of others: some last a second, some half a minute.
    workers = 2 * len(os.sched_getaffinity(0))
    return ['-n', str(workers), '--dist', 'worksteal']


# Those of this script itself.
OWN_COMMANDS = ('help', 'demo', 'test', 'setup', 'shell', 'clean')


def unknown(command: str) -> UnknownCommandError:
    """Return the error for a command that exists nowhere."""
    if command == 'ros2':
        return UnknownCommandError(
            'there is no ros2 command here: it comes with a ROS 2 installation, not with the '
            'wheels. `./run racecar --help` lists what works without.'
        )
    near = difflib.get_close_matches(command, [*OWN_COMMANDS, *sorted(MADE_BY_SETUP)], 1)
    return UnknownCommandError(
        f'unknown command {command!r}: '
        + (f'did you mean {near[0]}? ' if near else '')
        + '`./run help` lists the commands.'
    )


# Come into being only by the set-up, so they cannot be looked for before it.
MADE_BY_SETUP = {
    paths.PACKAGE, 'colcon', 'cmake', 'ninja', 'hypothesis', 'mypy', 'numba', 'pip', 'pip3',
    'pytest', 'py.test', 'python', 'ruff', 'yamllint',
}


def execute(arguments: List[str]) -> None:
    """Replace this process by the command, in the prepared environment."""
    command = command_line(arguments)
    program = command[0]
    preparation = choose()
    environment = preparation.environment()
    if environment is None:
        # A slip of the pen must not cost the minutes of a first set-up.
        if program not in MADE_BY_SETUP and shutil.which(program) is None:
            raise unknown(program)
        environment = preparation.prepare()
    found = shutil.which(program, path=environment['PATH'])
    if found is None:
        raise unknown(program)
    if arguments[0] == 'test':
        os.chdir(str(paths.ROOT))
        if not missing_modules(found, ['xdist'], environment):
            command += parallel(arguments[1:])
    if sys.stdout is not None:  # as after `>&-`
        sys.stdout.flush()
    try:
        os.execve(found, command, environment)
    except OSError as error:
        raise SetupError(f'cannot execute {found}: {error.strerror}') from None


def on_signal(number: int, frame: Any) -> None:
    """Turn a signal into an exception, so that children are ended first."""
    raise Stopped(number)


def main(arguments: List[str], usage: str) -> int:
    """Run one command of ./run and return its exit code."""
    if not arguments or arguments[0] in ('help', '-h', '--help'):
        try:
            print(usage.strip(), flush=True)
        except BrokenPipeError:
            # Who reads has seen enough, as in `./run help | head`.
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0
    before = {
        number: signal.signal(number, on_signal)
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
    }
    try:
        if arguments[0] == 'clean':
            clean()
        elif arguments[0] == 'setup':
            choose().prepare()
            say('ready.')
        else:
            execute(arguments)
    except SetupError as error:
        say(f'run: {error}')
        return 127 if isinstance(error, UnknownCommandError) else 1
    except Stopped as stop:
        say('\nrun: stopped; the next call takes up from a clean state.')
        return 128 + stop.number
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
    return 0
