# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""What plants have in common that show the robots of another plant otherwise."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from functools import partial

from racecar.scene.scene import Scene
from racecar.simulation.ports import Plant, Scenery


class WrappedPlant(ABC):
    """A plant around another one, whose time and surroundings it has.

    A subclass has entities, and advance() where something is to be done in between.
    """

    def __init__(self, plant: Plant) -> None:
        """Take over the plant, which is then moved by this one only."""
        self._plant = plant

    @abstractmethod
    def _take_entities(self, scene: Scene) -> None:
        """Show the entities of the plant, whose outputs may be others in other surroundings."""

    @property
    def step_ns(self) -> int:
        """Length of an integration step [ns]."""
        return self._plant.step_ns

    @property
    def time_ns(self) -> int:
        """Simulated time since the start [ns]."""
        return self._plant.time_ns

    @property
    def scenery(self) -> Scenery | None:
        """What stands around the robots, where it can be replaced."""
        found = self._plant.scenery
        return None if found is None else found._replace(
            replace=partial(self._surround, found.replace))

    def _surround(self, change: Callable[[Scene], None], scene: Scene) -> None:
        change(scene)
        self._take_entities(scene)

    def restart(self) -> None:
        """Let the time begin at 0 again, and random numbers with it; the robots stay."""
        self._plant.restart()

    def warm_up(self) -> None:
        """Do what would hold up the first step."""
        self._plant.warm_up()
