# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""A scene: what stands around the robots of a plant, in the frame `map`, z = 0 on the ground.

Each plant and sensor makes of it what it needs, such as line segments or the bodies of a physics
engine. Nothing of a scene changes: where movable objects have come to is for the plant to know,
and where moving things are follows from its time.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property, lru_cache
import math
from typing import NamedTuple, TypeVar

import numpy as np
from numpy.typing import NDArray

from racecar.base.types import ORIGIN, Pose2
from racecar.scene.friction_zones import FrictionZone, zone_rows, ZoneRows
from racecar.scene.grid_map import OccupancyGrid
from racecar.scene.marker import marker_cells, ORIGINAL
from racecar.scene.motions import Motion, MotionState

Rows = NDArray[np.float64]
"""What stands around as numbers for kernels, a row each, not to be written."""

Colour = tuple[float, float, float]
"""Red, green and blue, each from 0 to 1."""

GREY: Colour = (0.7, 0.7, 0.7)
WOOD: Colour = (0.72, 0.55, 0.35)
ORANGE: Colour = (1.0, 0.4, 0.0)
WHITE: Colour = (1.0, 1.0, 1.0)
CONCRETE: Colour = (0.5, 0.5, 0.48)
ICE: Colour = (0.75, 0.88, 0.95)

HIGHEST = 10.0
"""What is said to be higher, as walls without end, is that high in engines and pictures [m]."""

STEM = 0.6
"""Diameter of a cone on the ground over the edge of its foot [-]."""

WALL_THICKNESS = 0.02
"""Of walls of world files that say nothing of it, and of a Wall there [m]."""


class Wall(NamedTuple):
    """An upright wall without thickness from (x1, y1) to (x2, y2); height above the ground [m]."""

    x1: float
    y1: float
    x2: float
    y2: float
    height: float = math.inf
    colour: Colour = GREY

    @property
    def box(self) -> Box:
        """A thin box in its place, for engines and pictures."""
        return Box(
            0.5 * (self.x1 + self.x2), 0.5 * (self.y1 + self.y2),
            math.atan2(self.y2 - self.y1, self.x2 - self.x1),
            math.dist((self.x1, self.y1), (self.x2, self.y2)), WALL_THICKNESS, self.height,
            self.colour)


class Box(NamedTuple):
    """A fixed box on the ground: centre x, y [m], yaw [rad]; length along x, width, height [m]."""

    x: float
    y: float
    yaw: float
    length: float
    width: float
    height: float
    colour: Colour = WOOD

    @property
    def sides(self) -> tuple[Wall, ...]:
        """Its four upright sides, counter-clockwise."""
        corners = rectangle_corners(self.x, self.y, self.yaw, self.length, self.width)
        return tuple(
            Wall(*start, *end, self.height, self.colour)
            for start, end in zip(corners, (*corners[1:], corners[0]), strict=True))


class Cone(NamedTuple):
    """A traffic cone, which can be moved: centre x, y [m] of its base.

    base: edge of its square foot, which is thin and bends [m]; height [m]; mass [kg]. The radius
    of the cone itself falls from STEM base/2 on the ground to 0 at the tip.
    """

    x: float
    y: float
    base: float = 0.15
    height: float = 0.17
    mass: float = 0.1
    colour: Colour = ORANGE

    def radius_at(self, z: float) -> float:
        """Its radius at a height [m]; 0 above the tip."""
        return max(0.0, 0.5 * STEM * self.base * (1.0 - z / self.height))


class Cylinder(NamedTuple):
    """An upright cylinder on the ground: its axis x, y, radius, height [m]."""

    x: float
    y: float
    radius: float
    height: float
    colour: Colour = WOOD


class MovingThing(NamedTuple):
    """A thing on the ground that moves as it is told, whatever it meets.

    name: unique in a scene. A box of length along its heading and width, or, with a radius, a
    cylinder [m].
    """

    name: str
    motion: Motion
    height: float
    length: float = 0.0
    width: float = 0.0
    radius: float = 0.0
    colour: Colour = WOOD

    @property
    def is_round(self) -> bool:
        """Whether it is a cylinder."""
        return self.radius > 0.0

    @property
    def size(self) -> tuple[float, float]:
        """Length along its heading and width [m]."""
        return (2.0 * self.radius,) * 2 if self.is_round else (self.length, self.width)

    def box_at(self, place: MotionState) -> Box:
        """The box, or one about the cylinder, at a place."""
        return Box(place.x, place.y, place.yaw, *self.size, self.height, self.colour)

    def cylinder_at(self, place: MotionState) -> Cylinder:
        """The cylinder at a place."""
        return Cylinder(place.x, place.y, self.radius, self.height, self.colour)


