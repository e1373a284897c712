# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""Parabola with growing speed."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from racecar.base.compiled import pure
from racecar.base.parameters import Parameter
from racecar.base.vectors import Vector
from racecar.control.trajectories.base import ClosedForm, Motion, Trajectory


@pure
def parabola_motion(time: float, numbers: Vector) -> Motion:
    """Motion at a time [s] for a focal length a [m]."""
    a = numbers[0]
    return Motion(
        2.0 * a * time, a * time * time, 2.0 * a, 2.0 * a * time, 0.0, 2.0 * a, 0.0, 0.0, 0.0)


@dataclass(frozen=True)
class Parabola(Trajectory):
    """(2 a t, a t^2) with focal length a [m], so y = x^2 / (4 a).

    A negative a leads backwards, to negative x, and opens downwards.

    The report (section 5.3.2) states y = a x^2, which its own equations do not give.
    """

    name: ClassVar[str] = 'parabola'
    parameters: ClassVar[tuple[Parameter, ...]] = (
        Parameter('focal_length', float, 1.0,
                  'Parabola: focal length; the speed is 2 a sqrt(1 + t^2); a negative one leads to'
                  ' negative x and y', 'm', minimum=-100.0, maximum=100.0, nonzero=True),
    )

    focal_length: float

    closed_form: ClassVar[ClosedForm | None] = staticmethod(parabola_motion)
