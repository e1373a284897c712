# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""A robot with two driven wheels, after DifferentialWheels of Webots (seeds 002 and 004)."""
