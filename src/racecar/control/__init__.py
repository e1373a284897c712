# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""Trajectories, tracker, feedback linearizers, command multiplexer and driving by hand."""
