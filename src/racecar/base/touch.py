# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""Where two bodies in the plane touch: what geometry gives and dynamics takes."""

from __future__ import annotations

from typing import NamedTuple


class Touch(NamedTuple):
    """A point [m], the unit normal from the first body to the second, and the depth [m].

    depth: by how much they overlap along the normal; 0 or less if they do not.
    """

    x: float
    y: float
    nx: float
    ny: float
    depth: float


NO_TOUCH = Touch(0.0, 0.0, 1.0, 0.0, 0.0)
