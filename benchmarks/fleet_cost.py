#!/usr/bin/env python3
# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""What 1, 2, 5, 10 and 20 cars of one world cost, in the plane and in 3-D, and a plot of it.

    ./run python benchmarks/fleet_cost.py --figure docs/pictures/several_cars.png

Plants alone, without topics: steps of 1 ms, odometry each 10 ms, scans of 108 rays at 50 Hz. The
cars stand at equal distances on the track racetrack and drive slowly along it. Beside them the
machine is measured, by the compiled loop of one car of benchmarks/dynamics.py.
"""

from __future__ import annotations

import argparse
from collections.abc import Mapping
from pathlib import Path
import statistics
import sys
import tempfile
import time

from dynamics import one_car, rate
from measuring import machine, print_table
import numpy as np
import yaml

from racecar.base.parameter_file import load_parameter_file
from racecar.base.share import find_track, find_vehicle
from racecar.base.types import AckermannCommand, NANOSECONDS
from racecar.catalogue import NODES
from racecar.control.trajectories.waypoint_file import read_way_points
from racecar.metrics.course_places import Places, poses_on
from racecar.metrics.laps import Course
from racecar.nodes import single_track_simulator, world_simulator

CARS = (1, 2, 5, 10, 20)
WORLD, SPEED, PERIOD = 'racetrack', 0.4, 0.01
LASER = {'sensors': ['laser'], 'laser.rays': 108, 'laser.rate': 50.0}
SETUPS: dict[str, tuple[str, Mapping[str, object]]] = {
    'plane': ('single_track_simulator', {'tyre_model': 'fiala'}),
    'plane, lasers of 108 rays': ('single_track_simulator', {'tyre_model': 'fiala', **LASER}),
    '3-D, friction of the engine': ('world_simulator', {'rate': 100.0}),
    '3-D, tyre forces': ('world_simulator', {'rate': 100.0, 'contact_model': 'pacejka'})}
# What is aimed at for 20 cars, by setup.
AIMS = {'plane, lasers of 108 rays': 20.0, '3-D, tyre forces': 15.0}
MAKE_PLANT = {'single_track_simulator': single_track_simulator.make_plant,
              'world_simulator': world_simulator.make_plant}


def fleet(cars: int) -> list[dict[str, object]]:
    """Cars at equal distances on the track."""
    course = Course.along(read_way_points(find_track(WORLD))[0])
    ways = course.length / cars * np.arange(cars, dtype=np.float64)
    none = np.zeros(cars)
    return [{'name': f'car{number}', 'start': row} for number, row in enumerate(
        poses_on(course, Places(ways, none, none)).tolist(), start=1)]


def speed_of(simulator: str, more: Mapping[str, object], cars: int, seconds: float) -> float:
    """Simulated seconds for each of processor time."""
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / 'fleet.yaml'
        file.write_text(yaml.safe_dump(fleet(cars)), encoding='utf-8')
        plant = MAKE_PLANT[simulator](NODES[simulator].table.resolve({
            **load_parameter_file(find_vehicle('racecar'), 'any_node'), 'world': WORLD,
            'fleet_file': str(file), 'cars': [f'car{number + 1}' for number in range(cars)],
            **more}), lambda text: print(text, file=sys.stderr))
    plant.warm_up()
    command = AckermannCommand(SPEED, 0.0)
    for entity in plant.entities:
        next(port for port in entity.inputs if port.value_type is AckermannCommand).apply(command)
    steps = round(PERIOD * NANOSECONDS) // plant.step_ns
    outputs = [output for entity in plant.entities for output in entity.outputs
               if output.name in ('odometry', 'laser')]
    begun, now = time.process_time(), 0
    for _ in range(round(seconds / PERIOD)):
        plant.advance(steps)
        now += steps
        for output in outputs:
            if output.is_due(now):
                output.read()
    return seconds / (time.process_time() - begun)


def measured(repeats: int, seconds: float) -> tuple[dict[str, list[float]], float]:
    """Medians of the speeds of setups, by CARS, and of the machine [M steps/s], all in turns."""
    machine_speeds, loop = [], one_car()
    speeds: dict[str, list[list[float]]] = {name: [[] for _ in CARS] for name in SETUPS}
    for simulator, more in SETUPS.values():
        speed_of(simulator, more, 1, PERIOD)
        speed_of(simulator, more, CARS[-1], PERIOD)
    loop()
    for _ in range(repeats):
        for name, (simulator, more) in SETUPS.items():
            machine_speeds.append(1e-6 * rate(loop, 'process'))
            for cars, found in zip(CARS, speeds[name], strict=True):
                found.append(speed_of(simulator, more, cars, seconds))
    return ({name: [*map(statistics.median, found)] for name, found in speeds.items()},
            statistics.median(machine_speeds))


def draw(rows: Mapping[str, list[float]], file: Path, note: str) -> None:
    """Plot speeds against the number of cars."""
    from matplotlib.figure import Figure

    from racecar.analysis.palette import colour

    figure = Figure(figsize=(7.2, 4.2), layout='constrained')
    axes = figure.add_subplot()
    for series, (name, speeds) in enumerate(rows.items()):
        axes.loglog(CARS, speeds, 'o-', color=colour(series), label=name)
    for number, (name, wanted) in enumerate(AIMS.items()):
        axes.plot(CARS[-1], wanted, 'v', color=colour([*rows].index(name)), markersize=10,
                  markerfacecolor='none', linestyle='none', label='_' if number else 'aim')
    axes.set_xticks(CARS, [str(cars) for cars in CARS])
    ticks = (1, 2, 5, 10, 20, 50, 100, 200, 500)
    axes.set_yticks(ticks, [str(tick) for tick in ticks])
    axes.minorticks_off()
    axes.set_xlabel('cars')
    axes.set_ylabel('times real time, on one core')
    axes.grid(color='0.88')
    axes.legend(frameon=False)
    axes.set_title(note, fontsize=7.0, color='0.4')
    figure.savefig(file, dpi=110)
    print(f'Figure: {file}')


def main() -> int:
    """Measure, print and draw."""
    parser = argparse.ArgumentParser(description=__doc__.partition('\n')[0])
    parser.add_argument('--repeats', type=int, default=3, help='of which the median counts')
    parser.add_argument('--seconds', type=float, default=2.0, help='simulated time of each [s]')
    parser.add_argument('--figure', type=Path, help='PNG or SVG file to draw')
    arguments = parser.parse_args()
    rows, machine_speed = measured(arguments.repeats, arguments.seconds)
    note = f'{machine()}\ncompiled loop of one car: {machine_speed:.1f} M steps/s'
    print(note)
    print_table(['cars', *rows], [
        [str(cars), *(f'{speeds[row]:.0f}' for speeds in rows.values())]
        for row, cars in enumerate(CARS)])
    if arguments.figure:
        draw(rows, arguments.figure, note)
    return 0


if __name__ == '__main__':
    sys.exit(main())
