# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""The bridge in a process of its own, beside a stack that somebody else has started."""

from __future__ import annotations

import os
import sys

import rclpy
from rclpy.node import Node
from rclpy.task import Future

from racecar.clients.cockpit_bridge.node import CockpitBridge
from racecar.clients.cockpit_bridge.server_link import ServerLink
from racecar.clients.cockpit_bridge.stack_graph import find_stack
from racecar.clients.graph.view import GraphView
from racecar.ros.exit_timer import ExitTimer
from racecar.ros.initialising import init
from racecar.ros.interrupted import Interrupted
from racecar.ros.run_node import end, make_executor, spin
from racecar.ros.topics.sets import topic_set
from racecar.signals import code_of_command, end_process

_LOOK_PERIOD = 0.2  # [s]
_LONGEST_END = 2


def run_bridge(path: str, namespace: str | None = None, names: str | None = None) -> None:
    """Look for a robot, and show it until the server goes or a signal comes; ends the process.

    path: of the server's socket; namespace: of the robot, None for the first that is found;
    names: set of topic names, None for the one that fits. Raises ConfigurationError if nobody
    listens at the socket.
    """
    link = ServerLink(path)
    interrupted = Interrupted(code_of_command)
    init([])
    done: Future = Future()
    nodes: list[Node] = []
    seen: tuple[str, str] | None = None
    executor = make_executor()

    def on_end() -> None:
        if not done.done():
            done.set_result(None)

    def look(graph: GraphView) -> None:
        nonlocal seen
        before, seen = seen, find_stack(graph, namespace, names)
        # The graph comes in pieces: what is found twice is complete.
        if len(nodes) > 1 or seen is None or seen != before:
            return
        place, fitting = seen
        where = f'namespace /{place}, ' if place else ''
        bridge = CockpitBridge(
            link, namespace=place, renamed=topic_set(fitting).topics, on_end=on_end,
            text=f"attached: {where}ROS domain {os.environ.get('ROS_DOMAIN_ID') or '0'}")
        nodes.append(bridge)
        executor.add_node(bridge)

    finder = Node(f'_cockpit_finder_{os.getpid()}', enable_rosout=False,
                  start_parameter_services=False)
    nodes.append(finder)
    graph = GraphView(finder)
    finder.create_timer(_LOOK_PERIOD, lambda: look(graph))
    executor.add_node(finder)
    interrupted.then_end(done)
    spin(executor, done)
    interrupted.ignore()
    sys.stdout.flush()
    with ExitTimer(_LONGEST_END, 0):
        end(executor, nodes)
        rclpy.try_shutdown()
    end_process(0)
