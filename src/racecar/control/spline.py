# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""Cubic spline through points of the plane."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]
Pieces = NDArray[np.int64]


class Spline(NamedTuple):
    """Cubic polynomials from knot to knot.

    knots: parameter at the points (n + 1,); parts: factors of the powers 0 to 3 of the parameter
    since the beginning of a piece (4, n, 2).
    """

    knots: Array
    parts: Array

    def point(self, at: Array, pieces: Pieces) -> Array:
        """Points (..., 2) where the parameter is `at`, of the pieces it is in."""
        h = (at - self.knots[pieces])[..., None]
        c0, c1, c2, c3 = (part[pieces] for part in self.parts)
        return np.asarray(c0 + h * (c1 + h * (c2 + h * c3)))

    def derivative(self, at: Array, pieces: Pieces) -> Array:
        """First derivative (..., 2) where the parameter is `at`, of the pieces it is in."""
        h = (at - self.knots[pieces])[..., None]
        _, c1, c2, c3 = (part[pieces] for part in self.parts)
        return np.asarray(c1 + h * (2.0 * c2 + h * 3.0 * c3))

    def second(self, at: Array, pieces: Pieces) -> Array:
        """Second derivative (..., 2), likewise."""
        h = (at - self.knots[pieces])[..., None]
        return np.asarray(2.0 * self.parts[2][pieces] + h * 6.0 * self.parts[3][pieces])


def spline_through(knots: Array, points: Array, *, closed: bool) -> Spline:
    """Spline with continuous curvature through points (n + 1, 2) at growing knots (n + 1,).

    Its second derivative is zero at both ends; of a closed one, whose last point is its first,
    both derivatives are continuous there too.
    """
    widths = np.diff(knots)[:, None]
    slopes = np.diff(points, axis=0) / widths
    bends = np.zeros_like(points)  # second derivatives at the knots
    if closed:
        before, jumps = np.roll(widths, 1), slopes - np.roll(slopes, 1, axis=0)
        bends[:-1] = _solve_cyclic(before[:, 0], widths[:, 0], 6.0 * jumps)
        bends[-1] = bends[0]
    elif len(points) > 2:
        bends[1:-1] = _solve(widths[1:-1, 0], 2.0 * (widths[:-1, 0] + widths[1:, 0]),
                             6.0 * np.diff(slopes, axis=0))
    start, end = bends[:-1], bends[1:]
    return Spline(knots, np.stack([
        points[:-1], slopes - widths * (2.0 * start + end) / 6.0, 0.5 * start,
        (end - start) / (6.0 * widths)]))


def _solve_cyclic(before: Array, widths: Array, right: Array) -> Array:
    """Solve before_i x_(i-1) + 2 (before_i + widths_i) x_i + widths_i x_(i+1) = right_i, closed.

    By the formula of Sherman and Morrison for the two elements in the corners.
    """
    corner = before[0]
    diagonal = 2.0 * (before + widths)
    diagonal[[0, -1]] -= corner
    ends = np.zeros((len(right), 1))
    ends[[0, -1]] = corner
    found = _solve(widths[:-1], diagonal, np.hstack([right, ends]))
    x, z = found[:, :-1], found[:, -1:]
    return np.asarray(x - z * (x[0] + x[-1]) / (1.0 + z[0] + z[-1]))


def _solve(beside: Array, diagonal: Array, right: Array) -> Array:
    """Solve a symmetric system (n, n) of three diagonals, dominated by the middle one.

    beside (n - 1,), diagonal (n,); right (n, columns).
    """
    rows, pivots = [right[0]], [diagonal[0]]
    for side, middle, row in zip(beside, diagonal[1:], right[1:], strict=True):
        factor = side / pivots[-1]
        pivots.append(middle - factor * side)
        rows.append(row - factor * rows[-1])
    found = [rows[-1] / pivots[-1]]
    for side, pivot, row in zip(beside[::-1], pivots[-2::-1], rows[-2::-1], strict=True):
        found.append((row - side * found[-1]) / pivot)
    return np.array(found[::-1])
