# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""A terminal for each test."""

from pseudo_terminal import PseudoTerminal
import pytest


@pytest.fixture
def terminal():
    with PseudoTerminal() as found:
        yield found
