#!/usr/bin/env python3
# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""Steps per second of one car and of a batch, ours and those of peers, in turns in one run.

Run it with `./run python benchmarks/dynamics.py`; benchmarks/README.md says how to add the peers.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable
import contextlib
import json
import os
import statistics
import subprocess
import sys
import time
from typing import Any

from measuring import machine, print_table
import numpy as np

from racecar.base.compiled import compiled
from racecar.base.rows import filled, store
from racecar.base.share import find_config
from racecar.base.types import AckermannCommand
from racecar.driver import Controls, DrivenCar
from racecar.driver.driven_batch import DrivenBatch
from racecar.dynamics.powertrain import CarParameters
from racecar.dynamics.vehicles import DoubleTrack, SingleTrack, VehicleParameters
from racecar.dynamics.vehicles.interface import Command, VehicleModel
from racecar.simulation.batch import BatchSimulation
from racecar.simulation.closed_loop import ClosedLoop, run_closed_loop
from racecar.simulation.engine import integration, motion_parts
from racecar.simulation.layout import lane_rows, LANES, Layout
from racecar.simulation.rollout_batch import RolloutBatch
from racecar.simulation.simulator import Simulator
from racecar.simulation.stepper import Stepper
from racecar.stacks import describe_stack, find_stack, StackOptions
from racecar.stacks.loops import make_loop

STEP = 0.001
SPEED, STEERING = 2.0, 0.1
Work = Callable[[], int]
"""Does some work and returns how many steps of 1 ms that was."""

# Run in the interpreter of the peers; they print steps per second of process time.
ANSWERS = """
import json, sys, time
while True:
    line = sys.stdin.readline()
    if not line:
        break
    start = time.process_time()
    run(int(line))
    print(json.dumps(int(line) / (time.process_time() - start)), flush=True)
"""
COMMONROAD = """
from vehiclemodels.init_st import init_st
from vehiclemodels.parameters_vehicle2 import parameters_vehicle2
from vehiclemodels.vehicle_dynamics_st import vehicle_dynamics_st
p = parameters_vehicle2()
u, h = [0.0, 0.0], 0.001
def rates(x):
    return vehicle_dynamics_st(x, u, p)
def step(x):
    k1 = rates(x)
    k2 = rates([a + 0.5 * h * b for a, b in zip(x, k1)])
    k3 = rates([a + 0.5 * h * b for a, b in zip(x, k2)])
    k4 = rates([a + h * b for a, b in zip(x, k3)])
    return [a + h / 6.0 * (b + 2.0 * c + 2.0 * d + e)
            for a, b, c, d, e in zip(x, k1, k2, k3, k4)]
x = init_st([0.0, 0.0, 0.02, 15.0, 0.0, 0.0, 0.0])
def run(count):
    global x
    for _ in range(count):
        x = step(x)
"""
# The loop in C++ with a policy in C++: a run-up, then a step of the steering.
SLIPX = """
import slipx
spec = slipx.ConformanceSpec()
spec.tier, spec.integrator, spec.dt = slipx.Tier.TIER, slipx.Integrator.RK4, 0.001
simulation = slipx.make_conformance_run(spec)
simulation.set_input_logging(False)
run = simulation.run
"""
PEERS = {
    'commonroad-vehicle-models, single track, RK4 in Python, one car': (COMMONROAD, 20_000),
    'SlipX, single track (L1), its own loop in C++, one car': (
        SLIPX.replace('Tier.TIER', 'Tier.L1_Bicycle'), 200_000),
    'SlipX, double track (L2), its own loop in C++, one car': (
        SLIPX.replace('Tier.TIER', 'Tier.L2_DoubleTrack'), 50_000),
}
"""Program that defines run(count), and steps in a round."""


def model() -> SingleTrack:
    """Return the single track with Fiala tyres, full formulation."""
    return SingleTrack(VehicleParameters.from_values(values()['single_track_simulator']), 'fiala')


def values(**tracker: Any) -> dict[str, dict[str, Any]]:
    """Return the values of kinematic_ode with Fiala tyres."""
    options = StackOptions(tyre_model='fiala', overrides={'trajectory_tracker': tracker})
    return {d.executable: d.resolve() for d in describe_stack('kinematic_ode', options)}


def one_car() -> Work:
    """One car, compiled loop."""
    return long_tick(model(), 100_000)


def long_tick(car: VehicleModel, count: int) -> Work:
    """So many steps in one call."""
    simulator = Simulator(car)
    simulator.set_command(AckermannCommand(SPEED, STEERING))

    def work() -> int:
        simulator.advance(count)
        return count

    return work


