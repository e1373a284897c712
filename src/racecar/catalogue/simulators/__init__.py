# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""Parameter tables of the simulators, and what makes their cars and plants."""
