# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""Configurations that run in this process, step by step, without ROS."""
