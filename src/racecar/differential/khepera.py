# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""A Khepera on a table, for controllers that take robot and world as they find them.

In Webots a world file says which robot a controller drives; here the import does.
"""

from __future__ import annotations

from typing import Any

from racecar.differential.differential_wheels import DifferentialWheels as _DifferentialWheels

ROBOT, WORLD = 'khepera', 'arena'


class DifferentialWheels(_DifferentialWheels):
    """The Khepera of config/robots in the world arena."""

    def __init__(self, **options: Any) -> None:
        """options: further ones of racecar.differential.DifferentialWheels."""
        super().__init__(ROBOT, **{'world': WORLD, **options})
