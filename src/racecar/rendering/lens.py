# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""How a camera maps directions to pixels: a pinhole without distortion.

Optical axes are those of REP 103: z along the view, x to the right of the picture, y down.
"""

from __future__ import annotations

import math
from typing import NamedTuple

from racecar.base.poses import pose_of_angles
from racecar.base.types import Pose3

OPTICAL_AXES: Pose3 = pose_of_angles(0.0, 0.0, 0.0, -0.5 * math.pi, 0.0, -0.5 * math.pi)
"""Pose of the optical frame in that of a camera that looks along its x axis, z up."""

LENS_OF_OPTICAL: Pose3 = Pose3(0.0, 0.0, 0.0, 0.5, -0.5, 0.5, 0.5)
"""The other way round."""


class Lens(NamedTuple):
    """Size of the picture [pixels] and what of the world is on it.

    field_of_view: between the left and the right edge [rad]; near, far: distances along the view
    between which things are seen [m].
    """

    width: int
    height: int
    field_of_view: float
    near: float
    far: float

    @property
    def focal_length(self) -> float:
        """Of both axes [pixels]."""
        return 0.5 * self.width / math.tan(0.5 * self.field_of_view)

    @property
    def centre(self) -> tuple[float, float]:
        """Where the optical axis meets the picture [pixels]; (0, 0) is a pixel's middle."""
        return 0.5 * (self.width - 1), 0.5 * (self.height - 1)

    def pixel(self, x: float, y: float, z: float) -> tuple[float, float]:
        """Column and row of a point in optical axes [m], z positive."""
        column, row = self.centre
        return column + self.focal_length * x / z, row + self.focal_length * y / z
