# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""Names of the methods that make race lines, and of the models of the least time."""

import math

METHODS = CENTRE, CURVATURE, TIME = 'centre', 'curvature', 'time'
"""Centre line; least curvature; least lap time."""

MODELS = PLAIN_MODEL, DOUBLE_TRACK = 'single_track', 'double_track'
"""Of the least lap time."""

SLIP_ANGLE = 0.25 * math.pi
"""Default of the largest slip angle of tyres [rad]."""
