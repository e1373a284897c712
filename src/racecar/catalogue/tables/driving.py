# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""Tables of the nodes that drive a car or stop it, for which they need its data."""

from __future__ import annotations

from racecar.base.parameters import DIAGNOSTICS_RATE, Parameter, ParameterTable
from racecar.catalogue.tables.shared import (
    FRAME_PREFIX,
    LOCKSTEP,
    ODOMETRY_TIMEOUT,
    SCAN_TIMEOUT,
)
from racecar.control.emergency_brake import BRAKE_PARAMETERS
from racecar.control.gap_following import GAP_PARAMETERS
from racecar.control.servo_commands import SERVO_PARAMETERS
from racecar.dynamics.powertrain import CAR_PARAMETERS
from racecar.dynamics.vehicles.parameters import VEHICLE_PARAMETERS

GAP_FOLLOWER = VEHICLE_PARAMETERS + GAP_PARAMETERS + ParameterTable([
    SCAN_TIMEOUT,
    Parameter('lockstep', bool, False,
              'Answer each scan once, for a simulator in lockstep whose lockstep_output is its'
              ' laser', read_only=True),
    FRAME_PREFIX,
    DIAGNOSTICS_RATE,
])

SCAN, ODOMETRY = 'scan', 'odometry'
"""What a simulator in lockstep awaits an answer to."""

EMERGENCY_BRAKE = VEHICLE_PARAMETERS + BRAKE_PARAMETERS + ParameterTable([
    Parameter('stop_when_blind', bool, True,
              'Brake also while there is no scan or no odometry that is young enough'),
    SCAN_TIMEOUT,
    ODOMETRY_TIMEOUT,
    Parameter('lockstep', bool, False,
              'Judge each message of judges once, for a simulator in lockstep', read_only=True),
    Parameter('judges', str, SCAN,
              'What is judged in lockstep: scan, each scan, with the odometry that was due last,'
              ' or the other way round; that to which the simulator awaits an answer',
              choices=(SCAN, ODOMETRY), read_only=True),
    Parameter('odometry_rate', float, 100.0,
              'Rate of the odometry, by which it is known in lockstep which one was due last; that'
              ' of scans stands in them', 'Hz', above=0.0, maximum=1e6, read_only=True),
    FRAME_PREFIX,
    DIAGNOSTICS_RATE,
])

SERVO_COMMANDS = VEHICLE_PARAMETERS + SERVO_PARAMETERS + ParameterTable([
    Parameter('command_timeout', float, 0.5,
              'Age of the newest command at which the wheels are stopped', 's', above=0.0,
              maximum=60.0),
    DIAGNOSTICS_RATE,
])

DRIVER_BRIDGE = VEHICLE_PARAMETERS + CAR_PARAMETERS + ParameterTable([
    Parameter('command_timeout', float, 0.5,
              'Age of the newest driver/command at which the throttle is released and the car'
              ' brakes', 's', above=0.0, maximum=60.0),
    ODOMETRY_TIMEOUT,
    Parameter('awaits_mux', bool, False, 'In lockstep command the wheels only once the mux has'
              ' answered what holds it now, as where an emergency brake decides each time',
              read_only=True),
    Parameter('mux_timeout', float, 0.2,
              'Silence of the mux, which answers what holds it, after which the wheels are not'
              ' commanded any more', 's', above=0.0, maximum=60.0),
    Parameter('state_rate', float, 50.0, 'Rate of driver/state', 'Hz', above=0.0,
              maximum=1000.0),
    Parameter('mux_source', str, 'Driver', 'Name of the driver in the mux file: wheels are'
              ' commanded past the mux only while this source holds it', read_only=True),
    LOCKSTEP,
    FRAME_PREFIX,
    DIAGNOSTICS_RATE,
])
