# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""Many closed loops at once: each car with its own vehicle, tyre, trajectory, gains and noise."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import astuple, dataclass, fields
import itertools
import math
import os
import threading
from typing import Any, cast, NamedTuple

import numpy as np

from racecar.core.analysis.metrics import Array, Metrics
from racecar.core.analysis.run_table import COLUMNS, RunTable
from racecar.core.compiled import COMPILED
from racecar.core.control.kinematic_linearizer import KinematicLinearizer
from racecar.core.control.tracker import TrajectoryTracker
from racecar.core.errors import ConfigurationError, DivergenceError
from racecar.core.simulation import batch_kernels as rows
from racecar.core.simulation.batch_kernels import (
    block_kernel,
    Flat,
    LANES,
    NOISE_CHANNELS,
    PARAMETER_ROWS,
    sampling_kernel,
    SCRATCH_ROWS,
    STATE_ROWS,
)
from racecar.core.simulation.simulator import Simulator
from racecar.core.trajectories import Trajectory
from racecar.core.types import AckermannCommand, NANOSECONDS, Odometry
from racecar.core.vehicles.interface import SplitDerivative

CHUNK = 64
"""Ticks of a block that one call of a kernel runs."""

# Bytes in a line of the cache.
_LINE = 64

# What the kernels know of each part. A part with more to it is run tick by tick by its methods.
_KNOWN_PARTS: dict[type, frozenset[str]] = {
    Simulator: frozenset((
        'model', 'integrator', 'step_ns', 'period_ns', 'steps_per_tick', '_step',
        '_advance', '_observe', '_follow', '_travelled', '_parameters', '_limits', '_inputs',
        '_initial_pose', '_steps', '_actuators', '_command', '_travel', '_state', '_good')),
    TrajectoryTracker: frozenset((
        'trajectory', 'gains', 'tracked_ahead', '_starts_at_car', '_start_ns', '_origin',
        '_last_ns', '_last_error', '_integral', '_derivative')),
    KinematicLinearizer: frozenset((
        '_vehicle', '_held_steering', '_epsilon', '_standstill', '_reverses', '_limits')),
}


class ClosedLoop(NamedTuple):
    """A tracker, a linearizer and a simulator that drive one car, all before their first tick."""

    tracker: TrajectoryTracker
    linearizer: Any
    simulator: Simulator

    @property
    def is_compilable(self) -> bool:
        """Whether the compiled loop does exactly what the parts do tick by tick."""
        return (
            all(vars(part).keys() == _KNOWN_PARTS.get(type(part), ()) for part in self)
            and self.simulator.model.split_derivative is not None
            and self.simulator._actuators is None and self.tracker.tracked_ahead == 0.0
            and type(self.tracker.trajectory).attitude is Trajectory.attitude
            and not self.tracker.started and self.simulator.time_ns == 0)

    def answer(self) -> tuple[tuple[float, ...], AckermannCommand]:
        """Return the row of RunTable for now and the command that answers the odometry."""
        odometry: Odometry = self.simulator.odometry()
        output = self.tracker.update(odometry)
        command: AckermannCommand = self.linearizer.command(odometry, output.velocity)
        return (
            odometry.time_ns / NANOSECONDS, odometry.x, odometry.y, odometry.yaw, odometry.vx,
            odometry.vy, odometry.yaw_rate, output.reference.x, output.reference.y,
            command.speed, command.steering_angle), command

    def run(self, ticks: int, on_row: Callable[[tuple[float, ...]], object]) -> None:
        """Answer and advance by so many ticks, and answer once more. Raises DivergenceError."""
        for tick in range(ticks + 1):
            row, command = self.answer()
            on_row(row)
            if tick < ticks:
                self.simulator.set_command(command)
                self.simulator.tick()


@dataclass(frozen=True)
class Noise:
    """Standard deviations of white noise, drawn anew at each tick.

    Measured: x, y [m], yaw [rad], vx, vy [m/s], yaw_rate [rad/s], added to the odometry that the
    control laws see. Of the motion: lateral, added to the lateral state (vy or beta), and turning,
    added to the yaw rate, per square root of a second [m/s/sqrt(s) or rad/sqrt(s), rad/s/sqrt(s)].
    """

    x: float = 0.0
    y: float = 0.0
    yaw: float = 0.0
    vx: float = 0.0
    vy: float = 0.0
    yaw_rate: float = 0.0
    lateral: float = 0.0
    turning: float = 0.0

    def __post_init__(self) -> None:
        for field in fields(self):
            value = getattr(self, field.name)
            if not (math.isfinite(value) and value >= 0.0):
                raise ConfigurationError(
                    f"noise '{field.name}' is {value!r}, expected a number of at least 0")


