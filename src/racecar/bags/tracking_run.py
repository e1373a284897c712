# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""A tracking run from a bag."""

from __future__ import annotations

import math
from operator import attrgetter
from pathlib import Path
from typing import NamedTuple

import numpy as np

from racecar.analysis.completeness import (
    late_start,
    LateStart,
    longest_pause,
    lost_ticks,
    LostTicks,
)
from racecar.analysis.run_data import EPOCH_FROM_NS, TrackingRun
from racecar.bags import message_types, message_values
from racecar.bags.car_rows import MotionRows, TyreRows
from racecar.bags.drive_reader import (
    Columns,
    DriveReader,
    Progress,
    Rows,
    seconds,
    time_of_recording,
)
from racecar.bags.reader import BagMessage
from racecar.bags.summary import BagSummary, find_topic
from racecar.base.columns import Array
from racecar.base.errors import BagError
from racecar.base.types import NANOSECONDS
from racecar.metrics.laps import Course
from racecar.ros import topics

_REFERENCE = Columns(('x', 'y'), attrgetter('pose.pose.position.x', 'pose.pose.position.y'))
_NUMBERS = Columns(('x', 'y'), lambda message: message.data[:2])
_POINT = Columns(('x', 'y'), attrgetter('point.x', 'point.y'))
_COUNT = Columns(('count',), lambda message: (message.data,))


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
    progress: Progress | None = None,
) -> RecordedRun:
    """Read a run from a bag; header.stamp is the time base, 0 s the earliest stamp.

    path: as for BagReader. odometry_topic, reference_topic: nav_msgs/msg/Odometry topics, by
    default those of the robot that racecar.ros.topics.find_robots finds. A name that is not in the
    bag stands for the only topic that ends with it, as /car1/vesc/odom does.
    The reference may also be the std_msgs/Float64MultiArray of the original: x, y, time [s].
    Beside it, tracked_point says which point of the car follows it; the odometry is moved there.
    Without it that is base_link. reference_path is the course of laps, and its stamp tells when
    the reference started. Slip and forces of the wheels, and the collisions, are read if they lie
    beside the reference as well.
    progress: called with the number of messages read so far and in all.
    Raises BagError if the bag cannot be read, a topic is missing, empty or ambiguous, or its
    messages carry no stamps.
    """
    with DriveReader(path, odometry_topic) as drive:
        return tracking_run_in(drive, reference_topic, progress)


def tracking_run_in(
    drive: DriveReader, reference_topic: str | None = None, progress: Progress | None = None,
) -> RecordedRun:
    """Read a run from an open bag of which nothing has been read yet, as read_tracking_run()."""
    rows = _ask(drive, reference_topic)
    drive.read(progress)
    path = rows.paths[-1][1] if rows.paths else np.empty((0, 2))
    odometry, reference = rows.motion.odometry, rows.reference
    warnings = [*drive.summary.warnings, *_check(rows, drive.path)]
    origin_ns = int(min(odometry.stamps.min(), reference.stamps.min()))
    t, reference_t = (seconds(column.stamps, origin_ns) for column in (odometry, reference))
    x, y, yaw, vx, vy, _ = odometry.table.T
    lost = lost_ticks(t)
    late = late_start(
        t, np.array([*map(math.hypot, vx, vy)]), reference_t,
        path_stamps=seconds(np.array([at for at, _ in rows.paths]), origin_ns).tolist(),
        time_zero=-origin_ns / NANOSECONDS if origin_ns < EPOCH_FROM_NS else None)
    warnings += _pauses(reference.topic, reference_t)
    warnings += _losses(odometry.topic, reference.topic, len(np.unique(t)), lost, late)
    ahead, left = rows.point.table[-1] if rows.point.count else (0.0, 0.0)
    reference_x, reference_y = reference.table.T
    return RecordedRun(TrackingRun(
        name=drive.summary.name, t=t, x=x + ahead * np.cos(yaw) - left * np.sin(yaw),
        y=y + ahead * np.sin(yaw) + left * np.cos(yaw), yaw=yaw, reference_t=reference_t,
        reference_x=reference_x, reference_y=reference_y, origin_ns=origin_ns,
        odometry_name=odometry.topic, reference_name=reference.topic, warnings=tuple(warnings),
        tyre_data=rows.tyres.data(), lost=lost, late=late, collisions=_contacts(rows.collisions),
        motion=rows.motion.motion(origin_ns),
        course=Course.along(path) if len(path) else None), drive.summary)


