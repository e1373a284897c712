# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""Lap times of robots on a closed course as the message `laps`, from their other frames."""

from __future__ import annotations

import numpy as np

from racecar.analysis.course_of_run import course_of_world
from racecar.base.errors import ConfigurationError
from racecar.cockpit.columns import POSE
from racecar.cockpit.frames import json_frame, read_json, read_states
from racecar.metrics.laps import Course, LapTimer

_X, _Y = POSE.index('x'), POSE.index('y')

class LapFrames:
    """Watches what is shown.

    The course is the path of the reference if it is closed; who drives by hand has none, and takes
    the track that has the name of the world.
    """

    def __init__(self) -> None:
        self._course: Course | None = None
        self._timers: dict[int, LapTimer] = {}
        self._has_path = False

    def see_path(self, frame: bytes) -> None:
        """Take the path of the reference as the course."""
        self._has_path = True
        self._begin(Course.along(
            np.array(read_json(frame)['points'], dtype=np.float64).reshape(-1, 2)))

    def see_scene(self, frame: bytes) -> None:
        """Take the track of the world as the course, if there is no path."""
        if self._has_path:
            return
        try:
            self._begin(course_of_world(str(read_json(frame).get('name'))))
        except ConfigurationError:
            self._begin(None)

    def see_states(self, frame: bytes) -> bytes | None:
        """Message of the laps if a frame of state changes them."""
        if self._course is None:
            return None
        robot, times, values = read_states(frame)
        timer = self._timers.get(robot)
        if timer is None:
            timer = self._timers[robot] = LapTimer(self._course)
        if not timer.add(times, *values[:, (_X, _Y)].T.astype(np.float64)):
            return None
        laps, state = timer.laps, timer.state
        return json_frame('laps', robot=robot, count=len(laps),
                          last=laps[-1].time if laps else None, best=timer.best,
                          begun=timer.begun, wrong_way=state.turns.is_wrong > 0.0,
                          off_track=state.exits.is_off > 0.0)

    def _begin(self, course: Course | None) -> None:
        self._course = course if course is not None and course.is_closed else None
        self._timers.clear()