@dataclass(frozen=True, eq=False)
class BatchResult:
    """Metrics of n cars, SI units as in Metrics, each (n,); NaN where no sample counts.

    diverged_at: time up to which a car that diverged was simulated [s], NaN for the others, whose
    metrics cover the whole run. tracked_ahead: as in RunTable [m]. records:
    (n, samples, len(COLUMNS)), NaN after a divergence, or None where nothing was recorded.
    """

    rmse: Array
    ise: Array
    sum_squared_error: Array
    max_error: Array
    samples: Array
    duration: Array
    diverged_at: Array
    tracked_ahead: Array
    records: Array | None = None

    def __len__(self) -> int:
        return len(self.rmse)

    def metrics(self, car: int) -> Metrics:
        """Return the metrics of one car, of the time before it diverged if it did."""
        return Metrics(
            float(self.rmse[car]), float(self.ise[car]), float(self.sum_squared_error[car]),
            float(self.max_error[car]), int(self.samples[car]), float(self.duration[car]))

    def table(self, car: int) -> RunTable:
        """Return the recorded rows of one car. Raises ConfigurationError if there are none."""
        if self.records is None:
            raise ConfigurationError('nothing was recorded; run with record_every of at least 1')
        recorded = self.records[car]
        return RunTable(
            recorded[~np.isnan(recorded[:, 0])], float(self.tracked_ahead[car]))


class _Kind(NamedTuple):
    """What cars of one block have in common: kernels and times."""

    form: SplitDerivative
    observe: Any
    integrator: str
    step_ns: int
    period_ns: int


class _Part(NamedTuple):
    """Rows of references that one kernel samples: first row, parameters; or one trajectory."""

    row: int
    kernel: Callable[..., None] | None
    a: Any
    b: Any
    trajectory: Trajectory


