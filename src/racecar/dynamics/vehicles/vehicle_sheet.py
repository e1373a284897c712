# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""The figures of a vehicle and what follows from them, as rows of text."""

from __future__ import annotations

import math
from typing import NamedTuple

from racecar.dynamics.vehicles.ackermann import inner_angle
from racecar.dynamics.vehicles.body_dimensions import body_dimensions
from racecar.dynamics.vehicles.hinge_stops import hinge_stop, reachable_angle
from racecar.dynamics.vehicles.parameters import GRAVITY, VehicleParameters
from racecar.dynamics.vehicles.ride import moments_of_inertia, ride_of, sprung_mass
from racecar.dynamics.vehicles.suspension import axle_wheel_masses, Corner, corners


class Row(NamedTuple):
    """A figure: what it is, and its value with unit."""

    name: str
    text: str


def turning_circles(vehicle: VehicleParameters, angle: float) -> tuple[float, float]:
    """Diameters of the circle at an angle of the virtual middle wheel [m].

    angle: to either side, not 0 [rad]. Between kerbs, of the outer face of the outer front wheel;
    between walls, of the corner of the body.
    """
    radius = vehicle.wheelbase / math.tan(abs(angle))
    size = body_dimensions(vehicle)
    kerbs = math.hypot(radius + 0.5 * vehicle.track_widths[0], vehicle.wheelbase) + (
        0.5 * vehicle.wheel_width)
    walls = math.hypot(radius + 0.5 * size.width, size.front)
    return 2.0 * kerbs, 2.0 * walls


def vehicle_sheet(vehicle: VehicleParameters) -> dict[str, list[Row]]:
    """Figures of a vehicle by title."""
    sheet = {'Dimensions': _dimensions(vehicle), 'Masses and loads': _masses(vehicle),
             'Steering': _steering(vehicle)}
    if vehicle.body.is_sprung:
        sheet['Suspension'] = _suspension(vehicle)
        sheet['Body on its springs, undamped'] = _ride(vehicle)
    return sheet


def _pair(front: float, rear: float, unit: str, digits: int = 4) -> str:
    return f'{front:.{digits}g} front, {rear:.{digits}g} rear {unit}'


def _dimensions(vehicle: VehicleParameters) -> list[Row]:
    size = body_dimensions(vehicle)
    rows = [
        Row('length, width', f'{size.length:.4g}, {size.width:.4g} m'),
        Row('wheelbase', f'{vehicle.wheelbase:.4g} m'),
        Row('tracks', _pair(*vehicle.track_widths, 'm')),
        Row('wheel radii', _pair(*vehicle.wheel_radii, 'm')),
        Row('wheel widths', _pair(*vehicle.wheel_widths, 'm')),
        Row('overhangs', _pair(size.front - vehicle.wheelbase, -size.rear, 'm')),
    ]
    if vehicle.body.is_generated:
        rows[1:1] = [Row('height, clearance', f'{size.top:.4g}, {size.floor:.4g} m')]
    return rows


def _masses(vehicle: VehicleParameters) -> list[Row]:
    loads = vehicle.front_axle_load, vehicle.rear_axle_load
    rows = [
        Row('mass', f'{vehicle.mass:.5g} kg'),
        Row('centre of gravity', f'{vehicle.cog_to_rear_axle:.4g} m ahead of the rear axle,'
            f' {vehicle.cog_height:.4g} m high'),
        Row('static loads of the axles', _pair(*loads, 'N')),
        Row('share of the front axle', f'{100.0 * loads[0] / sum(loads):.1f} %'),
    ]
    if vehicle.body.is_generated:
        roll, pitch, yaw = moments_of_inertia(vehicle)
        rows += [
            Row('moments of inertia', f'{roll:.4g} roll, {pitch:.4g} pitch, {yaw:.4g} yaw'
                ' kg m^2'),
            Row('mass of a wheel', _pair(*axle_wheel_masses(vehicle), 'kg'))]
    else:
        rows.append(Row('yaw inertia', f'{vehicle.yaw_inertia:.4g} kg m^2'))
    return rows


