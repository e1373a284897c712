# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""Faults of a car and of its signals, as data: what fails, from when on, how long, how much.

A fault is written as a YAML mapping, in one line `kind: bias, target: odometry.y, onset: 5.0,
size: 0.2`; `;` stands between several. docs/campaigns.md says what each kind does.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
import math
from typing import NamedTuple

import yaml

from racecar.base.errors import ConfigurationError, excerpt
from racecar.base.fields import Fields
from racecar.base.types import CarMotion, NANOSECONDS
from racecar.base.yaml_file import describe_error, parse_yaml
from racecar.dynamics.vehicles.interface import Command

ODOMETRY, COMMAND = 'odometry', 'command'
ODOMETRY_FIELDS = tuple(f'{ODOMETRY}.{name}' for name in CarMotion._fields)
COMMAND_FIELDS = tuple(f'{COMMAND}.{name}' for name in Command._fields)
SPEED, STEERING = 'speed', 'steering'
"""Actuators."""

SCAN, IMU, CAMERA = 'scan', 'imu', 'camera'
SENSORS = SCAN, IMU, CAMERA
"""Sensors, each for all of its kind."""

DELAY, DROP, DEAD, FREEZE, BIAS, NOISE, STUCK, PLAY, FRICTION, BLOW_OUT, BATTERY, PARAMETER = (
    'delay', 'drop', 'dead', 'freeze', 'bias', 'noise', 'stuck', 'play', 'friction', 'blow_out',
    'battery', 'parameter')
CLOCK_JUMP, NODE_KILL = 'clock_jump', 'node_kill'

NO_END = math.inf
MOST_DELAY = 50
"""Periods of the odometry by which a signal can be late."""

OF_NODES = {
    CLOCK_JUMP: 'a jump of the clock is of nodes: the simulation without ROS has no clock that'
    ' could jump',
    NODE_KILL: 'the end of a node is of nodes: the simulation without ROS has none; to the car a'
    ' dead tracker, law or mux is the kind dead with the target command'}
"""Kinds of which the simulation without ROS knows the name only, and why."""


class FaultKind(NamedTuple):
    """What faults of a kind take.

    text: what happens. targets: names that target may have, empty for none; the first is the
    default, unless one has to be given. size: what it is, '' for none, with its limits. is_random:
    whether there is a seed. of_vehicle: whether other parameters of the vehicle make it. sensors:
    further targets, that only nodes have. names: whether target is the name of something.
    """

    text: str
    targets: tuple[str, ...]
    size: str = ''
    least: float = -math.inf
    most: float = math.inf
    is_random: bool = False
    of_vehicle: bool = False
    has_default: bool = True
    sensors: tuple[str, ...] = ()
    names: bool = False


_SIGNALS = (ODOMETRY, *ODOMETRY_FIELDS, COMMAND, *COMMAND_FIELDS)
_FIELDS = (*ODOMETRY_FIELDS, *COMMAND_FIELDS)

KINDS: Mapping[str, FaultKind] = {
    DELAY: FaultKind('messages arrive late', (ODOMETRY, COMMAND), 'delay [s]', 0.0, 60.0,
                     sensors=SENSORS),
    DROP: FaultKind('messages are lost at random', (ODOMETRY, COMMAND), 'share that is lost', 0.0,
                    1.0, is_random=True, sensors=SENSORS),
    DEAD: FaultKind('no message arrives any more', (ODOMETRY, COMMAND), sensors=SENSORS),
    FREEZE: FaultKind('messages go on with the last values', _SIGNALS, has_default=False,
                      sensors=SENSORS),
    BIAS: FaultKind('a constant is added', _FIELDS, 'what is added [m, rad, m/s, rad/s]',
                    has_default=False, sensors=(SCAN,)),
    NOISE: FaultKind('white noise is added', _FIELDS, 'standard deviation [m, rad, m/s, rad/s]',
                     0.0, is_random=True, has_default=False, sensors=(SCAN,)),
    STUCK: FaultKind('an actuator stays where it is', (STEERING, SPEED)),
    PLAY: FaultKind('the steering has backlash', (STEERING,), 'free play, end to end [rad]', 0.0,
                    1.0),
    FRICTION: FaultKind('the ground becomes slippery or grippy', (), 'factor of the friction',
                        1e-3, 10.0, of_vehicle=True),
    BLOW_OUT: FaultKind('the tyres of an axle lose stiffness', ('front', 'rear'),
                        'factor of the stiffness', 1e-3, 1.0, of_vehicle=True),
    BATTERY: FaultKind('the drive loses speed and force', (), 'factor of speed and force', 1e-3,
                       1.0, of_vehicle=True),
    PARAMETER: FaultKind('a parameter of the simulator changes', (), 'its new value',
                         of_vehicle=True, names=True),
}
"""Those of a car, with ROS and without."""

