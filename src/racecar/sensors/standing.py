# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""What stands around a sensor, as rows of numbers for kernels."""

from __future__ import annotations

from typing import NamedTuple

from racecar.scene.scene import Rows


class Standing(NamedTuple):
    """Rows of numbers as Scene and Objects give them; fixed, loose: boxes."""

    walls: Rows
    fixed: Rows
    loose: Rows
    cones: Rows
