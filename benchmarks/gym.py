#!/usr/bin/env python3
# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""Transitions in a second of environments for learning by number of worlds; memory of a world.

With --peer PYTHON also those of f1tenth_gym 1.0.0, with --jax PYTHON those of f1tenth_gym_jax, in
turns and in processes of their own; see gym_peer.py.
"""

from __future__ import annotations

import argparse
import gc
import json
from pathlib import Path
import statistics
import subprocess
import sys
import time
import tracemalloc
from typing import Any

from measuring import machine, print_table
import numpy as np

import racecar

# Options of each case; control at 20 Hz, steps of 1 ms unless a case says otherwise.
_BASE: dict[str, Any] = {'track': 'racetrack', 'vehicle': 'f1tenth', 'reward': 'progress'}
_SCAN = {**_BASE, 'observation': ('scan', 'velocity'), 'scan_noise': 0.01}
CASES = {
    'kinematic, no laser': {**_BASE, 'vehicle_model': 'kinematic_bicycle'},
    'single track, no laser': _BASE,
    # Cars that nothing stops, to tell the cost of resets and contacts.
    'single track, no laser, no contacts or ends': {
        **_BASE, 'contact': 'none', 'end.wrong_way': False, 'time_limit': 1e6},
    'single track, 5 ms steps, no laser': {**_BASE, 'step': 0.005, 'low_speed_threshold': 0.5},
    'single track, 108 beams': {**_SCAN, 'beams': 108},
    'single track, 1080 beams': {**_SCAN, 'beams': 1080},
    'two cars, 1080 beams, 100 Hz, 10 ms steps': {
        **_SCAN, 'beams': 1080, 'cars': 2, 'rate': 100.0, 'step': 0.01,
        'low_speed_threshold': 1.0, 'start': 'grid'},
}


def measured(options: dict[str, Any], worlds: int, seconds: float) -> float:
    """Transitions per second of process time."""
    env = racecar.make_env(worlds=worlds, threads=1, copy=False, **options)
    env.reset(seed=0)
    actions = np.random.default_rng(0).uniform(-0.3, 0.3, (16, worlds, 2)).astype(np.float32)
    env.step(actions[0])
    start, steps = time.process_time(), 0
    while time.process_time() - start < seconds:
        env.step(actions[steps % 16])
        steps += 1
    return worlds * steps / (time.process_time() - start)


def memory_of(options: dict[str, Any]) -> float:
    """Memory of a world more [kB]: of arrays and objects of 512 worlds over those of 256."""
    held = []
    tracemalloc.start()
    for worlds in (256, 512):
        before = tracemalloc.get_traced_memory()[0]
        env = racecar.make_env(worlds=worlds, threads=1, **options)
        env.reset(seed=0)
        env.step(np.zeros((worlds, 2), np.float32))
        gc.collect()
        held.append(tracemalloc.get_traced_memory()[0] - before)
        del env
        gc.collect()
    tracemalloc.stop()
    return (held[1] - held[0]) / 256 / 1000.0


def of_peer(name: str, python: str, seconds: float) -> dict[str, float]:
    """Transitions per second of process time of other environments by case and worlds."""
    # Without PYTHONPATH, which names packages of this interpreter.
    said = subprocess.run(
        [python, '-E', Path(__file__).with_name('gym_peer.py'), name, str(seconds)],
        stdout=subprocess.PIPE, text=True, check=True).stdout
    found: dict[str, float] = json.loads(said.splitlines()[-1])
    return found


def main() -> None:
    """Measure all cases in turns and print medians."""
    parser = argparse.ArgumentParser(description=__doc__.partition('\n')[0])
    parser.add_argument('--rounds', type=int, default=3)
    parser.add_argument('--seconds', type=float, default=1.0,
                        help='processor time of each measurement')
    parser.add_argument('--worlds', type=int, nargs='+', default=[1, 64, 1024, 4096])
    parser.add_argument('--peer', metavar='PYTHON', help='interpreter that has f1tenth_gym')
    parser.add_argument('--jax', metavar='PYTHON', help='interpreter that has f1tenth_gym_jax')
    parser.add_argument('--only', nargs='+', metavar='NAME', choices=CASES, default=[*CASES],
                        help='cases of ours to measure')
    parser.add_argument('--json', action='store_true')
    arguments = parser.parse_args()
    found: dict[str, list[float]] = {}
    for _ in range(arguments.rounds):
        for name in arguments.only:
            options = CASES[name]
            for worlds in arguments.worlds:
                if 'beams' in options and worlds * options['beams'] > 2_000_000:
                    continue
                found.setdefault(f'{name}, {worlds} worlds', []).append(
                    measured(options, worlds, arguments.seconds))
        for peer, python in (('f1tenth_gym', arguments.peer), ('f1tenth_gym_jax', arguments.jax)):
            if python:
                for name, speed in of_peer(peer, python, arguments.seconds).items():
                    found.setdefault(f'{peer}: {name}', []).append(speed)
    rows = {name: (statistics.median(speeds), min(speeds), max(speeds))
            for name, speeds in found.items()}
    memory = {name: memory_of(CASES[name]) for name in arguments.only}
    if arguments.json:
        json.dump({'machine': machine(), 'transitions_per_second': rows,
                   'kilobytes_per_world': memory}, sys.stdout)
        return
    print(machine())
    print_table(('transitions/s of one core', 'median', 'low', 'high'), [
        (name, *(f'{value:,.0f}' for value in row)) for name, row in rows.items()])
    print_table(('memory of a world', 'kB'), [
        (name, f'{size:.1f}') for name, size in memory.items()])


if __name__ == '__main__':
    main()
