# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""Recorded drives in the cockpit: bags and runs, read without ROS, with play, pause and seek."""
