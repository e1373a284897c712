# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""Requests that cannot be met."""

from __future__ import annotations

from racecar.base.errors import RacecarError


class RefusedError(RacecarError):
    """A request that cannot be met; code: name of the result in the standard."""

    def __init__(self, code: str, message: str) -> None:
        """Bind the two."""
        super().__init__(message)
        self.code = code
