# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""Lateral force of the tyres of an axle, as a product that loops over steps and vehicles take.

Force = force_scale * of_tangent(tyre, tan(alpha) * tangent_scale)
      = force_scale * of_angle(tyre, alpha)

Each tyre model has a NamedTuple of its own, whose fields begin with both scales; what these say is
computed once. Its type chooses the equations.
"""

from __future__ import annotations

from typing import NamedTuple, Protocol

from racecar.base.compiled import by_type, pure


class LateralSlip(NamedTuple):
    """Tyres of an axle in lateral slip, of which a tyre model takes what it needs.

    stiffness: of both [N/rad]; friction [-]; load: of the axle [N]; shape, curvature: those of
    Pacejka [-]; asymmetry, shift: how the curvature depends on the side, see
    pacejka.side_curvature(); shift is compared with the tangent of the slip angle.
    """

    stiffness: float
    friction: float
    load: float
    shape: float
    curvature: float
    asymmetry: float
    shift: float


class Scaled(Protocol):
    """What tyres of an axle have in common."""

    @property
    def tangent_scale(self) -> float:
        """Factor of the tangent of the slip angle [-]."""

    @property
    def force_scale(self) -> float:
        """Factor of the force [N]."""


@by_type
def of_tangent(tyre: object, tangent: float) -> float:
    """Force over force_scale [-] at the tangent of the slip angle times tangent_scale [-]."""
    raise NotImplementedError


@by_type
def of_angle(tyre: object, slip_angle: float) -> float:
    """Force over force_scale [-] at a slip angle [rad], any."""
    raise NotImplementedError


@pure
def axle_force(tyre: Scaled, slip_angle: float) -> float:
    """Lateral force of an axle [N] at a slip angle [rad]."""
    return tyre.force_scale * of_angle(tyre, slip_angle)
