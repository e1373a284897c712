# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""Control laws, chosen by name; a new one adds its row to LAWS."""

from __future__ import annotations

from typing import NamedTuple

from racecar.base.parameters import ParameterTable
from racecar.control.dynamic_linearizer import DYNAMIC_LINEARIZER_PARAMETERS, DynamicLinearizer
from racecar.control.kinematic_linearizer import (
    KINEMATIC_LINEARIZER_PARAMETERS,
    KinematicLinearizer,
)
from racecar.control.linearizer import Linearizer


class Law(NamedTuple):
    """One row of the registry: make(values, vehicle) builds it from resolved parameters."""

    make: type[Linearizer]
    parameters: ParameterTable


LAWS: dict[str, Law] = {
    'kinematic': Law(KinematicLinearizer, KINEMATIC_LINEARIZER_PARAMETERS),
    'dynamic': Law(DynamicLinearizer, DYNAMIC_LINEARIZER_PARAMETERS),
}