NODE_KINDS: Mapping[str, FaultKind] = {
    **KINDS,
    CLOCK_JUMP: FaultKind('the clock and all stamps jump', (), 'by how much [s]'),
    NODE_KILL: FaultKind('a node ends', (), names=True),
}
"""Those of nodes."""

KEYS = ('kind', 'target', 'onset', 'duration', 'size', 'seed')

CAR = 'car'
"""Further key, of which of several cars the fault is."""


class Fault(NamedTuple):
    """One fault; onset: its start [s]; duration [s]; size, seed: as the kind has them, else 0.

    car: whose it is, by name; of all, or of the only one, if empty.
    """

    kind: str
    target: str = ''
    onset: float = 0.0
    duration: float = NO_END
    size: float = 0.0
    seed: int = 0
    car: str = ''

    @property
    def text(self) -> str:
        """The fault in one line, from which fault_of() makes the same to the bit."""
        kind = NODE_KINDS[self.kind]
        found: dict[str, object] = {'kind': self.kind}
        if self.target:
            found['target'] = self.target
        found['onset'] = self.onset
        if self.duration != NO_END:
            found['duration'] = self.duration
        if kind.size:
            found['size'] = self.size
        if kind.is_random:
            found['seed'] = self.seed
        if self.car:
            found[CAR] = self.car
        return ', '.join(f'{key}: {value}' for key, value in found.items())

    def ticks(self, period_ns: int) -> tuple[int, float]:
        """First tick that it acts on, and the first one after it, which may be infinite."""
        return _tick(self.onset, period_ns), (
            math.inf if self.duration == NO_END
            else _tick(self.onset + self.duration, period_ns))

    def acts_at(self, time_ns: int) -> bool:
        """Whether it acts at a time [ns]."""
        first, after = self.ticks(1)
        return first <= time_ns < after


