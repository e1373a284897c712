# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""Trajectory tracker, differential linearizer and a robot with two wheels on cmd_vel."""

from racecar.stacks.launching import generate


def generate_launch_description():
    """Return the nodes; `ros2 launch racecar differential_wheels.launch.py -s` lists more."""
    return generate('differential_wheels')