def calls() -> Work:
    """One Python call a step."""
    step = Stepper(model()).step
    count = 100_000

    def work() -> int:
        for _ in range(count):
            step(SPEED, STEERING)
        return count

    return work


def simulator_ticks() -> Work:
    """Simulator.tick() with a period of one step: checks, errors and time included."""
    simulator = Simulator(model(), period=STEP)
    command = AckermannCommand(SPEED, STEERING)
    count = 30_000

    def work() -> int:
        for _ in range(count):
            simulator.set_command(command)
            simulator.tick()
        return count

    return work


def batch(cars: int) -> Work:
    """Many cars, dynamics only, kernels called over blocks."""
    car, layout = model(), Layout()
    equations, parts = car.equations, motion_parts(layout, car.equations, 'rk4')
    advance = compiled(
        integration(equations, 'rk4', parts), '(float64[::1], int64, float64, int64)')
    held = equations.hold(
        Command(SPEED, STEERING), filled(equations.parameters, car.parameters))
    blocks = []
    for first in range(0, cars, LANES):
        rows = lane_rows(layout.rows)
        for lane in range(LANES):
            store(rows, parts.held, lane, held)
            rows[parts.state.first * LANES + lane] = 0.001 * (lane + first % 7)
        blocks.append((rows, min(LANES, cars - first)))
    # All cars advance by a control period or two, then all again. One round takes 2 ms, in which
    # the caches still fill after the case before.
    steps, rounds = 20, 20

    def work() -> int:
        for _ in range(rounds):
            for rows, count in blocks:
                advance(rows, count, STEP, steps)
        return cars * steps * rounds

    return work


def numpy_steps(car: SingleTrack, state: Any, speed: Any, steering: Any, count: int) -> Any:
    """Return (vy, r, x, y, yaw) of many cars after some steps, as a NumPy user writes the model.

    docs/models/single_track.md and fiala_tyre.md line by line, except that the tyre takes the
    tangent of the slip as it is, without atan2 and tan, and what a command fixes stays outside.
    """
    vehicle, threshold = car.vehicle, car.low_speed_threshold
    m, inertia, a, b = (vehicle.mass, vehicle.yaw_inertia, vehicle.cog_to_front_axle,
                        vehicle.cog_to_rear_axle)
    mu = vehicle.friction_coefficient
    sine, cosine = np.sin(steering), np.cos(steering)
    rear_speed = np.maximum(np.abs(speed), threshold)

    def fiala(z: Any, stiffness: float, load: float) -> Any:
        z = z / (3.0 * mu * load / stiffness)
        size = np.minimum(np.abs(z), 1.0)
        return -mu * load * np.sign(z) * size * (3.0 - 3.0 * size + size * size)

    def rates(state: Any) -> Any:
        vy, r, _, _, yaw = state
        front, sin_yaw, cos_yaw = vy + a * r, np.sin(yaw), np.cos(yaw)
        force_front = cosine * fiala(
            (front * cosine - speed * sine)
            / np.maximum(np.abs(speed * cosine + front * sine), threshold),
            vehicle.front_cornering_stiffness, vehicle.front_axle_load)
        force_rear = fiala((vy - b * r) / rear_speed,
                           vehicle.rear_cornering_stiffness, vehicle.rear_axle_load)
        drive = 9.81 / np.maximum(np.abs(r * vy), 9.81)
        return np.stack((
            (force_front + force_rear) / m - speed * r * drive,
            (a * force_front - b * force_rear) / inertia,
            speed * cos_yaw - vy * sin_yaw, speed * sin_yaw + vy * cos_yaw, r))

    for _ in range(count):
        k1 = rates(state)
        k2 = rates(state + 0.5 * STEP * k1)
        k3 = rates(state + 0.5 * STEP * k2)
        k4 = rates(state + STEP * k3)
        state = state + STEP / 6.0 * (k1 + 2.0 * k2 + 2.0 * k3 + k4)
    return state


