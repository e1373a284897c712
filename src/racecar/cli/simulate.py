# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""`racecar simulate`: the closed loop without ROS, as fast as it goes."""

from __future__ import annotations

import argparse
from collections.abc import Callable
from functools import partial
import sys
import time

from racecar.cli.output import ProgressBar
from racecar.cli.stack_arguments import (
    add_name_argument,
    add_result_arguments,
    add_stack_arguments,
    check_result_arguments,
    report_run,
    stack_options,
)
from racecar.core.analysis.path_batch import warm_up_path_metrics
from racecar.core.analysis.run_table import RunTable
from racecar.core.control.own_controller import load_controller
from racecar.core.simulation.closed_loop import run_closed_loop
from racecar.core.simulation.own_loop import OwnLoop
from racecar.core.types import NANOSECONDS
from racecar.core.vehicles.parameters import VehicleParameters
from racecar.stacks import describe_stack, find_tracking_stack
from racecar.stacks.loops import make_loop
from racecar.stacks.options import SIMULATE

HELP = 'run a configuration without ROS, far faster than real time'


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments of `racecar simulate`."""
    parser.description = (
        'Run the same control laws and the same simulator as the nodes, with the same parameter'
        ' files, in one loop without ROS. The trajectory equals that of `racecar up --lockstep`'
        ' to the last digit.')
    add_name_argument(parser, tracking=True)
    add_stack_arguments(parser, SIMULATE, end_time=80.0)
    add_result_arguments(parser)
    parser.add_argument(
        '--controller', metavar='MODULE:CLASS',
        help='a controller of your own in the place of tracker and law, module:Class or'
             ' file.py:Class; see docs/own_controller.md')


def run(arguments: argparse.Namespace) -> int:
    """Simulate, print the metrics; returns 0. Raises RacecarError with a one-line message."""
    check_result_arguments(arguments)
    stack = find_tracking_stack(arguments.name)
    values = {d.executable: d.resolve()
              for d in describe_stack(stack.name, stack_options(SIMULATE, arguments))}
    loop = make_loop(stack, values)
    period_ns = loop.simulator.period_ns
    run_loop: Callable[..., RunTable] = partial(run_closed_loop, *loop)
    if arguments.controller is not None:
        assert stack.linearizer is not None
        own = OwnLoop(
            load_controller(arguments.controller, VehicleParameters.from_values(
                values[stack.linearizer])), loop.tracker, loop.simulator)
        print(f'{arguments.controller}: ' + (
            f'in plain Python, tick by tick, as {own.why_plain}' if own.why_plain
            else 'compiled'), file=sys.stderr)
        run_loop = own.run
    else:
        # Compile before the clock starts: the first call of a kernel may take seconds.
        run_closed_loop(*make_loop(stack, values), period_ns / NANOSECONDS)
    warm_up_path_metrics()
    with ProgressBar(arguments.end_time, 'simulating') as show:
        start = time.perf_counter()
        table = run_loop(arguments.end_time, lambda tick: show(tick * period_ns / NANOSECONDS))
        wall_time = time.perf_counter() - start
    time_column = table.column('time')
    metrics = table.metrics(arguments.skip)
    if arguments.csv is not None:
        table.write_csv(arguments.csv)
    report_run(arguments, metrics, float(time_column[-1] - time_column[0]), wall_time)
    return 0
