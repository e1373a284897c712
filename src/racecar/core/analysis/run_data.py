# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""A tracking run, from a bag or from the arrays of a simulation without ROS."""

from __future__ import annotations

from array import array
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
import math
from pathlib import Path
from typing import Any

import numpy as np

from racecar.core.analysis.bag_reader import BagReader, BagSummary
from racecar.core.analysis.completeness import late_start, LateStart, lost_ticks, LostTicks
from racecar.core.analysis.metrics import Array, merge_by_stamp, MergedTrack
from racecar.core.analysis.tyre_data import TyreData, TyreSamples
from racecar.core.errors import BagError
from racecar.core.types import NANOSECONDS, quaternion_to_yaw

ODOMETRY_TOPICS = ('/vesc/odom', '/odom')  # the second with topic_names:=f1tenth
REFERENCE_TOPICS = ('/reference_trajectory',)
POINT_TOPIC = '/tracked_point'
ODOMETRY_TYPE = 'nav_msgs/msg/Odometry'
POINT_TYPE = 'geometry_msgs/msg/PointStamped'
PATH_TOPIC = '/reference_path'
PATH_TYPE = 'nav_msgs/msg/Path'
# Later stamps are dates, earlier ones simulated time, which begins at 0.
EPOCH_FROM_NS = 10**9 * NANOSECONDS
_LONG_GAP = 1.0  # [s]
_LONG_GAP_STEPS = 5.0


