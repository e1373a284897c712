# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""A bag as a recording of the cockpit: blocks are read by the index of the bag."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
import itertools
import math
from pathlib import Path
import sys
from typing import Any

import numpy as np

from racecar.bags.body_states import body_state
from racecar.bags.drive_log import grid_of_message
from racecar.bags.reader import BagMessage, BagReader, stamp_ns, UNUSABLE
from racecar.base.errors import BagError, ConfigurationError, excerpt
from racecar.base.poses import NO_POSE
from racecar.base.types import BodyState, NANOSECONDS, Twist3
from racecar.cockpit.camera_picture import picture_of, picture_of_compressed
from racecar.cockpit.driver_message import car_of, lamps_of
from racecar.cockpit.frames import json_frame
from racecar.cockpit.replay import bag_topics, bag_values
from racecar.cockpit.replay.recording import (
    Array,
    BLOCK,
    Block,
    Mark,
    Recording,
    ROBOT,
)
from racecar.cockpit.robot_message import robot_frames
from racecar.cockpit.samples import driver_numbers, Samples
from racecar.cockpit.scene_message import grid_frame, path_frame, scene_frames
from racecar.description.robot_tree import RobotTree
from racecar.description.urdf import read_urdf
from racecar.scene.scene import Scene

_BLOCK_NS = round(BLOCK * NANOSECONDS)
# A row may show values of messages that came before its block, or as an answer to it [ns].
_LEAD_NS, _TAIL_NS = NANOSECONDS, NANOSECONDS // 10
_SCAN_LASTS = 1.0      # [s]
# Messages among which one with a stamp is looked for: the first of a simulation has 0.
_STAMPS_SOUGHT = 50
_STILL = BodyState(NO_POSE, Twist3(0.0, 0.0, 0.0, 0.0, 0.0, 0.0))