class Block:
    """Up to LANES cars of one kind in packed rows."""

    def __init__(self, kind: _Kind) -> None:
        self.kind = kind
        self._kernel = block_kernel(kind.form, kind.observe, kind.integrator)
        self.cars: list[int] = []
        self.state = lane_rows(STATE_ROWS)
        self.parameters = lane_rows(PARAMETER_ROWS)
        self._trajectories: dict[Any, list[int]] = {}
        self._parts: list[_Part] = []

    @property
    def count(self) -> int:
        """Number of cars."""
        return len(self.cars)

    def add(self, car: int, loop: ClosedLoop) -> None:
        """Pack one car: its number and its parts, which are not kept."""
        lane = self.count
        self.cars.append(car)
        tracker, linearizer, simulator = loop
        vehicle, gains = linearizer._vehicle, tracker.gains
        minimum_speed, fade_speed = linearizer._standstill
        steering_limit, speed_min, speed_max = linearizer._limits
        plant = simulator.model.vehicle
        state = dict(enumerate(simulator.state))
        state |= {
            rows.SPEED_IN: simulator.command.speed,
            rows.STEERING_IN: simulator.command.steering_angle,
            rows.HELD_STEERING: linearizer._held_steering, rows.DIVERGED: -1.0,
            rows.DISTANCE: simulator._travel[0]}
        parameters = dict(enumerate(simulator.model.parameters))
        parameters |= {
            rows.SPEED_MIN: plant.speed_min, rows.SPEED_MAX: plant.speed_max,
            rows.STEERING_LIMIT: plant.steering_limit, rows.WHEELBASE: vehicle.wheelbase,
            rows.EPSILON: linearizer._epsilon, rows.MINIMUM_SPEED: minimum_speed,
            rows.FADE_SPEED: fade_speed, rows.REVERSE: float(linearizer._reverses),
            rows.KP: gains.Kp, rows.KI: gains.Ki, rows.KD: gains.Kd, rows.FFWD: float(gains.FFWD),
            rows.PL_DISTANCE: gains.PL_distance, rows.VELOCITY_LIMIT: gains.velocity_limit,
            rows.CATCH_UP_SPEED: gains.catch_up_speed,
            rows.LAW_SPEED_MIN: speed_min, rows.LAW_SPEED_MAX: speed_max,
            rows.LAW_STEERING_LIMIT: steering_limit,
            rows.FROM_CAR: float(tracker._starts_at_car)}
        parameters |= {
            rows.LIMIT + k: limit for k, limit in enumerate(simulator.model.state_limits)}
        for row, value in state.items():
            self.state[row * LANES + lane] = float(value)
        for row, value in parameters.items():
            self.parameters[row * LANES + lane] = float(value)
        trajectory = tracker.trajectory
        key = trajectory if type(trajectory).kernel is not None else id(trajectory)
        # The trajectory itself stays in the value, so that its identity stays unique.
        self._trajectories.setdefault(key, [trajectory]).append(lane)  # type: ignore[list-item]

    def seal(self) -> None:
        """Group the trajectories by their kernels, after the last car."""
        found: list[tuple[Trajectory, list[int]]] = [
            (cast(Trajectory, entry[0]), entry[1:]) for entry in self._trajectories.values()]
        found.sort(key=lambda entry: type(entry[0]).__name__)
        row = 0
        for _, group in itertools.groupby(found, key=lambda entry: type(entry[0])):
            members = list(group)
            for offset, (_, lanes) in enumerate(members):
                for lane in lanes:
                    self.parameters[rows.REFERENCE * LANES + lane] = float(row + offset)
            kernel = type(members[0][0]).kernel
            if kernel is None:
                self._parts += [
                    _Part(row + offset, None, None, None, trajectory)
                    for offset, (trajectory, _) in enumerate(members)]
            else:
                numbers = [
                    (*astuple(trajectory), 0.0, 0.0)[:2]  # type: ignore[call-overload]
                    for trajectory, _ in members]
                self._parts.append(_Part(
                    row, sampling_kernel(kernel), flat([a for a, _ in numbers]),
                    flat([b for _, b in numbers]), members[0][0]))
            row += len(members)
        self._trajectories.clear()
        self.references = row

    def sample(self, times: Any, first: int, ticks: int) -> Flat:
        """Return x, y, vx, vy of all trajectories at some ticks, flat."""
        references: Flat = flat(self.references * ticks * 4)
        for part in self._parts:
            if part.kernel is not None:
                part.kernel(references, times, first, ticks, part.row, part.a, part.b)
                continue
            for tick in range(ticks):
                at = 4 * (part.row * ticks + tick)
                references[at:at + 4] = part.trajectory.at(float(times[first + tick]))[:4]
        return references

    def run(
        self, times: Any, first: int, ticks: int, last: int, *, skip: float = 0.0,
        records: Any = None, every: int = 0, samples: int = 0, noise: Any = None,
        deviations: Any = None,
    ) -> None:
        """Run ticks; arguments as in the kernel."""
        kind = self.kind
        self._kernel(
            self.state, self.parameters, lane_rows(SCRATCH_ROWS), self.count,
            self.sample(times, first, ticks), times, first, ticks, last, float(skip),
            kind.period_ns / NANOSECONDS, kind.step_ns / NANOSECONDS,
            kind.period_ns // kind.step_ns, flat(0) if records is None else records, every,
            samples, flat(0) if noise is None else noise,
            flat(0) if deviations is None else deviations, noise is not None)

    def row(self, row: int) -> Array:
        """Return one row of the state, (count,)."""
        return np.array(self.state[row * LANES:row * LANES + self.count])


def flat(values: int | Sequence[float]) -> Any:
    """Return so many zeros, or these numbers, in the form that kernels run fastest on."""
    if COMPILED:
        return np.zeros(values) if isinstance(values, int) else np.array(values, dtype=float)
    return [0.0] * values if isinstance(values, int) else [float(value) for value in values]


