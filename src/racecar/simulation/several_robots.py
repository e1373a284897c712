# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""What plants of several robots have in common, in the plane and in the 3-D world."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Protocol, TypeVar

from racecar.base.errors import DivergenceError
from racecar.base.types import BodyState
from racecar.scene.scene import Scene
from racecar.scene.seen_by_each import SeenByEach
from racecar.simulation.ports import Entity, Plant, Scenery


class CanFail(Protocol):
    """A robot of several; failure: why it stands until it is reset, '' if it does not."""

    failure: str


Robot = TypeVar('Robot', bound=CanFail)


def advance_without_lost(
    move: Callable[[], None], find_lost: Callable[[], Sequence[Robot]],
    retire: Callable[[Robot, DivergenceError], None],
) -> None:
    """Move all robots on; those whose motion cannot be computed are retired, and the others go on.

    move: raises DivergenceError if it cannot, with all as before; find_lost: robots that are why.
    Raises that error where one of them stands already, and where there is none.
    """
    while True:
        try:
            move()
            return
        except DivergenceError as error:
            lost = find_lost()
            if not lost or any(robot.failure for robot in lost):
                raise
            for robot in lost:
                retire(robot, error)


class Clock(Protocol):
    """One of the robots, whose time and scene are those of all."""

    @property
    def step_ns(self) -> int:
        """Length of a step [ns]."""

    @property
    def time_ns(self) -> int:
        """Simulated time since the start [ns]."""

    @property
    def scene(self) -> Scene:
        """What stands around."""


class SeveralRobots:
    """Robots with names, each with what its plant of one robot shows, in one time.

    seen: what each sees of what can move.
    """

    def __init__(
        self, clock: Clock, plants: Sequence[Plant], seen: SeenByEach,
        make_entity: Callable[[int], Entity], loose: Callable[[], Sequence[BodyState]],
    ) -> None:
        """Take over the plants of single robots.

        make_entity: gives the robot of a number as it is shown; loose: see Scenery.
        """
        self._clock, self._plants, self.seen = clock, tuple(plants), seen
        self._make_entity, self._loose = make_entity, loose
        self._show()

    def _show(self) -> None:
        self.seen.forget()
        self._entities = tuple(map(self._make_entity, range(len(self._plants))))

    @property
    def step_ns(self) -> int:
        """Length of an integration step [ns]."""
        return self._clock.step_ns

    @property
    def time_ns(self) -> int:
        """Simulated time since the start [ns]."""
        return self._clock.time_ns

    @property
    def entities(self) -> Sequence[Entity]:
        """The robots."""
        return self._entities

    @property
    def scenery(self) -> Scenery:
        """What stands around the robots, which can be replaced."""
        return Scenery(lambda: self._clock.scene, self._surround, self._loose)

    def _surround(self, scene: Scene) -> None:
        for plant in self._plants:
            assert plant.scenery is not None
            plant.scenery.replace(scene)
        self._show()

    def restart(self) -> None:
        """Let the time begin at 0 again, and random numbers with it; the robots stay."""
        for plant in self._plants:
            plant.restart()
        self.seen.forget()

    def warm_up(self) -> None:
        """Compile all that a step and the outputs call."""
        for plant in self._plants:
            plant.warm_up()
