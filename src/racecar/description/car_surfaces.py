# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""The surfaces of a generated body as solids: lower half, cabin, pillars."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from racecar.base.columns import Array
from racecar.description.triangles import outward, solid, Triangles

_STATIONS, _ARCH_STATIONS = 36, 14
_SIDE, _TOP = 10, 7

# Of the glass, the part of the cabin's height below the roof; exponent of the rounded rectangle
# that it is seen from above; points about it.
_GLASS, _POWER, _AROUND = 0.84, 6.0, 48


class LowerBody(NamedTuple):
    """The half below the windows, in the frame of the chassis [m].

    rear, front: x of its ends; half_width; floor: z of its underside; edge: (x, z) of its upper
    edge from rear to front; end_share: half width at the ends over half_width; arches: x, z of
    the middle and radius of each.
    """

    rear: float
    front: float
    half_width: float
    floor: float
    edge: tuple[tuple[float, float], ...]
    end_share: float
    arches: tuple[tuple[float, float, float], ...]


def lower_body(body: LowerBody) -> Triangles:
    """Solid of a lower half."""
    stations = [*np.linspace(body.rear, body.front, _STATIONS), *(x for x, _ in body.edge)]
    gap = 1e-3
    for middle, _, radius in body.arches:
        inside = middle + radius * np.cos(np.linspace(0.0, math.pi, _ARCH_STATIONS))
        stations = [x for x in stations if abs(x - middle) > radius + gap]
        stations += [*inside[1:-1], *(middle + sign * (radius + step) for sign in (1.0, -1.0)
                                      for step in (-gap, gap))]
    places = sorted({round(x, 6) for x in stations if body.rear <= x <= body.front})
    return outward(solid(np.array([_lower_ring(body, x) for x in places])))


def upper_edge(body: LowerBody, x: float) -> float:
    """Height z of the upper edge of a lower half at x [m]."""
    edge = np.array(body.edge)
    return float(np.interp(x, edge[:, 0], edge[:, 1]))


def half_width(body: LowerBody, x: float, z: float) -> float:
    """Half width of a lower half at x and z [m]."""
    return body.half_width * _plan(body, x) * _flank(body, z, upper_edge(body, x))


def _lower_ring(body: LowerBody, x: float) -> Array:
    """Ring of a lower half at x: up the left side, over to the right, and down."""
    top = upper_edge(body, x)
    bottom = body.floor
    for middle, z, radius in body.arches:
        if abs(x - middle) < radius:
            bottom = max(bottom, z + math.sqrt(radius * radius - (x - middle)**2))
    bottom = min(bottom, top - 0.02 * body.half_width)
    heights = bottom + (top - bottom) * 0.5 * (
        1.0 - np.cos(np.linspace(0.0, math.pi, _SIDE)))
    widths = np.array([half_width(body, x, z) for z in heights])
    across = np.linspace(widths[-1], -widths[-1], _TOP + 2)[1:-1]
    crown = top + 0.03 * body.half_width * (1.0 - (across / widths[-1])**2)
    sides = np.concatenate([widths, across, -widths[::-1]])
    up = np.concatenate([heights, crown, heights[::-1]])
    return np.stack([np.full(len(sides), x), sides, up], axis=-1)


def _plan(body: LowerBody, x: float) -> float:
    """Share of the width at x, seen from above: less at rounded ends."""
    end = 0.13 * (body.front - body.rear)
    out = max(0.0, body.rear + end - x, x - body.front + end) / end
    return 1.0 - (1.0 - body.end_share) * float(out)**3


def _flank(body: LowerBody, z: float, top: float) -> float:
    """Share of the half width at a height: drawn in at shoulder and sill."""
    shoulder = 0.22 * body.half_width
    up = max(0.0, z - (top - shoulder)) / shoulder
    down = max(0.0, 1.0 - (z - body.floor) / shoulder)
    return 1.0 - 0.085 * math.pow(up, 2.4) - 0.05 * math.pow(down, 2.0)


class Cabin(NamedTuple):
    """The half with the windows: at its foot and at the roof, x of rear and front end [m].

    half_widths: at the foot and at the roof; foot, top: z.
    """

    rear: tuple[float, float]
    front: tuple[float, float]
    half_widths: tuple[float, float]
    foot: float
    top: float


def cabin(house: Cabin, *, roof: bool) -> Triangles:
    """Solid of the roof, or of the glass below it."""
    if not roof:
        levels = [(share, 1.0) for share in np.linspace(0.0, _GLASS + 0.02, 6)]
    else:
        levels = [(_GLASS, 1.012), (_GLASS + 0.05, 1.012), (0.94, 0.985), (0.975, 0.93),
                  (0.993, 0.78), (1.0, 0.5)]
    return outward(solid(np.array([_cabin_ring(house, share, scale)
                                   for share, scale in levels])))


def _level(house: Cabin, share: float) -> tuple[float, float, float, float]:
    """Middle and half of the length, half width and z at a share of the height."""
    # The screens are bowed a little.
    bow = share + 0.10 * share * (1.0 - share)
    rear, front, half = (
        ends[0] + (ends[1] - ends[0]) * bow for ends in (house.rear, house.front,
                                                         house.half_widths))
    return (0.5 * (rear + front), 0.5 * (front - rear), half,
            house.foot + share * (house.top - house.foot))


def _cabin_ring(house: Cabin, share: float, scale: float) -> Array:
    middle, length, width, z = _level(house, share)
    angles = 2.0 * math.pi * (np.arange(_AROUND) + 0.5) / _AROUND
    cosine, sine = np.cos(angles), np.sin(angles)
    power = 2.0 / _POWER
    x = middle + scale * length * np.sign(cosine) * np.abs(cosine)**power
    y = scale * width * np.sign(sine) * np.abs(sine)**power
    return np.stack([x, y, np.full(_AROUND, z)], axis=-1)


def pillar(house: Cabin, first: float, last: float, side: float) -> Triangles:
    """Pillar on a side (1 left, -1 right) of the cabin.

    first, last: where it is along the cabin, from -1 at the rear to 1 at the front.
    """
    rings = []
    for share in np.linspace(0.0, _GLASS + 0.04, 6):
        middle, length, width, z = _level(house, share)
        ring = []
        for scale in (1.008, 0.97):
            places = np.linspace(first, last, 4)
            ring.append([
                (middle + scale * length * x,
                 side * scale * width * (1.0 - abs(x)**_POWER)**(1.0 / _POWER), z)
                for x in (places if scale > 1.0 else places[::-1])])
        rings.append([*ring[0], *ring[1]])
    return outward(solid(np.array(rings)))
