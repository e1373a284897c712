# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""A car-like robot stack for ROS 2 after the MIT RACECAR simulation."""
