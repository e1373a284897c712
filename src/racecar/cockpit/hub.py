# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""Hands the frames of a feed to any number of viewers, none of which can hold up another."""

from __future__ import annotations

import itertools

from racecar.cockpit.frames import (
    is_text,
    json_frame,
    MAP,
    MESH,
    read_json,
    read_mesh,
    SCAN,
    STATE,
)
from racecar.cockpit.lap_frames import LapFrames
from racecar.cockpit.outbox import Outbox
from racecar.cockpit.recent_states import RecentStates

# What describes something, and is kept for those who come later.
_DESCRIBING = frozenset((
    'session', 'robot', 'scene', 'path', 'clock', 'parameters', 'muxes', 'driver', 'lamps', 'car',
    'replay', 'recordings', 'collisions', 'laps'))
# What there is of each robot, which has its number.
_OF_ROBOTS = frozenset(('robot', 'collisions', 'laps'))
# What concerns the process and not what it shows.
_LASTING = frozenset(('session', 'recordings'))
_MOST_MESHES = 200


class Hub:
    """Viewers by number, what late ones need, and the meshes; an Outlet."""

    def __init__(self) -> None:
        self._viewers: dict[int, Outbox] = {}
        self._numbers = itertools.count(1)
        self._kept: dict[str, bytes] = {}
        self._states: dict[int, RecentStates] = {}
        self._scans: dict[int, bytes] = {}
        self._laps = LapFrames()
        self.meshes: dict[str, bytes] = {}
        self._has_left_out = False

    @property
    def viewers(self) -> int:
        """How many there are."""
        return len(self._viewers)

    @property
    def wants_pictures(self) -> bool:
        """Whether any viewer wants pictures."""
        return any(box.wants_pictures for box in self._viewers.values())

    def enter(self, greeting: bytes) -> tuple[int, Outbox]:
        """Let a viewer in; its outbox begins with a greeting and what is kept."""
        number, box = next(self._numbers), Outbox()
        box.put(greeting, 'welcome')
        for key, frame in self._kept.items():
            box.put(frame, key)
        for frame in (*(states.frame for states in self._states.values() if len(states)),
                      *self._scans.values()):
            box.put(frame)
        self._viewers[number] = box
        return number, box

    def leave(self, viewer: int) -> None:
        """Let a viewer go."""
        self._viewers.pop(viewer, None)

    def let_see(self, viewer: int, wanted: bool) -> None:
        """Give a viewer pictures from now on, or none."""
        self._viewers[viewer].wants_pictures = wanted

    # Outlet

    def publish(self, frame: bytes) -> None:
        """Give a frame to all viewers. Raises FrameError for what is none."""
        if not is_text(frame) and frame[0] == MESH:
            self._keep_mesh(*read_mesh(frame))
            return
        key = _key_of(frame)
        self._keep(key, frame)
        laps = None
        if key == 'path':
            self._laps.see_path(frame)
        elif key == 'scene':
            self._laps.see_scene(frame)
        elif not key and frame[0] == STATE:
            self._states.setdefault(frame[1], RecentStates()).add(frame)
            laps = self._laps.see_states(frame)
        elif not key and frame[0] == SCAN:
            self._scans[frame[1]] = frame
        for box in self._viewers.values():
            box.put(frame, key)
        if laps is not None:
            self.publish(laps)

    def keep(self, frame: bytes) -> None:
        """Give a frame only to those who come later. Raises FrameError."""
        self._keep(_key_of(frame), frame)

    def _keep_mesh(self, key: str, data: bytes) -> None:
        if key in self.meshes or len(self.meshes) < _MOST_MESHES:
            self.meshes[key] = data
        elif not self._has_left_out:
            self._has_left_out = True
            self.publish(json_frame(
                'log', level='warn', node='cockpit',
                text=f'the page shows {_MOST_MESHES} meshes, the most it can; others are left out'
                     ' (let the robot description have fewer)'))

    def _keep(self, key: str, frame: bytes) -> None:
        if key:
            self._kept.pop(key, None)
            self._kept[key] = frame

    def tell(self, viewer: int, frame: bytes) -> None:
        """Give a frame to one viewer; nothing if that has left."""
        box = self._viewers.get(viewer)
        if box is not None:
            box.put(frame, _key_of(frame))

    def forget(self) -> None:
        """Drop what is kept, but for the state of the session and the recordings."""
        self._kept = {key: frame for key, frame in self._kept.items() if key in _LASTING}
        self._states.clear()
        self._scans.clear()
        self._laps = LapFrames()
        self.meshes.clear()
        self._has_left_out = False


def _key_of(frame: bytes) -> str:
    """Key of the state that a frame replaces; empty for an event. Raises FrameError."""
    if not is_text(frame):
        return 'map' if frame[0] == MAP else ''
    fields = read_json(frame)
    kind = fields['type']
    if kind not in _DESCRIBING:
        return ''
    return f"{kind} {fields.get('robot', 0)}" if kind in _OF_ROBOTS else str(kind)
