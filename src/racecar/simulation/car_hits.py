# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""Contacts of cars of Simulators as hits of rigid bodies, by racecar.dynamics.impulse.

racecar.simulation.world_hits does the same for cars in blocks, with the same bits.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
import itertools
import math
from typing import Protocol

from racecar.base.errors import DivergenceError
from racecar.base.types import Odometry
from racecar.dynamics.impulse import collide, Surface
from racecar.scene.touching import rectangles_touch
from racecar.simulation.car_rows import CarRows, Place
from racecar.simulation.contact import Contact, ROUNDS, ways_apart
from racecar.simulation.obstacles import Freedom, NO_FREEDOM, Obstacles


class HittingCar(Protocol):
    """What hits ask of a car.

    car: its numbers. advance_freely() moves it as if nothing were in the way, and raises
    DivergenceError.
    """

    car: CarRows

    @property
    def step_ns(self) -> int:
        """Length of a step [ns]."""

    @property
    def obstacles(self) -> Obstacles | None:
        """What stands in its way, None for nothing."""

    def odometry(self) -> Odometry:
        """Pose and twist now."""

    def advance_freely(self, steps: int) -> None:
        """See the class."""


class CarHits:
    """Cars that move on together and hit each other and what stands around."""

    def __init__(
        self, cars: Sequence[HittingCar], contact: Contact, *,
        keep: Callable[[], Callable[[], None]],
        do_touch: Callable[[], bool] = lambda: False,
        note_met: Callable[[int, Odometry, float], None] = lambda *_: None,
    ) -> None:
        """Let cars be hit by the contact, whose policy is not asked.

        keep: returns what puts all cars back to where they are now; do_touch: whether cars touch
        each other; note_met: called with the index of a car that hits another one, its odometry
        and the speed with which it came [m/s].
        """
        self._cars, self._surface = cars, Surface(contact.restitution, contact.friction)
        self._keep, self._do_touch, self._note_met = keep, do_touch, note_met
        self._look_steps = contact.look_steps(cars[0].step_ns)
        self._rows = [car.car for car in cars]
        self._reach = [rows.outline.reach for rows in self._rows]
        # What each may go through.
        self._free = [NO_FREEDOM] * len(cars)
        # Speeds at the begin of an interval [m/s].
        self._speeds = [0.0] * len(cars)

    def advance(self, steps: int) -> None:
        """Move on by steps. Raises DivergenceError; all cars are then as before."""
        go_back = self._keep()
        try:
            while steps:
                part = min(steps, self._look_steps)
                self._take_interval(part)
                steps -= part
        except DivergenceError:
            go_back()
            raise

    def _take_interval(self, steps: int) -> None:
        go_back = self._keep()
        for car in self._cars:
            car.advance_freely(steps)
        span_ns = steps * self._cars[0].step_ns
        if self._do_touch() or any(_has_met(car, span_ns) for car in self._cars):
            go_back()
            self._free = [*map(_freedom, self._cars)]
            self._speeds = [math.hypot(*car.odometry()[5:7]) for car in self._cars]
            for _ in range(steps):
                self._take_step()
        for car in self._cars:
            if car.obstacles is not None:
                car.obstacles.note_free(car.odometry())

    def _take_step(self) -> None:
        before = [rows.place for rows in self._rows]
        for index, car in enumerate(self._cars):
            if car.obstacles is not None and car.obstacles.moves:
                self._free[index] = _freedom(car)
            car.advance_freely(1)
        for _ in range(ROUNDS):
            met = self._meet_cars()
            # Both are to be asked.
            if not self._meet_scene(before) and not met:
                return

    def _meet_cars(self) -> bool:
        found = False
        for i, j in itertools.combinations(range(len(self._cars)), 2):
            one, other = self._cars[i], self._cars[j]
            places = one.odometry(), other.odometry()
            if math.dist(places[0][1:3], places[1][1:3]) > self._reach[i] + self._reach[j]:
                continue
            first, second = self._rows[i], self._rows[j]
            touch = rectangles_touch(first.outline.at(places[0]), second.outline.at(places[1]))
            if touch.depth <= 0.0:
                continue
            found = True
            bodies = first.body(), second.body()
            hit = collide(*bodies, touch, self._surface)
            first.take(hit.first)
            second.take(hit.second)
            back, ahead = ways_apart(*bodies, touch.depth)
            _move(first, -back * touch.nx, -back * touch.ny)
            _move(second, ahead * touch.nx, ahead * touch.ny)
            for index, place in zip((i, j), places, strict=True):
                self._note_met(index, place, self._speeds[index])
        return found

    def _meet_scene(self, before: Sequence[Place]) -> bool:
        found = False
        for index, (car, rows) in enumerate(zip(self._cars, self._rows, strict=True)):
            place = car.odometry()
            if car.obstacles is None or not car.obstacles.block(place, self._free[index]):
                continue
            found = True
            touch, way, body = car.obstacles.touch(place)
            rows.take(collide(rows.body(), body, touch, self._surface).first)
            if way < 0.0:
                rows.place = before[index]
            else:
                _move(rows, -way * touch.nx, -way * touch.ny)
            car.obstacles.note_contact(place, self._speeds[index])
        return found


def _has_met(car: HittingCar, span_ns: int) -> bool:
    """Whether a car is in something, or may have met what moves in a time before [ns]."""
    obstacles, place = car.obstacles, car.odometry()
    return obstacles is not None and (
        obstacles.block(place) or (obstacles.moves and obstacles.may_meet(place, span_ns)))


def _freedom(car: HittingCar) -> Freedom:
    return NO_FREEDOM if car.obstacles is None else car.obstacles.freedom(car.odometry())


def _move(rows: CarRows, dx: float, dy: float) -> None:
    x, y, yaw = rows.place
    rows.place = x + dx, y + dy, yaw
