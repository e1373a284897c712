# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""What may be chosen, to look at: vehicles in 3-D, and pictures of all that has a look.

Made when a page asks for it the first time. What it takes is imported then, so that a page does
not wait for it at the start.
"""

from __future__ import annotations

import asyncio
import functools
from typing import NamedTuple

import numpy as np

from racecar.base.share import car_and_robot_names, find_track, track_names, world_names
from racecar.catalogue.tables.tracking import TRAJECTORY_TRACKER
from racecar.cockpit.frames import is_text, read_mesh

# Numbers of robots that drive are smaller: meshes of both have keys of their own.
_FIRST = 1000


class _Model(NamedTuple):
    message: bytes
    meshes: dict[str, bytes]


class Showroom:
    """Models and pictures by kind and name: `vehicle`, `world`, `waypoints`, `trajectory`."""

    def __init__(self) -> None:
        self._meshes: dict[str, bytes] = {}
        # One at a time: pages ask for many at once.
        self._making = asyncio.Lock()

    async def vehicle(self, name: str) -> bytes | None:
        """Message `robot` of a vehicle; its meshes are kept. None for an unknown one."""
        if name not in car_and_robot_names():
            return None
        async with self._making:
            model = await asyncio.to_thread(_model, name)
        self._meshes.update(model.meshes)
        return model.message

    def mesh(self, key: str) -> bytes | None:
        """Mesh that a vehicle() given before names."""
        return self._meshes.get(key)

    async def picture(self, kind: str, name: str) -> bytes | None:
        """PNG of what has this name; None for what is not known."""
        known = {'vehicle': car_and_robot_names, 'world': world_names, 'waypoints': track_names,
                 'trajectory': _trajectories}
        if kind not in known or name not in known[kind]():
            return None
        async with self._making:
            return await asyncio.to_thread(_picture, kind, name)


def _trajectories() -> tuple[object, ...]:
    # Waypoints have no shape of their own.
    return tuple(name for name in TRAJECTORY_TRACKER['trajectory'].choices or ()
                 if name != 'waypoints' and not str(name).isdecimal())


@functools.cache
def _model(name: str) -> _Model:
    from racecar.analysis.robot_profile import profile_of_file
    from racecar.cockpit.robot_message import robot_frames

    frames = robot_frames(
        _FIRST + car_and_robot_names().index(name), profile_of_file(name).describe()).frames
    return _Model(frames[-1], dict(read_mesh(frame) for frame in frames if not is_text(frame)))


@functools.cache
def _picture(kind: str, name: str) -> bytes:
    from racecar.cockpit import thumbnails

    if kind == 'vehicle':
        from racecar.analysis.robot_profile import profile_of_file

        return thumbnails.robot_picture(profile_of_file(name).describe())
    if kind == 'world':
        from racecar.scene.world_file import load_world

        return thumbnails.world_picture(load_world(name))
    if kind == 'waypoints':
        from racecar.control.trajectories.waypoint_file import read_way_points

        return thumbnails.path_picture(read_way_points(find_track(name)).points)
    from racecar.control.trajectories import make_trajectory, sample_path

    trajectory = make_trajectory(TRAJECTORY_TRACKER.resolve({'trajectory': name}))
    return thumbnails.path_picture(np.array([pose[:2] for pose in sample_path(trajectory)]))
