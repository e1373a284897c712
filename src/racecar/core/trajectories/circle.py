# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""Circle at constant speed."""

from __future__ import annotations

from dataclasses import dataclass
import math
from typing import ClassVar

from racecar.core.parameters import Parameter
from racecar.core.trajectories.base import ReferencePoint, Trajectory


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

    def at(self, time: float) -> ReferencePoint:
        """Return the reference at the time since activation [s]."""
        # A negative W mirrors the circle about the x axis instead of driving it backwards.
        rate = abs(self.angular_velocity)
        side = math.copysign(1.0, self.angular_velocity)
        r = self.radius
        sine, cosine = math.sin(rate * time), math.cos(rate * time)
        return ReferencePoint(
            r * sine, side * r * (1.0 - cosine),
            r * rate * cosine, side * r * rate * sine,
            -r * rate * rate * sine, side * r * rate * rate * cosine)

    @property
    def period(self) -> float | None:
        """Time of one lap [s]."""
        rate = abs(self.angular_velocity)
        return 2.0 * math.pi / rate if rate > 0.0 else None
