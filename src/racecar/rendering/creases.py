# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""Meshes that shine as what they are: round where faces nearly lie in one plane, else with edges.

MuJoCo's own normals, means over all faces at a point, blow up what is flat.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from racecar.base.columns import Array

if TYPE_CHECKING:
    pass

CREASE = math.radians(40.0)
"""Faces at a larger angle meet in an edge [rad]."""

# Points that are closer together than this are one [m].
_SAME = 1e-6


def normals_of(corners: Array, crease: float = CREASE) -> Array:
    """Normal (n, 3, 3) at each corner of triangles (n, 3, 3).

    It is the mean, weighted by area, over the faces at the same point that meet the corner's own
    face at no more than an angle [rad].
    """
    across = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
    area = np.linalg.norm(across, axis=1)
    units = across / np.maximum(area, 1e-300)[:, None]
    _, points = np.unique(
        np.round(corners.reshape(-1, 3) / _SAME).astype(np.int64), axis=0, return_inverse=True)
    points = points.reshape(-1)
    # Every corner with every corner at the same point.
    order = np.argsort(points, kind='stable')
    counts = np.bincount(points)
    starts = np.concatenate([[0], np.cumsum(counts)[:-1]])
    each = counts[points]
    own = np.repeat(np.arange(len(points)), each)
    within = np.arange(len(own)) - np.repeat(np.cumsum(each) - each, each)
    other = order[np.repeat(starts[points], each) + within]
    smooth = np.einsum('ij,ij->i', units[own // 3], units[other // 3]) >= math.cos(crease)
    sums = np.zeros((len(points), 3))
    np.add.at(sums, own[smooth], across[other[smooth] // 3])
    length = np.linalg.norm(sums, axis=1, keepdims=True)
    found: Array = np.where(length > 1e-300, sums / np.maximum(length, 1e-300), units[
        np.arange(len(points)) // 3])
    shaped: Array = found.reshape(corners.shape)
    return shaped
