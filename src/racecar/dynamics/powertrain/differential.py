# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""How the torque of the gearbox gets to the driven wheels.

Open: every driven wheel gets the same torque, T/n, whatever its speed. Of four, so do the axles.

Limited slip: without slip each wheel turns at v g/R, g its path over that of the rear axle's
middle. With v the mean of what the driven wheels tell, a wheel that turns faster than that gives
torque to the others in proportion,

    T_i = T/n - s D_i      D_i = J rate (w_i - v g_i/R_i) less the mean      0 <= s <= 1

s as large as no wheel is driven against the engine. So all of the torque can leave a wheel that
spins, and none is moved in a turn without slip. (The library that the text describes compares
with equal speeds and sums the error up over steps: it starves the outer wheels of every turn.)
"""

from __future__ import annotations

from racecar.base.compiled import pure
from racecar.base.types import Wheels


@pure
def rolling_speed(speeds: Wheels, ratios: Wheels, radii: Wheels, driven: Wheels) -> float:
    """Speed of the rear axle's middle that the driven wheels tell on average [m/s].

    speeds: of the wheels [rad/s]; ratios: path_ratios() of racecar.dynamics.powertrain.steering;
    radii [m]; driven: 1 for a driven wheel, else 0.
    """
    total = 0.0
    count = 0.0
    for i in range(4):
        # A loop over steps divides once.
        total += speeds[i] * (driven[i] * radii[i] / ratios[i])
        count += driven[i]
    return total * (1.0 / count)


@pure
def split_torque(
    torque: float, speeds: Wheels, ratios: Wheels, radii: Wheels, driven: Wheels, coupling: float,
) -> Wheels:
    """Torque of each wheel [N m]; their sum is the torque given.

    coupling: J rate [N m s] of the limited slip, 0 for an open differential; the rest as in
    rolling_speed().
    """
    per_count = 1.0 / (driven[0] + driven[1] + driven[2] + driven[3])
    even = torque * per_count
    if coupling == 0.0 or torque == 0.0:
        return even * driven[0], even * driven[1], even * driven[2], even * driven[3]
    speed = rolling_speed(speeds, ratios, radii, driven)
    d0 = coupling * driven[0] * (speeds[0] - speed * (ratios[0] / radii[0]))
    d1 = coupling * driven[1] * (speeds[1] - speed * (ratios[1] / radii[1]))
    d2 = coupling * driven[2] * (speeds[2] - speed * (ratios[2] / radii[2]))
    d3 = coupling * driven[3] * (speeds[3] - speed * (ratios[3] / radii[3]))
    mean = (d0 + d1 + d2 + d3) * per_count
    d0 = d0 - mean if driven[0] != 0.0 else 0.0
    d1 = d1 - mean if driven[1] != 0.0 else 0.0
    d2 = d2 - mean if driven[2] != 0.0 else 0.0
    d3 = d3 - mean if driven[3] != 0.0 else 0.0
    largest = max(d0, d1, d2, d3) if torque > 0.0 else -min(d0, d1, d2, d3)
    share = abs(even) / largest if largest > abs(even) else 1.0
    return (even * driven[0] - share * d0, even * driven[1] - share * d1,
            even * driven[2] - share * d2, even * driven[3] - share * d3)
