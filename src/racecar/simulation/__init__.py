# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""Simulators that own time: their loops, plants and ports, the metrics and the 3-D world."""
