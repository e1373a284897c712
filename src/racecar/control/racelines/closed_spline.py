# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""A closed cubic spline by its way."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from racecar.control.spline import Spline, spline_through

Array = NDArray[np.float64]

# Between two points the way is summed by so many chords.
_CHORDS = 16


@dataclass(frozen=True)
class ClosedSpline:
    """A closed curve with continuous curvature.

    knots: way at the points that it goes through, (n + 1,) [m]; fine: parameters whose ways are
    fine_way, both growing, from 0 to the end.
    """

    spline: Spline
    knots: Array
    fine: Array
    fine_way: Array

    @classmethod
    def through(cls, points: Array) -> ClosedSpline:
        """Curve through points (n + 1, 2) [m], of which the last repeats the first."""
        chords = np.concatenate([[0.0], np.cumsum(np.hypot(*np.diff(points, axis=0).T))])
        spline = spline_through(chords, points, closed=True)
        fine = np.append((chords[:-1, None] + np.diff(chords)[:, None]
                          * np.arange(_CHORDS) / _CHORDS).ravel(), chords[-1])
        places = _evaluated(spline, fine)[0]
        lengths = np.hypot(*np.diff(places, axis=0).T)
        # A chord is shorter than its arc by a third-order term of the turn within it.
        turns = np.diff(np.unwrap(np.arctan2(*_evaluated(spline, fine)[1].T[::-1])))
        way = np.concatenate([[0.0], np.cumsum(lengths * (1.0 + turns**2 / 24.0))])
        return cls(spline, way[::_CHORDS], fine, way)

    @property
    def length(self) -> float:
        """Way round [m]."""
        return float(self.fine_way[-1])

    def points(self, s: Array) -> Array:
        """Points at some ways from the start (m, 2) [m]."""
        return self._at(s)[0]

    def heading(self, s: Array) -> Array:
        """Headings there (m,) [rad], between -pi and pi."""
        first = self._at(s)[1]
        return np.arctan2(first[:, 1], first[:, 0])

    def curvature(self, s: Array) -> Array:
        """Curvatures there (m,), positive to the left [1/m]."""
        _, first, second = self._at(s)
        cross = first[:, 0] * second[:, 1] - first[:, 1] * second[:, 0]
        return np.asarray(cross / np.hypot(first[:, 0], first[:, 1]) ** 3)

    def _at(self, s: Array) -> tuple[Array, Array, Array]:
        return _evaluated(self.spline, np.interp(s % self.length, self.fine_way, self.fine))


def _evaluated(spline: Spline, at: Array) -> tuple[Array, Array, Array]:
    """Points, first and second derivatives by the parameter."""
    pieces = np.clip(np.searchsorted(spline.knots, at, side='right') - 1,
                     0, len(spline.knots) - 2)
    return spline.point(at, pieces), spline.derivative(at, pieces), spline.second(at, pieces)
