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
from typing import NamedTuple

import numpy as np

from racecar.core.identification.drive import Drive
from racecar.core.identification.identify import identify
from racecar.core.identification.preparing import prepare
from racecar.core.identification.speed_response import identify_speed_response
from racecar.core.identification.twin import make_twin, SCALE, TRUTH
from racecar.core.identification.unknowns import STAGES
from racecar.core.vehicles import VehicleParameters

F1TENTH = Path(__file__).parents[1] / 'config' / 'vehicles' / 'f1tenth.yaml'


def coverage(
    seeds: int, duration: float, *, only_speed: bool = False,
) -> dict[str, dict[str, float]]:
    """Return, by quantity, share of intervals that hold the truth, and errors over the seeds.

    only_speed: only of the speed behind its command, which takes a tenth of the time.
    """
    vehicle = VehicleParameters.from_file(F1TENTH)
    truths = {**TRUTH, 'wheel_scale:twin': SCALE}
    if only_speed:
        truths = {name: TRUTH[name] for name in STAGES['speed'].unknowns}
    held: dict[str, list[float]] = {}
    errors: dict[str, list[float]] = {}
    for seed in range(seeds):
        drive = prepare(make_twin(vehicle, np.random.default_rng(seed), duration=duration))
        found = (_speed_of(drive, vehicle) if only_speed else
                 identify([drive], vehicle, leave_out=False).estimates)
        for name, truth in truths.items():
            value, interval = found[name].value, found[name].interval
            inside = interval is not None and interval[0] <= truth <= interval[1]
            held.setdefault(name, []).append(float(inside))
            errors.setdefault(name, []).append(value - truth)
        print(f'seed {seed} of {seeds}', end='\r', flush=True)
    return {name: {
        'coverage': float(np.mean(held[name])), 'truth': truths[name],
        'mean_error': float(np.mean(errors[name])),
        'rms_error': float(np.sqrt(np.mean(np.square(errors[name])))),
        'relative_rms_error': float(np.sqrt(np.mean(np.square(errors[name])))
                                    / abs(truths[name])),
        'largest_relative_error': float(np.max(np.abs(errors[name])) / abs(truths[name])),
    } for name in held}


class _Found(NamedTuple):
    value: float
    interval: tuple[float, float] | None


def _speed_of(drive: Drive, vehicle: VehicleParameters) -> dict[str, _Found]:
    found = identify_speed_response([drive], vehicle, leave_out=False).fit
    assert found is not None
    return {name: _Found(found.values[name],
                         found.interval(name) if name in found.names else None)
            for name in STAGES['speed'].unknowns}


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
    parser.add_argument('--only-speed', action='store_true',
                        help='only the response of the speed to its command')
    parser.add_argument('--json', type=Path)
    arguments = parser.parse_args()
    result = {
        'speed': {} if arguments.only_speed else speed(),
        'coverage': coverage(
            arguments.seeds, arguments.duration, only_speed=arguments.only_speed)}
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
