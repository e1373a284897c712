# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""Straight line at constant velocity."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from racecar.core.compiled import njit
from racecar.core.parameters import Parameter
from racecar.core.trajectories.base import ReferenceKernel, ReferencePoint, Trajectory


@njit
def line_reference(
    time: float, a: float, b: float,
) -> tuple[float, float, float, float, float, float]:
    """Return the fields of ReferencePoint at a time [s] for velocities a and b [m/s]."""
    return a * time, b * time, a, b, 0.0, 0.0


@dataclass(frozen=True)
class Line(Trajectory):
    """(a t, b t): velocity components a and b [m/s] (report section 5.3.1)."""

    name: ClassVar[str] = 'line'
    parameters: ClassVar[tuple[Parameter, ...]] = (
        Parameter('a_coeff', float, 1.0, 'Line: velocity along x', 'm/s',
                  minimum=-20.0, maximum=20.0),
        Parameter('b_coeff', float, 1.0, 'Line: velocity along y', 'm/s',
                  minimum=-20.0, maximum=20.0),
    )

    a: float
    b: float

    kernel: ClassVar[ReferenceKernel | None] = staticmethod(line_reference)

    def at(self, time: float) -> ReferencePoint:
        """Return the reference at the time since activation [s]."""
        return ReferencePoint(*line_reference(time, self.a, self.b))
