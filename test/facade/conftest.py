# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""Fixtures of the tests that read bags."""

from bag_fixtures import bag, messages, rows

__all__ = ['bag', 'messages', 'rows']
