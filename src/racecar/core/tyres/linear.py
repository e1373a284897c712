# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""Linear tyre."""

from __future__ import annotations

from racecar.core.compiled import inlined, njit
from racecar.core.elementary import arctangent


@njit
def lateral_force(
    slip_angle: float, cornering_stiffness: float, friction: float, load: float,
) -> float:
    """Return the lateral force [N] of a tyre or axle: -C alpha, without limit.

    slip_angle [rad]; cornering_stiffness [N/rad]; friction [-] and load [N] have no effect.
    Source: report section 5.4, tyre model 0.
    """
    return -cornering_stiffness * slip_angle


@inlined
def tangent_force(
    tangent: float, cornering_stiffness: float, friction: float, load: float, per_sliding: float,
) -> float:
    """Return lateral_force() [N] of the slip angle within a right angle that has a tangent [-]."""
    return -cornering_stiffness * arctangent(tangent)


@inlined
def angle_force(
    slip_angle: float, cornering_stiffness: float, friction: float, load: float,
    per_sliding: float,
) -> float:
    """Return lateral_force() [N] of a slip angle [rad]."""
    return -cornering_stiffness * slip_angle
