# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""What every trajectory offers: a reference point for any time since activation."""

from __future__ import annotations

from abc import ABC
from collections.abc import Callable
from dataclasses import astuple, dataclass
import functools
from functools import cached_property
import math
from typing import ClassVar, NamedTuple

import numpy as np

from racecar.base.columns import Array
from racecar.base.compiled import compiled
from racecar.base.parameters import Parameter
from racecar.base.types import Odometry, yaw_to_quaternion
from racecar.base.values import Values
from racecar.base.vectors import Vector, vector
from racecar.metrics.laps import Course

# Of a course: its points, and the time of a path without an end [s].
_COURSE_POINTS, _ENDLESS = 601, 60.0


class ReferencePoint(NamedTuple):
    """Position [m], velocity [m/s] and acceleration [m/s^2] of the reference in `map`."""

    x: float
    y: float
    vx: float
    vy: float
    ax: float
    ay: float

    def as_odometry(self, time_ns: int, heading: float | None = None) -> Odometry:
        """Return it as a pose with the path tangent as yaw and the speed along it.

        heading [rad]: what the tangent points to where the velocity does not say so, because it
        is zero or points backwards; the speed along it is negative then.
        """
        yaw = math.atan2(self.vy, self.vx) if heading is None else heading
        qz, qw = yaw_to_quaternion(yaw)
        squared = self.vx * self.vx + self.vy * self.vy
        speed = math.sqrt(squared) if heading is None else (
            self.vx * math.cos(heading) + self.vy * math.sin(heading))
        turning = self.vx * self.ay - self.vy * self.ax
        return Odometry(time_ns, self.x, self.y, qz, qw, speed, 0.0,
                        turning / squared if squared > 0.0 else 0.0)


class Attitude(NamedTuple):
    """How the car is to stand: heading [rad], its rate [rad/s], direction 1 or -1 (reverse)."""

    heading: float
    rate: float
    direction: float


class Motion(NamedTuple):
    """How the reference moves: the fields of ReferencePoint, then those of Attitude.

    direction is 0 where it is not known how the car is to stand.
    """

    x: float
    y: float
    vx: float
    vy: float
    ax: float
    ay: float
    heading: float
    rate: float
    direction: float


ClosedForm = Callable[[float, Vector], Motion]
"""Pure function of the time [s] and a trajectory's numbers; what it calls is pure, too."""


@functools.cache
def motion_kernel(closed_form: ClosedForm) -> Callable[[float, Vector], tuple[float, ...]]:
    """Compiled function of time [s] and numbers that gives the fields of Motion."""
    def motion_fields(time: float, numbers: Vector) -> tuple[float, ...]:
        x, y, vx, vy, ax, ay, heading, rate, direction = closed_form(time, numbers)
        # Numba makes a plain tuple of Python several times faster than a named one.
        return x, y, vx, vy, ax, ay, heading, rate, direction

    return compiled(motion_fields, '(float64, float64[::1])', nogil=False)


@dataclass(frozen=True)
class Trajectory(ABC):
    """A path in time; t = 0 is the activation.

    Subclasses are frozen dataclasses that name their shape, list their parameters, and give the
    motion in closed form, which Numba compiles; or, slower, override motion().
    """

    name: ClassVar[str]
    parameters: ClassVar[tuple[Parameter, ...]]
    closed_form: ClassVar[ClosedForm | None] = None
    reverses: ClassVar[bool] = False
    """Whether the car is to go backwards somewhere."""

    @classmethod
    def from_values(cls, values: Values) -> Trajectory:
        """Build it from resolved parameter values; other trajectories' values are ignored."""
        return cls(*(values[parameter.name] for parameter in cls.parameters))

    @property
    def pure_motion(self) -> ClosedForm | None:
        """The closed form, if the motion is what it says."""
        kind = type(self)
        return kind.closed_form if kind.motion is Trajectory.motion else None

    @cached_property
    def numbers(self) -> Vector:
        """What the closed form gets: the values of the parameters, if they are all it needs."""
        return vector(astuple(self))

    def motion(self, time: float) -> Motion:
        """Motion of the reference at the time since activation [s]."""
        closed_form = type(self).closed_form
        if closed_form is None:
            raise NotImplementedError(
                f'{type(self).__name__} has neither closed_form nor motion()')
        return Motion._make(motion_kernel(closed_form)(time, self.numbers))

    def at(self, time: float) -> ReferencePoint:
        """Return the reference at the time since activation [s]."""
        return ReferencePoint(*self.motion(time)[:6])

    def attitude(self, time: float) -> Attitude | None:
        """Return how the car is to stand, also at rest and in reverse; None: not known.

        Where it is known the tracker places P of the reference by it, else by the car's own yaw.
        """
        heading, rate, direction = self.motion(time)[6:]
        return Attitude(heading, rate, direction) if direction else None

    @property
    def duration(self) -> float | None:
        """Time in which the whole path is passed once [s]; None if it has no end."""
        return self.period

    @property
    def period(self) -> float | None:
        """Time after which the path repeats [s]; None for an open path."""
        return None

    @cached_property
    def course(self) -> Course:
        """The path as a course of laps, from where it begins; closed if the path is.

        Of a path without an end the first minute.
        """
        return self.sampled_course()

    def sampled_course(self) -> Course:
        """The course by the motion, without borders."""
        end, closed_form = self.duration or _ENDLESS, self.pure_motion
        return Course.along(
            _sampled(self.motion, end) if closed_form is None
            else _sampled_closed_form(closed_form, tuple(map(float, self.numbers)), end))


def _sampled(motion: Callable[[float], tuple[float, ...]], end: float) -> Array:
    """Positions [m] at times up to the end [s], (points, 2)."""
    return np.array([
        motion(end * i / (_COURSE_POINTS - 1))[:2] for i in range(_COURSE_POINTS)])


# Cars of a sweep and runs of a search follow the same few paths.
@functools.lru_cache(maxsize=64)
def _sampled_closed_form(
    closed_form: ClosedForm, numbers: tuple[float, ...], end: float,
) -> Array:
    """_sampled() of what a trajectory's closed form gives for its numbers, read-only."""
    motion, given = motion_kernel(closed_form), vector(numbers)
    points = _sampled(lambda time: motion(time, given), end)
    points.flags.writeable = False
    return points
