# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""The whole loop of tracker, law and simulator in one process."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any, NamedTuple, Protocol

import numpy as np

from racecar.base.compiled import COMPILED
from racecar.base.errors import ConfigurationError
from racecar.base.packing import vector
from racecar.base.readings import Collisions
from racecar.base.types import AckermannCommand, NANOSECONDS, Odometry
from racecar.control.linearizer import Linearizer
from racecar.control.tracker import TrajectoryTracker
from racecar.dynamics.vehicles.parameters import VehicleParameters
from racecar.simulation.lanes import Lane, Reference
from racecar.simulation.loop_kernel import has_own, loop_kernel
from racecar.simulation.metrics.run_table import COLUMNS, RunTable
from racecar.simulation.metrics.tracking_error import Array
from racecar.simulation.simulator import PackedSimulator, Simulator
from racecar.simulation.stock_lanes import StockControl

CHUNK = 1024
"""Ticks that one call of a kernel runs."""

MOST_TICKS = 10_000_000
"""Of a run whose rows are kept: with 11 numbers each they take 0.9 GB."""

Row = tuple[float, ...]

TimeStep = Callable[[int], float]
"""Returns the time since the step before [s], and notes the present one [ns]."""


class LoopCar(Protocol):
    """A car as a loop drives it; ticks are as long as from one odometry to the next.

    compiled: the simulator whose kernels do exactly what the ticks of this car do; None if there
    is none, and every tick is called.
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
    def collisions(self) -> Collisions | None:
        """Contacts since the last reset; None where there is nothing to run into."""

    def warm_up(self) -> None:
        """Do what would hold up the first tick."""

    def odometry(self) -> Odometry:
        """Return pose and twist at the present time."""

    def set_command(self, command: Any) -> None:
        """Apply a command of its kind from now on; raises ParameterError for what is not finite.

        Of a car that is an AckermannCommand.
        """

    def tick(self) -> None:
        """Advance by one period. Raises DivergenceError."""


class Loop(Protocol):
    """What runs and is measured: a car that follows a reference, by a law or by one's own means.

    linearizer: None where a controller of one's own takes its place.
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

    def warm_up(self) -> None:
        """Compile, or load from the cache, all that a run calls; nothing changes."""

    def run(self, ticks: int, on_rows: Callable[[Array], object]) -> None:
        """Answer and advance by so many ticks, and answer once more; raises DivergenceError.

        on_rows gets rows of COLUMNS, (n, len(COLUMNS)), one for each odometry; it may keep them.
        """


class VariedControl(NamedTuple):
    """In what tracker and law of cars differ: vehicles with columns; values of the law."""

    tracker_vehicle: VehicleParameters
    law_vehicle: VehicleParameters
    law_values: Mapping[str, Any]


