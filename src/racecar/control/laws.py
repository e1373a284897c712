# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""The registry of control laws.

A new law needs its entry in LAWS and the files that docs/generate.py writes. From an entry
racecar.catalogue makes the node and its executable, racecar.stacks the configurations.
"""

from __future__ import annotations

from collections.abc import Mapping
from enum import Enum
from typing import NamedTuple

from racecar.base.parameters import ParameterTable
from racecar.control.dynamic_linearizer import DYNAMIC_LINEARIZER_PARAMETERS, DynamicLinearizer
from racecar.control.kinematic_linearizer import (
    KINEMATIC_LINEARIZER_PARAMETERS,
    KinematicLinearizer,
)
from racecar.control.linearizer import Linearizer


class SimulatorKind(Enum):
    """Simulator of a configuration: of the plane, or of the 3-D world.

    In the world the wheels have friction or, with tyres, tyre forces.
    """

    PLANE = 'plane'
    WORLD = 'world'
    WORLD_WITH_TYRES = 'world with tyres'


class LawEntry(NamedTuple):
    """A control law, and the names of its node and configurations.

    name: of the law. make: make(values, vehicle) builds it from resolved values of parameters.
    about: description of the law for --help of its node. stacks: name and simulator of each
    configuration. tracker_files: names in config/ of parameter files over the defaults of the
    tracker, for a law that is exact for another point than base_link.
    """

    name: str
    make: type[Linearizer]
    parameters: ParameterTable
    about: str
    stacks: Mapping[str, SimulatorKind]
    tracker_files: tuple[str, ...] = ()

    @property
    def executable(self) -> str:
        """Name of executable, node and, in config/, parameter file."""
        return f'{self.name}_linearizer'


LAWS: dict[str, LawEntry] = {law.name: law for law in (
    LawEntry(
        'kinematic', KinematicLinearizer, KINEMATIC_LINEARIZER_PARAMETERS,
        'Turns the wanted velocity of P into speed and steering by the kinematic bicycle.\n\n'
        'Exact for P ahead of base_link, so the tracker must track base_link.',
        {'kinematic_ode': SimulatorKind.PLANE, 'kinematic_world': SimulatorKind.WORLD,
         'kinematic_world_pacejka': SimulatorKind.WORLD_WITH_TYRES}),
    LawEntry(
        'dynamic', DynamicLinearizer, DYNAMIC_LINEARIZER_PARAMETERS,
        'Turns the wanted velocity of P into speed and steering by the single track.\n\n'
        'Exact for P ahead of the centre of gravity, so the tracker must track cog. At low speed'
        ' it\nhands over to the kinematic law.',
        {'dynamic_ode': SimulatorKind.PLANE, 'dynamic_world': SimulatorKind.WORLD_WITH_TYRES},
        ('stacks/dynamic_ode',)),
)}
"""By name."""
