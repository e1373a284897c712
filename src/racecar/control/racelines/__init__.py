# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""Tracks with borders, and lines round them: by shape, speed and time. docs/racelines.md."""
