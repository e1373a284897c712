# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""Paints pictures of a scene with the present OpenGL context.

What lies on the ground is painted in its order and all that stands on it later, so that heights
of a millimetre need not be told apart.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
import math
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from OpenGL import GL

from racecar.base.columns import Array
from racecar.base.poses import pose_of_child
from racecar.base.types import Pose3, quaternion_to_yaw
from racecar.description.outline import outline
from racecar.description.robot_tree import Lamp
from racecar.rendering import shaders
from racecar.rendering.card import (
    CardMesh,
    depth_target,
    grey_picture,
    picture_target,
    Program,
    read_depths,
    read_pixels,
)
from racecar.rendering.lens import Lens
from racecar.rendering.robots import matrix, robot_parts
from racecar.rendering.sight import DrawnRobot, Line, Quality, RobotSight, Sight
from racecar.rendering.surfaces import cone_vertices, scenery, thing_vertices
from racecar.rendering.textures import ground_pattern, TILE, wall_pattern
from racecar.rendering.vertices import Vertices, vertices
from racecar.scene.scene import Colour, CONCRETE, GREY, Ground, Scene

_TO_SUN = np.array([-0.45, 0.35, 0.9]) / np.linalg.norm([-0.45, 0.35, 0.9])
_HAZE: Colour = (0.933, 0.949, 0.965)
# Of the ground where a world says nothing of it, and how far it is painted [m].
_FLOOR: Colour = (0.905, 0.923, 0.941)
_FAR = 400.0
# Shadows reach so far: that many distances of the eye, at least so many slabs of the floor.
_REACH, _LEAST_REACH = 1.6, 3.0
_STILL = np.eye(4)
_FULL = (1.0, 1.0, 1.0, 1.0)
_SCREEN = np.array([(-1.0, -1.0, 0.0), (3.0, -1.0, 0.0), (-1.0, 3.0, 0.0)])


class _Item(NamedTuple):
    """Something to draw: where it is, what it is made of; lamps are lit by themselves."""

    mesh: CardMesh
    place: Array
    pattern: int
    gloss: float = 0.0
    tint: tuple[float, ...] = _FULL
    glow: float = 0.0
    opaque: bool = True


class _Robot(NamedTuple):
    drawn: DrawnRobot
    parts: list[tuple[str, CardMesh, Lamp | None, bool]]
    middle: tuple[float, float]
    size: tuple[float, float]


