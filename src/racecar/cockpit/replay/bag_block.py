# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""A block of a replay, built of the messages of a bag."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from operator import attrgetter
import sys
from typing import NamedTuple

import numpy as np

from racecar.bags import message_values
from racecar.bags.reader import BagMessage
from racecar.base.columns import Array
from racecar.base.poses import NO_POSE
from racecar.base.types import BodyState, NANOSECONDS, Twist3
from racecar.cockpit.driver_message import car_of, lamps_of
from racecar.cockpit.frames import json_frame, scan_frame
from racecar.cockpit.replay import bag_topics
from racecar.cockpit.replay.bag_latched import key_of, unusable
from racecar.cockpit.replay.recording import BLOCK, Block, TimedFrame
from racecar.cockpit.samples import driver_numbers, Samples

_BLOCK_NS = round(BLOCK * NANOSECONDS)
_SCAN_LASTS = 1.0      # [s]
_LEVELS = {10: 'debug', 20: 'info', 30: 'warn', 40: 'error', 50: 'fatal'}
_LEAST_LEVEL = 20
_SCAN = attrgetter('ranges', 'range_min', 'range_max', 'angle_min', 'angle_increment')
_STILL = BodyState(NO_POSE, Twist3(0.0, 0.0, 0.0, 0.0, 0.0, 0.0))


class _Stamps:
    """Times of messages by one clock, also of those whose stamp nobody has filled in.

    Such a message counts as stamped as long after it was recorded as the odometry is: the stamps
    of a simulation begin at 0, where the recorder has the time of the day.
    """

    def __init__(self, offset_ns: int = 0) -> None:
        """offset_ns: stamp less time of recording of an odometry message [ns]."""
        self._offset_ns = offset_ns

    def of(self, message: object, log_time_ns: int) -> int:
        """Stamp of a message that was recorded at a time [ns]."""
        return message_values.stamp_ns(message) or log_time_ns + self._offset_ns

    def note(self, message: object, log_time_ns: int) -> None:
        """Compare stamp and time of recording of an odometry message, if it has a stamp."""
        stamp = message_values.stamp_ns(message)
        if stamp:
            self._offset_ns = stamp - log_time_ns


class Replayed(NamedTuple):
    """What the blocks of a bag have in common.

    begin_ns: when 0 s was recorded; offset_ns: stamp less time of recording at that time [ns].
    number: of the robot in the frames. columns: of its state. tracked_ahead: how far ahead of the
    robot's origin the point lies that follows the reference [m]. car_info: a CarInfo or None.
    """

    topics: bag_topics.BagTopics
    begin_ns: int
    offset_ns: int
    number: int = 0
    columns: tuple[str, ...] = ()
    tracked_ahead: float = 0.0
    car_info: object = None

    def time_of(self, time_ns: int) -> float:
        """Time [s] at which something was recorded [ns]."""
        return float(time_ns - self.begin_ns) / NANOSECONDS

    def span_ns(self, index: int) -> range:
        """When the messages of a block were recorded [ns]."""
        start = self.begin_ns + index * _BLOCK_NS
        return range(start, start + _BLOCK_NS)


