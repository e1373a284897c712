# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""Outline and mass of a car, by which it meets others."""

from __future__ import annotations

from typing import NamedTuple

from racecar.dynamics.vehicles.parameters import VehicleParameters


class CarBody(NamedTuple):
    """Outline and mass of a car [SI], or columns of them.

    ahead: middle of the outline ahead of base_link; length, width: half of them; base: base_link
    ahead of the point whose pose is in the state; centre: centre of gravity ahead of base_link.
    """

    ahead: float
    length: float
    width: float
    base: float
    centre: float
    mass: float
    yaw_inertia: float


def car_body(vehicle: VehicleParameters, base: float) -> CarBody:
    """Body of a vehicle; base: as the field."""
    front, rear, side = vehicle.footprint
    return CarBody(
        0.5 * (front - rear), 0.5 * (front + rear), side, base, -vehicle.odometry_offset,
        vehicle.mass, vehicle.yaw_inertia)
