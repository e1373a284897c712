# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""Fixtures of the tests that replay bags."""

from bag_fixtures import bag, messages, rows, warnings_reach_caplog

__all__ = ['bag', 'messages', 'rows', 'warnings_reach_caplog']
