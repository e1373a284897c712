# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""Scans of several robots at one time in one call of a kernel, with the bits of each by itself.

The rays of a scan take some microseconds in compiled code, and several times that is spent around
them where Python asks each laser for itself.
"""

from __future__ import annotations

from dataclasses import replace
from functools import partial
import math
from typing import NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from racecar.base.columns import Array
from racecar.base.compiled import kernel
from racecar.base.poses import NO_POSE, pose_of_child
from racecar.base.readings import LaserScan
from racecar.base.rows import flatten, lent, load, Part, span, zeros_of
from racecar.base.types import Pose3
from racecar.base.vectors import as_vector, Flat
from racecar.scene.grid_map import GridNumbers, NO_GRID
from racecar.scene.scene import Objects, Rows, Scene
from racecar.sensors.beams import LEVEL
from racecar.sensors.fan_rays import Fan, FanPlace, look_from
from racecar.sensors.interface import Carried
from racecar.sensors.laser_readings import LaserErrors, Ranges, read_noisy, read_ranges
from racecar.sensors.noise import seed_at
from racecar.sensors.standing import Standing
from racecar.simulation.ports import Output, Plant

# As a plain tuple, which the kernel makes a GridNumbers of.
_GridFields: TypeAlias = tuple[
    NDArray[np.float32], int, float, float, float, float, float, float, float]


class LaserNumbers(NamedTuple):
    """A laser for the kernel.

    place: in the frame of its robot; shortest, longest: to which ranges are clipped [m], infinite
    where they are not; first, increment, rays, reach: of its fan, whose rays begin at `begin`
    among the rays of all fans and are `size`; ranges: where its ranges begin among those of all.
    """

    place: Pose3
    errors: LaserErrors
    shortest: float
    longest: float
    first: float
    increment: float
    rays: float
    reach: float
    begin: float
    size: float
    ranges: float


class Seen(NamedTuple):
    """Where a robot is, and its own boxes: from the first to before another."""

    pose: Pose3
    first: float
    after: float


_LASER = Part(LaserNumbers(NO_POSE, zeros_of(LaserErrors), *[0.0] * 9))
_SEEN = Part(Seen(NO_POSE, 0.0, 0.0))
_LASER_SIZE, _SEEN_SIZE = _LASER.after, _SEEN.after
_BOX = 7


class _Layout(NamedTuple):
    """Lasers as the kernel takes them.

    lasers, keys: numbers and keys of the noise of all; fans: cosines, sines and limits of the rays
    of all fans; around: walls, boxes, fields of the grid and its height; ranges: those of all
    lasers, rows: of each.
    """

    lasers: Flat
    keys: NDArray[np.uint64]
    fans: tuple[Array, Array, Array]
    around: tuple[Rows, Rows, _GridFields, float]
    ranges: Ranges
    rows: list[Ranges]


class ScansTogether:
    """Lasers of several robots in a scene.

    Who reads one gets its row of a scan of all that are due and were read when they were due last,
    unless something has moved since. A laser that sweeps, is tilted or outside the map, or is the
    only one that is read, scans by itself.
    """

    def __init__(self, scene: Scene, plant: Plant) -> None:
        """plant: that moves the robots."""
        self._scene, self._plant = scene, plant
        self._carried: list[Carried] = []
        self._layout: _Layout | None = None
        # Of the newest scan: when, among what, of which lasers, from where.
        self._time_ns, self._things = -1, Objects()
        self._poses: dict[int, Pose3] = {}
        # Who was read when it was due last, and who was scanned in vain yet.
        self._wanted: set[int] = set()
        self._unread: set[int] = set()

    def add(self, carried: Carried) -> Output:
        """Output of a laser that it takes part in; that of the laser alone if it sweeps."""
        if carried.sensor.beams.sweep:
            return carried.output
        self._carried.append(carried)
        self._layout = None
        return replace(carried.output, read=partial(self._read, len(self._carried) - 1))

    def warm_up(self) -> None:
        """Compile the kernel."""
        if len(self._carried) > 1:
            self._scan([*range(len(self._carried))])
            self._time_ns, self._poses = -1, {}

    def _read(self, index: int) -> LaserScan:
        carried, now = self._carried[index], self._plant.time_ns
        things = carried.among().things
        if things is not self._things or now != self._time_ns:
            self._begin(index, now, things)
        self._wanted.add(index)
        self._unread.discard(index)
        if self._poses.get(index) != carried.state().pose:
            scan: LaserScan = carried.output.read()
            return scan
        assert self._layout is not None
        found: LaserScan = carried.sensor.scan_of(self._layout.rows[index].copy())
        return found

    def _begin(self, index: int, now: int, things: Objects) -> None:
        """Scan at a time [ns] among things as nobody has seen them; index: of who reads first."""
        if now != self._time_ns:
            self._wanted -= self._unread
        self._time_ns, self._things, self._poses = now, things, {}
        self._wanted.add(index)
        step = now // self._plant.step_ns
        chosen = [k for k in sorted(self._wanted)
                  if k == index or self._carried[k].output.is_due(step)]
        self._unread = {*chosen}
        if len(chosen) > 1:
            self._scan(chosen)

    def _scan(self, chosen: list[int]) -> None:
        """Scan by some lasers, of which the poses are noted; not by those that cannot."""
        layout = self._layout = self._layout or self._laid_out()
        now, moving = self._plant.time_ns, self._scene.moving
        carried = [self._carried[k] for k in chosen]
        among = [one.among() for one in carried]
        poses = [one.state().pose for one in carried]
        things = among[0].things
        if moving:
            things = things.joined(self._scene.moving_at(now))
        seen = np.array([
            (*pose, first, after) for pose, (_, first, after) in zip(poses, among, strict=True)])
        has_scanned = np.zeros(len(chosen), dtype=np.bool_)
        # Copies: in a tuple Numba 0.58 takes arrays that may not be written for others.
        scan_together(
            (layout.lasers, layout.keys, as_vector(seen.ravel()), np.array(chosen), now),
            layout.fans,
            layout.around, (np.array(things.box_rows), np.array(things.cone_rows)),
            (has_scanned, layout.ranges))
        self._poses = {k: pose for k, pose, is_done in zip(
            chosen, poses, has_scanned.tolist(), strict=True) if is_done}

    def _laid_out(self) -> _Layout:
        numbers: list[LaserNumbers] = []
        # Most lasers of many are alike.
        fans: dict[tuple[float, ...], float] = {}
        rays: list[tuple[Array, Array, Array]] = []
        begin = end = 0
        for carried in self._carried:
            laser, beams = carried.sensor, carried.sensor.beams
            fan = beams.first, beams.increment, beams.count, beams.reach
            if fan not in fans:
                fans[fan] = begin
                begin += len(beams.cosines)
                rays.append((beams.cosines, beams.sines, beams.limits))
            shortest, longest = laser.limits or (-math.inf, math.inf)
            numbers.append(LaserNumbers(
                carried.place, laser.errors, shortest, longest, *fan, fans[fan],
                len(beams.cosines), end))
            end += beams.count
        scene, ranges = self._scene, np.empty(end, np.float32)
        cosines, sines, limits = (np.concatenate(part) for part in zip(*rays, strict=True))
        grid = NO_GRID if scene.grid is None else scene.grid.numbers
        return _Layout(
            as_vector(np.array([[*flatten(one)] for one in numbers]).ravel()),
            np.array([carried.key for carried in self._carried], dtype=np.uint64),
            (cosines, sines, limits),
            (np.array(scene.wall_rows), np.array(scene.box_rows), grid[:], scene.grid_height),
            ranges, [ranges[int(one.ranges):int(one.ranges + one.rays)] for one in numbers])


@kernel
def scan_together(
    lasers: tuple[Flat, NDArray[np.uint64], Flat, NDArray[np.int64], int],
    fans: tuple[Array, Array, Array], around: tuple[Rows, Rows, _GridFields, float],
    moving: tuple[Rows, Rows], found: tuple[NDArray[np.bool_], Ranges],
) -> None:
    """Write the ranges [m] of some lasers; not of those that are tilted or outside the map.

    lasers: LaserNumbers and keys of all; Seen and numbers of those that scan, and the time [ns].
    fans: cosines, sines, limits of all rays; around: walls, fixed boxes, fields of the GridNumbers
    and its height; moving: boxes and cones; found: which of them have scanned, and ranges of all.
    """
    numbers, keys, seen, chosen, time_ns = lent(lasers)
    cosines, sines, limits = lent(fans)
    walls, fixed, grid_fields, grid_height = lent(around)
    boxes, cones = lent(moving)
    done, ranges = lent(found)
    grid = GridNumbers(*grid_fields)
    others = np.empty((len(boxes), _BOX))
    longest = 0
    for k in range(len(chosen)):
        longest = max(longest, int(load(numbers, _LASER, chosen[k] * _LASER_SIZE).size))
    ways, silence = np.empty(longest), np.zeros(longest)
    for k in range(len(chosen)):
        laser = load(numbers, _LASER, chosen[k] * _LASER_SIZE)
        at = load(seen, _SEEN, k * _SEEN_SIZE)
        pose = pose_of_child(at.pose, laser.place)
        done[k] = False
        if not abs(pose.qx) + abs(pose.qy) < LEVEL:
            continue
        first, after, row = int(at.first), int(at.after), 0
        for other in range(len(boxes)):
            if other < first or other >= after:
                for column in range(_BOX):
                    others[row, column] = boxes[other, column]
                row += 1
        begin, count = int(laser.begin), int(laser.rays)
        end = begin + int(laser.size)
        here = span(ways, 0, end - begin)
        length = grid.length if pose.z <= grid_height else 0.0
        if not look_from(
                Standing(walls, fixed, span(others, 0, row), cones),
                GridNumbers(grid.room, grid.stride, grid.scale, grid.x, grid.y, grid.cosine,
                            grid.sine, length, grid.width),
                FanPlace(pose.x, pose.y, pose.z, pose.qw * pose.qw - pose.qz * pose.qz,
                         2.0 * pose.qw * pose.qz),
                Fan(laser.first, laser.increment, count, laser.reach, span(cosines, begin, end),
                    span(sines, begin, end), span(limits, begin, end)), here):
            continue
        own = span(ranges, int(laser.ranges), int(laser.ranges) + count)
        if laser.errors.deviation > 0.0:
            key = keys[chosen[k], 0], keys[chosen[k], 1]
            read_noisy(here, seed_at(key, np.uint64(time_ns)), laser.errors, own)
        else:
            read_ranges(here, silence, laser.errors, own)
        shortest, farthest = np.float32(laser.shortest), np.float32(laser.longest)
        for i in range(count):
            own[i] = min(max(own[i], shortest), farthest)
        done[k] = True
