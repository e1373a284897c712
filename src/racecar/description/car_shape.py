# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""How a generated car looks: its body as shapes in the frame of the chassis.

That frame is in the middle of the rear axle; x forward, y left, z up [m]. A body is a lower half
with arches about the wheels, a cabin of glass with pillars and roof, and small parts; of the shape
`axles` only a frame and the axles are there.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from racecar.base.poses import NO_POSE, pose_of_angles
from racecar.base.shapes import Box, Cylinder, Geometry, Mesh, Shape
from racecar.description.car_surfaces import (
    Cabin,
    cabin,
    half_width,
    lower_body,
    LowerBody,
    pillar,
    upper_edge,
)
from racecar.description.lights import LampPlace
from racecar.description.mesh_store import stored_mesh
from racecar.description.triangles import Triangles
from racecar.dynamics.vehicles.body_dimensions import body_dimensions, BodyDimensions
from racecar.dynamics.vehicles.body_parameters import HATCHBACK, SALOON, SUV
from racecar.dynamics.vehicles.parameters import VehicleParameters

Colour = tuple[float, float, float, float]

BLACK: Colour = (0.06, 0.06, 0.065, 1.0)
GREY: Colour = (0.42, 0.43, 0.45, 1.0)
GLASS: Colour = (0.07, 0.09, 0.12, 1.0)
WHITE: Colour = (0.9, 0.9, 0.88, 1.0)


class _Style(NamedTuple):
    """Proportions of a body: along it from the tail, 0, to the nose, 1; up from floor to roof.

    tail, nose: height of the lower half at the ends; deck: behind the cabin; belt: below it;
    bonnet: at the nose's edge. rear, front: ends of the cabin at its foot; roof_rear, roof_front:
    those of the roof.
    """

    tail: float
    deck: float
    belt: float
    bonnet: float
    rear: float
    roof_rear: float
    roof_front: float
    front: float


_STYLES = {
    SALOON: _Style(0.54, 0.64, 0.62, 0.47, 0.10, 0.27, 0.53, 0.72),
    HATCHBACK: _Style(0.50, 0.60, 0.58, 0.42, 0.025, 0.13, 0.58, 0.82),
    SUV: _Style(0.48, 0.58, 0.58, 0.48, 0.02, 0.08, 0.55, 0.71),
}


def _style(vehicle: VehicleParameters, size: BodyDimensions) -> _Style | None:
    """Proportions of a body by its shape and file; None of one without body."""
    style = _STYLES.get(vehicle.body.shape)
    if style is None:
        return None
    if vehicle.body.cabin:
        rear, roof_rear, roof_front, front = (
            (x - size.rear) / size.length for x in vehicle.body.cabin)
        style = style._replace(
            rear=rear, roof_rear=roof_rear, roof_front=roof_front, front=front)
    if vehicle.body.heights:
        deck, belt, bonnet = (
            (z - size.floor) / (size.top - size.floor) for z in vehicle.body.heights)
        style = style._replace(tail=deck - 0.1, deck=deck, belt=belt, bonnet=bonnet)
    return style


def body_shapes(vehicle: VehicleParameters) -> tuple[Shape, ...]:
    """Visual shapes of a generated car without its wheels.

    Raises ConfigurationError if its meshes cannot be stored.
    """
    size = body_dimensions(vehicle)
    style = _style(vehicle, size)
    if style is None:
        return _frame(vehicle, size)
    return (*_painted(vehicle, size, style), *_trim(vehicle, size, style))


def collision_shapes(vehicle: VehicleParameters) -> tuple[Shape, ...]:
    """Collision shapes of a generated car: a box around the lower half, one around the cabin."""
    size = body_dimensions(vehicle)
    radius = vehicle.wheel_radii[1]
    style = _style(vehicle, size)
    if style is None:
        return (_box('', None, (size.rear, size.front), size.width, (size.floor - radius,
                     size.floor - radius + 0.5 * (size.top - size.floor))),)
    belt = _height(size, style.belt) - radius
    return (
        _box('', None, (size.rear, size.front), size.width, (size.floor - radius, belt)),
        _box('', None, (_along(size, style.rear), _along(size, style.roof_front)),
             0.85 * size.width, (belt, size.top - radius)))


class _LampRow(NamedTuple):
    """Where lamps stand side by side: x, z of their middle; half width of what is behind them.

    height: of the lamps; all [m], in the chassis.
    """

    x: float
    z: float
    half_width: float
    height: float

    def place(self, y: float, width: float) -> LampPlace:
        """Place at a share of the half width that is such a share of it wide."""
        yaw = 0.0 if self.x > 0.0 else math.pi
        return LampPlace(
            pose_of_angles(self.x, y * self.half_width, self.z, 0.0, 0.0, yaw),
            width * self.half_width, self.height)


