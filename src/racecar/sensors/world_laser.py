# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""Scans of all cars of many worlds in compiled code: what stands around, and each other.

Ranges are those of racecar.sensors.laser, by the same kernels; other cars are seen as upright
boxes on their outlines, however high the laser is.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

from racecar.base.columns import Array
from racecar.base.compiled import kernel, modular, pure, routine
from racecar.base.errors import ParameterError
from racecar.base.parameters import ParameterTable
from racecar.base.poses import NO_POSE
from racecar.base.rows import lent, load, Part, span
from racecar.base.types import Pose3, Twist3
from racecar.base.values import number_of, Values
from racecar.base.vectors import Flat
from racecar.scene.grid_map import GridNumbers
from racecar.scene.scene import Box, Objects
from racecar.scene.surroundings import grid_height_of, grid_of, part_of, Surroundings
from racecar.sensors.fan_rays import Fan, FanPlace, look_from
from racecar.sensors.interface import DELAY
from racecar.sensors.laser import Laser, PARAMETERS
from racecar.sensors.laser_readings import LaserErrors, Ranges, read_noisy, read_ranges
from racecar.sensors.standing import Standing
from racecar.simulation.world_batch import WorldView
from racecar.simulation.world_moving import put_rows, see_moving
from racecar.simulation.world_rows import CarShape, NO_SHAPE
from racecar.simulation.world_things import PlainScenes, Things

_SHAPE = Part(NO_SHAPE)
_SIZE = _SHAPE.after
_BOX, _CONE = 7, 5
_STEP, _MIX_1, _MIX_2 = (np.uint64(number) for number in (
    0xD1342543DE82EF95, 0xFF51AFD7ED558CCD, 0xC4CEB9FE1A85EC53))
_33 = np.uint64(33)
_STILL = Twist3(0.0, 0.0, 0.0, 0.0, 0.0, 0.0)


class WorldLaser:
    """Laser of all cars of a WorldBatch, the scanner of its WorldSetup.

    values: rows of racecar.sensors.laser.PARAMETERS by name, those left out at their defaults:
    angle_min, angle_max [rad], rays, range_min, range_max, resolution, noise [m], clip. place: of
    the laser in base_link, level. A scan is taken at the end of a period; its noise depends on the
    seed of the car and on the periods since the reset alone. A beam beyond range_max gives +inf,
    one below range_min -inf, unless they are clipped.
    """

    def __init__(self, values: Values | None = None, place: Pose3 = NO_POSE) -> None:
        """Raise ParameterError as Laser does, for a sweep, a delay and a place that is tilted."""
        resolved = ParameterTable(PARAMETERS).resolve(dict(values or {}))
        for name in ('sweep_time', DELAY):
            if number_of(resolved, name):
                raise ParameterError(
                    f"parameter '{name}' is {number_of(resolved, name):g} s, expected 0: lasers of"
                    ' worlds scan all at once, at the end of a period')
        if place.qx or place.qy:
            raise ParameterError(
                f'the place of the laser is {place}, expected qx = qy = 0: lasers of worlds are'
                ' level')
        self._laser = Laser({**resolved, 'rate': 1.0})
        self._beams = beams = self._laser.beams
        self._place = (place.x, place.y, place.z, place.qz, place.qw)
        self._fan = (beams.first, beams.increment, beams.count, beams.reach, beams.cosines,
                     beams.sines, beams.limits)

    @property
    def size(self) -> int:
        """Number of beams."""
        return self._beams.count

    @property
    def angles(self) -> Array:
        """Angle of each beam in the frame of the laser, (beams,) [rad]."""
        beams = self._beams
        return np.array([beams.first + i * beams.increment for i in range(beams.count)])

    def scan(
        self, view: WorldView, first: int, chosen: NDArray[np.bool_], scans: Ranges,
    ) -> None:
        """Write scans [m] of the cars from `first` on of which chosen says so, see Scanner."""
        outside = np.zeros(len(chosen), dtype=np.bool_)
        if _scan_cars(
                (view.shapes, view.keys, view.noise), (tuple(view.around), tuple(view.things)),
                self._fan, self._place,
                (self._laser.errors[:], first, view.together, view.period_ns),
                (chosen, outside, scans)):
            for car in np.flatnonzero(outside).tolist():
                self._scan_from_outside(view, first + car, scans[first + car])
        if self._laser.limits is not None:
            cars = first + np.flatnonzero(chosen)
            scans[cars] = np.clip(scans[cars], *self._laser.limits)

    def _scan_from_outside(self, view: WorldView, car: int, ranges: Ranges) -> None:
        """Scan from where no map is, ray by ray."""
        shape = load(view.shapes, _SHAPE, car * _SIZE)
        place = _place_of(shape, self._place)
        begin = car - car % view.together
        boxes = []
        for other in range(begin, begin + view.together):
            if other != car:
                of = load(view.shapes, _SHAPE, other * _SIZE).outline
                boxes.append(Box(of.x, of.y, math.atan2(of.sine, of.cosine), 2.0 * of.length,
                                 2.0 * of.width, math.inf))
        scene, cylinders = view.scenes[int(shape.scene)], []
        time_ns = _time_of(view.shapes, begin, view.period_ns)
        first = int(view.things.of_cars[car, 2])
        for row, thing in enumerate(scene.moving, first):
            at = thing.motion.at(time_ns + int(view.things.movers[row, 0]))
            if thing.is_round:
                cylinders.append(thing.cylinder_at(at))
            else:
                boxes.append(thing.box_at(at))
        yaw = math.atan2(place.sine, place.cosine)
        truth = self._beams.distances(
            scene, Objects(boxes=boxes, cylinders=cylinders),
            Pose3(place.x, place.y, place.z, 0.0, 0.0, math.sin(0.5 * yaw), math.cos(0.5 * yaw)),
            lambda: _STILL)
        _read_scan(truth, (view.keys[car], shape.ticks),
                   _times(self._laser.errors, float(view.noise[car])),
                   np.zeros(len(truth)), ranges)


