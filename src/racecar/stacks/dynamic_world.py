# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""dynamic_world: the configuration with the dynamic law, in the 3-D world."""

from racecar.catalogue import node_names
from racecar.stacks.simulator_part import world_part
from racecar.stacks.tracking import tracking_stack

STACK = tracking_stack(
    'dynamic_world',
    'trajectory tracker, dynamic linearizer, command muxes and the 3-D world with tyre forces',
    node_names.DYNAMIC_LINEARIZER, 'stacks/dynamic_ode',
    simulator=world_part('stacks/world_pacejka'))
