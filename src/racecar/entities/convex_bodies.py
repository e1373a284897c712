# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""Boxes about things, convex bodies, and whether they overlap."""

from __future__ import annotations

import itertools

import numpy as np
from numpy.typing import ArrayLike, NDArray

from racecar.base.poses import rotated
from racecar.base.types import Pose3
from racecar.simulation.ports import Bounds

Array = NDArray[np.float64]

# What is nearer than this touches [m].
_TOUCH = 1e-9


def corners(bounds: Bounds, pose: Pose3) -> Array:
    """Corners of a box at a pose, (8, 3) [m]."""
    return np.array([
        np.add(pose[:3], rotated(pose[3:], (x, y, z)))
        for x, y, z in itertools.product(*zip(*bounds, strict=True))])


def hull_distance(first: ArrayLike, second: ArrayLike) -> float:
    """Distance between the convex hulls of points, (n, 3) and (m, 3) [m]; 0 if they overlap.

    Source: P. Wolfe, Finding the nearest point in a polytope, 1976.
    """
    a, b = np.atleast_2d(first), np.atleast_2d(second)
    points = (a[:, None] - b[None]).reshape(-1, 3)
    scale = float(np.abs(points).max()) or 1.0
    tolerance = 1e-12 * scale * scale
    chosen = [int((points * points).sum(axis=1).argmin())]
    weights = np.array([1.0])
    # Each round adds a point and lowers the distance, so it ends; the bound is for rounding.
    for _ in range(10 * len(points)):
        nearest = weights @ points[chosen]
        lowest = int((points @ nearest).argmin())
        if lowest in chosen or nearest @ nearest - points[lowest] @ nearest <= tolerance:
            break
        chosen.append(lowest)
        weights = np.append(weights, 0.0)
        while True:
            affine = _nearest_of_plane(points[chosen])
            if (affine > 1e-14).all():
                weights = affine
                break
            # As far towards it as all weights stay positive.
            falling = affine <= 1e-14
            share = float((weights[falling] / np.maximum(
                weights[falling] - affine[falling], 1e-300)).min())
            weights = weights + min(share, 1.0) * (affine - weights)
            stays = weights > 1e-14
            if stays.all():
                stays[int(weights.argmin())] = False
            chosen = [index for index, is_kept in zip(chosen, stays, strict=True) if is_kept]
            weights = weights[stays] / weights[stays].sum()
    distance = float(np.linalg.norm(weights @ points[chosen]))
    return 0.0 if distance < _TOUCH * scale else distance


def _nearest_of_plane(points: Array) -> Array:
    """Weights, of sum 1, of the point nearest to the origin in the plane through points."""
    count = len(points)
    system = np.ones((count + 1, count + 1))
    system[:count, :count] = points @ points.T
    system[count, count] = 0.0
    wanted = np.zeros(count + 1)
    wanted[count] = 1.0
    return np.asarray(np.linalg.lstsq(system, wanted, rcond=None)[0][:count])
