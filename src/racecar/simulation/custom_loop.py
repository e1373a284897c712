# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""The closed loop with a custom controller."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache, partial

import numpy as np

from racecar.base.compiled import compilation_failure, has_compiler, NO_NUMBA
from racecar.base.errors import ConfigurationError, DivergenceError
from racecar.base.readings import LaserScan
from racecar.base.types import Odometry
from racecar.control.custom_controller import (
    Controller,
    preview_of,
    pure_part,
    PureController,
    reads_scans,
)
from racecar.control.custom_driver import (
    CustomDriver,
    NO_STEP,
    READS_SCANS,
    uncompiled,
)
from racecar.control.tracker import TrajectoryTracker
from racecar.dynamics.vehicles.interface import Equations
from racecar.metrics.run_table import COLUMNS
from racecar.metrics.tracking_error import Array
from racecar.simulation.batch_result import Noise
from racecar.simulation.closed_loop import faulty_lane, LoopCar, row_of, seen_by_control
from racecar.simulation.custom_lanes import custom_lane
from racecar.simulation.faulty_lanes import LoopFaults, NO_FAULTS
from racecar.simulation.lanes import Lane, LaneControl, Reference
from racecar.simulation.loop_kernel import chunks, CompiledLoop, loop_kernel
from racecar.simulation.reckoned_lanes import control_memory
from racecar.simulation.simulator import Simulator
from racecar.simulation.tick import CarKind

# Ticks of a piece in plain Python, after which progress is told.
_PLAIN_CHUNK = 32


@cache
def _failure_of(kind: CarKind, equations: Equations, control: LaneControl) -> str:
    """Why a loop cannot be compiled, or ''; Numba would try anew what it cannot compile."""
    return compilation_failure(lambda: loop_kernel(kind, equations, control))


class CustomLoop:
    """A custom controller and a simulator; the tracker only says where the reference is.

    why_plain: why the controller runs in plain Python, tick by tick; empty if it runs compiled.
    """

    linearizer = None
    odometry_every = 1

    def __init__(
        self, controller: Controller, tracker: TrajectoryTracker, simulator: LoopCar,
        faults: LoopFaults = NO_FAULTS,
    ) -> None:
        """Compile the step of the controller, if it has one; once for all that have the same.

        faults: of one that runs compiled. Raises ConfigurationError for a preview, a state or
        parameters that are none.
        """
        self.tracker = tracker
        self.simulator = simulator
        self.faults = faults
        self._preview = preview_of(controller)
        self._pure: PureController | None = None
        pure, compiled = pure_part(controller), simulator.compiled
        self.why_plain = (
            READS_SCANS if reads_scans(controller)
            else NO_STEP if pure is None
            else 'the car itself does not run compiled, as none does in a world'
            if compiled is None else NO_NUMBA if not has_compiler()
            else uncompiled(_failure_of(
                compiled.car.kind, compiled.car.kind.equations,
                self._lane_of(compiled, pure).control)))
        self._see: Callable[[Odometry, int], Odometry] = lambda odometry, _: odometry
        self._tick = 0
        self._compiled: CompiledLoop | None = None
        if pure is None or compiled is None or self.why_plain:
            self._driver = CustomDriver(lambda: controller, tracker)
        else:
            self._pure = pure
            self._compiled = CompiledLoop(
                compiled, tracker, self._lane_of(compiled, pure),
                (tracker.time_step,), faults.changes)

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
        return None if self._pure is None or compiled is None else self._lane_of(
            compiled, self._pure)

    def _lane_of(self, simulator: Simulator, pure: PureController) -> Lane:
        return faulty_lane(
            custom_lane(simulator, pure, self._reference, self.tracker.tracked_ahead),
            self.simulator, self.faults)

    def disturb(self, noise: Noise, key: tuple[int, int]) -> bool:
        """Add noise to what a controller in plain Python sees, drawn as for a block of cars.

        False for one that runs compiled or whose odometry has errors of its own, and for noise
        of the motion.
        """
        if (self._compiled is not None or self.simulator.reckoning is not None
                or noise.lateral or noise.turning):
            return False
        self._see = partial(noise.measured, key)
        return True

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
            if not self.tracker.started:
                self._start()
            try:
                self._compiled.run(ticks, on_rows)
            finally:
                self.faults.control_memory(
                    control_memory(self._compiled.memory, self.simulator.reckoning))
            return
        if not self.tracker.started:
            self._start()
        for count, driven in chunks(ticks, _PLAIN_CHUNK):
            self._run_plain(count, driven, on_rows)

    def _watch(self) -> None:
        if not self.simulator.watch(self._on_scan):
            raise ConfigurationError(
                'the controller reads scans, but the car has no laser: give it a world, as by'
                ' --world racetrack, and --set single_track_simulator.sensors=[laser]')

    def _on_scan(self, scan: LaserScan) -> None:
        command = self._driver.see(scan, self.simulator.time_ns)
        if command is not None:
            self.simulator.set_command(command)

    def answer_times(self, ticks: int) -> Array | None:
        """Thread CPU time of each answer of some ticks [s], which it drives; None if it is plain.

        See CompiledLoop.answer_times().
        """
        if self._compiled is None:
            return None
        if not self.tracker.started:
            self._start()
        return self._compiled.answer_times(ticks)

    def _start(self) -> None:
        start = seen_by_control(self.simulator, self.simulator.odometry())
        self.tracker.start(start, start.time_ns)

    def _run_plain(
        self, count: int, driven: int, on_rows: Callable[[Array], object],
    ) -> None:
        simulator = self.simulator
        rows = np.empty((count, len(COLUMNS)))
        for tick in range(count):
            odometry = simulator.odometry()
            if self._driver.reads_scans:
                self._watch()
            command, now = self._driver.update(
                self._see(seen_by_control(simulator, odometry), self._tick))
            self._tick += tick < driven
            rows[tick] = row_of(odometry, now.x, now.y, command)
            if tick < driven:
                simulator.set_command(command)
                try:
                    simulator.tick()
                except DivergenceError:
                    on_rows(rows[:tick + 1])
                    raise
        on_rows(rows)
