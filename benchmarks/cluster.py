#!/usr/bin/env python3
# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""Sweeps in parts and on workers against sweeps in one process, in turns in one run.

Run it with `./run python benchmarks/cluster.py`; wall time, as workers are processes.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterable, Iterator
import json
from pathlib import Path
import resource
import statistics
import tempfile
import time

from measuring import machine, print_table
import numpy as np

from racecar.facade.cluster import Cluster, LOCAL, open_cores
from racecar.facade.datasets import DatasetWriter, run_into, WHOLE
from racecar.facade.sweep_parts import Cores, METRICS, Part, Range
from racecar.facade.sweeps import SweepRun
from racecar.stacks.sweep import make_sweep, Sweep

_SENT = 10_000


def sweep_of(points: int, duration: float) -> Sweep:
    """Gain and mass at random."""
    return make_sweep('kinematic_ode', {
        'trajectory': 'circle', 'duration': duration, 'count': points, 'sample': {
            'trajectory_tracker.Kp': {'uniform': [2.0, 10.0]},
            'vehicle.mass': {'uniform': [5.0, 6.0]}}})


class Nothing(Cores):
    """Gives rows of zeros at once: what is left is the work of the calling process."""

    def parts(self, sweep: Sweep, ranges: Iterable[Range]) -> Iterator[Part]:
        """Yield parts of equal size."""
        for first, count in ranges:
            for start in range(first, first + count, _SENT):
                size = min(_SENT, first + count - start)
                numbers = np.random.default_rng(start)
                yield Part(start, {
                    name: numbers.integers(0, 100, size).astype(float) if name in WHOLE
                    else numbers.random(size) for name in METRICS}, {}, {}, {})


def together(sweep: Sweep) -> float:
    """Time of a sweep in this process, as a whole [s]."""
    begin = time.perf_counter()
    SweepRun('whole', sweep).run()
    return time.perf_counter() - begin


def in_parts(sweep: Sweep, cores: Cores | Cluster) -> float:
    """Time of a sweep into a dataset [s]."""
    with tempfile.TemporaryDirectory() as folder:
        begin = time.perf_counter()
        run_into(DatasetWriter(Path(folder) / 'dataset', sweep, ''), cores, sweep)
        return time.perf_counter() - begin


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument('--points', type=int, default=100_000)
    parser.add_argument('--duration', type=float, default=5.0, help='of a point [s]')
    parser.add_argument('--rounds', type=int, default=3)
    parser.add_argument('--workers', type=int, nargs='+', default=[1, 2])
    parser.add_argument('--streamed', type=int, default=10_000_000,
                        help='points of the dataset that nobody simulates')
    parser.add_argument('--json', action='store_true')
    arguments = parser.parse_args()
    sweep = sweep_of(arguments.points, arguments.duration)
    times: dict[str, list[float]] = {}
    for number in range(arguments.rounds + 1):
        # The first round warms up.
        several = sweep if number else sweep_of(1000, 1.0)
        found = {'one process': together(several), 'dataset': in_parts(several, Cores())}
        for workers in arguments.workers:
            with open_cores(LOCAL, workers) as cores:
                # Each worker loads its code.
                in_parts(sweep_of(400 * workers, 1.0), cores)
                found[f'{workers} workers'] = in_parts(several, cores)
                weak = sweep_of(len(several.points) * workers // max(arguments.workers), 5.0)
                found[f'{workers} workers, weak'] = in_parts(weak, cores)
        for name, seconds in found.items():
            if number:
                times.setdefault(name, []).append(seconds)
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    streamed = in_parts(sweep_of(arguments.streamed, 1.0), Nothing())
    grown = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before
    rate = arguments.streamed / streamed
    if arguments.json:
        print(json.dumps({
            'machine': machine(), 'seconds': times, 'streamed_points_per_second': rate,
            'memory_growth_MB': grown / 1000}))
        return
    print(machine())
    print(f'{arguments.points} points of {arguments.duration:g} s, median [least, greatest]')
    print_table(['', 'seconds', 'points per second'], [
        [name, f'{statistics.median(seconds):.1f} [{min(seconds):.1f}, {max(seconds):.1f}]',
         '' if 'weak' in name else f'{arguments.points / statistics.median(seconds):.0f}']
        for name, seconds in times.items()])
    print(f'{arguments.streamed} points streamed into a dataset: {rate:.0f} points per second, the'
          f' process grows by {grown / 1000:.0f} MB')


if __name__ == '__main__':
    main()
