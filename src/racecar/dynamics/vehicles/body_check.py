# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""What no vehicle can be, although each number alone is one that can."""

from __future__ import annotations

from collections.abc import Iterator
import itertools

from racecar.base.errors import ParameterError
from racecar.dynamics.vehicles.body_dimensions import body_dimensions
from racecar.dynamics.vehicles.body_parameters import AXLES
from racecar.dynamics.vehicles.design import GRAVITY, VehicleDesign
from racecar.dynamics.vehicles.ride import body_load, roll_stiffness
from racecar.dynamics.vehicles.suspension import axle_wheel_masses, corners

BUMP_RESERVE = 0.5
"""Of the load of a wheel, how much more its spring holds at least before the bump stop [-]."""

WHEELS_SHARE = 0.5
"""Of the mass of a vehicle, what the four wheels have at most [-]."""

_AXLE_NAMES = ('front', 'rear')
_CABIN = ('foot of the rear window', 'rear end of the roof', 'front end of the roof',
          'foot of the windscreen')
_HEIGHTS = 'boot lid', 'belt line', 'bonnet'

# Of the length of a body, how far the ends of cabin and roof are apart at least [-].
_STEP = 0.01


def check_vehicle(vehicle: VehicleDesign) -> None:
    """Raise ParameterError for the first thing that no vehicle can be.

    It names field and value, and what was expected.
    """
    for name, value, unit, expected in _faults(vehicle):
        raise ParameterError(
            f"parameter 'vehicle.{name}' is {value:.4g} {unit}, expected {expected}")


def _faults(vehicle: VehicleDesign) -> Iterator[tuple[str, float, str, str]]:
    """Yield field, value, unit and what was expected of what is wrong."""
    yield from _wheel_faults(vehicle)
    if not vehicle.body.is_generated:
        # Masses and moments of inertia of the parts follow from those of the whole.
        return
    yield from _wheel_mass_faults(vehicle)
    yield from _body_faults(vehicle)
    yield from _inertia_faults(vehicle)
    yield from _suspension_faults(vehicle)


def _wheel_faults(vehicle: VehicleDesign) -> Iterator[tuple[str, float, str, str]]:
    reach = sum(vehicle.wheel_radii)
    if vehicle.wheelbase <= reach:
        yield ('cog_to_front_axle', vehicle.cog_to_front_axle, 'm',
               f'more than {reach - vehicle.cog_to_rear_axle:.4g} m: front and rear wheels, of'
               f' {vehicle.wheel_radii[0]:.4g} and {vehicle.wheel_radii[1]:.4g} m radius, overlap'
               f' at a wheelbase of {vehicle.wheelbase:.4g} m')
    tracks = vehicle.track_widths
    for name, track, width in zip(('track_width', 'rear.track_width'), tracks,
                                  vehicle.wheel_widths, strict=True):
        if track <= width:
            yield (name, track, 'm',
                   f'more than the width of the wheels, {width:.4g} m: left and'
                   ' right overlap')


def _wheel_mass_faults(vehicle: VehicleDesign) -> Iterator[tuple[str, float, str, str]]:
    masses = 2.0 * sum(axle_wheel_masses(vehicle))
    if masses > WHEELS_SHARE * vehicle.mass:
        yield ('mass', vehicle.mass, 'kg',
               f'at least {masses / WHEELS_SHARE:.4g} kg: the wheels alone have {masses:.4g} kg')


def _body_faults(vehicle: VehicleDesign) -> Iterator[tuple[str, float, str, str]]:
    body, size = vehicle.body, body_dimensions(vehicle)
    over_wheels = vehicle.width_over_wheels
    if body.shape != AXLES and vehicle.width and vehicle.width < over_wheels:
        yield ('width', vehicle.width, 'm',
               f'at least {over_wheels:.4g} m, that over the wheels, for a body of the shape'
               f' {body.shape}')
    if size.floor >= size.top:
        yield ('body.clearance', size.floor, 'm',
               f'less than the height of the body, {size.top:.4g} m')
    if body.height and body.height <= 2.0 * max(vehicle.wheel_radii) and body.shape != AXLES:
        yield ('body.height', body.height, 'm',
               f'more than the height of the wheels, {2.0 * max(vehicle.wheel_radii):.4g} m, for a'
               f' body of the shape {body.shape}')
    cabin, heights = body.cabin, body.heights
    for (before, after), (what, other) in zip(
            itertools.pairwise((size.rear, *cabin, size.front) if cabin else ()),
            itertools.pairwise(('tail', *_CABIN, 'nose')), strict=False):
        if after - before < _STEP * size.length:
            yield ('body.cabin', after, 'm',
                   f'at least {before + _STEP * size.length:.4g} m for the {other}, which is ahead'
                   f' of the {what} at {before:.4g} m')
    for what, height in zip(_HEIGHTS, heights, strict=False):
        low, high = (size.floor + share * (size.top - size.floor) for share in (0.3, 0.8))
        if not low <= height <= high:
            yield ('body.heights', height, 'm',
                   f'{low:.4g} to {high:.4g} m for the {what}, well between floor and roof')
    if body.height and body.height <= vehicle.cog_height:
        yield ('cog_height', vehicle.cog_height, 'm',
               f'less than the height of the body, {body.height:.4g} m')


