# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""The 3-D world of MuJoCo: its model, its cars and the plant that steps them."""
