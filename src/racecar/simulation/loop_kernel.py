# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""The closed loop of one car as a kernel: any control, model, tyre, method and actuators.

It calls the very functions of which control and Simulator are made, in the same order, on the
numbers of the simulator; so it gives their bits and leaves them as their own ticks do.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Sequence
import functools
import math
import time
from typing import NamedTuple

import numpy as np

from racecar.base.compiled import compiled, importable
from racecar.base.errors import RunError
from racecar.base.rows import count_numbers, flatten, load, Numbers, Part, store, zeros_of
from racecar.base.types import AckermannCommand, CarMotion, NANOSECONDS, quaternion_to_yaw
from racecar.base.vectors import as_vector, Flat, Vector, vector
from racecar.control.progress import lane_numbers, LineReference, located, sight_for
from racecar.control.reference_sampler import placed, ReferenceSampler
from racecar.control.tracker import TrajectoryTracker
from racecar.dynamics.vehicles.interface import Equations
from racecar.metrics.run_table import COLUMNS
from racecar.metrics.tracking_error import Array
from racecar.simulation.car_rows import Change
from racecar.simulation.dead_reckoning import rolling_of
from racecar.simulation.engine import COLUMN_COUNT, limited
from racecar.simulation.lanes import Lane, LaneControl
from racecar.simulation.layout import pieces
from racecar.simulation.simulator import Simulator
from racecar.simulation.tick import CarKind, one_car_parts, orders, tick_function

CHUNK = 1024
"""Ticks that one call of a kernel runs."""

_TIME, _COMMAND = COLUMNS.index('time'), COLUMNS.index('speed_command')

TimeStep = Callable[[int], float]
"""Returns the time since the step before [s], and notes the present one [ns]."""


class LoopPlan(NamedTuple):
    """What a call of the kernel is to do.

    answers: how many; driven: how many of them are driven; steps: in a tick; period: of a tick
    [s]; first_step: time since the answer before the first [s]; origin_x, origin_y: of the
    references [m].
    """

    answers: float
    driven: float
    steps: float
    period: float
    first_step: float
    origin_x: float
    origin_y: float


_PLAN = Part(zeros_of(LoopPlan))
_RECORD = Part((0.0,) * COLUMN_COUNT)

RunLoop = Callable[[Flat, tuple[Flat, Flat], Vector, Vector, Flat, Vector], int]
"""run(rows, control, references, stamps, records, plan): see loop_kernel()."""


Tell = Callable[[Flat, Numbers, Numbers, float], None]
"""tell(control, state, parameters, vx): see _telling()."""

Locate = Callable[[LineReference, Flat, CarMotion, Flat], LineReference]
"""locate(reference, control, car, numbers): see _locating()."""


def _telling(control: LaneControl, equations: Equations) -> Tell:
    """Pure function that tells a control that looks how fast the rear wheels roll."""
    rolling, row = rolling_of(equations), control.rolling_row
    if row is None:
        @importable
        def tell_none(control: Flat, state: Numbers, car: Numbers, vx: float) -> None:
            pass

        return tell_none
    speed_part = Part((0.0,), row)

    @importable
    def tell(control: Flat, state: Numbers, car: Numbers, vx: float) -> None:
        store(control, speed_part, 0, (rolling(state, car, vx),))

    return tell


def _locating(control: LaneControl) -> Locate:
    """Pure function that moves the reference of a control by progress to the nearest point."""
    row = control.way_row
    if row is None:
        @importable
        def locate_none(
            reference: LineReference, control: Flat, car: CarMotion, numbers: Flat,
        ) -> LineReference:
            # By time it is of another type, and stays as it is.
            return reference

        return locate_none
    way_part = Part((0.0,), row)

    @importable
    def locate(
        reference: LineReference, control: Flat, car: CarMotion, numbers: Flat,
    ) -> LineReference:
        return located(reference, load(control, way_part, 0)[0], car, numbers, 0)

    return locate


