# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""`racecar completion`: a script that lets a shell complete commands, options and names."""

from __future__ import annotations

import argparse

from racecar.base.errors import ConfigurationError
from racecar.cli.choices import one_of

SHELLS = ('bash', 'zsh', 'tcsh')


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments of `racecar completion`."""
    parser.description = (
        'Print a script that completes the commands, their options, and the names of'
        ' configurations, vehicles, trajectories, tyres and worlds. For bash, put'
        ' `source <(racecar completion bash)` into ~/.bashrc; for zsh, write the output to a file'
        ' _racecar in a folder of $fpath; for tcsh, to a file that ~/.tcshrc sources.')
    parser.add_argument('shell', type=one_of(SHELLS), choices=SHELLS, metavar='SHELL',
                        help=', '.join(SHELLS))


def run(arguments: argparse.Namespace) -> int:
    """Print the script; returns 0. Raises ConfigurationError where shtab is not installed."""
    print(script(arguments.shell))
    return 0


def script(shell: str) -> str:
    """Script for a shell. Raises ConfigurationError where shtab is not installed."""
    try:
        import shtab
    except ImportError:
        raise ConfigurationError(
            'the Python package shtab, which writes the script, is not installed:'
            ' pip install shtab') from None
    from racecar.cli.main import COMMANDS, make_parsers

    return str(shtab.complete(make_parsers(COMMANDS).whole, shell))
