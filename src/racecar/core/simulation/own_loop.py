# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""The closed loop with a controller of one's own."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from racecar.core.analysis.metrics import Array
from racecar.core.analysis.run_table import COLUMNS, RunTable
from racecar.core.compiled import compilation_failure, COMPILED
from racecar.core.control.own_controller import Controller, preview_of
from racecar.core.control.own_driver import NO_STEP, OwnDriver
from racecar.core.control.step_clock import StepClock
from racecar.core.control.tracker import TrajectoryTracker
from racecar.core.packing import vector
from racecar.core.simulation.closed_loop import CHUNK, run_chunk, tick_count
from racecar.core.simulation.loop_kernel import own_loop_kernel, own_references
from racecar.core.simulation.simulator import Simulator
from racecar.core.types import NANOSECONDS


class OwnLoop:
    """A controller of one's own and a simulator; the tracker only says where the reference is.

    why_plain: why the controller runs in plain Python, tick by tick; empty if it runs compiled.
    """

    def __init__(
        self, controller: Controller, tracker: TrajectoryTracker, simulator: Simulator,
    ) -> None:
        """Compile the step of the controller, if it has one.

        Raises ConfigurationError for a preview that is none.
        """
        self._controller: Any = controller
        self._tracker = tracker
        self._simulator = simulator
        self._preview = preview_of(controller)
        self._kernel: Callable[..., int] | None = None
        self.why_plain = self._compile()
        if self.why_plain:
            self._driver = OwnDriver(lambda: controller, tracker)
        simulator.warm_up()
        tracker.warm_up()

    def _compile(self) -> str:
        controller, packed = self._controller, self._simulator.packed
        if not hasattr(controller, 'step'):
            return NO_STEP
        if not COMPILED:
            return 'Numba is not installed'
        if packed is None:
            return 'the simulator has steps of its own'
        nothing = vector(0)
        self._packed = packed
        self._arrays = vector(controller.state), vector(controller.parameters), nothing, nothing
        kernel = own_loop_kernel(
            self._simulator.kernels, controller.step, type(controller.state),
            type(controller.parameters))
        failure = compilation_failure(lambda: kernel(
            *packed, *self._arrays, nothing, 0.0, 0.0, 0.0, 0.0, nothing, 0, False, nothing))
        if failure:
            return f'its step cannot be compiled: {failure}'
        self._kernel = kernel
        return ''

    def run(self, duration: float, on_tick: Callable[[int], object] | None = None) -> RunTable:
        """Run for a duration [s]; on_tick is called with the number of ticks some times.

        Raises RunError for a command that is none, DivergenceError as Simulator does.
        """
        simulator = self._simulator
        ticks = tick_count(duration, simulator.period_ns)
        self._tracker.start(simulator.odometry(), simulator.time_ns)
        # There is no law.
        clocks = self._tracker.time_step, StepClock().step
        parts: list[Array] = []
        done = 0
        while done <= ticks:
            count = min(CHUNK, ticks + 1 - done)
            drives_last = done + count <= ticks
            if self._kernel is None:
                parts.append(self._run_plain(count, drives_last=drives_last))
            else:
                run_chunk(self._kernel, simulator, self._packed, self._tracker, clocks,
                          self._arrays, self._sample, count, parts.append,
                          drives_last=drives_last)
            done += count
            if on_tick is not None:
                on_tick(done - 1)
        return RunTable(np.concatenate(parts), self._tracker.tracked_ahead)

    def _sample(self, times: Any, _: float) -> Any:
        return own_references(self._tracker.trajectory, times, self._preview)

    def _run_plain(self, count: int, *, drives_last: bool) -> Array:
        simulator = self._simulator
        rows = np.empty((count, len(COLUMNS)))
        for tick in range(count):
            odometry = simulator.odometry()
            command, now = self._driver.update(odometry)
            rows[tick] = (
                odometry.time_ns / NANOSECONDS, odometry.x, odometry.y, odometry.yaw, odometry.vx,
                odometry.vy, odometry.yaw_rate, now.x, now.y, *command)
            if tick < count - 1 or drives_last:
                simulator.set_command(command)
                simulator.tick()
        return rows
