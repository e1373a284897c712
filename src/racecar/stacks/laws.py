# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""The configurations of the control laws: tracker, law, both muxes and a simulator."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from racecar.control.laws import LAWS, SimulatorKind
from racecar.stacks.simulator_part import planar_part, SimulatorPart, world_part
from racecar.stacks.stack import Stack
from racecar.stacks.tracking import tracking_stack

# With words for people.
_SIMULATORS: Mapping[SimulatorKind, tuple[str, SimulatorPart]] = {
    SimulatorKind.PLANE: ('single-track simulator', planar_part()),
    SimulatorKind.WORLD: ('the 3-D world', world_part()),
    SimulatorKind.WORLD_WITH_TYRES: (
        'the 3-D world with tyre forces', world_part('stacks/world_pacejka')),
}


def law_stacks(*simulators: SimulatorKind) -> Iterator[Stack]:
    """Configurations of all laws with one of these simulators."""
    for law in LAWS.values():
        for name, simulator in law.stacks.items():
            if simulator in simulators:
                words, part = _SIMULATORS[simulator]
                yield tracking_stack(
                    name,
                    f'trajectory tracker, {law.name} linearizer, command muxes and {words}',
                    law.executable, *law.tracker_files, simulator=part)
