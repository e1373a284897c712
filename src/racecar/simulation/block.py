# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""Closed loops packed into the rows that the compiled kernels run on."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
import itertools
from typing import Any, NamedTuple

import numpy as np

from racecar.base.compiled import COMPILED
from racecar.base.packing import Flat, vector
from racecar.base.types import NANOSECONDS
from racecar.control.reference_sampler import ReferenceSampler
from racecar.dynamics.actuators import Channel, CHANNEL_SIZE, load_channel
from racecar.dynamics.vehicles.interface import SplitDerivative
from racecar.simulation import batch_kernels as rows
from racecar.simulation.batch_kernels import block_kernel, HeldChannel, LANES
from racecar.simulation.closed_loop import Loop
from racecar.simulation.lanes import LaneControl, Reference
from racecar.simulation.metrics.path_batch import PathBatch
from racecar.simulation.metrics.path_kernels import POINT_NUMBERS
from racecar.simulation.metrics.tracking_error import Array

# Bytes in a line of the cache.
_LINE = 64


class Kind(NamedTuple):
    """What cars of one block have in common: kernels, whether there are actuators, times."""

    form: SplitDerivative
    observe: Any
    integrator: str
    is_actuated: bool
    control: LaneControl
    step_ns: int
    period_ns: int


class Block:
    """Up to LANES cars of one kind in packed rows."""

    def __init__(self, kind: Kind) -> None:
        self.kind = kind
        self._kernel = block_kernel(
            kind.form, kind.observe, kind.integrator, kind.control, actuated=kind.is_actuated)
        self.cars: list[int] = []
        self.state = lane_rows(rows.CONTROL_STATE + kind.control.state_size)
        self.parameters = lane_rows(rows.CONTROL + kind.control.parameter_size)
        # Of the actuators: commands of the last ticks, as many as the longest delay takes.
        self._lines: Any = vector(0)
        self._depth = 0
        # What each car follows, and the state at the start of those that may have to begin anew.
        self._references: list[Reference] = []
        self._at_start: Any = None
        self._samplers: list[ReferenceSampler] = []

    @property
    def count(self) -> int:
        """Number of cars."""
        return len(self.cars)

    def add(self, car: int, loop: Loop) -> None:
        """Pack one car of this kind, which rests: its number and its parts, which are not kept."""
        lane = self.count
        self.cars.append(car)
        driven, tracker, simulator = loop.lane, loop.tracker, loop.simulator.compiled
        assert driven is not None
        assert simulator is not None
        model, vehicle, packed = simulator.model, simulator.model.vehicle, simulator.packed
        assert packed is not None
        self._references.append(driven.reference)
        _put(self.state, lane, (*simulator.state, *packed.inputs))
        _put(self.state, lane, [-1.0], rows.DIVERGED)
        _put(self.state, lane, driven.state, rows.CONTROL_STATE)
        _put(self.parameters, lane, model.parameters)
        _put(self.parameters, lane, (
            *model.state_limits, vehicle.speed_min, vehicle.speed_max, *vehicle.steering_range,
            0.0, *tracker.origin_for(simulator.odometry()), tracker.tracked_ahead), rows.LIMIT)
        _put(self.parameters, lane, driven.parameters, rows.CONTROL)
        for index in range(len(packed.channels) // CHANNEL_SIZE):
            held = _held(load_channel(packed.channels, index * CHANNEL_SIZE, 1), packed.steps)
            _put(self.parameters, lane, held, rows.CHANNELS + index * len(held))
            self._depth = max(self._depth, int(held.ticks) + 2)

    def seal(self) -> None:
        """Number the references, those of one type in succession, after the last car.

        The delay lines of the actuators come to their length, too.
        """
        self._lines = lane_rows(2 * self._depth)
        lanes: dict[Reference, list[int]] = {}
        for lane, reference in enumerate(self._references):
            lanes.setdefault(reference, []).append(lane)
        found = sorted(lanes, key=lambda reference: type(reference.trajectory).__name__)
        for index, reference in enumerate(found):
            for lane in lanes[reference]:
                _put(self.parameters, lane, [index], rows.REFERENCE)
        self._samplers = [
            self.kind.control.sampler(list(group)) for _, group in itertools.groupby(
                found, key=lambda reference: type(reference.trajectory))]
        if self.kind.control.is_foreign:
            self._at_start = self.state.copy()
        else:
            self._references.clear()

    def singles(self) -> Iterator[Block]:
        """Return a sealed block for each car, at its start; of a foreign control only."""
        for lane, car in enumerate(self.cars):
            single = Block(self.kind)
            single.cars.append(car)
            single._references.append(self._references[lane])
            single._depth = self._depth
            for own, all_cars in ((single.state, self._at_start),
                                  (single.parameters, self.parameters)):
                own[::LANES] = all_cars[lane::LANES]
            single.seal()
            yield single

    def sample(self, times: Any) -> Flat:
        """Return references at some times [s] since the start, flat: (times, references, size)."""
        steps = vector([self.kind.period_ns / NANOSECONDS] * len(times))
        if len(times) and times[0] == 0.0:
            steps[0] = 0.0
        total = sum(sampler.count for sampler in self._samplers)
        found: Flat = vector(self.kind.control.reference_size * len(times) * total)
        first = 0
        for sampler in self._samplers:
            sampler.write(found, first, total, times, steps)
            first += sampler.count
        return found

    def run(
        self, times: Any, first: int, ticks: int, last: int, *, skip: float = 0.0,
        records: Any = None, every: int = 0, samples: int = 0, noise: Any = None,
        deviations: Any = None, paths: PathBatch | None = None,
    ) -> None:
        """Run ticks; arguments as in the kernel. paths: gets what it shows.

        Raises RunError for a controller of one's own that fails; the others are then as it left
        them, see singles().
        """
        kind = self.kind
        points = vector(0 if paths is None else ticks * POINT_NUMBERS * LANES)
        references, period = self.sample(times[first:first + ticks]), self.period
        try:
            self._kernel(
                self.state, self.parameters, lane_rows(rows.TARGET + kind.control.reference_size),
                self._lines, self._depth, self.count, references, times, first, ticks, last,
                float(skip), period, kind.step_ns / NANOSECONDS, kind.period_ns // kind.step_ns,
                vector(0) if records is None else records, every, samples,
                vector(0) if noise is None else noise,
                vector(0) if deviations is None else deviations, noise is not None, points,
                paths is not None)
        except Exception as error:
            failure = kind.control.failure(error, self._control_state, period)
            if failure is None:
                raise
            raise failure from error
        if paths is not None:
            at = rows.DIVERGED * LANES
            paths.add(points, LANES, first, ticks, self.state[at:at + self.count])

    @property
    def period(self) -> float:
        """Time of a tick [s]."""
        return self.kind.period_ns / NANOSECONDS

    def failures(self) -> dict[int, str]:
        """Return what cars say whose controller failed, by their numbers."""
        told = self.kind.control.failures(self._control_state, self.period)
        return {self.cars[lane]: message for lane, message in told.items()}

    @property
    def _control_state(self) -> Array:
        return self.rows(rows.CONTROL_STATE, self.kind.control.state_size)

    def rows(self, first: int, count: int) -> Array:
        """Return some rows of the state, (count, cars)."""
        found = np.array(self.state[first * LANES:(first + count) * LANES])
        return found.reshape(count, LANES)[:, :self.count]


def lane_rows(count: int) -> Any:
    """Return so many rows of LANES zeros, flat."""
    if not COMPILED:
        return vector(count * LANES)
    room = np.zeros(count * LANES + _LINE // 8)
    # Vectors that start within a line of the cache would take two accesses each.
    first = -room.__array_interface__['data'][0] % _LINE // 8
    return room[first:first + count * LANES]


def _put(array: Flat, lane: int, numbers: Sequence[float], row: int = 0) -> None:
    """Write numbers of one car into rows from this one on."""
    for k, number in enumerate(numbers):
        array[(row + k) * LANES + lane] = float(number)


def _held(channel: Channel, steps: int) -> HeldChannel:
    """Return a channel for commands that are held for so many steps."""
    ticks, rest = divmod(int(channel.delay_steps), steps)
    return HeldChannel(float(ticks), float(rest), *channel[1:])


def kind_of(loop: Loop) -> Kind | None:
    """Return what a loop must share with others of its block; None if it fits into none."""
    simulator, lane = loop.simulator.compiled, loop.lane
    if simulator is None or lane is None or loop.tracker.started or simulator.time_ns:
        return None
    form, packed = simulator.model.split_derivative, simulator.packed
    if not isinstance(form, SplitDerivative) or packed is None:
        return None
    return Kind(form, simulator.model.observe, simulator.integrator, len(packed.memory) > 0,
                lane.control, simulator.step_ns, simulator.period_ns)


def tick_times(period_ns: int, ticks: int) -> Any:
    """Return the times of ticks 0 ... ticks [s], as stamps give them."""
    return vector([tick * period_ns / NANOSECONDS for tick in range(ticks + 1)])