class Painter:
    """Meshes and programs of one scene on the card; they go with their context."""

    def __init__(self, scene: Scene, robots: Sequence[DrawnRobot], quality: Quality) -> None:
        """Raise ConfigurationError if the card cannot draw it or a mesh cannot be read."""
        defines = ['SHADOWS'] if quality.shadow_size else []
        self._shadow_size = quality.shadow_size
        self._solid = Program(shaders.SOLID_VERTEX, shaders.SOLID_FRAGMENT, *defines)
        self._ground = Program(shaders.GROUND_VERTEX, shaders.GROUND_FRAGMENT, *defines)
        self._ribbon = Program(shaders.RIBBON_VERTEX, shaders.RIBBON_FRAGMENT)
        self._point = Program(shaders.POINT_VERTEX, shaders.POINT_FRAGMENT)
        self._sky = Program(shaders.SKY_VERTEX, shaders.SKY_FRAGMENT)
        self._white = grey_picture(np.full((1, 1), 255, np.uint8))
        self._floor_pattern = grey_picture(ground_pattern())
        self._wall_pattern = grey_picture(wall_pattern())
        fixed = scenery(scene)
        self._walls, self._plain, self._paint = (
            CardMesh(_tiled(rows)) for rows in fixed[:3])
        self._tops = fixed.tops and [CardMesh(_tiled(rows)) for rows in fixed.tops]
        self._cones = [CardMesh(cone_vertices(cone)) for cone in scene.cones]
        self._moving = [CardMesh(thing_vertices(thing)) for thing in scene.moving]
        self._robots = [_robot(robot) for robot in robots]
        self._extent = scene.ground
        length = 2.0 * self._robots[0].size[0] if self._robots else 0.0
        # A power of ten, 1 m for a robot of 0.5 m.
        self._slab = 10.0**round(math.log10(1.5 * length)) if length else 1.0
        self._screen = CardMesh(vertices(_SCREEN, _TO_SUN))
        self._loose = CardMesh()
        self._target = picture_target(quality.width, quality.height, quality.samples)
        self._result = picture_target(
            quality.width, quality.height) if quality.samples else self._target
        if quality.shadow_size:
            self._depth = Program(shaders.DEPTH_VERTEX, shaders.DEPTH_FRAGMENT)
            self._shade = depth_target(quality.shadow_size)

    def paint(self, sight: Sight, viewpoint: Pose3, lens: Lens) -> NDArray[np.uint8]:
        """Picture (height, width, 3), see Renderer.draw()."""
        items = list(self._items(sight))
        axes = matrix(viewpoint)
        view = _projection(lens) @ _seen_from(axes)
        middle, yaw, size = self._under(sight)
        sun = _STILL
        if self._shadow_size:
            focus = (*middle, 0.0)
            sun = _sun_view(focus, max(
                _LEAST_REACH * self._slab, _REACH * math.dist(viewpoint[:3], focus)))
            self._paint_depths(items, sun)
        GL.glBindFramebuffer(GL.GL_FRAMEBUFFER, self._target.frame)
        GL.glViewport(0, 0, lens.width, lens.height)
        GL.glClear(GL.GL_DEPTH_BUFFER_BIT | GL.GL_STENCIL_BUFFER_BIT)
        GL.glDisable(GL.GL_DEPTH_TEST)
        GL.glDisable(GL.GL_BLEND)
        half = 0.5 * np.array([lens.width, lens.height])
        # From places on the picture to directions.
        rays = axes[:3, [1, 2, 0]] @ np.diag([*(half / lens.focal_length) * (-1.0, 1.0), 1.0])
        self._sky.use(rays=rays)
        self._screen.draw()
        common = {'view': view, 'sun': sun, 'eye': viewpoint[:3]}
        if self._shadow_size:
            common.update(depths=1, texel=1.0 / self._shadow_size)
        self._paint_ground(common, viewpoint, (*middle, math.cos(yaw), math.sin(yaw)), size)
        self._solid.use(**common, picture=0, lift=0.004)
        self._draw([_Item(self._paint, _STILL, self._white)])
        self._paint_lines(sight, {'view': view, 'eye': viewpoint[:3], 'half_size': half})
        GL.glEnable(GL.GL_DEPTH_TEST)
        self._solid.use()
        self._draw([item for item in items if item.opaque])
        self._paint_tops()
        GL.glEnable(GL.GL_BLEND)
        GL.glDepthMask(False)
        self._draw([item for item in items if not item.opaque])
        self._paint_dots(sight, view, lens)
        GL.glDepthMask(True)
        return self._read(lens)

    def measure(self, sight: Sight, viewpoint: Pose3, lens: Lens) -> NDArray[np.float32]:
        """Depths (height, width), see Renderer.measure()."""
        self.paint(sight, viewpoint, lens)
        GL.glBindFramebuffer(GL.GL_READ_FRAMEBUFFER, self._result.frame)
        scaled = 2.0 * read_depths(lens.width, lens.height).astype(np.float64) - 1.0
        near, far = lens.near, lens.far
        depths = 2.0 * far * near / (far + near - scaled * (far - near))
        depths[scaled >= 1.0] = np.inf
        # The ground is painted without depths.
        column, row = lens.centre
        right = (np.arange(lens.width) - column) / lens.focal_length
        down = (np.arange(lens.height) - row) / lens.focal_length
        ahead, left, up = matrix(viewpoint)[2, :3]
        falling = -(ahead - left * right - up * down[:, None])
        with np.errstate(divide='ignore'):
            ground = np.where(falling > 0.0, viewpoint.z / falling, np.inf)
        ground[ground > far] = np.inf
        return np.minimum(depths, ground).astype(np.float32)

    def _read(self, lens: Lens) -> NDArray[np.uint8]:
        if self._result is not self._target:
            GL.glBindFramebuffer(GL.GL_READ_FRAMEBUFFER, self._target.frame)
            GL.glBindFramebuffer(GL.GL_DRAW_FRAMEBUFFER, self._result.frame)
            rectangle = 0, 0, lens.width, lens.height
            GL.glBlitFramebuffer(
                *rectangle, *rectangle, GL.GL_COLOR_BUFFER_BIT | GL.GL_DEPTH_BUFFER_BIT,
                GL.GL_NEAREST)
        GL.glBindFramebuffer(GL.GL_READ_FRAMEBUFFER, self._result.frame)
        return read_pixels(lens.width, lens.height)

    def _paint_lines(self, sight: Sight, common: dict[str, object]) -> None:
        GL.glEnable(GL.GL_BLEND)
        GL.glBlendFunc(GL.GL_SRC_ALPHA, GL.GL_ONE_MINUS_SRC_ALPHA)
        self._ribbon.use(**common)
        for line in sight.lines:
            self._loose.fill(_ribbon(line))
            self._ribbon.set(half_width=line.radius, tint=(*line.colour, 0.95))
            self._loose.draw(GL.GL_TRIANGLE_STRIP)
        GL.glDisable(GL.GL_BLEND)

    def _paint_dots(self, sight: Sight, view: Array, lens: Lens) -> None:
        GL.glEnable(GL.GL_PROGRAM_POINT_SIZE)
        # Of the compatibility profile, without which shaders see no place within a point.
        GL.glEnable(GL.GL_POINT_SPRITE)
        self._point.use(view=view)
        for dots in sight.dots:
            self._loose.fill(vertices(dots.points, _TO_SUN))
            self._point.set(size=dots.edge * lens.focal_length, tint=(*dots.colour, 0.95))
            self._loose.draw(GL.GL_POINTS)

    def _items(self, sight: Sight) -> Iterator[_Item]:
        """All that stands on the ground, but the tops of a map's walls."""
        yield _Item(self._walls, _STILL, self._wall_pattern)
        yield _Item(self._plain, _STILL, self._white)
        for mesh, pose in zip(self._cones, sight.cones, strict=True):
            yield _Item(mesh, matrix(pose), self._white)
        for mesh, pose in zip(self._moving, sight.moving, strict=True):
            yield _Item(mesh, matrix(pose), self._white)
        for robot, seen in zip(self._robots, sight.robots, strict=True):
            yield from self._robot_items(robot, seen)

    def _robot_items(self, robot: _Robot, seen: RobotSight) -> Iterator[_Item]:
        tree = robot.drawn.tree
        names = {joint.name for joint in tree.joints}
        poses = tree.poses({
            name: position
            for name, position in zip(robot.drawn.joints, seen.positions, strict=True)
            if name in names})
        for link, mesh, lamp, opaque in robot.parts:
            place = matrix(pose_of_child(seen.pose, poses[link]))
            if lamp is None:
                yield _Item(mesh, place, self._white, 1.0, opaque=opaque)
            elif getattr(seen.lamps, lamp.function):
                yield _Item(mesh, place, self._white, tint=(*lamp.colour, 1.0), glow=1.0)
            else:
                colour = tree.lamp_shape(lamp).colour or (*GREY, 1.0)
                yield _Item(mesh, place, self._white, 1.0, colour)

    def _draw(self, items: Sequence[_Item]) -> None:
        for item in items:
            GL.glActiveTexture(GL.GL_TEXTURE0)
            GL.glBindTexture(GL.GL_TEXTURE_2D, item.pattern)
            self._solid.set(model=item.place, tint=item.tint, gloss=item.gloss, glow=item.glow)
            item.mesh.draw()

    def _paint_depths(self, items: Sequence[_Item], sun: Array) -> None:
        """Paint what the sun sees; the tops of walls see as much of it with their sides alone."""
        GL.glBindFramebuffer(GL.GL_FRAMEBUFFER, self._shade.frame)
        GL.glViewport(0, 0, self._shadow_size, self._shadow_size)
        GL.glEnable(GL.GL_DEPTH_TEST)
        GL.glClear(GL.GL_DEPTH_BUFFER_BIT)
        self._depth.use(view=sun)
        for item in items:
            self._depth.set(model=item.place)
            item.mesh.draw()
        GL.glActiveTexture(GL.GL_TEXTURE1)
        GL.glBindTexture(GL.GL_TEXTURE_2D, self._shade.depths)

    def _under(
        self, sight: Sight,
    ) -> tuple[tuple[float, float], float, tuple[float, float]]:
        """Place, direction [rad] and half length and width of the first robot on the ground."""
        if not self._robots:
            return (0.0, 0.0), 0.0, (0.0, 0.0)
        robot, pose = self._robots[0], sight.robots[0].pose
        x, y, _ = pose_of_child(pose, Pose3(*robot.middle, 0.0, 0.0, 0.0, 0.0, 1.0))[:3]
        return (x, y), quaternion_to_yaw(*pose[3:]), robot.size

    def _paint_ground(
        self, common: dict[str, object], viewpoint: Pose3,
        under: tuple[float, ...], size: tuple[float, float],
    ) -> None:
        ground = self._extent
        low = np.maximum((ground.x - 0.5 * ground.length, ground.y - 0.5 * ground.width),
                         np.subtract(viewpoint[:2], _FAR))
        high = np.minimum((ground.x + 0.5 * ground.length, ground.y + 0.5 * ground.width),
                          np.add(viewpoint[:2], _FAR))
        if not (low < high).all():
            return
        places = np.array([(*low, 0.0), (high[0], low[1], 0.0), (low[0], high[1], 0.0),
                           (*high, 0.0)])
        self._loose.fill(vertices(places, _TO_SUN))
        GL.glActiveTexture(GL.GL_TEXTURE0)
        GL.glBindTexture(GL.GL_TEXTURE_2D, self._floor_pattern)
        self._ground.use(
            **common, picture=0, colour=_floor_colour(ground), under=under,
            size=np.maximum(size, 1e-6), slab=self._slab, tile=TILE * self._slab)
        self._loose.draw(GL.GL_TRIANGLE_STRIP)

    def _paint_tops(self) -> None:
        """Count, where a wall's top is seen, the triangles of its fans; cover where it is odd."""
        if not self._tops:
            return
        fans, cover = self._tops
        GL.glEnable(GL.GL_STENCIL_TEST)
        GL.glColorMask(False, False, False, False)
        GL.glDepthMask(False)
        GL.glStencilFunc(GL.GL_ALWAYS, 0, 1)
        GL.glStencilOp(GL.GL_KEEP, GL.GL_KEEP, GL.GL_INVERT)
        item = _Item(fans, _STILL, self._wall_pattern)
        self._draw([item])
        GL.glColorMask(True, True, True, True)
        GL.glDepthMask(True)
        GL.glStencilFunc(GL.GL_EQUAL, 1, 1)
        GL.glStencilOp(GL.GL_KEEP, GL.GL_KEEP, GL.GL_KEEP)
        self._draw([item._replace(mesh=cover)])
        GL.glDisable(GL.GL_STENCIL_TEST)


