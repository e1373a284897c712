# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""`racecar up`: a configuration's nodes composed in one process, over real DDS."""

from __future__ import annotations

import argparse

from racecar.cli.output import ProgressBar
from racecar.cli.stack_arguments import (
    add_duration_argument,
    add_result_arguments,
    add_stack_arguments,
    add_tyre_data_argument,
    check_result_arguments,
    non_negative,
    report_run,
    stack_options,
)
from racecar.core.errors import ConfigurationError
from racecar.stacks import describe_stack, has_tracker, TOPIC_NAMES

HELP = 'run the nodes of a configuration in one process; needs no launch package'


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments of `racecar up`."""
    parser.description = (
        'Start the nodes of a configuration in this process, with the same parameter files as'
        ' `ros2 launch racecar NAME.launch.py`. With --duration it ends by itself and prints the'
        ' tracking error.')
    add_stack_arguments(parser)
    add_duration_argument(parser, None)
    add_result_arguments(parser)
    parser.add_argument(
        '--real-time-factor', type=non_negative, metavar='FACTOR',
        help='simulated seconds per second; 0 as fast as possible (default: 1)')
    parser.add_argument(
        '--lockstep', action='store_true',
        help='wait for the answer to every odometry message: deterministic at any speed')
    parser.add_argument(
        '--inactive', action='store_true',
        help='start the tracker inactive; activate it by its parameter or service')
    parser.add_argument('--record', metavar='FOLDER', help='record an MCAP bag there')
    add_tyre_data_argument(parser)
    parser.add_argument('--namespace', default='', help='namespace of all nodes and topics')
    parser.add_argument(
        '--topic-names', choices=tuple(TOPIC_NAMES), default='racecar',
        help='names of the original, or those of F1TENTH: /drive, /teleop and /odom,'
             ' /ego_racecar/odom (gym) or /pf/pose/odom (particle filter)')


def run(arguments: argparse.Namespace) -> int:
    """Run until --duration or Ctrl-C; returns 0. Raises RacecarError with a one-line message."""
    check_result_arguments(arguments)
    # rclpy takes half a second to import; `racecar --help` does not need it.
    from racecar.stacks.composing import ComposedStack, interrupts_end_quietly, RunProbe

    with_metrics = arguments.duration is not None and has_tracker(arguments.name)
    if not has_tracker(arguments.name) and (arguments.csv is not None or arguments.json):
        raise ConfigurationError(
            f'--csv and --json tell how a trajectory is followed, but {arguments.name} follows'
            ' none; use --record')
    options = stack_options(
        arguments, real_time_factor=arguments.real_time_factor, lockstep=arguments.lockstep,
        active=not arguments.inactive, end_time=arguments.duration, record=arguments.record,
        tyre_data=arguments.tyre_data,
        namespace=arguments.namespace, topic_names=arguments.topic_names,
        observers=1 if with_metrics else 0)
    descriptions = describe_stack(arguments.name, options)
    with ComposedStack(descriptions) as stack:
        probe = None
        if with_metrics:
            probe = RunProbe(arguments.namespace, TOPIC_NAMES[arguments.topic_names])
            stack.add_node(probe)
        wall_time = 0.0
        with ProgressBar(arguments.duration, arguments.name) as show, interrupts_end_quietly():
            wall_time = stack.spin(show)
    if probe is not None:
        report_run(arguments, probe.table(), wall_time)
    return 0
