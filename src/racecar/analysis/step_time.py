# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""How long a controller takes for an answer, or a compiled loop for a tick, by the wall clock."""

from __future__ import annotations

from array import array
from collections.abc import Sequence
import time
from typing import NamedTuple

import numpy as np

from racecar.base.readings import Collisions
from racecar.base.types import AckermannCommand, Odometry
from racecar.simulation.closed_loop import LoopCar, OnScan
from racecar.simulation.dead_reckoning import DeadReckoning
from racecar.simulation.simulator import Simulator

ANSWER, TICK = 'answer', 'tick'


class StepTime(NamedTuple):
    """Median and 99th percentile of wall times [s].

    of: ANSWER, from an odometry to the command that answers it, called from Python; or TICK, of a
    loop that is compiled as a whole: controller and car together, the mean of each piece of ticks.
    samples: answers, or pieces.
    """

    of: str
    median: float
    p99: float
    samples: int


class StepClock:
    """Takes the times of a run: of the answers by its car, of pieces of ticks by on_tick()."""

    def __init__(self) -> None:
        self.answers = array('d')
        self._pieces = array('d')
        self._last = (0, time.perf_counter())

    def start(self) -> None:
        """Begin with the first tick."""
        self._last = (0, time.perf_counter())

    def on_tick(self, ticks: int) -> None:
        """So many ticks of the run are done."""
        (before, then), now = self._last, time.perf_counter()
        if ticks > before:
            self._pieces.append((now - then) / (ticks - before))
        self._last = (ticks, now)

    def result(self) -> StepTime | None:
        """The times; None of a run without a tick."""
        of, times = (ANSWER, self.answers) if self.answers else (TICK, self._pieces)
        if not times:
            return None
        median, p99 = np.quantile(np.array(times), [0.5, 0.99]).tolist()
        return StepTime(of, median, p99, len(times))


class TimedCar:
    """A LoopCar that does what another does, and tells a clock when commands come.

    A loop that runs compiled as a whole does not call it.
    """

    def __init__(self, car: LoopCar, answers: array[float]) -> None:
        """answers: gets the time from each odometry to the command after it [s]."""
        self._car = car
        self._answers = answers
        self._asked: float | None = None

    @property
    def time_ns(self) -> int:
        """Simulated time since the start [ns]."""
        return self._car.time_ns

    @property
    def period_ns(self) -> int:
        """Length of a tick [ns]."""
        return self._car.period_ns

    @property
    def description(self) -> str:
        """What it is, for messages."""
        return self._car.description

    @property
    def compiled(self) -> Simulator | None:
        """Simulator whose kernels do what the ticks do, or None."""
        return self._car.compiled

    @property
    def reckoning(self) -> DeadReckoning | None:
        """Dead reckoning of the car, or None."""
        return self._car.reckoning

    @property
    def collisions(self) -> Collisions | None:
        """Contacts since the last reset, or None."""
        return self._car.collisions

    def warm_up(self) -> None:
        """Do what would hold up the first tick."""
        self._car.warm_up()

    def odometry(self) -> Odometry:
        """Pose and twist at the present time; the answer is awaited from now on."""
        odometry = self._car.odometry()
        self._asked = time.perf_counter()
        return odometry

    def watch(self, on_scan: OnScan) -> bool:
        """Show the scans of the laser, if it has one."""
        return self._car.watch(on_scan)

    def set_command(self, command: AckermannCommand) -> None:
        """Apply a command."""
        if self._asked is not None:
            self._answers.append(time.perf_counter() - self._asked)
            self._asked = None
        self._car.set_command(command)

    def tick(self) -> None:
        """Advance by one period."""
        self._car.tick()


def step_time_of(content: object) -> StepTime | None:
    """StepTime of what a run.yaml holds; None for anything else."""
    if not isinstance(content, dict) or content.keys() != set(StepTime._fields):
        return None
    numbers: Sequence[object] = [content[name] for name in ('median', 'p99', 'samples')]
    if content['of'] not in (ANSWER, TICK) or any(
            isinstance(number, bool) or not isinstance(number, int | float)
            for number in numbers):
        return None
    return StepTime(**content)
