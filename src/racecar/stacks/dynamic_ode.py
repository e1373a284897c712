# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""dynamic_ode: the report's configuration with the dynamic law, in the plane."""

from racecar.catalogue import node_names
from racecar.stacks.tracking import tracking_stack

STACK = tracking_stack(
    'dynamic_ode',
    'trajectory tracker, dynamic linearizer, command muxes and single-track simulator',
    node_names.DYNAMIC_LINEARIZER, 'stacks/dynamic_ode')