class BagRecording(Recording):
    """The first robot of a bag. Times are those of recording, 0 s its first odometry."""

    def __init__(
        self, path: Path | str, *, scene: Scene | None = None,
        tree: RobotTree | None = None, notes: tuple[str, ...] = (),
    ) -> None:
        """Open a bag and read what is latched in it.

        scene, tree: surroundings and robot for a bag that has no map or description; tree also
        if the description cannot be used. Raises BagError if it cannot be read or has nothing to
        show.
        """
        self._reader = BagReader(path)
        try:
            self._open(path, scene, tree, notes)
        except BaseException:
            self.close()
            raise

    def _open(
        self, path: Path | str, scene: Scene | None, tree: RobotTree | None,
        notes: tuple[str, ...],
    ) -> None:
        summary = self._reader.summary
        self._topics = bag_topics.find_topics(summary)
        self.name = Path(path).resolve().name
        rows = iter(self._messages([self._topics.base]))
        first = next(rows, None)
        if first is None:
            raise BagError(f"bag '{path}': {self._topics.base} has no message that can be read")
        self._begin_ns = first.log_time_ns
        self._offset_ns = _stamp_offset(itertools.chain(
            [first], itertools.islice(rows, _STAMPS_SOUGHT)))
        self.end = max(0.0, self._time(self._reader.span_ns[1]))
        self._notes = [*summary.warnings, *notes, *self._topics.notes]
        self._tracked_ahead = 0.0
        self._car_info: Any = None
        self._description: str | None = None
        self.standing = self._standing(has_scene=scene is not None)
        described = self._tree()
        robot = robot_frames(
            ROBOT, described or tree or _plain(self._notes),
            driver=bag_topics.DRIVER in self._topics.roles.values(),
            laser_frame=self._laser_frame())
        self._columns = robot.columns
        self.opening = (*robot.frames, *({} if scene is None else scene_frames(scene)).values())
        self.notes = (*self._notes, *robot.faults)
        self._pictures = self._topics.having(bag_topics.IMAGE, bag_topics.COMPRESSED)[:1]
        self.has_pictures = bool(self._pictures)

    def close(self) -> None:
        """Close the bag."""
        self._reader.close()

    def block(self, index: int) -> Block:
        """Read a block; what is damaged in it is left out, and a mark says so."""
        start = self._begin_ns + index * _BLOCK_NS
        build = _BlockBuilder(
            self._time, self._topics, self._columns, self._tracked_ahead, self._car_info,
            range(start, start + _BLOCK_NS), bag_values.Stamps(self._offset_ns))
        try:
            for row in self._messages(
                    self._topics.having(*bag_topics.CONTINUOUS) or [self._topics.base],
                    start - _LEAD_NS, start + _BLOCK_NS + _TAIL_NS):
                try:
                    build.add(row)
                except UNUSABLE as error:
                    build.complain(row, error)
        except BagError as error:
            build.say(self._time(start), str(error))
        return build.block()

    def picture(self, after: float, time: float) -> bytes | None:
        """Read the newest picture of a time; None also for one that is none."""
        bounds = (self._begin_ns + math.floor(moment * NANOSECONDS) + 1
                  for moment in (after, time))
        try:
            newest = None
            for row in self._messages(self._pictures, *bounds):
                newest = row
            if newest is None:
                return None
            encode = picture_of if self._topics.roles[newest.topic] == bag_topics.IMAGE else \
                picture_of_compressed
            return encode(newest.message, self._time(newest.log_time_ns), ROBOT)
        except (BagError, *UNUSABLE):
            return None

    def _messages(self, topics: list[str], *bounds: int) -> Iterable[BagMessage]:
        if not topics:
            return ()
        start_ns, stop_ns = bounds or (None, None)
        return self._reader.messages(topics, start_ns=start_ns, stop_ns=stop_ns)

    def _time(self, time_ns: int) -> float:
        return float(time_ns - self._begin_ns) / NANOSECONDS

    def _standing(self, *, has_scene: bool) -> tuple[Mark, ...]:
        unusable: dict[str, str] = {}
        muxes: dict[str, str] = {}
        sources: dict[str, list[str]] = {}
        marks = []
        newest: dict[str, bytes] = {}
        # Many publish the same map or path again and again.
        frames: dict[bytes, bytes] = {}
        try:
            for row in self._messages(
                    self._topics.having(*bag_topics.STANDING, bag_topics.ACTIVE)):
                role = self._topics.roles[row.topic]
                try:
                    frame = self._standing_frame(row, muxes, sources, has_scene=has_scene)
                except UNUSABLE as error:
                    unusable[row.topic] = _unusable(row, error)
                    continue
                if frame is not None and frame != newest.get(role):
                    newest[role] = frame = frames.setdefault(frame, frame)
                    marks.append(Mark(self._time(row.log_time_ns), role, frame))
        except BagError as error:
            unusable[''] = str(error)
        self._notes += unusable.values()
        return tuple(marks)

    def _standing_frame(
        self, row: BagMessage, muxes: dict[str, str], sources: dict[str, list[str]], *,
        has_scene: bool,
    ) -> bytes | None:
        """Take note of what a message describes; return the frame that shows it, if any."""
        role, message = self._topics.roles[row.topic], row.message
        if role == bag_topics.PATH:
            return self._path(message)
        if role == bag_topics.MAP:
            return None if has_scene else self._map(message)
        if role == bag_topics.ACTIVE:
            mux = row.topic.removesuffix('/active')
            source = str(message.data)
            if muxes.get(mux) == source:
                # It repeats itself.
                return None
            muxes[mux] = source
            seen = sources.setdefault(mux, [])
            if source and source not in seen:
                seen.append(source)
            return _muxes_frame(muxes, sources)
        if role == bag_topics.DESCRIPTION:
            self._description = str(message.data)
        elif role == bag_topics.CAR:
            self._car_info = message
        elif math.isfinite(ahead := float(message.point.x)):
            self._tracked_ahead = ahead
        return None

    def _path(self, message: Any) -> bytes | None:
        points = np.array([(pose.pose.position.x, pose.pose.position.y) for pose in message.poses])
        return path_frame(points) if len(points) and np.isfinite(points).all() else None

    def _map(self, message: Any) -> bytes:
        grid = grid_of_message(message)
        if grid.origin.yaw:
            raise ValueError('its origin is turned, expected along the axes')
        return grid_frame(grid)

    def _tree(self) -> RobotTree | None:
        if self._description is None:
            return None
        try:
            return read_urdf(self._description)
        except ConfigurationError as error:
            self._notes.append(f'the robot description in the bag is not shown: {error}')
            return None

    def _laser_frame(self) -> str | None:
        first = next(iter(self._messages(self._topics.having(bag_topics.SCAN)[:1])), None)
        if first is None:
            return None
        header = getattr(first.message, 'header', None)
        return str(getattr(header, 'frame_id', '')).rpartition('/')[2] or None