class Board(NamedTuple):
    """A fixed upright board with a square marker, which faces along the board's own x axis.

    x, y [m], yaw [rad]: of the middle of its foot; width, height, thickness [m]; marker: number
    in the dictionary, one of DICTIONARIES; size: edge of the marker with its black border [m].
    """

    x: float
    y: float
    yaw: float
    width: float
    height: float
    marker: int
    size: float
    thickness: float = 0.01
    colour: Colour = WHITE
    dictionary: str = ORIGINAL

    @property
    def box(self) -> Box:
        """The body of the board; the marker is in the middle of its face at +x."""
        return Box(self.x, self.y, self.yaw, self.thickness, self.width, self.height, self.colour)

    @property
    def cells(self) -> tuple[tuple[bool, ...], ...]:
        """Rows of the marker from the top, each from the left of who looks at it; True: white."""
        return marker_cells(self.marker, self.dictionary)


class Patch(NamedTuple):
    """A flat rectangle of paint on the ground, which hinders nobody; as Box."""

    x: float
    y: float
    yaw: float
    length: float
    width: float
    colour: Colour = WHITE


def painted(zone: FrictionZone, colour: Colour = ICE) -> tuple[Patch, ...]:
    """Paint that shows a friction zone."""
    return tuple(Patch(x, y, 0.0, length, width, colour)
                 for x, y, length, width in zone.strips())


class Ground(NamedTuple):
    """The plane z = 0; length along x and width of what pictures show of it, about x, y [m]."""

    length: float = 4000.0
    width: float = 4000.0
    colour: Colour = CONCRETE
    x: float = 0.0
    y: float = 0.0


@dataclass(frozen=True)
class Scene:
    """What stands around.

    name: of the world. moving: things that move by a script or at random. friction_zones: where
    the ground is more slippery or grippier, the last that covers a place counts. grid: cells that
    are occupied, each a column of grid_height [m]; beyond the grid nothing stands. starts: poses
    of base_link from which robots start, one after the other.
    """

    name: str = ''
    walls: tuple[Wall, ...] = ()
    boxes: tuple[Box, ...] = ()
    cones: tuple[Cone, ...] = ()
    boards: tuple[Board, ...] = ()
    patches: tuple[Patch, ...] = ()
    friction_zones: tuple[FrictionZone, ...] = ()
    moving: tuple[MovingThing, ...] = ()
    grid: OccupancyGrid | None = None
    grid_height: float = 1.0
    ground: Ground = Ground()
    starts: tuple[Pose2, ...] = (ORIGIN,)

    @property
    def is_empty(self) -> bool:
        """Whether there is nothing to see or to run into."""
        return not (self.walls or self.boxes or self.cones or self.boards or self.grid
                    or self.moving)

    def moving_at(self, time_ns: int) -> Objects:
        """The things that move where they are at a simulated time [ns]."""
        places = [(thing, thing.motion.at(time_ns)) for thing in self.moving]
        return Objects(
            boxes=tuple(thing.box_at(at) for thing, at in places if not thing.is_round),
            cylinders=tuple(thing.cylinder_at(at) for thing, at in places if thing.is_round))

    @cached_property
    def solids(self) -> tuple[Box, ...]:
        """The boxes and those of the boards; without the grid, see grid_boxes."""
        return (*self.boxes, *(board.box for board in self.boards))

    @property
    def surfaces(self) -> tuple[Wall, ...]:
        """All that is upright, fixed and not of the grid: the walls and the sides of solids."""
        return (*self.walls, *(side for box in self.solids for side in box.sides))

    def by_colour(self) -> dict[Colour, Scene]:
        """What stands around as a scene for each colour of it; first that of the ground."""
        colours = dict.fromkeys([
            self.ground.colour, *(wall.colour for wall in self.walls),
            *(box.colour for box in self.solids), *(cone.colour for cone in self.cones),
            *([] if self.grid is None else [GREY])])
        return {colour: replace(
            self, walls=_in_colour(self.walls, colour), boxes=_in_colour(self.boxes, colour),
            cones=_in_colour(self.cones, colour), boards=_in_colour(self.boards, colour),
            grid=self.grid if colour == GREY else None) for colour in colours}

    @cached_property
    def friction_rows(self) -> ZoneRows:
        """The friction zones as numbers."""
        return zone_rows(self.friction_zones)

    @cached_property
    def wall_rows(self) -> Rows:
        """The walls as numbers: x1, y1, x2, y2, height (n, 5) [m]."""
        return _rows([wall[:5] for wall in self.walls], 5)

    @cached_property
    def box_rows(self) -> Rows:
        """The solids as numbers, as the function box_rows gives them."""
        return box_rows(self.solids)

    @cached_property
    def grid_boxes(self) -> tuple[Box, ...]:
        """The walls of the grid as boxes, as few as runs of cells give."""
        grid = self.grid
        if grid is None:
            return ()
        boxes = []
        for row, column, end_row, end_column in (grid.rectangles() * grid.resolution).tolist():
            x, y = grid.point(0.5 * (column + end_column), 0.5 * (row + end_row))
            boxes.append(Box(x, y, grid.origin.yaw, end_column - column, end_row - row,
                             self.grid_height, GREY))
        return tuple(boxes)


