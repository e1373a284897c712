# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""plant: simulator, muxes and the reference; a node of the user's drives the car."""

from racecar.stacks.tracking import tracking_stack

NAME = 'plant'

STACK = tracking_stack(
    NAME,
    'single-track simulator, command muxes, and the tracker for the reference; a node of your own'
    ' drives', None)
