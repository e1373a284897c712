# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""Cars of a block that tracker and law drive."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple

import numpy as np

from racecar.base.compiled import njit, specialise, unbound
from racecar.base.errors import RunError
from racecar.base.packing import Flat, packing
from racecar.control.linearizer import Linearizer, SteeringState
from racecar.control.target import load_target, store_target, TARGET_SIZE, TargetSampler
from racecar.control.tracker_step import (
    placed_target,
    TrackerParameters,
    TrackerState,
    TrackerStep,
)
from racecar.simulation.batch_kernels import (
    COMMAND_SPEED,
    COMMAND_STEERING,
    CONTROL,
    CONTROL_STATE,
    LANES,
    ORIGIN_X,
    ORIGIN_Y,
    REFERENCE,
    seen_car,
    STARTED,
    TARGET,
)
from racecar.simulation.lanes import LaneKernels, Reference
from racecar.simulation.metrics.tracking_error import Array

load_tracker_state, store_tracker_state, _TRACKER_STATE = packing(TrackerState)
load_tracker, _, _TRACKER = packing(TrackerParameters)
load_law_state, store_law_state, _LAW_STATE = packing(SteeringState)

# Rows of the control: first those of the tracker, then those of the law.
_LAW_AT = CONTROL_STATE + _TRACKER_STATE
_LAW = CONTROL + _TRACKER


@njit
def _place_targets(
    parameters: Flat, scratch: Flat, count: int, references: Flat, first: int,
) -> None:
    for i in range(count):
        reference = int(parameters[REFERENCE * LANES + i])
        store_target(scratch, TARGET * LANES + i, LANES, placed_target(
            references, first + TARGET_SIZE * reference, 1,
            parameters[ORIGIN_X * LANES + i], parameters[ORIGIN_Y * LANES + i]))


tracker_step = law_step = load_law = unbound


def _control_all(
    state: Flat, parameters: Flat, scratch: Flat, count: int, period: float, tick: int,
) -> None:
    for i in range(count):
        car = seen_car(scratch, i)
        since = period if state[STARTED * LANES + i] > 0.0 else 0.0
        tracker_state, vx, vy, _, _ = tracker_step(
            load_tracker_state(state, CONTROL_STATE * LANES + i, LANES),
            load_tracker(parameters, CONTROL * LANES + i, LANES), car,
            load_target(scratch, TARGET * LANES + i, LANES), since)
        store_tracker_state(state, CONTROL_STATE * LANES + i, LANES, tracker_state)
        state[STARTED * LANES + i] = 1.0
        law_state, speed, steering = law_step(
            load_law_state(state, _LAW_AT * LANES + i, LANES),
            load_law(parameters, _LAW * LANES + i, LANES), car, vx, vy, since)
        store_law_state(state, _LAW_AT * LANES + i, LANES, law_state)
        scratch[COMMAND_SPEED * LANES + i] = float(np.float32(speed))
        scratch[COMMAND_STEERING * LANES + i] = float(np.float32(steering))


class StockControl(NamedTuple):
    """Tracker and law; is_exact: as in TrajectoryTracker. See LaneControl."""

    law: type[Linearizer]
    step: TrackerStep
    is_exact: bool

    @property
    def name(self) -> str:
        """Name for copies of kernels."""
        return f'{self.step.__name__}_{self.law.__name__}'

    @property
    def state_size(self) -> int:
        """Rows of both states."""
        return _TRACKER_STATE + _LAW_STATE

    @property
    def parameter_size(self) -> int:
        """Rows of both parameters."""
        return _TRACKER + packing(self.law.parameter_type).size

    @property
    def reference_size(self) -> int:
        """Numbers of Target."""
        return TARGET_SIZE

    @property
    def is_foreign(self) -> bool:
        """Never."""
        return False

    def kernels(self) -> LaneKernels:
        """Bind law and step of the tracker."""
        control: Callable[..., None] = specialise(
            _control_all, f'control_all_{self.name}', tracker_step=self.step,
            law_step=self.law.step, load_law=packing(self.law.parameter_type).load)
        return LaneKernels(_place_targets, control)

    def sampler(self, references: Sequence[Reference]) -> TargetSampler:
        """Return what samples the targets of trajectories of one type."""
        return TargetSampler([r.trajectory for r in references], exact=self.is_exact)

    def failures(self, state: Array, period: float) -> Mapping[int, str]:
        """Nothing fails."""
        return {}

    def failure(self, error: Exception, state: Array, period: float) -> RunError | None:
        """Nothing fails."""
        return None
