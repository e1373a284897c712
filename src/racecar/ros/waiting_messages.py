# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""What has come to a node and waits for an executor."""

from __future__ import annotations

from rclpy.subscription import Subscription


def take_waiting(subscription: Subscription) -> None:
    """Call back for the messages that wait; for a node that no executor spins any more."""
    with subscription.handle:
        while True:
            taken = subscription.handle.take_message(subscription.msg_type, subscription.raw)
            if taken is None:
                return
            subscription.callback(taken[0])
