# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""Vehicles, control laws, trajectories, simulation and analysis, as plain Python and NumPy."""
