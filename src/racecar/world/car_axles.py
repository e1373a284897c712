# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""The numbers of a vehicle's axles: ground under its wheels, carcass and tyre, and its drive."""

from __future__ import annotations

import math

from racecar.base.errors import ConfigurationError
from racecar.dynamics.tyres.contact import TyrePair, TyreSides
from racecar.dynamics.vehicles.double_track import least_drive_time_constant
from racecar.dynamics.vehicles.double_track_wheels import SpeedDrive
from racecar.dynamics.vehicles.parameters import VehicleParameters
from racecar.dynamics.vehicles.planar import DRIVE_TIME_CONSTANT
from racecar.dynamics.vehicles.suspension import Corner, corners
from racecar.dynamics.vehicles.tyre_sets import TyreDirection, TyreSet
from racecar.world.wheel_contact import Carcass, Ground
from racecar.world.world_kernel import Axle, Further, Governor

GROUND_RATE, GROUND_DAMPING_RATIO = 145.0, 0.3
"""Of a quarter of the car on its wheel: natural frequency [rad/s] and damping ratio [-]."""

RELAXATION = 0.4
"""Relaxation length of a tyre over its radius where the vehicle has none [-]."""

REST_DAMPING_RATIO = 0.6
"""Of a quarter of the car on a tyre at rest, which holds it as a spring [-]."""

STEP_LIMIT = 0.4
"""Bound of the step times the natural frequency of a wheel on its tyre as a spring [-]."""

DAMPING_LIMIT = 1.0
"""Bound of the step times the rate at which that spring's damper slows the wheel [-].

From 2 on it is unstable. The damping along the wheel is as much less as that takes.
"""


DRIVE_LIMIT = 1.75
"""Bound of the step times the rate at which the speed controller turns a free wheel [-].

From 2 on it is unstable.
"""

HOP_LIMIT = 0.7
"""Bound of the step times the natural frequency of a sprung wheel on its tyre [-]."""

TYRE_DAMPING_RATIO = 0.05
"""Of an unsprung mass on its tyre; most of what damps it is in the suspension [-]."""


def make_axles(
    vehicle: VehicleParameters, tyres: TyreSet | None, step: float,
) -> list[Axle]:
    """Return front and rear axle; tyres: None where the engine's friction acts; step [s].

    Raises ConfigurationError for a step that is too long for the tyres.
    """
    quarter = 0.25 * vehicle.mass
    loads = vehicle.front_axle_load, vehicle.rear_axle_load
    if tyres is None:
        none = TyreDirection(1.0, 1.0, 1.0, 0.0)
        directions = ((none, none), (none, none))
    else:
        directions = ((tyres.front_x, tyres.front_y), (tyres.rear_x, tyres.rear_y))
    axles = []
    for (x, y), load, radius, corner in zip(
            directions, loads, vehicle.wheel_radii, corners(vehicle), strict=True):
        length = vehicle.relaxation_length or RELAXATION * radius
        spring_x, spring_y = (0.5 * tyre.stiffness / length for tyre in (x, y))
        damping_x, damping_y = (
            2.0 * REST_DAMPING_RATIO * math.sqrt(quarter / spring)
            for spring in (spring_x, spring_y))
        # A wheel turns against its own tyre, which is both spring and damper.
        frequency = math.sqrt(spring_x * radius * radius / vehicle.wheel_inertia)
        if tyres is not None and step * frequency > STEP_LIMIT:
            raise ConfigurationError(
                f'step is {step:g} s, expected at most {STEP_LIMIT / frequency:.2g} s for the'
                ' tyres of this vehicle')
        longest = DAMPING_LIMIT / (frequency * frequency * step) - 0.5 * step
        carcass = Carcass(
            length, min(damping_x, longest), damping_y,
            x.stiffness / (x.friction * load), y.stiffness / (y.friction * load), radius)
        axles.append(Axle(_ground(vehicle, corner, step), carcass, TyrePair(
            *x, *y, load, float(tyres is not None and tyres.model.stiffness_by_load),
            *(TyreSides() if tyres is None else tyres.sides)), Further(
                vehicle.friction_load_sensitivity, 2.0 / load, vehicle.drag_factor)))
    return axles


def make_governor(
    vehicle: VehicleParameters, step: float, gravity: tuple[float, float, float],
) -> Governor:
    """Return what drives a car by speed, as the double track does; step [s], gravity [m/s^2].

    Raises ConfigurationError for a step that is too long for it.
    """
    time_constant = max(DRIVE_TIME_CONSTANT, least_drive_time_constant(vehicle))
    # At a rate of 1/s a light wheel would turn so much in its time constant.
    rate = least_drive_time_constant(vehicle, 1.0) / time_constant
    if step * rate > DRIVE_LIMIT:
        raise ConfigurationError(
            f'step is {step:g} s, expected at most {DRIVE_LIMIT / rate:.2g} s for the speed'
            ' controller of this vehicle and the inertia of its wheels')
    share = 0.5 * vehicle.front_drive_share
    front, rear = vehicle.wheel_radii
    return Governor(
        SpeedDrive(0.0, vehicle.mass / time_constant, vehicle.drive_force_limit, share * front,
                   (0.5 - share) * rear),
        0.0, max(share, 0.25) * front, max(0.5 - share, 0.25) * rear,
        vehicle.mass * gravity[0], vehicle.mass * gravity[1])


def _ground(vehicle: VehicleParameters, corner: Corner, step: float) -> Ground:
    """Return what a wheel stands on: of a sprung car its own tyre, which gives under its load.

    The radius is that of the tyre under its load at rest. Raises ConfigurationError for a step
    that is too long for wheel and tyre.
    """
    if not vehicle.body.is_sprung:
        quarter = 0.25 * vehicle.mass
        return Ground(quarter * GROUND_RATE * GROUND_RATE,
                      2.0 * GROUND_DAMPING_RATIO * GROUND_RATE * quarter)
    frequency = math.sqrt(corner.tyre_rate / corner.unsprung_mass)
    if step * frequency > HOP_LIMIT:
        raise ConfigurationError(
            f'step is {step:g} s, expected at most {HOP_LIMIT / frequency:.2g} s for wheels of'
            f' {corner.wheel_mass:.3g} kg on tyres of {corner.tyre_rate:.3g} N/m')
    return Ground(
        corner.tyre_rate, 2.0 * TYRE_DAMPING_RATIO * frequency * corner.unsprung_mass,
        corner.load / corner.tyre_rate)
