# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""Tables of the trajectory tracker and of the laws that make commands of its output."""

from __future__ import annotations

from dataclasses import replace

from racecar.base.parameters import DIAGNOSTICS_RATE, Parameter, ParameterTable
from racecar.catalogue.tables.shared import (
    FRAME_PREFIX,
    LOCKSTEP,
    ODOMETRY_TIMEOUT,
    SCAN_TIMEOUT,
)
from racecar.control.laws import LawEntry
from racecar.control.point_ahead import POINT_AHEAD_PARAMETERS
from racecar.control.tracker import TRACKER_PARAMETERS
from racecar.dynamics.vehicles.parameters import VEHICLE_PARAMETERS


def _if_needed(table: ParameterTable) -> ParameterTable:
    """Rows of which none has to be given: empty or 0 stands for none.

    Who needs them reads them by the table itself, which does not take that.
    """
    return ParameterTable(
        row if row.default is not None
        else replace(row, default='') if row.type is str
        else replace(row, default=0.0, above=None,
                     minimum=0.0 if row.above is not None else row.minimum)
        for row in table)


# Every robot can be tracked by its base_link; the rest is for cog and custom controllers.
TRAJECTORY_TRACKER = _if_needed(VEHICLE_PARAMETERS) + TRACKER_PARAMETERS + ParameterTable([
    Parameter('active', bool, False, 'Track; turning it on starts the trajectory anew,'
              ' turning it off stops the car'),
    Parameter('controller', str, '',
              'A custom controller, module:Class or file.py:Class, that commands the car in'
              ' the place of tracker and law; empty: none', read_only=True),
    Parameter('controller_settings', str, '',
              'Settings of that controller as a YAML mapping, e.g. {gain: 3.0}', read_only=True),
    Parameter('follow_path', bool, False,
              'Follow the newest path that comes on the topic path, in place of the trajectory,'
              ' within the limits of speed and acceleration of waypoints', read_only=True),
    Parameter('rate', float, 100.0, 'Control rate; in lockstep the odometry gives it', 'Hz',
              above=0.0, maximum=10000.0, read_only=True),
    ODOMETRY_TIMEOUT,
    SCAN_TIMEOUT,
    LOCKSTEP,
    FRAME_PREFIX,
    DIAGNOSTICS_RATE,
])

_LINEARIZER_NODE = ParameterTable([
    Parameter('velocity_timeout', float, 0.2,
              'Age of the newest virtual velocity at which the car is stopped', 's',
              above=0.0, maximum=60.0),
    ODOMETRY_TIMEOUT,
    LOCKSTEP,
    FRAME_PREFIX,
    DIAGNOSTICS_RATE,
])

def law_table(law: LawEntry) -> ParameterTable:
    """Parameter table of the node of a control law."""
    return VEHICLE_PARAMETERS + law.parameters + _LINEARIZER_NODE


DIFFERENTIAL_LINEARIZER = POINT_AHEAD_PARAMETERS + _LINEARIZER_NODE
