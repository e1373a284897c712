# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""The option by which the cockpit watches what it starts; it is not for people."""

from __future__ import annotations

import argparse
from collections.abc import Callable
import os
import signal
from typing import TYPE_CHECKING

from racecar.base.types import JointStates
from racecar.cockpit import BRIDGE_OPTION
from racecar.ros.topics.sets import topic_set
from racecar.stacks import StackOptions

if TYPE_CHECKING:
    from racecar.stacks.composing import ComposedStack


def add_bridge_argument(parser: argparse.ArgumentParser) -> None:
    """Declare the option, which no help shows."""
    parser.add_argument(BRIDGE_OPTION, dest='bridge', metavar='SOCKET', help=argparse.SUPPRESS)


def add_bridge(
    arguments: argparse.Namespace, composed: ComposedStack, options: StackOptions,
) -> Callable[[int], bool]:
    """Let the bridge take part if the cockpit wants it; the process ends with the cockpit.

    Returns a function that says whether the bridge has shown the robot, for ComposedStack.spin():
    a run may be over before its description has come.
    Raises ConfigurationError if nobody listens at the socket.
    """
    if arguments.bridge is None:
        return lambda _: True
    from racecar.clients.cockpit_bridge.local_stack import LocalStack, ReadJoints
    from racecar.clients.cockpit_bridge.node import CockpitBridge
    from racecar.clients.cockpit_bridge.server_link import ServerLink

    plant = composed.simulator.plant
    entity, *others = plant.entities
    output = next((row for row in entity.outputs if row.value_type is JointStates), None)
    read_joints: ReadJoints | None = None
    if output is not None and not others:
        read = output.read
        read_joints = lambda: (read(), plant.time_ns)  # noqa: E731
    bridge = CockpitBridge(
        ServerLink(arguments.bridge), namespace=options.namespace,
        renamed=topic_set(options.topic_names).topics,
        text=f"{arguments.name} in ROS domain {os.environ.get('ROS_DOMAIN_ID') or '0'}",
        local=LocalStack(composed.observe, read_joints, {
            node.get_fully_qualified_name(): node for node in composed.nodes}),
        on_end=lambda: os.kill(os.getpid(), signal.SIGTERM))
    composed.add_node(bridge)
    return lambda _: bridge.has_shown
