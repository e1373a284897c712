# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""Command muxes and 3-D world, driven by hand with keys or a joystick."""

from racecar.stacks.launching import generate


def generate_launch_description():
    """Return the nodes; `ros2 launch racecar teleop_world.launch.py --show-args` lists more."""
    return generate('teleop_world')
