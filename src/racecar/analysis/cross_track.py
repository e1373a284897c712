# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""The cross-track error over time, as racecar.metrics.path_metrics defines it."""

from __future__ import annotations

import numpy as np

from racecar.base.columns import Array
from racecar.metrics.path_metrics import PATH_WINDOW
from racecar.metrics.tracking_error import MergedTrack

# Distances to segments that are held at once; 8 B each, some times over.
_AT_ONCE = 500_000


def cross_track_error(track: MergedTrack, most: int = 4000) -> tuple[Array, Array]:
    """Times [s] and the distance to the path, positive left of it [m], both (k,).

    most: of the samples so many are looked at, evenly spaced; the path keeps all its corners.
    """
    count = track.t.size
    chosen = np.arange(count) if count <= most else np.unique(
        np.linspace(0, count - 1, most).round().astype(np.int64))
    if count < 2:
        return track.t, track.error
    x, y = track.reference_x, track.reference_y
    dx, dy = np.diff(x), np.diff(y)
    squared = dx * dx + dy * dy
    # Segment k lies between the corners k and k + 1.
    lows = np.minimum(np.searchsorted(track.t, track.t - PATH_WINDOW), count - 2)
    highs = np.maximum(np.searchsorted(track.t, track.t + PATH_WINDOW, side='right') - 1, 1)
    width = int((highs - lows)[chosen].max())
    errors = np.empty(chosen.size)
    piece = max(1, _AT_ONCE // max(width, 1))
    for first in range(0, chosen.size, piece):
        samples = chosen[first:first + piece]
        segments = lows[samples][:, None] + np.arange(width)
        is_inside = segments < highs[samples][:, None]
        segments = np.minimum(segments, count - 2)
        ax, ay = dx[segments], dy[segments]
        rx = track.x[samples][:, None] - x[segments]
        ry = track.y[samples][:, None] - y[segments]
        length = squared[segments]
        share = np.clip((rx * ax + ry * ay) / np.where(length > 0.0, length, 1.0), 0.0, 1.0)
        distance = np.where(
            is_inside, np.hypot(rx - share * ax, ry - share * ay), np.inf)
        rows = np.arange(samples.size)
        nearest = np.argmin(distance, axis=1)
        side = ax[rows, nearest] * ry[rows, nearest] - ay[rows, nearest] * rx[rows, nearest]
        errors[first:first + piece] = np.where(side < 0.0, -1.0, 1.0) * distance[rows, nearest]
    return track.t[chosen], errors
