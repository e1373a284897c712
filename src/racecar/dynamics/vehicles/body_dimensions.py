# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""The body of a vehicle as lengths: those of its file, and in their proportion the others."""

from __future__ import annotations

from typing import NamedTuple

from racecar.dynamics.vehicles.design import VehicleDesign

# Height of a usual saloon over its wheelbase; floor of the body over the radius of the wheels.
_HEIGHT, _CLEARANCE = 0.5, 0.5


class BodyDimensions(NamedTuple):
    """Of a body, in the axes of its chassis: x from the rear axle, z from the ground [m].

    front, rear: x of its ends; width; top, floor: heights of roof and floor.
    """

    front: float
    rear: float
    width: float
    top: float
    floor: float

    @property
    def length(self) -> float:
        """From end to end [m]."""
        return self.front - self.rear


def body_dimensions(vehicle: VehicleDesign) -> BodyDimensions:
    """Lengths of a vehicle's body."""
    print_on_ground, offset = vehicle.footprint, vehicle.odometry_offset
    # The footprint is about base_link.
    rear_axle = -vehicle.cog_to_rear_axle - offset
    body = vehicle.body
    return BodyDimensions(
        print_on_ground.front - rear_axle, -print_on_ground.rear - rear_axle,
        2.0 * print_on_ground.side, body.height or _HEIGHT * vehicle.wheelbase,
        body.clearance or _CLEARANCE * vehicle.wheel_radii[1])