def lane_rows(count: int) -> Any:
    """Return so many rows of LANES zeros, flat."""
    if not COMPILED:
        return flat(count * LANES)
    room = np.zeros(count * LANES + _LINE // 8)
    # Vectors that start within a line of the cache would take two accesses each.
    first = -room.__array_interface__['data'][0] % _LINE // 8
    return room[first:first + count * LANES]


def kind_of(simulator: Simulator) -> _Kind:
    """Return what a simulator must share with others of its block."""
    model: Any = simulator.model
    return _Kind(model.split_derivative, model.observe, simulator.integrator, simulator.step_ns,
                 simulator.period_ns)


def tick_times(period_ns: int, ticks: int) -> Any:
    """Return the times of ticks 0 ... ticks [s], as stamps give them."""
    return flat([tick * period_ns / NANOSECONDS for tick in range(ticks + 1)])


def tick_count(duration: float, period_ns: int) -> int:
    """Return how many periods make up a duration [s], rounded up."""
    return -(-round(duration * NANOSECONDS) // period_ns)


class BatchSimulation:
    """Closed loops of any kind and number, run side by side by compiled kernels on all cores.

    The cars do not know of each other. A car gives the same bits as alone, whatever the others
    and however many threads. Loops that the kernels do not cover run tick by tick, slower.
    """

    def __init__(
        self, loops: Iterable[ClosedLoop], *, noise: Noise | None = None,
        generator: np.random.Generator | None = None, threads: int | None = None,
        block_size: int = LANES,
    ) -> None:
        """Pack the loops; their objects are not kept, so they may be made one by one.

        noise: of all cars, drawn for each from a stream of its own that `generator` seeds.
        threads: how many cores to use, by default all that this process may use. block_size: cars
        that one thread takes at a time, up to LANES; fewer spread a small batch over the cores.
        Raises ConfigurationError if noise lacks a generator or is asked for a loop that the
        kernels do not cover.
        """
        if (noise is None) != (generator is None):
            raise ConfigurationError('noise needs a generator, and a generator needs noise')
        if threads is not None and threads < 1:
            raise ConfigurationError(f'threads is {threads}, expected at least 1')
        if not 1 <= block_size <= LANES:
            raise ConfigurationError(f'block_size is {block_size}, expected 1 to {LANES}')
        self._threads = threads or len(os.sched_getaffinity(0))
        self._blocks: list[Block] = []
        self._others: list[tuple[int, ClosedLoop]] = []
        open_blocks: dict[_Kind, Block] = {}
        self._count = 0
        for loop in loops:
            if loop.is_compilable:
                kind = kind_of(loop.simulator)
                block = open_blocks.get(kind)
                if block is None or block.count == block_size:
                    block = open_blocks[kind] = Block(kind)
                    self._blocks.append(block)
                block.add(self._count, loop)
            elif noise is not None:
                raise ConfigurationError(
                    f'noise is not available for {loop.simulator.model.description} with'
                    f' {type(loop.linearizer).__name__}: the compiled loop does not cover it')
            else:
                self._others.append((self._count, loop))
            self._count += 1
        for block in self._blocks:
            block.seal()
            # Compiles, which threads could only do one after the other.
            block.run(flat(1), 0, 0, 0)
        self._noise = noise
        self._seeds: Any = [] if generator is None else generator.integers(
            0, 2**63, size=(self._count, 2), dtype=np.uint64)
        self._done = False

    def __len__(self) -> int:
        return self._count

    def run(
        self, duration: float, *, skip: float = 0.0, record_every: int = 0,
        on_progress: Callable[[float], object] | None = None,
    ) -> BatchResult:
        """Run all cars for a duration [s] and return their metrics.

        skip: time at the start that the metrics leave out [s]; record_every: record one of so many
        ticks, none by default; on_progress is called with the share done, 0 to 1.
        Raises ConfigurationError if it is called twice or an argument is out of range.
        """
        if self._done:
            raise ConfigurationError('a batch runs once; make a new one to run again')
        if not (math.isfinite(duration) and duration > 0.0 and skip >= 0.0 and record_every >= 0):
            raise ConfigurationError(
                f'duration {duration!r} s, skip {skip!r} s, record_every {record_every!r}:'
                ' expected a positive duration, the others at least 0')
        self._done = True
        periods = {block.kind.period_ns for block in self._blocks}
        periods |= {loop.simulator.period_ns for _, loop in self._others}
        ticks = {period: tick_count(duration, period) for period in periods}
        times = {period: tick_times(period, count) for period, count in ticks.items()}
        samples = max((count // record_every + 1 for count in ticks.values()), default=0) \
            if record_every else 0
        records = np.full((self._count, samples, len(COLUMNS)), np.nan) if samples else None
        columns = np.full((7, self._count), np.nan)
        total = sum(block.count * ticks[block.kind.period_ns] for block in self._blocks) + sum(
            ticks[loop.simulator.period_ns] for _, loop in self._others)
        done = 0
        # One thread at a time counts and tells, so that the share told never falls.
        counting = threading.Lock()

        def advance(amount: int) -> None:
            nonlocal done
            with counting:
                done += amount
                if on_progress is not None:
                    on_progress(done / total)

        def run_block(block: Block) -> None:
            period = block.kind.period_ns
            columns[:, block.cars] = self._run_block(
                block, times[period], ticks[period], skip, record_every, records, advance)

        # The plain Python path holds the interpreter, so threads would not help it.
        with ThreadPoolExecutor(self._threads if COMPILED else 1) as pool:
            for _ in pool.map(run_block, self._blocks):
                pass
        for car, loop in self._others:
            period = loop.simulator.period_ns
            columns[:, car] = _run_other(
                car, loop, ticks[period], skip, record_every, records)
            advance(ticks[period])
        tracked_ahead = np.zeros(self._count)
        for car, loop in self._others:
            tracked_ahead[car] = loop.tracker.tracked_ahead
        rmse, ise, total_squared, largest, counted, span, diverged_at = columns
        return BatchResult(
            rmse, ise, total_squared, largest, counted, span, diverged_at, tracked_ahead, records)

    def _run_block(
        self, block: Block, times: Any, ticks: int, skip: float, every: int,
        records: Array | None, advance: Callable[[int], None],
    ) -> Array:
        count = block.count
        samples = ticks // every + 1 if every else 0
        recorded = flat(count * samples * len(COLUMNS))
        recorded[:] = flat([math.nan] * len(recorded))
        streams = [np.random.Generator(np.random.SFC64(self._seeds[car])) for car in block.cars] \
            if self._noise is not None else []
        deviations = flat(astuple(self._noise)) if self._noise is not None else None
        for first in range(0, ticks + 1, CHUNK):
            chunk = min(CHUNK, ticks + 1 - first)
            noise = None
            if streams:
                drawn = np.empty((chunk, count, NOISE_CHANNELS))
                for lane, stream in enumerate(streams):
                    drawn[:, lane] = stream.standard_normal((chunk, NOISE_CHANNELS))
                noise = drawn.ravel() if COMPILED else drawn.ravel().tolist()
            block.run(times, first, chunk, ticks, skip=skip, records=recorded, every=every,
                      samples=samples, noise=noise, deviations=deviations)
            advance(count * min(chunk, ticks - first))
        if records is not None:
            records[block.cars, :samples] = np.reshape(recorded, (count, samples, len(COLUMNS)))
        period = block.kind.period_ns / NANOSECONDS
        counted = block.row(rows.SAMPLES)
        nothing = np.where(counted > 0.0, 1.0, np.nan)
        total = block.row(rows.SUM_SQUARED)
        diverged = block.row(rows.DIVERGED)
        return np.array([
            np.sqrt(total / np.maximum(counted, 1.0)) * nothing, block.row(rows.ISE) * nothing,
            total * nothing, np.sqrt(block.row(rows.MAX_SQUARED)) * nothing, counted,
            np.maximum(counted - 1.0, 0.0) * period * nothing,
            np.where(diverged >= 0.0, diverged * period, np.nan)])


def _run_other(
    car: int, loop: ClosedLoop, ticks: int, skip: float, every: int, records: Array | None,
) -> list[float]:
    """Run a loop tick by tick; return a column of BatchResult."""
    lines: list[tuple[float, ...]] = []
    diverged_at = math.nan
    try:
        loop.run(ticks, lines.append)
    except DivergenceError:
        diverged_at = loop.simulator.time_ns / NANOSECONDS
    table = np.array(lines)
    if records is not None:
        kept = table[::every]
        records[car, :len(kept)] = kept
    try:
        metrics = RunTable(table, loop.tracker.tracked_ahead).metrics(skip)
    except ConfigurationError:
        return [math.nan, math.nan, math.nan, math.nan, 0.0, math.nan, diverged_at]
    return [metrics.rmse, metrics.ise, metrics.sum_squared_error, metrics.max_error,
            float(metrics.samples), metrics.duration, diverged_at]
