# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""What a car did in a drive with nodes, of its odometry as it comes, and the measures of that."""

from __future__ import annotations

from array import array
from functools import cached_property
import hashlib
import math

import numpy as np

from racecar.base.columns import Array
from racecar.base.errors import ConfigurationError
from racecar.base.types import NANOSECONDS, Odometry
from racecar.base.values import Values
from racecar.control.tracker import TrajectoryTracker
from racecar.metrics.drive_sum import DriveSum
from racecar.metrics.run_table import COLUMNS, RunMetrics
from racecar.metrics.tracking_error import Metrics
from racecar.scenarios.expected import COLLISIONS, MEASURES, Traffic

_MOTION = 7
"""Numbers of a sample: time, x, y, yaw, vx, vy, yaw rate."""


class DriveRecord:
    """The true motion of a car up to a time, and what came on topics.

    The reference is not that of messages, of which some are missing where signals fail: it is that
    of the tracker at each sample, from the first odometry on that its control has. Metrics and
    measures are asked for once the drive is over.
    """

    def __init__(self, end_ns: int, tracker: Values | None = None) -> None:
        """end_ns: up to which samples count [ns]; tracker: values, None without a reference."""
        self._end_ns = end_ns
        self._tracker = tracker
        self._seen: Odometry | None = None
        self._stamps: list[int] = []
        self._numbers = array('d')
        self._sum = DriveSum()
        self._topics: dict[str, list[int]] = {}
        self._last: dict[str, tuple[int, bytes]] = {}
        self.collisions: int | None = None
        self.time_ns = 0
        """Simulated time that has come [ns]."""

    def add_seen(self, odometry: Odometry) -> None:
        """Take the odometry that control has."""
        self._seen = self._seen or odometry

    def add_motion(self, odometry: Odometry) -> None:
        """Take the true motion; one that is not later than the last counts for nothing."""
        self.note_time(odometry.time_ns)
        if odometry.time_ns > self._end_ns or (
                self._stamps and odometry.time_ns <= self._stamps[-1]):
            return
        self._stamps.append(odometry.time_ns)
        time = odometry.time_ns / NANOSECONDS
        self._numbers.extend((time, odometry.x, odometry.y, odometry.yaw, odometry.vx, odometry.vy,
                              odometry.yaw_rate))
        self._sum.add(time, odometry.x, odometry.y, odometry.yaw)

    def note_time(self, time_ns: int) -> None:
        """Note that the simulated time has come so far [ns]."""
        self.time_ns = max(self.time_ns, time_ns)

    def note_message(self, topic: str, data: bytes, *, is_stamped: bool) -> None:
        """Note that a message came on a topic now.

        is_stamped: whether its type has a header. Then one with the bytes of the last, before time
        has gone on, is not one more: a simulator in lockstep sends its odometry again to those for
        whom it waits.
        """
        before, self._last[topic] = self._last.get(topic), (self.time_ns, data)
        if self.time_ns <= self._end_ns and not (is_stamped and before == (self.time_ns, data)):
            row = self._topics.setdefault(topic, [0, 0])
            row[0], row[1] = row[0] + 1, self.time_ns

    @property
    def samples(self) -> Array:
        """Time, x, y, yaw, vx, vy, yaw rate, (n, 7)."""
        return np.array(self._numbers).reshape(-1, _MOTION)

    @property
    def position(self) -> tuple[float, float]:
        """Where the car was at last [m]; NaN before the first sample."""
        samples = self.samples
        return (float(samples[-1, 1]), float(samples[-1, 2])) if len(samples) else (
            math.nan, math.nan)

    @property
    def digest(self) -> str:
        """SHA-256 of all samples: drives that are alike to the bit have the same."""
        return hashlib.sha256(self.samples.tobytes()).hexdigest()

    def missing(self, period_ns: int) -> str:
        """Say which samples did not come, of one each so many nanoseconds; '' for none."""
        wanted = min(self.time_ns, self._end_ns) // period_ns + 1
        lost = wanted - len(self._stamps)
        return f'{lost} of {wanted} odometry messages did not come' if lost > 0 else ''

    def traffic(self, topic: str) -> Traffic:
        """What came on a topic that was noted by this name."""
        count, last_ns = self._topics.get(topic, (0, 0))
        return Traffic(count, (min(self.time_ns, self._end_ns) - last_ns) / NANOSECONDS)

    @property
    def tracked_ahead(self) -> float:
        """Position of the point that follows the reference [m]; NaN without a reference."""
        return self._started.tracked_ahead if len(self._rows) else math.nan

    def metrics(self, skip: float = 0.0) -> Metrics | None:
        """Errors against the reference; None without one.

        skip: time at the start that counts for nothing [s]. Raises RunError for numbers that are
        not finite.
        """
        if not len(self._rows):
            return None
        tracker = self._started
        found = RunMetrics(tracker.tracked_ahead, skip, lambda _: tracker.course())
        found.add(self._rows)
        try:
            return found.result()
        except ConfigurationError:
            # It ended before what counts.
            return None

    def at_the_end(self) -> dict[str, float]:
        """Distance to the reference and speed at the last sample, NaN for what there is not."""
        rows, samples = self._rows, self.samples
        found = dict.fromkeys(('final_error', 'final_speed'), math.nan)
        if len(samples):
            found['final_speed'] = float(np.hypot(samples[-1, 4], samples[-1, 5]))
        if len(rows):
            last = dict(zip(COLUMNS, rows[-1].tolist(), strict=True))
            ahead = self.tracked_ahead
            found['final_error'] = float(np.hypot(
                last['x'] + ahead * np.cos(last['yaw']) - last['x_reference'],
                last['y'] + ahead * np.sin(last['yaw']) - last['y_reference']))
        return found

    def measures(self, skip: float = 0.0) -> dict[str, float]:
        """Numbers of MEASURES, NaN for what is not known; skip: as of metrics()."""
        metrics, samples = self.metrics(skip), self.samples
        found: dict[str, float] = dict.fromkeys(MEASURES, math.nan)
        laps = self._sum.laps
        found |= {'laps': float(len(laps)), 'best_lap': min(laps, default=math.nan),
                  'distance': self._sum.distance, **self.at_the_end()}
        if len(samples):
            found['top_speed'] = float(np.hypot(samples[:, 4], samples[:, 5]).max())
        if metrics is not None:
            found |= {name: math.nan if value is None else float(value)
                      for name, value in metrics.as_dict().items() if name in MEASURES}
        if self.collisions is not None:
            found[COLLISIONS] = float(self.collisions)
        return found

    @cached_property
    def _started(self) -> TrajectoryTracker:
        """The tracker, whose reference began as that of the drive."""
        assert self._tracker is not None
        assert self._seen is not None
        tracker = TrajectoryTracker(self._tracker)
        tracker.start(self._seen, self._seen.time_ns)
        return tracker

    @cached_property
    def _rows(self) -> Array:
        """Samples with their references, as rows of COLUMNS; none without a reference."""
        if self._tracker is None or self._seen is None:
            return np.empty((0, len(COLUMNS)))
        tracker = self._started
        first = next((place for place, stamp in enumerate(self._stamps)
                      if stamp >= self._seen.time_ns), len(self._stamps))
        rows = np.zeros((len(self._stamps) - first, len(COLUMNS)))
        rows[:, :_MOTION] = self.samples[first:]
        for row, stamp in zip(rows, self._stamps[first:], strict=True):
            row[_MOTION:_MOTION + 2] = tracker.reference_at(stamp)
        return rows