def numpy_batch(cars: int) -> Work:
    """Many cars, dynamics only, in NumPy. Raises SystemExit if they go elsewhere than ours."""
    car = model()
    stepper = Stepper(car)
    # From straight running and from a spin; speed and steering angle.
    runs = [((vy, r), (v, d)) for vy, r in ((0.0, 0.0), (-3.0, 5.0))
            for v in (-1.0, 0.05, 1.0, 4.0) for d in (-0.4, 0.02, 0.1)]
    start, speed, steering = np.zeros((5, len(runs))), *np.array([u for _, u in runs]).T
    start[:2] = np.array([lateral for lateral, _ in runs]).T
    ends = numpy_steps(car, start, speed, steering, 1000).T
    for (lateral, command), end in zip(runs, ends, strict=True):
        stepper.state = (*lateral, 0.0, 0.0, 0.0)
        for _ in range(1000):
            stepper.step(*command)
        if not np.allclose(end, stepper.state, rtol=0.0, atol=1e-9):
            raise SystemExit(f'NumPy and the model differ after 1 s of {command} from {lateral}')
    start = np.zeros((5, cars))
    start[0] = 0.001 * (np.arange(cars) % 16)
    speed, steering, steps = np.full(cars, SPEED), np.full(cars, STEERING), 20

    def work() -> int:
        numpy_steps(car, start, speed, steering, steps)
        return cars * steps

    return work


def closed_batch(
    cars: int, threads: int, duration: float = 1.0, *, stack: str = 'kinematic_ode',
    trajectory: str = 'figure_eight', with_path: bool = False, **simulator: Any,
) -> Work:
    """Many cars with tracker and law at 100 Hz, each its own gains and, but for files, path.

    with_path: with the metrics against the path.
    """
    found = find_stack(stack)
    resolved = {d.executable: d.resolve() for d in describe_stack(stack, StackOptions(
        trajectory=trajectory, tyre_model='fiala', overrides={found.simulator: simulator}))}
    base = make_loop(found, resolved)
    tracker_values = resolved[str(found.tracker)]
    own_path = {} if trajectory == 'waypoints' else {'a': 1.0 / cars, 'R': 1.0 / cars}
    trackers = [type(base.tracker)({
        **tracker_values, 'Kp': 3.0 + i / cars,
        **{key: tracker_values[key] + i * step for key, step in own_path.items()}})
        for i in range(cars)]

    def work() -> int:
        # The packing is measured too; it takes less than a second for 10 000 cars.
        loops = (ClosedLoop(tracker, base.linearizer, base.simulator) for tracker in trackers)
        prepared = BatchSimulation(loops, threads=threads)
        start, cpu = time.perf_counter(), time.process_time()
        prepared.run(duration, with_path=with_path)
        _excluded.append((time.perf_counter() - start, time.process_time() - cpu))
        return round(cars * duration / STEP)

    return work


_excluded: list[tuple[float, float]] = []
"""Wall and process time of the last work, where it is not all of the call."""


def simulate(
    stack: str = 'kinematic_ode', trajectory: str = 'figure_eight', tyre: str = 'fiala',
    **simulator: Any,
) -> Work:
    """The whole closed loop of `racecar simulate` with its metrics."""
    found = find_stack(stack)
    resolved = {d.executable: d.resolve() for d in describe_stack(stack, StackOptions(
        trajectory=trajectory, tyre_model=tyre, overrides={found.simulator: simulator}))}

    def work() -> int:
        run_closed_loop(*make_loop(found, resolved), 80.0).metrics()
        return round(80.0 / STEP)

    return work


ACTUATORS: dict[str, Any] = {'actuators.steering_lag': 0.05, 'actuators.steering_rate': 5.0,
             'actuators.speed_delay': 0.02}


def double_track(tyre: str) -> DoubleTrack:
    """Return a double track of the racecar."""
    return DoubleTrack(VehicleParameters.from_file(find_config('vehicles/racecar')), tyre)


def double_loop(tyre: str) -> Work:
    """One double track, compiled loop."""
    return long_tick(double_track(tyre), 50_000)


def double_batch(cars: int, tyre: str) -> Work:
    """Many double tracks on one core, a control period of 20 steps a call."""
    batch = RolloutBatch([double_track(tyre)] * cars, threads=1)
    batch.command(SPEED + 0.1 * np.sin(np.arange(cars)), np.full(cars, STEERING))
    batch.advance(500)
    steps, rounds = 20, 2

    def work() -> int:
        for _ in range(rounds):
            batch.advance(steps)
        return cars * steps * rounds

    return work


def rollout_inputs(cars: int, ticks: int) -> Any:
    """Commands of many cars that turn left and right, (cars, ticks, 2)."""
    inputs = np.empty((cars, ticks, 2))
    inputs[..., 0] = SPEED + 0.1 * np.sin(np.arange(cars))[:, np.newaxis]
    inputs[..., 1] = STEERING * np.cos(0.1 * np.arange(ticks))
    return inputs


