# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""`racecar up`: a configuration's nodes composed in one process, over real DDS."""

from __future__ import annotations

import argparse
import contextlib
import sys

from racecar.cli.output import ProgressBar
from racecar.cli.stack_arguments import (
    add_duration_argument,
    add_result_arguments,
    add_stack_arguments,
    add_tyre_data_argument,
    check_result_arguments,
    check_rivals,
    non_negative,
    report_run,
    stack_options,
)
from racecar.core.analysis.metrics import Array
from racecar.core.analysis.run_table import RunCsv, RunMetrics
from racecar.core.control.tracker import tracked_ahead
from racecar.core.errors import BagError, ConfigurationError
from racecar.signals import Interruption
from racecar.stacks import describe_stack, has_tracker, NodeDescription, TOPIC_NAMES

HELP = 'run the nodes of a configuration in one process; needs no launch package'


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments of `racecar up`."""
    parser.description = (
        'Start the nodes of a configuration in this process, with the same parameter files as'
        ' `ros2 launch racecar NAME.launch.py`. With --duration it ends by itself and prints the'
        ' tracking error. Only the newest messages are held: memory does not grow with the run.')
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
    """Run until --duration; returns 0. Raises RacecarError with a one-line message.

    Raises Interruption on Ctrl-C and SIGTERM, after the metrics of what was driven until then.
    """
    check_result_arguments(arguments)
    # rclpy takes half a second to import; `racecar --help` does not need it.
    from racecar.stacks.composing import ComposedStack

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
    if with_metrics:
        return _run_with_metrics(arguments, descriptions)
    with (ComposedStack(descriptions) as stack,
          ProgressBar(arguments.duration, arguments.name) as show):
        stack.spin(show)
        check_rivals(stack.rivals)
    return 0


def _run_with_metrics(
        arguments: argparse.Namespace, descriptions: list[NodeDescription]) -> int:
    from racecar.clients.run_probe import RunProbe
    from racecar.stacks.composing import ComposedStack

    tracker, simulator = (
        next(d for d in descriptions if d.executable == executable).resolve()
        for executable in ('trajectory_tracker', 'single_track_simulator'))
    metrics = RunMetrics(tracked_ahead(tracker), arguments.skip)
    interruption = None
    with contextlib.ExitStack() as files:
        consumers = [metrics.add]
        if arguments.csv is not None:
            consumers.append(files.enter_context(RunCsv(arguments.csv)).add)

        def on_rows(rows: Array) -> None:
            for consume in consumers:
                consume(rows)

        with ComposedStack(descriptions) as stack:
            period_ns = stack.simulator.plant.period_ns
            probe = RunProbe(
                on_rows, period_ns=period_ns if simulator['lockstep'] else None,
                namespace=arguments.namespace, topics=TOPIC_NAMES[arguments.topic_names])
            stack.add_node(probe)
            with ProgressBar(arguments.duration, arguments.name) as show:
                try:
                    stack.spin(show, lambda: probe.failure is not None, probe.has_heard)
                except Interruption as error:
                    interruption = error
            end_ns = stack.simulator.plant.time_ns
            check_rivals(stack.rivals)
        try:
            probe.finish(None if interruption else end_ns, from_the_start=tracker['active'])
        except BagError:
            # There may be nothing yet.
            if interruption:
                raise interruption from None
            raise
    if probe.unreferenced:
        print(f'warning: the tracker gave no reference for {probe.unreferenced} odometry messages;'
              ' was it inactive?', file=sys.stderr)
    report_run(arguments, metrics.result(), metrics.span, stack.wall_time)
    if interruption is not None:
        raise interruption
    return 0
