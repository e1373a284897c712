# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""Outline and mass of a car, by which it meets others, and where it is.

A car is the body that its model has. Of a model without slip that is one which can only move along
its path; of the report's single track one that does not move sideways.
"""

from __future__ import annotations

from typing import NamedTuple

from racecar.base.compiled import pure
from racecar.dynamics.impulse import Body
from racecar.dynamics.vehicles.parameters import VehicleParameters
from racecar.scene.overlaps import Rectangle

# Below this the way of a car without slip is asked for at this speed [m/s].
_CREEP = 1e-3


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


class Seen(NamedTuple):
    """Pose and twist of base_link as observe() gives them."""

    x: float
    y: float
    qz: float
    qw: float
    vx: float
    vy: float
    yaw_rate: float


@pure
def outline_of(seen: Seen, body: CarBody) -> Rectangle:
    """Rectangle that a car covers."""
    qz, qw = seen.qz, seen.qw
    cosine, sine = qw * qw - qz * qz, 2.0 * qz * qw
    return Rectangle(
        seen.x + body.ahead * cosine, seen.y + body.ahead * sine, cosine, sine, body.length,
        body.width)


@pure
def body_with_slip(seen: Seen, car: CarBody, slides: float, free: float) -> Body:
    """Body of a car whose model has a yaw rate.

    slides: 1 if it has a lateral velocity, else 0; free: 0 of a car that stands for good, else 1.
    """
    qz, qw = seen.qz, seen.qw
    cosine, sine = qw * qw - qz * qz, 2.0 * qz * qw
    return Body(
        seen.x + car.centre * cosine, seen.y + car.centre * sine, cosine, sine,
        free * seen.vx, free * (seen.vy + car.centre * seen.yaw_rate), free * seen.yaw_rate,
        free / car.mass, slides * free / car.mass, free / car.yaw_inertia, 0.0, 0.0, 0.0, 0.0)


@pure
def asked_speed(speed: float) -> float:
    """Speed at which the way of a car without slip is asked for: at rest, how it would begin."""
    return _CREEP if abs(speed) < _CREEP else speed


@pure
def body_without_slip(seen: Seen, car: CarBody, speed: float, free: float) -> Body:
    """Body of a car that can only move along its path.

    seen: at asked_speed(); speed: in force [m/s]; free: as for body_with_slip().
    """
    qz, qw, vx = seen.qz, seen.qw, seen.vx
    cosine, sine = qw * qw - qz * qz, 2.0 * qz * qw
    across, turn = (seen.vy + car.centre * seen.yaw_rate) / vx, seen.yaw_rate / vx
    share = speed / asked_speed(speed)
    effort = car.mass * (1.0 + across * across) + car.yaw_inertia * turn * turn
    return Body(
        seen.x + car.centre * cosine, seen.y + car.centre * sine, cosine, sine, free * share * vx,
        free * share * vx * across, free * share * vx * turn, 0.0, 0.0, 0.0, 1.0, across, turn,
        free / effort)
