# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""How the cars of a block are driven: what the loop of one car tells the block it joins."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from typing import Any, NamedTuple, Protocol

from racecar.base.errors import RunError
from racecar.base.types import AckermannCommand
from racecar.control.reference_sampler import ReferenceSampler
from racecar.control.trajectories import Trajectory


class Reference(NamedTuple):
    """A trajectory, and how far ahead in time the controller sees it [s]."""

    trajectory: Trajectory
    preview: float = 0.0


class LaneControl(Hashable, Protocol):
    """What drives the cars of a block; cars of equal controls may share one.

    state, parameters, reference: examples of the NamedTuples that it takes; of the reference x and
    y [m] come first. answer(state, parameters, car, reference, dt): pure function that gives the
    next state and the Command as the message carries it; car: CarMotion as its odometry says; dt:
    since the answer before [s], 0 at the first. is_foreign: whether code of the user's runs in it,
    which may fail.
    """

    @property
    def state(self) -> Any:
        """Example of its state."""

    @property
    def parameters(self) -> Any:
        """Example of its parameters."""

    @property
    def reference(self) -> Any:
        """Example of what it follows."""

    @property
    def answer(self) -> Callable[..., Any]:
        """Pure function, see the class."""

    @property
    def is_foreign(self) -> bool:
        """Whether code of the user's runs in it."""

    def sampler(self, references: Sequence[Reference]) -> ReferenceSampler:
        """Sampler of references whose trajectories are of one type, at least one."""

    def failure(self, error: Exception, time: float) -> RunError | None:
        """What to raise for what a control raised at a time [s]; None if no car failed."""

    def message(self, command: AckermannCommand, time: float) -> str:
        """What a car says that commanded this, which is not finite, at a time [s]."""


class Lane(NamedTuple):
    """One car for a block: how it is driven, what it follows, and the numbers of its controller.

    state, parameters: NamedTuples like the examples of the control.
    """

    control: LaneControl
    reference: Reference
    state: Any
    parameters: Any
