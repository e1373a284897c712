# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""What a car of a Simulator runs into, and what happens then: it stops there, or it is a hit.

racecar.simulation.world_stop does the same for cars in blocks, with the same bits.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
import functools
import math
from typing import NamedTuple, Protocol

from racecar.base.errors import ConfigurationError
from racecar.base.readings import Collisions
from racecar.base.types import Odometry, Pose2
from racecar.base.vectors import Flat
from racecar.scene.scene import Scene
from racecar.simulation.car_hits import CarHits, HittingCar
from racecar.simulation.contact import Contact, IMPULSE, NONE, STOP
from racecar.simulation.obstacles import CONTACT_PARAMETER, ContactShape, Obstacles, OUTLINE


class KeptState(NamedTuple):
    """A state to which a Simulator can go back; see Simulator.kept()."""

    steps: int
    arrays: Sequence[Flat]
    stands: bool
    inputs: Sequence[float]
    collisions: Collisions | None


class MovingCar(HittingCar, Protocol):
    """What contacts ask of a car besides.

    kept() gives what go_back() takes, which undoes what was driven since. drive() moves the car on
    as if nothing were in the way, but not the time, which count() does.
    """

    def kept(self) -> KeptState:
        """See the class."""

    def go_back(self, kept: KeptState) -> None:
        """See the class."""

    def drive(self, steps: int) -> None:
        """See the class. Raises DivergenceError, changing nothing."""

    def count(self, steps: int) -> None:
        """See the class."""

    def odometry_in(self, steps: int) -> Odometry:
        """Odometry of the state as it is, stamped by so many steps after the present time."""


