# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""Cars of a compiled loop or a block whose signals fail, and whose vehicle changes.

What a control sees and commands goes through the faults of a car, which are numbers among its
parameters: cars with as many faults share a kernel, and one without faults has none of this. A
vehicle changes between two calls of a kernel, which gets other numbers then.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
import functools
import math
from typing import NamedTuple, TypeVar

import numpy as np

from racecar.base.compiled import importable, pure
from racecar.base.errors import ConfigurationError, RunError
from racecar.base.random_numbers import four_normals, philox
from racecar.base.rows import count_numbers, filled, flatten, Numbers, zeros_of
from racecar.base.types import AckermannCommand, CarMotion, NANOSECONDS
from racecar.base.vectors import Flat
from racecar.control.reference_sampler import ReferenceSampler
from racecar.dynamics.vehicles.interface import Command, NO_COMMAND
from racecar.simulation.faults import (
    BIAS,
    COMMAND,
    COMMAND_FIELDS,
    DEAD,
    DELAY,
    DROP,
    Fault,
    FREEZE,
    MOST_DELAY,
    NOISE,
    ODOMETRY,
    ODOMETRY_FIELDS,
    PLAY,
    SPEED,
    STEERING,
    STUCK,
)
from racecar.simulation.lanes import Answer, Lane, LaneChange, LaneControl, Reference
from racecar.simulation.model_lanes import (
    command_limits,
    CommandedCar,
    held_channels,
    NO_CHANNELS,
)
from racecar.simulation.simulator import Change

_T = TypeVar('_T')

_LATE, _LOST, _FROZEN, _BIASED, _NOISY, _PLAYING = range(6)
_CODES = {DELAY: _LATE, DROP: _LOST, DEAD: _LOST, FREEZE: _FROZEN, STUCK: _FROZEN,
          BIAS: _BIASED, NOISE: _NOISY, PLAY: _PLAYING}

# Numbers of targets: fields of CarMotion, then those of Command, then all of either.
_SPEED, _STEERING = len(ODOMETRY_FIELDS), len(ODOMETRY_FIELDS) + 1
_ALL_ODOMETRY, _ALL_COMMAND = _STEERING + 1, _STEERING + 2
_TARGETS = {
    **{name: number for number, name in enumerate((*ODOMETRY_FIELDS, *COMMAND_FIELDS))},
    SPEED: _SPEED, STEERING: _STEERING, ODOMETRY: _ALL_ODOMETRY, COMMAND: _ALL_COMMAND}

_UNIT = 2.0**-32
# Of the counter of random numbers, as no others with the same key have it.
_STREAM = 2


class Depths(NamedTuple):
    """Ticks of which odometry and commands are remembered, for delays."""

    odometry: int
    command: int


class SignalFault(NamedTuple):
    """A fault by its numbers: codes of kind and target, its first tick and the one after it.

    size: SI, of a delay in ticks; seed: of its random numbers.
    """

    code: float
    target: float
    first: float
    after: float
    size: float
    seed: float


class Sent(NamedTuple):
    """What a control commanded at a tick, and whether: 1 or 0."""

    command: Command
    is_new: float


class Signals(NamedTuple):
    """What faults remember.

    tick: number of the next answer; waited: ticks since the control was asked, -1 before that;
    silent: ticks since a command arrived; sent: the newest one of the control; received: the
    newest that arrived; seen, done: odometry and command behind each fault, at the tick before;
    cars, commands: of the ticks before, the last one last, as far as delays need them.
    """

    tick: float
    waited: float
    silent: float
    sent: Command
    received: Command
    seen: tuple[CarMotion, ...]
    done: tuple[Command, ...]
    cars: tuple[CarMotion, ...]
    commands: tuple[Sent, ...]


class FaultyMemory(NamedTuple):
    """Memory of faults, and the state of a control."""

    signals: Signals
    control: Numbers


class SignalFaults(NamedTuple):
    """Faults of one car; most_silent: ticks without a command after which the car is stopped."""

    faults: tuple[SignalFault, ...]
    most_silent: float


class FaultyParameters(NamedTuple):
    """Numbers of faults, and parameters of a control."""

    signals: SignalFaults
    control: Numbers


