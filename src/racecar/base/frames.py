# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""Names of the frames (REP-105)."""

MAP = 'map'
ODOM = 'odom'
BASE_LINK = 'base_link'
"""Ground point below the rear axle of a car."""

COG = 'cog'
"""Centre of gravity."""

REFERENCE = 'reference'
"""The pose that the tracker aims at."""
