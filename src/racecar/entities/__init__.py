# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""What is in a running simulation by name: states, spawning and worlds, independent of ROS."""
