# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""Serve Foxglove for as long as a process, or what started it, lives."""

from __future__ import annotations

from collections.abc import Callable

import rclpy
from rclpy.node import Node
from rclpy.task import Future

from racecar.clients.foxglove.server import FoxgloveServer
from racecar.ros.initialising import init
from racecar.ros.run_node import end, make_executor, spin


def serve(
    host: str, port: int, announce: Callable[[str], object],
    then_end: Callable[[Future], object],
) -> None:
    """Serve until a future, with which then_end is called at the start, has a result.

    announce: called with a sentence that says what to connect to. Raises ConfigurationError if
    the address cannot be served.
    """
    init([])
    executor = make_executor()
    nodes: list[Node] = []
    try:
        node = FoxgloveServer(executor, host, port)
        nodes.append(node)
        done = Future()
        then_end(done)
        announce(f'Foxglove: open a connection to {node.url} in the app ("Foxglove WebSocket")')
        spin(executor, done)
    finally:
        end(executor, nodes)
        rclpy.try_shutdown()
