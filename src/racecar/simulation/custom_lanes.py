# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""Cars of a block that a compiled custom controller drives."""

from __future__ import annotations

from collections.abc import Sequence
import functools
from typing import Any, NamedTuple

import numpy as np

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
from racecar.dynamics.vehicles.interface import Command
from racecar.simulation.lanes import Answer, Lane, Reference
from racecar.simulation.model_lanes import lane_car
from racecar.simulation.simulator import Simulator


@functools.cache
def _answer(step: Any) -> Answer:
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
    """A pure step, and the kinds of its state and parameters. See LaneControl."""

    step: PureStep
    state_kind: Kind
    parameter_kind: Kind

    @property
    def state(self) -> Numbers:
        """State of the controller."""
        return self.state_kind.zeros

    @property
    def parameters(self) -> Numbers:
        """Parameters of the controller."""
        return self.parameter_kind.zeros

    @property
    def reference(self) -> CustomReference:
        """A reference with what lies ahead."""
        return NO_CUSTOM_REFERENCE

    @property
    def answer(self) -> Answer:
        """The step."""
        return _answer(self.step)

    @property
    def is_foreign(self) -> bool:
        """Always."""
        return True

    @property
    def rolling_row(self) -> None:
        """None: it does not look at the wheels."""
        return None

    def sampler(self, references: Sequence[Reference]) -> CustomReferenceSampler:
        """Sampler of the references of trajectories of one type."""
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
) -> Lane:
    """A simulator that a controller drives, as both are at present."""
    state, parameters = pure_controller.state, pure_controller.parameters
    return Lane(
        lane_car(simulator),
        CustomControl(pure_controller.step, kind_of(state), kind_of(parameters)), reference,
        state, parameters)
