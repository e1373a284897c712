# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""Draws a scene with robots from a viewpoint, in the process and thread that calls it."""

from __future__ import annotations

from collections.abc import Sequence
import math
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from racecar.base.poses import rotated
from racecar.base.types import Pose3
from racecar.rendering.lens import Lens
from racecar.rendering.opengl import open_context
from racecar.rendering.picture_model import LIGHT_DISTANCE, picture_model, Quality
from racecar.rendering.sight import Dots, DrawnRobot, Line, Sight
from racecar.scene.scene import Colour, Scene
from racecar.simulation.world.engine import load_engine

if TYPE_CHECKING:
    from mujoco import mjtGeom, MjvGeom, MjvGLCamera, MjvScene
    from mujoco.gl_context import GLContext

Pixels = NDArray[np.uint8]
"""Rows from the top, columns from the left; red, green, blue."""


_NO_SIZE = np.zeros(3)
_UPRIGHT = np.eye(3).ravel()

MOST_GEOMS = 8000
"""Pieces of lines and dots that one picture can have; more are left out."""


class Renderer:
    """Draws pictures of one scene; a context manager that frees what it holds.

    Deterministic: equal sights and viewpoints give equal pixels on one machine.
    """

    def __init__(
        self, scene: Scene, robots: Sequence[DrawnRobot], quality: Quality,
    ) -> None:
        """Raise ConfigurationError if MuJoCo, OpenGL or a mesh is not there."""
        mujoco = load_engine()
        self.quality = quality
        self._picture = picture_model(scene, robots, quality)
        model = self._picture.model
        self._data = mujoco.MjData(model)
        self._option = mujoco.MjvOption()
        self._camera = mujoco.MjvCamera()
        self._scene = mujoco.MjvScene(model, model.ngeom + MOST_GEOMS)
        flags = self._scene.flags
        flags[mujoco.mjtRndFlag.mjRND_SHADOW] = quality.shadow_size > 0
        flags[mujoco.mjtRndFlag.mjRND_REFLECTION] = False
        self._gl: GLContext | None = open_context(quality.width, quality.height)
        self._context = mujoco.MjrContext(model, mujoco.mjtFontScale.mjFONTSCALE_100.value)
        mujoco.mjr_setBuffer(mujoco.mjtFramebuffer.mjFB_OFFSCREEN.value, self._context)

    def draw(self, sight: Sight, viewpoint: Pose3, lens: Lens) -> Pixels:
        """Picture (height, width, 3).

        viewpoint: pose of the camera in the scene, which looks along its x axis, z up.
        """
        mujoco = load_engine()
        model, data, scene = self._picture.model, self._data, self._scene
        data.qpos[:] = packed = self._picture.pack(sight)
        self._picture.light(sight)
        mujoco.mj_kinematics(model, data)
        mujoco.mj_camlight(model, data)
        mujoco.mjv_updateScene(
            model, data, self._option, None, self._camera,
            mujoco.mjtCatBit.mjCAT_ALL.value, scene)
        for line in sight.lines:
            _add_line(scene, line)
        for dots in sight.dots:
            _add_dots(scene, dots)
        for eye in scene.camera:
            _aim(eye, viewpoint, lens)
        focus = self._picture.focus(packed)
        for light in scene.lights[:scene.nlight]:
            if light.castshadow:
                # Shadows are drawn about the line of such a light.
                light.pos = [f - LIGHT_DISTANCE * d for f, d in zip(focus, light.dir, strict=True)]
        assert self._gl is not None
        self._gl.make_current()
        rectangle = mujoco.MjrRect(0, 0, lens.width, lens.height)
        mujoco.mjr_render(rectangle, scene, self._context)
        pixels = np.empty((lens.height, lens.width, 3), np.uint8)
        mujoco.mjr_readPixels(pixels, None, rectangle, self._context)
        # OpenGL counts rows from below.
        return pixels[::-1]

    def close(self) -> None:
        """Free what OpenGL holds; closing twice is allowed."""
        if self._gl is not None:
            self._gl.make_current()
            self._context.free()
            self._gl.free()
            self._gl = None

    def __enter__(self) -> Renderer:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def _add_line(scene: object, line: Line) -> None:
    mujoco = load_engine()
    kind = mujoco.mjtGeom.mjGEOM_CAPSULE
    for start, end in zip(line.points, line.points[1:], strict=False):
        geom = _new_geom(scene, kind, line.colour)
        if geom is None:
            return
        mujoco.mjv_connector(geom, kind, line.radius, start, end)


def _add_dots(scene: object, dots: Dots) -> None:
    size = np.full(3, 0.5 * dots.edge)
    for point in dots.points:
        if _new_geom(scene, load_engine().mjtGeom.mjGEOM_BOX, dots.colour, size, point) is None:
            return


def _new_geom(
    scene: MjvScene, kind: mjtGeom, colour: Colour, size: NDArray[np.float64] = _NO_SIZE,
    place: NDArray[np.float64] = _NO_SIZE,
) -> MjvGeom | None:
    """One more geom of the picture; None if there is no room for it."""
    if scene.ngeom >= scene.maxgeom:
        return None
    geom = scene.geoms[scene.ngeom]
    load_engine().mjv_initGeom(
        geom, kind, size, place, _UPRIGHT, np.array((*colour, 1.0), np.float32))
    geom.emission = 0.4
    scene.ngeom += 1
    return geom


def _aim(eye: MjvGLCamera, viewpoint: Pose3, lens: Lens) -> None:
    """Put a camera of the engine to a viewpoint."""
    rotation = viewpoint[3:]
    eye.pos = viewpoint[:3]
    eye.forward = rotated(rotation, (1.0, 0.0, 0.0))
    eye.up = rotated(rotation, (0.0, 0.0, 1.0))
    half_width = lens.near * math.tan(0.5 * lens.field_of_view)
    half_height = half_width * lens.height / lens.width
    eye.frustum_center, eye.frustum_width = 0.0, half_width
    eye.frustum_bottom, eye.frustum_top = -half_height, half_height
    eye.frustum_near, eye.frustum_far = lens.near, lens.far
