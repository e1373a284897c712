# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""Linear tyre."""

from __future__ import annotations

from racecar.base.compiled import inlined, njit
from racecar.base.elementary import arctangent


@njit
def lateral_force(
    slip_angle: float, cornering_stiffness: float, friction: float, load: float,
    shape: float = 0.0, curvature: float = 0.0,
) -> float:
    """Return the lateral force [N] of a tyre or axle: -C alpha, without limit.

    slip_angle [rad]; cornering_stiffness [N/rad]; the others have no effect.
    Source: report section 5.4, tyre model 0.
    """
    return -cornering_stiffness * slip_angle


@njit
def longitudinal_force(
    slip: float, slip_stiffness: float, friction: float, load: float, shape: float,
    curvature: float,
) -> float:
    """Return the longitudinal force [N]: -K s, without limit; slip [-], slip_stiffness [N]."""
    return -slip_stiffness * slip


def tangent_scale(cornering_stiffness: float, friction: float, load: float) -> float:
    """Return 1: the tangent enters as it is."""
    return 1.0


def force_scale(cornering_stiffness: float, friction: float, load: float) -> float:
    """Return the cornering stiffness [N/rad]."""
    return cornering_stiffness


@inlined
def of_tangent(
    t: float, cornering_stiffness: float, friction: float, load: float, shape: float,
    curvature: float,
) -> float:
    """Return the force over force_scale() [rad] of the slip angle whose tangent is t."""
    return -arctangent(t)


@inlined
def of_angle(
    slip_angle: float, tangent_scale: float, cornering_stiffness: float, friction: float,
    load: float, shape: float, curvature: float,
) -> float:
    """Return the force over force_scale() [rad] of a slip angle [rad]."""
    return -slip_angle
