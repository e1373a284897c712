# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""What a case of a lab asks of the car, and the mark for it: pure functions of samples."""

from __future__ import annotations

from collections.abc import Mapping
import math
from typing import ClassVar, NamedTuple, Protocol

import numpy as np

from racecar.base.errors import ConfigurationError
from racecar.base.fields import Fields
from racecar.base.share import find_track
from racecar.control.trajectories.waypoint_file import read_way_points
from racecar.metrics.laps import Course, LapRule, LapTimer

PASS_MARK = 0.5
"""Least mark with which a case is passed, where the lab names no other one."""

_LEAP = 0.1
_STANDING = 0.02
_STANDS_FOR = 1.0


class Sample(NamedTuple):
    """What the grader knows at an instant, of the true motion.

    time: since the case began [s]. x, y [m], yaw [rad]: of base_link in the map; speed [m/s].
    left, right: mean distance of what the laser sees on a side, see sides_of() [m]; ahead: least
    distance that it sees straight ahead [m]; NaN without a scan. collisions: so far.
    """

    time: float
    x: float
    y: float
    yaw: float
    speed: float
    left: float = math.nan
    right: float = math.nan
    ahead: float = math.nan
    collisions: int = 0


class Estimate(NamedTuple):
    """Where a localisation says that the car is: time since the case began [s], x, y, yaw."""

    time: float
    x: float
    y: float
    yaw: float


def is_leap(before: Sample, after: Sample) -> bool:
    """Whether a car was put elsewhere between two samples: it cannot have driven there."""
    speed = max(abs(before.speed), abs(after.speed))
    way = math.dist((before.x, before.y), (after.x, after.y))
    return way > _LEAP + 2.0 * speed * (after.time - before.time)


class Verdict(NamedTuple):
    """Outcome of a case: mark from 0 to 1, a sentence for people, and figures by name."""

    mark: float
    text: str
    figures: Mapping[str, float]


class Check(Protocol):
    """Looks at one case as it is driven, as the fields of a lab file describe it.

    KEYS: of these fields. begins: what the time of the case begins with, the first `command` of
    the student, a program that listens to the `robot`, the first `estimate` of a pose, or a
    listener to the `goal`.
    """

    KEYS: ClassVar[set[str]]
    begins: str

    def __init__(self, fields: Fields) -> None:
        """Raise ConfigurationError for values that cannot be used."""

    def add(self, sample: Sample) -> bool:
        """Take a sample, later than the last; whether the case is over."""

    def verdict(self) -> Verdict:
        """The mark for what has come so far; collisions are not in it."""


class WallCheck:
    """Follows a wall at a distance until an end.

    The mark is that of MIT RSS, 1 / (1 + (alpha loss)^2), loss the mean of the absolute difference
    between the distance on that side and the desired one [m]; 0 if the end is not reached.
    """

    KEYS: ClassVar[set[str]] = {'side', 'distance', 'alpha', 'end', 'end_radius'}
    begins = 'command'

    def __init__(self, fields: Fields) -> None:
        self._side = fields.choice('side', ('left', 'right'))
        self._distance = fields.number('distance', least=0.0)
        self._alpha = fields.number('alpha', 1.0, least=0.0)
        self._end = fields.numbers('end', 2)
        self._radius = fields.number('end_radius', 1.0, least=0.0)
        self._sum, self._count = 0.0, 0
        self._away = self._nearest = math.inf

    def add(self, sample: Sample) -> bool:
        """Sum the loss; the case is over where the end is reached."""
        distance = sample.left if self._side == 'left' else sample.right
        if math.isfinite(distance):
            self._sum += abs(distance - self._distance)
            self._count += 1
        self._away = math.dist((sample.x, sample.y), self._end)
        self._nearest = min(self._nearest, self._away)
        return self._away < self._radius

    def verdict(self) -> Verdict:
        """Mark by the loss, if the end is reached."""
        loss = self._sum / self._count if self._count else math.nan
        figures = {'loss [m]': loss, 'nearest to the end [m]': self._nearest}
        if not self._away < self._radius:
            return Verdict(
                0.0, f'did not reach the end, {self._away:.1f} m away (nearest'
                f' {self._nearest:.1f} m)', figures)
        if not self._count:
            return Verdict(
                0.0, f'reached the end, but the laser saw no wall {self._side}', figures)
        mark = wall_mark(loss, self._alpha)
        return Verdict(mark, f'reached the end, mean distance error {loss:.3f} m', figures)


