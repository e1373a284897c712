# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""The skin of a generated body: one smooth surface over the lines that it has from the side.

A cross section goes up the flank to the shoulder and over the roof, or the bonnet, to the middle.
Windows and other trim are shells that lie on parts of the surface.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from racecar.base.columns import Array
from racecar.description.triangles import outward, solid, Triangles

Line = tuple[tuple[float, float], ...]
"""Points (x, z) from tail to nose [m]."""

_STATIONS, _END_STATIONS, _ARCH_STATIONS = 20, 6, 12
# About each point of the line on top, in lengths of the body.
_NEAR = 0.007, 0.022

# Of the flank: share of the height from the floor to the shoulder, share of the half width.
_FLANK = np.array([(0.0, 0.925), (0.1, 0.962), (0.3, 0.982), (0.64, 1.0), (0.84, 0.988),
                   (1.0, 0.95)])
_LOWER = np.array([0.0, 0.05, 0.15, 0.3, 0.46, 0.64, 0.76, 0.88, 1.0])

# Above the shoulder a section is a superellipse of this exponent that leans in: share of the width
# at the top, per share of the full height.
_POWER, _LEAN = 3.0, 0.13


def _upper() -> Array:
    """Shares of width and height (n, 2) from the shoulder to the middle of the roof."""
    heights = np.array([0.0, 0.03, 0.08, 0.24, 0.42, 0.6, 0.72, 0.8])
    widths = np.array([0.73, 0.68, 0.6, 0.4, 0.2, 0.0])
    return np.concatenate([
        np.stack([(1.0 - heights**_POWER)**(1.0 / _POWER), heights], axis=1),
        np.stack([widths, (1.0 - widths**_POWER)**(1.0 / _POWER)], axis=1)])


_UPPER = _upper()
SHOULDER = len(_LOWER) - 1
"""Row of the shoulder; each section has such rows from the floor, 0, to the middle, MIDDLE."""
MIDDLE = SHOULDER + len(_UPPER) - 1
WINDOW_ROWS = SHOULDER + 2, SHOULDER + 6
"""Lower and upper edge of side windows."""
PANE_ROWS = SHOULDER + 10
"""From here to the middle are windscreen and rear window."""


class Arch(NamedTuple):
    """Room for a wheel: x, z of its middle and radius [m]."""

    x: float
    z: float
    radius: float


class Skin(NamedTuple):
    """A body in the frame of the chassis [m].

    rear, front: x of its ends; half_width; floor: z of its underside. top: line of roof, bonnet
    and deck; shoulder: line where the windows begin. tail, nose: length over which an end is
    rounded, the share of the width that it keeps, how far the underside rises and the top falls.
    """

    rear: float
    front: float
    half_width: float
    floor: float
    top: Line
    shoulder: Line
    tail: tuple[float, float, float, float]
    nose: tuple[float, float, float, float]
    arches: tuple[Arch, ...]


def line_at(line: Line, x: Array) -> Array:
    """Smooth line through points, without bumps between them, at x [m].

    Cubic from point to point, with slopes as in F. N. Fritsch, J. Butland, A method for
    constructing local monotone piecewise cubic interpolants, 1984.
    """
    at, y = np.array(line).T
    widths = np.diff(at)
    slopes = _slopes(widths, np.diff(y) / widths)
    i = np.clip(np.searchsorted(at, x, side='right') - 1, 0, len(widths) - 1)
    h = widths[i]
    t = (x - at[i]) / h
    s = 1.0 - t
    return np.asarray(s * s * ((1.0 + 2.0 * t) * y[i] + t * h * slopes[i])
                      + t * t * ((1.0 + 2.0 * s) * y[i + 1] - s * h * slopes[i + 1]))


def _slopes(widths: Array, chords: Array) -> Array:
    """Slopes at the points (n + 1,) of a line that rises and falls where its chords (n,) do."""
    if len(chords) == 1:
        return np.repeat(chords, 2)
    (h0, h1), (m0, m1) = (widths[:-1], widths[1:]), (chords[:-1], chords[1:])
    first, second = 2.0 * h1 + h0, h1 + 2.0 * h0
    # Where the chords change their sign: level.
    weighted = first * m1 + second * m0
    inner = np.divide((first + second) * m0 * m1, weighted, where=m0 * m1 > 0.0,
                      out=np.zeros_like(m0))
    return np.array([_end_slope(*widths[:2], *chords[:2]), *inner,
                     _end_slope(*widths[:-3:-1], *chords[:-3:-1])])


def _end_slope(h0: float, h1: float, m0: float, m1: float) -> float:
    """Slope at an end, from the two chords next to it, bounded so that the line stays monotone."""
    slope = ((2.0 * h0 + h1) * m0 - h0 * m1) / (h0 + h1)
    if slope * m0 <= 0.0:
        return 0.0
    return 3.0 * m0 if m0 * m1 <= 0.0 and abs(slope) > 3.0 * abs(m0) else slope


def _end_share(skin: Skin, x: Array) -> Array:
    """1 between the ends, to 0 at them along a quarter of an ellipse."""
    out = np.maximum((skin.rear + skin.tail[0] - x) / skin.tail[0],
                     (x - skin.front + skin.nose[0]) / skin.nose[0])
    result: Array = np.sqrt(np.maximum(0.0, 1.0 - np.maximum(out, 0.0)**2))
    return result


