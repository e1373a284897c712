# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""Nodes of the configuration differential_wheels.

Trajectory tracker, linearizer and a differential-drive robot on cmd_vel.
"""

from launch import LaunchDescription

from racecar.stacks.launching import generate


def generate_launch_description() -> LaunchDescription:
    """Return the nodes; the argument --show-args of ros2 launch lists what can be chosen."""
    return generate('differential_wheels')
