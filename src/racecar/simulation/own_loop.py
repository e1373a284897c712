# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""The closed loop with a controller of one's own."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from racecar.base.errors import DivergenceError, RunError
from racecar.base.packing import vector
from racecar.base.types import AckermannCommand, NANOSECONDS
from racecar.control.own_controller import (
    check_command,
    Controller,
    failure_at,
    preview_of,
    pure_part,
    PureController,
)
from racecar.control.own_driver import NO_STEP, OwnDriver, why_uncompiled
from racecar.control.own_reference import OwnReferenceSampler
from racecar.control.step_clock import StepClock
from racecar.control.tracker import TrajectoryTracker
from racecar.simulation.closed_loop import chunks, LoopCar, room_for, row_of, run_chunk
from racecar.simulation.lanes import Lane, Reference
from racecar.simulation.loop_kernel import own_loop_kernel
from racecar.simulation.metrics.run_table import COLUMNS
from racecar.simulation.metrics.tracking_error import Array
from racecar.simulation.own_lanes import own_lane

# Ticks of a piece in plain Python, after which progress is told.
_PLAIN_CHUNK = 32

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
        self._pure: PureController | None = None
        pure, compiled = pure_part(controller), simulator.compiled
        packed = None if compiled is None else compiled.packed
        self.why_plain = (
            NO_STEP if pure is None
            else 'the car itself does not run compiled, as none does in a world'
            if packed is None else why_uncompiled(pure))
        if pure is None or compiled is None or packed is None or self.why_plain:
            self._driver = OwnDriver(lambda: controller, tracker)
        else:
            self._pure, self._compiled = pure, (compiled, packed)
            self._arrays = vector(pure.state), vector(pure.parameters), vector(0), vector(0)
            self._sampler = OwnReferenceSampler([tracker.trajectory], [self._preview])

    @property
    def is_compilable(self) -> bool:
        """Whether the kernel does exactly what the parts do tick by tick."""
        return self._pure is not None

    @property
    def lane(self) -> Lane | None:
        """The car, at the start, for a block of cars side by side; None if it runs plain."""
        return None if self._pure is None else own_lane(
            self._pure, Reference(self.tracker.trajectory, self._preview))

    def warm_up(self) -> None:
        """Compile, or load from the cache, all that a run calls; nothing changes."""
        if self._pure is None:
            self.simulator.warm_up()
            self.tracker.warm_up()
            return
        self.tracker.origin_for(self.simulator.odometry())
        _, packed = self._compiled
        nothing = vector(0)
        self._kernel(self._pure)(
            *packed, *self._arrays, self._sample(nothing, 0.0), 0.0, 0.0, 0.0, 0.0, nothing, 0,
            False, nothing)

    def _kernel(self, pure: PureController) -> Callable[..., int]:
        simulator, _ = self._compiled
        return own_loop_kernel(
            simulator.kernels, pure.step, type(pure.state), type(pure.parameters))

    def run(self, ticks: int, on_rows: Callable[[Array], object]) -> None:
        """Answer and advance by so many ticks, and answer once more.

        on_rows gets rows of COLUMNS, (n, len(COLUMNS)), which it may keep. Raises RunError for a
        controller that fails or commands what is not finite, DivergenceError as Simulator does.
        """
        simulator = self.simulator
        if not self.tracker.started:
            self.tracker.start(simulator.odometry(), simulator.time_ns)
        pure = self._pure
        if pure is None:
            for count, drives_last in chunks(ticks, _PLAIN_CHUNK):
                self._run_plain(count, on_rows, drives_last=drives_last)
        else:
            kernel = self._kernel(pure)
            for count, drives_last in chunks(ticks):
                self._run_compiled(kernel, count, on_rows, drives_last=drives_last)

    def _run_compiled(
        self, kernel: Callable[..., int], count: int, on_rows: Callable[[Array], object], *,
        drives_last: bool,
    ) -> None:
        def checked(rows: Array) -> None:
            for row in rows[~np.isfinite(rows[:, _COMMAND:]).all(axis=1)][:1]:
                check_command(
                    AckermannCommand(*row[_COMMAND:].tolist()), float(row[_TIME]))
            on_rows(rows)

        start, rows = self.simulator.time_ns, room_for(count)
        try:
            run_chunk(kernel, *self._compiled, self.tracker, self._clocks, self._arrays,
                      self._sample, rows, checked, drives_last=drives_last)
        except (DivergenceError, RunError):
            raise
        except Exception as error:
            # A row is filled once its command is there.
            answered = int(np.count_nonzero(np.isfinite(rows[:, _TIME])))
            raise failure_at(
                error, (start + answered * self.simulator.period_ns) / NANOSECONDS) from error

    def _sample(self, times: Any, _: float) -> Any:
        return self._sampler.sample(vector(times), vector(len(times)))

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