def lamp_places(vehicle: VehicleParameters) -> dict[str, list[LampPlace]]:
    """Where the left half of a body has room for the lamps of each group, in the chassis.

    They are on nose and tail, of a car without body on the beams at its ends.
    """
    size = body_dimensions(vehicle)
    style = _style(vehicle, size)
    if style is None:
        front, rear = _beam_rows(vehicle, size)
        antifog = front.place(0.60, 0.10)
    else:
        body = _lower_half(vehicle, size, style)
        front, rear = (_upper_row(body, size, x) for x in (body.front, body.rear))
        antifog = _row(body, body.front, _height(size, 0.16) - vehicle.wheel_radii[1],
                       0.6 * front.height).place(0.76, 0.18)
    return {
        'front': [front.place(0.75, 0.20)],
        'indicator': [front.place(0.93, 0.11), rear.place(0.935, 0.10)],
        'antifog': [antifog],
        'rear': [rear.place(0.805, 0.145)],
        'braking': [rear.place(0.65, 0.145)],
        'backwards': [rear.place(0.51, 0.115)],
    }


def _upper_row(body: LowerBody, size: BodyDimensions, x: float) -> _LampRow:
    """Row below the upper edge of an end of a body."""
    high = size.top - size.floor
    height = min(0.09 * high, 0.2 * body.half_width)
    return _row(body, x, upper_edge(body, x) - 0.5 * height - 0.02 * high, height)


def _row(body: LowerBody, x: float, z: float, height: float) -> _LampRow:
    # At its narrowest.
    half = min(half_width(body, x, z + side * height) for side in (0.5, -0.5))
    return _LampRow(x, z, half, height)


def _beam_rows(vehicle: VehicleParameters, size: BodyDimensions) -> tuple[_LampRow, _LampRow]:
    half = 0.5 * size.width
    height = min(0.7 * _beam_thickness(vehicle), 0.13 * half)
    return _LampRow(size.front, 0.0, half, height), _LampRow(size.rear, 0.0, half, height)


END_SHARE = 0.86
"""Width of the flat nose and tail over that of the body [-]."""


def _along(size: BodyDimensions, share: float) -> float:
    return size.rear + share * size.length


def _height(size: BodyDimensions, share: float) -> float:
    return size.floor + share * (size.top - size.floor)


def _lower_half(
    vehicle: VehicleParameters, size: BodyDimensions, style: _Style,
) -> LowerBody:
    radius = vehicle.wheel_radii[1]
    # Of the upper edge of the lower half, from tail to nose.
    edge = sorted(((0.0, style.tail), (0.02, style.deck - 0.015), (0.06, style.deck),
            (style.rear + 0.08, style.deck), (0.5, style.belt), (style.front, style.belt - 0.015),
            (0.5 * (style.front + 0.94), 0.5 * (style.belt + style.bonnet) + 0.02),
            (0.94, style.bonnet + 0.012), (0.985, style.bonnet - 0.03),
            (1.0, style.bonnet - 0.08)))
    front_radius, rear_radius = vehicle.wheel_radii
    return LowerBody(
        size.rear, size.front, 0.5 * size.width, size.floor - radius,
        tuple((_along(size, x), _height(size, z) - radius) for x, z in edge), END_SHARE,
        ((0.0, 0.0, _arch(rear_radius)),
         (vehicle.wheelbase, front_radius - rear_radius, _arch(front_radius))))


def _painted(
    vehicle: VehicleParameters, size: BodyDimensions, style: _Style,
) -> tuple[Shape, ...]:
    radius = vehicle.wheel_radii[1]
    red, green, blue = vehicle.body.colour
    paint = red, green, blue, 1.0

    def up(share: float) -> float:
        return _height(size, share) - radius

    house = Cabin(
        (_along(size, style.rear), _along(size, style.roof_rear)),
        (_along(size, style.front), _along(size, style.roof_front)),
        (0.475 * size.width, 0.375 * size.width), up(style.belt - 0.03), size.top - radius)
    name = vehicle.name
    pillars = np.concatenate([
        pillar(house, first, last, side) for first, last in ((0.80, 0.95), (-0.04, 0.01),
                                                             (-0.95, -0.72))
        for side in (1.0, -1.0)])
    return (
        _mesh('body', f'{name}_body', lower_body(_lower_half(vehicle, size, style)), paint),
        _mesh('cabin', f'{name}_cabin', cabin(house, roof=False), GLASS),
        _mesh('roof', f'{name}_roof', cabin(house, roof=True), paint),
        _mesh('pillars', f'{name}_pillars', pillars, paint))


def _arch(radius: float) -> float:
    return 1.13 * radius


