# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""Corners of triangles as they lie on the graphics card."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from racecar.base.columns import Array

Vertices = NDArray[np.void]
"""Rows of VERTEX (n,), three for each triangle."""

VERTEX = np.dtype([
    ('place', '<f4', 3), ('normal', '<f4', 3), ('pattern', '<f4', 2), ('colour', '<f4', 4)])


def vertices(
    places: Array, normals: Array, colour: Sequence[float] = (1.0, 1.0, 1.0),
    pattern: Array | None = None,
) -> Vertices:
    """Vertices at places (n, 3) [m] with normals (n, 3) or (3,).

    colour: of all of them, with or without opacity. pattern: place on it (n, 2) [m].
    """
    rows = np.zeros(len(places), VERTEX)
    rows['place'], rows['normal'] = places, normals
    rows['colour'] = (*colour, 1.0)[:4]
    if pattern is not None:
        rows['pattern'] = pattern
    return rows


def joined(parts: Sequence[Vertices]) -> Vertices:
    """All vertices of several meshes in one."""
    return np.concatenate(parts) if parts else np.zeros(0, VERTEX)
