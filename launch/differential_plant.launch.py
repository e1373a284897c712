# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""Nodes of the configuration differential_plant.

Differential-drive robots on cmd_vel, and the tracker for the reference; nodes of your own drive.
"""

from launch import LaunchDescription

from racecar.stacks.launching import generate


def generate_launch_description() -> LaunchDescription:
    """Return the nodes; the argument --show-args of ros2 launch lists what can be chosen."""
    return generate('differential_plant')