def wall_mark(loss: float, alpha: float) -> float:
    """Mark of a wall follower from 0 to 1; loss [m], alpha [1/m]."""
    return 1.0 / (1.0 + (alpha * loss) ** 2)


class StopCheck:
    """Comes to rest before what stands ahead, after it has driven."""

    KEYS: ClassVar[set[str]] = {'clearance', 'moved'}
    begins = 'robot'

    def __init__(self, fields: Fields) -> None:
        low, high = fields.numbers('clearance', 2, (0.05, 2.0))
        if not 0.0 <= low < high:
            raise fields.error('clearance', [low, high], 'two distances [m], the lesser one first')
        self._clearance = low, high
        self._moved = fields.number('moved', 0.5, least=0.0)
        self._start: tuple[float, float] | None = None
        self._way = self._fastest = 0.0
        self._ahead = math.nan
        self._stands_since = math.nan

    def add(self, sample: Sample) -> bool:
        """Look whether the car has moved and stands."""
        here = sample.x, sample.y
        self._start = self._start or here
        self._way = max(self._way, math.dist(here, self._start))
        self._fastest = max(self._fastest, abs(sample.speed))
        if math.isfinite(sample.ahead):
            self._ahead = sample.ahead
        if abs(sample.speed) > _STANDING or self._way < self._moved:
            self._stands_since = math.nan
        elif math.isnan(self._stands_since):
            self._stands_since = sample.time
        return sample.time - self._stands_since >= _STANDS_FOR

    def verdict(self) -> Verdict:
        """Full mark for a stop within the clearance."""
        figures = {'clearance [m]': self._ahead, 'way [m]': self._way,
                   'top speed [m/s]': self._fastest}
        low, high = self._clearance
        if self._way < self._moved:
            return Verdict(0.0, f'moved {self._way:.2f} m only, expected {self._moved:g} m before'
                           ' the stop', figures)
        if math.isnan(self._stands_since):
            return Verdict(0.0, 'did not stop', figures)
        found = f'stopped with {self._ahead:.2f} m seen ahead'
        if not low <= self._ahead <= high:
            return Verdict(0.0, f'{found}, expected {low:g} to {high:g} m', figures)
        return Verdict(1.0, found, figures)


class DistanceCheck:
    """Drives a way of some length, anywhere."""

    KEYS: ClassVar[set[str]] = {'metres'}
    begins = 'command'

    def __init__(self, fields: Fields) -> None:
        self._metres = fields.number('metres', least=0.1)
        self._last: tuple[float, float] | None = None
        self._way = 0.0

    def add(self, sample: Sample) -> bool:
        """Sum the way."""
        here = sample.x, sample.y
        if self._last is not None:
            self._way += math.dist(here, self._last)
        self._last = here
        return self._way >= self._metres

    def verdict(self) -> Verdict:
        """Share of the way."""
        return Verdict(min(self._way / self._metres, 1.0),
                       f'drove {self._way:.1f} of {self._metres:g} m', {'way [m]': self._way})


