# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""Figure eight (lemniscate of Gerono)."""

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
def figure_eight_motion(time: float, numbers: Vector) -> Motion:
    """Motion at a time [s]; amplitude a [m], w [rad/s]."""
    a, w = numbers[0], numbers[1]
    sine, cosine = sine_cosine(w * time)
    return Motion(
        a * sine, a * sine * cosine,
        a * w * cosine, a * w * (cosine * cosine - sine * sine),
        -a * w * w * sine, -4.0 * a * w * w * sine * cosine,
        0.0, 0.0, 0.0)


@dataclass(frozen=True)
class FigureEight(Trajectory):
    """(a sin(w t), a sin(w t) cos(w t)) (report section 5.3.4)."""

    name: ClassVar[str] = 'figure_eight'
    parameters: ClassVar[tuple[Parameter, ...]] = (
        Parameter('a', float, 5.0, 'Figure eight: amplitude', 'm', above=0.0, maximum=1000.0),
        Parameter('w', float, 0.1, 'Figure eight: angular velocity', 'rad/s',
                  above=0.0, maximum=20.0),
    )

    amplitude: float
    angular_velocity: float

    closed_form: ClassVar[ClosedForm | None] = staticmethod(figure_eight_motion)

    @property
    def period(self) -> float | None:
        """Time of one full eight [s]."""
        return 2.0 * math.pi / self.angular_velocity
