# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""Cars of a block that a compiled controller of one's own drives."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
import math
from typing import NamedTuple

from racecar.base.compiled import njit, specialise, unbound
from racecar.base.errors import RunError
from racecar.base.packing import Flat, packing
from racecar.base.types import AckermannCommand
from racecar.control.own_controller import command_failure, failure_at, PureController, PureStep
from racecar.control.own_driver import own_command_kernel, step_name
from racecar.control.own_reference import (
    load_own_reference,
    OWN_REFERENCE_SIZE,
    OwnReferenceSampler,
    placed_own_reference,
    store_ahead,
)
from racecar.simulation.batch_kernels import (
    COMMAND_SPEED,
    COMMAND_STEERING,
    CONTROL,
    CONTROL_STATE,
    DIVERGED,
    LANES,
    ORIGIN_X,
    ORIGIN_Y,
    REFERENCE,
    seen_car,
    STARTED,
    TARGET,
)
from racecar.simulation.lanes import Lane, LaneKernels, Reference
from racecar.simulation.metrics.tracking_error import Array

# Rows of the control: the tick at which the controller was asked last, that at which it commanded
# what is not finite, or -1, and this command; then those of the controller.
_ASKED, _FAILED, _FAILED_SPEED, _FAILED_STEERING, _OWN = range(CONTROL_STATE, CONTROL_STATE + 5)
_AT_START = (0.0, -1.0, 0.0, 0.0)


@njit
def _place_own(
    parameters: Flat, scratch: Flat, count: int, references: Flat, first: int,
) -> None:
    for i in range(count):
        reference = int(parameters[REFERENCE * LANES + i])
        at = TARGET * LANES + i
        scratch[at], scratch[at + LANES], ahead = placed_own_reference(
            references, first + OWN_REFERENCE_SIZE * reference,
            parameters[ORIGIN_X * LANES + i], parameters[ORIGIN_Y * LANES + i])
        store_ahead(scratch, at + 2 * LANES, LANES, ahead)


own_command = unbound


def _control_own(
    state: Flat, parameters: Flat, scratch: Flat, count: int, period: float, tick: int,
) -> None:
    for i in range(count):
        # Alone, a car that has diverged or failed is not asked any more.
        if state[DIVERGED * LANES + i] >= 0.0:
            continue
        state[_ASKED * LANES + i] = float(tick)
        since = period if state[STARTED * LANES + i] > 0.0 else 0.0
        state[STARTED * LANES + i] = 1.0
        speed, steering = own_command(
            state, _OWN * LANES + i, parameters, CONTROL * LANES + i, LANES,
            seen_car(scratch, i), load_own_reference(scratch, TARGET * LANES + i, LANES).ahead,
            since)
        scratch[COMMAND_SPEED * LANES + i] = speed
        scratch[COMMAND_STEERING * LANES + i] = steering
        if not (math.isfinite(speed) and math.isfinite(steering)):
            state[DIVERGED * LANES + i] = state[_FAILED * LANES + i] = float(tick)
            state[_FAILED_SPEED * LANES + i] = speed
            state[_FAILED_STEERING * LANES + i] = steering


class OwnControl(NamedTuple):
    """A pure step, and the types of its state and parameters. See LaneControl."""

    step: PureStep
    state: type[tuple[float, ...]]
    parameters: type[tuple[float, ...]]

    @property
    def name(self) -> str:
        """Name for copies of kernels."""
        return step_name(self.step)

    @property
    def state_size(self) -> int:
        """Rows of what is told of failures, and of the state."""
        return len(_AT_START) + packing(self.state).size

    @property
    def parameter_size(self) -> int:
        """Rows of the parameters."""
        return packing(self.parameters).size

    @property
    def reference_size(self) -> int:
        """Numbers of OwnReference."""
        return OWN_REFERENCE_SIZE

    @property
    def is_foreign(self) -> bool:
        """Always."""
        return True

    def kernels(self) -> LaneKernels:
        """Bind the step."""
        return LaneKernels(_place_own, specialise(
            _control_own, f'control_all_{self.name}',
            own_command=own_command_kernel(self.step, self.state, self.parameters)))

    def sampler(self, references: Sequence[Reference]) -> OwnReferenceSampler:
        """Return what samples the references of trajectories of one type."""
        return OwnReferenceSampler(
            [r.trajectory for r in references], [r.preview for r in references])

    def failures(self, state: Array, period: float) -> Mapping[int, str]:
        """Return what cars say that commanded what is not finite; see LaneControl."""
        _, ticks, speeds, steering_angles = state[:len(_AT_START)].tolist()
        return {
            car: command_failure(AckermannCommand(speed, steering_angle), tick * period)
            for car, (tick, speed, steering_angle) in enumerate(
                zip(ticks, speeds, steering_angles, strict=True)) if tick >= 0.0}

    def failure(self, error: Exception, state: Array, period: float) -> RunError:
        """Return the error of the car that was asked last; see LaneControl."""
        return failure_at(error, float(state[0].max()) * period)


def own_lane(pure: PureController, reference: Reference) -> Lane:
    """Return a car that a controller drives, as it is at the start."""
    return Lane(
        OwnControl(pure.step, type(pure.state), type(pure.parameters)), reference,
        (*_AT_START, *pure.state), pure.parameters)
