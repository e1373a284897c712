#!/usr/bin/env python3
# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""Simulated seconds per second with custom controllers and with the stock ones, in turns.

Run it with `./run python benchmarks/controllers.py`; the controllers are those of docs/examples.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable
import dataclasses
import json
import os
from pathlib import Path
import statistics
import sys
import tempfile
import time

from measuring import machine, print_table
import yaml

from racecar.control.custom_controller import find_controller
from racecar.simulation.batch import BatchSimulation
from racecar.simulation.closed_loop import run_loop
from racecar.simulation.layout import LANES
from racecar.stacks import describe_stack, find_stack, StackOptions
from racecar.stacks.loops import make_custom_loop, make_loop
from racecar.stacks.sweep import load_sweep

EXAMPLES = Path(__file__).resolve().parents[1] / 'docs/examples'
COMPILED = f'{EXAMPLES}/pure_pursuit.py:CompiledPurePursuit'
PLAIN = f'{EXAMPLES}/pure_pursuit.py:PurePursuit'
TUNED = f'{EXAMPLES}/tuned_pursuit.py:TunedPursuit'

Rate = Callable[[], float]
"""Does some work and returns simulated seconds per second."""


def simulate(controller: str | None, duration: float) -> Rate:
    """The loop of `racecar simulate` on the eight, process time; None: the stock controllers."""
    stack = find_stack('kinematic_ode')
    values = {d.executable: d.resolve() for d in describe_stack(
        stack.name, StackOptions(tyre_model='fiala'))}
    found = None if controller is None else find_controller(controller)

    def rate() -> float:
        loop = make_loop(stack, values) if found is None else make_custom_loop(
            stack, values, found, {})
        loop.warm_up()
        start = time.process_time()
        run_loop(loop, duration)
        return duration / (time.process_time() - start)

    return rate


def sweep(threads: int, *, stock: bool = False, repeat: int = 1, plain: bool = False) -> Rate:
    """The sweep of docs/own_controller.md, process time of one thread, else wall time.

    stock: with the stock controllers, whose gains vary; repeat: each point so many times; plain:
    without actuators and without the metrics against the path.
    """
    content = yaml.safe_load((EXAMPLES / 'tuned_pursuit_sweep.yaml').read_text('utf-8'))
    content['controller'] = TUNED
    if stock:
        del content['controller'], content['set']['controller.acceleration']
        content['grid'] = {'trajectory_tracker.Kp': [1.0 + i for i in range(7)],
                           'trajectory_tracker.Ki': [0.1 * i for i in range(6)]}
    if plain:
        content['set'] = {}
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / 'sweep.yaml'
        file.write_text(json.dumps(content))
        found = load_sweep('kinematic_ode', file)
    found = dataclasses.replace(found, points=tuple(found.points) * repeat)
    cars = len(found.points)

    def rate() -> float:
        batch = BatchSimulation(
            fleets=found.fleets() if stock else found.custom_fleets(), threads=threads,
            block_size=min(LANES, -(-cars // threads)))
        wall, cpu = time.perf_counter(), time.process_time()
        batch.run(found.duration, skip=found.skip, with_path=not plain)
        wall, cpu = time.perf_counter() - wall, time.process_time() - cpu
        return cars * found.duration / (cpu if threads == 1 else wall)

    return rate


def main() -> int:
    """Measure all in turns, print medians; returns 0."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument('--json', action='store_true', help='one JSON object on stdout')
    parser.add_argument('--rounds', type=int, default=7, help='repetitions (default: 7)')
    arguments = parser.parse_args()
    cores = len(os.sched_getaffinity(0))
    cases = {
        'simulate, stock controllers': simulate(None, 200.0),
        'simulate, compiled controller': simulate(COMPILED, 200.0),
        'simulate, plain Python': simulate(PLAIN, 20.0),
        'sweep of 42 cars with actuators and all metrics, one core': sweep(1),
        f'the same on {cores} threads, wall time': sweep(cores),
        'the same with stock controllers, one core': sweep(1, stock=True),
        '840 cars without actuators and path, one core': sweep(1, repeat=20, plain=True),
        'the same with stock controllers': sweep(1, stock=True, repeat=20, plain=True),
    }
    found: dict[str, list[float]] = {name: [] for name in cases}
    for rate in cases.values():
        rate()
    for _ in range(arguments.rounds):
        for name, rate in cases.items():
            found[name].append(rate())
    if arguments.json:
        print(json.dumps({
            'machine': machine(), 'rounds': arguments.rounds, 'simulated_seconds_per_second': {
                name: {'median': statistics.median(rates), 'low': min(rates), 'high': max(rates)}
                for name, rates in found.items()}}))
        return 0
    print(machine())
    print_table(('simulated s/s', 'median', 'low', 'high'), [
        (name, f'{statistics.median(rates):.0f}', f'{min(rates):.0f}', f'{max(rates):.0f}')
        for name, rates in found.items()])
    return 0


if __name__ == '__main__':
    sys.exit(main())
