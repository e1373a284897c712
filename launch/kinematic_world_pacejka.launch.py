# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""Trajectory tracker, kinematic linearizer, command muxes and the 3-D world with tyres."""

from racecar.stacks.launching import generate


def generate_launch_description():
    """Return the nodes; `ros2 launch racecar kinematic_world_pacejka.launch.py -s` lists more."""
    return generate('kinematic_world_pacejka')
