# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""Fit a vehicle to logs of real drives, and say what the logs can tell and what they cannot."""