class _TrackingRows(NamedTuple):
    """What is read; point, paths and collisions: those that lie beside the reference."""

    motion: MotionRows
    reference: Rows
    point: Rows
    paths: list[tuple[int, Array]]
    collisions: Rows
    tyres: TyreRows


def _ask(drive: DriveReader, reference_topic: str | None) -> _TrackingRows:
    """Ask for what makes up a run. Raises BagError as find_robot() and find_topic() do."""
    place, usual = drive.robot.namespace, topics.REFERENCE_TRAJECTORY
    names = (reference_topic,) if reference_topic else (f'{place}/{usual}', usual)
    try:
        reference = drive.rows(
            find_topic(drive.summary, names, message_types.ODOMETRY), _REFERENCE)
    except BagError as error:
        try:
            topic = find_topic(drive.summary, names, message_types.NUMBERS)
        except BagError:
            raise error from None
        reference = drive.rows(topic, _NUMBERS, _time_of_numbers)
    place = reference.topic.rpartition('/')[0]

    def beside(type_name: str, name: str) -> str:
        return drive.beside(type_name, name, namespace=place, may_be_empty=True)

    return _TrackingRows(
        MotionRows.of(drive, place), reference,
        drive.rows(beside(message_types.POINT, topics.TRACKED_POINT), _POINT, time_of_recording),
        drive.values(beside(message_types.PATH, topics.REFERENCE_PATH),
                     message_values.path_points),
        drive.rows(beside(message_types.COUNT, topics.COLLISIONS), _COUNT, time_of_recording),
        TyreRows(drive, place))


def _time_of_numbers(row: BagMessage) -> int:
    """Time that the reference of the original has in place of a header [ns]."""
    _, _, time = map(float, row.message.data[:3])
    return round(time * NANOSECONDS)


def _check(rows: _TrackingRows, path: Path) -> list[str]:
    """Warnings about stamps and point. Raises BagError if there is no time base."""
    warnings = []
    for column in {column.topic: column
                   for column in (rows.motion.odometry, rows.reference)}.values():
        column.check('was its node running and active?')
        steps = np.diff(column.stamps)
        if steps.size and not steps.any():
            raise BagError(
                f"bag '{path}': all {column.count} messages on {column.topic} carry the stamp"
                f' {column.stamps[0]} ns; fill header.stamp to analyse a run')
        backward = int(np.sum(steps < 0))
        if backward:
            warnings.append(
                f'stamps on {column.topic} step back {backward} times and were sorted; a'
                ' simulation that was restarted within one recording mixes its runs')
    if rows.point.topic and not rows.point.count:
        warnings.append(
            f'{rows.point.topic} has no message: the error is that of base_link, whichever point'
            ' the tracker tracked')
    return warnings


def _contacts(counts: Rows) -> int | None:
    """Sum of what was counted, None where nobody counted; a reset begins at 0 again."""
    if not counts.topic:
        return None
    numbers = np.append(0, counts.table[:, 0].astype(int))
    return int(np.sum(numbers[1:] - np.minimum(numbers[:-1], numbers[1:])))


def _pauses(name: str, t: Array) -> list[str]:
    """Warning about a pause of the reference."""
    pause = longest_pause(t)
    return [] if pause is None else [
        f'{name} pauses for {pause[1]:.1f} s at {pause[0]:.1f} s; the reference is'
        ' interpolated across the pause and the errors there mean little']


def _losses(
    odometry: str, reference: str, samples: int, lost: LostTicks | None, late: LateStart | None,
) -> list[str]:
    """Warnings about what the recording missed."""
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


def _size(size: float) -> str:
    for unit in ('bytes', 'kB', 'MB'):
        if size < 1000:
            return f'{size:.3g} {unit}'
        size /= 1000
    return f'{size:.3g} GB'
