# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""gap_ode: driving by the laser, in the plane."""

from racecar.stacks.gap_following import gap_stack
from racecar.stacks.simulator_part import planar_part

STACK = gap_stack(
    'gap_ode', 'gap follower that drives by the laser, command muxes and single-track simulator',
    planar_part('stacks/gap'))