class LapCheck:
    """Drives laps of a track; the course is a waypoint file, by name or path."""

    KEYS: ClassVar[set[str]] = {'track', 'laps', 'completion', 'reverse'}
    begins = 'command'

    def __init__(self, fields: Fields) -> None:
        self._laps = fields.whole('laps', 1, least=1)
        rule = LapRule(fields.number('completion', 1.0), 1)
        points, _, _, widths = read_way_points(find_track(fields.text('track')))
        if fields.flag('reverse', False):
            points, widths = points[::-1], None if widths is None else widths[::-1, ::-1]
        try:
            rule.check()
        except ConfigurationError as error:
            raise fields.error('completion', rule.completion, 'a share of 0.5 to 1') from error
        # From where the car starts, so that the lap is as long for whoever starts elsewhere.
        self._course = Course.along(points, widths)
        self._timer = LapTimer(self._course, rule)

    def add(self, sample: Sample) -> bool:
        """Time the laps."""
        self._timer.add(np.array([sample.time]), np.array([sample.x]), np.array([sample.y]))
        return len(self._timer.laps) >= self._laps

    def verdict(self) -> Verdict:
        """Share of the laps, by progress along the track."""
        found = self._timer.result()
        if found is None:
            return Verdict(0.0, 'the track is not closed: it has no laps', {})
        times = [lap.time for lap in found.laps]
        progress = max(0.0, found.progress)
        figures = {'laps': float(len(times)), 'progress [laps]': found.progress,
                   'best lap [s]': min(times, default=math.nan)}
        if len(times) >= self._laps:
            shown = ', '.join(f'{lap:.2f}' for lap in times[:self._laps])
            return Verdict(1.0, f'{len(times)} lap{"s" * (len(times) > 1)} in {shown} s', figures)
        # A lap counts when it is whole, from the line to the line.
        share = min((len(times) + max(progress - len(times), 0.0)) / self._laps, 0.99)
        return Verdict(share, f'{len(times)} of {self._laps} laps, progress {progress:.2f} laps',
                       figures)


class GoalCheck:
    """Reaches goals one after the other; goals: [x, y] each [m].

    path_topic, path_type: of the path that a planner answers a goal with; empty: not awaited.
    plan_limit: how long the time of the case waits for it [s] of the computer's time.
    """

    KEYS: ClassVar[set[str]] = {
        'goals', 'tolerance', 'goal_time', 'path_topic', 'path_type', 'plan_limit'}
    begins = 'goal'

    def __init__(self, fields: Fields) -> None:
        self.goals = fields.points('goals')
        self._tolerance = fields.number('tolerance', 1.0, least=0.0)
        self._patience = fields.number('goal_time', 60.0, least=0.0)
        self.path_topic = fields.text('path_topic', '')
        self.path_type = fields.choice('path_type', ('PoseArray', 'Path'), 'PoseArray')
        self.plan_limit = fields.number('plan_limit', 60.0, least=0.0)
        self._since = 0.0
        self._reached: list[float] = []
        self._missed = 0

    @property
    def goal(self) -> tuple[float, float] | None:
        """The present goal [m]; None after the last one."""
        number = len(self._reached) + self._missed
        return self.goals[number] if number < len(self.goals) else None

    def add(self, sample: Sample) -> bool:
        """Look whether the present goal is reached, or has taken too long."""
        goal = self.goal
        if goal is None:
            return True
        took = sample.time - self._since
        if math.dist(goal, (sample.x, sample.y)) <= self._tolerance:
            self._reached.append(took)
            self._since = sample.time
        elif took > self._patience:
            self._missed += 1
            self._since = sample.time
        return self.goal is None

    def verdict(self) -> Verdict:
        """Share of the goals."""
        reached, total = len(self._reached), len(self.goals)
        return Verdict(reached / total, f'reached {reached} of {total} goals',
                       {'goals': float(reached), 'time [s]': math.fsum(self._reached)})


