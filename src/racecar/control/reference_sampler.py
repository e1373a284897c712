# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""What references say at given times, of many trajectories of one type by one kernel."""

from __future__ import annotations

from collections.abc import Callable, Sequence
import functools
import itertools
from typing import Any

import numpy as np
from numpy.typing import NDArray

from racecar.base.compiled import by_type, compiled, has_compiler, importable
from racecar.base.rows import count_numbers, load, Numbers, Part, store
from racecar.base.vectors import Flat, Vector, vector
from racecar.control.trajectories import Trajectory
from racecar.control.trajectories.base import ClosedForm

# Times whose references are sampled side by side.
_TIMES = 128


@by_type
def placed(reference: Numbers, origin_x: float, origin_y: float) -> Any:
    """Reference with the origin of its trajectory [m] added."""
    raise NotImplementedError


SampledReference = Callable[[float, float, float, Vector], Numbers]
"""Pure function that gives a reference, a NamedTuple.

Of the time [s], that until the next one [s], how far ahead the controller sees [s], and the
numbers of the trajectory.
"""


@functools.cache
def _sampling_kernel(sampled: SampledReference, example: Numbers) -> Callable[..., None]:
    """Compiled loop that fills `references` as ReferenceSampler.write() says.

    place: first and total there; clock: times and steps; trajectories: previews [s], numbers of
    all of them, one after the other, where those of each begin and those of the last one end;
    rows: room for the references at _TIMES times.
    """
    wide, single, size = Part(example, 0, _TIMES), Part(example), count_numbers(example)

    def sample(
        references: Flat, place: tuple[int, int], clock: tuple[Vector, Vector],
        trajectories: tuple[Vector, Vector, Sequence[int]], rows: Flat,
    ) -> None:
        (first, total), (times, steps), (previews, numbers, starts) = place, clock, trajectories
        for i in range(len(previews)):
            own, preview = numbers[starts[i]:starts[i + 1]], previews[i]
            for begin in range(0, len(times), _TIMES):
                count = min(_TIMES, len(times) - begin)
                stamps, lengths = times[begin:begin + count], steps[begin:begin + count]
                # Rows first: numbers of one kind side by side, so that the loop vectorises.
                for k in range(count):
                    store(rows, wide, k, sampled(stamps[k], lengths[k], preview, own))
                for k in range(count):
                    store(references, single, size * ((begin + k) * total + first + i),
                          load(rows, wide, k))

    return compiled(sample, '(float64[::1], UniTuple(int64, 2), UniTuple(float64[::1], 2),'
                            ' Tuple((float64[::1], float64[::1], int64[::1])), float64[::1])')


class ReferenceSampler:
    """Samples the references of trajectories of one type, by a kernel if the type is pure."""

    def __init__(
        self, trajectories: Sequence[Trajectory], previews: Sequence[float], example: Numbers,
        sampled_from: Callable[[ClosedForm], SampledReference],
    ) -> None:
        """Take at least one trajectory.

        previews: how far ahead the controller sees each one [s]; example: of a reference;
        sampled_from: gives the reference for a motion, a closure over it.
        """
        self._trajectories = trajectories
        self._previews = vector(previews)
        self._example = example
        self._sampled_from = sampled_from
        self._size = count_numbers(example)

    @property
    def count(self) -> int:
        """Number of trajectories."""
        return len(self._trajectories)

    def sample(self, times: Vector, steps: Vector) -> Flat:
        """References at each of some times [s], flat: (times, trajectories, numbers of one).

        steps: time between each one and the next [s].
        """
        references: Flat = vector(self._size * len(times) * self.count)
        self.write(references, 0, self.count, times, steps)
        return references

    def write(
        self, references: Flat, first: int, total: int, times: Vector, steps: Vector,
    ) -> None:
        """Write what sample() returns from trajectory `first` on into (times, total, ...)."""
        if self._kernel is not None:
            self._kernel(references, (first, total), (times, steps), *self._arrays)
            return
        single = Part(self._example)
        for i, trajectory in enumerate(self._trajectories):
            sampled = self._sampled_from(trajectory.pure_motion or _asked(trajectory))
            numbers = () if trajectory.pure_motion is None else trajectory.numbers
            for k, (time, step) in enumerate(zip(times, steps, strict=True)):
                at = self._size * (k * total + first + i)
                store(references, single, at, sampled(time, step, self._previews[i], numbers))

    @functools.cached_property
    def _kernel(self) -> Callable[..., None] | None:
        motion = self._trajectories[0].pure_motion
        # Plain Python gains nothing from references side by side.
        return None if motion is None or not has_compiler() else _sampling_kernel(
            importable(self._sampled_from(motion)), self._example)

    @functools.cached_property
    def _arrays(self) -> tuple[tuple[Vector, Vector, NDArray[np.int64]], Flat]:
        """Trajectories and rows for the kernel."""
        numbers = [trajectory.numbers for trajectory in self._trajectories]
        starts = [0, *itertools.accumulate(map(len, numbers))]
        # The numbers of one alone may be too many to copy.
        together = numbers[0] if len(numbers) == 1 else vector(
            list(itertools.chain.from_iterable(numbers)))
        return (self._previews, together, np.array(starts)), vector(self._size * _TIMES)


def _asked(trajectory: Trajectory) -> ClosedForm:
    return lambda time, _: trajectory.motion(time)
