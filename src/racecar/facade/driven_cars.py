# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""Cars of one plant without ROS: what each shows, what its driver looks at, and when."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Protocol

from racecar.base.readings import LaserScan
from racecar.base.types import AckermannCommand, BodyState, Odometry
from racecar.base.values import Values
from racecar.control.gap_following import GapFollower
from racecar.dynamics.vehicles.parameters import VehicleParameters
from racecar.simulation.ports import (
    Entity,
    GROUND_TRUTH,
    ODOMETRY,
    Output,
    Plant,
)
from racecar.simulation.reckoned_plant import is_reckoned

LASER = 'laser'
"""Output of the laser by which a car may be driven."""


class Driver(Protocol):
    """Drives a car; answers to a LaserScan or an Odometry, whichever it looks at."""

    def answer(self, seen: object) -> AckermannCommand:
        """Command for what is seen. Raises RunError for a controller that fails."""

    def restart(self) -> None:
        """Forget what was before, because the car has been put elsewhere."""


class GapDriver:
    """Drives by the laser: the law of the node gap_follower."""

    def __init__(self, values: Values) -> None:
        """values: of all parameters of the node."""
        self._law = GapFollower(values, VehicleParameters.from_values(values))

    def answer(self, seen: object) -> AckermannCommand:
        """Command for a LaserScan, which is seen as a message has it."""
        assert isinstance(seen, LaserScan)
        return self._law.command(seen.in_single_precision())

    def restart(self) -> None:
        """Nothing, as it has no memory."""


class SeenCar:
    """A car of a plant: its true motion, what its driver looks at, and its commands.

    truth: output of the true motion; sight: of what the driver answers.
    """

    def __init__(self, entity: Entity, values: Values, *, sees_laser: bool) -> None:
        """values: of all parameters of its simulator; sees_laser: else it sees the odometry."""
        self.entity = entity
        self._is_reckoned, self._sees_laser = is_reckoned(values), sees_laser
        self.truth = entity.output(GROUND_TRUTH if self._is_reckoned else ODOMETRY)
        self.sight = entity.output(LASER if sees_laser else ODOMETRY)
        self.apply = next(port.apply for port in entity.inputs
                          if port.value_type is AckermannCommand)

    def state(self) -> BodyState:
        """Its true motion."""
        found: BodyState = self.truth.read()
        return found

    def see(self, time_ns: int) -> LaserScan | Odometry:
        """What its driver looks at now."""
        if self._sees_laser:
            scan: LaserScan = self.sight.read()
            return scan
        seen = self.sight.read()
        return Odometry.of_body(time_ns, seen.body if self._is_reckoned else seen)


def instants(plant: Plant, outputs: Sequence[Output]) -> Iterator[int]:
    """Move a plant from one time at which an output is due to the next, and give each [ns].

    The first is the present one. Raises DivergenceError as the plant does.
    """
    while True:
        yield plant.time_ns
        step = plant.time_ns // plant.step_ns
        plant.advance(min(output.steps_ahead(step) for output in outputs))
