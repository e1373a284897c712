# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""Combined longitudinal and lateral slip by the similarity method.

Each slip is scaled by stiffness over friction force, n_x = K_x s_x/(mu_x Fz) and
n_y = K_y tan(alpha)/(mu_y Fz); n is the length of (n_x, n_y). Each direction's pure-slip curve is
read where pure slip would be scaled as strongly, and shared out by direction:

    Fx = n_x/n Fx0(n mu_x Fz/K_x)      Fy = n_y/n Fy0(atan(n mu_y Fz/K_y))

With one slip alone this is the pure curve. With curves that stay within mu Fz it stays within
the friction ellipse (Fx/(mu_x Fz))^2 + (Fy/(mu_y Fz))^2 <= 1. Each force opposes its own slip, so
tyres only take energy. Source: Pacejka, Tire and Vehicle Dynamics, similarity method.
"""

from __future__ import annotations

from collections.abc import Callable
import math

from racecar.base.compiled import importable
from racecar.dynamics.tyres.contact import TyrePair
from racecar.dynamics.tyres.pacejka import side_curvature

# Below this [N] a wheel is off the ground.
NO_LOAD = 1e-9


def combined_forces_of(
    lateral_force: Callable[..., float], longitudinal_force: Callable[..., float],
) -> Callable[..., tuple[float, float]]:
    """Pure function combined_forces() of a tyre model that is given by these curves."""
    @importable
    def combined_forces(
        slip: float, tangent: float, load: float, tyres: TyrePair, share: float,
    ) -> tuple[float, float]:
        """Longitudinal and lateral force [N] of one tyre.

        slip: longitudinal, positive when braking [-]; tangent: of the slip angle [-]; load [N];
        tyres: with friction mu > 0; share: of this tyre in their stiffness [-].
        """
        if load < NO_LOAD:
            return 0.0, 0.0
        slip = min(max(slip, -tyres.slip_limit), tyres.slip_limit)
        stiffness_x, stiffness_y = share * tyres.stiffness_x, share * tyres.stiffness_y
        scale_x = stiffness_x / (tyres.friction_x * load)
        scale_y = stiffness_y / (tyres.friction_y * load)
        along = scale_x * slip
        across = scale_y * tangent
        length = math.sqrt(along * along + across * across)
        if length < 1e-12:
            # The curves are straight there.
            return -stiffness_x * slip, -stiffness_y * tangent
        return (
            along / length * longitudinal_force(
                length / scale_x, stiffness_x, tyres.friction_x, load, tyres.shape_x,
                side_curvature(tyres.curvature_x, tyres.asymmetry_x, tyres.shift_x, slip)),
            across / length * lateral_force(
                math.atan(length / scale_y), stiffness_y, tyres.friction_y, load, tyres.shape_y,
                side_curvature(tyres.curvature_y, tyres.asymmetry_y, tyres.shift_y, tangent)),
        )

    return combined_forces
