# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""Cars of a block that tracker and law drive, those of differential-drive robots too."""

from __future__ import annotations

from collections.abc import Callable, Sequence
import functools
from typing import NamedTuple

import numpy as np

from racecar.base.compiled import importable, pure
from racecar.base.errors import RunError
from racecar.base.rows import Numbers, zeros_of
from racecar.base.types import AckermannCommand, CarMotion
from racecar.control.linearizer import LawStep, Linearizer, SteeringState
from racecar.control.point_ahead import PointAheadLinearizer
from racecar.control.target import NO_TARGET, Target, TargetSampler
from racecar.control.tracker_step import (
    NO_PARAMETERS,
    NO_STATE,
    TrackerParameters,
    TrackerState,
    TrackerStep,
)
from racecar.dynamics.vehicles.interface import Command
from racecar.simulation.lanes import Answer, Reference


class StockState(NamedTuple):
    """What tracker and law remember."""

    tracker: TrackerState
    law: SteeringState


class StockParameters(NamedTuple):
    """Parameters of tracker and law."""

    tracker: TrackerParameters
    law: Numbers


Carried = Callable[[float, float], Numbers]
"""Pure function that gives the command, as its message carries it, for what a law answers."""


@pure
def ackermann(speed: float, steering_angle: float) -> Command:
    """Command in single precision."""
    return Command(float(np.float32(speed)), float(np.float32(steering_angle)))


@functools.cache
def _answer(
    tracker_step: TrackerStep, law_step: LawStep, carried: Carried,
) -> Answer:
    @importable
    def answer(
        state: StockState, parameters: StockParameters, car: CarMotion, target: Target, dt: float,
    ) -> tuple[StockState, Numbers]:
        tracker, vx, vy, _, _ = tracker_step(state.tracker, parameters.tracker, car, target, dt)
        law, speed, steering = law_step(state.law, parameters.law, car, vx, vy, dt)
        return StockState(tracker, law), carried(speed, steering)

    return answer


class StockControl(NamedTuple):
    """Tracker and law; is_exact: as in TrajectoryTracker. See LaneControl."""

    law: type[Linearizer | PointAheadLinearizer]
    step: TrackerStep
    is_exact: bool
    carried: Carried = ackermann

    @property
    def state(self) -> StockState:
        """Both states."""
        return StockState(NO_STATE, SteeringState(0.0))

    @property
    def parameters(self) -> StockParameters:
        """Both parameters."""
        return StockParameters(NO_PARAMETERS, zeros_of(self.law.parameter_type))

    @property
    def reference(self) -> Target:
        """A target."""
        return NO_TARGET

    @property
    def answer(self) -> Answer:
        """Step of the tracker, then that of the law."""
        return _answer(self.step, self.law.step, self.carried)

    @property
    def is_foreign(self) -> bool:
        """Never."""
        return False

    @property
    def rolling_row(self) -> None:
        """None: it does not look at the wheels."""
        return None

    @property
    def way_row(self) -> None:
        """None: it follows by time."""
        return None

    def sampler(self, references: Sequence[Reference]) -> TargetSampler:
        """Sampler of the targets of trajectories of one type."""
        return TargetSampler([r.trajectory for r in references], exact=self.is_exact)

    def failure(self, error: Exception, time: float) -> RunError | None:
        """Nothing fails."""
        return None

    def message(self, command: AckermannCommand, time: float) -> str:
        """Nothing fails."""
        return ''
