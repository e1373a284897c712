# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""A message that seldom changes, for whoever comes late."""

from __future__ import annotations

from rclpy.qos import DurabilityPolicy

from racecar.ros import qos
from racecar.ros.node import TableNode


class LatchedMessage:
    """Publishes a message latched, and again for volatile subscriptions that join later.

    DDS keeps what is latched for those only who ask for it, which nodes of other people often
    forget to do for a map.
    """

    def __init__(self, node: TableNode, topic: str, message: object) -> None:
        """Publish it now."""
        self._node = node
        self._message = message
        self._publisher = node.create_publisher(type(message), topic, qos.LATCHED)
        self._known: set[bytes] = set()
        self._publisher.publish(message)
        node.watch_graph(self._look)

    def replace(self, message: object) -> None:
        """Publish another message of the same type from now on."""
        self._message = message
        self._publisher.publish(message)

    def _look(self) -> None:
        present = {
            bytes(info.endpoint_gid)
            for info in self._node.get_subscriptions_info_by_topic(self._publisher.topic_name)
            if info.qos_profile.durability == DurabilityPolicy.VOLATILE}
        if present - self._known:
            self._publisher.publish(self._message)
        self._known = present
