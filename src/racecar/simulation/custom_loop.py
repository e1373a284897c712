# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""The closed loop with a custom controller."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from racecar.base.errors import DivergenceError
from racecar.control.custom_controller import (
    Controller,
    preview_of,
    pure_part,
    PureController,
)
from racecar.control.custom_driver import CustomDriver, NO_STEP, why_uncompiled
from racecar.control.tracker import TrajectoryTracker
from racecar.metrics.run_table import COLUMNS
from racecar.metrics.tracking_error import Array
from racecar.simulation.closed_loop import LoopCar, row_of
from racecar.simulation.custom_lanes import custom_lane
from racecar.simulation.lanes import Lane, Reference
from racecar.simulation.loop_kernel import chunks, CompiledLoop

# Ticks of a piece in plain Python, after which progress is told.
_PLAIN_CHUNK = 32


class CustomLoop:
    """A custom controller and a simulator; the tracker only says where the reference is.

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
        self._pure: PureController | None = None
        pure, compiled = pure_part(controller), simulator.compiled
        self.why_plain = (
            NO_STEP if pure is None
            else 'the car itself does not run compiled, as none does in a world'
            if compiled is None else why_uncompiled(pure))
        self._compiled: CompiledLoop | None = None
        if pure is None or compiled is None or self.why_plain:
            self._driver = CustomDriver(lambda: controller, tracker)
        else:
            self._pure = pure
            self._compiled = CompiledLoop(
                compiled, tracker, custom_lane(compiled, pure, self._reference),
                (tracker.time_step,))

    @property
    def _reference(self) -> Reference:
        return Reference(self.tracker.trajectory, self._preview)

    @property
    def is_compilable(self) -> bool:
        """Whether the kernel does exactly what the parts do tick by tick."""
        return self._pure is not None

    @property
    def lane(self) -> Lane | None:
        """The car, at the start, for a block of cars side by side; None if it runs plain."""
        compiled = self.simulator.compiled
        return None if self._pure is None or compiled is None else custom_lane(
            compiled, self._pure, self._reference)

    def warm_up(self) -> None:
        """Compile, or load from the cache, all that a run calls; nothing changes."""
        if self._compiled is not None:
            self._compiled.warm_up()
            return
        self.simulator.warm_up()
        self.tracker.warm_up()

    def run(self, ticks: int, on_rows: Callable[[Array], object]) -> None:
        """Answer and advance by so many ticks, and answer once more.

        on_rows gets rows of COLUMNS, (n, len(COLUMNS)), which it may keep. Raises RunError for a
        controller that fails or commands what is not finite, DivergenceError as Simulator does.
        """
        if self._compiled is not None:
            self._compiled.run(ticks, on_rows)
            return
        if not self.tracker.started:
            self.tracker.start(self.simulator.odometry(), self.simulator.time_ns)
        for count, driven in chunks(ticks, _PLAIN_CHUNK):
            self._run_plain(count, driven, on_rows)

    def _run_plain(
        self, count: int, driven: int, on_rows: Callable[[Array], object],
    ) -> None:
        simulator = self.simulator
        rows = np.empty((count, len(COLUMNS)))
        for tick in range(count):
            odometry = simulator.odometry()
            command, now = self._driver.update(odometry)
            rows[tick] = row_of(odometry, now.x, now.y, command)
            if tick < driven:
                simulator.set_command(command)
                try:
                    simulator.tick()
                except DivergenceError:
                    on_rows(rows[:tick + 1])
                    raise
        on_rows(rows)