T = TypeVar('T', Wall, Box, Cone, Board)


def _in_colour(things: tuple[T, ...], colour: Colour) -> tuple[T, ...]:
    return tuple(thing for thing in things if thing.colour == colour)


EMPTY_SCENE = Scene('empty')


@dataclass(frozen=True)
class Objects:
    """What can move, where it is now: cones, other robots as boxes, and things that move."""

    cones: Sequence[Cone] = ()
    boxes: Sequence[Box] = ()
    cylinders: Sequence[Cylinder] = ()

    def joined(self, other: Objects) -> Objects:
        """These and others."""
        return Objects((*self.cones, *other.cones), (*self.boxes, *other.boxes),
                       (*self.cylinders, *other.cylinders))

    @cached_property
    def box_rows(self) -> Rows:
        """The boxes as numbers, as the function box_rows gives them."""
        return box_rows(self.boxes)

    @cached_property
    def cone_rows(self) -> Rows:
        """Cones and cylinders as numbers, as the function cone_rows gives them."""
        return cone_rows(self.cones, self.cylinders)

    def around_each(self, counts: Sequence[int]) -> list[Objects]:
        """What each robot has around it: all but its own boxes.

        counts: how many of the boxes each has, in their order.
        """
        cones, boxes, cylinders = self.cones, tuple(self.boxes), self.cylinders
        # Made from the boxes anew, or by a call for each robot, they take as long as a scan.
        cone_rows, rows = self.cone_rows, _fixed(self.box_rows[_numbers_of_others(*counts)])
        found, first, begin = [], 0, 0
        for count in counts:
            around = Objects(cones, boxes[:first] + boxes[first + count:], cylinders)
            end = begin + len(boxes) - count
            vars(around).update(cone_rows=cone_rows, box_rows=rows[begin:end])
            found.append(around)
            first, begin = first + count, end
        return found


@lru_cache(maxsize=8)
def _numbers_of_others(*counts: int) -> NDArray[np.int64]:
    """Numbers of all boxes but those of the first robot, then of all but those of the second...

    counts: how many each robot has.
    """
    owners = np.repeat(np.arange(len(counts)), counts)
    return np.concatenate([np.flatnonzero(owners != index) for index in range(len(counts))])


def box_rows(boxes: Sequence[Box]) -> Rows:
    """x, y [m], cosine and sine of the yaw, half length, half width, height [m] (n, 7)."""
    return _rows([
        (x, y, math.cos(yaw), math.sin(yaw), 0.5 * length, 0.5 * width, height)
        for x, y, yaw, length, width, height, _ in boxes], 7)


def cone_rows(cones: Sequence[Cone], cylinders: Sequence[Cylinder] = ()) -> Rows:
    """What is seen of cones and cylinders, (n, 5) [m].

    x, y, radius on the ground, height of the tip to which it falls, infinity of a cylinder, height
    of the thing.
    """
    return _rows([
        *((cone.x, cone.y, cone.radius_at(0.0), cone.height, cone.height) for cone in cones),
        *((x, y, radius, math.inf, height) for x, y, radius, height, _ in cylinders)], 5)


def foot_rows(cones: Sequence[Cone], cylinders: Sequence[Cylinder] = ()) -> Rows:
    """x, y, radius, height (n, 4) [m] of what planar robots run into.

    That is circles in the feet of the cones, and cylinders.
    """
    return _rows([*((cone.x, cone.y, 0.5 * cone.base, cone.height) for cone in cones),
                  *(cylinder[:4] for cylinder in cylinders)], 4)


def _rows(rows: Sequence[Sequence[float]], columns: int) -> Rows:
    if not rows:
        return _NO_ROWS[columns]
    return _fixed(np.array(rows, dtype=np.float64))


def _fixed(rows: Rows) -> Rows:
    rows.setflags(write=False)
    return rows


_NO_ROWS = {columns: _fixed(np.empty((0, columns))) for columns in (4, 5, 7)}


def rectangle_corners(
    x: float, y: float, yaw: float, length: float, width: float,
) -> list[tuple[float, float]]:
    """Corners of a rectangle about a centre, counter-clockwise from front right."""
    cosine, sine = math.cos(yaw), math.sin(yaw)
    return [
        (x + along * cosine - across * sine, y + along * sine + across * cosine)
        for along, across in (
            (0.5 * length, -0.5 * width), (0.5 * length, 0.5 * width),
            (-0.5 * length, 0.5 * width), (-0.5 * length, -0.5 * width))]
