# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""What a driver did and the car with it."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from racecar.base.columns import Array

QUANTITIES = ('speed', 'target_cruising_speed', 'rpm', 'engine_torque', 'gear', 'throttle',
              'brake_intensity', 'steering_angle', 'control_mode')
"""Columns that are numbers, in SI units but for rpm [rev/min]."""

LAMPS = ('left_indicator_lit', 'right_indicator_lit', 'front_lights_lit', 'antifog_lights_lit',
         'brake_lights_lit', 'backwards_lights_lit')


@dataclass(frozen=True, eq=False)
class DriverLog:
    """Samples of a drive: t (n,) [s] since the first, a column (n,) for each quantity and lamp.

    columns: QUANTITIES and LAMPS by name; lamps are 1 where lit.
    """

    name: str
    t: Array
    columns: dict[str, Array]

    def lit(self, lamp: str) -> list[tuple[float, float]]:
        """Start and length [s] of the times for which a lamp of LAMPS is lit."""
        on = self.columns[lamp] != 0.0
        edges = np.flatnonzero(np.diff(np.concatenate([[False], on, [False]]).astype(int)))
        times = np.append(self.t, self.t[-1])
        return [(float(times[first]), float(times[last] - times[first]))
                for first, last in edges.reshape(-1, 2)]
