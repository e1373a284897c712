# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""driver_world: driver bridge, muxes and the 3-D world."""

from racecar.stacks.driver import driver_stack
from racecar.stacks.simulator_part import world_part

STACK = driver_stack(
    'driver_world', 'driver bridge, command muxes and the 3-D world, whose wheels take torques',
    world_part('stacks/driver_world'))
