# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""The simulator of a stack, which may be the planar one or that of the 3-D world."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

from racecar.base.share import find_config
from racecar.catalogue import node_names
from racecar.ros import topics
from racecar.stacks.node_description import NodeDescription
from racecar.stacks.options import StackOptions
from racecar.stacks.parts import simulator_of_car, WORLD_JOINT_STATES, world_nodes


class SimulatorPart(NamedTuple):
    """A simulator: its executable, and what gives its nodes for the file of a vehicle.

    joint_states: its topic of them; renamed: what nodes that listen to it rename.
    """

    executable: str
    nodes: Callable[[StackOptions, Path], list[NodeDescription]]
    joint_states: str = topics.JOINT_STATES
    renamed: tuple[tuple[str, str], ...] = ()


def planar_part(*names: str) -> SimulatorPart:
    """Simulator of a car in the plane; names: of files in config/ over its defaults."""
    def nodes(options: StackOptions, vehicle: Path) -> list[NodeDescription]:
        return [simulator_of_car(node_names.SINGLE_TRACK_SIMULATOR, options,
                                 *(find_config(name) for name in names), vehicle)]

    return SimulatorPart(node_names.SINGLE_TRACK_SIMULATOR, nodes)


def world_part(*names: str) -> SimulatorPart:
    """Simulator of the 3-D world; names: of files in config/ over its defaults."""
    def nodes(options: StackOptions, vehicle: Path) -> list[NodeDescription]:
        return world_nodes(options, vehicle, *(find_config(name) for name in names))

    return SimulatorPart(
        node_names.WORLD_SIMULATOR, nodes, topics.WORLD_JOINT_STATES, (WORLD_JOINT_STATES,))
