# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""Equations of motion: vehicles, tyres, powertrain, actuators, and their integrators."""