class _BlockBuilder:
    """Joins the messages of a block, and those around it, to rows and marks."""

    def __init__(
        self, time_of: Callable[[int], float], topics: bag_topics.BagTopics,
        columns: tuple[str, ...], tracked_ahead: float, car_info: Any, span_ns: range,
        stamps: bag_values.Stamps,
    ) -> None:
        self._time_of = time_of
        self._topics = topics
        self._car_info = car_info
        self._span_ns = span_ns
        self._width = len(columns)
        # What a block holds is bounded by its length.
        self._samples = Samples(columns, sys.maxsize)
        self._stamps = stamps
        self._samples.tracked_ahead = tracked_ahead
        self._parts: list[tuple[Array, Array]] = []
        self._marks: list[Mark] = []
        self._told: dict[str, Mapping[str, Any]] = {}
        self._unusable: set[str] = set()
        self._takes: dict[str, Callable[[Any, int], object]] = {
            bag_topics.ODOMETRY: self._take_odometry, bag_topics.REFERENCE: self._take_reference,
            bag_topics.JOINTS: self._take_joints, bag_topics.DRIVER: self._take_driver,
            bag_topics.COMMAND: lambda message, now: self._samples.add_command(
                bag_values.ackermann(message), stamps.of(message, now)),
            bag_topics.TWIST: lambda message, now: self._samples.add_command(
                bag_values.twist_command(message), stamps.of(message, now)),
            bag_topics.SCAN: self._take_scan, bag_topics.LOG: self._take_log}

    def add(self, row: BagMessage) -> None:
        """Add a message, in the order of recording."""
        role = self._topics.roles[row.topic]
        if row.topic == self._topics.base:
            self._stamps.note(row.message, row.log_time_ns)
        take = self._takes.get(role)
        if take is not None:
            take(row.message, row.log_time_ns)
        if row.topic == self._topics.base and role != bag_topics.ODOMETRY:
            self._add_row(_STILL, self._stamps.of(row.message, row.log_time_ns), row.log_time_ns)

    def complain(self, row: BagMessage, error: Exception) -> None:
        """Say once that messages of a topic cannot be used."""
        if row.topic not in self._unusable:
            self._unusable.add(row.topic)
            self.say(self._time_of(row.log_time_ns), _unusable(row, error))

    def say(self, time: float, text: str) -> None:
        """Add a warning to the log."""
        self._marks.append(Mark(
            time, '', json_frame('log', level='warn', node='replay', text=text)))

    def block(self) -> Block:
        """Return the block."""
        self._take_rows()
        times = np.concatenate([np.empty(0), *(times for times, _ in self._parts)])
        values: Array = np.concatenate(
            [np.empty((0, self._width)), *(rows for _, rows in self._parts)])
        order = np.argsort(times, kind='stable')
        return Block(times[order], values[order], tuple(
            sorted(self._marks, key=lambda mark: mark.time)))

    def _add_row(self, state: BodyState, stamp_ns: int, now_ns: int) -> None:
        if now_ns not in self._span_ns:
            return
        if self._samples.is_of_another_run(stamp_ns):
            self._take_rows()
            self._samples.begin_anew()
        self._samples.add_odometry(stamp_ns, state, self._time_of(now_ns))

    def _take_rows(self) -> None:
        while (part := self._samples.take(waits=False)) is not None:
            self._parts.append(part)

    def _take_odometry(self, message: Any, now_ns: int) -> None:
        state = body_state(message)
        if state is not None:
            self._add_row(state, self._stamps.of(message, now_ns), now_ns)

    def _take_reference(self, message: Any, now_ns: int) -> None:
        reference = bag_values.reference_of(message, self._stamps.of(message, now_ns))
        if reference is not None:
            self._samples.add_reference(reference)

    def _take_joints(self, message: Any, now_ns: int) -> None:
        joints = bag_values.joint_states(message)
        if joints is not None:
            self._samples.add_joints(joints, self._stamps.of(message, now_ns))

    def _take_driver(self, message: Any, now_ns: int) -> None:
        self._samples.add_driver(driver_numbers(message), self._stamps.of(message, now_ns))
        self._tell_once('lamps', {'lamps': lamps_of(message)}, now_ns)
        if self._car_info is not None:
            self._tell_once('car', car_of(self._car_info, message), now_ns)

    def _tell_once(self, kind: str, fields: Mapping[str, Any], now_ns: int) -> None:
        """Add a mark for what is new in this block."""
        if now_ns in self._span_ns and self._told.get(kind) != fields:
            self._told[kind] = fields
            self._marks.append(Mark(
                self._time_of(now_ns), kind, json_frame(kind, **fields)))

    def _take_scan(self, message: Any, now_ns: int) -> None:
        if now_ns in self._span_ns:
            time = self._time_of(now_ns)
            self._marks.append(Mark(
                time, bag_topics.SCAN, bag_values.scan_of(message, time, ROBOT), _SCAN_LASTS))

    def _take_log(self, message: Any, now_ns: int) -> None:
        fields = bag_values.log_fields(message)
        if fields is not None and now_ns in self._span_ns:
            self._marks.append(Mark(self._time_of(now_ns), '', json_frame('log', **fields)))


def _stamp_offset(rows: Iterable[BagMessage]) -> int:
    """Return stamp less time of recording of the first message that has a stamp [ns], else 0."""
    offsets = (stamp - row.log_time_ns for row in rows
               if hasattr(row.message, 'header') and (stamp := stamp_ns(row.message)))
    return next(offsets, 0)


def _unusable(row: BagMessage, error: Exception) -> str:
    return f'messages on {row.topic} cannot be used: {excerpt(str(error))}'


def _plain(notes: list[str]) -> RobotTree:
    from racecar.cockpit.robot_message import PLAIN_ROBOT

    notes.append('a box stands for the robot')
    return PLAIN_ROBOT


def _muxes_frame(active: Mapping[str, str], sources: Mapping[str, list[str]]) -> bytes:
    return json_frame('muxes', muxes=[
        {'name': mux, 'active': name, 'inputs': [
            {'name': source, 'priority': 0, 'alive': source == name} for source in sources[mux]]}
        for mux, name in active.items()])
