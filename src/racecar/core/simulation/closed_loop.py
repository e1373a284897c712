# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""The whole loop of tracker, linearizer and simulator without ROS, tick by tick."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from racecar.core.analysis.run_table import COLUMNS, RunTable
from racecar.core.control.linearizer import Linearizer
from racecar.core.control.tracker import TrajectoryTracker
from racecar.core.simulation.simulator import Simulator
from racecar.core.types import NANOSECONDS


def run_closed_loop(
        tracker: TrajectoryTracker, linearizer: Linearizer, simulator: Simulator,
        duration: float, on_tick: Callable[[int], object] | None = None) -> RunTable:
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
            odometry.vy, odometry.yaw_rate, reference.x, reference.y, command.speed,
            command.steering_angle)
        if tick < ticks:
            simulator.set_command(command)
            simulator.tick()
        if on_tick is not None:
            on_tick(tick)
    return RunTable(table, tracker.tracked_ahead)
