# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""What a vehicle carries besides itself: the fields extensionSlot and data of seed 000 (1.2)."""

from __future__ import annotations

from typing import Annotated, NamedTuple

from racecar.base.parameter_fields import made_of, Row, table_of
from racecar.base.values import Values

_PREFIX = 'vehicle.'
EXTENSIONS, DATA = f'{_PREFIX}extensions', f'{_PREFIX}data'

class Extension(NamedTuple):
    """URDF files that are fixed to a vehicle, and a text about it."""

    files: Annotated[tuple[str, ...], Row(
        'URDF files whose links are fixed to the car, their roots in the middle of the rear axle:'
        ' shapes, masses, which are part of that of the vehicle, and frames for sensors',
        name='extensions')] = ()
    data: Annotated[str, Row("The user's own text about the vehicle")] = ''

    @classmethod
    def from_values(cls, values: Values) -> Extension:
        """Build from dotted parameter names; those of other tables are left alone.

        Raises ParameterError naming the first that is ill-typed.
        """
        own = EXTENSION_PARAMETERS.resolve(
            {name: value for name, value in values.items() if name in EXTENSION_PARAMETERS})
        return made_of(cls, _PREFIX, own)


EXTENSION_PARAMETERS = table_of(Extension, _PREFIX)
"""Beside VEHICLE_PARAMETERS; the simulators, which describe the vehicle, have them."""
