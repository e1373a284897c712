# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""A car-like robot stack for ROS 2 after the MIT RACECAR simulation."""

from __future__ import annotations

from typing import Any, TYPE_CHECKING

if TYPE_CHECKING:
    __version__: str
else:
    def __getattr__(name: str) -> Any:
        # At its first use: reads a file.
        if name != '__version__':
            raise AttributeError(f'module {__name__!r} has no attribute {name!r}')
        from racecar.core.share import version

        return version()