def _trim(vehicle: VehicleParameters, size: BodyDimensions, style: _Style) -> tuple[Shape, ...]:
    radius = vehicle.wheel_radii[1]
    high = size.top - size.floor
    floor = size.floor - radius

    def up(share: float) -> float:
        return floor + share * high

    inside = _between_wheels(vehicle) - 0.06 * size.width
    half = 0.5 * size.width
    nose, tail = END_SHARE * half, END_SHARE * half
    shapes = [
        # What is dark behind the wheels.
        _box('floor', BLACK, (size.rear + 0.05 * size.length, size.front - 0.05 * size.length),
             inside, (floor + 0.02 * high, up(style.bonnet - 0.10))),
        _box('grille', BLACK, (size.front - 0.05, size.front + 0.004), 0.86 * nose,
             (up(style.bonnet - 0.27), up(style.bonnet - 0.15))),
        _box('front_bumper', BLACK, (size.front - 0.05, size.front + 0.006), 1.86 * nose,
             (up(0.02), up(0.075))),
        _box('rear_bumper', BLACK, (size.rear - 0.006, size.rear + 0.05), 1.86 * tail,
             (up(0.02), up(0.10))),
        _box('front_plate', WHITE, (size.front - 0.02, size.front + 0.010), 0.52, (up(0.125),
             up(0.125) + 0.11)),
        _box('rear_plate', WHITE, (size.rear - 0.010, size.rear + 0.02), 0.52, (up(0.24),
             up(0.24) + 0.11)),
    ]
    mirror_x = _along(size, style.front) - 0.13 * size.length
    belt = up(style.belt)
    for side in (1.0, -1.0):
        name = 'left' if side > 0.0 else 'right'
        shapes.append(Shape(
            pose_of_angles(mirror_x, side * (half - 0.01), belt + 0.035 * high, 0.0, 0.0,
                           side * 0.2),
            Box((0.07 * high, 0.24, 0.085 * high)), BLACK, f'{name}_mirror'))
        for part, x in (('front', mirror_x), ('middle', _along(size, style.rear) + 0.58 * (
                mirror_x - _along(size, style.rear))), ('rear', _along(size, style.rear)
                                                        + 0.26 * (mirror_x - _along(
                                                            size, style.rear)))):
            if not _beside_arch(vehicle, x):
                continue
            shapes.append(_box(
                f'{name}_{part}_seam', BLACK, (x - 0.004, x + 0.004), 0.01, (up(0.10),
                belt - 0.06 * high), side * (half - 0.003)))
            shapes.append(_box(
                f'{name}_{part}_handle', BLACK, (x - 0.20, x - 0.05), 0.02, (belt - 0.15 * high,
                belt - 0.125 * high), side * half))
        shapes.append(_box(
            f'{name}_sill', BLACK, (1.2 * vehicle.wheel_radii[1],
            vehicle.wheelbase - 1.2 * vehicle.wheel_radii[0]), 0.02, (floor, up(0.05)),
            side * (0.965 * half)))
    return tuple(shapes)


def _beside_arch(vehicle: VehicleParameters, x: float) -> bool:
    """Whether there is a door between the arches at x."""
    front, rear = vehicle.wheel_radii
    return _arch(rear) + 0.02 < x < vehicle.wheelbase - _arch(front) - 0.02


def _between_wheels(vehicle: VehicleParameters) -> float:
    return min(track - width for track, width in zip(
        vehicle.track_widths, vehicle.wheel_widths, strict=True))


def _beam_thickness(vehicle: VehicleParameters) -> float:
    return 0.25 * vehicle.wheel_radii[1]


def _frame(vehicle: VehicleParameters, size: BodyDimensions) -> tuple[Shape, ...]:
    """Ladder frame and both axles, all of whose lengths follow from the vehicle's."""
    front_radius, rear_radius = vehicle.wheel_radii
    thickness = _beam_thickness(vehicle)
    rail = 0.5 * _between_wheels(vehicle) - 2.0 * thickness
    shapes = [
        _box(f'{name}_rail', GREY, (size.rear, size.front), thickness, (-0.5 * thickness,
             0.5 * thickness), side * 0.5 * rail)
        for name, side in (('left', 1.0), ('right', -1.0))]
    for name, x, z, track, width in (
            ('rear', 0.0, 0.0, vehicle.track_widths[1], vehicle.wheel_widths[1]),
            ('front', vehicle.wheelbase, front_radius - rear_radius, vehicle.track_widths[0],
             vehicle.wheel_widths[0])):
        shapes.append(Shape(
            pose_of_angles(x, 0.0, z, 0.5 * math.pi, 0.0, 0.0),
            Cylinder(0.4 * thickness, track - width), BLACK, f'{name}_axle'))
    red, green, blue = vehicle.body.colour
    for name, x in (('rear', size.rear), ('front', size.front - thickness)):
        shapes.append(_box(
            f'{name}_beam', (red, green, blue, 1.0), (x, x + thickness), size.width,
            (-0.5 * thickness, 0.5 * thickness)))
    return tuple(shapes)


def _mesh(name: str, file: str, triangles: Triangles, colour: Colour) -> Shape:
    return Shape(NO_POSE, Mesh(stored_mesh(file, triangles)), colour, name)


def _box(
    name: str, colour: Colour | None, along: tuple[float, float], width: float,
    upright: tuple[float, float], y: float = 0.0,
) -> Shape:
    """Box between two x and two z, about y [m]."""
    (rear, front), (low, high) = along, upright
    geometry: Geometry = Box((front - rear, width, high - low))
    return Shape(
        pose_of_angles(0.5 * (front + rear), y, 0.5 * (low + high), 0.0, 0.0, 0.0), geometry,
        colour, name)
