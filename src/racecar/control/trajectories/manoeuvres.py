# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""Drives to identify a car from, in closed form: all start along +x.

    skidpad         circle of radius R, n speeds one after the other, each for a time T
    circle_to_slip  circle of radius R, speed v0 + a t
    step_steer      straight for a time T, then a circle of radius R
    ramp_steer      clothoid: constant speed v, curvature c v t, whose heading is c v^2 t^2 / 2
    coast_down      straight: accelerated to v, held for T, then v exp(-t/tau)

ISO 4138 (steady circle, ramp steer) and ISO 7401 (step steer) have them for road cars.
"""

from __future__ import annotations

from dataclasses import dataclass
import math
from typing import ClassVar

from racecar.base.compiled import pure
from racecar.base.elementary import sine_cosine
from racecar.base.errors import ParameterError
from racecar.base.parameters import Parameter
from racecar.base.vectors import Vector
from racecar.control.trajectories.base import ClosedForm, Motion, Trajectory

# Nodes and weights of Gauss and Legendre on (0, 1), five points; per piece of the clothoid.
_N1, _N2, _N3 = 0.5, 0.2307653449471584, 0.0469100770306680
_W1, _W2, _W3 = 0.2844444444444444, 0.2393143352496832, 0.1184634425280945
_PIECES = 12


@pure
def _on_circle(
    distance: float, speed: float, acceleration: float, radius: float,
) -> Motion:
    """Motion on a circle to the left (radius > 0) or right, so far from its start."""
    angle = distance / radius
    sine, cosine = sine_cosine(angle)
    turn = speed * speed / radius
    return Motion(
        radius * sine, radius * (1.0 - cosine), speed * cosine, speed * sine,
        acceleration * cosine - turn * sine, acceleration * sine + turn * cosine, 0.0, 0.0, 0.0)


def _check_radius(name: str, radius: float) -> None:
    if abs(radius) < 1e-3:
        raise ParameterError(f"parameter '{name}' is {radius:g} m, expected at least 1 mm to"
                             ' either side')


def _speed(name: str, text: str, default: float) -> Parameter:
    return Parameter(name, float, default, text, 'm/s', above=0.0, maximum=50.0)


def _radius(name: str, text: str, default: float) -> Parameter:
    return Parameter(name, float, default, f'{text}; negative turns right', 'm', minimum=-1000.0,
                     maximum=1000.0)


def _time(name: str, text: str, default: float) -> Parameter:
    return Parameter(name, float, default, text, 's', above=0.0, maximum=3600.0)


@pure
def skidpad_motion(time: float, numbers: Vector) -> Motion:
    """Motion at a time [s]; numbers: radius, first speed, step of the speed, hold, count."""
    radius, first, step, hold, count = numbers[0], numbers[1], numbers[2], numbers[3], numbers[4]
    level = min(math.floor(max(time, 0.0) / hold), count - 1.0)
    before = level * hold
    distance = first * time + step * (hold * 0.5 * level * (level - 1.0) + level * (time - before))
    return _on_circle(distance, first + step * level, 0.0, radius)


@pure
def slip_motion(time: float, numbers: Vector) -> Motion:
    """Motion at a time [s]; numbers: radius, first speed, acceleration, highest speed."""
    radius, first, gain, last = numbers[0], numbers[1], numbers[2], numbers[3]
    rise = max(last - first, 0.0) / gain
    part = min(time, rise)
    speed = first + gain * part
    return _on_circle(first * part + 0.5 * gain * part * part + speed * (time - part), speed,
                      gain if time < rise else 0.0, radius)


@pure
def step_motion(time: float, numbers: Vector) -> Motion:
    """Motion at a time [s]; numbers: radius, speed, time of the step."""
    radius, speed, start = numbers[0], numbers[1], numbers[2]
    if time < start:
        return Motion(speed * time, 0.0, speed, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0)
    m = _on_circle(speed * (time - start), speed, 0.0, radius)
    return Motion(
        m.x + speed * start, m.y, m.vx, m.vy, m.ax, m.ay, m.heading, m.rate, m.direction)


@pure
def ramp_motion(time: float, numbers: Vector) -> Motion:
    """Motion at a time [s]; numbers: speed, rate of the curvature [1/m/s], last curvature."""
    speed, rate, last = numbers[0], numbers[1], numbers[2]
    end = abs(last / rate)
    part = min(time, end)
    x, y = 0.0, 0.0
    # Heading rate v t^2 / 2: Fresnel's integrals, by quadrature over even pieces.
    width = part / _PIECES
    for piece in range(_PIECES):
        at = piece * width
        for node, weight in ((_N1, _W1), (_N2, _W2), (1.0 - _N2, _W2), (_N3, _W3),
                             (1.0 - _N3, _W3)):
            t = at + node * width
            sine, cosine = sine_cosine(0.5 * rate * speed * t * t)
            x += weight * width * speed * cosine
            y += weight * width * speed * sine
    heading = 0.5 * rate * speed * part * part
    curvature = rate * part
    sine, cosine = sine_cosine(heading)
    if time > end:
        m = _on_circle(speed * (time - end), speed, 0.0, 1.0 / curvature)
        return Motion(
            x + m.x * cosine - m.y * sine, y + m.x * sine + m.y * cosine,
            m.vx * cosine - m.vy * sine, m.vx * sine + m.vy * cosine,
            m.ax * cosine - m.ay * sine, m.ax * sine + m.ay * cosine, 0.0, 0.0, 0.0)
    turn = speed * speed * curvature
    return Motion(
        x, y, speed * cosine, speed * sine, -turn * sine, turn * cosine, 0.0, 0.0, 0.0)


@pure
def coast_motion(time: float, numbers: Vector) -> Motion:
    """Motion at a time [s]; numbers: speed, acceleration, hold, time constant."""
    speed, gain, hold, tau = numbers[0], numbers[1], numbers[2], numbers[3]
    rise = speed / gain
    up = min(time, rise)
    held = min(max(time - rise, 0.0), hold)
    late = max(time - rise - hold, 0.0)
    decay = math.exp(-late / tau)
    x = 0.5 * gain * up * up + speed * held + speed * tau * (1.0 - decay)
    v = gain * up if time < rise else speed * decay
    a = gain if time < rise else (-speed / tau * decay if late > 0.0 else 0.0)
    return Motion(x, 0.0, v, 0.0, a, 0.0, 0.0, 0.0, 1.0)


@dataclass(frozen=True)
class Skidpad(Trajectory):
    """A circle at rising speeds, each held for a time."""

    name: ClassVar[str] = 'skidpad'
    parameters: ClassVar[tuple[Parameter, ...]] = (
        _radius('skidpad_radius', 'Skidpad: radius', 1.5),
        _speed('skidpad_speed', 'Skidpad: first speed', 1.0),
        Parameter('skidpad_step', float, 0.5, 'Skidpad: from one speed to the next', 'm/s',
                  minimum=0.0, maximum=20.0),
        _time('skidpad_hold', 'Skidpad: time at each speed', 10.0),
        Parameter('skidpad_count', int, 4, 'Skidpad: number of speeds', minimum=1, maximum=100),
    )

    radius: float
    speed: float
    step: float
    hold: float
    count: int

    def __post_init__(self) -> None:
        _check_radius('skidpad_radius', self.radius)

    closed_form: ClassVar[ClosedForm | None] = staticmethod(skidpad_motion)

    @property
    def duration(self) -> float | None:
        """Time of all speeds [s]."""
        return self.hold * self.count


@dataclass(frozen=True)
class CircleToSlip(Trajectory):
    """A circle driven faster and faster, until the tyres give no more."""

    name: ClassVar[str] = 'circle_to_slip'
    parameters: ClassVar[tuple[Parameter, ...]] = (
        _radius('slip_radius', 'Circle to slip: radius', 1.5),
        _speed('slip_speed', 'Circle to slip: first speed', 1.0),
        Parameter('slip_acceleration', float, 0.2, 'Circle to slip: rise of the speed', 'm/s^2',
                  above=0.0, maximum=20.0),
        _speed('slip_speed_max', 'Circle to slip: highest speed', 5.0),
    )

    radius: float
    speed: float
    acceleration: float
    last: float

    def __post_init__(self) -> None:
        _check_radius('slip_radius', self.radius)

    closed_form: ClassVar[ClosedForm | None] = staticmethod(slip_motion)

    @property
    def duration(self) -> float | None:
        """Time until the highest speed [s]."""
        return max(self.last - self.speed, 0.0) / self.acceleration + 1.0


@dataclass(frozen=True)
class StepSteer(Trajectory):
    """Straight ahead, then a circle at once: the curvature is a step."""

    name: ClassVar[str] = 'step_steer'
    parameters: ClassVar[tuple[Parameter, ...]] = (
        _radius('step_radius', 'Step steer: radius of the circle', 1.5),
        _speed('step_speed', 'Step steer: speed', 2.0),
        _time('step_time', 'Step steer: time straight ahead', 2.0),
    )

    radius: float
    speed: float
    start: float

    def __post_init__(self) -> None:
        _check_radius('step_radius', self.radius)

    closed_form: ClassVar[ClosedForm | None] = staticmethod(step_motion)

    @property
    def duration(self) -> float | None:
        """Time until half a circle is driven [s]."""
        return self.start + math.pi * abs(self.radius) / self.speed


@dataclass(frozen=True)
class RampSteer(Trajectory):
    """Constant speed along a clothoid, then on in the last circle."""

    name: ClassVar[str] = 'ramp_steer'
    parameters: ClassVar[tuple[Parameter, ...]] = (
        _speed('ramp_speed', 'Ramp steer: speed', 2.0),
        Parameter('ramp_rate', float, 0.05, 'Ramp steer: rate of the curvature', '1/(m s)',
                  above=0.0, maximum=100.0),
        Parameter('ramp_curvature', float, 0.6, 'Ramp steer: last curvature', '1/m', above=0.0,
                  maximum=100.0),
    )

    speed: float
    rate: float
    last: float

    closed_form: ClassVar[ClosedForm | None] = staticmethod(ramp_motion)

    @property
    def duration(self) -> float | None:
        """Time until the last curvature [s]."""
        return self.last / self.rate


@dataclass(frozen=True)
class CoastDown(Trajectory):
    """Straight ahead up to a speed, held, then let go."""

    name: ClassVar[str] = 'coast_down'
    parameters: ClassVar[tuple[Parameter, ...]] = (
        _speed('coast_speed', 'Coast-down: speed', 3.0),
        Parameter('coast_acceleration', float, 1.0, 'Coast-down: rise of the speed', 'm/s^2',
                  above=0.0, maximum=50.0),
        _time('coast_hold', 'Coast-down: time at the speed', 1.0),
        _time('coast_decay', 'Coast-down: time constant in which the speed falls', 2.0),
    )

    speed: float
    acceleration: float
    hold: float
    decay: float

    closed_form: ClassVar[ClosedForm | None] = staticmethod(coast_motion)

    @property
    def duration(self) -> float | None:
        """Time until a twentieth of the speed is left [s]."""
        return self.speed / self.acceleration + self.hold + 3.0 * self.decay