def _tick(time: float, period_ns: int) -> int:
    """First tick at or after a time [s]."""
    return -(-round(time * NANOSECONDS) // period_ns)


def fault_of(where: str, values: object, *, nodes: bool = False) -> Fault:
    """Fault of a mapping of a file; where: how messages call it.

    nodes: whether it is of nodes, which have more kinds and targets, and several cars. Raises
    ConfigurationError naming the key, the value and what is expected.
    """
    fields = Fields.of(where, values)
    fields.know((*KEYS, CAR) if nodes else KEYS)
    kind = kind_of(fields, nodes=nodes)
    found = Fault(
        str(fields.value('kind')), target_of(fields, kind, nodes=nodes),
        fields.number('onset', 0.0, 0.0), _duration(fields), size_of(fields, kind),
        seed_of(fields, kind), fields.text(CAR, ''))
    if kind is NODE_KINDS[CLOCK_JUMP] and found.onset + found.size < 0.0:
        raise fields.error(
            'size', found.size, f'at least {-found.onset:g} s: no clock shows a time below 0')
    if kind is NODE_KINDS[NODE_KILL] and found.car:
        raise fields.error(CAR, found.car, 'none: the name of the node says whose it is')
    return found


def kind_of(fields: Fields, *, nodes: bool = False) -> FaultKind:
    """Kind of a fault. Raises ConfigurationError for one that is unknown or of nodes only."""
    name = fields.value('kind')
    if not nodes and isinstance(name, str) and name in OF_NODES:
        raise fields.error('kind', name, f"one of {', '.join(KINDS)}: {OF_NODES[name]}")
    known = NODE_KINDS if nodes else KINDS
    return known[fields.choice('kind', tuple(known))]


def target_of(fields: Fields, kind: FaultKind, *, nodes: bool = False) -> str:
    """Target of a fault of a kind. Raises ConfigurationError for one that the kind has not."""
    if kind.names:
        return fields.text('target')
    if not kind.targets:
        if fields.has('target'):
            raise fields.error('target', fields.value('target'), 'none: this kind has no target')
        return ''
    targets = (*kind.targets, *(kind.sensors if nodes else ()))
    found = fields.value('target', targets[0])
    if not nodes and isinstance(found, str) and found.partition('.')[0] in SENSORS:
        raise fields.error(
            'target', found, f"one of {', '.join(targets)}: the loop without ROS follows a"
            f' trajectory and has no {found}')
    if not (kind.has_default or fields.has('target')):
        raise fields.error('target', '', f"one of {', '.join(targets)}")
    return fields.choice('target', targets, targets[0])


def size_of(fields: Fields, kind: FaultKind) -> float:
    """Size of a fault of a kind. Raises ConfigurationError for one out of its limits."""
    if not kind.size:
        if fields.has('size'):
            raise fields.error('size', fields.value('size'), 'none: this kind has no size')
        return 0.0
    size = fields.number('size')
    check_size(fields, kind, size)
    return size


def check_size(fields: Fields, kind: FaultKind, size: float) -> None:
    """Raise ConfigurationError for a size out of the limits of a kind."""
    if not kind.least <= size <= kind.most:
        raise fields.error(
            'size', size, f'{kind.size} in [{kind.least:g}, {kind.most:g}]')


def seed_of(fields: Fields, kind: FaultKind) -> int:
    """Seed of a fault, 0 by default. Raises ConfigurationError if its kind has none."""
    if not kind.is_random and fields.has('seed'):
        raise fields.error('seed', fields.value('seed'), 'none: nothing of this kind is random')
    return fields.whole('seed', 0, 0, 2**31 - 1)


def _duration(fields: Fields) -> float:
    if not fields.has('duration'):
        return NO_END
    found = fields.number('duration')
    if found <= 0.0:
        raise fields.error('duration', found, 'seconds above 0; leave it out for no end')
    return found


def faults_of(text: str, *, nodes: bool = False) -> tuple[Fault, ...]:
    """Faults in one line, with `;` between them; nodes: as of fault_of().

    Raises ConfigurationError, naming the fault.
    """
    found = []
    for part in text.split(';'):
        where = f'fault {excerpt(part.strip())}'
        try:
            values = parse_yaml('{' + part.strip().removeprefix('{').removesuffix('}') + '}')
        except yaml.YAMLError as error:
            raise ConfigurationError(
                f'{where} is not YAML: {describe_error(error)}; expected kind: friction, onset:'
                ' 5.0, size: 0.3 and the like') from error
        found.append(fault_of(where, values, nodes=nodes))
    check_together(found)
    return tuple(found)


def check_together(faults: Sequence[Fault]) -> None:
    """Raise ConfigurationError for faults that one run cannot have together."""
    delayed = [(fault.target, fault.car) for fault in faults if fault.kind == DELAY]
    for whose in {*delayed}:
        if delayed.count(whose) > 1:
            raise ConfigurationError(
                f'there are {delayed.count(whose)} faults delay of {whose[0]}, expected at most'
                ' one: add up their sizes')


def faults_of_nodes(texts: Iterable[str]) -> tuple[Fault, ...]:
    """Faults of nodes, one or several in each text. Raises ConfigurationError as faults_of()."""
    found = tuple(fault for text in texts for fault in faults_of(text, nodes=True))
    check_together(found)
    return found


def text_of_faults(faults: Iterable[Fault]) -> str:
    """The line from which faults_of() makes the same."""
    return '; '.join(fault.text for fault in faults)
