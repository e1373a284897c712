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
    laser_of,
    ODOMETRY,
    Output,
    Plant,
)
from racecar.simulation.reckoned_plant import is_reckoned


class Driver(Protocol):
    """Drives a car; answers to odometry and, if it looks at them, to scans."""

    def see(self, scan: LaserScan, now_ns: int) -> AckermannCommand | None:
        """Command for a scan of a time [ns], None for none. Raises RunError as answer()."""

    def answer(self, odometry: Odometry) -> AckermannCommand | None:
        """Command for odometry, None for none. Raises RunError for a controller that fails."""

    def restart(self) -> None:
        """Forget what was before, because the car has been put elsewhere."""


class GapDriver:
    """Drives by the laser: the law of the node gap_follower."""

    def __init__(self, values: Values) -> None:
        """values: of all parameters of the node."""
        self._law = GapFollower(values, VehicleParameters.from_values(values))

    def see(self, scan: LaserScan, now_ns: int) -> AckermannCommand:
        """Command for a scan, which is seen as a message has it."""
        return self._law.command(scan.in_single_precision())

    def answer(self, odometry: Odometry) -> None:
        """Nothing: it looks at scans alone."""

    def restart(self) -> None:
        """Nothing, as it has no memory."""


class SeenCar:
    """A car of a plant: its true motion, what its driver looks at, and its commands.

    truth: output of the true motion; odometry, laser: of what its driver looks at, None for a
    laser that it does not.
    """

    def __init__(self, entity: Entity, values: Values, *, sees_laser: bool) -> None:
        """values: of all parameters of its simulator; sees_laser: else the odometry alone."""
        self.entity = entity
        self._is_reckoned = is_reckoned(values)
        self.truth = entity.output(GROUND_TRUTH if self._is_reckoned else ODOMETRY)
        self.odometry = entity.output(ODOMETRY)
        self.laser = laser_of(entity) if sees_laser else None
        self.apply = next(port.apply for port in entity.inputs
                          if port.value_type is AckermannCommand)

    def state(self) -> BodyState:
        """Its true motion."""
        found: BodyState = self.truth.read()
        return found

    @property
    def sights(self) -> list[Output]:
        """Outputs that its driver looks at."""
        return [self.odometry] if self.laser is None else [self.odometry, self.laser]

    def ask(self, driver: Driver, time_ns: int, step: int) -> AckermannCommand | None:
        """Command of its driver for what is due at a time, which is now; scans come first.

        step: of the plant. Raises RunError for a controller that fails.
        """
        command = None
        if self.laser is not None and self.laser.is_due(step):
            command = driver.see(self.laser.read(), time_ns)
        if self.odometry.is_due(step):
            answer = driver.answer(self._seen(time_ns))
            command = command if answer is None else answer
        return command

    def _seen(self, time_ns: int) -> Odometry:
        seen = self.odometry.read()
        return Odometry.of_body(time_ns, seen.body if self._is_reckoned else seen)


def instants(plant: Plant, outputs: Sequence[Output]) -> Iterator[int]:
    """Move a plant from one time at which an output is due to the next, and give each [ns].

    The first is the present one. Raises DivergenceError as the plant does.
    """
    while True:
        yield plant.time_ns
        step = plant.time_ns // plant.step_ns
        plant.advance(min(output.steps_ahead(step) for output in outputs))
