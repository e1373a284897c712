# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""What stands around as vertices: boxes, boards, cones, walls of maps.

Places on the pattern of a wall are metres along it, so that the pattern has one size everywhere.
"""

from __future__ import annotations

from collections.abc import Sequence
import math
from typing import NamedTuple

import numpy as np

from racecar.base.columns import Array
from racecar.description.triangles import skin, solid
from racecar.rendering.contours import outlines
from racecar.rendering.creases import CREASE, normals_of
from racecar.rendering.vertices import joined, Vertices, vertices
from racecar.scene.scene import (
    Board,
    Colour,
    Cone,
    GREY,
    HIGHEST,
    MovingThing,
    rectangle_corners,
    Scene,
)

BLACK: Colour = (0.03, 0.03, 0.03)
WHITE: Colour = (0.95, 0.95, 0.95)
# Of walls whose colour nobody has chosen: they stand out from a pale floor.
_WALL: Colour = (0.6, 0.635, 0.685)

_UP = (0.0, 0.0, 1.0)
# What lies on a face is so far before it [m].
_BEFORE = 0.001
_CONE_SIDES = 32


class Tops(NamedTuple):
    """Upper sides of the walls of a map.

    fans: of triangles; a place is on a wall if it is in an odd number of them. cover: two
    triangles over all of them.
    """

    fans: Vertices
    cover: Vertices


class Scenery(NamedTuple):
    """What stands fixed: walls have a pattern, the rest has none, paint lies on the ground."""

    walls: Vertices
    plain: Vertices
    paint: Vertices
    tops: Tops | None


def scenery(scene: Scene) -> Scenery:
    """All of a scene that does not move, but the ground."""
    boxes = [wall.box for wall in scene.walls] + [
        *scene.boxes, *(board.box for board in scene.boards)]
    walls = [_block(rectangle_corners(*box[:5]), min(box.height, HIGHEST),
                    _WALL if box.colour == GREY else box.colour) for box in boxes]
    tops = None
    if scene.grid is not None and len(lines := outlines(scene.grid)):
        height = min(scene.grid_height, HIGHEST)
        walls += [_sides(line, height, _WALL) for line in lines]
        tops = _tops(lines, height)
    paint = [_flat(rectangle_corners(*patch[:5]), 0.0, patch.colour) for patch in scene.patches]
    return Scenery(joined(walls), joined([_marker(board) for board in scene.boards]),
                   joined(paint), tops)


def _block(corners: Sequence[tuple[float, float]], height: float, colour: Colour) -> Vertices:
    """Sides and top of a prism over corners that go counter-clockwise [m]."""
    line = np.array(corners)
    return joined([_sides(line, height, colour), _flat(corners, height, colour)])


def _flat(corners: Sequence[tuple[float, float]], height: float, colour: Colour) -> Vertices:
    """Corners of a convex polygon as a level face [m]."""
    fan = [(0, index, index + 1) for index in range(1, len(corners) - 1)]
    points = np.array(corners)[np.ravel(fan)]
    return vertices(np.column_stack([points, np.full(len(points), height)]), np.array(_UP), colour,
                    points)


def _sides(line: Array, height: float, colour: Colour) -> Vertices:
    """Upright faces along a closed line (n, 2) [m] with what they enclose to the left."""
    following = np.roll(line, -1, axis=0)
    way = following - line
    length = np.hypot(*way.T)
    along = np.concatenate([[0.0], np.cumsum(length)])
    face = np.stack([way[:, 1], -way[:, 0]], axis=1) / np.maximum(length, 1e-9)[:, None]
    # Round where the faces nearly lie in one plane, else with an edge.
    previous = np.roll(face, 1, axis=0)
    smooth = np.einsum('ij,ij->i', face, previous) >= math.cos(CREASE)
    mean = face + previous
    mean /= np.maximum(np.hypot(*mean.T), 1e-9)[:, None]
    start = np.where(smooth[:, None], mean, face)
    end = np.where(np.roll(smooth, -1)[:, None], np.roll(mean, -1, axis=0), face)
    ends = [line, following, following, line, following, line]
    normals = [start, end, end, start, end, start]
    places = [along[:-1], along[1:], along[1:], along[:-1], along[1:], along[:-1]]
    levels = np.tile([0.0, 0.0, height, 0.0, height, height], len(line))
    flat = np.stack(ends, axis=1).reshape(-1, 2)
    across = np.stack(normals, axis=1).reshape(-1, 2)
    return vertices(
        np.column_stack([flat, levels]), np.column_stack([across, np.zeros(len(flat))]), colour,
        np.column_stack([np.stack(places, axis=1).ravel(), levels]))


def _tops(lines: Sequence[Array], height: float) -> Tops:
    fans = []
    for line in lines:
        pairs = np.stack([line[1:-1], line[2:]], axis=1)
        fans.append(np.concatenate(
            [np.broadcast_to(line[0], (len(pairs), 1, 2)), pairs], axis=1).reshape(-1, 2))
    points = np.concatenate(fans)
    (low_x, low_y), (high_x, high_y) = points.min(axis=0), points.max(axis=0)
    return Tops(
        vertices(np.column_stack([points, np.full(len(points), height)]), np.array(_UP)),
        _flat([(low_x, low_y), (high_x, low_y), (high_x, high_y), (low_x, high_y)], height, _WALL))


def _marker(board: Board) -> Vertices:
    """The marker of a board: a black square, and its white cells before it."""
    cells = board.cells
    edge = board.size / len(cells)
    half = 0.5 * board.size

    def square(y: float, z: float, size: float, out: float, colour: Colour) -> Vertices:
        x = 0.5 * board.thickness + out
        corners = [(x, y + a * size, z + b * size) for a, b in (
            (0, 0), (1, 0), (1, 1), (0, 0), (1, 1), (0, 1))]
        return vertices(np.array(corners), np.array([1.0, 0.0, 0.0]), colour)

    found = joined([square(-half, -half, board.size, _BEFORE, BLACK), *(
        # Who looks at the board has its y axis to the right.
        square(column * edge - half, half - (row + 1) * edge, edge, 2.0 * _BEFORE, WHITE)
        for row, line in enumerate(cells) for column, white in enumerate(line) if white)])
    c, s = math.cos(board.yaw), math.sin(board.yaw)
    turn = np.array([[c, s, 0.0], [-s, c, 0.0], [0.0, 0.0, 1.0]])
    found['place'] = found['place'] @ turn + (board.x, board.y, 0.5 * board.height)
    found['normal'] = found['normal'] @ turn
    return found


def thing_vertices(thing: MovingThing) -> Vertices:
    """A thing that moves, about its own z axis."""
    corners = rectangle_corners(0.0, 0.0, 0.0, *thing.size)
    if thing.is_round:
        angles = (2.0 * math.pi / _CONE_SIDES * np.arange(_CONE_SIDES)).tolist()
        corners = [(thing.radius * math.cos(angle), thing.radius * math.sin(angle))
                   for angle in angles]
    return _block(corners, min(thing.height, HIGHEST), thing.colour)


def cone_vertices(cone: Cone) -> Vertices:
    """A cone with a white band on a black foot, about its own z axis."""
    half, foot = 0.5 * cone.base, 0.1 * cone.height
    parts = [_block([(-half, -half), (half, -half), (half, half), (-half, half)], foot, BLACK)]
    shares = (0.1, 0.45, 0.7, 1.0)
    angles = 2.0 * math.pi * np.arange(_CONE_SIDES) / _CONE_SIDES
    for number, levels in enumerate(zip(shares, shares[1:], strict=False)):
        rings = np.array([
            [(radius * math.cos(angle), radius * math.sin(angle), share * cone.height)
             for angle in angles]
            for share in levels
            for radius in [0.94 * cone.radius_at(share * cone.height) + 0.004 * cone.base]])
        # With its ends open, all of it is round.
        shell = solid(rings) if number == len(shares) - 2 else skin(rings)
        parts.append(vertices(shell.reshape(-1, 3), normals_of(shell).reshape(-1, 3),
                              WHITE if number == 1 else cone.colour))
    return joined(parts)
