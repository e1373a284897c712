# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""A tracking run: odometry and reference as arrays, recorded or simulated."""

from __future__ import annotations

from dataclasses import dataclass, replace

from racecar.analysis.completeness import LateStart, LostTicks
from racecar.analysis.motion import Motion
from racecar.analysis.tyre_data import TyreData
from racecar.base.columns import Array
from racecar.base.types import NANOSECONDS
from racecar.metrics.laps import Course, lap_times, LapRule, LapTimes
from racecar.metrics.tracking_error import (
    compute_metrics,
    merge_by_stamp,
    MergedTrack,
    Metrics,
)

# Later stamps are dates, earlier ones simulated time, which begins at 0.
EPOCH_FROM_NS = 10**9 * NANOSECONDS


@dataclass(frozen=True, eq=False)
class TrackingRun:
    """Odometry and reference of one run, each with its own stamps.

    name: for titles. t, x, y: (n,) odometry stamps [s] and position of the tracked point [m];
    yaw: (n,) heading [rad] or None. reference_t, reference_x, reference_y: (m,) likewise.
    origin_ns: what 0 s stands for [ns]. odometry_name, reference_name: what both are called where
    the run comes from, empty for a simulation. tyre_data: slip and forces of the wheels, if
    recorded. lost, late: ticks of the odometry and time at the start that the recording missed.
    collisions: contacts with what stands around, None if none were counted. motion: of the whole
    run, None where only positions are known.
    warnings: what a reader of the numbers should know. course: of laps, None where the path of
    the reference is not known.
    """

    name: str
    t: Array
    x: Array
    y: Array
    reference_t: Array
    reference_x: Array
    reference_y: Array
    yaw: Array | None = None
    origin_ns: int = 0
    odometry_name: str = ''
    reference_name: str = ''
    warnings: tuple[str, ...] = ()
    tyre_data: TyreData | None = None
    lost: LostTicks | None = None
    late: LateStart | None = None
    collisions: int | None = None
    motion: Motion | None = None
    course: Course | None = None

    def merged(self, skip: float = 0.0) -> MergedTrack:
        """Merge both by stamp, without the first `skip` seconds of what overlaps.

        Raises RunError and ConfigurationError as merge_by_stamp and without_start do.
        """
        track = merge_by_stamp(
            self.t, self.x, self.y, self.reference_t, self.reference_x, self.reference_y,
            origin=self.origin_ns / NANOSECONDS)
        return track.without_start(skip)

    def metrics(self, skip: float = 0.0) -> Metrics:
        """All figures; errors without the first `skip` seconds, laps and collisions of the whole.

        Raises RunError and ConfigurationError as compute_metrics() does.
        """
        return replace(compute_metrics(self.merged(), skip), collisions=self.collisions,
                       laps=self.laps())

    def laps(self, rule: LapRule | None = None) -> LapTimes | None:
        """Laps of the tracked point; None where the path is not known or not closed."""
        return None if self.course is None else lap_times(
            self.course, self.t, self.x, self.y, rule)