class CarContacts:
    """Moves a car among what stands around.

    obstacles: what is in its way, None for nothing. stands: whether the car stands at what it has
    run into; a command sets it free.
    """

    def __init__(self, mover: MovingCar, scene: Scene) -> None:
        """Let a car be stopped by a scene as soon as its outline touches anything."""
        self._mover, self._car, self._scene = mover, mover.car, scene
        self._shape, self._response = OUTLINE, Contact()
        self._hits: CarHits | None = None
        self.obstacles = self._obstacles_in(scene)
        self.stands = False

    def surround(self, scene: Scene) -> None:
        """Let a scene stand around; contacts are counted anew, and a car that stands is free."""
        self._scene, self.obstacles, self.stands = scene, self._obstacles_in(scene), False

    def _obstacles_in(self, scene: Scene) -> Obstacles | None:
        return None if scene.is_empty else Obstacles(
            scene, self._car.model.vehicle.footprint, self._shape)

    @property
    def shape(self) -> ContactShape:
        """What of the car runs into things."""
        return self._shape

    @shape.setter
    def shape(self, shape: ContactShape) -> None:
        """Let this run into things from now on. Raises ConfigurationError for a disc that hits."""
        self._hits, self._shape = self._hits_of(self._response, shape), shape
        self.obstacles = self._obstacles_in(self._scene)

    @property
    def response(self) -> Contact:
        """What happens when the car runs into something."""
        return self._response

    @response.setter
    def response(self, contact: Contact) -> None:
        """Let this happen from now on.

        Raises ConfigurationError for the policy `none`, and for hits of a disc.
        """
        contact.check()
        if contact.policy == NONE:
            raise ConfigurationError(
                f'the policy of contacts is {NONE!r}, expected {STOP!r} or {IMPULSE!r}')
        self._hits, self._response = self._hits_of(contact, self._shape), contact

    def _hits_of(self, contact: Contact, shape: ContactShape) -> CarHits | None:
        if contact.policy != IMPULSE:
            return None
        if shape.radius:
            raise ConfigurationError(
                f"parameter '{CONTACT_PARAMETER.name}' is {shape.radius:g} m with"
                f" contact '{IMPULSE}', expected 0: hits are those of the outline")
        return CarHits([self._mover], contact, keep=self._keeping)

    def _keeping(self) -> Callable[[], None]:
        return functools.partial(self._mover.go_back, self._mover.kept())

    @property
    def collisions(self) -> Collisions | None:
        """Contacts since the last reset; None where there is nothing to run into."""
        return None if self.obstacles is None else self.obstacles.collisions

    @property
    def are_stops_of_outline(self) -> bool:
        """Whether driving is all that advance() does until the outline is in something."""
        obstacles = self.obstacles
        return not self.stands and self._hits is None and (obstacles is None or not (
            self._shape.radius or obstacles.moves or obstacles.collisions.in_contact))

    def warm_up(self) -> None:
        """Compile, or load from the cache, what looks for contacts; nothing changes."""
        if self.obstacles is not None:
            self.obstacles.block(self._mover.odometry())
            if self._hits is not None:
                self.obstacles.touch(self._mover.odometry())

    def forget(self) -> None:
        """Count contacts anew."""
        if self.obstacles is not None:
            self.obstacles.forget()

    def go_back(self, stands: bool, collisions: Collisions | None) -> None:
        """Be as before, whether the car stood, and with the contacts that it had had."""
        self.stands = stands
        if self.obstacles is not None and collisions is not None:
            self.obstacles.collisions = collisions

    def advance(self, steps: int) -> None:
        """Move car and time on by steps. Raises DivergenceError."""
        if self.stands:
            self._stay(self.obstacles, steps)
        elif self.obstacles is None:
            self._mover.drive(steps)
        elif self._hits is not None:
            self._hits.advance(steps)
            return
        else:
            self._advance_among(self.obstacles, steps)
        self._mover.count(steps)

    def _advance_among(self, obstacles: Obstacles, steps: int) -> None:
        """Move the car on as far as nothing is in its way; the time is still that before."""
        before = self._car.copies()
        self._mover.drive(steps)
        end = self._mover.odometry_in(steps)
        is_met = obstacles.moves and obstacles.may_meet(end, steps * self._mover.step_ns)
        if not is_met and not obstacles.block(end):
            obstacles.note_free(end)
            return
        under_way = self._car.under_way
        self._car.put_back(before)
        if is_met:
            self._advance_among_moving(obstacles, steps, under_way)
            return
        start = self._mover.odometry_in(0)
        if obstacles.hold(start):
            self._mover.drive(steps)
            return
        for _ in range(steps):
            before, last = self._car.copies(), self._mover.odometry_in(0)
            self._mover.drive(1)
            if obstacles.block(self._mover.odometry_in(0)):
                break
        self._car.put_back(before)
        obstacles.note_contact(last, math.hypot(start.vx, start.vy))
        self._stand(last, under_way)

    def _advance_among_moving(self, obstacles: Obstacles, steps: int, under_way: Flat) -> None:
        """Do that step by step, as what moves may have come and gone at the end of them."""
        for done in range(steps):
            before, last = self._car.copies(), self._mover.odometry_in(done)
            self._mover.drive(1)
            place = self._mover.odometry_in(done + 1)
            if obstacles.block(place, obstacles.freedom(last)):
                self._car.put_back(before)
                obstacles.note_contact(last, math.hypot(last.vx, last.vy))
                self._stand(last, under_way)
                self._note_comers(obstacles, done + 1, steps)
                return
            if not obstacles.block(place):
                obstacles.note_free(place)

    def _note_comers(self, obstacles: Obstacles, first: int, last: int) -> None:
        """Take note of what moves against the car, which stands, from one step to another."""
        if not obstacles.moves or first == last:
            return
        span_ns = (last - first) * self._mover.step_ns
        is_near = obstacles.may_meet(self._mover.odometry_in(last), span_ns)
        for done in range(first + 1 if is_near else last, last + 1):
            place = self._mover.odometry_in(done)
            if obstacles.block(place):
                obstacles.note_contact(place, 0.0)
            else:
                obstacles.note_free(place)

    def _stay(self, obstacles: Obstacles | None, steps: int) -> None:
        """Let a car that stands do so, while the commands that are under way arrive."""
        before = self._car.copies()
        self._mover.drive(steps)
        under_way = self._car.under_way
        self._car.put_back(before)
        self._car.hold_still(under_way)
        if obstacles is not None:
            self._note_comers(obstacles, 0, steps)

    def stop_at(self, before: Sequence[Flat]) -> None:
        """Let the car stand where it was as copies() were made; what is under way arrives."""
        under_way = self._car.under_way
        self._car.put_back(before)
        self._stand(self._mover.odometry_in(0), under_way)

    def _stand(self, place: Odometry, under_way: Flat) -> None:
        """Be at rest at a place until the next command.

        Until then, so that it does not matter in how many parts a tick goes.
        """
        car = self._car
        car.put(car.parts.state, car.model.initial_state(Pose2(place.x, place.y, place.yaw)))
        car.hold_still(under_way)
        self.stands = True
