# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""Parameters of a car that is driven by commands alone: nothing of world, topics and clock."""

from __future__ import annotations

from racecar.base.parameters import ParameterTable
from racecar.dynamics.actuators import ACTUATOR_PARAMETERS
from racecar.dynamics.vehicles.tyre_sets import TYRE_PARAMETERS
from racecar.simulation.simulator import SIMULATOR_PARAMETERS

COMMANDED_CAR_PARAMETERS = ParameterTable([
    *(SIMULATOR_PARAMETERS[name] for name in (
        'vehicle_model', 'tyre_model', 'formulation', 'integrator', 'step', 'low_speed_threshold',
        'speed_gain', 'understeer_gradient', 'drive_time_constant')),
    *TYRE_PARAMETERS, *ACTUATOR_PARAMETERS])
"""Of rollouts and environments."""
