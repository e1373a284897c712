#!/usr/bin/env python3
# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""Identification: how often its intervals hold the truth, how near it comes, how fast it is.

Run with `./run python benchmarks/identification.py --seeds 50 --json result.json`; with
`--independent` the cars are random ones that independent_car has driven, with `--slip` their
wheels spin.
"""

from __future__ import annotations

import argparse
import json
from pathlib import Path
import time
from typing import NamedTuple

import independent_car
import numpy as np
from synthetic_log import SCALE, synthetic_log, TRUTH

from racecar.dynamics.vehicles import VehicleParameters
from racecar.identification.drive import Channel, Drive, RawLog
from racecar.identification.identify import identify
from racecar.identification.preparing import prepare
from racecar.identification.speed_response import identify_speed_response
from racecar.identification.unknowns import STAGES

F1TENTH = Path(__file__).parents[1] / 'config' / 'vehicles' / 'f1tenth.yaml'


def coverage(
    seeds: int, duration: float, *, only_speed: bool = False,
) -> dict[str, dict[str, float]]:
    """Return, by quantity, share of intervals that hold the truth, and errors over the seeds.

    only_speed: only of the speed behind its command, which takes a tenth of the time.
    """
    vehicle = VehicleParameters.from_file(F1TENTH)
    truths = {**TRUTH, 'wheel_scale:synthetic': SCALE}
    if only_speed:
        truths = {name: TRUTH[name] for name in STAGES['speed'].unknowns}
    held: dict[str, list[float]] = {}
    errors: dict[str, list[float]] = {}
    for seed in range(seeds):
        drive = prepare(synthetic_log(vehicle, np.random.default_rng(seed), duration=duration))
        found = (_speed_of(drive, vehicle) if only_speed else
                 identify([drive], vehicle, leave_out=False).estimates)
        for name, truth in truths.items():
            value, interval = found[name].value, found[name].interval
            inside = interval is not None and interval[0] <= truth <= interval[1]
            held.setdefault(name, []).append(float(inside))
            errors.setdefault(name, []).append(value - truth)
        print(f'seed {seed} of {seeds}', end='\r', flush=True)
    return {name: _row(held[name], errors[name], [truths[name]] * seeds) for name in held}


def _row(held: list[float], errors: list[float], truths: list[float]) -> dict[str, float]:
    relative = np.array(errors) / np.maximum(np.abs(truths), 1e-9)
    return {
        'coverage': float(np.mean(held)), 'mean_error': float(np.mean(errors)),
        'rms_error': float(np.sqrt(np.mean(np.square(errors)))),
        'relative_rms_error': float(np.sqrt(np.mean(np.square(relative)))),
        'largest_relative_error': float(np.max(np.abs(relative)))}


def independent_coverage(
    seeds: int, duration: float, *, slip: bool = False, first: int = 0,
) -> dict[str, dict[str, float]]:
    """Return what coverage() does, for cars and drives of independent_car.

    A value that is held counts as right where it is the true one, as the lag of a servo that has
    none. Of spinning wheels the response of the speed is not evaluated: the log has their lagged
    speed. slip: whether wheels spin; first: seed.
    """
    vehicle = VehicleParameters.from_file(F1TENTH)
    held: dict[str, list[float]] = {}
    errors: dict[str, list[float]] = {}
    truths: dict[str, list[float]] = {}
    warnings, spun = 0, []
    for seed in range(first, first + seeds):
        generator = np.random.default_rng([seed, 77])
        truth = independent_car.random_truth(generator, slip=slip)
        columns = independent_car.simulate(truth, *independent_car.random_commands(
            generator, duration, slip=slip))
        log = independent_car.with_noise(columns, generator)
        t = independent_car.PERIOD * np.arange(columns['x'].size, dtype=np.float64)
        result = identify([prepare(RawLog('car', {
            name: Channel(t, values) for name, values in log.items()}, 'car'))], vehicle,
            leave_out=False)
        warnings += bool(result.warnings)
        spun.append((independent_car.wheelspin(columns), result.wheelspin['car']))
        for name, true in truth.items():
            if slip and name.startswith('speed_'):
                continue
            found = result.estimates[name if name in result.estimates else f'{name}:car']
            low, high = found.interval or (found.value, found.value)
            held.setdefault(name, []).append(float(low <= true <= high))
            errors.setdefault(name, []).append(found.value - true)
            truths.setdefault(name, []).append(true)
        print(f'seed {seed - first} of {seeds}', end='\r', flush=True)
    print(f'{warnings} of {seeds} with warnings; largest difference of the share of wheelspin from'
          f' the true one {max(abs(true - seen) for true, seen in spun):.3f}')
    return {name: _row(held[name], errors[name], truths[name]) for name in held}


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

    def drives(lengths: tuple[float, ...]) -> list[Drive]:
        return [prepare(synthetic_log(vehicle, np.random.default_rng(seed), duration=length,
                                  name=f'synthetic{seed}'))
                for seed, length in enumerate(lengths)]

    times = {}
    for text, lengths in (('30 s, one drive', (30.0,)), ('284 s, three drives',
                                                         (43.0, 127.0, 114.0))):
        made = drives(lengths)
        taken = []
        for _ in range(3):
            start = time.process_time()
            identify(made, vehicle, leave_out=False)
            taken.append(time.process_time() - start)
        times[text] = min(taken)
    return times


def main() -> None:
    """Print and write what was measured."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument('--seeds', type=int, default=50)
    parser.add_argument('--duration', type=float, default=60.0, help='of each drive [s]')
    parser.add_argument('--only-speed', action='store_true',
                        help='only the response of the speed to its command')
    parser.add_argument('--independent', action='store_true',
                        help='random cars, driven by an integrator without code of racecar')
    parser.add_argument('--slip', action='store_true',
                        help='their wheels spin in 8 to 15 %% of the time')
    parser.add_argument('--first', type=int, default=0, help='first seed of independent cars')
    parser.add_argument('--json', type=Path)
    arguments = parser.parse_args()
    independent = arguments.independent or arguments.slip
    fits = {} if arguments.only_speed or independent else speed()
    covered = independent_coverage(
        arguments.seeds, arguments.duration, slip=arguments.slip, first=arguments.first
    ) if independent else coverage(
        arguments.seeds, arguments.duration, only_speed=arguments.only_speed)
    for text, seconds in fits.items():
        print(f'{text:<22} {seconds:.2f} s of one core')
    for name, row in covered.items():
        print(f"{name:<28} held {row['coverage']:.0%}, RMS error {row['rms_error']:.2g}"
              f" ({row['relative_rms_error']:.1%}), mean {row['mean_error']:+.2g}, largest"
              f" {row['largest_relative_error']:.1%}")
    if arguments.json:
        arguments.json.write_text(
            json.dumps({'speed': fits, 'coverage': covered}, indent=1), encoding='utf-8')


if __name__ == '__main__':
    main()
