# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""What a vehicle carries besides itself: the fields extensionSlot and data of seed 000 (1.2)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

from racecar.base.parameters import Parameter, ParameterTable

EXTENSIONS, DATA = 'vehicle.extensions', 'vehicle.data'

EXTENSION_PARAMETERS = ParameterTable([
    Parameter(EXTENSIONS, list, [], 'URDF files whose links are fixed to the car, their roots in'
              ' the middle of the rear axle: shapes, masses, which are part of that of the'
              ' vehicle, and frames for sensors', read_only=True, item=str),
    Parameter(DATA, str, '', "The user's own text about the vehicle", read_only=True),
])
"""Beside VEHICLE_PARAMETERS; the simulators, which describe the vehicle, have them."""


class Extension(NamedTuple):
    """The rows of EXTENSION_PARAMETERS."""

    files: tuple[str, ...] = ()
    data: str = ''

    @classmethod
    def from_values(cls, values: Mapping[str, Any]) -> Extension:
        """Build from dotted parameter names; those of other tables are left alone.

        Raises ParameterError naming the first that is ill-typed.
        """
        own: Mapping[str, Any] = EXTENSION_PARAMETERS.resolve(
            {name: value for name, value in values.items() if name in EXTENSION_PARAMETERS})
        return cls(tuple(own[EXTENSIONS]), own[DATA])
