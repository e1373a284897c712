# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""The closed loop with a controller of one's own."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from racecar.core.analysis.metrics import Array
from racecar.core.analysis.run_table import COLUMNS
from racecar.core.compiled import compilation_failure, COMPILED, NO_NUMBA
from racecar.core.control.own_controller import (
    check_command,
    Controller,
    failure_of,
    preview_of,
    pure_part,
    PureController,
)
from racecar.core.control.own_driver import NO_STEP, OwnDriver
from racecar.core.control.step_clock import StepClock
from racecar.core.control.tracker import TrajectoryTracker
from racecar.core.errors import DivergenceError, RunError
from racecar.core.packing import vector
from racecar.core.simulation.closed_loop import chunks, LoopCar, row_of, run_chunk
from racecar.core.simulation.loop_kernel import own_loop_kernel, own_references
from racecar.core.simulation.simulator import Simulator
from racecar.core.types import AckermannCommand, NANOSECONDS

_TIME, _COMMAND = COLUMNS.index('time'), COLUMNS.index('speed_command')


class OwnLoop:
    """A controller of one's own and a simulator; the tracker only says where the reference is.

    why_plain: why the controller runs in plain Python, tick by tick; empty if it runs compiled.
    """

    linearizer = None
    odometry_every = 1

    def __init__(
        self, controller: Controller, tracker: TrajectoryTracker, simulator: LoopCar,
    ) -> None:
        """Compile the step of the controller, if it has one; once for all that have the same.

        Raises ConfigurationError for a preview, a state or parameters that are none.
        """
        self.tracker = tracker
        self.simulator = simulator
        self._preview = preview_of(controller)
        # There is no law.
        self._clocks = tracker.time_step, StepClock().step
        self._kernel: Callable[..., int] | None = None
        self.why_plain = self._compile(pure_part(controller), simulator.compiled)
        if self.why_plain:
            self._driver = OwnDriver(lambda: controller, tracker)
        simulator.warm_up()
        tracker.warm_up()

    def _compile(self, pure: PureController | None, simulator: Simulator | None) -> str:
        if pure is None:
            return NO_STEP
        if not COMPILED:
            return NO_NUMBA
        packed = None if simulator is None else simulator.packed
        if simulator is None or packed is None:
            return 'the simulator has steps of its own'
        nothing = vector(0)
        self._compiled = simulator, packed
        self._arrays = vector(pure.state), vector(pure.parameters), nothing, nothing
        kernel = own_loop_kernel(
            simulator.kernels, pure.step, type(pure.state), type(pure.parameters))
        failure = compilation_failure(
            kernel, *packed, *self._arrays, nothing, 0.0, 0.0, 0.0, 0.0, nothing, 0, False,
            nothing)
        if failure:
            return f'its step cannot be compiled: {failure}'
        self._kernel = kernel
        # Compiles, too.
        self._sample([0.0], 0.0)
        return ''

    @property
    def is_compilable(self) -> bool:
        """Whether the kernel does exactly what the parts do tick by tick."""
        return self._kernel is not None

    def run(self, ticks: int, on_rows: Callable[[Array], object]) -> None:
        """Answer and advance by so many ticks, and answer once more.

        on_rows gets rows of COLUMNS, (n, len(COLUMNS)), which it may keep. Raises RunError for a
        controller that fails or commands what is not finite, DivergenceError as Simulator does.
        """
        simulator = self.simulator
        if not self.tracker.started:
            self.tracker.start(simulator.odometry(), simulator.time_ns)
        for count, drives_last in chunks(ticks):
            if self._kernel is None:
                self._run_plain(count, on_rows, drives_last=drives_last)
            else:
                self._run_compiled(self._kernel, count, on_rows, drives_last=drives_last)

    def _run_compiled(
        self, kernel: Callable[..., int], count: int, on_rows: Callable[[Array], object], *,
        drives_last: bool,
    ) -> None:
        def checked(rows: Array) -> None:
            for row in rows[~np.isfinite(rows[:, _COMMAND:]).all(axis=1)][:1]:
                check_command(
                    AckermannCommand(*row[_COMMAND:].tolist()), float(row[_TIME]))
            on_rows(rows)

        start, period = self.simulator.time_ns, self.simulator.period_ns
        try:
            run_chunk(kernel, *self._compiled, self.tracker, self._clocks,
                      self._arrays, self._sample, count, checked, drives_last=drives_last)
        except (DivergenceError, RunError):
            raise
        except Exception as error:
            end = (start + (count - 1) * period) / NANOSECONDS
            raise failure_of(error, f'from {start / NANOSECONDS:g} to {end:g} s') from error

    def _sample(self, times: Any, _: float) -> Any:
        return own_references(self.tracker.trajectory, times, self._preview)

    def _run_plain(
        self, count: int, on_rows: Callable[[Array], object], *, drives_last: bool,
    ) -> None:
        simulator = self.simulator
        rows = np.empty((count, len(COLUMNS)))
        for tick in range(count):
            odometry = simulator.odometry()
            command, now = self._driver.update(odometry)
            rows[tick] = row_of(odometry, now.x, now.y, command)
            if tick < count - 1 or drives_last:
                simulator.set_command(command)
                try:
                    simulator.tick()
                except DivergenceError:
                    on_rows(rows[:tick + 1])
                    raise
        on_rows(rows)
