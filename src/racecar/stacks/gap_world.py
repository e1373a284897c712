# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""gap_world: driving by the laser, in the 3-D world."""

from racecar.stacks.gap_following import gap_stack
from racecar.stacks.simulator_part import world_part

STACK = gap_stack(
    'gap_world', 'gap follower that drives by the laser, command muxes and the 3-D world',
    world_part('stacks/gap'))
