# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""What stands around, as the messages `scene` and `path` and the picture of a map."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
import io

import numpy as np
from numpy.typing import NDArray

from racecar.base.types import NANOSECONDS, yaw_to_quaternion
from racecar.cockpit.frames import json_frame, map_frame
from racecar.scene.grid_map import OccupancyGrid
from racecar.scene.scene import Box, HIGHEST, MovingThing, Scene, WALL_THICKNESS

# More would only be slow to draw; the map shows them too.
_MOST_GRID_BOXES = 5000
_FREE, _UNKNOWN = 255, 205
_LONGEST_PATH = 5000
_DECIMALS = 4


def scene_frames(scene: Scene, begin_ns: int = 0) -> dict[str, bytes]:
    """Frames of the surroundings: the message `scene`, and a map of its grid if it has one.

    A page makes walls of the map. A grid whose origin is turned goes as boxes of the scene.
    begin_ns: simulated time at time 0 of the page [ns].
    """
    frames = {'scene': scene_frame(scene, begin_ns)}
    if _has_map(scene):
        assert scene.grid is not None
        frames['map'] = grid_frame(scene.grid)
    return frames


def _has_map(scene: Scene) -> bool:
    return scene.grid is not None and scene.grid.origin.yaw == 0.0


def scene_frame(scene: Scene, begin_ns: int | Sequence[int] = 0) -> bytes:
    """Message `scene` alone; a map that was shown before stays.

    Sizes and places in m, poses as x y z qx qy qz qw. begin_ns: time of the motions at time 0 of
    the page, one for all or of each of the moving things [ns].
    """
    begins = (begin_ns,) * len(scene.moving) if isinstance(begin_ns, int) else begin_ns
    if _has_map(scene):
        scene = replace(scene, grid=None)
    grid = scene.grid_boxes if len(scene.grid_boxes) <= _MOST_GRID_BOXES else ()
    boxes = (*scene.solids, *(wall.box for wall in scene.walls), *grid)
    return json_frame(
        'scene', name=scene.name, ground=scene.ground._asdict(), boxes=[*map(_box, boxes)],
        moving=[_moving(*row) for row in zip(scene.moving, begins, strict=True)],
        cones=[{'x': cone.x, 'y': cone.y, 'radius': cone.radius_at(0.0), 'height': cone.height,
                'colour': [*cone.colour]} for cone in scene.cones],
        patches=[{'pose': _pose(patch.x, patch.y, 0.0, patch.yaw),
                  'size': [patch.length, patch.width], 'colour': [*patch.colour]}
                 for patch in scene.patches],
        boards=[{'pose': _pose(board.x, board.y, 0.5 * board.height, board.yaw),
                 'size': [board.thickness, board.width, board.height], 'marker': board.size,
                 'cells': [[int(cell) for cell in row] for row in board.cells],
                 'colour': [*board.colour]} for board in scene.boards])


def _pose(x: float, y: float, z: float, yaw: float) -> list[float]:
    return [x, y, z, 0.0, 0.0, *yaw_to_quaternion(yaw)]


def _box(box: Box) -> dict[str, object]:
    # Walls without end are drawn to a height.
    height = min(box.height, HIGHEST)
    return {'pose': _pose(box.x, box.y, 0.5 * height, box.yaw),
            'size': [box.length, max(box.width, WALL_THICKNESS), height],
            'colour': [*box.colour]}


def _moving(thing: MovingThing, begin_ns: int) -> dict[str, object]:
    motion = thing.motion
    return {'name': thing.name, 'size': [*thing.size, min(thing.height, HIGHEST)],
            'round': thing.is_round, 'colour': [*thing.colour], 'begin': begin_ns / NANOSECONDS,
            'end': motion.end, 'repeats': motion.repeats,
            'legs': [[leg.time, *leg.begin] for leg in motion.legs]}


def path_frame(points: NDArray[np.float64]) -> bytes:
    """Path of the reference, (n, 2) [m]; thinned out if it is very long."""
    step = 1 + len(points) // _LONGEST_PATH
    return json_frame('path', points=np.round(points[::step], _DECIMALS).tolist())


def collisions_frame(count: int, in_contact: bool, time: float, robot: int = 0) -> bytes:
    """How often a robot has run into something, and whether it touches it at a time [s]."""
    return json_frame('collisions', robot=robot, count=count, in_contact=in_contact,
                      time=round(time, 3))


def grid_frame(grid: OccupancyGrid) -> bytes:
    """Map as a picture with its upper edge first; its origin must not be turned."""
    from PIL import Image

    shades = np.full(grid.values.shape, _UNKNOWN, np.uint8)
    known = grid.values >= 0
    shades[known] = _FREE - np.minimum(grid.values[known], 100).astype(np.float64) * 2.55
    stream = io.BytesIO()
    Image.fromarray(shades[::-1]).save(stream, 'PNG')
    return map_frame(grid.origin.x, grid.origin.y, grid.resolution, stream.getvalue())
