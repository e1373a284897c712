# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""Everything that needs no ROS: vehicles, control laws, trajectories, simulation, analysis."""
