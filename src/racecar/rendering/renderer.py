# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""Draws a scene with robots from a viewpoint, in the process and thread that calls it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from racecar.base.types import Pose3
from racecar.rendering.lens import Lens
from racecar.rendering.opengl import open_context
from racecar.rendering.sight import DrawnRobot, Quality, Sight
from racecar.scene.scene import Scene

if TYPE_CHECKING:
    from mujoco.gl_context import GLContext

Pixels = NDArray[np.uint8]
"""Rows from the top, columns from the left; red, green, blue."""

Depths = NDArray[np.float32]
"""Distances along the view (height, width) [m], rows from the top; +inf where nothing is seen."""


class Renderer:
    """Draws pictures of one scene; a context manager that frees what it holds.

    Deterministic: equal sights and viewpoints give equal pixels on one machine.
    """

    def __init__(
        self, scene: Scene, robots: Sequence[DrawnRobot], quality: Quality,
    ) -> None:
        """Raise ConfigurationError if MuJoCo, OpenGL or a mesh is not there."""
        self._gl: GLContext | None = open_context(quality.width, quality.height)
        # It looks for the library of this context.
        from racecar.rendering.painter import Painter
        self._painter = Painter(scene, robots, quality)

    def draw(self, sight: Sight, viewpoint: Pose3, lens: Lens) -> Pixels:
        """Picture (height, width, 3).

        viewpoint: pose of the camera in the scene, which looks along its x axis, z up.
        """
        assert self._gl is not None
        self._gl.make_current()
        return self._painter.paint(sight, viewpoint, lens)

    def measure(self, sight: Sight, viewpoint: Pose3, lens: Lens) -> Depths:
        """Depths of what draw() would show; of panes what is behind them, of the ground z = 0."""
        assert self._gl is not None
        self._gl.make_current()
        return self._painter.measure(sight, viewpoint, lens)

    def close(self) -> None:
        """Free what OpenGL holds; closing twice is allowed."""
        if self._gl is not None:
            self._gl.free()
            self._gl = None

    def __enter__(self) -> Renderer:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()
