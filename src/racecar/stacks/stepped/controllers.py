# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""Autonomous controllers: tracker and law, gap follower."""

from __future__ import annotations

from collections.abc import Callable, Mapping
import math
from typing import Any, NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from racecar.base.readings import LaserScan
from racecar.base.types import AckermannCommand, BodyTwist, Odometry, PlanarVelocity
from racecar.base.values import Values
from racecar.control.gap_following import GapFollower
from racecar.control.linearizer import POINT_TOLERANCE
from racecar.control.tracker import TrajectoryTracker
from racecar.control.trajectories import sample_path
from racecar.dynamics.vehicles.parameters import VehicleParameters
from racecar.stacks.node_description import NodeDescription
from racecar.stacks.stepped.local_node import LocalNode, Log


class Answer(NamedTuple):
    """A command, and where the reference is, if there is one."""

    command: Any
    reference: Odometry | None = None


class Law(Protocol):
    """What the tracker asks of a law; see racecar.control.linearizer.Linearizer."""

    @property
    def tracked_ahead(self) -> float:
        """How far ahead of base_link the point lies that it is exact for [m]."""

    def tune(self, values: Values) -> None:
        """Take over other values."""

    def warm_up(self) -> None:
        """Compile all that a command calls."""

    def command(
        self, odometry: Odometry, velocity: PlanarVelocity,
    ) -> AckermannCommand | BodyTwist:
        """Command for the wanted velocity of P."""


class LocalLaw(LocalNode):
    """A linearizer."""

    def __init__(
        self, description: NodeDescription, make: Callable[[Values], Law], log: Log,
    ) -> None:
        """make: builds the law from values. Raises ParameterError."""
        super().__init__(description, log)
        self.law = make(self.values)
        self.law.warm_up()

    def on_value_changed(self, name: str) -> None:
        """Apply it at once."""
        self.law.tune(self.values)


class LocalTracker(LocalNode):
    """Tracks a trajectory.

    law: turns its velocities into commands; starts: how often the trajectory has begun.
    """

    def __init__(self, description: NodeDescription, law: LocalLaw, log: Log) -> None:
        """Raise ParameterError for a trajectory that cannot be."""
        super().__init__(description, log)
        self.law = law
        self._tracker = TrajectoryTracker(self.values)
        self._tracker.warm_up()
        self.starts = 0
        self._is_torn = self._owes_stop = False

    @property
    def tracked_ahead(self) -> float:
        """How far ahead of base_link the point lies that follows the reference [m]."""
        return self._tracker.tracked_ahead

    @property
    def path(self) -> NDArray[np.float64]:
        """Path of the reference as it has begun, (n, 2) [m]."""
        return np.array([pose[:2] for pose in sample_path(self._tracker.trajectory)]) \
            + self._tracker.origin

    def check_values(self, values: Mapping[str, object]) -> None:
        """Raise ParameterError if the parameters of the trajectory contradict each other."""
        TrajectoryTracker(values).warm_up()

    def on_value_changed(self, name: str) -> None:
        """Apply gains at once, and a changed trajectory once it is made active again."""
        self._tracker.tune(self.values)
        if name == 'active':
            self._owes_stop = not self.values['active']
            self.start_anew()

    def start_anew(self) -> None:
        """Begin the trajectory where the car is, once it is active."""
        self._tracker = TrajectoryTracker(self.values)

    def answer(self, odometry: Odometry) -> Answer | None:
        """Command for an odometry; while it is inactive one that stops the car, and no more."""
        if not self.values['active']:
            if not self._owes_stop:
                return None
            self._owes_stop = False
            return Answer(self.law.law.command(odometry, PlanarVelocity(0.0, 0.0)))
        self.starts += not self._tracker.started
        output = self._tracker.update(odometry)
        heading = None if output.attitude is None else output.attitude.heading
        velocity = PlanarVelocity(0.0, 0.0) if self._misses_point() else output.velocity
        return Answer(self.law.law.command(odometry, velocity),
                      output.reference.as_odometry(odometry.time_ns, heading))

    def _misses_point(self) -> bool:
        """Whether tracker and law place P at different points, for which the car is stopped."""
        distance, epsilon = self.values['PL_distance'], self.law.values['epsilon']
        before, self._is_torn = self._is_torn, not math.isclose(
            distance, epsilon, rel_tol=0.0, abs_tol=POINT_TOLERANCE)
        if self._is_torn and not before:
            self.log('error', f'the car is stopped: PL_distance of the tracker is {distance:g} m,'
                              f' epsilon of the law is {epsilon:g} m: set both to one value')
        return self._is_torn


class LocalGapFollower(LocalNode):
    """Answers each scan with a command towards the widest open way."""

    def __init__(self, description: NodeDescription, log: Log) -> None:
        """Raise ParameterError for a vehicle that cannot be."""
        super().__init__(description, log)
        self._law = GapFollower(self.values, VehicleParameters.from_values(self.values))

    def on_value_changed(self, name: str) -> None:
        """Apply it at once."""
        self._law.tune(self.values)

    def answer(self, scan: LaserScan) -> AckermannCommand:
        """Command for a scan, which is seen as a message has it."""
        return self._law.command(scan.in_single_precision())