class LocalisationCheck:
    """Estimates where the car is while it is driven.

    The mark is 1 up to a median error of `good` [m], and 0 from `bad` on, in between linear; times
    the share of the seconds in which an estimate came.
    """

    KEYS: ClassVar[set[str]] = {'topic', 'type', 'good', 'bad', 'settle'}
    begins = 'estimate'

    def __init__(self, fields: Fields) -> None:
        self.topic = fields.text('topic', '/pf/pose/odom')
        self.type = fields.choice(
            'type', ('Odometry', 'PoseStamped', 'PoseWithCovarianceStamped'), 'Odometry')
        self._good = fields.number('good', 0.15, least=0.0)
        self._bad = fields.number('bad', 1.0, least=self._good)
        self._settle = fields.number('settle', 2.0, least=0.0)
        self._last: Sample | None = None
        self._errors: list[float] = []
        self._turned: list[float] = []
        self._seconds: set[int] = set()

    def add(self, sample: Sample) -> bool:
        """Keep where the car is; the time limit ends the case."""
        self._last = sample
        return False

    def estimate(self, estimate: Estimate) -> None:
        """Compare an estimate with where the car is now: it comes late if it took long."""
        if self._last is None or estimate.time < self._settle:
            return
        self._errors.append(math.dist((estimate.x, estimate.y), (self._last.x, self._last.y)))
        self._seconds.add(int(estimate.time - self._settle))
        turned = estimate.yaw - self._last.yaw
        self._turned.append(abs(math.remainder(turned, math.tau)))

    def verdict(self) -> Verdict:
        """Mark by the median of the distances."""
        if not self._errors or self._last is None:
            return Verdict(0.0, f'published no pose on {self.topic} after the first'
                           f' {self._settle:g} s', {})
        errors = np.array(self._errors)
        median = float(np.median(errors))
        mark = min(max((self._bad - median) / max(self._bad - self._good, 1e-9), 0.0), 1.0)
        if median <= self._good:
            mark = 1.0
        seconds = max(math.ceil(self._last.time - self._settle), 1)
        heard = min(len(self._seconds), seconds)
        gaps = f', in {heard} of {seconds} s' if heard < seconds else ''
        turned = math.degrees(float(np.median(self._turned)))
        return Verdict(
            mark * heard / seconds, f'median error {median:.3f} m and {turned:.1f} degrees over'
            f' {len(errors)} poses, {np.quantile(errors, 0.95):.3f} m in 95 %{gaps}',
            {'median error [m]': median, 'P95 error [m]': float(np.quantile(errors, 0.95)),
             'median heading error [deg]': turned})


CHECKS: Mapping[str, type[Check]] = {
    'wall': WallCheck, 'stop': StopCheck, 'distance': DistanceCheck, 'laps': LapCheck,
    'goals': GoalCheck, 'localisation': LocalisationCheck}
"""By the name that a lab file has in `kind`."""


def make_check(fields: Fields) -> Check:
    """Check that a mapping of a lab file describes. Raises ConfigurationError."""
    kind = CHECKS[fields.choice('kind', tuple(CHECKS))]
    fields.know({'kind', *kind.KEYS})
    return kind(fields)


def sides_of(angles: np.ndarray, ranges: np.ndarray) -> tuple[float, float, float]:
    """Mean distance of what a laser sees left and right of it, and the least one ahead [m].

    angles [rad], ranges [m]: (n,). A side is all that is seen up to 1.5 m ahead of the laser, as
    in the lab of MIT RSS; ahead is within 0.2 rad of its axis. NaN where nothing is seen.
    """
    seen = np.isfinite(ranges)
    x, y = ranges[seen] * np.cos(angles[seen]), ranges[seen] * np.sin(angles[seen])
    beside = (x > 0.0) & (x < 1.5)
    left, right = y[beside & (y > 0.0)], -y[beside & (y < 0.0)]
    ahead = ranges[seen][np.abs(angles[seen]) < 0.2]
    return (float(left.mean()) if left.size else math.nan,
            float(right.mean()) if right.size else math.nan,
            float(ahead.min()) if ahead.size else math.nan)
