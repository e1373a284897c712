# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""Nodes of the configuration kinematic_world.

Trajectory tracker, kinematic linearizer, command muxes and the 3-D world.
"""

from launch import LaunchDescription

from racecar.stacks.launching import generate


def generate_launch_description() -> LaunchDescription:
    """Return the nodes; the argument --show-args of ros2 launch lists what can be chosen."""
    return generate('kinematic_world')
