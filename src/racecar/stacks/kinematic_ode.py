# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""kinematic_ode: the report's configuration with the kinematic law, in the plane."""

from racecar.catalogue import node_names
from racecar.stacks.tracking import tracking_stack

STACK = tracking_stack(
    'kinematic_ode',
    'trajectory tracker, kinematic linearizer, command muxes and single-track simulator',
    node_names.KINEMATIC_LINEARIZER)
