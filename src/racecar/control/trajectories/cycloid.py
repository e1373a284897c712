# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""Curtate cycloid."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from racecar.base.compiled import pure
from racecar.base.elementary import sine_cosine
from racecar.base.errors import ParameterError
from racecar.base.parameters import Parameter
from racecar.base.vectors import Vector
from racecar.control.trajectories.base import ClosedForm, Motion, Trajectory


@pure
def cycloid_motion(time: float, numbers: Vector) -> Motion:
    """Motion at a time [s]; radius r and distance d [m]."""
    r, d = numbers[0], numbers[1]
    sine, cosine = sine_cosine(time)
    return Motion(
        r * time - d * sine, d - d * cosine,
        r - d * cosine, d * sine,
        d * sine, d * cosine,
        0.0, 0.0, 0.0)


@dataclass(frozen=True)
class Cycloid(Trajectory):
    """(r t - d sin t, d - d cos t), d < r: the wheel turns at 1 rad/s (report section 5.3.5).

    Raises ParameterError unless the distance is smaller than the radius.
    """

    name: ClassVar[str] = 'cycloid'
    parameters: ClassVar[tuple[Parameter, ...]] = (
        Parameter('cycloid_radius', float, 1.0, 'Cycloid: radius of the rolling wheel', 'm',
                  above=0.0, maximum=100.0),
        Parameter('cycloid_distance', float, 0.5,
                  'Cycloid: distance of the drawing point from the wheel centre,'
                  ' less than cycloid_radius', 'm', above=0.0, maximum=100.0),
    )

    radius: float
    distance: float

    def __post_init__(self) -> None:
        if self.distance >= self.radius:
            raise ParameterError(
                f"parameter 'cycloid_distance' is {self.distance:g} m, expected less than"
                f' cycloid_radius ({self.radius:g} m): beyond it the path has loops or cusps')

    closed_form: ClassVar[ClosedForm | None] = staticmethod(cycloid_motion)