_NO_CAR, _NO_FAULT = zeros_of(CarMotion), zeros_of(SignalFault)
_NOTHING_SENT = Sent(NO_COMMAND, 0.0)


@pure
def _acts(fault: SignalFault, tick: float) -> bool:
    return fault.first <= tick < fault.after


@pure
def _words(fault: SignalFault, tick: float) -> tuple[int, int, int, int]:
    return philox((int(tick), 0, 0, _STREAM), (int(fault.seed), int(fault.target)))


@pure
def _loses(fault: SignalFault, tick: float) -> bool:
    """Whether a message of this tick does not arrive."""
    if fault.code == _LATE:
        return tick < fault.first + fault.size
    return fault.code == _LOST and float(_words(fault, tick)[0]) * _UNIT < fault.size


@pure
def _added(fault: SignalFault, tick: float) -> float:
    """What the fault adds to its target."""
    if fault.code == _NOISY:
        return fault.size * four_normals(_words(fault, tick))[0]
    return fault.size


@pure
def _field(value: float, before: float, number: int, whole: int, fault: SignalFault,
           added: float) -> float:
    """Field of a signal behind a fault that acts; before: what it was the tick before."""
    if fault.target != number and fault.target != whole:
        return value
    if fault.code == _FROZEN:
        return before
    return value + added if fault.code == _BIASED or fault.code == _NOISY else value


@pure
def _doubles(speed: float, steering_angle: float) -> Command:
    """Command of these numbers, which a compiler may have in single precision."""
    return Command(1.0 * speed, 1.0 * steering_angle)


@pure
def _with_play(angle: float, before: float, play: float) -> float:
    return min(max(before, angle - 0.5 * play), angle + 0.5 * play)


@pure
def _faulty_car(car: CarMotion, before: CarMotion, fault: SignalFault, tick: float) -> CarMotion:
    added, whole = _added(fault, tick), _ALL_ODOMETRY
    return CarMotion(
        _field(car.x, before.x, 0, whole, fault, added),
        _field(car.y, before.y, 1, whole, fault, added),
        _field(car.yaw, before.yaw, 2, whole, fault, added),
        _field(car.vx, before.vx, 3, whole, fault, added),
        _field(car.vy, before.vy, 4, whole, fault, added),
        _field(car.yaw_rate, before.yaw_rate, 5, whole, fault, added))


@pure
def _faulty_command(
    command: Command, before: Command, fault: SignalFault, tick: float,
) -> Command:
    if fault.code == _PLAYING:
        return Command(command.speed, _with_play(
            command.steering_angle, before.steering_angle, fault.size))
    added, whole = _added(fault, tick), _ALL_COMMAND
    speed = _field(command.speed, before.speed, _SPEED, whole, fault, added)
    angle = _field(
        command.steering_angle, before.steering_angle, _STEERING, whole, fault, added)
    if fault.code == _BIASED or fault.code == _NOISY:
        # Such a command comes by a message.
        return _doubles(float(np.float32(speed)), float(np.float32(angle)))
    return Command(speed, angle)


@pure
def _of_odometry(fault: SignalFault) -> bool:
    return fault.target < _SPEED or fault.target == _ALL_ODOMETRY


_Sense = Callable[..., tuple[CarMotion, bool, tuple[CarMotion, ...]]]
_Deliver = Callable[..., tuple[Command, bool]]
_Act = Callable[..., tuple[Command, tuple[Command, ...]]]