def rollouts(cars: int, threads: int) -> Work:
    """Many single tracks from their start, 1 s in periods of 20 ms whose states are all kept."""
    ticks, steps = 50, 20
    batch = RolloutBatch([model()] * cars, threads=threads)
    inputs = rollout_inputs(cars, ticks)

    def work() -> int:
        batch.reset()
        batch.run(inputs, steps)
        return cars * ticks * steps

    return work


def rollouts_by_ticks(cars: int) -> Work:
    """The same cars one after the other, by Simulator.tick() with all checks."""
    ticks, steps = 50, 20
    simulator = Simulator(model(), period=steps * STEP)
    inputs = rollout_inputs(cars, ticks).tolist()

    def work() -> int:
        for commands in inputs:
            simulator.reset()
            for command in commands:
                simulator.set_command(AckermannCommand(*command))
                simulator.tick()
        return cars * ticks * steps

    return work


def driver(name: str = 'bmw_x5') -> tuple[DrivenCar, Controls]:
    """Return a double track with engine, gears and differential, and its pedals pressed."""
    path = find_config(f'vehicles/{name}')
    vehicle, parameters = VehicleParameters.from_file(path), CarParameters.from_file(path)
    car, controls = DrivenCar(parameters, vehicle), Controls(parameters, vehicle)
    controls.set_gear(2)
    controls.set_throttle(0.4)
    controls.set_steering_angle(0.05)
    car.set_pedals(controls.pedals())
    return car, controls


def driven_car() -> Work:
    """One driven car, pedals set and ticks of 10 ms called from Python."""
    car, controls = driver()
    count = 3000

    def work() -> int:
        for _ in range(count):
            car.set_pedals(controls.pedals())
            car.tick()
        return count * car.steps_per_tick

    return work


def driven_loop() -> Work:
    """One driven car, compiled loop: a tick that is long."""
    path = find_config('vehicles/bmw_x5')
    vehicle, parameters = VehicleParameters.from_file(path), CarParameters.from_file(path)
    car = DrivenCar(parameters, vehicle, period=50.0)
    car.set_pedals(driver()[1].pedals())

    def work() -> int:
        car.tick()
        return car.steps_per_tick

    return work


def driven_batch(cars: int) -> Work:
    """Many driven cars on one core, a tick of 10 ms a call."""
    car, _ = driver()
    for _ in range(100):
        car.tick()
    batch = DrivenBatch([car] * cars, threads=1)
    steps, rounds = car.steps_per_tick, 3

    def work() -> int:
        for _ in range(rounds):
            batch.advance(steps)
        return cars * steps * rounds

    return work


def rate(work: Work, clock: str) -> float:
    """Return steps per second of process time or of wall time."""
    _excluded.clear()
    start, cpu = time.perf_counter(), time.process_time()
    count = work()
    wall, cpu = time.perf_counter() - start, time.process_time() - cpu
    if _excluded:
        wall, cpu = _excluded[-1]
    return count / (wall if clock == 'wall' else cpu)


class Peer:
    """A peer's car in an interpreter of its own."""

    def __init__(self, python: str, program: str, count: int) -> None:
        self._count = count
        self._process = subprocess.Popen(
            [python, '-c', program + ANSWERS], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
            text=True)

    def rate(self) -> float:
        """Return steps per second of process time. Raises SystemExit if the peer is absent."""
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        with contextlib.suppress(BrokenPipeError):
            print(self._count, file=self._process.stdin, flush=True)
        answer = self._process.stdout.readline()
        if not answer:
            raise SystemExit('a peer does not start; benchmarks/README.md says what to install')
        return float(json.loads(answer))

    def close(self) -> None:
        """End the peer's process."""
        assert self._process.stdin is not None
        self._process.stdin.close()
        self._process.wait(10.0)