def _tiled(rows: Vertices) -> Vertices:
    rows['pattern'] /= TILE
    return rows


def _robot(robot: DrawnRobot) -> _Robot:
    parts = [(part.link, CardMesh(part.vertices), part.lamp, part.opaque)
             for part in robot_parts(robot.tree)]
    corners = outline(robot.tree)[:, :2]
    low, high = (corners.min(axis=0), corners.max(axis=0)) if len(corners) else (
        np.zeros(2), np.zeros(2))
    (x, y), (length, width) = 0.5 * (low + high), 0.5 * (high - low)
    return _Robot(robot, parts, (float(x), float(y)), (float(length), float(width)))


def _floor_colour(ground: Ground) -> Colour:
    return _FLOOR if ground.colour == CONCRETE else ground.colour


def _ribbon(line: Line) -> Vertices:
    """Strip along a line: each point twice, with the direction to the one and the other side."""
    way = np.gradient(line.points[:, :2], axis=0)
    way /= np.maximum(np.hypot(*way.T), 1e-9)[:, None]
    side = np.column_stack([-way[:, 1], way[:, 0], np.zeros(len(way))])
    return vertices(np.repeat(line.points, 2, axis=0),
                    np.stack([-side, side], axis=1).reshape(-1, 3))


def _seen_from(axes: Array) -> Array:
    """Transformation to x right, y up, z to the eye, of a camera's pose as a matrix."""
    result = np.eye(4)
    result[:3, :3] = np.array([-axes[:3, 1], axes[:3, 2], -axes[:3, 0]])
    result[:3, 3] = -result[:3, :3] @ axes[:3, 3]
    return result


def _projection(lens: Lens) -> Array:
    near, far = lens.near, lens.far
    across, up = (2.0 * lens.focal_length / size for size in (lens.width, lens.height))
    return np.array([
        [across, 0.0, 0.0, 0.0], [0.0, up, 0.0, 0.0],
        [0.0, 0.0, (far + near) / (near - far), 2.0 * far * near / (near - far)],
        [0.0, 0.0, -1.0, 0.0]])


def _sun_view(focus: tuple[float, float, float], reach: float) -> Array:
    """What the sun sees about a place, as far as reach [m]."""
    across = np.cross((0.0, 0.0, 1.0), _TO_SUN)
    across /= np.linalg.norm(across)
    axes = np.array([across, np.cross(_TO_SUN, across), _TO_SUN])
    depth = 3.0 * reach
    result = np.eye(4)
    result[:3, :3] = axes * np.array([1.0 / reach, 1.0 / reach, -1.0 / depth])[:, None]
    result[:3, 3] = -result[:3, :3] @ focus
    return result
