# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""Several robots in the plane as one plant: they see each other, and who runs into one stops."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import partial
import itertools
import math
from typing import Any, NamedTuple, Protocol, TypeAlias

import numpy as np

from racecar.base.errors import ConfigurationError, DivergenceError
from racecar.base.readings import Collisions, NO_COLLISION
from racecar.base.types import NANOSECONDS, Odometry, Pose3
from racecar.scene.loose_objects import still
from racecar.scene.scene import Box, Objects, Scene
from racecar.scene.seen_by_each import SeenByEach
from racecar.scene.touching import disc_touch, rectangles_touch
from racecar.simulation.obstacles import INSIDE, Outline, RELEASE
from racecar.simulation.ports import COLLISIONS, Entity, Output, Plant, unless_retired
from racecar.simulation.several_robots import advance_without_lost, SeveralRobots

Kept: TypeAlias = Any
"""What kept() of a robot gives: of a type of its own."""

# Corners of the polygon as which a round body is seen: within 2 % of its radius.
_CORNERS = 16


class Cover(NamedTuple):
    """What a robot covers: its outline, or a disc about its base frame where radius is not 0.

    radius, height: [m].
    """

    outline: Outline
    height: float
    radius: float = 0.0

    @property
    def reach(self) -> float:
        """Radius of the circle about the base frame around all that it covers [m]."""
        return self.radius or self.outline.reach

    def boxes(self, place: Odometry) -> list[Box]:
        """What sensors see of it; a disc is a polygon of boxes."""
        if not self.radius:
            x, y, cosine, sine, length, width = self.outline.at(place)
            return [Box(x, y, math.atan2(sine, cosine), 2.0 * length, 2.0 * width, self.height)]
        half = math.pi / _CORNERS
        length, width = (2.0 * self.radius * side for side in (math.cos(half), math.sin(half)))
        return [Box(place.x, place.y, 2.0 * half * turn, length, width, self.height)
                for turn in range(_CORNERS // 2)]

    def meets(
        self, place: Odometry, other: Cover, there: Odometry, margin: float = 0.0,
    ) -> bool:
        """Whether it, at a place and wider by a margin [m], overlaps with another one there."""
        if self.radius and other.radius:
            return math.hypot(place.x - there.x, place.y - there.y) < (
                self.radius + other.radius + margin)
        if self.radius:
            return disc_touch(
                other.outline.at(there), place.x, place.y, self.radius + margin).depth > 0.0
        own = self.outline.at(place, margin)
        if other.radius:
            return disc_touch(own, there.x, there.y, other.radius).depth > 0.0
        return rectangles_touch(own, other.outline.at(there)).depth > 0.0


class PlanarRobot(Protocol):
    """What moves a robot of several in the plane.

    kept() gives what go_back() takes, which undoes what was driven since, but not commands.
    stop_at() lets the robot stand where a kept state is as at something that it has run into; the
    time stays. retire() lets it stand where it is until it is reset, as it cannot go on.
    """

    @property
    def step_ns(self) -> int:
        """Length of a step [ns]."""

    @property
    def time_ns(self) -> int:
        """Simulated time since the start [ns]."""

    @property
    def scene(self) -> Scene:
        """What stands around."""

    @property
    def collisions(self) -> Collisions | None:
        """Contacts with the scene since the last reset; None where there is nothing in it."""

    @property
    def has_diverged(self) -> bool:
        """Whether its newest advance() has raised a DivergenceError, and it was not reset."""

    def odometry(self) -> Odometry:
        """Pose and twist of its base frame."""

    def kept(self) -> Kept:
        """See the class."""

    def go_back(self, kept: Kept) -> None:
        """See the class."""

    def stop_at(self, kept: Kept) -> None:
        """See the class."""

    def retire(self) -> None:
        """See the class."""

    def advance(self, steps: int) -> None:
        """Move on by steps. Raises DivergenceError; state and time are then as before."""


class FleetRobot(NamedTuple):
    """A robot of several: its name, what moves it, its plant of one robot, what it covers.

    kind: what people call it.
    """

    name: str
    mover: PlanarRobot
    plant: Plant
    cover: Cover
    kind: str = 'robot'


class _Robot:
    """A robot of several, with the contacts that it has had with others."""

    def __init__(self, robot: FleetRobot) -> None:
        self.name, self.mover, self.plant, self.cover, self._kind = robot
        # Contacts with the scene when the newest with another robot began.
        self._met, self._hit_before = NO_COLLISION, 0
        # Why it cannot go on, '' if it can.
        self.failure = ''

    def note_contact(self, place: Odometry, speed: float) -> None:
        """Count a contact with another robot, if it is a new one, that it has met at a speed."""
        if not self._met.in_contact:
            scene = self.mover.collisions
            self._met = Collisions(self._met.contacts + 1, True, place.x, place.y, speed)
            self._hit_before = 0 if scene is None else scene.contacts

    def count_anew(self) -> None:
        """Forget contacts with other robots; those with the scene its mover forgets."""
        self._met, self._hit_before = NO_COLLISION, 0

    def note_free(self) -> None:
        """End the contact with another robot."""
        self._met = self._met._replace(in_contact=False)

    @property
    def is_in_contact(self) -> bool:
        """Whether it touches another robot."""
        return self._met.in_contact

    def retire(self, error: DivergenceError) -> None:
        """Stand where it is and obey nobody until it is reset, as it cannot go on."""
        at = self.mover.time_ns / NANOSECONDS
        self.failure = f'the {self._kind} stands still from {at:.6g} s on: {error}'
        self.mover.retire()

    def collisions(self) -> Collisions:
        """Contacts with the scene and with other robots."""
        scene = self.mover.collisions or NO_COLLISION
        newest = scene if scene.contacts > self._hit_before or not self._met.contacts \
            else self._met
        return newest._replace(contacts=scene.contacts + self._met.contacts,
                               in_contact=scene.in_contact or self._met.in_contact)

    def entity(self, seen: SeenByEach, index: int) -> Entity:
        """The robot by its name; seen: by all, of which it is the one of this number."""
        entity = self.plant.entities[0]
        assert entity.platform is not None
        reset_alone = entity.reset

        def reset(pose: Pose3 | None) -> Pose3:
            placed = reset_alone(pose)
            self.count_anew()
            self.failure = ''
            seen.forget()
            return placed

        odometry = entity.outputs[-1]
        others = [output for output in entity.outputs[:-1] if output.name != COLLISIONS]
        contacts = Output(
            COLLISIONS, Collisions, self.collisions, odometry.steps, odometry.frame)
        return replace(
            entity, name=self.name, outputs=(*others, contacts, odometry), reset=reset,
            inputs=tuple(unless_retired(port, lambda: self.failure) for port in entity.inputs),
            fault=lambda: self.failure or entity.fault(), retired=lambda: self.failure,
            platform=replace(entity.platform, objects=partial(seen.of, index),
                             among=partial(seen.among, index)))


class PlanarFleet(SeveralRobots):
    """Robots with names, each with what its plant of one robot shows, in one time.

    A robot that runs into another one stands where it was before, as at something that stands
    around; the other one drives on, unless it runs into the first as well. Both count a contact. A
    robot whose integration diverges stands still from then on, with that as its fault, until it is
    reset; the others go on.

    look_steps: after so many steps it is looked whether robots touch.
    """

    def __init__(self, robots: Sequence[FleetRobot], look_steps: int = 1) -> None:
        """Take over robots, which are then moved by this plant only.

        Raises ConfigurationError for none, and for robots whose times or scenes differ.
        """
        self._robots = [*map(_Robot, robots)]
        times = {(robot.mover.step_ns, robot.mover.time_ns, id(robot.mover.scene))
                 for robot in self._robots}
        if len(times) != 1:
            raise ConfigurationError(
                f'simulators of {[robot.name for robot in robots]} have {len(times)} different'
                ' steps, times and scenes, expected at least one, and one of each for all')
        # Of circles about base_link around what the robots cover [m].
        self._reach = np.array([robot.cover.reach for robot in self._robots])
        self._look_steps = look_steps
        clock = self._robots[0].mover
        seen = SeenByEach(lambda: (Objects(clock.scene.cones), [
            robot.cover.boxes(robot.mover.odometry()) for robot in self._robots]))
        super().__init__(
            clock, [robot.plant for robot in self._robots], seen,
            lambda index: self._robots[index].entity(seen, index),
            lambda: still(clock.scene.cones))

    def _surround(self, scene: Scene) -> None:
        for robot in self._robots:
            robot.count_anew()
        super()._surround(scene)

    def warm_up(self) -> None:
        """Compile all that a step and the outputs call."""
        super().warm_up()
        self._touching(self._places())

    def advance(self, steps: int) -> None:
        """Move on by whole steps.

        Raises DivergenceError if a robot that stands still already diverges; state and time are
        then as before.
        """
        # When one of them cannot, all robots are as before and do the same again.
        advance_without_lost(
            partial(self._advance, steps),
            lambda: [robot for robot in self._robots if robot.mover.has_diverged], _Robot.retire)

    def _advance(self, steps: int) -> None:
        self.seen.forget()
        # Where robots move together nothing has changed when one of them cannot.
        start = self._kept() if steps > self._look_steps else None
        try:
            while steps:
                part = min(steps, self._look_steps)
                if self._move_freely(part):
                    self._end_contacts()
                else:
                    start = start or self._kept()
                    self._move(part)
                steps -= part
        except DivergenceError:
            if start is not None:
                self._go_back(start)
            raise

    def _move_freely(self, steps: int) -> bool:
        """Move all on at once, if that can be done and none meets anything; else do nothing."""
        return False

    def _kept(self) -> list[Kept]:
        return [robot.mover.kept() for robot in self._robots]

    def _go_back(self, kept: Sequence[Kept]) -> None:
        for robot, state in zip(self._robots, kept, strict=True):
            robot.mover.go_back(state)

    def _places(self) -> list[Odometry]:
        return [robot.mover.odometry() for robot in self._robots]

    def _touching(
        self, places: Sequence[Odometry], margin: float = 0.0,
    ) -> set[tuple[int, int]]:
        """Pairs of robots that cover the same ground, wider by a margin [m]."""
        if len(places) == 1:
            return set()
        at = np.array([place[1:3] for place in places])
        apart = np.hypot(*(at[:, np.newaxis] - at).transpose(2, 0, 1))
        near = np.argwhere(np.triu(
            apart <= self._reach[:, np.newaxis] + self._reach + 2.0 * abs(margin), 1)).tolist()
        return {(one, other) for one, other in near
                if self._meet(one, places[one], other, places[other], margin)}

    def _meet(
        self, one: int, place: Odometry, other: int, there: Odometry, margin: float = 0.0,
    ) -> bool:
        """Whether a robot at a place and another one there, wider by a margin [m], overlap."""
        return self._robots[one].cover.meets(place, self._robots[other].cover, there, margin)

    def _move(self, steps: int) -> None:
        """Move on by few steps, one by one where robots meet."""
        kept, before = self._kept(), self._places()
        for robot in self._robots:
            robot.mover.advance(steps)
        # Who is in another robot was put there, and may leave.
        inside = self._touching(before, -INSIDE)
        meeting = self._touching(self._places()) - inside
        if meeting and steps > 1:
            self._go_back(kept)
            for _ in range(steps):
                self._move(1)
            return
        stopped: set[int] = set()
        # Who is put back may be where a third one has come meanwhile.
        while stopping := self._runners(meeting, before) - stopped:
            for index in stopping:
                self._robots[index].mover.stop_at(kept[index])
            stopped |= stopping
            for index in {*itertools.chain.from_iterable(meeting)}:
                place = before[index]
                self._robots[index].note_contact(place, math.hypot(place.vx, place.vy))
            meeting = self._touching(self._places()) - inside
        self._end_contacts()

    def _runners(
        self, meeting: set[tuple[int, int]], before: Sequence[Odometry],
    ) -> set[int]:
        """Robots that run into another one: into where it was, or together to one place."""
        now, found = self._places(), set[int]()
        for pair in meeting:
            into = {one for one, other in (pair, pair[::-1])
                    if self._meet(one, now[one], other, before[other])}
            found |= into or {*pair}
        return found

    def _end_contacts(self) -> None:
        """Let contacts of robots be over that have room around them."""
        if any(robot.is_in_contact for robot in self._robots):
            near = set(itertools.chain.from_iterable(
                self._touching(self._places(), 0.5 * RELEASE)))
            for index, robot in enumerate(self._robots):
                if index not in near:
                    robot.note_free()
