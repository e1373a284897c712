# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""The whole loop of tracker, law and simulator in one process."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple, Protocol, Self

import numpy as np

from racecar.base.columns import rows_of
from racecar.base.compiled import has_compiler
from racecar.base.errors import ConfigurationError
from racecar.base.readings import Collisions, LaserScan
from racecar.base.types import AckermannCommand, CarMotion, NANOSECONDS, Odometry
from racecar.base.values import Values
from racecar.control.linearizer import Linearizer
from racecar.control.tracker import TrajectoryTracker
from racecar.dynamics.vehicles.parameters import VehicleParameters
from racecar.metrics.run_table import COLUMNS, RunTable
from racecar.metrics.tracking_error import Array
from racecar.simulation.batch_result import Noise
from racecar.simulation.dead_reckoning import DeadReckoning
from racecar.simulation.faulty_lanes import LoopFaults, NO_FAULTS
from racecar.simulation.lanes import Lane, Reference
from racecar.simulation.loop_kernel import CompiledLoop
from racecar.simulation.model_lanes import lane_car
from racecar.simulation.reckoned_lanes import control_memory, reckoned_lane
from racecar.simulation.simulator import has_own, Simulator
from racecar.simulation.stock_lanes import StockControl

MOST_TICKS = 10_000_000
"""Of a run whose rows are kept: with 11 numbers each they take 0.9 GB."""

Row = tuple[float, ...]

OnScan = Callable[[LaserScan], object]
"""Gets each scan of a laser, at its time."""


class LoopCar(Protocol):
    """A car as a loop drives it; ticks are as long as from one odometry to the next.

    compiled: the simulator whose kernels do exactly what the ticks of this car do; None if there
    is none, and every tick is called. reckoning: dead reckoning by which alone the control knows
    where the car is; its ticks move it on. None if it sees the odometry as it is.
    """

    @property
    def time_ns(self) -> int:
        """Simulated time since the start [ns]."""

    @property
    def period_ns(self) -> int:
        """Length of a tick [ns]."""

    @property
    def description(self) -> str:
        """What it is, for messages."""

    @property
    def compiled(self) -> Simulator | None:
        """See the class."""

    @property
    def reckoning(self) -> DeadReckoning | None:
        """See the class."""

    @property
    def collisions(self) -> Collisions | None:
        """Contacts since the last reset; None where there is nothing to run into."""

    def warm_up(self) -> None:
        """Do what would hold up the first tick."""

    def odometry(self) -> Odometry:
        """Return the true pose and twist at the present time."""

    def watch(self, on_scan: OnScan) -> bool:
        """Show the scan that is due now, if one is, and from now on those that are due in ticks.

        Called at each odometry, so that it shows all scans: at the rate of the laser, as late as
        it shows them. False, and nothing is done, for a car without a laser.
        """

    def set_command(self, command: Any) -> None:
        """Apply a command of its kind from now on; raises ParameterError for what is not finite.

        Of a car that is an AckermannCommand.
        """

    def tick(self) -> None:
        """Advance by one period. Raises DivergenceError."""


def seen_by_control(car: LoopCar, odometry: Odometry) -> Odometry:
    """What the control of a car sees where this is its odometry."""
    return odometry if car.reckoning is None else car.reckoning.odometry(odometry.time_ns)


class Loop(Protocol):
    """What runs and is measured: a car that follows a reference, by a law or by one's own means.

    linearizer: None where a custom controller takes its place.
    """

    @property
    def tracker(self) -> TrajectoryTracker:
        """Says where the reference is, and which point of the car is to be there."""

    @property
    def linearizer(self) -> Linearizer | None:
        """The law."""

    @property
    def simulator(self) -> LoopCar:
        """The car, which owns the time."""

    @property
    def odometry_every(self) -> int:
        """Ticks from one odometry to the next."""

    @property
    def is_compilable(self) -> bool:
        """Whether the kernels do exactly what the parts do tick by tick."""

    @property
    def lane(self) -> Lane | None:
        """The car for a block of cars side by side; None if it does not run compiled."""

    def disturb(self, noise: Noise, key: tuple[int, int]) -> bool:
        """Add noise to the odometry that the control sees, by a key of two words.

        False, and nothing is done, for a loop that cannot add this noise by itself.
        """

    def warm_up(self) -> None:
        """Compile, or load from the cache, all that a run calls; nothing changes."""

    def run(self, ticks: int, on_rows: Callable[[Array], object]) -> None:
        """Answer and advance by so many ticks, and answer once more; raises DivergenceError.

        on_rows gets rows of COLUMNS, (n, len(COLUMNS)), one for each odometry; it may keep them.
        """


