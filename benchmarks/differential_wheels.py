#!/usr/bin/env python3
# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""Steps per second of robots with two wheels, ours and NumPy's, in turns in one run.

Run it with `./run python benchmarks/differential_wheels.py`; process time of one core.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable
from dataclasses import replace
import json
import statistics
import time
from typing import Any

from measuring import machine, print_table
import numpy as np

from racecar.base.types import WheelSpeeds
from racecar.differential import DifferentialWheels, PlanarMotion, RobotBatch
from racecar.differential.motion import KINEMATICS, PHYSICS
from racecar.differential.parameters import RobotParameters

STEP = 0.001
ROBOTS, STEPS = 10_000, 100
Work = Callable[[], int]
"""Does some work and returns how many steps of 1 ms of one robot that was."""

ROBOT = RobotParameters.from_values({
    'robot.slip_noise': 0.0, 'robot.encoder_noise': 0.0, 'robot.encoder_resolution': 100.0})
NOISY = replace(ROBOT, slip_noise=0.1, encoder_noise=0.1)


def one(robot: RobotParameters, mode: str) -> Work:
    """One robot, in the compiled loop."""
    motion = PlanarMotion(robot, mode)
    motion.set_speeds(WheelSpeeds(5.0, 6.0))
    count = 100_000

    def work() -> int:
        motion.advance(count)
        return count

    return work


def calls() -> Work:
    """One robot, a call of the Webots-like class for each step of 1 ms."""
    robot = DifferentialWheels(ROBOT, basic_time_step=1)
    robot.setSpeed(5.0, 6.0)
    count = 20_000

    def work() -> int:
        for _ in range(count):
            robot.step()
        return count

    return work


def commands() -> tuple[Any, Any]:
    """Return the speeds of all robots."""
    return np.linspace(-5.0, 5.0, ROBOTS), np.linspace(3.0, 6.0, ROBOTS)


def batch(robot: RobotParameters) -> Work:
    """Many robots side by side."""
    robots = RobotBatch([robot] * ROBOTS, generator=np.random.default_rng(0))
    robots.command(*commands())

    def work() -> int:
        robots.advance(STEPS)
        return ROBOTS * STEPS

    return work


class NumpyRobots:
    """The same model as a NumPy user writes it, all robots in arrays, float64."""

    def __init__(self, robot: RobotParameters) -> None:
        self.robot = robot
        self.x, self.y, self.yaw, self.left, self.right, self.turned_left, self.turned_right = (
            np.zeros(ROBOTS) for _ in range(7))
        self.generator = np.random.default_rng(0)

    def advance(self, left: Any, right: Any, steps: int) -> None:
        """Advance by so many steps."""
        r = self.robot
        most = r.max_acceleration * STEP
        left, right = (np.clip(wanted, -r.max_speed, r.max_speed) for wanted in (left, right))
        for _ in range(steps):
            self.left += np.clip(left - self.left, -most, most)
            self.right += np.clip(right - self.right, -most, most)
            turn_left, turn_right = self.left * STEP, self.right * STEP
            count_left, count_right = turn_left, turn_right
            if r.slip_noise:
                noise = self.generator.uniform(-1.0, 1.0, (4, ROBOTS))
                turn_left = turn_left * (1.0 + r.slip_noise * noise[0])
                turn_right = turn_right * (1.0 + r.slip_noise * noise[1])
                count_left = turn_left * (1.0 + r.encoder_noise * noise[2])
                count_right = turn_right * (1.0 + r.encoder_noise * noise[3])
            way = 0.5 * (turn_left + turn_right) * r.wheel_radius
            turn = (turn_right - turn_left) * r.wheel_radius / r.axle_length
            middle = self.yaw + 0.5 * turn
            self.x += way * np.cos(middle)
            self.y += way * np.sin(middle)
            self.yaw += turn
            self.turned_left += r.encoder_resolution * count_left
            self.turned_right += r.encoder_resolution * count_right


def numpy_batch(robot: RobotParameters) -> Work:
    """Many robots in arrays."""
    robots = NumpyRobots(robot)
    left, right = commands()

    def work() -> int:
        robots.advance(left, right, STEPS // 10)
        return ROBOTS * STEPS // 10

    return work


def check() -> None:
    """Raise AssertionError if both batches differ without noise."""
    ours, theirs = RobotBatch([ROBOT] * ROBOTS), NumpyRobots(ROBOT)
    ours.command(*commands())
    ours.advance(1000)
    theirs.advance(*commands(), 1000)
    assert np.allclose(ours.states[:, 0], theirs.x, atol=1e-12)
    assert np.allclose(ours.states[:, 11], theirs.turned_right, atol=1e-9)


ROWS: dict[str, tuple[Callable[[], Work], str]] = {
    'one robot, kinematics, compiled loop': (lambda: one(ROBOT, KINEMATICS), ''),
    'one robot with noise, kinematics': (lambda: one(NOISY, KINEMATICS), ''),
    'one robot, physics, rolling': (lambda: one(ROBOT, PHYSICS), ''),
    'one robot, physics, slipping for ever': (
        lambda: one(replace(ROBOT, friction_coefficient=1e-9), PHYSICS), ''),
    'one robot, DifferentialWheels.step from Python': (calls, ''),
    f'batch of {ROBOTS} robots': (lambda: batch(ROBOT), 'NumPy, batch'),
    f'batch of {ROBOTS} robots with noise': (lambda: batch(NOISY), 'NumPy, batch with noise'),
    'NumPy, batch': (lambda: numpy_batch(ROBOT), ''),
    'NumPy, batch with noise': (lambda: numpy_batch(NOISY), ''),
}
"""Makes the work; and the row that it is compared with."""


def main() -> None:
    """Measure all rows in turns and print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument('--rounds', type=int, default=5)
    parser.add_argument('--json', action='store_true')
    arguments = parser.parse_args()
    check()
    works = {name: make() for name, (make, _) in ROWS.items()}
    found: dict[str, list[float]] = {name: [] for name in works}
    for turn in range(arguments.rounds + 1):
        for name, work in works.items():
            start = time.process_time()
            count = work()
            rate = count / (time.process_time() - start) * 1e-6
            if turn:
                found[name].append(rate)
    medians = {name: statistics.median(rates) for name, rates in found.items()}
    if arguments.json:
        print(json.dumps({'machine': machine(), 'M steps/s': medians}))
        return
    print(machine())
    print_table(('what', 'M steps/s', 'lowest', 'highest', 'of NumPy'), [
        (name, f'{medians[name]:.3g}', f'{min(rates):.3g}', f'{max(rates):.3g}',
         f'{medians[name] / medians[other]:.0f} x' if (other := ROWS[name][1]) else '')
        for name, rates in found.items()])


if __name__ == '__main__':
    main()
