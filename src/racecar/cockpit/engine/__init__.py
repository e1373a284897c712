# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""A configuration in a process beside the server, without ROS, and what pages see of it."""