class VariedControl(NamedTuple):
    """In what tracker and law of cars differ: values and vehicles with columns."""

    tracker_values: Values
    tracker_vehicle: VehicleParameters
    law_values: Values
    law_vehicle: VehicleParameters


class ClosedLoop(NamedTuple):
    """A tracker, a law and a simulator that drive one car."""

    tracker: TrajectoryTracker
    linearizer: Linearizer
    simulator: LoopCar

    @property
    def faults(self) -> LoopFaults:
        """Those of its car, see FaultyLoop."""
        return NO_FAULTS

    @property
    def odometry_every(self) -> int:
        """1: each tick has an odometry of its own."""
        return 1

    def answer(self) -> tuple[Row, AckermannCommand]:
        """Return the row of RunTable for now and the command that answers the odometry."""
        odometry: Odometry = self.simulator.odometry()
        seen = seen_by_control(self.simulator, odometry)
        output = self.tracker.update(seen)
        command = self.linearizer.command(seen, output.velocity)
        return row_of(odometry, output.reference.x, output.reference.y, command), command

    @property
    def is_compilable(self) -> bool:
        """Whether the kernels do exactly what the parts do tick by tick."""
        return (
            self.simulator.compiled is not None
            and not has_own(self.tracker, TrajectoryTracker, 'update')
            and not has_own(self.linearizer, Linearizer, 'command'))

    @property
    def lane(self) -> Lane | None:
        """The car for a block of cars side by side; None if the kernels do not cover it."""
        simulator = self.simulator.compiled
        if simulator is None or not self.is_compilable:
            return None
        tracker, law = self.tracker, self.linearizer
        return faulty_lane(Lane(
            lane_car(simulator), StockControl(type(law), tracker.step, tracker.is_exact),
            Reference(tracker.trajectory), (*tracker.state, *law.state),
            (*tracker.parameters, *law.parameters)), self.simulator, self.faults)

    def disturb(self, noise: Noise, key: tuple[int, int]) -> bool:
        """False: no noise by the loop itself."""
        return False

    def columns(self, varied: VariedControl, cars: int) -> Array:
        """Parameters of what drives cars that differ from this one, as in lane: (numbers, cars).

        Raises TypeError or ValueError if a number decides more than numbers.
        """
        law: Array = self.linearizer.columns(varied.law_values, varied.law_vehicle, cars)
        tracker = self.tracker.columns(varied.tracker_values, varied.tracker_vehicle, cars)
        reckoning = self.simulator.reckoning
        return np.concatenate([*(
            () if reckoning is None else [rows_of(reckoning.parameters, cars)]),
            rows_of(self.faults.numbers, cars), tracker, law])

    @property
    def _runs_compiled(self) -> bool:
        # Faults are in the loop as a whole alone, without Numba too.
        return (has_compiler() or bool(self.faults)) and self.is_compilable

    def warm_up(self) -> None:
        """Compile, or load from the cache, all that a run calls; nothing changes."""
        simulator = self.simulator.compiled
        if self._runs_compiled and simulator is not None:
            self._compiled_loop(simulator).warm_up()
            return
        for part in (self.tracker, self.linearizer, self.simulator):
            part.warm_up()

    def run(self, ticks: int, on_rows: Callable[[Array], object]) -> None:
        """Answer and advance by so many ticks, and answer once more. Raises DivergenceError.

        on_rows gets rows of COLUMNS, (n, len(COLUMNS)), which it may keep. The compiled loop,
        where it covers the parts, gives the same bits and leaves them in the same state.
        """
        simulator = self.simulator.compiled
        if (self._runs_compiled and simulator is not None
                and self.tracker.last_ns == self.linearizer.last_ns):
            self._run_compiled(simulator, ticks, on_rows)
        else:
            self.run_tick_by_tick(ticks, lambda row: on_rows(np.array([row])))

    def run_tick_by_tick(self, ticks: int, on_row: Callable[[Row], object]) -> None:
        """Do what run() does by the parts themselves."""
        for tick in range(ticks + 1):
            row, command = self.answer()
            on_row(row)
            if tick < ticks:
                self.simulator.set_command(command)
                self.simulator.tick()

    def _run_compiled(
        self, simulator: Simulator, ticks: int, on_rows: Callable[[Array], object],
    ) -> None:
        loop, tracker = self._compiled_loop(simulator), self.tracker
        if not tracker.started:
            start = seen_by_control(self.simulator, simulator.odometry())
            tracker.start(start, start.time_ns)
        try:
            loop.run(ticks, on_rows)
        finally:
            memory = self.faults.control_memory(
                control_memory(loop.memory, self.simulator.reckoning))
            first = len(tracker.state)
            tracker.state[:], self.linearizer.state[:] = memory[:first], memory[first:]

    def _compiled_loop(self, simulator: Simulator) -> CompiledLoop:
        lane = self.lane
        assert lane is not None
        return CompiledLoop(simulator, self.tracker, lane, (
            self.tracker.time_step, self.linearizer.time_step), self.faults.changes)


