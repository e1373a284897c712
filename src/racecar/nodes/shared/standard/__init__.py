# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""Services of simulation_interfaces on a simulator node, by what they are about.

Source: https://github.com/ros-simulation/simulation_interfaces, 1.5.1 (Jazzy) and 1.6.1 (Kilted).
"""
