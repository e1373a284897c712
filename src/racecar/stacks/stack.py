# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""What a stack is: the file of each one gives one of these."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path

from racecar.base.values import Values
from racecar.simulation.block import FleetColumns
from racecar.simulation.closed_loop import Loop, LoopCar
from racecar.stacks.node_description import NodeDescription
from racecar.stacks.options import DEFAULT_NAMES, StackOptions, TELEOP_NONE
from racecar.stacks.parts import vehicle_file


@dataclass(frozen=True)
class Stack:
    """A configuration of nodes.

    name: as users give it. summary: one line for people. nodes: gives all but the recorder.
    simulator, tracker, linearizer: executables that play these parts; a stack without a tracker
    follows no trajectory, one without a linearizer leaves that to a node of the user's; driver:
    the executable that drives by itself without a trajectory. recorded: topics that a bag of a run
    holds, last the one that lockstep awaits an answer to. The recorder joins some of them before
    it, on which the simulator waits: descriptions, which are latched and without which a bag
    cannot be judged, and in lockstep answers, those that answer the awaited one. check: raises
    ConfigurationError for nodes that do not fit together; those whose own parameters cannot be
    used are left to the error of their own check. described_by: gives the file of the vehicle.
    topic_names: the set in the place of the default one. make_loop: builds the loop without ROS
    from the values of all nodes and a simulator, or None to make one; None for a stack of a car,
    as racecar.stacks.loops makes it. columns: of such loops, in the place of
    racecar.stacks.fleets.stack_columns(). teleop: who drives by hand unless the user chooses.
    """

    name: str
    summary: str
    nodes: Callable[[StackOptions], list[NodeDescription]]
    simulator: str
    recorded: tuple[str, ...]
    descriptions: tuple[str, ...]
    answers: tuple[str, ...]
    check: Callable[[list[NodeDescription]], None] = lambda _: None
    tracker: str | None = None
    linearizer: str | None = None
    driver: str | None = None
    described_by: Callable[[StackOptions], Path] = lambda options: vehicle_file(
        options.vehicle)
    topic_names: str = DEFAULT_NAMES
    teleop: str = TELEOP_NONE
    make_loop: Callable[[Mapping[str, Values], LoopCar | None], Loop] | None = None
    columns: Callable[..., FleetColumns] | None = None

    def with_names(self, options: StackOptions) -> StackOptions:
        """Options with the set of topic names of this stack, unless another is chosen."""
        return replace(options, topic_names=self.topic_names) \
            if not options.topic_names else options

    @property
    def follows_trajectory(self) -> bool:
        """Whether there is a reference, so that there is an error to measure."""
        return self.tracker is not None

    @property
    def closes_loop(self) -> bool:
        """Whether it drives along the reference by itself."""
        return self.tracker is not None and self.linearizer is not None
