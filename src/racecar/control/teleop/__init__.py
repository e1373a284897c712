# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""Driving by hand: what keys and joysticks mean, without terminal, device or ROS."""
