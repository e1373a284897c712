# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""Nodes that a command adds to a running stack: they use it through topics and services only."""
