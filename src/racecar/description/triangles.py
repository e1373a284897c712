# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""Solids as triangles, and the files in which they lie (binary STL)."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Triangles = NDArray[np.float64]
"""Corners (n, 3, 3), counter-clockwise seen from outside [m]."""

_ROW = [('normal', '<f4', 3), ('corners', '<f4', (3, 3)), ('attribute', '<u2')]
_HEADER = 80


def skin(rings: NDArray[np.float64]) -> Triangles:
    """Join rings (m, n, 3) of points, each closed, one after the other; the ends stay open.

    Seen along the way of the rings their points go clockwise.
    """
    a, b = rings[:-1], rings[1:]
    a_next, b_next = np.roll(a, -1, axis=1), np.roll(b, -1, axis=1)
    quads = np.stack([a, a_next, b_next, a, b_next, b], axis=2)
    return quads.reshape(-1, 3, 3)


def lid(ring: NDArray[np.float64], *, start: bool) -> Triangles:
    """Close a convex ring (n, 3) at the start or the end of a skin."""
    points = ring if not start else ring[::-1]
    middle = np.broadcast_to(points.mean(axis=0), points.shape)
    return np.stack([middle, points, np.roll(points, -1, axis=0)], axis=1)


def solid(rings: NDArray[np.float64]) -> Triangles:
    """Skin with both ends closed."""
    return np.concatenate([skin(rings), lid(rings[0], start=True), lid(rings[-1], start=False)])


def outward(part: Triangles) -> Triangles:
    """Closed part with its faces to the outside."""
    return part[:, ::-1] if volume(part) < 0.0 else part


def volume(part: Triangles) -> float:
    """Volume of a closed part [m^3], negative if its faces look inside."""
    return float(np.einsum('ij,ij->', part[:, 0], np.cross(part[:, 1], part[:, 2]))) / 6.0


def stl(triangles: Triangles, title: str) -> bytes:
    """Binary STL, rounded to 1 µm; title: at its beginning, at most 80 bytes."""
    rows = np.zeros(len(triangles), dtype=_ROW)
    corners = np.round(triangles, 6)
    normals = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
    lengths = np.linalg.norm(normals, axis=1, keepdims=True)
    rows['normal'] = normals / np.where(lengths > 0.0, lengths, 1.0)
    rows['corners'] = corners
    header = title.encode()[:_HEADER].ljust(_HEADER)
    return header + np.array(len(rows), dtype='<u4').tobytes() + rows.tobytes()


def triangle_count(data: bytes) -> int | None:
    """How many triangles a binary STL has; None for what is no whole one."""
    count = int.from_bytes(data[_HEADER:_HEADER + 4], 'little')
    return count if len(data) == _HEADER + 4 + count * np.dtype(_ROW).itemsize else None


def is_stl(data: bytes) -> bool:
    """Whether this is a whole binary STL, with triangles."""
    return bool(triangle_count(data))


def corners_of(data: bytes) -> Triangles:
    """Corners of a binary STL."""
    rows = np.frombuffer(data, dtype=_ROW, offset=_HEADER + 4)
    corners: Triangles = rows['corners'].astype(float)
    return corners
