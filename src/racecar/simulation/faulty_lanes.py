# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""Cars of a compiled loop or a block whose signals fail, and whose vehicle changes.

What a control sees and commands goes through the faults of a car, which are numbers among its
parameters: cars with as many faults share a kernel, and one without faults has none of this. A
vehicle changes between two calls of a kernel, which gets other numbers then.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
import functools
import math
from typing import NamedTuple

from racecar.base.compiled import importable, pure
from racecar.base.errors import RunError
from racecar.base.rows import count_numbers, filled, flatten, Numbers
from racecar.base.types import AckermannCommand, CarMotion, NANOSECONDS
from racecar.base.vectors import Flat
from racecar.control.reference_sampler import ReferenceSampler
from racecar.dynamics.vehicles.interface import Command
from racecar.simulation.car_rows import Change
from racecar.simulation.faults import Fault
from racecar.simulation.faulty_signals import (
    Depths,
    doubles,
    NO_FAULT,
    no_signals,
    passing,
    sensing,
    Sent,
    SignalFaults,
    SignalPath,
    Signals,
)
from racecar.simulation.lanes import Answer, Lane, LaneChange, LaneControl, Reference
from racecar.simulation.model_lanes import (
    command_limits,
    CommandedCar,
    held_channels,
    NO_CHANNELS,
)


class FaultyMemory(NamedTuple):
    """Memory of faults, and the state of a control."""

    signals: Signals
    control: Numbers


class FaultyParameters(NamedTuple):
    """Numbers of faults, and parameters of a control."""

    signals: SignalFaults
    control: Numbers


@pure
def _since_asked(waited: float, dt: float) -> float:
    """Time since the control was asked [s], as stamps in nanoseconds give it."""
    if waited < 0.0:
        return 0.0
    if waited == 0.0:
        return dt
    return (waited + 1.0) * math.floor(dt * NANOSECONDS + 0.5) / NANOSECONDS


@functools.cache
def _answer(inner: Answer, count: int, depths: Depths) -> Answer:
    sense, pass_on = sensing(count, depths.odometry), passing(count, depths)

    @importable
    def answer(
        state: FaultyMemory, parameters: FaultyParameters, car: CarMotion, reference: Numbers,
        dt: float,
    ) -> tuple[FaultyMemory, Command]:
        s, p = state.signals, parameters.signals
        seen, asked, saw = sense(car, s, p.faults)
        control, command, waited = state.control, s.sent, s.waited
        if asked:
            control, given = inner(
                control, parameters.control, seen, reference, _since_asked(waited, dt))
            command, waited = doubles(given.speed, given.steering_angle), 0.0
        elif waited >= 0.0:
            waited += 1.0
        after, done = pass_on(s, p, car, saw, Sent(command, 1.0 if asked else 0.0), waited)
        return FaultyMemory(after, control), done

    return answer


class FaultyControl(NamedTuple):
    """A control whose signals go through a number of faults; depths: of delays.

    See LaneControl.
    """

    control: LaneControl
    number: int
    depths: Depths

    @property
    def state(self) -> FaultyMemory:
        """Memory of the faults, and the state of the control."""
        return FaultyMemory(no_signals(self.number, self.depths), self.control.state)

    @property
    def parameters(self) -> FaultyParameters:
        """Numbers of the faults, and parameters of the control."""
        return FaultyParameters(
            SignalFaults((NO_FAULT,) * self.number, 0.0), self.control.parameters)

    @property
    def reference(self) -> Numbers:
        """That of the control."""
        return self.control.reference

    @property
    def answer(self) -> Answer:
        """Faults of the odometry, the answer of the control, faults of the command."""
        return _answer(self.control.answer, self.number, self.depths)

    @property
    def is_foreign(self) -> bool:
        """Whether code of the user's runs in it."""
        return self.control.is_foreign

    @property
    def rolling_row(self) -> None:
        """None: it does not look at the wheels."""
        return None

    @property
    def way_row(self) -> int | None:
        """That of the control, behind the memory of the faults."""
        row = self.control.way_row
        return None if row is None else count_numbers(no_signals(self.number, self.depths)) + row

    def sampler(self, references: Sequence[Reference]) -> ReferenceSampler:
        """Sampler of the control."""
        return self.control.sampler(references)

    def failure(self, error: Exception, time: float) -> RunError | None:
        """What the control raises."""
        return self.control.failure(error, time)

    def message(self, command: AckermannCommand, time: float) -> str:
        """What the control says."""
        return self.control.message(command, time)


class LoopFaults:
    """Faults of the car of one loop.

    changes: of its vehicle, by their ticks. Who runs a compiled loop leaves the memory of the
    signals here.
    """

    def __init__(
        self, faults: Iterable[Fault] = (), changes: Sequence[Change] = (), *,
        period_ns: int = NANOSECONDS, timeout: float = 1.0,
    ) -> None:
        """Take faults of signals; period_ns: of a tick [ns].

        timeout: after which a car that gets no command is stopped [s]. Raises ConfigurationError
        for a delay that is too long.
        """
        self.changes = tuple(changes)
        self._path = SignalPath(faults, period_ns, timeout)
        self.parameters, self.depths = self._path.faults, self._path.depths
        self.state: Signals | None = None

    def __bool__(self) -> bool:
        """Whether there are any."""
        return bool(self.parameters.faults or self.changes)

    def around(self, lane: Lane, car: CarMotion, steps: int) -> Lane:
        """Lane whose control has the faults of signals, as they are at present.

        car: its motion as the control sees it at the start; steps: in a tick.
        """
        lane = lane._replace(changes=tuple(LaneChange(
            change.tick, CommandedCar(
                tuple(change.model.parameters), command_limits(change.model.vehicle)),
            NO_CHANNELS if change.channels is None else held_channels(change.channels, steps))
            for change in self.changes))
        count = len(self.parameters.faults)
        if not count:
            return lane
        inputs = Command(*lane.car.numbers().inputs)
        return lane._replace(
            control=FaultyControl(lane.control, count, self.depths),
            state=(self.state or self._path.start(car, inputs), lane.state),
            parameters=(self.parameters, lane.parameters))

    def control_memory(self, memory: Flat) -> Flat:
        """Numbers of the control alone in those of a lane; those of the faults are taken over."""
        count = len(self.parameters.faults)
        if not count:
            return memory
        example = no_signals(count, self.depths)
        own = count_numbers(example)
        self.state = filled(example, memory[:own])
        return memory[own:]

    @property
    def numbers(self) -> Numbers:
        """Numbers of the faults among the parameters of a lane."""
        return tuple(flatten(self.parameters)) if self.parameters.faults else ()


NO_FAULTS = LoopFaults()
