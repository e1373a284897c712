# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""What has come to a node and waits for an executor."""

from __future__ import annotations

from collections.abc import Callable
import math
from typing import Any

from rclpy.subscription import Subscription


def take_waiting(subscription: Subscription, most: float = math.inf) -> bool:
    """Call back for the messages that wait; for a node that no executor spins any more.

    most: at most so many. Returns whether there may be more.
    """
    # rclpy's types leave out that nothing may have come, and what a callback may take.
    handle: Any = subscription.handle
    callback: Callable[..., object] = subscription.callback
    taken_count = 0
    with handle:
        while taken_count < most:
            taken = handle.take_message(subscription.msg_type, subscription.raw)
            if taken is None:
                return False
            callback(taken[0])
            taken_count += 1
    return True
