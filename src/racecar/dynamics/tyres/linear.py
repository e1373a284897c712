# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""Linear tyre."""

from __future__ import annotations

from typing import NamedTuple

from racecar.base.compiled import pure
from racecar.base.elementary import arctangent
from racecar.dynamics.tyres.lateral import LateralSlip, of_angle, of_tangent


@pure
def lateral_force(
    slip_angle: float, cornering_stiffness: float, friction: float, load: float,
    shape: float = 0.0, curvature: float = 0.0,
) -> float:
    """Lateral force [N] of a tyre or axle: -C alpha, without limit.

    slip_angle [rad]; cornering_stiffness [N/rad]; the others have no effect.
    Source: report section 5.4, tyre model 0.
    """
    return -cornering_stiffness * slip_angle


@pure
def longitudinal_force(
    slip: float, slip_stiffness: float, friction: float, load: float, shape: float,
    curvature: float,
) -> float:
    """Longitudinal force [N]: -K s, without limit; slip [-], slip_stiffness [N]."""
    return -slip_stiffness * slip


class LinearTyre(NamedTuple):
    """Linear tyres of an axle: 1, and the cornering stiffness [N/rad]."""

    tangent_scale: float
    force_scale: float


def linear_tyre(slip: LateralSlip) -> LinearTyre:
    """Linear tyres of an axle."""
    return LinearTyre(1.0, slip.stiffness)


@of_tangent.register(LinearTyre)
def _of_tangent(tyre: LinearTyre, tangent: float) -> float:
    return -arctangent(tangent)


@of_angle.register(LinearTyre)
def _of_angle(tyre: LinearTyre, slip_angle: float) -> float:
    return -slip_angle
