# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""What the closed loop asks of a feedback linearizer, and which ones there are."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Protocol

from racecar.core.control.dynamic_linearizer import DynamicLinearizer
from racecar.core.control.kinematic_linearizer import KinematicLinearizer
from racecar.core.types import AckermannCommand, Odometry, PlanarVelocity
from racecar.core.vehicles.parameters import VehicleParameters


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


# By the name of the executable.
LINEARIZERS: dict[str, Callable[[Mapping[str, Any], VehicleParameters], Linearizer]] = {
    'kinematic_linearizer': KinematicLinearizer,
    'dynamic_linearizer': DynamicLinearizer,
}


def make_linearizer(executable: str, values: Mapping[str, Any]) -> Linearizer:
    """Return the linearizer of an executable from its resolved parameter values.

    Raises ParameterError if values contradict each other and KeyError for another executable.
    """
    return LINEARIZERS[executable](values, VehicleParameters.from_values(values))
