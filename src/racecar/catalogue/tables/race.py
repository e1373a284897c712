# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""Tables of the nodes of a race."""

from __future__ import annotations

from racecar.base.parameters import DIAGNOSTICS_RATE, Parameter, ParameterTable
from racecar.catalogue.tables.shared import FRAME_PREFIX
from racecar.dynamics.vehicles.parameters import VEHICLE_FILE_PARAMETERS
from racecar.metrics.laps import LapRule, MOST_SECTORS, WHOLE_LAP
from racecar.scene.world_choice import FLEET_PARAMETERS

LAP_TIMER = ParameterTable([
    Parameter('track', str, None, 'Closed centre line, by the name of a track or as a waypoint'
              ' file; with w_right and w_left it has borders', example='racetrack',
              read_only=True),
    Parameter('completion', float, WHOLE_LAP, 'Share of the length after the start line at which a'
              ' lap is complete: 1 is the line again, 0.995 the rule of the F1TENTH benchmarks',
              minimum=0.5, maximum=WHOLE_LAP, read_only=True),
    Parameter('sectors', int, LapRule().sectors, 'Equal parts of a lap with times of their own',
              minimum=1, maximum=MOST_SECTORS, read_only=True),
    DIAGNOSTICS_RATE,
])

RACE_CONTROL = VEHICLE_FILE_PARAMETERS + ParameterTable([
    Parameter('race_file', str, 'time_trial', 'Rules and track, by name or as a file of `racecar'
              ' race`; cars and controllers in it are not looked at', read_only=True),
    Parameter('world', str, '', 'World of the race, by name or as a file; empty: that of the race'
              ' file', read_only=True),
    Parameter('auto_start', bool, False, 'Begin the countdown once the odometry of all cars has'
              ' come; false: by the service ~/start', read_only=True),
    Parameter('lockstep', bool, False, 'Answer each look of a simulator in lockstep, which awaits'
              ' it by lockstep_race', read_only=True),
    *(row for row in FLEET_PARAMETERS if row.name != 'grid_spacing'),
    FRAME_PREFIX,
    DIAGNOSTICS_RATE,
])
