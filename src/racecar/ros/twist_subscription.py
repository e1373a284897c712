# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""Velocities of whoever sends them, as Twist or as TwistStamped."""

from __future__ import annotations

from collections.abc import Callable

from geometry_msgs.msg import Twist, TwistStamped
from rclpy.subscription import Subscription

from racecar.base.types import BodyTwist
from racecar.ros import qos
from racecar.ros.codecs.body_twist import read_stamped_twist, read_twist
from racecar.ros.node import TableNode
from racecar.ros.raw_subscription import subscribe_raw, THROTTLE

_TYPES = {
    'geometry_msgs/msg/Twist': (Twist, read_twist),
    'geometry_msgs/msg/TwistStamped': (TwistStamped, read_stamped_twist)}


class TwistSubscription:
    """Subscription to velocities whose type follows their publishers.

    Nav2 sends Twist up to Jazzy and TwistStamped from Kilted on, teleop_twist_keyboard as it is
    told; a topic of one process can have one type only. topic_name: full name of the topic.
    """

    def __init__(
        self, node: TableNode, topic: str, callback: Callable[[tuple[BodyTwist, int]], object],
    ) -> None:
        """callback: called with a twist and its stamp [ns], 0 for none."""
        self._node = node
        self._callback = callback
        self.topic_name = node.resolve_topic_name(topic)
        self._type = next(iter(_TYPES))
        self._subscription: Subscription | None = None
        self._subscribe()
        node.watch_graph(self._look)

    def _subscribe(self) -> None:
        message_type, read = _TYPES[self._type]
        self._subscription = subscribe_raw(
            self._node, message_type, self.topic_name, read, self._callback, qos.COMMAND)

    def _look(self) -> None:
        published = {info.topic_type
                     for info in self._node.get_publishers_info_by_topic(self.topic_name)}
        found = [name for name in _TYPES if name in published]
        if found and self._type not in found:
            self._type = found[0]
            self._unsubscribe()
        if self._subscription is None:
            try:
                self._subscribe()
            except RuntimeError as error:
                # The former one lives until the executor lets go of it: the next look succeeds.
                self._node.get_logger().warning(
                    f'{self.topic_name} is not heard yet: {error}', throttle_duration_sec=THROTTLE,
                    skip_first=True)

    def _unsubscribe(self) -> None:
        if self._subscription is not None:
            self._node.destroy_subscription(self._subscription)
        self._subscription = None

    def destroy(self) -> None:
        """Hear no more."""
        self._node.unwatch_graph(self._look)
        self._unsubscribe()
