# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""The tap of the cockpit: a node that hears what runs, and does what its pages ask for."""