def sections(skin: Skin, x: Array, *, arches: bool = False) -> Array:
    """Left halves of the sections at x (n,): points (n, MIDDLE + 1, 3) from the floor up [m].

    arches: whether the room for the wheels is left out.
    """
    share = _end_share(skin, x)
    is_rear = (x < 0.5 * (skin.rear + skin.front))[:, None]
    _, kept, rise, fall = np.where(is_rear, skin.tail, skin.nose).T
    width = skin.half_width * (kept + (1.0 - kept) * share)
    top = line_at(skin.top, x) - fall * (1.0 - share)
    shoulder = np.minimum(line_at(skin.shoulder, x) - fall * (1.0 - share),
                          top - 0.05 * skin.half_width)
    floor = skin.floor + rise * (1.0 - share)
    bottom = floor.copy()
    if arches:
        for arch in skin.arches:
            inside = np.abs(x - arch.x) < arch.radius
            reach = np.sqrt(np.maximum(arch.radius**2 - (x - arch.x)**2, 0.0))
            bottom = np.where(inside, np.maximum(bottom, arch.z + reach), bottom)
    bottom = np.minimum(bottom, shoulder - 0.02 * skin.half_width)
    heights = bottom[:, None] + (shoulder - bottom)[:, None] * _LOWER
    shares = (heights - floor[:, None]) / (shoulder - floor)[:, None]
    lower = width[:, None] * line_at(tuple(map(tuple, _FLANK)), np.clip(shares, 0.0, 1.0))
    high = (top - shoulder)[:, None]
    full = max(z for _, z in skin.top) - min(z for _, z in skin.shoulder)
    upper = lower[:, -1:] * _UPPER[:, 0] * (1.0 - _LEAN * _UPPER[:, 1] * high / full)
    y = np.concatenate([lower, upper[:, 1:]], axis=1)
    z = np.concatenate([heights, (shoulder[:, None] + high * _UPPER[:, 1])[:, 1:]], axis=1)
    return np.stack([np.broadcast_to(x[:, None], y.shape), y, z], axis=-1)


def _stations(skin: Skin) -> Array:
    """Where the body has sections: x [m], more of them where it is curved."""
    end = np.sin(np.linspace(0.0, 0.5 * math.pi, _END_STATIONS))
    gap = 1e-3
    x = np.concatenate([
        np.linspace(skin.rear, skin.front, _STATIONS), [
            x + sign * near * (skin.front - skin.rear) for x, _ in skin.top
            for near in (0.0, *_NEAR) for sign in (1.0, -1.0)],
        skin.rear + skin.tail[0] * (1.0 - end), skin.front - skin.nose[0] * (1.0 - end)])
    for middle, _, radius in skin.arches:
        x = x[np.abs(x - middle) > radius + gap]
        inside = middle + radius * np.cos(np.linspace(0.0, math.pi, _ARCH_STATIONS))
        x = np.concatenate([x, inside[1:-1], [
            middle + sign * (radius + step) for sign in (1.0, -1.0) for step in (-gap, gap)]])
    return np.unique(np.round(x[(x >= skin.rear) & (x <= skin.front)], 6))


def body(skin: Skin) -> Triangles:
    """The whole as a solid."""
    x = _stations(skin)
    half = sections(skin, x, arches=True)
    return outward(solid(np.concatenate([half, half[:, -2::-1] * (1.0, -1.0, 1.0)], axis=1)))


def shell(patch: Array, out: float, depth: float = 0.02) -> Triangles:
    """Solid about a patch (m, n, 3) of the surface, from so far out of it to so deep in it [m]."""
    along, across = np.gradient(patch, axis=0), np.gradient(patch, axis=1)
    normals = np.cross(across, along)
    length = np.linalg.norm(normals, axis=-1, keepdims=True)
    normals = normals / np.maximum(length, 1e-12)
    # Away from the middle of the car.
    middle = patch.mean(axis=(0, 1)) * (1.0, 0.0, 0.0)
    normals *= np.sign(np.sum(normals * (patch - middle)))
    outer, inner = patch + out * normals, patch - depth * normals
    return outward(solid(np.concatenate([outer, inner[:, ::-1]], axis=1)))


def side_patch(
    skin: Skin, x: tuple[float, float], rows: tuple[int, int], side: float,
) -> Array:
    """Part of a side (1 left, -1 right) between two x [m] and two rows."""
    all_x = _stations(skin)
    between = all_x[(all_x > min(x)) & (all_x < max(x))]
    half = sections(skin, np.concatenate([[min(x)], between, [max(x)]]))
    patch = half[:, rows[0]:rows[1] + 1] * (1.0, side, 1.0)
    # In the order of the body's sections, whose triangles these lie on.
    return patch if side > 0.0 else patch[:, ::-1]


def pane_patch(skin: Skin, x: tuple[float, float]) -> Array:
    """Part of the surface about the middle between two x [m]."""
    left = side_patch(skin, x, (PANE_ROWS, MIDDLE), 1.0)
    return np.concatenate([left, left[:, -2::-1] * (1.0, -1.0, 1.0)], axis=1)