@functools.cache
def _sensing(count: int, depth: int) -> _Sense:
    """Pure function: odometry behind so many faults, whether it arrives, and behind each."""
    at, late, is_first = count - 1, _late(depth), count == 1

    @importable
    def sense_one(
        seen: CarMotion, signals: Signals, fault: SignalFault,
    ) -> tuple[CarMotion, bool]:
        if not (_acts(fault, signals.tick) and _of_odometry(fault)):
            return seen, True
        return _faulty_car(
            late(seen, signals.cars, fault), signals.seen[at], fault, signals.tick,
        ), not _loses(fault, signals.tick)

    if is_first:
        @importable
        def sense_first(
            car: CarMotion, signals: Signals, faults: tuple[SignalFault, ...],
        ) -> tuple[CarMotion, bool, tuple[CarMotion, ...]]:
            seen, arrives = sense_one(car, signals, faults[0])
            return seen, arrives, (seen,)

        return sense_first
    sense_before = _sensing(count - 1, depth)

    @importable
    def sense(
        car: CarMotion, signals: Signals, faults: tuple[SignalFault, ...],
    ) -> tuple[CarMotion, bool, tuple[CarMotion, ...]]:
        before, came, passed = sense_before(car, signals, faults)
        seen, arrives = sense_one(before, signals, faults[at])
        # Numba knows sums of tuples, but no unpacking among other values.
        return seen, came and arrives, passed + (seen,)

    return sense


def _late(depth: int) -> Callable[[_T, tuple[_T, ...], SignalFault], _T]:
    """Pure function: what arrives of what is sent now, under a fault; past: sent before."""
    if not depth:
        @importable
        def in_time(now: _T, past: tuple[_T, ...], fault: SignalFault) -> _T:
            return now

        return in_time

    @importable
    def late(now: _T, past: tuple[_T, ...], fault: SignalFault) -> _T:
        if fault.code == _LATE and fault.size > 0.0:
            return past[depth - int(fault.size)]
        return now

    return late


@functools.cache
def _delivering(count: int, depth: int) -> _Deliver:
    """Pure function: the command that arrives behind the first so many faults, and whether."""
    if not count:
        @importable
        def deliver_none(
            sent: Sent, signals: Signals, faults: tuple[SignalFault, ...],
        ) -> tuple[Command, bool]:
            return sent.command, sent.is_new > 0.0

        return deliver_none
    deliver_before, at, late = _delivering(count - 1, depth), count - 1, _late(depth)

    @importable
    def deliver(
        sent: Sent, signals: Signals, faults: tuple[SignalFault, ...],
    ) -> tuple[Command, bool]:
        command, arrives = deliver_before(sent, signals, faults)
        fault = faults[at]
        if _acts(fault, signals.tick) and not _of_odometry(fault):
            found = late(
                Sent(command, 1.0 if arrives else 0.0), signals.commands, fault)
            command = found.command
            arrives = found.is_new > 0.0 and not _loses(fault, signals.tick)
        return command, arrives

    return deliver


@functools.cache
def _acting(count: int) -> _Act:
    """Pure function: the command behind the first so many faults, and behind each."""
    at = count - 1

    @importable
    def act_one(command: Command, signals: Signals, fault: SignalFault) -> Command:
        if _acts(fault, signals.tick) and not _of_odometry(fault):
            return _faulty_command(command, signals.done[at], fault, signals.tick)
        return command

    if not at:
        @importable
        def act_first(
            command: Command, signals: Signals, faults: tuple[SignalFault, ...],
        ) -> tuple[Command, tuple[Command, ...]]:
            done = act_one(command, signals, faults[0])
            return done, (done,)

        return act_first
    act_before = _acting(count - 1)

    @importable
    def act(
        command: Command, signals: Signals, faults: tuple[SignalFault, ...],
    ) -> tuple[Command, tuple[Command, ...]]:
        before, passed = act_before(command, signals, faults)
        done = act_one(before, signals, faults[at])
        return done, passed + (done,)

    return act


