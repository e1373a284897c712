# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""The beams of a scanner in a scene: how far each of them goes."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
import math

import numpy as np

from racecar.base.columns import Array
from racecar.base.poses import rotated
from racecar.base.types import Pose3, Twist3
from racecar.scene.grid_map import GridNumbers, NO_GRID
from racecar.scene.scene import Objects, Rows, Scene
from racecar.sensors.fan_rays import look_level
from racecar.sensors.grid_rays import BLOCK, march, MarchFrom
from racecar.sensors.single_rays import look_around, Rays

# Quaternion of a tilt that moves a ray up or down by less than 1 cm over 10 m, and its length by
# less than 1 um [-]: that of a car in the 3-D world which drives steadily.
LEVEL = 4e-4
# Just inside a grid, for rays that come from outside [m].
_INSIDE = 1e-5


@dataclass(frozen=True, eq=False)
class Beams:
    """Rays in the x-y plane of a sensor, at first + i * increment [rad].

    sweep: time that they take [s]. count: how many there are; the arrays below are longer, up to
    a whole number of blocks of march(), whose last rays end where they begin. reach: how far
    they go [m]. cosines, sines: of the angles. limits: of each ray [m]. ages: when it goes out
    before the time of the reading [s].
    """

    first: float
    increment: float
    sweep: float
    count: int
    reach: float
    cosines: Array
    sines: Array
    limits: Array
    ages: Array

    @classmethod
    def spread(cls, low: float, high: float, count: int, reach: float, sweep: float) -> Beams:
        """Return beams from one angle to another [rad], swept over in a time [s]."""
        gaps = max(count - 1, 1)
        # A single one has the whole turn to itself.
        increment = (high - low) / gaps if count > 1 else 2.0 * math.pi
        size = -(-count // BLOCK) * BLOCK
        numbers = np.minimum(np.arange(size), count - 1)
        angles = low + numbers * increment
        return cls(
            low, increment, sweep, count, reach, np.cos(angles), np.sin(angles),
            np.where(np.arange(size) < count, reach, 0.0), sweep * (1.0 - numbers / gaps))

    def distances(
        self, scene: Scene, objects: Objects, pose: Pose3, twist: Callable[[], Twist3],
    ) -> Array:
        """Return how far each beam goes [m], infinity for what is out of reach; and some more.

        pose: of the sensor at the time of the reading, at which the last beam goes out, in the
        map; twist: gives that in its own frame, which is held for the whole sweep.
        """
        standing = (
            scene.wall_rows, scene.box_rows, objects.box_rows, objects.cone_rows)
        x, y, z, qx, qy, qz, qw = pose
        if self.sweep == 0.0 and abs(qx) + abs(qy) < LEVEL:
            ways = np.empty(len(self.cosines))
            grid = scene.grid
            numbers = NO_GRID if grid is None or z > scene.grid_height else grid.numbers
            place = x, y, z, qw * qw - qz * qz, 2.0 * qw * qz
            fan = (self.first, self.increment, self.count, self.reach, self.cosines, self.sines,
                   self.limits)
            if look_level(standing, tuple(numbers), place, fan, ways):
                return ways
        return self._each(scene, standing, pose, twist())

    def _each(
        self, scene: Scene, standing: tuple[Rows, Rows, Rows, Rows], pose: Pose3, twist: Twist3,
    ) -> Array:
        """Do what distances() does for a sensor that may be tilted and move during its sweep."""
        columns = tuple(np.empty((7, len(self.cosines))))
        ways = np.empty(len(self.cosines))
        look_around(
            standing, (self.cosines, self.sines, self.ages),
            (np.array(pose[:3]), _matrix(pose), np.array(twist)), self.reach, columns, ways)
        rays = Rays(*columns)
        shares = rays.shares
        if scene.grid is not None:
            begins, ends = _below(scene.grid_height, rays.z, rays.slopes)
            ends = np.minimum(np.minimum(ends, ways), self.limits * shares)
            _meet_grid(scene.grid.numbers, rays, begins, ends, ways)
        return ways / shares


def _matrix(pose: Pose3) -> Array:
    """Return the rotation of a pose row by row (9,)."""
    axes = ((1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0))
    columns = [rotated(pose[3:], axis) for axis in axes]
    return np.array([column[row] for row in range(3) for column in columns])


def _below(height: float, z: Array, slopes: Array) -> tuple[Array, Array]:
    """Return from where to where over ground [m] rays are below a height [m]."""
    with np.errstate(divide='ignore', invalid='ignore'):
        crossing = (height - z) / slopes
    above = z > height
    begins = np.where(above & (slopes < 0.0), crossing, 0.0)
    ends = np.where(above & (slopes >= 0.0), 0.0, np.where(slopes > 0.0, crossing, math.inf))
    return begins, np.where(above & (slopes < 0.0), math.inf, ends)


def _meet_grid(
    grid: GridNumbers, rays: Rays, begins: Array, ends: Array, ways: Array,
) -> None:
    """Lower ways [m] to where rays, which are in the map, meet the walls of a grid."""
    c, s = grid.cosine, grid.sine
    px, py = rays.x - grid.x, rays.y - grid.y
    along, across = px * c + py * s, py * c - px * s
    ux, uy = rays.dx * c + rays.dy * s, rays.dy * c - rays.dx * s
    for size, place, speed in ((grid.length, along, ux), (grid.width, across, uy)):
        begins, ends = _within(size, place, speed, begins, ends)
    along = np.clip(along + begins * ux, _INSIDE, grid.length - _INSIDE)
    across = np.clip(across + begins * uy, _INSIDE, grid.width - _INSIDE)
    # Numbers stay small near where the first ray begins.
    near_x, near_y = float(along[0]), float(across[0])
    missed = begins >= ends
    off_x, off_y = np.where(missed, 0.0, along - near_x), np.where(missed, 0.0, across - near_y)
    beyond = np.full(len(ways), math.inf)
    start = MarchFrom(near_x * grid.scale, near_y * grid.scale, 1.0, 0.0,
                      float(np.hypot(off_x, off_y).max()))
    march(grid, start, (ux, uy), (off_x, off_y), np.where(missed, 0.0, ends - begins), beyond)
    np.minimum(ways, begins + beyond, out=ways)


def _within(
    size: float, place: Array, speed: Array, begins: Array, ends: Array,
) -> tuple[Array, Array]:
    """Begins and ends [m] cut to where a coordinate is from 0 to a size [m].

    Who misses it ends before it begins.
    """
    with np.errstate(divide='ignore', invalid='ignore'):
        one, other = -place / speed, (size - place) / speed
    outside = (place < 0.0) | (place > size)
    still = speed == 0.0
    return (
        np.where(still, begins, np.fmax(begins, np.fmin(one, other) + _INSIDE)),
        np.where(still, np.where(outside, 0.0, ends), np.fmin(
            ends, np.fmax(one, other) - _INSIDE)))
