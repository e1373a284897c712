# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""Follow the gap as a controller: each scan of the laser is answered, and nothing else is seen.

The law, its equations and sources are those of racecar.control.gap_following, which the node
gap_follower has too, with the same bits.
"""

from __future__ import annotations

from racecar.base.readings import LaserScan
from racecar.base.types import AckermannCommand
from racecar.control.gap_following import GAP_PARAMETERS, GapFollower, GapSettings
from racecar.dynamics.vehicles.parameters import VehicleParameters


class Gap:
    """See the top of the file."""

    def __init__(
        self, vehicle: VehicleParameters, *, speed: float = 2.0, look_ahead: float = 4.0,
        pursuit_distance: float = 2.0, field_of_view: float = 1.6, clearance: float = 0.3,
        lateral_acceleration: float = 3.0, deceleration: float = 2.0, stop_distance: float = 0.3,
    ) -> None:
        """Take a vehicle and GapSettings. Raises ParameterError for values out of range."""
        self._law = GapFollower(GAP_PARAMETERS.resolve(GapSettings(
            speed, look_ahead, pursuit_distance, field_of_view, clearance, lateral_acceleration,
            deceleration, stop_distance)._asdict()), vehicle)

    def see(self, scan: LaserScan) -> AckermannCommand:
        """Return speed and steering for a scan."""
        return self._law.command(scan)
