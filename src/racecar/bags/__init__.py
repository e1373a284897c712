# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""Bags read and written without ROS, and what turns them into runs."""
