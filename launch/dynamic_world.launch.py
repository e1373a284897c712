# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""Trajectory tracker, dynamic linearizer, command muxes and the 3-D world with tyre forces."""

from racecar.stacks.launching import generate


def generate_launch_description():
    """Return the nodes; `ros2 launch racecar dynamic_world.launch.py --show-args` lists more."""
    return generate('dynamic_world')
