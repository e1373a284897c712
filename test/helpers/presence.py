# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""What a test relies on being there."""

from typing import TypeVar

T = TypeVar('T')


def present(value: T | None) -> T:
    """The value; raises AssertionError if there is none."""
    assert value is not None, 'there is none'
    return value
