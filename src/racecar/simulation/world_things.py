# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""What differs from world to world of one scene: friction zones, and when things begin to move."""

from __future__ import annotations

from collections.abc import Sequence
import math
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from racecar.base.columns import Array
from racecar.base.errors import ConfigurationError, ParameterError
from racecar.base.types import NANOSECONDS
from racecar.dynamics.vehicles.interface import VehicleModel
from racecar.scene.friction_zones import zone_rows
from racecar.scene.motions import motion_rows
from racecar.scene.scene import MovingThing, Rows, Scene
from racecar.scene.surroundings import Surroundings
from racecar.simulation.ground_friction import WheelSpots
from racecar.simulation.vehicle_columns import AxleFactors, grip_rows, grips_of

MOST_FACTORS = 20
"""Friction factors that a world may have; each pair of them has tyres of its own."""


class Things(NamedTuple):
    """Zones and moving things of all worlds as numbers for kernels.

    of_cars: of each car the rows of its world in zones, from and to, and in movers, from and to,
    (cars, 4). zones, corners: as ZoneRows has them, with the number of a factor in the place of
    the factor, 0 is that of the ground without zones. spots: WheelSpots of each car. grip_rows,
    grips: see grip_rows() and grips_of(), of each car by the factors under both wheels of an axle,
    (cars, factors, factors, numbers). movers: time of its motion at which a thing begins [ns], 1
    for a cylinder, half length or radius, half width, height [m], radius of a circle about it [m],
    highest speed [m/s], number of its motion, (n, 8); motions, legs: as MotionRows.
    """

    of_cars: Rows
    zones: Rows
    corners: Rows
    spots: Rows
    grip_rows: Rows
    grips: NDArray[np.float64]
    movers: Rows
    motions: Rows
    legs: Rows


class WorldConditions(NamedTuple):
    """What a reset of worlds makes anew; None: as before.

    zones: x, y, radius [m], factor of the friction of each of the drawn zones of the setup,
    (worlds, zones, 4); begins: at which times of their motions the things of each scene are at the
    time 0 [s], (worlds, things), as many as the scene with most of them has; noise: factor of the
    deviation of the scans of each car, (worlds, cars) or one for all, at least 0.
    """

    zones: ArrayLike | None = None
    begins: ArrayLike | None = None
    noise: ArrayLike | None = None


AS_BEFORE = WorldConditions()


class WorldScenes(NamedTuple):
    """What stands around in all scenes, and what differs from world to world."""

    fixed: Surroundings
    things: Things


PlainScenes = tuple[tuple[Any, ...], tuple[Any, ...]]
"""A WorldScenes as tuples, of the fields of Surroundings and of Things."""


def mover_row(thing: MovingThing, motion: int) -> tuple[float, ...]:
    """Row of Things.movers that begins at the time 0 of a motion, by its number."""
    length, width = thing.size
    return (0.0, float(thing.is_round), 0.5 * length, 0.5 * width, thing.height,
            0.5 * math.hypot(length, width), thing.motion.fastest, float(motion))