@functools.cache
def loop_kernel(kind: CarKind, equations: Equations, control: LaneControl) -> RunLoop:
    """Compiled function that answers and drives one car tick by tick, all its arguments flat.

    rows: of the car, see OneCarParts; driving: state and parameters of what drives it, and
    lane_numbers() of a control by progress, of which it writes the memory; references: what that
    follows at each tick; stamps: of the ticks [s]; records: is filled with rows of RunTable; plan:
    numbers of a LoopPlan. Returns how many ticks were driven: fewer than planned where a command
    is not finite or the car diverges, which then is as it was before.
    """
    parts = one_car_parts(kind)
    order, tick = orders(kind), tick_function(kind, equations)
    observe, answer = equations.observe, control.answer
    state_part, parameters_part, limits_part = parts.state, parts.parameters, parts.command_limits
    inputs_part = Part(equations.inputs, parts.inputs.first)
    memory_part, reference_part = Part(control.state), Part(control.reference)
    values_part = Part(control.parameters, memory_part.after)
    size = count_numbers(control.reference)
    tell, locate = _telling(control, equations), _locating(control)
    sight = sight_for(control.way_row)

    def run_loop(
        rows: Flat, driving: tuple[Flat, Flat], references: Vector, stamps: Vector,
        records: Flat, plan: Vector,
    ) -> int:
        control, numbers = driving
        p = load(plan, _PLAN, 0)
        driven, steps = int(p.driven), int(p.steps)
        for k in range(int(p.answers)):
            x, y, qz, qw, vx, vy, yaw_rate = observe(
                load(rows, state_part, 0), load(rows, inputs_part, 0),
                load(rows, parameters_part, 0))
            car = CarMotion(x, y, quaternion_to_yaw(0.0, 0.0, qz, qw), vx, vy, yaw_rate)
            tell(control, load(rows, state_part, 0), load(rows, parameters_part, 0), vx)
            reference = locate(placed(
                load(references, reference_part, size * k), p.origin_x, p.origin_y), control, car,
                numbers)
            after, command = answer(
                load(control, memory_part, 0), load(control, values_part, 0), car,
                sight(reference, numbers, 0), p.period if k else p.first_step)
            store(control, memory_part, 0, after)
            store(records, _RECORD, COLUMN_COUNT * k, (
                stamps[k], car, reference.x, reference.y, command))
            if not (math.isfinite(command.speed) and math.isfinite(command.steering_angle)):
                return k
            if k < driven:
                order(rows, limited(command, load(rows, limits_part, 0)))
                if not tick(rows, steps):
                    return k
        return driven

    return compiled(run_loop, 'int64(float64[::1], UniTuple(float64[::1], 2), '
                    f"{', '.join(['float64[::1]'] * 4)})")


def chunks(
    ticks: int, size: int = CHUNK, ends: Collection[int] = (),
) -> Iterator[tuple[int, int]]:
    """Divide a run of so many ticks, and one answer more, into pieces of at most `size` answers.

    Yields how many answers each has, and how many of them are driven. ends: ticks at which a piece
    begins in any case.
    """
    for first, count in pieces(ticks + 1, size, ends):
        yield count, min(count, ticks - first)


