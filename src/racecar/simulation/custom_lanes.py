# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""Cars of a block that a compiled custom controller drives."""

from __future__ import annotations

from collections.abc import Sequence
import functools
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from racecar.base.compiled import importable, pure
from racecar.base.errors import RunError
from racecar.base.rows import Kind, kind_of, Numbers
from racecar.base.types import AckermannCommand, CarMotion
from racecar.control.custom_controller import command_failure, failure_at, PureController, PureStep
from racecar.control.custom_reference import (
    CustomReference,
    CustomReferenceSampler,
    NO_CUSTOM_REFERENCE,
)
from racecar.control.progress import (
    car_numbers,
    LineReference,
    LineSampler,
    NO_LINE_REFERENCE,
    parameters_of,
    progress_answer,
    state_of,
)
from racecar.control.reference_sampler import ReferenceSampler
from racecar.dynamics.vehicles.interface import Command
from racecar.simulation.lanes import Answer, Lane, Reference
from racecar.simulation.model_lanes import lane_car
from racecar.simulation.simulator import Simulator


@functools.cache
def _answer(step: PureStep) -> Answer:
    # One that its author has compiled is called as it is.
    own_step = step if hasattr(step, 'py_func') else pure(step)

    @importable
    def answer(
        state: Numbers, parameters: Numbers, car: CarMotion, reference: CustomReference, dt: float,
    ) -> tuple[Numbers, Command]:
        after, speed, steering = own_step(state, parameters, car, reference.ahead, dt)
        return after, Command(float(np.float32(speed)), float(np.float32(steering)))

    return answer


class CustomControl(NamedTuple):
    """A pure step, and the kinds of state and parameters of its answer. See LaneControl.

    by_progress: whether it follows by progress.
    """

    step: PureStep
    state_kind: Kind
    parameter_kind: Kind
    by_progress: bool = False

    @property
    def state(self) -> Numbers:
        """State of the controller."""
        return self.state_kind.zeros

    @property
    def parameters(self) -> Numbers:
        """Parameters of the controller."""
        return self.parameter_kind.zeros

    @property
    def reference(self) -> CustomReference | LineReference:
        """A reference with what lies ahead, or on a line."""
        return NO_LINE_REFERENCE if self.by_progress else NO_CUSTOM_REFERENCE

    @property
    def answer(self) -> Answer:
        """The step."""
        return progress_answer(self.step) if self.by_progress else _answer(self.step)

    @property
    def is_foreign(self) -> bool:
        """Always."""
        return True

    @property
    def rolling_row(self) -> None:
        """None: it does not look at the wheels."""
        return None

    @property
    def way_row(self) -> int | None:
        """The first one, by progress."""
        return 0 if self.by_progress else None

    def sampler(self, references: Sequence[Reference]) -> ReferenceSampler:
        """Sampler of the references of trajectories of one type."""
        if self.by_progress:
            return LineSampler([r.trajectory for r in references])
        return CustomReferenceSampler(
            [r.trajectory for r in references], [r.preview for r in references])

    def failure(self, error: Exception, time: float) -> RunError:
        """Error of the car that was asked last."""
        return failure_at(error, time)

    def message(self, command: AckermannCommand, time: float) -> str:
        """What a car says that commanded what is not finite."""
        return command_failure(command, time)


def custom_lane(
    simulator: Simulator, pure_controller: PureController, reference: Reference,
    tracked_ahead: float = 0.0,
) -> Lane:
    """A simulator that a controller drives, as both are at present.

    tracked_ahead: how far the point of the car that is to be on the path lies ahead of base_link
    [m]. Raises ConfigurationError for a controller by progress on what is no line.
    """
    state, parameters = pure_controller.state, pure_controller.parameters
    progress = pure_controller.progress
    numbers: tuple[float, ...] | NDArray[np.float64] = ()
    if progress is not None:
        state, parameters = state_of(state), parameters_of(progress, parameters)
        numbers = car_numbers(progress, reference.trajectory, tracked_ahead)
    return Lane(
        lane_car(simulator),
        CustomControl(pure_controller.step, kind_of(state), kind_of(parameters),
                      progress is not None), reference, state, parameters, numbers)
