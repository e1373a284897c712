# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""Circle at constant speed."""

from __future__ import annotations

from dataclasses import dataclass
import math
from typing import ClassVar

from racecar.base.compiled import pure
from racecar.base.elementary import sine_cosine
from racecar.base.parameters import Parameter
from racecar.base.vectors import Vector
from racecar.control.trajectories.base import ClosedForm, Motion, Trajectory


@pure
def circle_motion(time: float, numbers: Vector) -> Motion:
    """Motion at a time [s]; radius r [m], turning at w [rad/s]."""
    r, w = numbers[0], numbers[1]
    # A negative w mirrors the circle about the x axis instead of driving it backwards.
    rate = abs(w)
    side = math.copysign(1.0, w)
    sine, cosine = sine_cosine(rate * time)
    return Motion(
        r * sine, side * r * (1.0 - cosine),
        r * rate * cosine, side * r * rate * sine,
        -r * rate * rate * sine, side * r * rate * rate * cosine,
        0.0, 0.0, 0.0)


@dataclass(frozen=True)
class Circle(Trajectory):
    """(R cos(W t - pi/2), R sin(W t - pi/2) + R): starts along +x, turns left for W > 0."""

    name: ClassVar[str] = 'circle'
    parameters: ClassVar[tuple[Parameter, ...]] = (
        Parameter('R', float, 5.0, 'Circle: radius', 'm', above=0.0, maximum=1000.0),
        Parameter('W', float, 0.3, 'Circle: angular velocity; negative turns right', 'rad/s',
                  minimum=-20.0, maximum=20.0),
    )

    radius: float
    angular_velocity: float

    closed_form: ClassVar[ClosedForm | None] = staticmethod(circle_motion)

    @property
    def period(self) -> float | None:
        """Time of one lap [s]."""
        rate = abs(self.angular_velocity)
        return 2.0 * math.pi / rate if rate > 0.0 else None
