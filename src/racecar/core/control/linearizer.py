# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""What feedback linearizers share: what the closed loop asks of them, and standstill."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Protocol

from racecar.core.parameters import Parameter
from racecar.core.types import AckermannCommand, Odometry, PlanarVelocity

POINT_TOLERANCE = 1e-3
"""How far points may lie apart that must be one, such as P of tracker and law [m].

Two descriptions of one vehicle may differ by rounding, not by more.
"""

STANDSTILL_PARAMETERS = (
    Parameter('minimum_speed', float, 0.01,
              'Below this commanded speed the last steering is held, because the law is'
              ' singular at standstill', 'm/s', above=0.0, maximum=1.0),
    Parameter('fade_speed', float, 0.05,
              'From this commanded speed downwards the steering fades to the last one from above'
              ' it, so that it does not swing where the car stops; 0 does without', 'm/s',
              minimum=0.0, maximum=5.0),
)
"""How the laws go over to standstill."""


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
