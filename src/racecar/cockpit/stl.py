# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""Meshes of robot descriptions: binary STL files."""

from __future__ import annotations

from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from racecar.base.errors import ConfigurationError
from racecar.cockpit.frames import LARGEST
from racecar.description.triangles import corners_of, triangle_count

_MOST_TRIANGLES = 500_000


def read_stl(path: Path) -> tuple[NDArray[np.floating], NDArray[np.integer]]:
    """Vertices (n, 3) [m] and indices of triangles (m, 3); equal vertices are one.

    Raises ConfigurationError for what is no binary STL file.
    """
    try:
        is_mesh = path.suffix.lower() == '.stl' and path.stat().st_size <= LARGEST
        data = path.read_bytes() if is_mesh else b''
    except OSError as error:
        raise ConfigurationError(f"mesh '{path}' cannot be read: {error.strerror}") from error
    count = triangle_count(data)
    if count is None or count > _MOST_TRIANGLES:
        raise ConfigurationError(
            f"mesh '{path}' is no binary STL file of at most {_MOST_TRIANGLES} triangles")
    corners = corners_of(data).reshape(-1, 3)
    if not np.isfinite(corners).all():
        raise ConfigurationError(f"mesh '{path}' has vertices that are not finite")
    vertices, indices = np.unique(corners, axis=0, return_inverse=True)
    return vertices, indices.reshape(-1, 3)
