# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""Figures, pages and comparisons of runs, and how a recorded robot looks."""