class CompiledLoop:
    """Runs a simulator and its control by their kernel; the tracker's clock and origin count.

    memory: numbers of the state of the control.
    """

    def __init__(
        self, simulator: Simulator, tracker: TrajectoryTracker, lane: Lane,
        clocks: Sequence[TimeStep], changes: Sequence[Change] = (),
    ) -> None:
        """Take parts whose kernel does what they do; clocks: of tracker and control.

        changes: of the simulator, by their ticks.
        """
        self._changes = {change.tick: change for change in changes}
        self._simulator, self._tracker, self._clocks = simulator, tracker, clocks
        self._control = lane.control
        self._numbers: Flat = vector((*flatten(lane.state), *flatten(lane.parameters)))
        self.memory: Flat = self._numbers[:count_numbers(lane.state)]
        self._line: Flat = lane_numbers([np.asarray(lane.numbers, float)], 1)
        self._sampler: ReferenceSampler = lane.control.sampler([lane.reference])
        # Of the equations for commands, as control gives these.
        self._kernel: RunLoop = loop_kernel(
            simulator.car.kind, simulator.car.kind.equations, lane.control)

    def warm_up(self) -> None:
        """Compile, or load from the cache, all that a run calls; nothing changes."""
        self._simulator.car.warm_up_command()
        self._tracker.origin_for(self._simulator.odometry())
        nothing = vector(0)
        self._sampler.sample(nothing, nothing)
        self._kernel(self._simulator.car.rows, (self._numbers, self._line), nothing, nothing,
                     nothing, vector(tuple(_PLAN.example)))

    def answer_times(self, ticks: int) -> Array:
        """Thread CPU time of each answer (ticks,) [s], while the car drives on; it has started.

        With the call from Python and the observation of the car, some microseconds. A car that
        diverges or is commanded what is not finite ends it early.
        """
        simulator, found = self._simulator, np.full(ticks, np.nan)
        simulator.set_command(simulator.command)
        for tick in range(ticks):
            stamp = simulator.time_ns
            first_step, *_ = [clock(stamp) for clock in self._clocks]
            period = simulator.period_ns / NANOSECONDS
            plan = LoopPlan(1, 0, simulator.steps_per_tick, period, first_step,
                            *self._tracker.origin)
            times = vector([self._tracker.time_since_start(stamp)])
            references = self._sampler.sample(times, vector([first_step]))
            records: Flat = vector(COLUMN_COUNT)
            stamps = vector([stamp / NANOSECONDS])
            only, both = vector(tuple(plan)), vector(tuple(plan._replace(driven=1)))
            copies = as_vector(np.array(self._numbers)), as_vector(np.array(self._line))
            before = time.thread_time_ns()
            self._kernel(simulator.car.rows, copies, references, stamps, records, only)
            found[tick] = (time.thread_time_ns() - before) / NANOSECONDS
            if not self._kernel(simulator.car.rows, (self._numbers, self._line), references,
                                stamps, records, both):
                return found[:tick + 1]
            simulator.take_over(
                AckermannCommand(*np.array(records)[_COMMAND:].tolist()), 1, diverges=False)
        return found

    def run(self, ticks: int, on_rows: Callable[[Array], object]) -> None:
        """Answer and advance by so many ticks, and answer once more; the tracker has started.

        on_rows gets rows of COLUMNS, which it may keep. Raises DivergenceError, and RunError for
        code of the user's that fails or commands what is not finite.
        """
        simulator = self._simulator
        # Inputs past the command, such as torques, end with it.
        simulator.set_command(simulator.command)
        first = simulator.time_ns // simulator.period_ns
        for count, driven in chunks(ticks, ends=[tick - first for tick in self._changes]):
            change = self._changes.get(simulator.time_ns // simulator.period_ns)
            if change is not None:
                simulator.change(change.model, change.channels)
            self._run_chunk(count, driven, on_rows)

    def _run_chunk(
        self, count: int, driven: int, on_rows: Callable[[Array], object],
    ) -> None:
        simulator, tracker = self._simulator, self._tracker
        # Below 2^53 ns, 104 days, the quotients are those of Python's integers.
        stamps_ns = simulator.time_ns + simulator.period_ns * np.arange(count)
        first_step, *_ = [clock(int(stamps_ns[0])) for clock in self._clocks]
        period = simulator.period_ns / NANOSECONDS
        records = np.full((count, COLUMN_COUNT), np.nan)
        plan = LoopPlan(
            count, driven, simulator.steps_per_tick, period, first_step, *tracker.origin)
        references = self._sampler.sample(
            vector(tracker.time_since_start(stamps_ns)),
            vector([first_step, *(period,) * (count - 1)]))
        try:
            done = self._kernel(
                simulator.car.rows, (self._numbers, self._line), references,
                as_vector(stamps_ns / NANOSECONDS), as_vector(records.ravel()),
                vector(tuple(plan)))
        except Exception as error:
            # A row is filled once its command is there.
            answered = int(np.count_nonzero(np.isfinite(records[:, _TIME])))
            failure = self._control.failure(
                error, (int(stamps_ns[0]) + answered * simulator.period_ns) / NANOSECONDS)
            if failure is None:
                raise
            raise failure from error
        answered = min(done + 1, count)
        for clock in self._clocks:
            clock(int(stamps_ns[answered - 1]))
        last = AckermannCommand(*records[answered - 1, _COMMAND:].tolist())
        failed = '' if last.is_finite else self._control.message(
            last, float(records[answered - 1, _TIME]))
        if failed:
            raise RunError(failed)
        on_rows(records[:answered])
        if driven:
            # Of a last answer that is not driven the one before is in force.
            at = min(done, driven - 1)
            simulator.take_over(
                AckermannCommand(*records[at, _COMMAND:].tolist()), done, diverges=done < driven)
