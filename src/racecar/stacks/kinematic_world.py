# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""kinematic_world: the report's configuration with the kinematic law, in the 3-D world."""

from racecar.catalogue import node_names
from racecar.stacks.simulator_part import world_part
from racecar.stacks.tracking import tracking_stack

STACK = tracking_stack(
    'kinematic_world',
    'trajectory tracker, kinematic linearizer, command muxes and the 3-D world',
    node_names.KINEMATIC_LINEARIZER, simulator=world_part())
