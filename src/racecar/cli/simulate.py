# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""`racecar simulate`: the closed loop without ROS, as fast as it goes."""

from __future__ import annotations

import argparse
from collections.abc import Callable, Sequence
import json
import sys
import time
from typing import TypeVar

from racecar.cli.analyze import REPORT_NAME
from racecar.cli.output import print_table, ProgressBar, typed_command
from racecar.cli.run_arguments import (
    add_run_arguments,
    check_run_folder,
    chosen_run,
    csv_files,
    keep_run,
    run_folder,
)
from racecar.cli.stack_arguments import (
    add_name_argument,
    add_result_arguments,
    add_stack_arguments,
    check_result_arguments,
    report_run,
)
from racecar.facade.fleet_simulation import FleetSimulation
from racecar.facade.simulation import Simulation
from racecar.stacks.options import DURATION, SIMULATE

R = TypeVar('R')


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments of `racecar simulate`."""
    parser.description = (
        'Run the same control laws and the same simulator as the nodes, with the same parameter'
        ' files, in one loop without ROS. The trajectory equals that of `racecar up --lockstep`'
        ' to the last digit. With --cars there are several cars in one world, each with a table'
        ' and a report of its own.')
    add_name_argument(parser, tracking=True, optional=True, driving=True)
    add_stack_arguments(parser, SIMULATE, end_time=DURATION)
    add_result_arguments(parser)
    add_run_arguments(parser)


def run(arguments: argparse.Namespace) -> int:
    """Simulate, print the metrics; returns 0. Raises RacecarError with a one-line message."""
    name, options = chosen_run(SIMULATE, arguments)
    check_result_arguments(arguments)
    check_run_folder(arguments, SIMULATE)
    if options.cars:
        fleet = FleetSimulation(name, options)
        with run_folder(arguments):
            return _run_cars(arguments, fleet)
    simulation = Simulation(name, options)
    if simulation.how_controlled:
        print(simulation.how_controlled, file=sys.stderr)
    with run_folder(arguments):
        result, wall_time = _timed(arguments, simulation.cautions, simulation.run)
        metrics = result.metrics()
        report_run(arguments, metrics, result.motion.duration, wall_time, result.warnings)
        files = csv_files(arguments)
        if files:
            for file in files:
                result.table.write_csv(file)
            assert result.provenance is not None
            keep_run(arguments, files, result.provenance, metrics)
    return 0


def _timed(
    arguments: argparse.Namespace, cautions: Sequence[str], simulate: Callable[..., R],
) -> tuple[R, float]:
    """What a simulation did, and the time that it took [s], behind what to know before."""
    for text in cautions:
        print(f'warning: {text}', file=sys.stderr)
    with ProgressBar(arguments.end_time, 'simulating') as show:
        start = time.perf_counter()
        result = simulate(
            arguments.end_time, skip=arguments.skip, command=typed_command(), on_progress=show)
        return result, time.perf_counter() - start


def _run_cars(arguments: argparse.Namespace, simulation: FleetSimulation) -> int:
    """Simulate several cars, print the figures of each, and keep what is asked for."""
    result, wall_time = _timed(arguments, simulation.cautions, simulation.run)
    speed = arguments.end_time / wall_time
    for text in result.warnings:
        print(f'warning: {text}', file=sys.stderr)
    if arguments.json:
        print(json.dumps({'cars': result.metrics(), 'real_time_factor': speed}))
    else:
        print_table(['', *result.cars, ''], [
            *([row.name, *texts, unit] for row in result.quantities()
              for texts, unit in [row.texts()]),
            ['real-time factor', f'{speed:.1f}', *[''] * len(result.cars)]])
    places = []
    if arguments.csv is not None:
        places += [f'Run: {file}' for file in result.write(arguments.csv)]
    if arguments.report:
        result.fill(arguments.output)
        for name, run in result.cars.items():
            run.report(arguments.output / name / REPORT_NAME)
        places += [f'Run: {arguments.output}',
                   f'Report: {result.report(arguments.output / REPORT_NAME)}']
    print('\n'.join(places), end='\n' * bool(places),
          file=sys.stderr if arguments.json else sys.stdout)
    return 0
