# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""A closed track as race lines need it: centre line, normals and widths at even steps."""

from __future__ import annotations

from dataclasses import dataclass
import hashlib
import math

import numpy as np
from numpy.typing import NDArray

from racecar.base.errors import ConfigurationError, excerpt
from racecar.base.share import find_track, track_names
from racecar.control.racelines.closed_spline import ClosedSpline
from racecar.control.trajectories.waypoint_file import read_way_points
from racecar.scene.scene_map import scene_map
from racecar.scene.track import CentreLine, find_centre_line
from racecar.scene.world_file import load_world

Array = NDArray[np.float64]

# An offset inwards may take so much of the radius of the reference.
_INWARD = 0.8
_BORDER_STEP = 0.05


@dataclass(frozen=True)
class Stations:
    """A line at n even steps of its way, without the first one repeated at the end.

    s (n,) [m]; points (n, 2) [m]; heading (n,) [rad]; curvature (n,) [1/m]; widths (n, 2): to the
    borders on the right and on the left [m]; step [m]: from one to the next.
    """

    s: Array
    points: Array
    heading: Array
    curvature: Array
    widths: Array
    step: float

    @property
    def normals(self) -> Array:
        """Unit vectors to the left, (n, 2)."""
        return np.column_stack([-np.sin(self.heading), np.cos(self.heading)])

    def offset_limits(self, margin: float) -> tuple[Array, Array]:
        """Lowest and highest offset to the left (n,) [m] that keep a margin to the borders.

        Raises ConfigurationError where the track is too narrow.
        """
        low, high = margin - self.widths[:, 0], self.widths[:, 1] - margin
        tight = int(np.argmin(high - low))
        if low[tight] > high[tight]:
            x, y = self.points[tight]
            raise ConfigurationError(
                f'the track is {self.widths[tight].sum():.2f} m wide at ({x:.1f}, {y:.1f}) m,'
                f' expected at least twice the margin of {margin:g} m; take a smaller margin')
        # Neighbouring normals meet at the centre of the bend.
        most = _INWARD / np.maximum(np.abs(self.curvature), 1e-9)
        return (np.where(self.curvature < 0.0, np.maximum(low, -most), low),
                np.where(self.curvature > 0.0, np.minimum(high, most), high))

    def at(self, offsets: Array) -> Array:
        """Points of a line by its offsets to the left (n,) [m]: (n + 1, 2), closed."""
        points = self.points + offsets[:, None] * self.normals
        return np.vstack([points, points[:1]])


@dataclass(frozen=True)
class Track:
    """A closed track. name: as it was loaded; line: its centre line with widths."""

    name: str
    line: CentreLine

    @classmethod
    def load(cls, name: str) -> Track:
        """Track of a waypoint file with widths or, if there is none of the name, of a world.

        name: of a file, in config/tracks or in worlds. Raises ConfigurationError if it is no
        closed track with widths.
        """
        if name in track_names() or name.endswith('.csv'):
            way_points = read_way_points(find_track(name))
            if way_points.widths is not None:
                points = way_points.points
                if float(np.hypot(*(points[0] - points[-1]))) > 1e-9:
                    raise ConfigurationError(
                        f'track {excerpt(name)} is open, expected a closed one: its last waypoint'
                        ' repeats the first')
                return cls(name, CentreLine(points, way_points.widths))
            if name.endswith('.csv'):
                raise ConfigurationError(
                    f'track {excerpt(name)} has no widths, expected columns w_right and w_left;'
                    ' `racecar track MAP -o FILE` writes them')
        scene = load_world(name)
        return cls(name, find_centre_line(scene_map(scene), scene.starts[0]))

    @property
    def length(self) -> float:
        """Way round along the centre line [m]."""
        return self.line.length

    @property
    def digest(self) -> str:
        """SHA-256 of the centre line and the widths, in tenths of a millimetre."""
        rows = np.round(np.hstack([self.line.points, self.line.widths]) * 1e4).astype('<i8')
        return hashlib.sha256(rows.tobytes()).hexdigest()

    def stations(self, step: float) -> Stations:
        """The centre line by a spline, at even steps of about this length [m]."""
        spline = ClosedSpline.through(self.line.points)
        s, length = _even(spline, step)
        widths = np.column_stack([
            np.interp(s, spline.knots, self.line.widths[:, side]) for side in (0, 1)])
        return Stations(
            s, spline.points(s), spline.heading(s), spline.curvature(s), widths, length)

    def about(self, points: Array, step: float) -> Stations:
        """Another closed line in the track, at even steps of about this length [m].

        points: (n + 1, 2) of which the last repeats the first [m]. Its widths are the distances to
        the nearest points of the borders on either side.
        """
        spline = ClosedSpline.through(points)
        s, length = _even(spline, step)
        places = spline.points(s)
        centre = self.stations(_BORDER_STEP)
        right, left = (
            _nearest(places, centre.at(side)[:-1]) for side in (
                -centre.widths[:, 0], centre.widths[:, 1]))
        return Stations(s, places, spline.heading(s), spline.curvature(s),
                        np.column_stack([right, left]), length)


def _even(spline: ClosedSpline, step: float) -> tuple[Array, float]:
    """Ways of stations at even steps of about this length, and the length [m]."""
    count = max(16, math.ceil(spline.length / step))
    return np.arange(count) * spline.length / count, spline.length / count


def _nearest(places: Array, border: Array) -> Array:
    """Distance of each place (n, 2) from the nearest point of a border (m, 2)."""
    # |p - q|^2 = p^2 - 2 p q + q^2, in blocks.
    squares = np.sum(border**2, axis=1)
    found = np.maximum(0.0, np.concatenate([
        np.sum(block**2, axis=1) + np.min(squares - 2.0 * block @ border.T, axis=1)
        for block in np.array_split(places, math.ceil(len(places) / 256))]))
    return np.asarray(np.sqrt(found))
