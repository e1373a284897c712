# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""Races of several cars: rules, referee and standings; they know neither a plant nor ROS."""