class ClosedLoop(NamedTuple):
    """A tracker, a law and a simulator that drive one car."""

    tracker: TrajectoryTracker
    linearizer: Linearizer
    simulator: LoopCar

    @property
    def odometry_every(self) -> int:
        """1: each tick has an odometry of its own."""
        return 1

    def answer(self) -> tuple[Row, AckermannCommand]:
        """Return the row of RunTable for now and the command that answers the odometry."""
        odometry: Odometry = self.simulator.odometry()
        output = self.tracker.update(odometry)
        command = self.linearizer.command(odometry, output.velocity)
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
        if not self.is_compilable:
            return None
        tracker, law = self.tracker, self.linearizer
        return Lane(
            StockControl(type(law), tracker.step, tracker.is_exact),
            Reference(tracker.trajectory), (*tracker.state, *law.state),
            (*tracker.parameters, *law.parameters))

    def columns(self, varied: VariedControl, cars: int) -> Array:
        """Parameters of what drives cars that differ from this one, as in lane: (numbers, cars).

        Raises TypeError or ValueError if a number decides more than numbers.
        """
        law: Array = self.linearizer.columns(varied.law_values, varied.law_vehicle, cars)
        return np.concatenate([self.tracker.columns(varied.tracker_vehicle, cars), law])

    def warm_up(self) -> None:
        """Compile, or load from the cache, all that a run calls; nothing changes."""
        tracker, linearizer, car = self
        simulator = car.compiled
        packed = None if simulator is None else simulator.packed
        if simulator is None or packed is None or not (COMPILED and self.is_compilable):
            car.warm_up()
            tracker.warm_up()
            linearizer.warm_up()
            return
        tracker.origin_for(simulator.odometry())
        nothing = vector(0)
        self._kernel(simulator)(
            *packed, *self._arrays, tracker.sample([], []), 0.0, 0.0, 0.0, 0.0, nothing, 0, False,
            nothing)

    def run(self, ticks: int, on_rows: Callable[[Array], object]) -> None:
        """Answer and advance by so many ticks, and answer once more. Raises DivergenceError.

        on_rows gets rows of COLUMNS, (n, len(COLUMNS)), which it may keep. The compiled loop,
        where it covers the parts, gives the same bits and leaves them in the same state.
        """
        simulator = self.simulator.compiled
        if COMPILED and self.is_compilable and simulator is not None:
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
        tracker, linearizer, _ = self
        packed = simulator.packed
        assert packed is not None
        # Inputs past the command, such as torques, end with it.
        simulator.set_command(simulator.command)
        if not tracker.started:
            tracker.start(simulator.odometry(), simulator.time_ns)
        kernel = self._kernel(simulator)
        clocks = (tracker.time_step, linearizer.time_step)

        def sample(times: Any, first_step: float) -> Any:
            return tracker.sample(times, [first_step, *(packed.period,) * (len(times) - 1)])

        for count, drives_last in chunks(ticks):
            run_chunk(kernel, simulator, packed, tracker, clocks, self._arrays, sample,
                      room_for(count), on_rows, drives_last=drives_last)

    def _kernel(self, simulator: Simulator) -> Callable[..., int]:
        return loop_kernel(simulator.kernels, type(self.linearizer), self.tracker.step)

    @property
    def _arrays(self) -> tuple[Any, Any, Any, Any]:
        tracker, law = self.tracker, self.linearizer
        return tracker.state, tracker.parameters, law.state, law.parameters


def row_of(odometry: Odometry, x: float, y: float, command: AckermannCommand) -> Row:
    """Return a row of RunTable; x, y: of the reference [m]."""
    return (odometry.time_ns / NANOSECONDS, odometry.x, odometry.y, odometry.yaw, odometry.vx,
            odometry.vy, odometry.yaw_rate, x, y, *command)


def chunks(ticks: int, size: int = CHUNK) -> Iterator[tuple[int, bool]]:
    """Divide a run of so many ticks, and one answer more, into pieces of at most `size` answers.

    Yields how many answers each has, and whether the last of them is driven, too.
    """
    for done in range(0, ticks + 1, size):
        count = min(size, ticks + 1 - done)
        yield count, done + count <= ticks


def room_for(count: int) -> Array:
    """Return rows of COLUMNS for a kernel to fill, all of them NaN."""
    return np.full((count, len(COLUMNS)), np.nan)


def run_chunk(
    kernel: Callable[..., int], simulator: Simulator, packed: PackedSimulator,
    tracker: TrajectoryTracker, clocks: tuple[TimeStep, TimeStep],
    arrays: tuple[Any, Any, Any, Any],
    sample: Callable[[Any, float], Any], rows: Array, on_rows: Callable[[Array], object], *,
    drives_last: bool,
) -> None:
    """Run a tick for each of some rows by a kernel of loop_kernel; on_rows gets what it filled.

    packed: of the simulator; tracker: whose clock and origin count, started; clocks: of tracker
    and law; arrays: state and parameters of controller and law; sample: references at times of the
    clock [s], the time since the step before given [s]; drives_last: whether the last answer is
    driven, too. Raises DivergenceError.
    """
    # Below 2^53 ns, 104 days, the quotients are those of Python's integers.
    count = len(rows)
    stamps_ns = simulator.time_ns + simulator.period_ns * np.arange(count)
    first_step, first_law_step = (clock(int(stamps_ns[0])) for clock in clocks)
    diverged = kernel(
        *packed, *arrays, sample(tracker.time_since_start(stamps_ns), first_step),
        *tracker.origin, first_step, first_law_step, stamps_ns / NANOSECONDS, count, drives_last,
        rows.ravel())
    answered = count if diverged < 0 else diverged + 1
    driven = answered - (0 if diverged < 0 and drives_last else 1)
    for clock in clocks:
        clock(int(stamps_ns[answered - 1]))
    on_rows(rows[:answered])
    simulator.take_over(
        AckermannCommand(*map(float, packed.command)), driven, diverges=diverged >= 0)


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
    DivergenceError, and RunError for a controller of one's own that fails.
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
