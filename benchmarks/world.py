#!/usr/bin/env python3
# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""The 3-D world: how many times real time it runs, with controllers, tyres, laser and many cars.

Run it with `./run python benchmarks/world.py`.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable
import importlib.metadata
import json
import os
import statistics
import subprocess
import sys
import time
from typing import Any

from measuring import machine, print_table

from racecar.base.parameter_file import load_parameter_file
from racecar.base.share import find_config
from racecar.base.types import AckermannCommand, Pose2
from racecar.catalogue.simulators.world import WORLD_SIMULATOR
from racecar.sensors.equipment import equip
from racecar.simulation.closed_loop import run_loop
from racecar.simulation.ports import Plant
from racecar.stacks import describe_stack, find_stack, StackOptions
from racecar.stacks.loops import make_loop
from racecar.world.engine import load_engine
from racecar.world.make_world import make_world_plant
from racecar.world.world_plant import WorldPlant

Work = Callable[[], float]
"""Does a round and returns the simulated time [s]."""

STEP = 0.001
# To the right, where the tunnel has room.
SPEED, STEERING = 1.0, -0.3


def values(**given: Any) -> dict[str, Any]:
    """Return the parameters of the world with the racecar."""
    return WORLD_SIMULATOR.resolve({
        **load_parameter_file(find_config('vehicles/racecar'), 'world_simulator'), **given})


def driving(plant: Plant) -> Plant:
    """Return a plant whose cars go round in circles of 1 m."""
    for entity in plant.entities:
        entity.inputs[0].apply(AckermannCommand(SPEED, STEERING))
    plant.warm_up()
    plant.advance(1000)
    return plant


def cars(count: int, **given: Any) -> Work:
    """Move so many cars, far apart; nobody reads what they show."""
    one = make_world_plant(values(**given))
    car, = one.cars
    world = driving(WorldPlant(one.scene, [
        car._replace(car=car.car._replace(name=f'car{i}', start=Pose2(4.0 * i, 0.0, 0.0)))
        for i in range(count)]))
    ticks = max(1, 20 // count)

    def work() -> float:
        for _ in range(ticks):
            world.advance(50)
        return ticks * 50 * STEP

    return work


def with_outputs(*names: str, **given: Any) -> Work:
    """Move a car and read these outputs, all if none is named, when they are due."""
    resolved = values(**given)
    plant = driving(equip(make_world_plant(resolved), resolved))
    entity, = plant.entities
    outputs = [(output.steps, output.read) for output in entity.outputs
               if output.name in names or not names]
    done = 0

    def work() -> float:
        nonlocal done
        end = done + 1000
        while done < end:
            ahead = min(steps - done % steps for steps, _ in outputs)
            plant.advance(ahead)
            done += ahead
            for steps, read in outputs:
                if done % steps == 0:
                    read()
        return 1000 * STEP

    return work


def simulate(stack: str) -> Work:
    """Run the closed loop of `racecar simulate`, building left out, metrics included."""
    found = find_stack(stack)
    chosen = {d.executable: d.resolve() for d in describe_stack(stack, StackOptions())}
    loop = make_loop(found, chosen)
    run_loop(loop, 1.0)

    def work() -> float:
        run_loop(loop, 2.0).metrics(0.0)
        return 2.0

    return work


def engine_alone() -> Work:
    """Step the engine itself on the model with tyre forces, without loop, drive and forces."""
    plant = make_world_plant(values(contact_model='pacejka'))
    mujoco, model = load_engine(), plant.engine.model
    model.opt.gravity = (0.0, 0.0, 0.0)
    data = mujoco.MjData(model)

    def work() -> float:
        mujoco.mj_step(model, data, 1000)
        return 1000 * STEP

    return work


CASES: dict[str, tuple[Callable[[], Work], str]] = {
    'engine alone, no forces': (engine_alone, ''),
    'one car, tyre forces': (lambda: cars(1, contact_model='pacejka'), '100'),
    'one car, friction of the engine': (lambda: cars(1, contact_model='coulomb'), ''),
    '5 cars, tyre forces': (lambda: cars(5, contact_model='pacejka'), ''),
    '20 cars, tyre forces': (lambda: cars(20, contact_model='pacejka'), '10'),
    'one car, tyre forces, all outputs read': (
        lambda: with_outputs(contact_model='pacejka'), ''),
    'in the tunnel, laser (1081 rays at 40 Hz) and odometry read': (
        lambda: with_outputs('laser', 'odometry', contact_model='pacejka', world='tunnel',
                             sensors=['laser']), '50'),
    'in the tunnel, laser and all outputs read': (
        lambda: with_outputs(contact_model='pacejka', world='tunnel', sensors=['laser']), ''),
    'racecar simulate kinematic_world_pacejka': (lambda: simulate('kinematic_world_pacejka'), ''),
    'racecar simulate kinematic_world': (lambda: simulate('kinematic_world'), ''),
}
"""What makes the work, and how many times real time is aimed at."""

WITHOUT_NUMBA = 'one car, tyre forces, without Numba'


def measure(rounds: int) -> dict[str, list[float]]:
    """Return the real-time factors of each case, in turns, by process time."""
    works = {name: make() for name, (make, _) in CASES.items()}
    for work in works.values():
        work()
    found: dict[str, list[float]] = {name: [] for name in works}
    for _ in range(rounds):
        for name, work in works.items():
            start = time.process_time()
            simulated = work()
            found[name].append(simulated / (time.process_time() - start))
    return found


def without_numba(rounds: int) -> list[float]:
    """Measure one car in a process whose loops are plain Python."""
    done = subprocess.run(
        [sys.executable, __file__, '--plain', '--rounds', str(rounds)], capture_output=True,
        text=True, check=False, env={**os.environ, 'NUMBA_DISABLE_JIT': '1'})
    if done.returncode:
        raise SystemExit(done.stderr.splitlines()[-1])
    numbers: list[float] = json.loads(done.stdout)
    return numbers


def main() -> int:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument('--rounds', type=int, default=7, help='rounds (default: 7)')
    parser.add_argument('--json', action='store_true', help='print one JSON object')
    parser.add_argument('--plain', action='store_true', help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.plain:
        work, found = cars(1, contact_model='pacejka'), []
        for _ in range(arguments.rounds):
            start = time.process_time()
            simulated = work()
            found.append(simulated / (time.process_time() - start))
        print(json.dumps(found))
        return 0
    results = measure(arguments.rounds)
    results[WITHOUT_NUMBA] = without_numba(arguments.rounds)
    where = f"{machine()}, mujoco {importlib.metadata.version('mujoco')}"
    if arguments.json:
        print(json.dumps({'machine': where, 'real_time_factors': results}))
        return 0
    print(where)
    print_table(('times real time at 1 ms, one core', 'median', 'low to high', 'aim'), [
        (name, f'{statistics.median(factors):.1f}', f'{min(factors):.1f} to {max(factors):.1f}',
         CASES[name][1] if name in CASES else '')
        for name, factors in results.items()])
    return 0


if __name__ == '__main__':
    sys.exit(main())
