# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""The closed loop whose control is faster than the odometry that it gets."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from racecar.control.linearizer import Linearizer
from racecar.control.tracker import TrajectoryTracker
from racecar.metrics.tracking_error import Array
from racecar.simulation.batch_result import Noise
from racecar.simulation.closed_loop import LoopCar, row_of
from racecar.simulation.lanes import Lane


class HeldLoop(NamedTuple):
    """A ClosedLoop with an odometry every so many ticks only.

    At the ticks between tracker and law answer the last one again, for a reference that has moved
    on, as nodes do whose rate is higher than that of the odometry.
    """

    tracker: TrajectoryTracker
    linearizer: Linearizer
    simulator: LoopCar
    odometry_every: int

    @property
    def is_compilable(self) -> bool:
        """No kernel does it."""
        return False

    @property
    def lane(self) -> Lane | None:
        """None, nor do those of cars side by side."""
        return None

    def disturb(self, noise: Noise, key: tuple[int, int]) -> bool:
        """False: no noise by the loop itself."""
        return False

    def warm_up(self) -> None:
        """Compile, or load from the cache, all that a run calls; nothing changes."""
        self.simulator.warm_up()
        self.tracker.warm_up()
        self.linearizer.warm_up()

    def run(self, ticks: int, on_rows: Callable[[Array], object]) -> None:
        """Do what ClosedLoop.run() does. Raises DivergenceError."""
        tracker, linearizer, simulator, every = self
        odometry = simulator.odometry()
        for tick in range(ticks + 1):
            is_fresh = tick % every == 0
            if is_fresh:
                odometry = simulator.odometry()
            now_ns = simulator.time_ns
            output = tracker.update(odometry, now_ns)
            command = linearizer.command(odometry, output.velocity, now_ns)
            if is_fresh:
                on_rows(np.array([
                    row_of(odometry, output.reference.x, output.reference.y, command)]))
            if tick < ticks:
                simulator.set_command(command)
                simulator.tick()
