#!/usr/bin/env python3
# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""Identification: how often its intervals hold the truth, how near it comes, how fast it is.

Run with `./run python benchmarks/identification.py --seeds 50 --json result.json`.
"""

from __future__ import annotations

import argparse
import json
from pathlib import Path
import time

import numpy as np

from racecar.core.identification.identify import identify
from racecar.core.identification.preparing import prepare
from racecar.core.identification.twin import make_twin, SCALE, TRUTH
from racecar.core.vehicles import VehicleParameters

F1TENTH = Path(__file__).parents[1] / 'config' / 'vehicles' / 'f1tenth.yaml'


def coverage(seeds: int, duration: float) -> dict[str, dict[str, float]]:
    """Return, by quantity, share of intervals that hold the truth, and errors over the seeds."""
    vehicle = VehicleParameters.from_file(F1TENTH)
    held: dict[str, list[float]] = {}
    errors: dict[str, list[float]] = {}
    for seed in range(seeds):
        drive = prepare(make_twin(vehicle, np.random.default_rng(seed), duration=duration))
        result = identify([drive], vehicle, leave_out=False)
        for name, truth in {**TRUTH, f'wheel_scale:{drive.name}': SCALE}.items():
            row = result.estimates[name]
            inside = row.interval is not None and row.interval[0] <= truth <= row.interval[1]
            held.setdefault(name, []).append(float(inside))
            errors.setdefault(name, []).append(row.value - truth)
        print(f'seed {seed} of {seeds}', end='\r', flush=True)
    truths = {**TRUTH, **{name: SCALE for name in held if name.startswith('wheel_scale')}}
    return {name: {
        'coverage': float(np.mean(held[name])), 'truth': truths[name],
        'mean_error': float(np.mean(errors[name])),
        'rms_error': float(np.sqrt(np.mean(np.square(errors[name])))),
        'relative_rms_error': float(np.sqrt(np.mean(np.square(errors[name])))
                                    / abs(truths[name])),
        'largest_relative_error': float(np.max(np.abs(errors[name])) / abs(truths[name])),
    } for name in held}


def speed() -> dict[str, float]:
    """Return the process time of whole fits, warm [s]."""
    vehicle = VehicleParameters.from_file(F1TENTH)

    def drives(lengths: tuple[float, ...]) -> list[object]:
        return [prepare(make_twin(vehicle, np.random.default_rng(seed), duration=length,
                                  name=f'twin{seed}'))
                for seed, length in enumerate(lengths)]

    times = {}
    for text, lengths in (('30 s, one drive', (30.0,)), ('284 s, three drives',
                                                         (43.0, 127.0, 114.0))):
        made = drives(lengths)
        taken = []
        for _ in range(3):
            start = time.process_time()
            identify(made, vehicle, leave_out=False)  # type: ignore[arg-type]
            taken.append(time.process_time() - start)
        times[text] = min(taken)
    return times


def main() -> None:
    """Print and write what was measured."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument('--seeds', type=int, default=50)
    parser.add_argument('--duration', type=float, default=60.0, help='of each twin [s]')
    parser.add_argument('--json', type=Path)
    arguments = parser.parse_args()
    result = {'speed': speed(), 'coverage': coverage(arguments.seeds, arguments.duration)}
    for text, seconds in result['speed'].items():
        print(f'{text:<22} {seconds:.2f} s of one core')
    for name, row in result['coverage'].items():
        print(f"{name:<28} held {row['coverage']:.0%}, RMS error {row['rms_error']:.2g}"
              f" ({row['relative_rms_error']:.1%}), mean {row['mean_error']:+.2g}, largest"
              f" {row['largest_relative_error']:.1%}")
    if arguments.json:
        arguments.json.write_text(json.dumps(result, indent=1), encoding='utf-8')


if __name__ == '__main__':
    main()
