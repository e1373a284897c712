# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""The whole loop of tracker, linearizer and simulator without ROS, tick by tick."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from racecar.core.control.kinematic_linearizer import KinematicLinearizer
from racecar.core.control.tracker import TrajectoryTracker
from racecar.core.simulation.simulator import Simulator
from racecar.core.types import NANOSECONDS

# Columns of ClosedLoopRun.table, SI units.
COLUMNS = ('time', 'x', 'y', 'yaw', 'vx', 'vy', 'yaw_rate', 'x_reference', 'y_reference',
           'vx_reference', 'vy_reference', 'speed_command', 'steering_command')


@dataclass(frozen=True)
class ClosedLoopRun:
    """One row per control tick, columns as in COLUMNS; shape (ticks + 1, len(COLUMNS))."""

    table: NDArray[np.float64]

    def column(self, name: str) -> NDArray[np.float64]:
        """Return one column by its name in COLUMNS."""
        return self.table[:, COLUMNS.index(name)]


def run_closed_loop(
        tracker: TrajectoryTracker, linearizer: KinematicLinearizer, simulator: Simulator,
        duration: float, on_tick: Callable[[int], object] | None = None) -> ClosedLoopRun:
    """Run for the duration [s] from the simulator's present state.

    on_tick is called with the number of the tick, for a progress bar. The sequence per tick is
    that of the nodes in lockstep, so both give the same bits. Raises DivergenceError.
    """
    ticks = -(-round(duration * NANOSECONDS) // simulator.period_ns)
    table = np.empty((ticks + 1, len(COLUMNS)))
    for tick in range(ticks + 1):
        odometry = simulator.odometry()
        output = tracker.update(odometry)
        command = linearizer.command(odometry, output.velocity)
        reference = output.reference
        table[tick] = (
            odometry.time_ns / NANOSECONDS, odometry.x, odometry.y, odometry.yaw, odometry.vx,
            odometry.vy, odometry.yaw_rate, reference.x, reference.y, reference.vx,
            reference.vy, command.speed, command.steering_angle)
        if tick < ticks:
            simulator.set_command(command)
            simulator.tick()
        if on_tick is not None:
            on_tick(tick)
    return ClosedLoopRun(table)
