# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""What seldom changes in a bag: robot, car, map, path, collisions, and who holds the muxes."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
import math

import numpy as np

from racecar.bags import message_values
from racecar.bags.reader import BagMessage, UNUSABLE
from racecar.base.errors import BagError, excerpt
from racecar.cockpit.frames import json_frame
from racecar.cockpit.replay import bag_topics
from racecar.cockpit.replay.recording import TimedFrame
from racecar.cockpit.scene_message import collisions_frame, grid_frame, path_frame


class LatchedMessages:
    """What the latched messages of a bag tell.

    frames: in order of time. description: text of the URDF, or None. car_info: a CarInfo or None.
    tracked_ahead: how far ahead of the robot's origin the point lies that follows the reference
    [m]. faults: sentences on what cannot be used.
    """

    def __init__(
        self, topics: bag_topics.BagTopics, time_of: Callable[[int], float], *, has_map: bool,
        number: int = 0,
    ) -> None:
        """time_of: time [s] at which something was recorded [ns]; has_map: from elsewhere.

        number: of the robot in the frames.
        """
        self._number = number
        self.frames: list[TimedFrame] = []
        self.description: str | None = None
        self.car_info: object = None
        self.tracked_ahead = 0.0
        self._faults: dict[str, str] = {}
        self._topics = topics
        self._time_of = time_of
        self._has_map = has_map
        self._muxes: dict[str, str] = {}
        self._sources: dict[str, list[str]] = {}

    @property
    def faults(self) -> list[str]:
        return [*self._faults.values()]

    def read(self, rows: Iterable[BagMessage]) -> None:
        """Take messages up to the first that is damaged."""
        newest: dict[str, bytes] = {}
        # Many publish the same map or path again and again.
        frames: dict[bytes, bytes] = {}
        try:
            for row in rows:
                role = self._topics.roles[row.topic]
                try:
                    frame = self._frame(row)
                except UNUSABLE as error:
                    self._faults[row.topic] = unusable(row, error)
                    continue
                if frame is not None and frame != newest.get(role):
                    newest[role] = frame = frames.setdefault(frame, frame)
                    self.frames.append(TimedFrame(
                        self._time_of(row.log_time_ns), key_of(role, self._number), frame))
        except BagError as error:
            self._faults[''] = str(error)

    def _frame(self, row: BagMessage) -> bytes | None:
        """Take note of what a message describes; return the frame that shows it, if any."""
        role, message = self._topics.roles[row.topic], row.message
        if role == bag_topics.PATH:
            points = message_values.path_points(message)
            return path_frame(points) if len(points) and np.isfinite(points).all() else None
        if role == bag_topics.MAP:
            return None if self._has_map else _map(message)
        if role == bag_topics.COLLISIONS:
            return collisions_frame(
                int(message.data), False, self._time_of(row.log_time_ns), self._number)
        if role == bag_topics.ACTIVE:
            return self._active(row.topic.removesuffix('/active'), str(message.data))
        if role == bag_topics.DESCRIPTION:
            self.description = str(message.data)
        elif role == bag_topics.CAR:
            self.car_info = message
        elif math.isfinite(ahead := float(message.point.x)):
            self.tracked_ahead = ahead
        return None

    def _active(self, mux: str, source: str) -> bytes | None:
        if self._muxes.get(mux) == source:
            # It repeats itself.
            return None
        self._muxes[mux] = source
        seen = self._sources.setdefault(mux, [])
        if source and source not in seen:
            seen.append(source)
        return _muxes_frame(self._muxes, self._sources)


def key_of(role: str, number: int) -> str:
    """Key of frames of what a robot of a number has."""
    return f'{role} {number}' if number else role


def unusable(row: BagMessage, error: Exception) -> str:
    """Sentence that messages of a topic cannot be used."""
    return f'messages on {row.topic} cannot be used: {excerpt(str(error))}'


def _map(message: object) -> bytes:
    grid = message_values.grid(message)
    if grid.origin.yaw:
        raise ValueError('its origin is turned, expected along the axes')
    return grid_frame(grid)


def _muxes_frame(active: Mapping[str, str], sources: Mapping[str, list[str]]) -> bytes:
    return json_frame('muxes', muxes=[
        {'name': mux, 'active': name, 'inputs': [
            {'name': source, 'priority': 0, 'alive': source == name} for source in sources[mux]]}
        for mux, name in active.items()])
