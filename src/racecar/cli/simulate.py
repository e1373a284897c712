# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""`racecar simulate`: the closed loop without ROS, as fast as it goes."""

from __future__ import annotations

import argparse
from dataclasses import replace
import time

from racecar.base.errors import ConfigurationError
from racecar.base.types import NANOSECONDS
from racecar.cli.output import ProgressBar
from racecar.cli.run_arguments import (
    add_run_arguments,
    check_run_folder,
    chosen_run,
    csv_files,
    how_made,
    keep_run,
)
from racecar.cli.stack_arguments import (
    add_name_argument,
    add_result_arguments,
    add_stack_arguments,
    announce_controller,
    check_result_arguments,
    report_run,
)
from racecar.control.own_controller import find_controller
from racecar.simulation.closed_loop import Loop, run_loop
from racecar.simulation.metrics.path_batch import warm_up_path_metrics
from racecar.stacks import describe_stack, find_tracking_stack
from racecar.stacks.loops import make_held_loop, make_own_loop, make_stack_loop, outrun_warning
from racecar.stacks.options import SIMULATE


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments of `racecar simulate`."""
    parser.description = (
        'Run the same control laws and the same simulator as the nodes, with the same parameter'
        ' files, in one loop without ROS. The trajectory equals that of `racecar up --lockstep`'
        ' to the last digit.')
    add_name_argument(parser, tracking=True, optional=True)
    add_stack_arguments(parser, SIMULATE, end_time=80.0)
    add_result_arguments(parser)
    add_run_arguments(parser)


def run(arguments: argparse.Namespace) -> int:
    """Simulate, print the metrics; returns 0. Raises RacecarError with a one-line message."""
    name, options = chosen_run(SIMULATE, arguments)
    check_result_arguments(arguments)
    check_run_folder(arguments, SIMULATE)
    stack = find_tracking_stack(name)
    descriptions = describe_stack(stack.name, options)
    values = {d.executable: d.resolve() for d in descriptions}
    loop: Loop
    if options.controller is not None:
        if options.control_rate is not None:
            raise ConfigurationError(
                "control_rate is of tracker and law, a controller of one's own has none: it"
                ' answers each odometry')
        loop = own = make_own_loop(
            stack, values, find_controller(options.controller), options.controller_settings)
        announce_controller(options.controller, own.why_plain)
    else:
        loop = make_stack_loop(stack, values) if options.control_rate is None \
            else make_held_loop(stack, values, options.control_rate)
    # Compile before the clock starts: the first call of a kernel may take seconds.
    loop.warm_up()
    period_ns = loop.simulator.period_ns
    warm_up_path_metrics()
    with ProgressBar(arguments.end_time, 'simulating') as show:
        start = time.perf_counter()
        table = run_loop(
            loop, arguments.end_time, lambda tick: show(tick * period_ns / NANOSECONDS))
        wall_time = time.perf_counter() - start
    time_column = table.column('time')
    collisions = loop.simulator.collisions
    metrics = replace(table.metrics(arguments.skip),
                      collisions=None if collisions is None else collisions.contacts)
    outrun = outrun_warning(loop.tracker, values[stack.simulator], arguments.end_time)
    report_run(arguments, metrics, float(time_column[-1] - time_column[0]), wall_time,
               [] if outrun is None else [outrun])
    files = csv_files(arguments)
    if files:
        for file in files:
            table.write_csv(file)
        made = how_made(SIMULATE, stack.name, options, descriptions, arguments.skip)
        keep_run(arguments, files, made, metrics)
    return 0