def main() -> int:
    """Measure all in turns, print medians; returns 0."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument('--json', action='store_true', help='one JSON object on stdout')
    parser.add_argument('--rounds', type=int, default=7, help='repetitions (default: 7)')
    parser.add_argument('--cars', type=int, default=10_000, help='in a batch (default: 10000)')
    parser.add_argument('--peer', metavar='PYTHON', help='interpreter that has the peers')
    arguments = parser.parse_args()

    cores = len(os.sched_getaffinity(0))
    cases: list[tuple[str, Work, str]] = [
        ('one car, compiled loop', one_car(), 'cpu'),
        ('one car, one Python call a step (Stepper)', calls(), 'cpu'),
        ('one car, one Python call a step (Simulator.tick)', simulator_ticks(), 'cpu'),
        (f'batch of {arguments.cars} cars, one core', batch(arguments.cars), 'cpu'),
        (f'NumPy, batch of {arguments.cars} cars', numpy_batch(arguments.cars), 'cpu'),
        (f'rollouts of {arguments.cars} cars, one core', rollouts(arguments.cars, 1), 'cpu'),
        (f'the same, {cores} threads, wall time', rollouts(arguments.cars, cores), 'wall'),
        ('rollouts of 100 cars by a loop of Simulator.tick', rollouts_by_ticks(100), 'cpu'),
        (f'batch of {arguments.cars} cars with the closed loop, one core',
         closed_batch(arguments.cars, 1), 'cpu'),
        (f'the same, {cores} threads, wall time', closed_batch(arguments.cars, cores), 'wall'),
        ('closed loop of `simulate` with metrics', simulate(), 'cpu'),
        ('the same, dynamic law on a circle', simulate('dynamic_ode', 'circle'), 'cpu'),
        ('the same, waypoints', simulate(trajectory='waypoints'), 'cpu'),
        ('the same, parking', simulate(trajectory='parking'), 'cpu'),
        ('the same, with actuators', simulate(**ACTUATORS), 'cpu'),
        ('the same, double track, Fiala', simulate(vehicle_model='double_track'), 'cpu'),
        ('the same, double track, Pacejka',
         simulate(tyre='pacejka', vehicle_model='double_track'), 'cpu'),
        (f'closed loop of {arguments.cars} cars, dynamic law, one core',
         closed_batch(arguments.cars, 1, stack='dynamic_ode', trajectory='circle'), 'cpu'),
        (f'closed loop of {arguments.cars} cars, waypoints, one core',
         closed_batch(arguments.cars, 1, trajectory='waypoints'), 'cpu'),
        (f'closed loop of {arguments.cars} cars, actuators, one core',
         closed_batch(arguments.cars, 1, **ACTUATORS), 'cpu'),
        # A run that has whole windows of the path.
        (f'closed loop of {arguments.cars // 20} cars for 20 s, one core',
         closed_batch(arguments.cars // 20, 1, 20.0), 'cpu'),
        ('the same, with metrics against the path',
         closed_batch(arguments.cars // 20, 1, 20.0, with_path=True), 'cpu'),
        ('one double track, Fiala, compiled loop', double_loop('fiala'), 'cpu'),
        ('one double track, Pacejka, compiled loop', double_loop('pacejka'), 'cpu'),
        ('one double track with powertrain, compiled loop', driven_loop(), 'cpu'),
        ('one double track with powertrain, DrivenCar.tick of 10 steps', driven_car(), 'cpu'),
        (f'batch of {arguments.cars} double tracks, Fiala, one core',
         double_batch(arguments.cars, 'fiala'), 'cpu'),
        (f'batch of {arguments.cars} double tracks, Pacejka, one core',
         double_batch(arguments.cars, 'pacejka'), 'cpu'),
        (f'batch of {arguments.cars} double tracks with powertrain, one core',
         driven_batch(arguments.cars), 'cpu'),
    ]
    peers = {name: Peer(arguments.peer, program, count)
             for name, (program, count) in PEERS.items()} if arguments.peer else {}
    found: dict[str, list[float]] = {name: [] for name, _, _ in cases}
    found |= {name: [] for name in peers}
    for _, work, _ in cases:
        work()
    for peer in peers.values():
        peer.rate()
    for _ in range(arguments.rounds):
        for name, work, clock in cases:
            found[name].append(rate(work, clock))
        for name, peer in peers.items():
            found[name].append(peer.rate())
    for peer in peers.values():
        peer.close()
    medians = {name: statistics.median(rates) for name, rates in found.items()}
    # Of a double track the peer is a double track.
    single, double = (medians.get(name) for name in (list(PEERS)[0], list(PEERS)[-1]))
    if arguments.json:
        print(json.dumps({
            'machine': machine(), 'rounds': arguments.rounds, 'steps_per_second': {
                name: {'median': medians[name], 'low': min(rates), 'high': max(rates)}
                for name, rates in found.items()}}))
        return 0
    print(machine())
    print_table(('steps of 1 ms', 'M/s median', 'low', 'high', 'of peer'), [
        (name, f'{medians[name] / 1e6:.3f}', f'{min(rates) / 1e6:.3f}', f'{max(rates) / 1e6:.3f}',
         f'{medians[name] / reference:.0f} x' if reference else '')
        for name, rates in found.items()
        for reference in ((double if 'double' in name else single),)])
    return 0


if __name__ == '__main__':
    sys.exit(main())
