# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""How the cars of a block are driven: what the loop of one car tells the block it joins."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping, Sequence
from typing import NamedTuple, Protocol

from racecar.base.errors import RunError
from racecar.control.reference_sampler import ReferenceSampler
from racecar.control.trajectories import Trajectory
from racecar.simulation.metrics.tracking_error import Array


class Reference(NamedTuple):
    """A trajectory, and how far ahead in time the controller sees it [s]."""

    trajectory: Trajectory
    preview: float = 0.0


class LaneKernels(NamedTuple):
    """Kernels that do one thing to all cars of a block, in the rows of batch_kernels.

    place_all(parameters, scratch, count, references, first): fetches the reference of each car,
    those of the tick begin at `first`, and places it in the map; control_all(state, parameters,
    scratch, count, period, tick): answers the odometry with the command as the message carries it.
    """

    place_all: Callable[..., None]
    control_all: Callable[..., None]


class LaneControl(Hashable, Protocol):
    """What drives the cars of a block; cars of equal controls may share one.

    name: of copies of kernels. state_size, parameter_size: rows that it takes from CONTROL_STATE
    and CONTROL on; reference_size: numbers of a reference, of which x and y come first.
    is_foreign: whether code of the user's runs in it, which may fail.
    """

    @property
    def name(self) -> str:
        """Name for copies of kernels."""

    @property
    def state_size(self) -> int:
        """Rows of its state."""

    @property
    def parameter_size(self) -> int:
        """Rows of its parameters."""

    @property
    def reference_size(self) -> int:
        """Numbers of a reference."""

    @property
    def is_foreign(self) -> bool:
        """Whether code of the user's runs in it."""

    def kernels(self) -> LaneKernels:
        """Return its kernels."""

    def sampler(self, references: Sequence[Reference]) -> ReferenceSampler:
        """Return what samples references whose trajectories are of one type, at least one."""

    def failures(self, state: Array, period: float) -> Mapping[int, str]:
        """Return what cars say whose controller failed, by number; period: of a tick [s].

        state: rows from CONTROL_STATE on, (state_size, cars).
        """

    def failure(self, error: Exception, state: Array, period: float) -> RunError | None:
        """Return what to raise for what a kernel raised; None if that is no failure of a car.

        state, period: as in failures().
        """


class Lane(NamedTuple):
    """One car for a block: how it is driven, what it follows, and the numbers of its controller.

    state, parameters: to lie in the rows of the control.
    """

    control: LaneControl
    reference: Reference
    state: Sequence[float]
    parameters: Sequence[float]
