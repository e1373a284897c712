# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""Nodes of the configuration dynamic_ode.

Trajectory tracker, dynamic linearizer, command muxes and single-track simulator.
"""

from launch import LaunchDescription

from racecar.stacks.launching import generate


def generate_launch_description() -> LaunchDescription:
    """Return the nodes; the argument --show-args of ros2 launch lists what can be chosen."""
    return generate('dynamic_ode')
