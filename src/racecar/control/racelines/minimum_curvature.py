# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""The line round a track with the least sum of squared curvatures.

The line is p_i = c_i + n_i N_i, offsets n along the normals of the centre line. With x' of the
present line its curvature (x' x p'')/|x'|^3 is linear in the offsets, and

    min  sum |x'_i| kappa_i(n)^2   with   low <= n <= high

is a sparse quadratic program, which is solved again with x' of its solution until that stays where
it is. Source: Heilmeier et al., "Minimum curvature trajectory planning and control for an
autonomous race car", Vehicle System Dynamics 58 (2020).
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from racecar.base.errors import ConfigurationError
from racecar.base.extras import not_installed
from racecar.control.racelines.track import Stations, Track

Array = NDArray[np.float64]

STEP = 0.25
"""Of stations [m]."""

RESIDUAL = 1e-6
"""Largest change of an offset by a last program [m]."""

# Neighbours of a point, and their weights in its second derivative by the index.
_NEIGHBOURS = np.arange(-1, 2)
_SECOND = np.array([1.0, -2.0, 1.0])
_ITERATIONS = 60
# Changes that do not shrink are the sign of a cycle: less of each is taken then.
_GROWING, _DAMPING, _LEAST_SHARE = 0.9, 0.7, 0.1
# Last change about the centre line [m].
_ROUGH = 1e-3


class MinimumCurvature(NamedTuple):
    """A line: offsets to the left (n,) [m] of stations, which lie about it.

    iterations; residual [m]: what another one would change.
    """

    stations: Stations
    offsets: Array
    iterations: int
    residual: float


def minimum_curvature(track: Track, margin: float, step: float = STEP) -> MinimumCurvature:
    """Line with the least curvature that keeps a margin [m] to the borders.

    step: of the stations [m]. It is found about the centre line first, whose bends may be too
    sharp to be an exact reference, then about what was found. Raises ConfigurationError if CasADi
    is missing, the track too narrow, or no line is found.
    """
    rough = track.stations(step)
    offsets, first, _ = _settled(rough, margin, _ROUGH)
    about = track.about(rough.at(offsets), step)
    offsets, second, residual = _settled(about, margin, RESIDUAL)
    if residual > RESIDUAL:
        raise ConfigurationError(
            f'the line of least curvature is not found: iteration {second} still moves it by'
            f' {residual:.1e} m, expected at most {RESIDUAL:g} m; take a larger margin or spacing')
    return MinimumCurvature(about, offsets, first + second, residual)


def _settled(stations: Stations, margin: float, tolerance: float) -> tuple[Array, int, float]:
    """Offsets, iterations and the last change, which may be larger than the tolerance [m]."""
    low, high = stations.offset_limits(margin)
    offsets = np.clip(np.zeros_like(low), low, high)
    program = _Program(stations)
    residual, share, iteration = np.inf, 1.0, 0
    for iteration in range(1, _ITERATIONS + 1):  # noqa: B007
        change = program.best(offsets, low, high) - offsets
        before, residual = residual, float(np.abs(change).max())
        if residual <= tolerance:
            break
        if residual > _GROWING * before:
            share = max(_DAMPING * share, _LEAST_SHARE)
        offsets = offsets + share * change
    return offsets, iteration, residual


class _Program:
    """Quadratic programs about lines of one track, solved by PIQP, which comes with CasADi."""

    def __init__(self, stations: Stations) -> None:
        try:
            import casadi
        except ImportError as error:
            raise not_installed('the line of least curvature', 'casadi') from error
        self._stations = stations
        count = len(stations.s)
        rows = np.repeat(np.arange(count), len(_NEIGHBOURS))
        columns = (rows.reshape(count, -1) + _NEIGHBOURS).ravel() % count
        # CasADi keeps elements column by column.
        self._order = np.lexsort((rows, columns))
        self._casadi: Any = casadi
        self._pattern = casadi.Sparsity.triplet(
            count, count, rows[self._order].tolist(), columns[self._order].tolist())
        slopes, constant = casadi.SX.sym('slopes', self._pattern), casadi.SX.sym('c', count)
        hessian = casadi.mtimes(slopes.T, slopes)
        self._squares = casadi.Function(
            'squares', [slopes, constant], [hessian, casadi.mtimes(slopes.T, constant)])
        self._solver = casadi.conic(
            'least_curvature', 'piqp',
            {'h': hessian.sparsity(), 'a': casadi.Sparsity(0, count)},
            {'piqp': {'eps_abs': 1e-10, 'eps_rel': 1e-10}})

    def best(self, offsets: Array, low: Array, high: Array) -> Array:
        """Offsets (n,) with the least curvature, its first derivatives being as at `offsets`."""
        centre, normals = self._stations.points, self._stations.normals
        points = centre + offsets[:, None] * normals
        first = 0.5 * (np.roll(points, -1, axis=0) - np.roll(points, 1, axis=0))
        norm = np.hypot(first[:, 0], first[:, 1])
        # The root of the weight |x'|, and that of steps, so that numbers are of order 1.
        scale = np.sqrt(norm) / norm**3 * self._stations.step**1.5
        second = np.roll(centre, -1, axis=0) - 2.0 * centre + np.roll(centre, 1, axis=0)
        slopes = np.stack([
            scale * weight * _cross(first, np.roll(normals, -k, axis=0))
            for weight, k in zip(_SECOND, _NEIGHBOURS, strict=True)], axis=1)
        hessian, gradient = self._squares(
            self._casadi.DM(self._pattern, slopes.ravel()[self._order]),
            scale * _cross(first, second))
        found = self._solver(h=hessian, g=gradient, lbx=low, ubx=high)
        if not self._solver.stats()['success']:
            raise ConfigurationError(
                'the quadratic program of the line of least curvature has no solution; take'
                ' another margin or spacing')
        return np.asarray(np.clip(np.asarray(found['x'], float).ravel(), low, high))


def _cross(a: Array, b: Array) -> Array:
    return np.asarray(a[:, 0] * b[:, 1] - a[:, 1] * b[:, 0])
