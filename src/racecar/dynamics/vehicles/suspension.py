# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""What a vehicle stands on: masses, loads and springs of its wheels at rest.

Each wheel moves along the vertical of the body, between a spring with a damper and the tyre. The
spring is preloaded so that at rest the wheel is where the vehicle's file has it.
"""

from __future__ import annotations

from typing import NamedTuple

from racecar.dynamics.vehicles.design import GRAVITY, VehicleDesign

PART_SHARE = 0.1
"""Mass of a steering knuckle, or of what carries wheel and knuckle, over that of the wheel [-]."""

# Of the radius, what a tyre gives under its load if its stiffness is not stated.
_TYRE_DEFLECTION = 0.05


class Corner(NamedTuple):
    """One wheel of an axle at rest.

    wheel_mass, unsprung_mass [kg]; load of the tyre, force of the spring [N]; spring_rate [N/m],
    damping_rate [N s/m], tyre_rate [N/m]; bump, rebound: travel [m].
    """

    wheel_mass: float
    unsprung_mass: float
    load: float
    spring_force: float
    spring_rate: float
    damping_rate: float
    tyre_rate: float
    bump: float
    rebound: float

    @property
    def ride_rate(self) -> float:
        """Stiffness of spring and tyre one after the other [N/m]."""
        return self.spring_rate * self.tyre_rate / (self.spring_rate + self.tyre_rate)


def axle_wheel_masses(vehicle: VehicleDesign) -> tuple[float, float]:
    """Mass of a front and of a rear wheel [kg].

    One that the file does not state is that of a solid cylinder with the wheel's moment of
    inertia.
    """
    front, rear = (
        axle.wheel_mass or 2.0 * vehicle.wheel_inertia / radius**2
        for axle, radius in zip((vehicle.body.front, vehicle.body.rear), vehicle.wheel_radii,
                                strict=True))
    return front, rear


def corners(vehicle: VehicleDesign) -> tuple[Corner, Corner]:
    """Wheel of the front and of the rear axle; without springs these have rate 0."""
    found = []
    for axle, mass, load, radius, parts in zip(
            (vehicle.body.front, vehicle.body.rear), axle_wheel_masses(vehicle),
            (vehicle.front_axle_load, vehicle.rear_axle_load), vehicle.wheel_radii, (2, 1),
            strict=True):
        # In front the knuckle, on both axles what carries it.
        unsprung = mass * (1.0 + PART_SHARE * parts)
        found.append(Corner(
            mass, unsprung, 0.5 * load, 0.5 * load - unsprung * GRAVITY, axle.spring_rate,
            axle.damping_rate,
            axle.tyre_rate or 0.5 * load / (_TYRE_DEFLECTION * radius), axle.bump_travel,
            axle.rebound_travel))
    front, rear = found
    return front, rear
