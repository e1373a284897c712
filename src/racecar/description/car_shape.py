# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""How a generated car looks: its body as shapes in the frame of the chassis.

That frame is in the middle of the rear axle; x forward, y left, z up [m]. A body is one painted
skin with arches about the wheels, windows of glass that lie on it, and small parts; of the shape
`axles` only a frame and the axles are there.
"""

from __future__ import annotations

from collections.abc import Sequence
import math
from typing import NamedTuple

import numpy as np

from racecar.base.columns import Array
from racecar.base.poses import NO_POSE, pose_of_angles
from racecar.base.shapes import Box, Cylinder, Geometry, Mesh, Shape
from racecar.description.car_surfaces import (
    Arch,
    body,
    pane_patch,
    sections,
    shell,
    SHOULDER,
    side_patch,
    Skin,
    WINDOW_ROWS,
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


# Width and height of a number plate [m].
_PLATE = 0.52, 0.11


class _Style(NamedTuple):
    """Proportions of a body: along it from the tail, 0, to the nose, 1; up from floor to roof.

    tail, nose: height of the lower half at the ends; deck: behind the cabin; belt: below it;
    bonnet: at the nose's edge. rear, front: ends of the cabin at its foot; roof_rear, roof_front:
    those of the roof. arch: how far the roof falls from its middle to its two ends, over the
    cabin's height. tail_end, nose_end: length over which an end is rounded, over that of the
    body, and the share of the width that it keeps; how far its underside rises, and its top falls.
    sill: height of what is not painted between the wheels. pane: whether the roof is of glass;
    grilles: how many are between the headlamps.
    """

    tail: float
    deck: float
    belt: float
    bonnet: float
    rear: float
    roof_rear: float
    roof_front: float
    front: float
    arch: tuple[float, float]
    tail_end: tuple[float, float, float, float]
    nose_end: tuple[float, float, float, float]
    sill: float
    pane: bool = False
    grilles: int = 0


_STYLES = {
    SALOON: _Style(0.54, 0.64, 0.62, 0.47, 0.10, 0.27, 0.53, 0.72, (0.11, 0.07),
                   (0.11, 0.78, 0.10, 0.03), (0.18, 0.62, 0.06, 0.07), 0.05, pane=True),
    HATCHBACK: _Style(0.50, 0.60, 0.58, 0.42, 0.025, 0.13, 0.58, 0.82, (0.08, 0.07),
                      (0.08, 0.82, 0.08, 0.02), (0.18, 0.60, 0.05, 0.06), 0.06),
    SUV: _Style(0.48, 0.58, 0.58, 0.48, 0.02, 0.08, 0.55, 0.71, (0.05, 0.06),
                (0.06, 0.87, 0.08, 0.02), (0.14, 0.68, 0.05, 0.06), 0.11, grilles=2),
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
        skin = _skin(vehicle, size, style)
        front, rear = (_upper_row(skin, size, x) for x in (skin.front, skin.rear))
        fog = _row(skin, skin.front, _height(size, 0.14) - vehicle.wheel_radii[1],
                   0.6 * front.height)
        antifog = fog.place(0.76, 0.18)
    return {
        'front': [front.place(0.75, 0.20)],
        'indicator': [front.place(0.93, 0.11), rear.place(0.935, 0.10)],
        'antifog': [antifog],
        'rear': [rear.place(0.805, 0.145)],
        'braking': [rear.place(0.65, 0.145)],
        'backwards': [rear.place(0.51, 0.115)],
    }


def _upper_row(skin: Skin, size: BodyDimensions, x: float) -> _LampRow:
    """Row below the shoulder of an end of a body."""
    high = size.top - size.floor
    height = min(0.07 * high, 0.2 * skin.half_width)
    return _row(skin, x, float(_half(skin, x)[SHOULDER, 2]) - 0.5 * height - 0.03 * high, height)


def _half(skin: Skin, x: float) -> Array:
    half: Array = sections(skin, np.array([x]))[0]
    return half


def _row(skin: Skin, x: float, z: float, height: float) -> _LampRow:
    half = _half(skin, x)[:SHOULDER + 1]
    # At its narrowest.
    narrow = min(float(np.interp(z + side * height, half[:, 2], half[:, 1]))
                 for side in (0.5, -0.5))
    return _LampRow(x, z, narrow, height)


def _about(lamps: _LampRow) -> tuple[float, float]:
    """Heights of lower and upper edge of what a row of lamps is set into."""
    return lamps.z - 0.75 * lamps.height, lamps.z + 0.75 * lamps.height


def _beam_rows(vehicle: VehicleParameters, size: BodyDimensions) -> tuple[_LampRow, _LampRow]:
    half = 0.5 * size.width
    height = min(0.7 * _beam_thickness(vehicle), 0.13 * half)
    return _LampRow(size.front, 0.0, half, height), _LampRow(size.rear, 0.0, half, height)


def _along(size: BodyDimensions, share: float) -> float:
    return size.rear + share * size.length


def _height(size: BodyDimensions, share: float) -> float:
    return size.floor + share * (size.top - size.floor)


def _skin(vehicle: VehicleParameters, size: BodyDimensions, style: _Style) -> Skin:
    front_radius, rear_radius = vehicle.wheel_radii
    cabin = 1.0 - style.belt
    # Points by name, as shares of length and height.
    top = (
        ('tail', 0.0, style.deck - 0.02),
        ('deck', 0.45 * style.rear, style.deck),
        ('rear window', style.rear, style.deck + 0.012),
        ('roof, rear', style.roof_rear, 1.0 - style.arch[0] * cabin),
        ('roof', 0.42 * style.roof_rear + 0.58 * style.roof_front, 1.0),
        ('roof, front', style.roof_front, 1.0 - style.arch[1] * cabin),
        ('windscreen', style.front, style.belt + 0.015),
        ('bonnet', 0.45 * style.front + 0.55, 0.42 * style.belt + 0.58 * style.bonnet + 0.02),
        ('bonnet, front', 0.965, style.bonnet),
        ('nose', 1.0, style.bonnet - 0.02),
    )
    shoulder = (
        ('tail', 0.0, style.deck - 0.06),
        ('rear window', style.rear, style.deck - 0.03),
        ('doors', 0.5 * (style.roof_rear + style.roof_front), style.belt - 0.01),
        ('windscreen', style.front, style.belt - 0.035),
        ('nose', 1.0, style.bonnet - 0.07),
    )

    def line(points: tuple[tuple[str, float, float], ...]) -> tuple[tuple[float, float], ...]:
        return tuple((_along(size, x), _height(size, z) - rear_radius) for _, x, z in points)

    def end(share: tuple[float, float, float, float]) -> tuple[float, float, float, float]:
        length, width, rise, fall = share
        high = size.top - size.floor
        return length * size.length, width, rise * high, fall * high

    return Skin(
        size.rear, size.front, 0.5 * size.width, size.floor - rear_radius, line(top),
        line(shoulder), end(style.tail_end), end(style.nose_end),
        (Arch(0.0, 0.0, _arch(rear_radius)),
         Arch(vehicle.wheelbase, front_radius - rear_radius, _arch(front_radius))))


def _painted(
    vehicle: VehicleParameters, size: BodyDimensions, style: _Style,
) -> tuple[Shape, ...]:
    red, green, blue = vehicle.body.colour
    skin = _skin(vehicle, size, style)
    out = 0.001 * size.length

    def along(share: float) -> float:
        return _along(size, share)

    rear = along(style.rear + 0.45 * (style.roof_rear - style.rear) + 0.015)
    front = along(style.front - 0.30 * (style.front - style.roof_front))
    glass = [
        pane_patch(skin, (along(style.front - 0.01), along(style.roof_front + 0.01))),
        pane_patch(skin, (along(style.roof_rear - 0.006), along(style.rear + 0.008))),
        *(side_patch(skin, (rear, front), WINDOW_ROWS, side) for side in (1.0, -1.0))]
    if style.pane:
        glass.append(pane_patch(
            skin, (along(style.roof_front - 0.012), along(style.roof_rear + 0.012))))
    dark = []
    for side in (1.0, -1.0):
        dark.append(_sill(vehicle, skin, style.sill * (size.top - size.floor), side))
        for x in _seams(vehicle, size, style):
            dark.append(side_patch(
                skin, (x - 0.001 * size.length, x + 0.001 * size.length), (2, SHOULDER + 1), side))
    name = vehicle.name
    return (
        _mesh('body', f'{name}_body', body(skin), (red, green, blue, 1.0)),
        _mesh('windows', f'{name}_windows', _shells(glass, out), GLASS),
        _mesh('seams', f'{name}_seams', _shells(dark, 0.6 * out), BLACK))


def _shells(patches: Sequence[Array], out: float) -> Triangles:
    return np.concatenate([shell(patch, out) for patch in patches])


def _sill(vehicle: VehicleParameters, skin: Skin, height: float, side: float) -> Array:
    """Strip of a height [m] along the underside of a flank, between the wheels."""
    front, rear = (_arch(radius) + 0.01 for radius in vehicle.wheel_radii)
    return np.array([
        [(section[0, 0], side * np.interp(z, section[:, 2], section[:, 1]), z)
         for z in section[0, 2] + height * np.linspace(0.0, 1.0, 4)]
        for section in sections(skin, np.linspace(rear, vehicle.wheelbase - front, 12))])


def _seams(vehicle: VehicleParameters, size: BodyDimensions, style: _Style) -> list[float]:
    """Where doors end [m]: behind the front wheel, between the doors, before the rear wheel."""
    front, rear = vehicle.wheel_radii
    first = min(_along(size, style.front) - 0.09 * size.length,
                vehicle.wheelbase - _arch(front) - 0.02 * size.length)
    last = max(_along(size, style.rear) + 0.19 * size.length, _arch(rear) + 0.01 * size.length)
    return [first, 0.52 * first + 0.48 * last, last]


def _arch(radius: float) -> float:
    return 1.13 * radius


def _trim(vehicle: VehicleParameters, size: BodyDimensions, style: _Style) -> tuple[Shape, ...]:
    """What is on a body, besides wheels and lamps: panels, grilles, plates, mirrors, handles."""
    high, floor = size.top - size.floor, size.floor - vehicle.wheel_radii[1]
    skin = _skin(vehicle, size, style)
    # What is dark behind the wheels.
    bottom = _box(
        'floor', BLACK, (size.rear + 0.05 * size.length, size.front - 0.08 * size.length),
        _between_wheels(vehicle) - 0.06 * size.width, (floor + 0.02 * high, floor + 0.34 * high))
    return (bottom, *_rear_trim(skin, size, style, floor), *_front_trim(skin, size, style, floor),
            *_side_trim(skin, size, style, _seams(vehicle, size, style)))


def _rear_trim(skin: Skin, size: BodyDimensions, style: _Style, floor: float) -> list[Shape]:
    """Panel that the lamps are set into, diffuser and plate."""
    high, lamps = size.top - size.floor, _upper_row(skin, size, size.rear)
    plate = floor + 0.24 * high
    return [
        _box('rear_panel', BLACK, (size.rear - 0.003, size.rear + 0.05),
             1.99 * lamps.half_width, _about(lamps)),
        _box('diffuser', BLACK, (size.rear - 0.004, size.rear + 0.05),
             0.75 * (style.tail_end[1] * size.width), (floor + 0.09 * high, floor + 0.16 * high)),
        _box('rear_plate', WHITE, (size.rear - 0.010, size.rear + 0.02), _PLATE[0],
             (plate, plate + _PLATE[1]))]


def _front_trim(skin: Skin, size: BodyDimensions, style: _Style, floor: float) -> list[Shape]:
    """Panels that the lamps are set into, grilles, intake and plate."""
    high, lamps = size.top - size.floor, _upper_row(skin, size, size.front)
    intake, plate = floor + 0.06 * high, floor + 0.08 * high
    below = lamps.z - (3.0 if style.grilles else 1.5) * lamps.height
    return [
        *(_box(f'{name}_panel', BLACK, (size.front - 0.05, size.front + 0.003),
               0.4 * lamps.half_width, _about(lamps), side * 0.79 * lamps.half_width)
          for name, side in (('left', 1.0), ('right', -1.0))),
        *(_box(f'grille_{number}', BLACK, (size.front - 0.05, size.front + 0.004),
               0.17 * size.width, (lamps.z - 2.2 * lamps.height, lamps.z + lamps.height),
               0.19 * size.width * (number - 0.5 * (style.grilles - 1)))
          for number in range(style.grilles)),
        _box('intake', BLACK, (size.front - 0.05, size.front + 0.004),
             0.6 * (style.nose_end[1] * size.width), (intake, intake + 0.8 * (below - intake))),
        _box('front_plate', WHITE, (size.front - 0.02, size.front + 0.010), _PLATE[0],
             (plate, plate + _PLATE[1]))]


def _side_trim(
    skin: Skin, size: BodyDimensions, style: _Style, seams: Sequence[float],
) -> list[Shape]:
    """Mirrors, and handles of the doors, which end at seams [m]."""
    high = size.top - size.floor
    mirror_x = _along(size, style.front) - 0.11 * size.length
    _, beside, belt = map(float, _half(skin, mirror_x)[SHOULDER])
    shapes = []
    for name, side in (('left', 1.0), ('right', -1.0)):
        shapes.append(Shape(
            pose_of_angles(mirror_x, side * (beside + 0.05), belt + 0.07 * high, 0.0, 0.0,
                           side * 0.2),
            Box((0.07 * high, 0.2, 0.085 * high)), BLACK, f'{name}_mirror'))
        for part, x in (('front', seams[1]), ('rear', seams[2])):
            _, y, z = map(float, _half(skin, x + 0.03 * size.length)[SHOULDER - 2])
            shapes.append(_box(
                f'{name}_{part}_handle', BLACK, (x + 0.015 * size.length, x + 0.05 * size.length),
                0.02, (z - 0.012 * high, z + 0.012 * high), side * y))
    return shapes


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
