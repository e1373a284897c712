# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""What a simulation shows to the outside: plants, their robots, and the ports of these.

A plant is whatever is simulated. It owns integer time, moves by whole steps, and holds one or more
robots (entities). A robot is driven through inputs and observed through outputs; what crosses a
port is a value type of core, a NamedTuple in SI units, so that neither side knows the other.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
import math
from typing import Any, NamedTuple, Protocol

from racecar.base.errors import ConfigurationError
from racecar.base.readings import Collisions, LaserScan, WheelReading
from racecar.base.types import Acceleration3, BodyState, Lamps, NANOSECONDS, Pose3, Twist3
from racecar.description.urdf import RobotDescription
from racecar.scene.grid_map import OccupancyGrid
from racecar.scene.scene import Objects, Scene
from racecar.scene.seen_by_each import Among

ODOMETRY, COLLISIONS = 'odometry', 'collisions'
"""Names of the outputs of a car that a controller answers, and that counts contacts."""

GROUND_TRUTH = 'ground_truth'
"""Name of the output that shows the true motion where the odometry does not."""

WAIT, COAST, STOP, RETIRE = 'wait', 'coast', 'stop', 'retire'
"""What a simulator in lockstep does with a robot that does not answer."""

DEFAULT_STEP, DEFAULT_PERIOD = 0.001, 0.01
"""Step of the integration and period of a tick [s]."""

LONGEST_PERIOD = 3600.0
"""Longest period of an output [s]."""


@dataclass(frozen=True)
class Input:
    """One way to drive a robot; of all its inputs that drive, the last value that came governs.

    name: of the port, unique among the inputs. value_type: NamedTuple that it takes.
    apply: takes a value over from now on; raises RacecarError, changing nothing, for a value that
    the plant cannot use. drives: False for what does not move the robot, such as the switches of
    its lamps: a value of it neither grows old nor stands for a command.
    """

    name: str
    value_type: type
    apply: Callable[[Any], None]
    drives: bool = True


