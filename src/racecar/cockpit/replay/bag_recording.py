# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""A bag as a recording of the cockpit: blocks are read by the index of the bag."""

from __future__ import annotations

from collections.abc import Iterable
import itertools
import math
from operator import attrgetter
from pathlib import Path
from typing import NamedTuple

from racecar.bags.message_values import stamp_ns
from racecar.bags.reader import BagMessage, BagReader, UNUSABLE
from racecar.base.errors import BagError, ConfigurationError
from racecar.base.types import NANOSECONDS
from racecar.cockpit.camera_picture import picture_of, picture_of_compressed
from racecar.cockpit.replay import bag_topics
from racecar.cockpit.replay.bag_block import BlockBuilder, Replayed
from racecar.cockpit.replay.bag_latched import LatchedMessages
from racecar.cockpit.replay.recording import Block, Recording, TimedFrame
from racecar.cockpit.robot_message import robot_frames
from racecar.cockpit.scene_message import scene_frames
from racecar.description.robot_tree import RobotTree
from racecar.description.urdf import read_urdf
from racecar.scene.scene import Scene

# A row may show values of messages that came before its block, or as an answer to it [ns].
_LEAD_NS, _TAIL_NS = NANOSECONDS, NANOSECONDS // 10
# Messages among which one with a stamp is looked for: the first of a simulation has 0.
_STAMPS_SOUGHT = 50


class _Shown(NamedTuple):
    """A robot of a bag.

    opening, latched: as of Recording. notes: what is missing or was worked around.
    """

    replayed: Replayed
    opening: tuple[bytes, ...]
    latched: tuple[TimedFrame, ...]
    notes: tuple[str, ...]


class BagRecording(Recording):
    """The first robot of a bag, and the cars in its world.

    Times are those of recording, 0 s the first odometry of the first robot.
    """

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
        topics = bag_topics.find_topics(summary)
        self.name = summary.name
        rows = iter(self._messages([topics.base]))
        first = next(rows, None)
        if first is None:
            raise BagError(f"bag '{path}': {topics.base} has no message that can be read")
        shown = Replayed(topics, first.log_time_ns, _stamp_offset(itertools.chain(
            [first], itertools.islice(rows, _STAMPS_SOUGHT))))
        self.end = max(0.0, shown.time_of(self._reader.span_ns[1]))
        self._robots = [
            self._show(shown._replace(topics=of_car, number=number),
                       namespace.rpartition('/')[2], tree,
                       has_map=scene is not None or number > 0)
            for number, (namespace, of_car) in enumerate(
                bag_topics.find_cars(summary, topics).items())]
        self.latched = tuple(sorted(
            itertools.chain.from_iterable(robot.latched for robot in self._robots),
            key=attrgetter('time')))
        self.opening = (
            *itertools.chain.from_iterable(robot.opening for robot in self._robots),
            *({} if scene is None else scene_frames(scene, shown.begin_ns + shown.offset_ns)
              ).values())
        self.notes = (*summary.warnings, *notes, *dict.fromkeys(
            itertools.chain.from_iterable(robot.notes for robot in self._robots)))
        self._pictures = topics.having(bag_topics.IMAGE, bag_topics.COMPRESSED)[:1]
        self.has_pictures = bool(self._pictures)

    def _show(
        self, shown: Replayed, car: str, tree: RobotTree | None, *, has_map: bool,
    ) -> _Shown:
        """A robot by its topics; car: its name among several."""
        topics = shown.topics
        latched = LatchedMessages(topics, shown.time_of, has_map=has_map, number=shown.number)
        latched.read(self._messages(topics.having(*bag_topics.LATCHED, bag_topics.ACTIVE)))
        notes = [*topics.notes, *latched.faults]
        robot = robot_frames(
            shown.number, _tree(latched.description, notes) or tree or _plain(notes),
            driver=bag_topics.DRIVER in topics.roles.values(),
            laser_frame=self._laser_frame(topics), car=car)
        return _Shown(
            shown._replace(columns=robot.columns, car_info=latched.car_info,
                           tracked_ahead=latched.tracked_ahead),
            robot.frames, tuple(latched.frames), (*notes, *robot.faults))

    def close(self) -> None:
        """Close the bag."""
        self._reader.close()

    def block(self, index: int) -> Block:
        """Read a block; what is damaged in it is left out, and a frame of the log says so."""
        first, *others = (self._block_of(robot.replayed, index) for robot in self._robots)
        return first._replace(others=tuple(others))

    def _block_of(self, shown: Replayed, index: int) -> Block:
        build, span = BlockBuilder(shown, index), shown.span_ns(index)
        topics = shown.topics
        try:
            for row in self._messages(topics.having(*bag_topics.CONTINUOUS) or [topics.base],
                                      span.start - _LEAD_NS, span.stop + _TAIL_NS):
                try:
                    build.add(row)
                except UNUSABLE as error:
                    build.complain(row, error)
        except BagError as error:
            build.say(shown.time_of(span.start), str(error))
        return build.block()

    def picture(self, after: float, time: float) -> bytes | None:
        """Read the newest picture of a time; None also for one that is none."""
        shown = self._robots[0].replayed
        bounds = (shown.begin_ns + math.floor(moment * NANOSECONDS) + 1
                  for moment in (after, time))
        try:
            newest = None
            for row in self._messages(self._pictures, *bounds):
                newest = row
            if newest is None:
                return None
            role = shown.topics.roles[newest.topic]
            encode = picture_of if role == bag_topics.IMAGE else picture_of_compressed
            return encode(newest.message, shown.time_of(newest.log_time_ns), shown.number)
        except (BagError, *UNUSABLE):
            return None

    def _messages(self, topics: list[str], *bounds: int) -> Iterable[BagMessage]:
        if not topics:
            return ()
        start_ns, stop_ns = bounds or (None, None)
        return self._reader.messages(topics, start_ns=start_ns, stop_ns=stop_ns)

    def _laser_frame(self, topics: bag_topics.BagTopics) -> str | None:
        first = next(iter(self._messages(topics.having(bag_topics.SCAN)[:1])), None)
        if first is None:
            return None
        header = getattr(first.message, 'header', None)
        return str(getattr(header, 'frame_id', '')).rpartition('/')[2] or None


def _stamp_offset(rows: Iterable[BagMessage]) -> int:
    """Stamp less time of recording of the first message that has a stamp [ns], else 0."""
    offsets = (stamp - row.log_time_ns for row in rows
               if hasattr(row.message, 'header') and (stamp := stamp_ns(row.message)))
    return next(offsets, 0)


def _tree(description: str | None, notes: list[str]) -> RobotTree | None:
    """The robot of a description; None, with a note, for one that cannot be used."""
    if description is None:
        return None
    try:
        return read_urdf(description)
    except ConfigurationError as error:
        notes.append(f'the robot description in the bag is not shown: {error}')
        return None


def _plain(notes: list[str]) -> RobotTree:
    from racecar.cockpit.robot_message import PLAIN_ROBOT

    notes.append('a box stands for the robot')
    return PLAIN_ROBOT
