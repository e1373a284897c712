# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""The configurations of the control laws: tracker, law, both muxes and a simulator."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from racecar.control.laws import LAWS, PLANE, WORLD, WORLD_WITH_TYRES
from racecar.stacks.simulator_part import planar_part, SimulatorPart, world_part
from racecar.stacks.stack import Stack
from racecar.stacks.tracking import tracking_stack

# With words for people.
_SIMULATORS: Mapping[str, tuple[str, SimulatorPart]] = {
    PLANE: ('single-track simulator', planar_part()),
    WORLD: ('the 3-D world', world_part()),
    WORLD_WITH_TYRES: ('the 3-D world with tyre forces', world_part('stacks/world_pacejka')),
}


def law_stacks(*simulators: str) -> Iterator[Stack]:
    """Configurations of all laws that have one of these simulators."""
    for law in LAWS.values():
        for name, simulator in law.stacks.items():
            if simulator in simulators:
                words, part = _SIMULATORS[simulator]
                yield tracking_stack(
                    name,
                    f'trajectory tracker, {law.name} linearizer, command muxes and {words}',
                    law.executable, *law.tracker_files, simulator=part)
