# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""Driver bridge, command muxes and the 3-D world, whose wheels take torques."""

from racecar.stacks.launching import generate


def generate_launch_description():
    """Return the nodes; `ros2 launch racecar driver_world.launch.py --show-args` lists more."""
    return generate('driver_world')
