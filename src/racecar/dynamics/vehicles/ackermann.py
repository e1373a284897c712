# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""Ackermann steering geometry: front wheels that roll without scrub.

With L wheelbase, t track, d angle of the virtual middle wheel (positive left) and k = t/(2 L):

    tan(left) = tan d/(1 - k tan d)    tan(right) = tan d/(1 + k tan d)
    cot d = (cot left + cot right)/2

The form without cotangents holds at d = 0 too.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from racecar.base.compiled import pure


@pure
def ackermann_angles(
    steering_angle: float, half_track: float, wheelbase: float,
) -> tuple[float, float]:
    """Angles of the left and right front wheel [rad] without scrub (Ackermann).

    steering_angle: of the virtual wheel in the middle [rad, left positive]; lengths [m].
    """
    cosine = math.cos(steering_angle)
    sine = math.sin(steering_angle)
    ratio = half_track / wheelbase
    return (math.atan2(sine, cosine - ratio * sine), math.atan2(sine, cosine + ratio * sine))


def inner_angle(steering_angle: float, half_track: float, wheelbase: float) -> float:
    """Angle of the inner front wheel [rad] in a turn to the left, compiling nothing.

    Arguments as of ackermann_angles(), whose left angle this is.
    """
    sine = math.sin(steering_angle)
    return math.atan2(sine, math.cos(steering_angle) - half_track / wheelbase * sine)


def middle_tangent(left: float, right: float) -> float:
    """Tangent tan d of the virtual middle wheel; 0 if the wheels [rad] point to both sides."""
    tan_left, tan_right = math.tan(left), math.tan(right)
    if tan_left * tan_right <= 0.0:
        return 0.0
    return 2.0 * tan_left * tan_right / (tan_left + tan_right)


def middle_angles(left: NDArray[np.float64], right: NDArray[np.float64]) -> NDArray[np.float64]:
    """Angles of the virtual middle wheel [rad], as middle_tangent() has its tangent.

    left, right: angles of the front wheels, (n,) [rad]; NaN where one of them is.
    """
    a, b = np.tan(left), np.tan(right)
    points_both_ways = a * b <= 0.0
    return np.arctan(np.where(points_both_ways, 0.0, 2.0 * a * b / np.where(
        points_both_ways, 1.0, a + b)))