class BlockBuilder:
    """Joins the messages of a block, and those around it, to rows and frames."""

    def __init__(self, bag: Replayed, index: int) -> None:
        self._bag = bag
        self._span_ns = bag.span_ns(index)
        # What a block holds is bounded by its length.
        self._samples = Samples(bag.columns, sys.maxsize)
        self._samples.tracked_ahead = bag.tracked_ahead
        self._stamps = stamps = _Stamps(bag.offset_ns)
        self._parts: list[tuple[Array, Array]] = []
        self._frames: list[TimedFrame] = []
        self._sent: dict[str, Mapping[str, object]] = {}
        self._unusable: set[str] = set()
        self._takes: dict[str, Callable[[object, int], object]] = {
            bag_topics.ODOMETRY: self._take_odometry, bag_topics.REFERENCE: self._take_reference,
            bag_topics.JOINTS: self._take_joints, bag_topics.DRIVER: self._take_driver,
            bag_topics.COMMAND: lambda message, now: self._samples.add_command(
                message_values.ackermann(message), stamps.of(message, now)),
            bag_topics.TWIST: lambda message, now: self._samples.add_command(
                message_values.twist_command(message), stamps.of(message, now)),
            bag_topics.SCAN: self._take_scan, bag_topics.LOG: self._take_log}

    def add(self, row: BagMessage) -> None:
        """Add a message, in the order of recording."""
        role = self._bag.topics.roles[row.topic]
        if row.topic == self._bag.topics.base:
            self._stamps.note(row.message, row.log_time_ns)
        take = self._takes.get(role)
        if take is not None:
            take(row.message, row.log_time_ns)
        if row.topic == self._bag.topics.base and role != bag_topics.ODOMETRY:
            self._add_row(_STILL, self._stamps.of(row.message, row.log_time_ns), row.log_time_ns)

    def complain(self, row: BagMessage, error: Exception) -> None:
        """Say once that messages of a topic cannot be used."""
        if row.topic not in self._unusable:
            self._unusable.add(row.topic)
            self.say(self._bag.time_of(row.log_time_ns), unusable(row, error))

    def say(self, time: float, text: str) -> None:
        """Add a warning to the log."""
        self._frames.append(TimedFrame(
            time, '', json_frame('log', level='warn', node='replay', text=text)))

    def block(self) -> Block:
        """The block."""
        self._take_rows()
        times = np.concatenate([np.empty(0), *(times for times, _ in self._parts)])
        values: Array = np.concatenate(
            [np.empty((0, len(self._bag.columns))), *(rows for _, rows in self._parts)])
        order = np.argsort(times, kind='stable')
        return Block(times[order], values[order], tuple(
            sorted(self._frames, key=lambda row: row.time)))

    def _add_row(self, state: BodyState, stamp_ns: int, now_ns: int) -> None:
        if now_ns not in self._span_ns:
            return
        if self._samples.is_of_another_run(stamp_ns):
            self._take_rows()
            self._samples.begin_anew()
        self._samples.add_odometry(stamp_ns, state, self._bag.time_of(now_ns))

    def _take_rows(self) -> None:
        while (part := self._samples.take(waits=False)) is not None:
            self._parts.append(part)

    def _take_odometry(self, message: object, now_ns: int) -> None:
        state = message_values.body_state(message)
        if state is not None:
            self._add_row(state, self._stamps.of(message, now_ns), now_ns)

    def _take_reference(self, message: object, now_ns: int) -> None:
        reference = message_values.reference(message, self._stamps.of(message, now_ns))
        if reference is not None:
            self._samples.add_reference(reference)

    def _take_joints(self, message: object, now_ns: int) -> None:
        joints = message_values.joint_states(message)
        if joints is not None:
            self._samples.add_joints(joints, self._stamps.of(message, now_ns))

    def _take_driver(self, message: object, now_ns: int) -> None:
        self._samples.add_driver(driver_numbers(message), self._stamps.of(message, now_ns))
        self._send_once('lamps', {'lamps': lamps_of(message)}, now_ns)
        if self._bag.car_info is not None:
            self._send_once('car', car_of(self._bag.car_info, message), now_ns)

    def _send_once(self, kind: str, fields: Mapping[str, object], now_ns: int) -> None:
        """Add a frame for what is new in this block."""
        if now_ns in self._span_ns and self._sent.get(kind) != fields:
            self._sent[kind] = fields
            self._frames.append(TimedFrame(
                self._bag.time_of(now_ns), kind, json_frame(kind, **fields)))

    def _take_scan(self, message: object, now_ns: int) -> None:
        if now_ns in self._span_ns:
            time = self._bag.time_of(now_ns)
            self._frames.append(TimedFrame(
                time, key_of(bag_topics.SCAN, self._bag.number),
                _scan_of(message, time, self._bag.number), _SCAN_LASTS))

    def _take_log(self, message: object, now_ns: int) -> None:
        fields = _log_fields(message)
        if fields is not None and now_ns in self._span_ns:
            self._frames.append(TimedFrame(
                self._bag.time_of(now_ns), '', json_frame('log', **fields)))


def _scan_of(message: object, time: float, robot: int) -> bytes:
    """Frame of a LaserScan; what is out of its range is infinite. time [s]."""
    found, shortest, longest, first, step = _SCAN(message)
    ranges = np.asarray(found, np.float64)
    seen = (ranges >= shortest) & (ranges <= longest)
    return scan_frame(robot, time, first, step, np.where(seen, ranges, np.inf))


def _log_fields(message: object) -> dict[str, str] | None:
    """Fields of the message `log`; None for what is for debugging."""
    level, node, text = attrgetter('level', 'name', 'msg')(message)
    if level < _LEAST_LEVEL:
        return None
    return {'level': _LEVELS.get(level, 'info'), 'node': node, 'text': text}
