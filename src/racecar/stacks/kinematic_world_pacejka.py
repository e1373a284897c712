# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""kinematic_world_pacejka: the same with tyre forces in the place of friction."""

from racecar.catalogue import node_names
from racecar.stacks.simulator_part import world_part
from racecar.stacks.tracking import tracking_stack

STACK = tracking_stack(
    'kinematic_world_pacejka',
    'trajectory tracker, kinematic linearizer, command muxes and the 3-D world with tyre'
    ' forces',
    node_names.KINEMATIC_LINEARIZER, simulator=world_part('stacks/world_pacejka'))