def _inertia_faults(vehicle: VehicleDesign) -> Iterator[tuple[str, float, str, str]]:
    """Take the wheels for points; car_description has the rest."""
    roll = pitch = yaw = 0.0
    for mass, x, track, radius in zip(
            axle_wheel_masses(vehicle), (vehicle.cog_to_front_axle, -vehicle.cog_to_rear_axle),
            vehicle.track_widths, vehicle.wheel_radii, strict=True):
        y, z = 0.5 * track, radius - vehicle.cog_height
        roll += 2.0 * mass * (y * y + z * z)
        pitch += 2.0 * mass * (x * x + z * z)
        yaw += 2.0 * mass * (x * x + y * y)
    if vehicle.yaw_inertia <= yaw:
        yield ('yaw_inertia', vehicle.yaw_inertia, 'kg m^2',
               f'more than {yaw:.4g} kg m^2, which the wheels alone have')
        return
    body = vehicle.body
    for name, given, wheels in (('roll', body.roll_inertia, roll),
                                ('pitch', body.pitch_inertia, pitch)):
        if given and given <= wheels:
            yield (f'body.{name}_inertia', given, 'kg m^2',
                   f'more than {wheels:.4g} kg m^2, which the wheels alone have')
    short = (vehicle.yaw_inertia - yaw) - (body.roll_inertia - roll) - (
        body.pitch_inertia - pitch)
    if body.roll_inertia and body.pitch_inertia and short > 0.0:
        yield ('body.pitch_inertia', body.pitch_inertia, 'kg m^2',
               f'at least {body.pitch_inertia + short:.4g} kg m^2: no moment of inertia of a body,'
               ' here yaw, is more than the sum of the two others')


def _suspension_faults(vehicle: VehicleDesign) -> Iterator[tuple[str, float, str, str]]:
    axles = vehicle.body.front, vehicle.body.rear
    loads = vehicle.front_axle_load, vehicle.rear_axle_load
    if all(axle.spring_rate <= 0.0 for axle in axles):
        return
    for name, axle, load in zip(_AXLE_NAMES, axles, loads, strict=True):
        rate = BUMP_RESERVE * 0.5 * load / axle.bump_travel
        if axle.spring_rate < rate:
            yield (f'body.{name}.spring_rate', axle.spring_rate, 'N/m',
                   f'at least {rate:.4g} N/m: the springs are too soft for the mass; within the'
                   f' bump_travel of {axle.bump_travel:.4g} m one has to hold half its load of'
                   f' {0.5 * load:.4g} N more, and both axles have springs or none')
        if axle.damping_rate <= 0.0:
            yield (f'body.{name}.damping_rate', axle.damping_rate, 'N s/m',
                   'more than 0: a sprung car without damping never comes to rest')
    for name, corner in zip(_AXLE_NAMES, corners(vehicle), strict=True):
        if corner.spring_force <= 0.0:
            most = corner.wheel_mass * corner.load / (corner.unsprung_mass * GRAVITY)
            yield (f'body.{name}.wheel_mass', corner.wheel_mass, 'kg',
                   f'less than {most:.4g} kg: with what carries it the wheel is heavier than the'
                   f' load that it bears, {corner.load:.4g} N, which leaves nothing for a spring')
            return
    stiffness, load = roll_stiffness(vehicle), body_load(vehicle)
    if stiffness <= load:
        front = axles[0].spring_rate
        yield ('body.front.spring_rate', front, 'N/m',
               f'stiffer springs and tyres on both axles, or a lower cog_height: in roll they have'
               f' {stiffness:.4g} N m/rad, and the weight of the body topples it with'
               f' {load:.4g} N m/rad')
