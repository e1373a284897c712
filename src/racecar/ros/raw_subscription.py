# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""Subscriptions to serialised messages that no message can bring down."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

from rclpy.logging import get_logger
from rclpy.node import Node
from rclpy.qos import QoSProfile
from rclpy.subscription import Subscription

from racecar.base.errors import MessageError

# Seconds between two lines of the same complaint.
THROTTLE = 2.0

Value = TypeVar('Value')


class Complaints:
    """Errors about the messages of one topic, throttled for each topic by itself."""

    def __init__(self, node: Node, topic: str) -> None:
        """topic: as a subscription names it."""
        self._topic = node.resolve_topic_name(topic)
        # A logger throttles by the line that calls it, which all topics have in common.
        self._logger = get_logger(node.get_logger().name)

    def dropped(self, error: MessageError) -> None:
        """Say that a message was dropped, and why."""
        self._logger.error(
            f'message on {self._topic} dropped: {error}', throttle_duration_sec=THROTTLE)

    def refused(self, error: Exception) -> None:
        """Say that what a message asks for is not done, and why."""
        self._logger.error(f'{self._topic} refused: {error}', throttle_duration_sec=THROTTLE)


def subscribe_raw(
    node: Node, message_type: type, topic: str, decode: Callable[[bytes], Value],
    callback: Callable[[Value], object], profile: QoSProfile,
) -> Subscription:
    """Call back with what decode makes of each serialised message.

    decode: one of racecar.ros.wire, or another that raises MessageError for what it cannot read;
    such a message is dropped with an error that names the topic and what is wrong with it.
    """
    complaints = Complaints(node, topic)

    def on_message(data: bytes) -> None:
        try:
            value = decode(data)
        except MessageError as error:
            complaints.dropped(error)
            return
        callback(value)

    return node.create_subscription(message_type, topic, on_message, profile, raw=True)
