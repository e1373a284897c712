# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""Gap follower that drives by the laser, command muxes and single-track simulator."""

from racecar.stacks.launching import generate


def generate_launch_description():
    """Return the nodes; `ros2 launch racecar gap_ode.launch.py --show-args` lists more."""
    return generate('gap_ode')