@dataclass(frozen=True)
class Output:
    """One thing that a robot shows.

    name: of the port, unique among the outputs. value_type: NamedTuple that it gives.
    read: computes the value at the plant's present time, None where one is lost; called only when
    it is due and somebody listens, so it must not change the plant. steps: length of `spread`
    periods in whole steps of the plant; where one period is no whole number of steps, the output
    is due at the nearest step.
    frame: to which the value belongs, without the entity's prefix.
    """

    name: str
    value_type: type
    read: Callable[[], Any]
    steps: int
    frame: str = ''
    spread: int = 1

    def is_due(self, step: int) -> bool:
        """Return whether a step of the plant is one at which it shows a value."""
        if self.spread == 1:
            return step % self.steps == 0
        return self._next_due(step) == step

    def steps_ahead(self, step: int) -> int:
        """Return the number of steps after this one at which it is due next, at least 1."""
        if self.spread == 1:
            return self.steps - step % self.steps
        return self._next_due(step + 1) - step

    def _next_due(self, step: int) -> int:
        """Return the first step from this one on that is nearest to a whole period."""
        periods = max(0, -(-(2 * step - 1) * self.spread // (2 * self.steps)))
        return (2 * periods * self.steps + self.spread) // (2 * self.spread)


class Mount(NamedTuple):
    """A frame that is fixed to another: pose of the child in the parent."""

    parent: str
    child: str
    pose: Pose3


class Bounds(NamedTuple):
    """The box about a robot in the axes of its base frame: lowest and highest x, y, z [m]."""

    lower: tuple[float, float, float]
    upper: tuple[float, float, float]


class Scenery(NamedTuple):
    """What stands around the robots of a plant, and can be replaced while it is simulated.

    scene: as it was set. replace: lets another scene stand there; robots stay as they are, and
    cones that were in the scene before, too. Raises ConfigurationError, changing nothing, for what
    cannot be simulated. loose: poses and motions of the cones of the scene now.
    """

    scene: Callable[[], Scene]
    replace: Callable[[Scene], None]
    loose: Callable[[], Sequence[BodyState]]


def _nothing() -> str:
    return ''


def _takes_any(_: Pose3 | None) -> None:
    pass


@dataclass(frozen=True)
class SensorPlatform:
    """The body of a robot on which sensors are mounted, with its motion at the present time.

    frame: in which sensors are mounted, without the entity's prefix. state: pose in odom and twist
    of this frame. acceleration: of this frame. objects: what can move and is not of this robot
    itself: cones where they are now, other robots; None: nothing but the robot moves, and cones
    stand where the scene has them. cones: poses of the scene's cones, as objects has them. wheels:
    what dead reckoning takes of a car; None where nothing is to be reckoned with. among: of one
    robot of several, the same as objects for all of them at once; None for a single one. They are
    called only for what a sensor needs, and change nothing.
    """

    frame: str
    state: Callable[[], BodyState]
    acceleration: Callable[[], Acceleration3]
    objects: Callable[[], Objects] | None = None
    cones: Callable[[], Sequence[Pose3]] | None = None
    wheels: Callable[[], WheelReading] | None = None
    among: Callable[[], Among] | None = None


@dataclass(frozen=True)
class Entity:
    """A robot of a plant.

    name: unique within the plant, empty for a plant of one robot; it is the namespace of what the
    robot shows and, with a slash, the prefix of frames. reset: puts the robot at rest at a pose of
    its base frame in odom, its initial one if None, and returns where it then is; time goes on.
    Raises ParameterError for a pose that cannot be taken. check_reset: raises what reset would
    raise now, and moves nothing, so that several robots are reset together or not at all; not
    needed where the initial pose can always be taken. halt: brings the robot to a safe stop
    and keeps it there until the next input. mounts: frames that never move against each other.
    platform: what sensors are mounted on; None if they cannot be. describe: gives what the robot
    is made of, with the joints that its outputs show and its base frame as the root; raises
    ConfigurationError if that cannot be made; None if nobody knows. surroundings: gives a map of
    what stands still around the robot; None where there is nothing. fault: why the robot cannot go
    on and what to do about it, such as that it lies on its roof; empty if it can. retired: why it
    stands and obeys nobody until it is reset, as its integration has diverged beside others, which
    is a fault, too; empty if it does not. notice: what the
    limits of the robot have cut off the newest command; empty if nothing. lamps: gives which of
    the lamps in its description are lit now; None if nobody switches them. bounds: of the robot;
    None if nobody knows. push: gives the robot a twist of its base frame, where it is; raises
    ParameterError, changing nothing, for one that it cannot have; None if it can be given none.
    """

    name: str
    inputs: tuple[Input, ...]
    outputs: tuple[Output, ...]
    reset: Callable[[Pose3 | None], Pose3]
    halt: Callable[[], None]
    mounts: tuple[Mount, ...] = ()
    platform: SensorPlatform | None = None
    describe: Callable[[], RobotDescription] | None = None
    surroundings: Callable[[], OccupancyGrid] | None = None
    fault: Callable[[], str] = _nothing
    retired: Callable[[], str] = _nothing
    check_reset: Callable[[Pose3 | None], None] = _takes_any
    notice: Callable[[], str] = _nothing
    lamps: Callable[[], Lamps] | None = None
    bounds: Bounds | None = None
    push: Callable[[Twist3], None] | None = None

    @property
    def frame_prefix(self) -> str:
        """What comes before the names of its frames."""
        return f'{self.name}/' if self.name else ''

    def output(self, name: str) -> Output:
        """Return the output of a name. Raises ConfigurationError naming those there are."""
        for output in self.outputs:
            if output.name == name:
                return output
        known = ', '.join(output.name for output in self.outputs)
        raise ConfigurationError(f"output '{name}' is unknown, expected one of {known}")


def unless_retired(port: Input, why_retired: Callable[[], str]) -> Input:
    """The input, of which a robot that is retired obeys no value that drives."""
    def apply(value: object) -> None:
        if not why_retired():
            port.apply(value)

    return replace(port, apply=apply) if port.drives else port


def collisions_of(entity: Entity) -> Collisions | None:
    """Return the contacts that a robot shows; None if it shows none."""
    for output in entity.outputs:
        if output.value_type is Collisions:
            found: Collisions = output.read()
            return found
    return None


def laser_of(entity: Entity) -> Output | None:
    """Return the output of the first laser of a robot; None if it has none."""
    return next(
        (output for output in entity.outputs if output.value_type is LaserScan), None)


class Plant(Protocol):
    """Whatever is simulated: time_ns = steps done * step_ns, in integers."""

    @property
    def step_ns(self) -> int:
        """Length of an integration step [ns]."""

    @property
    def time_ns(self) -> int:
        """Simulated time since the start [ns]."""

    @property
    def entities(self) -> Sequence[Entity]:
        """The robots, at least one, the same ones for the plant's life.

        They have another output or none of a name after their surroundings were replaced.
        """

    @property
    def scenery(self) -> Scenery | None:
        """What stands around and can be replaced; None if the plant has nothing like it."""

    def restart(self) -> None:
        """Let the time begin at 0 again, and random numbers with it; the robots stay."""

    def warm_up(self) -> None:
        """Do what would hold up the first step, such as to compile; the state stays."""

    def advance(self, steps: int) -> None:
        """Move on by whole steps.

        Raises DivergenceError; state and time are then those before the call.
        """


def whole_nanoseconds(name: str, seconds: float) -> int:
    """Return a duration [s] in nanoseconds.

    Raises ConfigurationError if it is no whole number of them, at least one.
    """
    count = round(seconds * NANOSECONDS)
    if count < 1 or abs(seconds * NANOSECONDS - count) > 1e-3:
        raise ConfigurationError(
            f'{name} is {seconds!r} s, expected a whole number of nanoseconds, at least one')
    return count


def period_steps(name: str, rate: float, step_ns: int) -> int:
    """Return the period of a rate [Hz] in whole steps.

    name: what has the rate, for the message. Raises ConfigurationError, naming the nearest rates
    that are possible, if the period is no whole number of steps.
    """
    if not (math.isfinite(rate) and rate * LONGEST_PERIOD >= 1.0):
        raise ConfigurationError(
            f'{name} is {rate!r} Hz, expected a number of at least 1/{LONGEST_PERIOD:g} Hz')
    period_ns = round(NANOSECONDS / rate)
    steps, excess_ns = divmod(period_ns, step_ns)
    if steps and not excess_ns:
        return steps
    choices = [f'{NANOSECONDS / (count * step_ns):.9g}' for count in (steps + 1, steps) if count]
    raise ConfigurationError(
        f'{name} of {rate:.9g} Hz: its period of {period_ns / NANOSECONDS:.9g} s is not a whole'
        f' number of integration steps of {step_ns / NANOSECONDS:.9g} s; choose'
        f" {' or '.join(choices)} Hz, or a step of"
        f' {_dividing_step(period_ns, step_ns) / NANOSECONDS:.9g} s')


def whole_periods(name: str, delay: float, period_ns: int, most: int | None = None) -> int:
    """Return a delay [s] in periods [ns].

    name: of the parameter, for the message; most: periods. Raises ConfigurationError if the delay
    is no whole number of periods, or of more.
    """
    periods, rest = divmod(round(delay * NANOSECONDS), period_ns)
    if rest or (most is not None and periods > most):
        limit = '' if most is None else f', at most {most} of them'
        raise ConfigurationError(
            f"parameter '{name}' is {delay:g} s, expected a whole number of periods of"
            f' {period_ns / NANOSECONDS:g} s{limit}')
    return periods


def nearest_steps(name: str, rate: float, step_ns: int) -> tuple[int, int]:
    """Return steps and spread of an Output for a rate [Hz] that steps may not give exactly.

    30 Hz on steps of 1 ms is 100 and 3: readings at 0, 33, 67, 100 ms. name: what has the rate,
    for the message. Raises ConfigurationError for more than one reading a step.
    """
    if not (math.isfinite(rate) and rate * LONGEST_PERIOD >= 1.0):
        raise ConfigurationError(
            f'{name} is {rate!r} Hz, expected a number of at least 1/{LONGEST_PERIOD:g} Hz')
    period = Fraction(NANOSECONDS, step_ns) / Fraction(rate).limit_denominator(10_000)
    if period < 1:
        raise ConfigurationError(
            f'{name} is {rate:.9g} Hz, expected at most that of the integration steps,'
            f' {NANOSECONDS / step_ns:.9g} Hz')
    return period.numerator, period.denominator


def _dividing_step(period_ns: int, step_ns: int) -> int:
    """Return a step near the one wanted of which the period is a whole number."""
    least = max(1, round(period_ns / step_ns))
    count = min(
        number for divisor in range(1, math.isqrt(period_ns) + 1) if period_ns % divisor == 0
        for number in (divisor, period_ns // divisor) if number >= least)
    return period_ns // count
