# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""What references say at given times, of many trajectories of one type by one kernel."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
import itertools
from typing import Any, ClassVar

import numpy as np

from racecar.base.compiled import by_type, COMPILED, specialise, unlocked
from racecar.base.packing import Flat, Vector, vector
from racecar.control.trajectories import Trajectory


@by_type
def placed(reference: Any, origin_x: float, origin_y: float) -> Any:
    """Reference with the origin of its trajectory [m] added."""
    raise NotImplementedError


class ReferenceSampler(ABC):
    """Samples the references of trajectories of one type, by one kernel if they have one.

    size: how many numbers a reference has. kernel: with the name `motion` still to be bound, takes
    the arguments of write(), then what the constructor got as `extra`, numbers of all trajectories
    one after the other, where those of each start and those of the last one end, and room for one
    reference at each of the times.
    """

    size: ClassVar[int]
    kernel: ClassVar[Callable[..., None]]

    def __init__(self, trajectories: Sequence[Trajectory], extra: Any) -> None:
        """Take at least one trajectory; extra: what the kernel is to know besides."""
        self._trajectories = trajectories
        self._extra = extra
        self._kernel: Callable[..., None] | None = None
        of_type = trajectories[0].compiled_motion
        if of_type is None:
            return
        source = type(self).kernel
        self._kernel = specialise(
            source, f'{source.__name__}_{type(trajectories[0]).__name__}'.lstrip('_'), unlocked,
            motion=of_type)
        numbers = [trajectory.numbers for trajectory in trajectories]
        starts = [0, *itertools.accumulate(map(len, numbers))]
        self._starts: Any = np.array(starts) if COMPILED else starts
        # The numbers of one alone may be too many to copy.
        self._numbers = numbers[0] if len(numbers) == 1 else vector(
            list(itertools.chain.from_iterable(numbers)))

    @abstractmethod
    def reference(self, index: int, time: float, step: float) -> Sequence[float]:
        """Return by plain Python what the kernel says of a trajectory at a time [s]."""

    @property
    def count(self) -> int:
        """Number of trajectories."""
        return len(self._trajectories)

    def sample(self, times: Vector, steps: Vector) -> Flat:
        """Return references at each of some times [s], flat: (times, trajectories, size).

        steps: time between each one and the next [s].
        """
        references: Flat = vector(self.size * len(times) * self.count)
        self.write(references, 0, self.count, times, steps)
        return references

    def write(
        self, references: Flat, first: int, total: int, times: Vector, steps: Vector,
    ) -> None:
        """Write what sample() returns from trajectory `first` on into (times, total, size)."""
        if self._kernel is not None:
            self._kernel(references, first, total, times, steps, self._extra, self._numbers,
                         self._starts, vector(self.size * len(times)))
            return
        for i in range(self.count):
            for k, (time, step) in enumerate(zip(times, steps, strict=True)):
                at = self.size * (k * total + first + i)
                for j, number in enumerate(self.reference(i, time, step)):
                    references[at + j] = number
