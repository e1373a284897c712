# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""What the closed loop asks of a feedback linearizer."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Protocol

from racecar.core.types import AckermannCommand, Odometry, PlanarVelocity


class Linearizer(Protocol):
    """Turns the wanted velocity of the point P into speed and steering."""

    @property
    def tracked_ahead(self) -> float:
        """Position ahead of base_link [m] of the point whose error the tracker must feed back."""

    @property
    def reverses(self) -> bool:
        """Whether the car is driven backwards where the wanted velocity points behind it."""

    def command(self, odometry: Odometry, velocity: PlanarVelocity) -> AckermannCommand:
        """Return the command for the wanted velocity of P, within the vehicle's limits."""

    def tune(self, values: Mapping[str, Any]) -> None:
        """Take over other parameter values."""
