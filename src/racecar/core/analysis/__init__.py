# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""Runs as tables and tracks, their tracking error, figures and the HTML report."""
