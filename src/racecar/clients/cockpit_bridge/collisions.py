# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""How often a robot has run into something, for pages."""

from __future__ import annotations

from collections.abc import Callable

from rclpy.node import Node
from std_msgs.msg import Bool, UInt32

from racecar.base.types import NANOSECONDS
from racecar.clients.cockpit_bridge.robot_names import RobotNames
from racecar.cockpit.pages import Pages
from racecar.cockpit.scene_message import collisions_frame
from racecar.ros import qos, topics


class CollisionTopics:
    """Passes on what a simulator counts, with the time at which it is heard."""

    def __init__(
        self, node: Node, names: RobotNames, pages: Pages, now_ns: Callable[[], int],
        number: int = 0,
    ) -> None:
        """now_ns: gives the newest simulated time [ns], as the messages have no stamp.

        number: of the robot in the frames.
        """
        self._pages = pages
        self._number = number
        self._now_ns = now_ns
        self._count = 0
        self._in_contact = False
        self._sent = 0, False
        node.create_subscription(
            UInt32, names.full(topics.COLLISIONS), self._on_count, qos.LATCHED)
        node.create_subscription(
            Bool, names.full(topics.IN_COLLISION), self._on_contact, qos.LATCHED)

    def _on_count(self, message: UInt32) -> None:
        self._count = message.data

    def _on_contact(self, message: Bool) -> None:
        self._in_contact = message.data

    def send_news(self) -> None:
        """Send what has changed."""
        news = self._count, self._in_contact
        if news != self._sent:
            self._sent = news
            self._pages.send(
                collisions_frame(*news, self._now_ns() / NANOSECONDS, self._number),
                f'collisions {self._number}')