def _steering(vehicle: VehicleParameters) -> list[Row]:
    right, left = vehicle.steering_range
    sides = [('', left)] if left == -right else [(' to the left', left), (' to the right', -right)]
    return [
        *(row for side, limit in sides for row in _steering_to(vehicle, side, limit)),
        Row('understeer gradient', f'{vehicle.understeer_gradient:.3g} rad s^2/m')]


def _steering_to(vehicle: VehicleParameters, side: str, limit: float) -> list[Row]:
    """How far the car steers to a side: with hinges that stop as far as these let it."""
    half, wheelbase = 0.5 * vehicle.track_widths[0], vehicle.wheelbase
    reached, stop = reachable_angle(vehicle, limit), hinge_stop(vehicle, limit)
    inner = min(inner_angle(reached, half, wheelbase), stop)
    outer = inner_angle(reached, -half, wheelbase)
    rows = [Row(f'steering limit{side}', f'{limit:.4g} rad ({math.degrees(limit):.1f} deg)')]
    if reached < limit:
        rows.append(Row(f'reached{side}', f'{reached:.4g} rad, where the inner hinge stops'))
    rows += [Row('inner, outer wheel there', f'{inner:.4g}, {outer:.4g} rad'),
             Row('turning circle', _circle(vehicle, reached))]
    if reached < limit:
        rows.append(Row('of the planar models', f'{_circle(vehicle, limit)}: without hinges they'
                        ' reach the limit'))
    return rows


def _circle(vehicle: VehicleParameters, angle: float) -> str:
    kerbs, walls = turning_circles(vehicle, angle)
    return f'{kerbs:.4g} m between kerbs, {walls:.4g} m between walls'


def _suspension(vehicle: VehicleParameters) -> list[Row]:
    front, rear = corners(vehicle)

    def ratio(corner: Corner) -> float:
        mass = corner.spring_force / GRAVITY
        return corner.damping_rate / (2.0 * math.sqrt(corner.spring_rate * mass))

    return [
        Row('spring rate', _pair(front.spring_rate, rear.spring_rate, 'N/m', 6)),
        Row('damping rate', _pair(front.damping_rate, rear.damping_rate, 'N s/m', 5)),
        Row('damping ratio', _pair(ratio(front), ratio(rear), '', 3).rstrip()),
        Row('force at rest', _pair(front.spring_force, rear.spring_force, 'N')),
        Row('compressed at rest by', _pair(
            1e3 * front.spring_force / front.spring_rate,
            1e3 * rear.spring_force / rear.spring_rate, 'mm', 3)),
        Row('travel up', _pair(front.bump, rear.bump, 'm', 3)),
        Row('travel down', _pair(front.rebound, rear.rebound, 'm', 3)),
        Row('tyre rate', _pair(front.tyre_rate, rear.tyre_rate, 'N/m')),
    ]


def _ride(vehicle: VehicleParameters) -> list[Row]:
    ride, body = ride_of(vehicle), sprung_mass(vehicle)
    degrees = math.degrees(GRAVITY)
    return [
        Row('sprung mass', f'{body.mass:.5g} kg, {body.height:.4g} m high'),
        Row('natural frequencies', f'{ride.heave:.2f} heave, {ride.pitch:.2f} pitch,'
            f' {ride.roll:.2f} roll Hz'),
        Row('wheel hop', _pair(ride.front_hop, ride.rear_hop, 'Hz', 3)),
        Row('roll stiffness', f'{ride.roll_stiffness:.4g} N m/rad'),
        Row('roll gradient', f'{degrees * ride.roll_gradient:.2f} deg/g outwards in a turn'),
        Row('pitch gradient', f'{degrees * ride.pitch_gradient:.2f} deg/g nose down when braking'),
    ]
