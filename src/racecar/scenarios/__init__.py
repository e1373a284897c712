# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""Scenarios: how a drive with nodes begins, what fails in it, and what is expected at its end."""
