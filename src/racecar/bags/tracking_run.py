# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""A tracking run from a bag."""

from __future__ import annotations

from array import array
from collections.abc import Callable, Sequence
import contextlib
from dataclasses import dataclass, field
import itertools
import math
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from racecar.analysis.completeness import (
    late_start,
    LateStart,
    longest_pause,
    lost_ticks,
    LostTicks,
)
from racecar.analysis.run_data import EPOCH_FROM_NS, TrackingRun
from racecar.bags import message_types
from racecar.bags.motion_samples import MotionSamples
from racecar.bags.reader import BagMessage, BagReader, stamp_ns
from racecar.bags.summary import BagSummary, find_robot, find_topic
from racecar.bags.tyre_samples import TyreSamples
from racecar.base.errors import BagError
from racecar.base.types import NANOSECONDS, quaternion_to_yaw
from racecar.ros import topics
from racecar.simulation.metrics.tracking_error import Array


class RecordedRun(NamedTuple):
    """A run, and the bag that it is from."""

    run: TrackingRun
    bag: BagSummary

    @property
    def source(self) -> tuple[tuple[str, str], ...]:
        """Rows for a report that say where the run is from: name and text."""
        files = ', '.join(file.name for file in self.bag.files)
        return (
            ('Bag', str(self.bag.path)),
            ('Storage', f'{self.bag.storage}, {_size(self.bag.size)}: {files}'),
            ('Recorded', f'{self.bag.message_count} messages on {len(self.bag.topics)} topics'),
        )


def read_tracking_run(
    path: Path | str, *, odometry_topic: str | None = None, reference_topic: str | None = None,
    progress: Callable[[int, int], None] | None = None,
) -> RecordedRun:
    """Read a run from a bag; header.stamp is the time base, 0 s the earliest stamp.

    path: as for BagReader. odometry_topic, reference_topic: nav_msgs/msg/Odometry topics, by
    default those of the robot that racecar.ros.topics.find_robots finds. A name that is not in the
    bag stands for the only topic that ends with it, as /car1/vesc/odom does.
    The reference may also be the std_msgs/Float64MultiArray of the original: x, y, time [s].
    Beside it, tracked_point says which point of the car follows it; the odometry is moved there.
    Without it that is base_link. The stamp of reference_path tells when the reference
    started. Slip and forces of the wheels, and the collisions, are read if they lie beside the
    reference as well.
    progress: called with the number of messages read so far and in all.
    Raises BagError if the bag cannot be read, a topic is missing, empty or ambiguous, or its
    messages carry no stamps.
    """
    with BagReader(path) as reader:
        summary = reader.summary
        odometry, place, *_ = find_robot(summary, odometry_topic)
        usual = topics.REFERENCE_TRAJECTORY
        reference, kind = _reference(
            summary, (reference_topic,) if reference_topic else (f'{place}/{usual}', usual))
        samples = {odometry: _Samples(), reference: _Samples()}
        adding = {topic: found.add for topic, found in samples.items()}
        if kind == message_types.NUMBERS:
            adding[reference] = samples[reference].add_numbers
        point = _beside(summary, reference, topics.TRACKED_POINT, message_types.POINT)
        path_topic = _beside(summary, reference, topics.REFERENCE_PATH, message_types.PATH)
        tracked: tuple[float, float] | None = None
        path_stamps: list[int] = []
        counted = _beside(summary, reference, topics.COLLISIONS, message_types.COUNT)
        counts = [0]
        tyres = TyreSamples(summary, _namespace(reference))
        motion = MotionSamples(summary, odometry, _namespace(reference))
        of_motion, of_tyres = set(motion.topics), set(tyres.topics)
        names = {*samples, *filter(None, [point, path_topic, counted]), *of_motion, *of_tyres}

        def take(row: BagMessage) -> None:
            nonlocal tracked
            if row.topic in of_motion:
                motion.add(row)
            if row.topic == point:
                tracked = row.message.point.x, row.message.point.y
            elif row.topic == path_topic:
                path_stamps.append(stamp_ns(row.message))
            elif row.topic == counted:
                counts.append(row.message.data)
            elif row.topic in adding:
                adding[row.topic](row.message)
            elif row.topic in of_tyres:
                tyres.add(row)

        reader.hand_out(dict.fromkeys(names, take), progress)
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
    pause = longest_pause(reference_t)
    if pause is not None:
        warnings.append(
            f'{reference} pauses for {pause[1]:.1f} s at {pause[0]:.1f} s; the reference is'
            ' interpolated across the pause and the errors there mean little')
    lost = lost_ticks(t)
    late = late_start(
        t, np.array(actual.speed), reference_t,
        path_stamps=[(stamp - origin_ns) / NANOSECONDS for stamp in path_stamps],
        time_zero=-origin_ns / NANOSECONDS if origin_ns < EPOCH_FROM_NS else None)
    warnings += _losses(odometry, reference, len(np.unique(t)), lost, late)
    yaw = np.array(actual.yaw)
    run = TrackingRun(
        name=summary.path.resolve().name, t=t,
        x=np.array(actual.x) + ahead * np.cos(yaw) - left * np.sin(yaw),
        y=np.array(actual.y) + ahead * np.sin(yaw) + left * np.cos(yaw),
        yaw=yaw, reference_t=reference_t, reference_x=np.array(desired.x),
        reference_y=np.array(desired.y), origin_ns=origin_ns, odometry_name=odometry,
        reference_name=reference, warnings=tuple(warnings), tyre_data=tyres.data(), lost=lost,
        late=late, collisions=_contacts(counts) if counted else None,
        motion=motion.data(origin_ns))
    return RecordedRun(run, summary)


def _reference(summary: BagSummary, names: Sequence[str]) -> tuple[str, str]:
    """Return topic and type of the reference. Raises BagError as find_topic()."""
    try:
        return find_topic(summary, names, message_types.ODOMETRY), message_types.ODOMETRY
    except BagError:
        with contextlib.suppress(BagError):
            return find_topic(summary, names, message_types.NUMBERS), message_types.NUMBERS
        raise


def _contacts(counts: list[int]) -> int:
    """Return the sum of what was counted; a reset begins at 0 again."""
    return sum(count - min(before, count) for before, count in itertools.pairwise(counts))


def _beside(summary: BagSummary, reference: str, name: str, type_name: str) -> str | None:
    """Return the topic of a name that belongs to a reference, if it is in the bag."""
    topic = f'{_namespace(reference)}/{name}'
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
        self.stamps.append(stamp_ns(message))
        self.x.append(pose.position.x)
        self.y.append(pose.position.y)
        velocity = message.twist.twist.linear
        self.speed.append(math.hypot(velocity.x, velocity.y))
        turn = pose.orientation
        self.yaw.append(quaternion_to_yaw(turn.x, turn.y, turn.z, turn.w))

    def add_numbers(self, message: Any) -> None:
        """Take the reference of the original: x, y [m] and, in place of a header, the time [s]."""
        x, y, time = map(float, message.data[:3])
        self.stamps.append(round(time * NANOSECONDS))
        self.x.append(x)
        self.y.append(y)

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


def _size(size: float) -> str:
    for unit in ('bytes', 'kB', 'MB'):
        if size < 1000:
            return f'{size:.3g} {unit}'
        size /= 1000
    return f'{size:.3g} GB'
