# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""Small pictures of vehicles, worlds and paths, for the lists of the page."""

from __future__ import annotations

import io

import numpy as np
from numpy.typing import NDArray
from PIL import Image, ImageDraw

from racecar.base.errors import ConfigurationError
from racecar.base.poses import pose_of_child, rotated
from racecar.base.shapes import Box, Cylinder, Geometry, Mesh, Shape, Sphere
from racecar.base.share import resource_file
from racecar.base.types import Pose3
from racecar.description.robot_tree import RobotTree
from racecar.description.triangles import corners_of, outward, solid, triangle_count, Triangles
from racecar.scene.scene import rectangle_corners, Scene

WIDTH, HEIGHT = 224, 126
"""Of the pictures, which have a transparent ground [pixels]."""

Points = NDArray[np.float64]
_Colour = tuple[int, ...]

# Drawn so many times larger, for smooth edges.
_OVERSAMPLED = 3
_MARGIN = 0.06
_LINE = 7
_WALL: _Colour = (118, 132, 147, 255)
_PATH: _Colour = (0, 149, 109, 255)
# Black is lit, too, so that it can be told from a dark page.
_LEAST = 0.12
_GREY = (0.6, 0.62, 0.65, 1.0)
# The car is looked at from the front left: axes of the picture, and where the light is.
_RIGHT, _TOWARDS = np.array([-0.643, 0.766, 0.0]), np.array([0.728, 0.611, 0.309])
_UP = np.cross(_TOWARDS, _RIGHT)
_LIGHT = np.array([0.3, 0.45, 0.84])
_AROUND = np.linspace(0.0, 2.0 * np.pi, 21)[:-1]
_CIRCLE = np.column_stack([np.cos(_AROUND), -np.sin(_AROUND)])


class _Sheet:
    """A picture on which y goes up; everything that is drawn lies between low and high (2,)."""

    def __init__(self, low: Points, high: Points) -> None:
        size = np.array([WIDTH, HEIGHT]) * float(_OVERSAMPLED)
        span = np.maximum(high - low, 1e-9)
        self._scale = float(((1.0 - 2.0 * _MARGIN) * size / span).min())
        self._middle, self._centre = 0.5 * (low + high), 0.5 * size
        self._image = Image.new('RGBA', (int(size[0]), int(size[1])))
        self._pen = ImageDraw.Draw(self._image)

    def _moved(self, points: Points) -> Points:
        moved: Points = (points - self._middle) * self._scale * (1.0, -1.0) + self._centre
        return moved

    def _places(self, points: Points) -> list[tuple[float, float]]:
        return [(x, y) for x, y in self._moved(points).tolist()]

    def area(self, corners: Points, colour: _Colour, edge: int = 1) -> None:
        """Fill a polygon; edge: least width of what is thin [pixels of the drawing]."""
        places = self._places(corners)
        self._pen.polygon(places, colour)
        self._pen.line([*places, places[0]], colour, edge, 'curve' if edge > 2 else None)

    def line(self, points: Points, colour: _Colour) -> None:
        """Draw a line through points."""
        self._pen.line(self._places(points), colour, _LINE, 'curve')

    def solids(self, flat: Points, depths: Points, colours: NDArray[np.uint8]) -> None:
        """Draw triangles (n, 3, 2) whose corners have depths (n, 3), the largest in front."""
        pixels = np.array(self._image)
        nearest = np.full(pixels.shape[:2], -np.inf)
        corners = self._moved(flat)
        boxes = np.column_stack([
            np.floor(corners.min(axis=1)), np.ceil(corners.max(axis=1))]).astype(int).tolist()
        a, ab, ac = corners[:, 0], corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0]
        area = ab[:, 0] * ac[:, 1] - ab[:, 1] * ac[:, 0]
        area[area == 0.0] = np.inf
        # Shares of the second and third corner at x, y, and the depth there, are linear in these.
        second = np.column_stack([ac[:, 1], -ac[:, 0]]) / area[:, None]
        third = np.column_stack([-ab[:, 1], ab[:, 0]]) / area[:, None]
        depth = second * (depths[:, 1:2] - depths[:, :1]) + third * (depths[:, 2:] - depths[:, :1])
        slopes = np.stack([second, third, depth], axis=1)
        offsets = -np.einsum('nij,nj->ni', slopes, a)
        offsets[:, 2] += depths[:, 0]
        x, y = (np.arange(size) + 0.5 for size in pixels.shape[1::-1])
        for (left, top, right, bottom), (u, v, z), (u0, v0, z0), colour in zip(
                boxes, slopes.tolist(), offsets.tolist(), colours, strict=True):
            along, down = x[left:right], y[top:bottom, None]
            second_share = u0 + u[0] * along + u[1] * down
            third_share = v0 + v[0] * along + v[1] * down
            height = z0 + z[0] * along + z[1] * down
            near = nearest[top:bottom, left:right]
            hit = ((second_share >= 0.0) & (third_share >= 0.0)
                   & (second_share + third_share <= 1.0) & (height > near))
            near[hit] = height[hit]
            pixels[top:bottom, left:right][hit] = colour
        self._image = Image.fromarray(pixels)

    def png(self) -> bytes:
        """The picture in its final size."""
        stream = io.BytesIO()
        self._image.resize((WIDTH, HEIGHT), Image.Resampling.LANCZOS).save(stream, 'PNG')
        return stream.getvalue()