@pure
def _place_of(shape: CarShape, place: tuple[float, float, float, float, float]) -> FanPlace:
    """Where the laser of a car is; as pose_of_child() has it, to the bit."""
    qz, qw = shape.qz, shape.qw
    x, y, z, bz, bw = place
    tx, ty = 2.0 * -(qz * y), 2.0 * (qz * x)
    px, py = shape.x + (x + qw * tx - qz * ty), shape.y + (y + qw * ty + qz * tx)
    if bw != 1.0:
        qz, qw = qw * bz + qz * bw, qw * bw - qz * bz
    return FanPlace(px, py, z, qw * qw - qz * qz, 2.0 * qw * qz)


@pure
def _time_of(shapes: Flat, first: int, period_ns: int) -> int:
    """Time of the moving things of a world by the number of its first car [ns]."""
    return int(load(shapes, _SHAPE, first * _SIZE).ticks) * period_ns


@routine
@modular
def _seed(key: np.uint64, ticks: float) -> np.uint64:
    """Seed of a scan: a hash of the key of the car and of the periods since its reset."""
    x = key * _MIX_2 + np.uint64(np.int64(ticks) + 1) * _STEP
    x = (x ^ (x >> _33)) * _MIX_1
    x = (x ^ (x >> _33)) * _MIX_2
    return x ^ (x >> _33)


@pure
def _times(errors: LaserErrors, factor: float) -> LaserErrors:
    """Errors of a laser with so many times the noise."""
    return LaserErrors(factor * errors.deviation, errors.resolution, errors.range_min,
                       errors.range_max)


@kernel
def _read_scan(
    truth: Array, seed: tuple[np.uint64, float], errors: LaserErrors, silence: Array,
    ranges: Ranges,
) -> None:
    """Write ranges [m] of true distances; seed: key and ticks; silence: as many zeros."""
    if errors.deviation > 0.0:
        read_noisy(truth, _seed(seed[0], seed[1]), errors, ranges)
    else:
        read_ranges(truth, silence, errors, ranges)


@kernel
def _scan_cars(
    view: tuple[Flat, NDArray[np.uint64], Array], around: PlainScenes, fan: tuple[Any, ...],
    place: tuple[float, float, float, float, float],
    how: tuple[tuple[float, ...], int, int, int],
    cars: tuple[NDArray[np.bool_], NDArray[np.bool_], Ranges],
) -> int:
    """Write scans of cars; how many of them are outside the map, of which none is written.

    view: shapes, keys and noise of all cars; around: fields of Surroundings, and of Things; fan:
    of Fan; place: of the laser: x, y, z, qz, qw; how: fields of LaserErrors, first car, cars in a
    world, length of a period [ns]; cars: which ones are wanted, counted from the first, which ones
    are outside, scans of all cars.
    """
    shapes, keys, noise = lent(view)
    fixed, moving = lent(around)
    all_around, things, rays = Surroundings(*fixed), Things(*moving), Fan(*lent(fan))
    numbers, first, together, period_ns = how
    errors = LaserErrors(*numbers)
    chosen, outside, scans = lent(cars)
    # Rows of the moving things of a world at most, and of its cones with them.
    most = 0
    for k in range(len(chosen) if len(things.movers) > 0 else 0):
        most = max(most, int(things.of_cars[first + k, 3] - things.of_cars[first + k, 2]))
    ways, others = np.empty(len(rays.cosines)), np.empty((together - 1 + most, _BOX))
    round_things = np.empty((most + len(all_around.cones) if most > 0 else 0, _CONE))
    silence = np.zeros(len(ways))
    count = 0
    for k in range(len(chosen)):
        if not chosen[k]:
            continue
        car = first + k
        shape, row = load(shapes, _SHAPE, car * _SIZE), 0
        for other in range(car - car % together, car - car % together + together):
            if other != car:
                of = load(shapes, _SHAPE, other * _SIZE).outline
                others[row, 0], others[row, 1] = of.x, of.y
                others[row, 2], others[row, 3] = of.cosine, of.sine
                others[row, 4], others[row, 5], others[row, 6] = of.length, of.width, math.inf
                row += 1
        scene, at = int(shape.scene), _place_of(shape, place)
        cones = part_of(all_around.cones, all_around, scene, 4)
        if most > 0:
            put_rows(cones, round_things)
            row, count_round = see_moving(
                things, car, _time_of(shapes, car - car % together, period_ns), others,
                round_things, (row, len(cones)))
            cones = span(round_things, 0, count_round)
        grid = grid_of(all_around, scene)
        length = grid.length if at.z <= grid_height_of(all_around, scene) else 0.0
        if look_from(
                Standing(part_of(all_around.walls, all_around, scene, 0),
                         part_of(all_around.boxes, all_around, scene, 2),
                         span(others, 0, row), cones),
                GridNumbers(grid.room, grid.stride, grid.scale, grid.x, grid.y, grid.cosine,
                            grid.sine, length, grid.width), at, rays, ways):
            _read_scan(ways, (keys[car], shape.ticks), _times(errors, noise[car]), silence,
                       scans[car])
        else:
            outside[k] = True
            count += 1
    return count
