# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""What reading a bag needs beside the core."""

from __future__ import annotations

from pathlib import Path

from racecar.base.extras import LIBRARIES, require

EXTRA = 'bags'


def check_libraries(path: Path) -> None:
    """Raise ConfigurationError for a bag that cannot be read as libraries are not installed."""
    require(f"bag '{path}'",
            *(module for module, library in LIBRARIES.items() if EXTRA in library.extras))