class WorldThings:
    """Zones and moving things of worlds, some of them drawn anew at resets.

    things: the numbers for kernels, written in place.
    """

    def __init__(
        self, scenes: Sequence[Scene], scene_of: NDArray[np.int_],
        models: Sequence[VehicleModel], drawn: int,
    ) -> None:
        """models: of all cars; drawn: zones of each world that resets place.

        Raises ConfigurationError for more friction factors than MOST_FACTORS.
        """
        worlds, total, self._drawn = len(scene_of), len(models), drawn
        self._together, self._models = total // worlds, models
        self.moves = any(scene.moving for scene in scenes)
        self._table = grip_rows(models[0]) if drawn or any(
            scene.friction_zones for scene in scenes) else np.empty((0, 2))
        self.has_zones = len(self._table) > 0
        chosen = [scenes[index] for index in scene_of.tolist()]
        kinds = {id(scene): _Zones(scene) for scene in scenes}
        own = [kinds[id(scene)] for scene in chosen]
        # Of each world the factors: of the ground, of its zones, of those that are drawn.
        most = max(len(zones.factors) for zones in kinds.values())
        count = 1 + most + drawn if self.has_zones else 1
        if count > MOST_FACTORS:
            raise ConfigurationError(
                f'a world has {count - 1} different factors of friction zones, expected at most'
                f' {MOST_FACTORS - 1}: give zones of one friction the same factor')
        self._factors = np.ones((worlds, count))
        self._placed = np.zeros((worlds, drawn, 4))
        self._first_drawn = 1 + most
        zones: list[tuple[float, ...]] = []
        of_worlds = np.zeros((worlds, 4))
        movers: list[tuple[float, ...]] = []
        motions = [thing.motion for scene in scenes for thing in scene.moving]
        first_motion = dict(zip(map(id, scenes), np.cumsum(
            [0, *(len(scene.moving) for scene in scenes)])[:-1].tolist(), strict=True))
        corners = np.concatenate([kinds[id(scene)].corners for scene in scenes])
        first_corner = dict(zip(map(id, scenes), np.cumsum(
            [0, *(len(kinds[id(scene)].corners) for scene in scenes)])[:-1].tolist(),
            strict=True))
        for world, (scene, mine) in enumerate(zip(chosen, own, strict=True)):
            of_worlds[world, ::2] = len(zones), len(movers)
            if self.has_zones:
                begin = first_corner[id(scene)]
                zones += [(number, x, y, radius, first + begin, after + begin)
                          for number, x, y, radius, first, after in mine.rows]
                zones += [(float(self._first_drawn + k), 0.0, 0.0, 0.0, 0.0, 0.0)
                          for k in range(drawn)]
                self._factors[world, 1:1 + len(mine.factors)] = mine.factors
            movers += [mover_row(thing, first_motion[id(scene)] + k)
                       for k, thing in enumerate(scene.moving)]
            of_worlds[world, 1::2] = len(zones), len(movers)
        self._of_worlds = of_worlds.astype(int)
        spots = {id(model): WheelSpots.of(model.vehicle)[:] if self.has_zones else (0.0,) * 4
                 for model in models}
        rows = motion_rows(motions)
        self.things = Things(
            np.repeat(of_worlds, self._together, axis=0), np.array(zones).reshape(-1, 6), corners,
            np.array([spots[id(model)] for model in models]), self._table,
            np.zeros((total, count, count, len(self._table))),
            np.array(movers).reshape(-1, 8), rows.motions, rows.legs)
        # Cars whose vehicles are no longer those of their models.
        self._varied = np.zeros(total, dtype=bool)
        if self.has_zones:
            self._grip(np.ones(total, dtype=bool))

    def begins(self, world: int) -> list[int]:
        """Times of the motions of a world's things at which its last reset began [ns]."""
        first, after = self._of_worlds[world, 2:].tolist()
        return [int(begin) for begin in self.things.movers[first:after, 0].tolist()]

    def drawn_zones(self, world: int) -> Array:
        """x, y, radius [m], factor of the zones of a world that its last reset has placed."""
        zones: Array = self._placed[world].copy()
        return zones

    def factors(self, zones: Array | None) -> AxleFactors:
        """Friction factors of all cars with such zones, see reset()."""
        found = self._factors
        if zones is not None and self.has_zones:
            found = found.copy()
            found[:, self._first_drawn:] = zones[..., 3]
        return AxleFactors(self._table, np.repeat(found, self._together, axis=0).T)

    def check(
        self, conditions: WorldConditions, chosen: NDArray[np.bool_], *, vary: bool,
    ) -> WorldConditions:
        """Zones and begins of a reset of some cars as arrays; vary: whether it has vehicles.

        Raises ParameterError for what they cannot be.
        """
        worlds = len(self._of_worlds)
        drawn, times = (None if given is None else np.asarray(given, dtype=float)
                        for given in (conditions.zones, conditions.begins))
        if drawn is not None:
            wanted = worlds, self._drawn, 4
            if drawn.shape != wanted or not np.isfinite(drawn).all() or (
                    drawn[..., 2:] < 0.0).any():
                raise ParameterError(
                    f'zones have the shape {drawn.shape}, expected x, y, radius, factor of each'
                    f' drawn zone of each world, {wanted}, finite, the last two at least 0')
            if self.has_zones and not vary and (self._varied & chosen).any():
                raise ParameterError(
                    'zones are given for cars whose vehicles differ from their models, expected'
                    ' vehicles beside them')
        if times is not None:
            most = int((self._of_worlds[:, 3] - self._of_worlds[:, 2]).max(initial=0))
            if times.shape != (worlds, most) or not np.isfinite(times).all() or (
                    times < 0.0).any():
                raise ParameterError(
                    f'begins have the shape {times.shape}, expected a time of at least 0 s for'
                    f' each moving thing of each world, {(worlds, most)}')
        return WorldConditions(drawn, times)

    def reset(
        self, chosen: NDArray[np.bool_], conditions: WorldConditions,
        vehicles: tuple[Array, Array] | None,
    ) -> None:
        """Give the worlds of some cars what check() has returned.

        vehicles: spots and grips of cars that differ from now on, (numbers, cars) each.
        """
        zones, begins = (None if given is None else np.asarray(given)
                         for given in (conditions.zones, conditions.begins))
        worlds = np.flatnonzero(chosen.reshape(-1, self._together).any(axis=1))
        if zones is not None:
            self._placed[worlds] = zones[worlds]
        if zones is not None and self.has_zones:
            places = (self._of_worlds[worlds, 1] - self._drawn)[:, np.newaxis] + np.arange(
                self._drawn)
            self.things.zones[places, 1:4] = zones[worlds][..., :3]
            self._factors[worlds, self._first_drawn:] = zones[worlds][..., 3]
        if begins is not None:
            for world in worlds.tolist():
                first, after = self._of_worlds[world, 2:].tolist()
                self.things.movers[first:after, 0] = np.rint(
                    begins[world, :after - first] * NANOSECONDS)
        if vehicles is not None:
            self._varied |= chosen
            if self.has_zones:
                spots, grips = vehicles
                self.things.spots[chosen] = spots.T[chosen]
                self.things.grips[chosen] = grips.T[chosen].reshape(
                    -1, *self.things.grips.shape[1:])
        elif zones is not None and self.has_zones:
            # Of all cars of these worlds, as the ground is that of all.
            self._grip(np.repeat(chosen.reshape(-1, self._together).any(axis=1), self._together))

    def _grip(self, chosen: NDArray[np.bool_]) -> None:
        """Find the grips of some cars, whose vehicles are those of their models."""
        friction, cars = self.factors(None), np.flatnonzero(chosen)
        models = np.array([id(self._models[car]) for car in cars.tolist()])
        for key in dict.fromkeys(models.tolist()):
            some = cars[models == key]
            self.things.grips[some] = grips_of(
                self._models[some[0]], self._table, friction.factors[:, some]).T.reshape(
                    len(some), *self.things.grips.shape[1:])


class _Zones:
    """Zones of a scene: different factors, rows with the number of a factor, corners."""

    def __init__(self, scene: Scene) -> None:
        rows, self.corners = zone_rows(scene.friction_zones)
        self.factors = [*dict.fromkeys(zone.factor for zone in scene.friction_zones)]
        numbers = {factor: 1.0 + k for k, factor in enumerate(self.factors)}
        self.rows = [(numbers[factor], *others) for factor, *others in rows.tolist()]