def path_picture(points: Points) -> bytes:
    """PNG of a path (n, 2) [m] from above."""
    sheet = _Sheet(points.min(axis=0), points.max(axis=0))
    sheet.line(points, _PATH)
    return sheet.png()


def world_picture(scene: Scene) -> bytes:
    """PNG of what stands around, from above; of an empty world a piece of floor."""
    flat = [(rectangle_corners(one.x, one.y, one.yaw, one.length, one.width), _WALL, 5)
            for one in (*(wall.box for wall in scene.walls), *scene.solids, *scene.grid_boxes)]
    flat += [(rectangle_corners(one.x, one.y, one.yaw, one.length, one.width),
              _shade(one.colour, 0.9), 1) for one in scene.patches]
    flat += [(rectangle_corners(one.x, one.y, 0.0, one.base, one.base), _shade(one.colour, 1.0), 9)
             for one in scene.cones]
    flat += [(rectangle_corners(*one[:5]), _shade(one.colour, 1.0), 7)
             for one in (thing.box_at(thing.motion.at(0)) for thing in scene.moving)]
    if not flat:
        flat = [([(x, -2.0), (x, 2.0)], (*_WALL[:3], 90), 3) for x in np.arange(-4.0, 4.5)]
        flat += [([(-4.0, y), (4.0, y)], (*_WALL[:3], 90), 3) for y in np.arange(-2.0, 2.5)]
    every = np.concatenate([np.array(corners) for corners, _, _ in flat])
    sheet = _Sheet(every.min(axis=0) - 0.3, every.max(axis=0) + 0.3)
    for corners, colour, edge in flat:
        sheet.area(np.array(corners), colour, edge)
    return sheet.png()


def robot_picture(tree: RobotTree) -> bytes:
    """PNG of a robot from the front left; shapes that cannot be read are left out."""
    poses = tree.poses()
    parts = [(_placed(_corners(shape.geometry), pose_of_child(poses[link.name], shape.origin)),
              shape) for link in tree.links for shape in link.visuals]
    triangles = np.concatenate([np.zeros((0, 3, 3)), *(corners for corners, _ in parts)])
    colours = np.concatenate([np.zeros((0, 4)), *(
        np.tile(_colour_of(shape), (len(corners), 1)) for corners, shape in parts)])
    normals = np.cross(triangles[:, 1] - triangles[:, 0], triangles[:, 2] - triangles[:, 0])
    normals /= np.maximum(np.linalg.norm(normals, axis=1, keepdims=True), 1e-12)
    seen = normals @ _TOWARDS > 0.0
    triangles = triangles[seen]
    flat = triangles @ np.column_stack([_RIGHT, _UP])
    sheet = _Sheet(flat.min(axis=(0, 1), initial=1e9), flat.max(axis=(0, 1), initial=-1e9))
    light = 0.55 + 0.55 * np.clip(normals[seen] @ _LIGHT, 0.0, 1.0)
    lit = (_LEAST + (1.0 - _LEAST) * colours[seen]) * light[:, None]
    shades = np.clip(255.0 * lit, 0.0, 255.0)
    shades[:, 3] = 255.0
    sheet.solids(flat, triangles @ _TOWARDS, shades.astype(np.uint8))
    return sheet.png()


def _shade(colour: Points | tuple[float, ...], light: float) -> _Colour:
    red, green, blue = (round(255.0 * min(1.0, float(part) * light)) for part in colour[:3])
    return red, green, blue, 255


def _colour_of(shape: Shape) -> tuple[float, ...]:
    return shape.colour or _GREY


def _placed(corners: Triangles, pose: Pose3) -> Triangles:
    axes = np.array([rotated(pose[3:], axis) for axis in (
        (1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0))])
    placed: Triangles = corners @ axes + np.array(pose[:3])
    return placed


def _corners(geometry: Geometry) -> Triangles:
    if isinstance(geometry, Mesh):
        try:
            data = resource_file(geometry.uri).read_bytes()
        except (OSError, ConfigurationError):
            data = b''
        return corners_of(data) * geometry.scale if triangle_count(data) else np.zeros((0, 3, 3))
    radii, heights = np.ones(2), np.array([-0.5, 0.5])
    match geometry:
        case Box((length, width, height)):
            ring = 0.5 * np.array([[length, width], [length, -width], [-length, -width],
                                   [-length, width]])
            heights = heights * height
        case Cylinder(radius, length):
            ring, heights = radius * _CIRCLE, heights * length
        case Sphere(radius):
            slope = np.linspace(-0.5 * np.pi, 0.5 * np.pi, 9)
            ring, heights, radii = radius * _CIRCLE, radius * np.sin(slope), np.cos(slope)
    return outward(solid(np.stack([
        np.column_stack([share * ring, np.full(len(ring), height)])
        for share, height in zip(radii, heights, strict=True)])))
