# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""What has come to a node and waits for an executor."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from rclpy.subscription import Subscription


def take_waiting(subscription: Subscription) -> None:
    """Call back for the messages that wait; for a node that no executor spins any more."""
    # rclpy's types leave out that nothing may have come, and what a callback may take.
    handle: Any = subscription.handle
    callback: Callable[..., object] = subscription.callback
    with handle:
        while True:
            taken = handle.take_message(subscription.msg_type, subscription.raw)
            if taken is None:
                return
            callback(taken[0])
