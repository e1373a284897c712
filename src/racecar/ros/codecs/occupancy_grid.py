# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""Maps: nav_msgs/OccupancyGrid."""

from __future__ import annotations

from array import array

from nav_msgs.msg import OccupancyGrid as OccupancyGridMessage

from racecar.core.frames import MAP
from racecar.core.types import yaw_to_quaternion
from racecar.core.world.grid_map import OccupancyGrid


def grid_message(grid: OccupancyGrid) -> OccupancyGridMessage:
    """Return the message of a map, in the frame map, without a stamp: it is true at any time."""
    message = OccupancyGridMessage()
    message.header.frame_id = MAP
    info = message.info
    info.resolution = grid.resolution
    info.height, info.width = grid.values.shape
    info.origin.position.x, info.origin.position.y = grid.origin[:2]
    info.origin.orientation.z, info.origin.orientation.w = yaw_to_quaternion(grid.origin.yaw)
    message.data = array('b', grid.values.tobytes())
    return message
