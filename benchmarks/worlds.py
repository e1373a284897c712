#!/usr/bin/env python3
# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""Control periods per second of worlds of cars: number of cars and worlds, contacts, laser.

Run it with `./run python benchmarks/worlds.py`; benchmarks/README.md says what is measured.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable
import json
import statistics
import sys
import time

from measuring import machine, print_table
import numpy as np

from racecar.base.poses import pose_of_angles
from racecar.base.share import find_config
from racecar.dynamics.vehicles import SingleTrack, VehicleParameters
from racecar.metrics.laps import Course
from racecar.scene import EMPTY_SCENE, load_world
from racecar.scene.track import find_centre_line
from racecar.sensors.world_laser import WorldLaser
from racecar.simulation.contact import Contact
from racecar.simulation.world_batch import WorldBatch, WorldSetup

PERIOD = 0.05
"""Of control [s]: 20 Hz; the steps of integration are 1 ms."""

SPEED, GAP = 0.5, 1.0
"""Of the cars [m/s], and between those of a world along the course [m]."""

_WORLD, _PERIODS = 'racetrack', 40
Work = Callable[[], int]
"""Does some work and returns how many worlds it has driven for a period."""


def drive(worlds: int, cars: int = 1, *, policy: str = 'stop', empty: bool = False,
          rays: int = 0, noise: float = 0.0, threads: int = 1) -> Work:
    """Return work that drives worlds for some periods along the course."""
    scene = load_world(_WORLD)
    assert scene.grid is not None
    line = find_centre_line(scene.grid, scene.starts[0])
    vehicle = VehicleParameters.from_file(find_config('vehicles/racecar'))
    laser = WorldLaser({'rays': rays, 'noise': noise}, pose_of_angles(
        0.265, 0.0, 0.1374, 0.0, 0.0, 0.0)) if rays else None
    batch = WorldBatch([SingleTrack(vehicle, 'fiala')] * (worlds * cars), cars, WorldSetup(
        period=PERIOD, contact=Contact(policy), scenes=(EMPTY_SCENE if empty else scene,),
        courses=() if empty else (Course.along(line.points, line.widths),), scanner=laser),
        threads=threads)
    spacing = line.length / (len(line.points) - 1)
    first = np.linspace(0, len(line.points) - 2, worlds, endpoint=False).astype(int)
    poses = np.empty((worlds, cars, 3))
    for car in range(cars):
        at = (first + round(car * GAP / spacing)) % (len(line.points) - 2)
        ahead = line.points[at + 1] - line.points[at]
        poses[:, car] = np.column_stack([line.points[at], np.arctan2(*ahead.T[::-1])])
    commands = np.full((worlds, cars, 2), (SPEED, 0.0))

    def work() -> int:
        batch.reset(poses=poses)
        for _ in range(_PERIODS):
            batch.step(commands)
        return worlds * _PERIODS

    return work


def cases() -> dict[str, Work]:
    """Return what is measured, by its name."""
    return {
        '4000 worlds, nothing around, no contact': drive(4000, policy='none', empty=True),
        '4000 worlds on a map, laps, contacts stop': drive(4000),
        'the same, contacts are impulses': drive(4000, policy='impulse'),
        'the same, 108 beams': drive(400, rays=108),
        'the same, 108 beams with noise': drive(400, rays=108, noise=0.01),
        'the same, 1080 beams': drive(100, rays=1080),
        'the same, 1080 beams with noise': drive(100, rays=1080, noise=0.01),
        'two cars in sight, 1080 beams with noise': drive(100, 2, rays=1080, noise=0.01),
        **{f'{worlds} worlds, 1 car, no laser': drive(worlds) for worlds in (1, 10, 100, 1000)},
        **{f'100 worlds, {cars} cars, no laser': drive(100, cars) for cars in (2, 5, 10, 20)},
        **{f'10 worlds, {cars} cars, 108 beams': drive(10, cars, rays=108)
           for cars in (1, 2, 5, 10, 20)},
    }


def main() -> int:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument('--rounds', type=int, default=5, help='default: 5')
    parser.add_argument('--json', action='store_true', help='print one JSON object')
    arguments = parser.parse_args()
    print(machine(), file=sys.stderr)
    works = cases()
    for work in works.values():
        work()
    found: dict[str, list[float]] = {name: [] for name in works}
    for _ in range(arguments.rounds):
        for name, work in works.items():
            start, done = time.process_time(), 0
            while time.process_time() - start < 0.1:
                done += work()
            found[name].append(done / (time.process_time() - start))
    if arguments.json:
        print(json.dumps({name: {
            'median': statistics.median(rates), 'lowest': min(rates), 'highest': max(rates)}
            for name, rates in found.items()}))
        return 0
    print_table(('what', 'worlds x periods/s', 'lowest', 'highest'), [
        (name, f'{statistics.median(rates):.0f}', f'{min(rates):.0f}', f'{max(rates):.0f}')
        for name, rates in found.items()])
    return 0


if __name__ == '__main__':
    sys.exit(main())
