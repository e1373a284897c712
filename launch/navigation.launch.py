# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""A car in a world, with a localisation and Nav2 around it, where they are installed."""

from launch import LaunchDescription

from racecar.stacks.navigating import generate_navigation


def generate_launch_description() -> LaunchDescription:
    """Return the nodes; the argument --show-args of ros2 launch lists what can be chosen."""
    return generate_navigation()
