# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""Simulator for programs of the RACECAR Neo course, over the protocol of their library."""