@dataclass(frozen=True, eq=False)
class TrackingRun:
    """Odometry and reference of one run, each with its own stamps.

    name: for titles. t, x, y: (n,) odometry stamps [s] and position of the tracked point [m];
    yaw: (n,) heading [rad] or None. reference_t, reference_x, reference_y: (m,) likewise.
    origin_ns: what 0 s stands for [ns]. odometry_topic, reference_topic, bag: where the run
    came from, empty for a simulation. tyre_data: slip and forces of the wheels, if recorded.
    lost, late: ticks of the odometry and time at the start that the recording missed.
    warnings: what a reader of the numbers should know.
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
    odometry_topic: str = ''
    reference_topic: str = ''
    bag: BagSummary | None = None
    warnings: tuple[str, ...] = ()
    tyre_data: TyreData | None = None
    lost: LostTicks | None = None
    late: LateStart | None = None

    @classmethod
    def from_bag(
        cls, path: Path | str, *, odometry_topic: str | None = None,
        reference_topic: str | None = None,
        progress: Callable[[int, int], None] | None = None,
    ) -> TrackingRun:
        """Read a run from a bag; header.stamp is the time base, 0 s the earliest stamp.

        path: as for BagReader. odometry_topic, reference_topic: nav_msgs/msg/Odometry topics,
        by default /vesc/odom (else /odom) and /reference_trajectory. A name that is not in the
        bag stands for the only topic that ends with it, as /car1/vesc/odom does.
        Beside the reference, tracked_point says which point of the car follows it; the odometry
        is moved there. Without it that is base_link. The stamp of reference_path tells when the
        reference started. Slip and forces of the wheels are read if they lie beside the reference
        as well.
        progress: called with the number of messages read so far and in all.
        Raises BagError if the bag cannot be read, a topic is missing, empty or ambiguous, or
        its messages carry no stamps.
        """
        with BagReader(path) as reader:
            summary = reader.summary
            odometry = find_topic(
                summary, ODOMETRY_TOPICS if odometry_topic is None else (odometry_topic,))
            reference = find_topic(
                summary, REFERENCE_TOPICS if reference_topic is None else (reference_topic,))
            samples = {odometry: _Samples(), reference: _Samples()}
            point = _beside(summary, reference, POINT_TOPIC, POINT_TYPE)
            path_topic = _beside(summary, reference, PATH_TOPIC, PATH_TYPE)
            tracked: tuple[float, float] | None = None
            path_stamps: list[int] = []
            tyres = TyreSamples(summary, _namespace(reference))
            topics = [*samples, *filter(None, [point, path_topic]), *tyres.topics]
            total = sum(row.message_count for row in summary.topics if row.name in topics)
            for done, row in enumerate(reader.messages(topics), start=1):
                if row.topic == point:
                    tracked = row.message.point.x, row.message.point.y
                elif row.topic == path_topic:
                    path_stamps.append(_stamp_ns(row.message))
                elif row.topic in samples:
                    samples[row.topic].add(row.message)
                else:
                    tyres.add(row)
                if progress is not None:
                    progress(done, total)
        warnings = list(summary.warnings)
        for topic, column in samples.items():
            warnings += column.check(topic, summary.path)
        if point and tracked is None:
            warnings.append(
                f'{point} has no message: the error is that of base_link, whichever point the'
                ' tracker tracked')
        ahead, left = tracked or (0.0, 0.0)
        origin_ns = min(min(column.stamps) for column in samples.values())
        actual, desired = samples[odometry], samples[reference]
        t, reference_t = actual.seconds(origin_ns), desired.seconds(origin_ns)
        gap = _longest_gap(reference_t)
        if gap is not None:
            warnings.append(
                f'{reference} pauses for {gap[1]:.1f} s at {gap[0]:.1f} s; the reference is'
                ' interpolated across the pause and the errors there mean little')
        lost = lost_ticks(t)
        late = late_start(
            t, np.array(actual.speed), reference_t,
            path_stamps=[(stamp - origin_ns) / NANOSECONDS for stamp in path_stamps],
            time_zero=-origin_ns / NANOSECONDS if origin_ns < EPOCH_FROM_NS else None)
        warnings += _losses(odometry, reference, len(np.unique(t)), lost, late)
        yaw = np.array(actual.yaw)
        return cls(
            name=summary.path.resolve().name, t=t,
            x=np.array(actual.x) + ahead * np.cos(yaw) - left * np.sin(yaw),
            y=np.array(actual.y) + ahead * np.sin(yaw) + left * np.cos(yaw),
            yaw=yaw, reference_t=reference_t, reference_x=np.array(desired.x),
            reference_y=np.array(desired.y), origin_ns=origin_ns, odometry_topic=odometry,
            reference_topic=reference, bag=summary, warnings=tuple(warnings),
            tyre_data=tyres.data(), lost=lost, late=late)

    def merged(self, skip: float = 0.0) -> MergedTrack:
        """Merge both by stamp, without the first `skip` seconds of what overlaps.

        Raises BagError and ConfigurationError as merge_by_stamp and without_start do.
        """
        track = merge_by_stamp(
            self.t, self.x, self.y, self.reference_t, self.reference_x, self.reference_y,
            origin=self.origin_ns / NANOSECONDS)
        return track.without_start(skip)


def find_topic(
    summary: BagSummary, names: Sequence[str], type_name: str = ODOMETRY_TYPE,
) -> str:
    """Return the topic of a bag that one of the names stands for.

    The first name that is in the bag, else the only topic of the type that ends with the first
    name that any topic ends with. Raises BagError naming what is missing, has another type or
    is ambiguous, and what the bag has.
    """
    wanted = [name if name.startswith('/') else f'/{name}' for name in names]
    types = {row.name: row.type_name for row in summary.topics}
    for name in wanted:
        if name in types:
            if types[name] != type_name:
                raise BagError(
                    f"bag '{summary.path}': {name} is {types[name]}, expected {type_name};"
                    ' name another topic')
            return name
    for name in wanted:
        found = [topic for topic, kind in types.items()
                 if topic.endswith(name) and kind == type_name]
        if len(found) > 1:
            raise BagError(
                f"bag '{summary.path}': {name} may be {' or '.join(found)}; name the one to use")
        if found:
            return found[0]
    raise BagError(
        f"bag '{summary.path}': {' and '.join(wanted)}"
        f' {"is" if len(wanted) == 1 else "are"} missing; it has {summary.describe_topics()}')


def _beside(summary: BagSummary, reference: str, name: str, type_name: str) -> str | None:
    """Return the topic of a name that belongs to a reference, if it is in the bag."""
    topic = _namespace(reference) + name
    found = any(row.name == topic and row.type_name == type_name for row in summary.topics)
    return topic if found else None


def _losses(
    odometry: str, reference: str, samples: int, lost: LostTicks | None, late: LateStart | None,
) -> list[str]:
    """Return the warnings about what the recording missed."""
    found = []
    if lost is not None:
        found.append(
            f'{odometry} has lost {lost.ticks} of {lost.ticks + samples} ticks'
            f' ({lost.share:.1%}): its stamps step by {lost.period:.4g} s, at'
            f' {lost.longest_at:.3f} s by {lost.longest:.6g} s; the errors there are not in the'
            ' numbers. record:= or --record loses none; other recorders should run at real time')
    if late is not None:
        when = f'when {reference} was under way' if late.missing is None else (
            f'{"up to " if late.is_bound else ""}{late.missing:.4g} s after the start of'
            f' {reference}')
        found.append(
            f'the recording begins late, {when}; the errors before are not in the numbers. Begin'
            ' to record before the tracker is active')
    return found


def _namespace(topic: str) -> str:
    return topic.rpartition('/')[0]


def _stamp_ns(message: Any) -> int:
    stamp = message.header.stamp
    return int(stamp.sec * NANOSECONDS + stamp.nanosec)


@dataclass
class _Samples:
    """Columns of an Odometry topic."""

    stamps: array[int] = field(default_factory=lambda: array('q'))
    x: array[float] = field(default_factory=lambda: array('d'))
    y: array[float] = field(default_factory=lambda: array('d'))
    yaw: array[float] = field(default_factory=lambda: array('d'))
    speed: array[float] = field(default_factory=lambda: array('d'))

    def add(self, message: Any) -> None:
        pose = message.pose.pose
        self.stamps.append(_stamp_ns(message))
        self.x.append(pose.position.x)
        self.y.append(pose.position.y)
        velocity = message.twist.twist.linear
        self.speed.append(math.hypot(velocity.x, velocity.y))
        turn = pose.orientation
        self.yaw.append(quaternion_to_yaw(turn.x, turn.y, turn.z, turn.w))

    def check(self, topic: str, path: Path) -> list[str]:
        """Return warnings about the stamps; raises BagError if there is no time base."""
        if not self.stamps:
            raise BagError(
                f"bag '{path}': {topic} has no messages; was its node running and active?")
        steps = np.diff(np.array(self.stamps))
        if steps.size and not steps.any():
            raise BagError(
                f"bag '{path}': all {len(self.stamps)} messages on {topic} carry the stamp"
                f' {self.stamps[0]} ns; fill header.stamp to analyse a run')
        backward = int(np.sum(steps < 0))
        if not backward:
            return []
        return [
            f'stamps on {topic} step back {backward} times and were sorted; a simulation that'
            ' was restarted within one recording mixes its runs']

    def seconds(self, origin_ns: int) -> Array:
        # Whole nanoseconds up to 104 days are exact in double precision, and equal stamps
        # become equal times.
        return (np.array(self.stamps) - origin_ns) / NANOSECONDS


def _longest_gap(t: Array) -> tuple[float, float] | None:
    """Return start and length of the longest gap [s] if it is a pause, else None."""
    times = np.unique(t)
    steps = np.diff(times)
    if not steps.size:
        return None
    longest = int(np.argmax(steps))
    limit = max(_LONG_GAP, _LONG_GAP_STEPS * float(np.median(steps)))
    return (float(times[longest]), float(steps[longest])) if steps[longest] > limit else None
