# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""Closed loops packed into the rows that the compiled kernels run on."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import astuple
import itertools
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from racecar.base.columns import Array, columns_like, rows_of
from racecar.base.compiled import has_compiler
from racecar.base.errors import ConfigurationError
from racecar.base.rows import count_numbers, flatten, Numbers, Part
from racecar.base.types import AckermannCommand, CarMotion, NANOSECONDS
from racecar.base.vectors import Flat, vector
from racecar.control.progress import lane_numbers
from racecar.control.reference_sampler import ReferenceSampler
from racecar.control.tracker import course_from
from racecar.control.trajectories import Trajectory
from racecar.metrics.laps import Course, LapBatch, Points
from racecar.metrics.path_batch import PathBatch
from racecar.metrics.path_kernels import POINT_NUMBERS
from racecar.simulation.batch_result import Noise
from racecar.simulation.closed_loop import Loop, seen_by_control
from racecar.simulation.engine import block_kernel, block_parts, BlockParts, NO_PLAN, Plan
from racecar.simulation.lanes import (
    LaneChange,
    LaneControl,
    LaneMotion,
    Lines,
    Reference,
)
from racecar.simulation.layout import lane_rows, LANES


class Kind(NamedTuple):
    """What cars of one block have in common: how they move and are driven, times."""

    motion: LaneMotion
    control: LaneControl
    step_ns: int
    period_ns: int


class Columns(NamedTuple):
    """In which numbers cars differ from one, (numbers, cars) each, in SI units.

    parameters: of the motion; limits: of the state; control: parameters of what drives them; line:
    what Lines.add() takes, no rows if that does not differ.
    """

    parameters: Array
    limits: Array
    control: Array
    line: Array


class FleetColumns(NamedTuple):
    """Cars that differ from one; are_possible: whether each can be made at all, (cars,).

    trajectories: what each follows, all of one type; empty if they do not differ.
    """

    columns: Columns
    are_possible: NDArray[np.bool_]
    trajectories: Sequence[Trajectory] = ()


class Fleet(NamedTuple):
    """Cars of a batch, by their numbers, that are driven and start as that of a loop.

    columns: None if they do not differ; of a loop with a kind_of() only. trajectories: of each
    car, empty if that of the loop is that of all.
    """

    loop: Loop
    cars: Sequence[int]
    columns: Columns | None = None
    trajectories: Sequence[Trajectory] = ()

    @property
    def kind(self) -> Kind | None:
        """What the cars share with others of their block; None if they fit into none."""
        return kind_of(self.loop)

    def part(self, first: int, count: int) -> Fleet:
        """Some of the cars, counted from the first."""
        some = slice(first, first + count)
        return Fleet(self.loop, self.cars[some], None if self.columns is None else Columns(
            *(column[:, some] for column in self.columns)), self.trajectories[some])

    def where(self, wanted: NDArray[np.bool_]) -> Fleet:
        """Cars that are wanted, (cars,)."""
        return Fleet(self.loop, list(itertools.compress(self.cars, wanted)), None if (
            self.columns is None) else Columns(*(column[:, wanted] for column in self.columns)),
            list(itertools.compress(self.trajectories, wanted)))


class BlockRun(NamedTuple):
    """One run of a block.

    times: of all ticks since the start [s], of which the last one is not driven; skip: time from
    which metrics count [s]; every: one of so many ticks is recorded, 0 for none; records: (cars,
    samples, numbers of a row of RunTable), flat, is filled; deviations: of the noise, None
    without; paths, laps: get the points of cars and references, None for those that do not.
    """

    times: Flat
    skip: float = 0.0
    every: int = 0
    records: Flat = vector(0)
    deviations: tuple[float, ...] | None = None
    paths: PathBatch | None = None
    laps: LapBatch | None = None


