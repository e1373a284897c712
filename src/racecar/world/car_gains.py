# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""How stiffly the controllers of a car's joints hold it: those of the original car, scaled."""

from __future__ import annotations

import math

from racecar.base.values import number_of, Values
from racecar.description.car_bodies import CarBodies, RigidBody
from racecar.dynamics.vehicles.double_track_wheels import FORCE_RATE
from racecar.dynamics.vehicles.parameters import VehicleParameters
from racecar.world.car_model import Gains

# Of the original car [kg], [m], which the gains are for.
_MASS, _RADIUS = 5.69223, 0.05

# Of generated cars: rates at which a controller brings a free wheel to its speed, and damps a free
# hinge [1/s]. A controller at its largest torque throws its joint beyond the set-point and back in
# each step that is longer than 2 over this.
_WHEEL_RATE, _HINGE_RATE = FORCE_RATE, 500.0


def joint_gains(
    vehicle: VehicleParameters, bodies: CarBodies, values: Values,
) -> Gains:
    """Return the gains of a vehicle's joints of resolved rows of WORLD_PARAMETERS.

    They go with mass and square of the radius of the wheels: then each speed is followed alike.
    Those of a generated car, whose joints have torques of their own size, are also bounded by the
    rates at which free wheels and hinges follow.
    """
    gains = Gains(*(number_of(values, name) for name in (
        'wheel_gain.front', 'wheel_gain.rear', 'hinge_gain', 'hinge_damping'))).scaled(
        vehicle.mass * vehicle.wheel_radii[1]**2 / (_MASS * _RADIUS**2))
    if not vehicle.body.is_generated:
        return gains
    fastest = _WHEEL_RATE * vehicle.wheel_inertia
    turning = _inertia_about_hinge(bodies.hinges[0], bodies.wheels[0])
    damping = min(gains.hinge_damping, _HINGE_RATE * turning)
    return Gains(
        min(gains.front, fastest), min(gains.rear, fastest),
        # As stiff as that damps without overshoot.
        min(gains.hinge, 0.25 * damping * damping / turning), damping)


def _inertia_about_hinge(hinge: RigidBody, wheel: RigidBody) -> float:
    """Return the moment of inertia about a hinge of all that it steers [kg m^2]."""
    _, centre, tensor = wheel.mass
    # The wheel's frame lies on the hinge, its axle is z; the hinge is upright.
    return float(hinge.mass.tensor[2, 2] + tensor[1, 1] + wheel.mass.mass * math.hypot(
        centre[0], centre[2])**2)
