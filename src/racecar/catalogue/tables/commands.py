# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""Tables of the mux and of teleoperation."""

from __future__ import annotations

from racecar.base.parameters import DIAGNOSTICS_RATE, Parameter, ParameterTable
from racecar.catalogue.tables.shared import FRAME_PREFIX
from racecar.control.command_mux import HELD, NEWEST, PRIORITY
from racecar.control.teleop.joy_driver import JOY_PARAMETERS
from racecar.control.teleop.key_driver import KEY_PARAMETERS
from racecar.control.twist_commands import TWIST_PARAMETERS

ALL_INPUTS = 'all'
"""Value of `awaited` of a mux that does not know what is waited for."""

ACKERMANN_MUX = ParameterTable([
    Parameter('config_file', str, None,
              'Mux file with the sources, a path or a name in the folder config/; ~/reload'
              ' reads it again', example='mux/high_level'),
    Parameter('lockstep', bool, False,
              'Hold the first command until somebody listens, for a simulator in lockstep',
              read_only=True),
    Parameter('awaited', str, ALL_INPUTS,
              'Inputs, below ~/, with commas between them, that a simulator in lockstep waits for,'
              f' or {ALL_INPUTS}; who publishes on others is told', read_only=True),
    Parameter('arbitration', str, PRIORITY,
              'Which of the sources that speak is forwarded: that of the highest priority, or the'
              ' newest, whose command came last, until it falls silent; held: the newest, whose'
              ' command then stays, as in simulators, never on a car',
              choices=(PRIORITY, NEWEST, HELD)),
    Parameter('race', bool, False,
              'Let the referee of a race hold the car by the input race, over all sources of the'
              ' mux file', read_only=True),
    Parameter('shared', list, [],
              'Inputs, below ~/, that several nodes may command: a warning tells that the newest'
              ' command counts, where others have an error', read_only=True),
    FRAME_PREFIX,
    DIAGNOSTICS_RATE,
]) + TWIST_PARAMETERS

KEYBOARD_TELEOP = KEY_PARAMETERS + ParameterTable([
    Parameter('rate', float, 30.0, 'Rate at which keys are read and commands sent while one is'
              ' held: a mux waits 0.2 s for the next', 'Hz', minimum=10.0, maximum=200.0,
              read_only=True),
    Parameter('terminal', str, '', 'Terminal device whose keys drive; empty: that of the standard'
              ' input', read_only=True),
    Parameter('key_releases', bool, True, 'Ask the terminal to tell when a key is released, as'
              ' those with the keyboard protocol of kitty do', read_only=True),
    Parameter('status_line', bool, True, 'Show keys and state in that terminal', read_only=True),
    FRAME_PREFIX,
    DIAGNOSTICS_RATE,
])

JOY_TELEOP = JOY_PARAMETERS + ParameterTable([FRAME_PREFIX, DIAGNOSTICS_RATE])

JOY_NODE = ParameterTable([
    Parameter('device', str, '/dev/input/js0', 'Joystick device of Linux', read_only=True),
    Parameter('deadzone', float, 0.01, 'Share of an axis about its middle that counts as the'
              ' middle', minimum=0.0, maximum=0.9, read_only=True),
    Parameter('autorepeat_rate', float, 20.0, 'Rate at which an unchanged state is published',
              'Hz', minimum=1.0, maximum=1000.0, read_only=True),
    Parameter('coalesce_interval', float, 0.01, 'Changes within this time make one message', 's',
              minimum=0.001, maximum=1.0, read_only=True),
    DIAGNOSTICS_RATE,
])
