# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""Errors against the path of the reference: cross-track, heading and speed error.

Cross-track and heading error are those of path followers, as in G. Hoffmann, C. Tomlin,
M. Montemerlo, S. Thrun, "Autonomous automobile trajectory tracking for off-road driving",
American Control Conference 2007, and J. Snider, "Automatic steering methods for autonomous
automobile path tracking", CMU-RI-TR-09-08, 2009.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass

from racecar.metrics.quantities import Quantity

PATH_WINDOW = 3.0
"""The nearest point of the path is sought this long before and after the sample [s]."""


@dataclass(frozen=True)
class PathMetrics:
    """Errors of the tracked point against the path of the reference, over a run.

    The path is the polyline of the reference positions at the samples; the nearest point of it
    is sought at most PATH_WINDOW before and after the sample.
    cross_track_rmse: sqrt(mean(d^2)), d being the distance to the nearest point [m].
    max_cross_track_error: largest d [m].
    heading_rmse: sqrt(mean(e^2)), e being the course of the tracked point minus the direction of
    the path at the nearest point, in (-pi, pi] [rad]; modulo pi, in [-pi/2, pi/2], where the path
    turns back on itself within the window, as a car does that drives backwards. Samples count
    where tracked point and reference move at SLOWEST_COURSE or faster; None without any.
    speed_rmse: sqrt(mean((v - v_reference)^2)), the speeds at the same time [m/s]; None for a
    run of one sample. Course and speeds are those of the difference between the samples before
    and after, for tracked point and reference alike.
    """

    cross_track_rmse: float
    max_cross_track_error: float
    heading_rmse: float | None
    speed_rmse: float | None

    def as_dict(self) -> dict[str, float | None]:
        """Return the values by name."""
        return asdict(self)

    def quantities(self) -> dict[str, Quantity]:
        """The figures for people by the names of as_dict()."""
        return {
            'cross_track_rmse': Quantity('cross-track RMSE', self.cross_track_rmse, 'm'),
            'max_cross_track_error': Quantity(
                'maximum cross-track error', self.max_cross_track_error, 'm'),
            'heading_rmse': Quantity('heading RMSE', self.heading_rmse, 'rad'),
            'speed_rmse': Quantity('speed RMSE', self.speed_rmse, 'm/s'),
        }

    def as_rows(self) -> list[tuple[str, str, str]]:
        """(name, value, unit) of the same."""
        return [quantity.row() for quantity in self.quantities().values()]
