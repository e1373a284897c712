# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""Single-track simulator, command muxes and the reference, for a node of your own that drives."""

from racecar.stacks.launching import generate


def generate_launch_description():
    """Return the nodes; `ros2 launch racecar plant.launch.py --show-args` lists more."""
    return generate('plant')
