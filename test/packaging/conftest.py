# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""Fixtures of the tests that need a bag."""

from bag_fixtures import messages, rows

__all__ = ['messages', 'rows']
