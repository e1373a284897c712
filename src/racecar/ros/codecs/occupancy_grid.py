# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""Maps: nav_msgs/OccupancyGrid."""

from __future__ import annotations

from array import array

from nav_msgs.msg import OccupancyGrid as OccupancyGridMessage
import numpy as np

from racecar.base.frames import MAP
from racecar.base.types import Pose2, quaternion_to_yaw, yaw_to_quaternion
from racecar.scene.grid_map import grid_of_cells, OccupancyGrid, OCCUPIED


def grid_message(grid: OccupancyGrid) -> OccupancyGridMessage:
    """Message of a map, in the frame map, without a stamp: it is true at any time."""
    message = OccupancyGridMessage()
    message.header.frame_id = MAP
    info = message.info
    info.resolution = grid.resolution
    info.height, info.width = grid.values.shape
    info.origin.position.x, info.origin.position.y = grid.origin[:2]
    info.origin.orientation.z, info.origin.orientation.w = yaw_to_quaternion(grid.origin.yaw)
    message.data = array('b', grid.values.tobytes())
    return message


def read_grid(message: OccupancyGridMessage) -> OccupancyGrid:
    """Map of a message; what is more likely occupied than free is a wall.

    Raises MessageError if sizes or numbers are those of no map.
    """
    info = message.info
    q, place = info.origin.orientation, info.origin.position
    origin = Pose2(place.x, place.y, quaternion_to_yaw(q.x, q.y, q.z, q.w))
    return grid_of_cells(
        np.frombuffer(message.data, dtype=np.int8), info.height, info.width, info.resolution,
        origin, OCCUPIED // 2)
