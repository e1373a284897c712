# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""Where a car was on a line, and how far its footprint was beyond the borders of the track."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from racecar.base.compiled import kernel
from racecar.base.elementary import sine_cosine
from racecar.base.vectors import as_vector, Flat, Vector
from racecar.control.racelines.line_numbers import line_at, nearest_way
from racecar.dynamics.vehicles.design import Footprint

Array = NDArray[np.float64]


class OnLine(NamedTuple):
    """Of n poses (n,) [m]: way along the line, error to the left, and how far beyond the borders.

    beyond: of the corner of the footprint that is farthest out; negative: within them.
    """

    way: Array
    error: Array
    beyond: Array


@kernel
def _trace(
    numbers: Vector, x: Vector, y: Vector, yaw: Vector, body: Vector, found: Flat,
) -> None:
    """found: OnLine of the poses one after the other; body: ahead, front, rear, side."""
    last = -1.0
    corner = np.full(4, -1.0)
    for k in range(len(x)):
        sine, cosine = sine_cosine(yaw[k])
        px, py = x[k] + body[0] * cosine, y[k] + body[0] * sine
        last = nearest_way(numbers, 0, px, py, last)
        p = line_at(numbers, 0, last)
        s, c = sine_cosine(p.heading)
        worst = -1e9
        for i in range(4):
            along = body[1] if i < 2 else -body[2]
            across = body[3] if i % 2 == 0 else -body[3]
            cx, cy = x[k] + along * cosine - across * sine, y[k] + along * sine + across * cosine
            corner[i] = nearest_way(numbers, 0, cx, cy, corner[i])
            q = line_at(numbers, 0, corner[i])
            qs, qc = sine_cosine(q.heading)
            left = qc * (cy - q.y) - qs * (cx - q.x)
            worst = max(worst, left - q.width_left, -left - q.width_right)
        found[3 * k] = last
        found[3 * k + 1] = c * (py - p.y) - s * (px - p.x)
        found[3 * k + 2] = worst


def on_line(
    numbers: Vector, x: Array, y: Array, yaw: Array, ahead: float, footprint: Footprint,
) -> OnLine:
    """Where a car was on a line whose line_numbers() these are.

    x, y, yaw: of base_link in the frame of the line, (n,); ahead: of base_link, the point whose
    error is wanted [m].
    """
    found: Flat = as_vector(np.empty(3 * len(x)))
    # Columns of a table are not contiguous.
    px, py, heading = (as_vector(np.array(column, dtype=np.float64)) for column in (x, y, yaw))
    _trace(numbers, px, py, heading,
           as_vector(np.array([ahead, footprint.front, footprint.rear, footprint.side])), found)
    way, error, beyond = np.reshape(found, (-1, 3)).T
    return OnLine(way, error, beyond)
