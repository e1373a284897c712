# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""`racecar demo drive`: a person drives; recorded, with a summary of the drive."""

from __future__ import annotations

import argparse
from pathlib import Path
import signal
import sys

from racecar.base.errors import ConfigurationError
from racecar.cli.drive_display import displayed, for_display
from racecar.cli.drive_result import observed_drive, warn_of_start
from racecar.cli.stack_arguments import check_conflicts, stack_options
from racecar.cli.watch_option import WatchedRun
from racecar.signals import Interruption
from racecar.stacks import describe_stack
from racecar.stacks.options import DEMO, TELEOP_JOY, TELEOP_NONE

WORLD = 'racetrack'

_STACK = 'teleop'


def drive_by_hand(
    arguments: argparse.Namespace, output: Path, watch: WatchedRun,
) -> list[str]:
    """Let a person drive until Ctrl-C or the end of the time; return where the bag lies.

    Raises ConfigurationError where there are no keys, and what the nodes raise.
    """
    from racecar.stacks.composing import ComposedStack

    if arguments.teleop == TELEOP_NONE:
        raise ConfigurationError('--teleop none leaves nobody to drive: give keyboard or joy')
    if arguments.teleop != TELEOP_JOY and not sys.stdin.isatty():
        raise ConfigurationError(
            'the standard input is no terminal, so there are no keys to drive with: start it in a'
            ' terminal, or give --teleop joy')
    arguments.world = arguments.world or WORLD
    bag = output / 'bag'
    descriptions = for_display(
        describe_stack(_STACK, stack_options(DEMO, arguments, record=str(bag))))
    warn_of_start(descriptions)
    with (ComposedStack(descriptions) as stack,
          displayed(stack, descriptions, _STACK, arguments.end_time, 'racecar') as (show, view)):
        drive = observed_drive(stack)
        try:
            stack.spin(show)
        except Interruption as error:
            # That is how a drive ends.
            if error.number != signal.SIGINT:
                raise
        check_conflicts(stack.conflicts)
        watch.text, watch.recording = drive.text(stack.collisions), bag
    top = '' if view is None else f', at most {view.top_speed:.2f} m/s'
    return [f'{watch.text}{top}', f'Bag: {bag}']
