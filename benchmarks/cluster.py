#!/usr/bin/env python3
# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""Sweeps in parts and on workers against sweeps in one process, in turns in one run.

Run it with `./run python benchmarks/cluster.py`. `--memory` runs more and more points of one
tick each on workers instead, for the memory of the calling process.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable
import contextlib
import functools
import json
from pathlib import Path
import statistics
import tempfile
import threading
import time
from typing import NamedTuple

from measuring import machine, print_table
import psutil

from racecar.facade.chunks import Cores
from racecar.facade.cluster import Cluster, LOCAL, open_cores
from racecar.facade.datasets import DatasetWriter, run_into, SweepRows
from racecar.facade.sweeps import SweepRun
from racecar.stacks.sweep import make_sweep, Sweep


class Cost(NamedTuple):
    """Wall time, and process time of this process, of all, and of the busiest other one [s].

    The last is what workers with a core each would take, whoever else uses those of this machine.
    """

    wall: float
    client: float
    all: float
    busiest: float


def sweep_of(points: int, duration: float) -> Sweep:
    """Gain and mass at random."""
    return make_sweep('kinematic_ode', {
        'trajectory': 'circle', 'duration': duration, 'count': points, 'sample': {
            'trajectory_tracker.Kp': {'uniform': [2.0, 10.0]},
            'vehicle.mass': {'uniform': [5.0, 6.0]}}})


def together(sweep: Sweep) -> None:
    """Run a sweep in this process, as a whole."""
    SweepRun('whole', sweep).run()


def in_parts(sweep: Sweep, cores: Cores | Cluster) -> None:
    """Run a sweep into a dataset."""
    with tempfile.TemporaryDirectory() as folder:
        run_into(DatasetWriter(Path(folder) / 'dataset', SweepRows(sweep), ''), cores, sweep)


def cost_of(work: Callable[[], object]) -> Cost:
    """What some work takes, with the workers that there are before and after it."""
    own = psutil.Process()

    def used() -> dict[int, float]:
        found = {}
        for process in (own, *own.children(recursive=True)):
            with contextlib.suppress(psutil.Error):
                times = process.cpu_times()
                found[process.pid] = times.user + times.system
        return found

    before, begin = used(), time.perf_counter()
    work()
    wall, after = time.perf_counter() - begin, used()
    spent = {pid: seconds - before.get(pid, 0.0) for pid, seconds in after.items()}
    client = spent.pop(own.pid)
    return Cost(wall, client, client + sum(spent.values()), max(spent.values(), default=client))


def scaling(points: int, duration: float, rounds: int, workers: list[int],
            ) -> tuple[dict[str, list[Cost]], list[float]]:
    """Costs of each way by its name, and wall times of a first point on one worker after another.

    Weak scaling has so many points for each of the most workers.
    """
    each = points // max(workers)
    costs: dict[str, list[Cost]] = {}
    first: list[float] = []
    together(sweep_of(1000, 1.0))
    in_parts(sweep_of(1000, 1.0), Cores())
    for _ in range(rounds):
        found = {'one process': cost_of(lambda: together(sweep_of(points, duration))),
                 'dataset': cost_of(lambda: in_parts(sweep_of(points, duration), Cores()))}
        for count in workers:
            with open_cores(LOCAL, count) as cores:
                # Each worker loads its code.
                begin = time.perf_counter()
                in_parts(sweep_of(400 * count, 1.0), cores)
                first.append(time.perf_counter() - begin)
                found[f'{count} workers'] = cost_of(functools.partial(
                    in_parts, sweep_of(points, duration), cores))
                found[f'{count} workers, weak'] = cost_of(functools.partial(
                    in_parts, sweep_of(each * count, duration), cores))
        for name, cost in found.items():
            costs.setdefault(name, []).append(cost)
    return costs, first


def memory(points: list[int], workers: int) -> list[dict[str, float]]:
    """Greatest memory of this process while workers run so many points of one tick [MB]."""
    rows = []
    with open_cores(LOCAL, workers) as cores:
        in_parts(sweep_of(1000, 0.01), cores)
        for count in points:
            peak = [0]
            ended = threading.Event()

            def watch(peak: list[int] = peak, ended: threading.Event = ended) -> None:
                while not ended.wait(0.2):
                    peak[0] = max(peak[0], psutil.Process().memory_info().rss)

            watcher = threading.Thread(target=watch)
            watcher.start()
            try:
                cost = cost_of(functools.partial(in_parts, sweep_of(count, 0.01), cores))
            finally:
                ended.set()
                watcher.join()
            rows.append({'points': count, 'peak_MB': peak[0] / 1e6, **cost._asdict()})
            print(f'{count} points: {peak[0] / 1e6:.0f} MB, {cost.wall:.1f} s', flush=True)
    return rows


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument('--points', type=int, default=100_000)
    parser.add_argument('--duration', type=float, default=5.0, help='of a point [s]')
    parser.add_argument('--rounds', type=int, default=3)
    parser.add_argument('--workers', type=int, nargs='+', default=[1, 2, 4])
    parser.add_argument('--memory', type=int, nargs='+', metavar='POINTS',
                        help='such as 100000 1000000 10000000')
    parser.add_argument('--json', action='store_true')
    arguments = parser.parse_args()
    if arguments.memory:
        rows = memory(arguments.memory, max(arguments.workers))
        if arguments.json:
            print(json.dumps({'machine': machine(), 'memory': rows}))
        return
    costs, first = scaling(
        arguments.points, arguments.duration, arguments.rounds, arguments.workers)
    if arguments.json:
        print(json.dumps({
            'machine': machine(), 'points': arguments.points, 'duration': arguments.duration,
            'costs': {name: [cost._asdict() for cost in several]
                      for name, several in costs.items()}, 'first_parts': first}))
        return
    print(machine())
    print(f'{arguments.points} points of {arguments.duration:g} s, medians and [least, greatest]')
    print_table(['', 'wall [s]', 'process time of all [s]', 'of the busiest worker [s]',
                 'of this process [s]'], [
        [name, *(f'{statistics.median(values):.1f} [{min(values):.1f}, {max(values):.1f}]'
                 for values in ([cost.wall for cost in several], [cost.all for cost in several],
                                [cost.busiest for cost in several],
                                [cost.client for cost in several]))]
        for name, several in costs.items()])
    print('first parts of new workers, with the loading of their code:'
          f" {', '.join(f'{seconds:.1f}' for seconds in first)} s")


if __name__ == '__main__':
    main()
