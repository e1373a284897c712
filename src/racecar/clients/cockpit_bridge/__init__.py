# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""The cockpit's bridge to ROS: a node that shows pages what runs, and does what they ask for."""
