# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""Closed loops packed into the rows that the compiled kernels run on."""

from __future__ import annotations

from collections.abc import Sequence
import itertools
from typing import Any, NamedTuple

import numpy as np

from racecar.core.actuators import Channel, CHANNEL_SIZE, load_channel
from racecar.core.analysis.metrics import Array
from racecar.core.analysis.path_batch import PathBatch
from racecar.core.analysis.path_kernels import POINT_NUMBERS
from racecar.core.compiled import COMPILED
from racecar.core.control.linearizer import Linearizer
from racecar.core.control.target import TargetSampler
from racecar.core.control.tracker_step import TrackerStep
from racecar.core.packing import Flat, packing, vector
from racecar.core.simulation import batch_kernels as rows
from racecar.core.simulation.batch_kernels import (
    block_kernel,
    HeldChannel,
    LANES,
    SCRATCH_ROWS,
    STATE_ROWS,
)
from racecar.core.simulation.closed_loop import Loop
from racecar.core.trajectories import Trajectory
from racecar.core.types import NANOSECONDS
from racecar.core.vehicles.interface import SplitDerivative

# Bytes in a line of the cache.
_LINE = 64


class Kind(NamedTuple):
    """What cars of one block have in common: kernels, whether there are actuators, law, times."""

    form: SplitDerivative
    observe: Any
    integrator: str
    is_actuated: bool
    law: type[Linearizer]
    step: TrackerStep
    is_exact: bool
    step_ns: int
    period_ns: int


class Block:
    """Up to LANES cars of one kind in packed rows."""

    def __init__(self, kind: Kind) -> None:
        self.kind = kind
        self._kernel = block_kernel(
            kind.form, kind.observe, kind.integrator, kind.law, kind.step,
            actuated=kind.is_actuated)
        self.cars: list[int] = []
        self.state = lane_rows(STATE_ROWS)
        self.parameters = lane_rows(rows.LAW + packing(kind.law.parameter_type).size)
        # Of the actuators: commands of the last ticks, as many as the longest delay takes.
        self._lines: Any = vector(0)
        self._depth = 0
        self._trajectories: dict[Trajectory, list[int]] = {}
        self._samplers: list[TargetSampler] = []

    @property
    def count(self) -> int:
        """Number of cars."""
        return len(self.cars)

    def add(self, car: int, loop: Loop) -> None:
        """Pack one car of this kind, which rests: its number and its parts, which are not kept."""
        lane = self.count
        self.cars.append(car)
        tracker, law, simulator = loop.tracker, loop.linearizer, loop.simulator.compiled
        assert law is not None
        assert simulator is not None
        model, vehicle, packed = simulator.model, simulator.model.vehicle, simulator.packed
        assert packed is not None
        self._trajectories.setdefault(tracker.trajectory, []).append(lane)
        _put(self.state, lane, (
            *simulator.state, *packed.inputs, *tracker.state, *law.state))
        _put(self.state, lane, [-1.0], rows.DIVERGED)
        _put(self.parameters, lane, model.parameters)
        _put(self.parameters, lane, (
            *model.state_limits, vehicle.speed_min, vehicle.speed_max, vehicle.steering_limit,
            0.0, *tracker.origin_for(simulator.odometry()), *tracker.parameters), rows.LIMIT)
        _put(self.parameters, lane, law.parameters, rows.LAW)
        for index in range(len(packed.channels) // CHANNEL_SIZE):
            held = _held(load_channel(packed.channels, index * CHANNEL_SIZE, 1), packed.steps)
            _put(self.parameters, lane, held, rows.CHANNELS + index * len(held))
            self._depth = max(self._depth, int(held.ticks) + 2)

    def seal(self) -> None:
        """Number the trajectories, those of one type in succession, after the last car.

        The delay lines of the actuators come to their length, too.
        """
        self._lines = lane_rows(2 * self._depth)
        found = sorted(self._trajectories, key=lambda trajectory: type(trajectory).__name__)
        for index, trajectory in enumerate(found):
            for lane in self._trajectories[trajectory]:
                _put(self.parameters, lane, [index], rows.REFERENCE)
        self._samplers = [
            TargetSampler(list(group), exact=self.kind.is_exact)
            for _, group in itertools.groupby(found, key=type)]
        self._trajectories.clear()

    def sample(self, times: Any) -> Flat:
        """Return Target of all trajectories at some times [s] since the start, flat."""
        steps = vector([self.kind.period_ns / NANOSECONDS if time else 0.0 for time in times])
        parts = [sampler.sample(times, steps) for sampler in self._samplers]
        return parts[0] if len(parts) == 1 else vector(list(itertools.chain(*parts)))

    def run(
        self, times: Any, first: int, ticks: int, last: int, *, skip: float = 0.0,
        records: Any = None, every: int = 0, samples: int = 0, noise: Any = None,
        deviations: Any = None, paths: PathBatch | None = None,
    ) -> None:
        """Run ticks; arguments as in the kernel. paths: gets what it shows."""
        kind = self.kind
        points = vector(0 if paths is None else ticks * POINT_NUMBERS * LANES)
        self._kernel(
            self.state, self.parameters, lane_rows(SCRATCH_ROWS), self._lines, self._depth,
            self.count, self.sample(times[first:first + ticks]), times, first, ticks, last,
            float(skip), kind.period_ns / NANOSECONDS, kind.step_ns / NANOSECONDS,
            kind.period_ns // kind.step_ns, vector(0) if records is None else records, every,
            samples, vector(0) if noise is None else noise,
            vector(0) if deviations is None else deviations, noise is not None, points,
            paths is not None)
        if paths is not None:
            at = rows.DIVERGED * LANES
            paths.add(points, LANES, first, ticks, self.state[at:at + self.count])

    def row(self, row: int) -> Array:
        """Return one row of the state, (count,)."""
        return np.array(self.state[row * LANES:row * LANES + self.count])


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
    return HeldChannel(float(ticks), float(rest), channel.gain, channel.largest_change)


def kind_of(loop: Loop) -> Kind | None:
    """Return what a loop must share with others of its block; None if it fits into none."""
    simulator = loop.simulator.compiled
    if simulator is None:
        return None
    form, packed = simulator.model.split_derivative, simulator.packed
    if (not isinstance(form, SplitDerivative) or packed is None or loop.linearizer is None
            or not loop.is_compilable or loop.tracker.started or simulator.time_ns):
        return None
    return Kind(form, simulator.model.observe, simulator.integrator, len(packed.memory) > 0,
                type(loop.linearizer), loop.tracker.step, loop.tracker.is_exact,
                simulator.step_ns, simulator.period_ns)


def tick_times(period_ns: int, ticks: int) -> Any:
    """Return the times of ticks 0 ... ticks [s], as stamps give them."""
    return vector([tick * period_ns / NANOSECONDS for tick in range(ticks + 1)])
