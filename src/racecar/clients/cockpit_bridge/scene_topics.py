# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""What stands around a robot, and where it is to go, for pages."""

from __future__ import annotations

from collections.abc import Mapping

from nav_msgs.msg import OccupancyGrid as OccupancyGridMessage
from nav_msgs.msg import Path as PathMessage
import numpy as np
from rclpy.node import Node

from racecar.base.errors import ConfigurationError, MessageError
from racecar.clients.cockpit_bridge.robot_names import RobotNames
from racecar.cockpit.pages import Pages
from racecar.cockpit.scene_message import grid_frame, path_frame, scene_frames
from racecar.ros import qos, topics
from racecar.ros.codecs.occupancy_grid import read_grid
from racecar.scene.grid_map import OccupancyGrid
from racecar.scene.world_choice import scene_of, WORLD_PARAMETER


class SceneTopics:
    """The path of the reference, and the scene of the simulator's world.

    Where there is no scene, the map that somebody publishes.
    """

    def __init__(self, node: Node, names: RobotNames, pages: Pages) -> None:
        self._pages = pages
        self._map: OccupancyGrid | None = None
        # Once it is known whether there is a scene, a map may be shown in its place.
        self._is_known = False
        self._has_scene = False
        node.create_subscription(
            PathMessage, names.full(topics.REFERENCE_PATH), self._on_path, qos.LATCHED)
        node.create_subscription(
            OccupancyGridMessage, names.full(topics.MAP), self._on_map, qos.LATCHED)

    def show(self, values: Mapping[str, object]) -> None:
        """Show the world that the parameters of a simulator name."""
        world = values.get(WORLD_PARAMETER.name)
        if not isinstance(world, str):
            return
        try:
            frames = scene_frames(scene_of({WORLD_PARAMETER.name: world}))
        except ConfigurationError as error:
            self._pages.log('warn', f'the world is not shown: {error}')
            return
        self._is_known = self._has_scene = True
        for key, frame in frames.items():
            self._pages.send(frame, key)

    def give_up(self) -> None:
        """Take it that no simulator names a world."""
        if not self._is_known:
            self._is_known = True
            self._show_map()

    def _on_path(self, message: PathMessage) -> None:
        points = np.array([(p.pose.position.x, p.pose.position.y) for p in message.poses])
        if len(points) and np.isfinite(points).all():
            self._pages.send(path_frame(points), 'path')

    def _on_map(self, message: OccupancyGridMessage) -> None:
        try:
            grid = read_grid(message)
            if grid.origin.yaw:
                raise MessageError('its origin is turned, expected one along the axes')
        except MessageError as error:
            self._pages.log('warn', f'map not shown: {error}')
            return
        self._map = grid
        self._show_map()

    def _show_map(self) -> None:
        if self._map is not None and self._is_known and not self._has_scene:
            self._pages.send(grid_frame(self._map), 'map')
