# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""`racecar demo`: the report's figure eight over real topics, recorded, measured and drawn."""

from __future__ import annotations

import argparse
import datetime
import os
from pathlib import Path

from racecar.cli.analyze import analyse
from racecar.cli.output import print_rows, ProgressBar
from racecar.cli.stack_arguments import (
    add_duration_argument,
    add_stack_arguments,
    add_tyre_data_argument,
    non_negative,
    stack_options,
)
from racecar.core.errors import ConfigurationError
from racecar.stacks import describe_stack

HELP = 'drive the figure eight with all nodes, record a bag, print the error, draw pictures'


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments of `racecar demo`."""
    parser.description = (
        'Start tracker, linearizer, both muxes, simulator and recorder as real nodes over DDS,'
        " drive the report's figure eight in lockstep, then analyse the recorded bag.")
    add_stack_arguments(parser, with_name=False)
    add_duration_argument(parser, 80.0)
    parser.add_argument(
        '--real-time-factor', type=non_negative, default=0.0, metavar='FACTOR',
        help='simulated seconds per second; 0 as fast as possible (default: 0)')
    add_tyre_data_argument(parser)
    parser.add_argument(
        '--output', type=Path, metavar='FOLDER',
        help='where bag and pictures go; must not exist (default: runs/demo-DATE-TIME)')


def run(arguments: argparse.Namespace) -> int:
    """Drive, record, analyse; returns 0. Raises RacecarError with a one-line message."""
    from racecar.stacks.composing import ComposedStack

    output = arguments.output or Path('runs') / f'demo-{datetime.datetime.now():%Y%m%d-%H%M%S}'
    if output.exists():
        raise ConfigurationError(
            f"--output '{output}' exists already, not overwriting it; name another folder")
    bag = output / 'bag'
    descriptions = describe_stack('kinematic_ode', stack_options(
        arguments, lockstep=True, real_time_factor=arguments.real_time_factor,
        end_time=arguments.duration, record=str(bag),
        tyre_data=arguments.tyre_data))
    # Two demos, or a demo and a running stack, must not answer each other.
    domain = os.environ.setdefault('ROS_DOMAIN_ID', str(os.getpid() % 99 + 1))
    nodes = ', '.join(description.full_name for description in descriptions)
    print(f'Nodes: {nodes} (ROS_DOMAIN_ID {domain})')
    with (ComposedStack(descriptions) as stack,
          ProgressBar(arguments.duration, 'driving') as show):
        wall_time = stack.spin(show)

    trajectory = next(
        d.resolve()['trajectory'] for d in descriptions if d.executable == 'trajectory_tracker')
    shape = trajectory.replace('_', ' ')
    analysis = analyse(bag, output, title=f'{shape}, vehicle {arguments.vehicle}')
    print_rows([*analysis.metrics.as_rows(),
                ('real-time factor', f'{arguments.duration / wall_time:.1f}', '')])
    print('\n'.join([f'Bag: {bag}', *analysis.places]))
    return 0
