# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""The part of a stack that runs in the process of the bridge."""

from __future__ import annotations

from collections.abc import Callable, Mapping
import types
from typing import NamedTuple

from rclpy.node import Node

from racecar.base.types import JointStates
from racecar.ros.observed_publisher import Observer

Observe = Callable[[str, Observer], bool]
"""Adds an observer of a topic of this full name; returns whether nodes here publish there."""

ReadJoints = Callable[[], tuple[JointStates, int]]
"""Gives the joints of a robot as they are, and the simulated time [ns]."""


def nowhere(topic: str, observer: Observer) -> bool:
    """Observe nothing: no other node is in this process."""
    return False


class LocalStack(NamedTuple):
    """How to hear nodes of this process without subscriptions and services.

    Subscriptions would cost half a tick in lockstep. observe: for what they publish. read_joints:
    of the simulator, None if it is elsewhere. nodes: by full name.
    """

    observe: Observe = nowhere
    read_joints: ReadJoints | None = None
    nodes: Mapping[str, Node] = types.MappingProxyType({})
