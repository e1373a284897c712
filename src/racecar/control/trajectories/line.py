# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""Straight line at constant velocity."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from racecar.base.compiled import pure
from racecar.base.parameters import Parameter
from racecar.base.vectors import Vector
from racecar.control.trajectories.base import ClosedForm, Motion, Trajectory


@pure
def line_motion(time: float, numbers: Vector) -> Motion:
    """Motion at a time [s] for velocities a and b [m/s]."""
    a, b = numbers[0], numbers[1]
    return Motion(a * time, b * time, a, b, 0.0, 0.0, 0.0, 0.0, 0.0)


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

    closed_form: ClassVar[ClosedForm | None] = staticmethod(line_motion)
