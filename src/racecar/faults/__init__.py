# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""Faults of simulated robots: what fails between them and their controllers, and of them."""
