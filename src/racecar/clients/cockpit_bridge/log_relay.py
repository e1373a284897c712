# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""Lines of /rosout for the log of the pages."""

from __future__ import annotations

from rcl_interfaces.msg import Log
from rclpy.node import Node

from racecar.cockpit.pages import Pages
from racecar.ros import qos

# Of each batch.
_MOST_LINES = 20
_LEVELS = {10: 'debug', 20: 'info', 30: 'warn', 40: 'error', 50: 'fatal'}
_LEAST_LEVEL = 20


class LogRelay:
    """Passes on the lines of all nodes from level info on, so many of each batch."""

    def __init__(self, node: Node, pages: Pages) -> None:
        self._pages = pages
        self._count = 0
        node.create_subscription(Log, '/rosout', self._on_log, qos.LOG)

    def begin_batch(self) -> None:
        """Allow the lines of a batch again."""
        self._count = 0

    def _on_log(self, message: Log) -> None:
        if message.level >= _LEAST_LEVEL and self._count < _MOST_LINES:
            self._count += 1
            self._pages.log(_LEVELS.get(message.level, 'info'), message.msg, message.name)
