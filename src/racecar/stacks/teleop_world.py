# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""teleop_world: driving by hand, in the 3-D world."""

from racecar.stacks.simulator_part import world_part
from racecar.stacks.teleop import teleop_stack

STACK = teleop_stack(
    'teleop_world', 'command muxes and 3-D world, driven by hand with keys or a joystick',
    world_part())
