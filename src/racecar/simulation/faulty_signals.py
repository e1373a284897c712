# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""The way of the odometry and the commands of a car through faults, as pure functions.

Faults are numbers. The compiled loop, blocks of cars and plants behind nodes call the same
functions once a period of the odometry, so that they give the same bits.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
import functools
from typing import NamedTuple, TypeVar

import numpy as np

from racecar.base.compiled import importable, pure
from racecar.base.elementary import sine_cosine
from racecar.base.errors import ConfigurationError
from racecar.base.random_numbers import four_normals, philox
from racecar.base.rows import zeros_of
from racecar.base.types import CarMotion, NANOSECONDS, quaternion_to_yaw
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


class SignalFaults(NamedTuple):
    """Faults of one car; most_silent: ticks without a command after which the car is stopped."""

    faults: tuple[SignalFault, ...]
    most_silent: float


_NO_CAR = zeros_of(CarMotion)
NO_FAULT = zeros_of(SignalFault)
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
def doubles(speed: float, steering_angle: float) -> Command:
    """Command of these numbers, which a compiler may have in single precision."""
    return Command(1.0 * speed, 1.0 * steering_angle)


@pure
def _as_message(yaw: float) -> float:
    """Heading [rad] that comes by a message, which has a quaternion."""
    return quaternion_to_yaw(0.0, 0.0, *sine_cosine(0.5 * yaw))


@pure
def _with_play(angle: float, before: float, play: float) -> float:
    return min(max(before, angle - 0.5 * play), angle + 0.5 * play)


@pure
def _faulty_car(car: CarMotion, before: CarMotion, fault: SignalFault, tick: float) -> CarMotion:
    added, whole = _added(fault, tick), _ALL_ODOMETRY
    yaw = _field(car.yaw, before.yaw, 2, whole, fault, added)
    if fault.target == 2 and (fault.code == _BIASED or fault.code == _NOISY):
        yaw = _as_message(yaw)
    return CarMotion(
        _field(car.x, before.x, 0, whole, fault, added),
        _field(car.y, before.y, 1, whole, fault, added),
        yaw,
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
        return doubles(float(np.float32(speed)), float(np.float32(angle)))
    return Command(speed, angle)


@pure
def _of_odometry(fault: SignalFault) -> bool:
    return fault.target < _SPEED or fault.target == _ALL_ODOMETRY


Sense = Callable[..., tuple[CarMotion, bool, tuple[CarMotion, ...]]]
PassOn = Callable[..., tuple['Signals', Command]]
_Deliver = Callable[..., tuple[Command, bool]]
_Act = Callable[..., tuple[Command, tuple[Command, ...]]]


@functools.cache
def sensing(count: int, depth: int) -> Sense:
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
    sense_before = sensing(count - 1, depth)

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


@functools.cache
def passing(count: int, depths: Depths) -> PassOn:
    """Pure function: memory after a tick, and the command that is obeyed in it."""
    deliver, act = _delivering(count, depths.command), _acting(count)
    remember_car, remember_sent = _remembering(depths.odometry), _remembering(depths.command)

    @importable
    def pass_on(
        s: Signals, p: SignalFaults, car: CarMotion, saw: tuple[CarMotion, ...], sent: Sent,
        waited: float,
    ) -> tuple[Signals, Command]:
        delivered, arrives = deliver(sent, s, p.faults)
        received, silent = s.received, s.silent + 1.0
        if arrives:
            received, silent = delivered, 0.0
        wanted = received
        if silent > p.most_silent:
            wanted = Command(0.0, received.steering_angle)
        done, did = act(wanted, s, p.faults)
        return Signals(
            s.tick + 1.0, waited, silent, sent.command, received, saw, did,
            remember_car(s.cars, car), remember_sent(s.commands, sent)), done

    return pass_on


def no_signals(count: int, depths: Depths) -> Signals:
    """Memory of so many faults before anything happened."""
    return Signals(
        0.0, 0.0, 0.0, NO_COMMAND, NO_COMMAND, (_NO_CAR,) * count, (NO_COMMAND,) * count,
        (_NO_CAR,) * depths.odometry, (_NOTHING_SENT,) * depths.command)


def _depth(faults: Sequence[SignalFault], target: int) -> int:
    """Ticks that the delay of a target needs, a power of two: so few kernels serve all delays."""
    most = max((int(fault.size) for fault in faults
                if fault.code == _LATE and fault.target == target), default=0)
    return 1 << (most - 1).bit_length() if most else 0


class SignalPath:
    """Faults of the signals of one car, which happen once a period of its odometry.

    faults: their numbers; depths: of delays.
    """

    def __init__(self, faults: Iterable[Fault], period_ns: int, timeout: float) -> None:
        """period_ns: of the odometry [ns]; timeout: after which a car without commands stops [s].

        Raises ConfigurationError for a delay that is too long.
        """
        # What is late is late before anything else happens to it.
        numbers = tuple(_numbers_of(fault, period_ns) for fault in sorted(
            faults, key=lambda fault: fault.kind != DELAY))
        self.depths = Depths(*(_depth(numbers, target) for target in (
            _ALL_ODOMETRY, _ALL_COMMAND)))
        self.faults = SignalFaults(numbers, float(round(timeout * NANOSECONDS) // period_ns))

    @property
    def count(self) -> int:
        """How many faults there are."""
        return len(self.faults.faults)

    def start(self, car: CarMotion, inputs: Command) -> Signals:
        """Memory at the start: what is seen of the car, and the command in force, then."""
        return no_signals(self.count, self.depths)._replace(
            waited=-1.0, sent=inputs, received=inputs, seen=(car,) * self.count,
            done=(inputs,) * self.count)


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