def _remembering(depth: int) -> Callable[[tuple[_T, ...], _T], tuple[_T, ...]]:
    """Pure function: what was in the last ticks with what is in this one."""
    if not depth:
        @importable
        def remember_none(before: tuple[_T, ...], now: _T) -> tuple[_T, ...]:
            return before

        return remember_none

    @importable
    def remember(before: tuple[_T, ...], now: _T) -> tuple[_T, ...]:
        return before[1:] + (now,)

    return remember


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
    sense, deliver = _sensing(count, depths.odometry), _delivering(count, depths.command)
    act, remember_car = _acting(count), _remembering(depths.odometry)
    remember_sent = _remembering(depths.command)

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
            command, waited = _doubles(given.speed, given.steering_angle), 0.0
        elif waited >= 0.0:
            waited += 1.0
        sent = Sent(command, 1.0 if asked else 0.0)
        delivered, arrives = deliver(sent, s, p.faults)
        received, silent = s.received, s.silent + 1.0
        if arrives:
            received, silent = delivered, 0.0
        wanted = received
        if silent > p.most_silent:
            wanted = Command(0.0, received.steering_angle)
        done, did = act(wanted, s, p.faults)
        return FaultyMemory(Signals(
            s.tick + 1.0, waited, silent, command, received, saw, did,
            remember_car(s.cars, car), remember_sent(s.commands, sent)), control), done

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
        return FaultyMemory(_no_signals(self.number, self.depths), self.control.state)

    @property
    def parameters(self) -> FaultyParameters:
        """Numbers of the faults, and parameters of the control."""
        return FaultyParameters(
            SignalFaults((_NO_FAULT,) * self.number, 0.0), self.control.parameters)

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
        return None if row is None else count_numbers(_no_signals(self.number, self.depths)) + row

    def sampler(self, references: Sequence[Reference]) -> ReferenceSampler:
        """Sampler of the control."""
        return self.control.sampler(references)

    def failure(self, error: Exception, time: float) -> RunError | None:
        """What the control raises."""
        return self.control.failure(error, time)

    def message(self, command: AckermannCommand, time: float) -> str:
        """What the control says."""
        return self.control.message(command, time)


def _no_signals(count: int, depths: Depths) -> Signals:
    return Signals(
        0.0, 0.0, 0.0, NO_COMMAND, NO_COMMAND, (_NO_CAR,) * count, (NO_COMMAND,) * count,
        (_NO_CAR,) * depths.odometry, (_NOTHING_SENT,) * depths.command)


def _depth(faults: Sequence[SignalFault], target: int) -> int:
    """Ticks that the delay of a target needs, a power of two: so few kernels serve all delays."""
    most = max((int(fault.size) for fault in faults
                if fault.code == _LATE and fault.target == target), default=0)
    return 1 << (most - 1).bit_length() if most else 0


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
        # What is late is late before anything else happens to it.
        signals = sorted(faults, key=lambda fault: fault.kind != DELAY)
        self.changes = tuple(changes)
        numbers = tuple(_numbers_of(fault, period_ns) for fault in signals)
        self.depths = Depths(*(_depth(numbers, target) for target in (
            _ALL_ODOMETRY, _ALL_COMMAND)))
        self.parameters = SignalFaults(
            numbers, float(round(timeout * NANOSECONDS) // period_ns))
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
        start = _no_signals(count, self.depths)._replace(
            waited=-1.0, sent=inputs, received=inputs, seen=(car,) * count, done=(inputs,) * count)
        return lane._replace(
            control=FaultyControl(lane.control, count, self.depths),
            state=(self.state or start, lane.state), parameters=(self.parameters, lane.parameters))

    def control_memory(self, memory: Flat) -> Flat:
        """Numbers of the control alone in those of a lane; those of the faults are taken over."""
        count = len(self.parameters.faults)
        if not count:
            return memory
        example = _no_signals(count, self.depths)
        own = count_numbers(example)
        self.state = filled(example, memory[:own])
        return memory[own:]

    @property
    def numbers(self) -> Numbers:
        """Numbers of the faults among the parameters of a lane."""
        return tuple(flatten(self.parameters)) if self.parameters.faults else ()


NO_FAULTS = LoopFaults()


def _numbers_of(fault: Fault, period_ns: int) -> SignalFault:
    first, after = fault.ticks(period_ns)
    size = 1.0 if fault.kind == DEAD else fault.size
    if fault.kind == DELAY:
        size = float(round(fault.size * NANOSECONDS / period_ns))
        if size > MOST_DELAY:
            raise ConfigurationError(
                f'fault delay has the size {fault.size:g} s, {size:.0f} periods of the odometry,'
                f' expected at most {MOST_DELAY}')
    return SignalFault(
        float(_CODES[fault.kind]), float(_TARGETS[fault.target]), float(first), float(after),
        size, float(fault.seed))
