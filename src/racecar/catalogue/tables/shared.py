# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""Parameters that several nodes have."""

from __future__ import annotations

from racecar.base.parameters import Parameter

LOCKSTEP = Parameter(
    'lockstep', bool, False,
    'Answer each odometry message once, for a simulator in lockstep', read_only=True)

ODOMETRY_TIMEOUT = Parameter(
    'odometry_timeout', float, 0.5, 'Age of the odometry at which the car is stopped', 's',
    above=0.0, maximum=60.0)

FRAME_PREFIX = Parameter(
    'frame_prefix', str, '', 'What the frame base_link of the car begins with in messages, as'
    ' red/: frame_prefix of its simulator and, of one of several cars, its name', read_only=True)

SCAN_TIMEOUT = Parameter(
    'scan_timeout', float, 0.2, 'Age at which a scan is not used any more', 's', above=0.0,
    maximum=60.0)
