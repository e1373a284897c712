# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""How the body of a sprung vehicle moves on its wheels: natural modes, and lean in a turn.

Each wheel moves along the vertical of the body, so that a lateral force reaches the body at the
ground: its roll centre is there, and nothing holds back pitch when it brakes. With ride rate K of
a spring and its tyre one after the other:

    heave, pitch   modes of sprung mass and pitch inertia on 2 K of each axle, at its distance
                   from the sprung centre of gravity
    roll           (sum of K t^2/2 - m_s g h_s) over the roll inertia about the ground
    lean           m a h/(sum of K t^2/2 - m_s g h_s) at a lateral acceleration a
    pitch          m a h/L^2 (1/(2 Kf) + 1/(2 Kr)) at a longitudinal one

with m, h of the whole and m_s, h_s of the sprung mass. Source: Gillespie, Fundamentals of Vehicle
Dynamics, chapters 5 and 6, for a roll axis on the ground.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from racecar.dynamics.vehicles.body_dimensions import body_dimensions
from racecar.dynamics.vehicles.design import GRAVITY, VehicleDesign
from racecar.dynamics.vehicles.suspension import Corner, corners


class SprungMass(NamedTuple):
    """What rests on the springs.

    mass [kg]; ahead: its centre of gravity from the rear axle, height above the ground [m].
    """

    mass: float
    ahead: float
    height: float


class Ride(NamedTuple):
    """Natural frequencies [Hz] and what the body leans by, for 1 m/s^2 [rad s^2/m].

    roll_stiffness: of both axles together [N m/rad].
    """

    heave: float
    pitch: float
    roll: float
    front_hop: float
    rear_hop: float
    roll_stiffness: float
    roll_gradient: float
    pitch_gradient: float


def moments_of_inertia(vehicle: VehicleDesign) -> tuple[float, float, float]:
    """Moments of inertia about x, y, z through the centre of gravity [kg m^2].

    Roll and pitch, if the file does not state them, are those of a box of the size of the body.
    """
    size, body = body_dimensions(vehicle), vehicle.body
    high = size.top - size.floor
    return (
        body.roll_inertia or vehicle.mass * (size.width**2 + high**2) / 12.0,
        body.pitch_inertia or vehicle.mass * (size.length**2 + high**2) / 12.0,
        vehicle.yaw_inertia)


def sprung_mass(vehicle: VehicleDesign) -> SprungMass:
    """Sprung mass of a vehicle with its suspension."""
    axles = corners(vehicle)
    masses = [2.0 * corner.unsprung_mass for corner in axles]
    mass = vehicle.mass - sum(masses)
    ahead = vehicle.mass * vehicle.cog_to_rear_axle - masses[0] * vehicle.wheelbase
    height = vehicle.mass * vehicle.cog_height - sum(
        unsprung * radius for unsprung, radius in zip(masses, vehicle.wheel_radii, strict=True))
    return SprungMass(mass, ahead / mass, height / mass)


def roll_stiffness(vehicle: VehicleDesign) -> float:
    """Roll stiffness of springs and tyres of both axles [N m/rad]."""
    return sum(
        0.5 * corner.ride_rate * track**2
        for corner, track in zip(corners(vehicle), vehicle.track_widths, strict=True))


def body_load(vehicle: VehicleDesign) -> float:
    """Roll stiffness that the weight of a leaning body takes away, m_s g h_s [N m/rad]."""
    body = sprung_mass(vehicle)
    return body.mass * GRAVITY * body.height


def ride_of(vehicle: VehicleDesign) -> Ride:
    """How the body of a sprung vehicle moves; damping is left out."""
    front, rear = corners(vehicle)
    body = sprung_mass(vehicle)
    roll_inertia, pitch_inertia, _ = moments_of_inertia(vehicle)
    rates = 2.0 * front.ride_rate, 2.0 * rear.ride_rate
    stiffness = roll_stiffness(vehicle)
    upright = stiffness - body_load(vehicle)
    # Heave first: it has more of the lift, pitch of the turning.
    heave, pitch = _heave_and_pitch(vehicle, body, pitch_inertia, rates)
    return Ride(
        heave, pitch,
        _frequency(upright, roll_inertia + body.mass * body.height**2),
        _hop(front), _hop(rear), stiffness, vehicle.mass * vehicle.cog_height / upright,
        vehicle.mass * vehicle.cog_height / vehicle.wheelbase**2 * sum(
            1.0 / rate for rate in rates))


def _heave_and_pitch(
    vehicle: VehicleDesign, body: SprungMass, inertia: float, rates: tuple[float, float],
) -> tuple[float, float]:
    places = np.array([vehicle.wheelbase - body.ahead, -body.ahead])
    turning = float(np.dot(rates, places))
    stiffness = np.array([[sum(rates), turning], [turning, float(np.dot(rates, places**2))]])
    # In units in which both masses are 1.
    size = np.sqrt([body.mass, inertia])
    squares, modes = np.linalg.eigh(stiffness / np.outer(size, size))
    first = int(abs(modes[0, 1]) > abs(modes[0, 0]))
    heave, pitch = (math.sqrt(float(squares[index])) / (2.0 * math.pi)
                    for index in (first, 1 - first))
    return heave, pitch


def _hop(corner: Corner) -> float:
    """Frequency of a wheel between its spring and its tyre [Hz]."""
    return _frequency(corner.spring_rate + corner.tyre_rate, corner.unsprung_mass)


def _frequency(stiffness: float, inertia: float) -> float:
    """Natural frequency [Hz]; NaN of what is not stable."""
    return (math.sqrt(stiffness / inertia) / (2.0 * math.pi) if stiffness > 0.0 else math.nan)