class FaultyLoop(ClosedLoop):
    """A ClosedLoop of a car that has faults, and runs compiled."""

    def __new__(cls, loop: ClosedLoop, faults: LoopFaults) -> Self:
        """Take a loop, and faults of its car."""
        made = super().__new__(cls, loop.tracker, loop.linearizer, loop.simulator)
        made._faults = faults
        return made

    _faults: LoopFaults

    @property
    def faults(self) -> LoopFaults:
        """Those of its car."""
        return self._faults


def faulty_lane(lane: Lane, car: LoopCar, faults: LoopFaults) -> Lane:
    """Lane of a car whose control sees it by its dead reckoning, and through faults."""
    if faults and car.compiled is not None:
        seen = seen_by_control(car, car.odometry())
        motion = CarMotion(seen.x, seen.y, seen.yaw, seen.vx, seen.vy, seen.yaw_rate)
        lane = faults.around(lane, motion, car.compiled.steps_per_tick)
    return reckoned_lane(lane, car.reckoning)


def row_of(odometry: Odometry, x: float, y: float, command: AckermannCommand) -> Row:
    """Return a row of RunTable; x, y: of the reference [m]."""
    return (odometry.time_ns / NANOSECONDS, odometry.x, odometry.y, odometry.yaw, odometry.vx,
            odometry.vy, odometry.yaw_rate, x, y, *command)


def run_closed_loop(
        tracker: TrajectoryTracker, linearizer: Linearizer, simulator: LoopCar,
        duration: float, on_tick: Callable[[int], object] | None = None) -> RunTable:
    """Run for the duration [s] from the simulator's present state.

    on_tick is called with the number of ticks, for a progress bar. The sequence per tick is
    that of the nodes in lockstep, so both give the same bits. Raises DivergenceError.
    """
    return run_loop(ClosedLoop(tracker, linearizer, simulator), duration, on_tick)


def run_loop(
    loop: Loop, duration: float, on_tick: Callable[[int], object] | None = None,
) -> RunTable:
    """Run a loop for the duration [s] from its present state.

    on_tick: as in run_closed_loop(). Raises ConfigurationError for too long a run,
    DivergenceError, and RunError for a custom controller that fails.
    """
    ticks = tick_count(duration, loop.simulator.period_ns)
    every = loop.odometry_every
    table = np.empty((ticks // every + 1, len(COLUMNS)))
    done = 0

    def on_rows(rows: Array) -> None:
        nonlocal done
        table[done:done + len(rows)] = rows
        done += len(rows)
        if on_tick is not None:
            on_tick((done - 1) * every)

    loop.run(ticks, on_rows)
    return RunTable(table, loop.tracker.tracked_ahead)


def tick_count(duration: float, period_ns: int) -> int:
    """Return how many periods make up a duration [s], rounded up.

    Raises ConfigurationError if they are more than MOST_TICKS, as a row is kept of each.
    """
    ticks = -(-round(duration * NANOSECONDS) // period_ns)
    if ticks > MOST_TICKS:
        raise ConfigurationError(
            f'duration is {duration:g} s, which is {ticks} ticks of {period_ns / NANOSECONDS:g} s,'
            f' expected at most {MOST_TICKS}: shorten the run, lower the rate of the simulator, or'
            ' use `racecar up`, which keeps no rows')
    return ticks
