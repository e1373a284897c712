# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""The one client of a live ROS graph: who is there, calls of services, parameters of nodes."""
