# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""Where the ground is more slippery or grippier: zones with a factor of the friction of tyres."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from racecar.base.compiled import routine

Points = tuple[tuple[float, float], ...]

# Strips of paint that show a zone.
_STRIPS = 48


class FrictionZone(NamedTuple):
    """A part of the ground.

    factor: of the friction there. points: corners x, y of a polygon in either order [m]; without
    any a circle about x, y with the radius [m].
    """

    factor: float
    points: Points = ()
    x: float = 0.0
    y: float = 0.0
    radius: float = 0.0

    def strips(self) -> Iterator[tuple[float, float, float, float]]:
        """Yield x, y of the middle, length along x and width of rectangles that show it [m]."""
        heights = [y for _, y in self.points] or [self.y - self.radius, self.y + self.radius]
        low, width = min(heights), (max(heights) - min(heights)) / _STRIPS
        for k in range(_STRIPS):
            y = low + (k + 0.5) * width
            ends = self._ends(y)
            for start, end in zip(ends[::2], ends[1::2], strict=True):
                yield 0.5 * (start + end), y, end - start, width

    def _ends(self, y: float) -> list[float]:
        """Places x at which a line at y goes in and out, in turn."""
        if not self.points:
            half = (self.radius * self.radius - (y - self.y) * (y - self.y)) ** 0.5
            return [self.x - half, self.x + half]
        sides = zip(self.points, (*self.points[1:], self.points[0]), strict=True)
        return sorted(x1 + (y - y1) / (y2 - y1) * (x2 - x1)
                      for (x1, y1), (x2, y2) in sides if (y1 > y) != (y2 > y))


class ZoneRows(NamedTuple):
    """Zones as numbers for kernels, not to be written.

    zones: factor, x, y, radius, rows of corners from and to, (n, 6); corners: x, y, (m, 2) [m].
    """

    zones: NDArray[np.float64]
    corners: NDArray[np.float64]


def zone_rows(zones: Sequence[FrictionZone]) -> ZoneRows:
    """Numbers of zones, in their order."""
    after = np.cumsum([len(zone.points) for zone in zones], dtype=float)
    rows = np.array([
        (zone.factor, zone.x, zone.y, zone.radius, end - len(zone.points), end)
        for zone, end in zip(zones, after, strict=True)], dtype=float).reshape(-1, 6)
    corners = np.array([point for zone in zones for point in zone.points], dtype=float)
    return ZoneRows(rows, corners.reshape(-1, 2))


@routine
def zone_at(rows: ZoneRows, begin: int, end: int, x: float, y: float) -> int:
    """Row of the last zone that covers a place [m], of those from begin to before end, else -1."""
    zones, corners = rows
    for k in range(end - 1, begin - 1, -1):
        first, after, inside = int(zones[k, 4]), int(zones[k, 5]), False
        if first == after:
            dx, dy = x - zones[k, 1], y - zones[k, 2]
            inside = dx * dx + dy * dy < zones[k, 3] * zones[k, 3]
        # Whether a line from the place along x crosses an odd number of sides.
        for i in range(first, after):
            j = i + 1 if i + 1 < after else first
            x1, y1, x2, y2 = corners[i, 0], corners[i, 1], corners[j, 0], corners[j, 1]
            if (y1 > y) != (y2 > y) and x < x1 + (y - y1) / (y2 - y1) * (x2 - x1):
                inside = not inside
        if inside:
            return k
    return -1


@routine
def friction_at(rows: ZoneRows, x: float, y: float) -> float:
    """Factor of the friction at a place [m]: that of the last zone that covers it, else 1."""
    found = zone_at(rows, 0, len(rows.zones), x, y)
    return float(rows.zones[found, 0]) if found >= 0 else 1.0