class Block:
    """Up to LANES cars of one kind in packed rows."""

    def __init__(self, kind: Kind) -> None:
        self.kind = kind
        self._kernel = block_kernel(kind.motion, kind.control)
        self._parts: BlockParts = block_parts(kind.motion, kind.control)
        self.cars: list[int] = []
        self._rows = lane_rows(self._parts.rows)
        self._lines: Lines = kind.motion.lines()
        # What they were given.
        self._added: list[object] = []
        # What each car follows, and the rows at the start of those that may have to begin anew.
        self._references: list[Reference] = []
        self.changes: dict[int, list[tuple[int, LaneChange]]] = {}
        """Lanes whose motion gets other numbers at a tick, with these."""
        # Of cars by progress.
        self._cars: list[NDArray[np.float64]] = []
        self._numbers: Flat = vector(0)
        self._at_start: Flat = vector(0)
        self._samplers: list[ReferenceSampler] = []
        self.courses: list[Course] = []
        """Path of the reference of each car, as a course of laps."""

    @property
    def count(self) -> int:
        """Number of cars."""
        return len(self.cars)

    def add(self, fleet: Fleet) -> None:
        """Pack cars of this kind, which rest, whose loop is not kept."""
        loop, parts, first, count = fleet.loop, self._parts, self.count, len(fleet.cars)
        lane, tracker, moving = loop.lane, loop.tracker, self._parts.moving
        assert lane is not None
        car = lane.car.numbers()
        columns = fleet.columns or Columns(*(
            rows_of(tuple(of_all), count)
            for of_all in (car.parameters, car.limits, lane.parameters, ())))
        line = columns_like(moving.line.example, columns.line) if len(columns.line) else car.line
        odometry = seen_by_control(loop.simulator, loop.simulator.odometry())
        # One for all of them, or one for each.
        trajectories = fleet.trajectories or [tracker.trajectory]
        origins = [tracker.origin_for(odometry, trajectory) for trajectory in trajectories]
        alike = count if len(trajectories) < count else 1
        paths = np.array([(0.0, *origin, tracker.tracked_ahead) for origin in origins] * alike)
        self._added.append(line)
        for part, of_all in (
                (moving.state, car.state), (moving.inputs, car.inputs),
                (moving.status, (-1.0, 0.0)), (moving.line, self._lines.add(line)),
                (parts.answered, (0.0, -1.0, 0.0, 0.0)), (parts.control_state, lane.state)):
            self._put(part, first, rows_of(tuple(of_all), count))
        self._put(parts.path, first, paths.T)
        for part, rows in zip(
                (moving.parameters, parts.limits, parts.control), columns[:3], strict=True):
            self._put(part, first, rows)
        for change in lane.changes:
            self._added.append(change.line)
            self._lines.add(change.line)
            self.changes.setdefault(change.tick, []).extend(
                (car, change) for car in range(first, first + count))
        self.cars.extend(fleet.cars)
        self._cars.extend([np.asarray(lane.numbers, float)] * count)
        self._references.extend([
            lane.reference._replace(trajectory=trajectory) for trajectory in trajectories] * alike)
        self.courses.extend([course_from(trajectory, origin) for trajectory, origin in zip(
            trajectories, origins, strict=True)] * alike)

    def draw_by(self, keys: NDArray[np.int64]) -> None:
        """Give each car, before seal(), the key of its noise: two words, (cars, 2)."""
        self._put(self._parts.key, 0, keys.T.astype(float))

    def check_noise(self, noise: Noise) -> None:
        """Raise ConfigurationError for noise that cars of this kind do not have."""
        parts = self._parts
        measured = astuple(noise)[:len(CarMotion._fields)]
        if self.kind.control.rolling_row is not None and any(measured):
            raise ConfigurationError(
                'noise of what is measured goes with exact odometry only: leave it out, or set'
                ' odometry.source to truth and odometry.delay to 0')
        for name, part in (('lateral', parts.lateral), ('turning', parts.turning)):
            value = getattr(noise, name)
            if value and part is None:
                raise ConfigurationError(
                    f"noise '{name}' is {value:g}, expected 0 for the equations"
                    f' {self.kind.motion.name}, which have no state that it could push: leave'
                    ' it out, or use a vehicle_model with tyres, such as single_track')

    def _put(self, part: Part[Numbers], first: int, columns: Array) -> None:
        """Write numbers of cars from a lane on, (numbers, cars)."""
        count = columns.shape[1]
        for row, numbers in enumerate(columns, part.first):
            at = row * LANES + first
            self._rows[at:at + count] = numbers if has_compiler() else numbers.tolist()

    def seal(self) -> None:
        """Number the references, those of one type in succession, after the last car."""
        lanes: dict[Reference, list[int]] = {}
        for lane, reference in enumerate(self._references):
            lanes.setdefault(reference, []).append(lane)
        found = sorted(lanes, key=lambda reference: type(reference.trajectory).__name__)
        for index, reference in enumerate(found):
            for lane in lanes[reference]:
                self._rows[self._parts.path.first * LANES + lane] = float(index)
        self._samplers = [
            self.kind.control.sampler(list(group)) for _, group in itertools.groupby(
                found, key=lambda reference: type(reference.trajectory))]
        self._numbers = lane_numbers(self._cars, LANES)
        if self.kind.control.is_foreign:
            self._at_start = vector(self._rows)
        else:
            self._references.clear()

    def singles(self) -> Iterator[Block]:
        """Return a sealed block for each car, at its start; of a foreign control only."""
        for lane, car in enumerate(self.cars):
            single = Block(self.kind)
            single.cars.append(car)
            single._references.append(self._references[lane])
            single._cars.append(self._cars[lane])
            single.courses.append(self.courses[lane])
            for line in self._added:
                single._lines.add(line)
            single.changes = {
                tick: [(0, change) for of_lane, change in changes if of_lane == lane]
                for tick, changes in self.changes.items()}
            single._rows[::LANES] = self._at_start[lane::LANES]
            single.seal()
            yield single

    def sample(self, times: Flat) -> Flat:
        """Return references at some times [s] since the start, flat: (times, references, size)."""
        steps = vector([self.kind.period_ns / NANOSECONDS] * len(times))
        if len(times) and times[0] == 0.0:
            steps[0] = 0.0
        total = sum(sampler.count for sampler in self._samplers)
        size = count_numbers(self.kind.control.reference)
        found: Flat = vector(size * len(times) * total)
        first = 0
        for sampler in self._samplers:
            sampler.write(found, first, total, times, steps)
            first += sampler.count
        return found

    def run(self, whole: BlockRun, first: int, ticks: int) -> None:
        """Run some of the ticks of a run, each after those before; cars change at the first only.

        Raises RunError for a custom controller that fails; the others are then as it left
        them, see singles().
        """
        kind, period, steps = self.kind, self.period, self.kind.period_ns // self.kind.step_ns
        for lane, change in self.changes.get(first, ()) if ticks else ():
            moving = self._parts.moving
            for part, numbers in (
                    (moving.parameters, change.parameters), (moving.line, change.line)):
                self._put(part, lane, rows_of(numbers, 1))
        lines = self._lines.numbers(first, ticks, steps)
        times, paths = whole.times, whole.paths
        present = times[first:first + ticks]
        shown = paths is not None or whole.laps is not None
        points = vector(ticks * POINT_NUMBERS * LANES if shown else 0)
        plan = Plan(
            self._lines.depth, self.count, first, ticks, len(times) - 1, whole.skip, period,
            kind.step_ns / NANOSECONDS, steps, whole.every, (len(times) - 1) // whole.every + 1
            if whole.every else 0, whole.deviations is not None, shown,
            NO_PLAN.deviations if whole.deviations is None else whole.deviations)
        try:
            self._kernel(
                (self._rows, self._numbers), lines, self.sample(present), whole.records, points,
                vector((*flatten(plan), times[max(first - 1, 0)], *present)))
        except Exception as error:
            failure = kind.control.failure(
                error, float(self.rows(self._parts.answered)[0].max()) * period)
            if failure is None:
                raise
            raise failure from error
        if paths is not None:
            paths.add(points, LANES, first, ticks, self._diverged)
        if whole.laps is not None:
            whole.laps.add(
                present, Points(points, POINT_NUMBERS * LANES, LANES), self._diverged, first)

    @property
    def _diverged(self) -> Flat:
        """Tick of each car at which it diverged, or -1."""
        at = self._parts.moving.status.first * LANES
        return self._rows[at:at + self.count]

    def has_completed(self, laps: LapBatch, count: int) -> bool:
        """Whether each car has completed so many laps, or diverged."""
        return all(tick >= 0.0 or laps.completed(car) >= count
                   for car, tick in enumerate(self._diverged))

    @property
    def period(self) -> float:
        """Time of a tick [s]."""
        return self.kind.period_ns / NANOSECONDS

    @property
    def most_ticks(self) -> int:
        """Ticks that run() may be asked for at a time."""
        return self._lines.most_ticks(self.kind.period_ns // self.kind.step_ns)

    def failures(self) -> dict[int, str]:
        """What cars say whose controller commanded what is not finite, by their numbers."""
        _, ticks, speeds, steering_angles = self.rows(self._parts.answered).tolist()
        return {
            car: self.kind.control.message(
                AckermannCommand(speed, steering_angle), tick * self.period)
            for car, tick, speed, steering_angle in zip(
                self.cars, ticks, speeds, steering_angles, strict=True) if tick >= 0.0}

    @property
    def scores(self) -> Array:
        """Tick of the divergence or -1, then samples, sum_squared, ise, max_squared: (5, cars)."""
        found: Array = np.concatenate(
            [self.rows(self._parts.moving.status)[:1], self.rows(self._parts.score)[:4]])
        return found

    def rows(self, part: Part[Numbers]) -> Array:
        """Rows of a part, (numbers, cars)."""
        found = np.array(self._rows[part.first * LANES:part.after * LANES])
        return found.reshape(-1, LANES)[:, :self.count]

    @property
    def motion(self) -> Array:
        """States of the model and inputs in force, (numbers, cars)."""
        moving = self._parts.moving
        found: Array = np.concatenate([self.rows(moving.state), self.rows(moving.inputs)])
        return found


def kind_of(loop: Loop) -> Kind | None:
    """Return what a loop must share with others of its block; None if it fits into none."""
    lane = loop.lane
    if lane is None or loop.tracker.started or loop.simulator.time_ns:
        return None
    return Kind(lane.car.motion, lane.control, lane.car.step_ns, loop.simulator.period_ns)


def tick_times(period_ns: int, ticks: int) -> Flat:
    """Return the times of ticks 0 ... ticks [s], as stamps give them."""
    return vector([tick * period_ns / NANOSECONDS for tick in range(ticks + 1)])
