# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""Work of many points in chunks that keep a core busy for seconds, on the cores of this machine.

Sweeps, repetitions, tunings, leagues and evaluations are a Task each; `racecar.facade.cluster`
runs the same tasks on the workers of Dask.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Iterator, Mapping
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
import math
import os
from typing import NamedTuple, Protocol, TypeVar

from racecar.simulation.layout import LANES

_BUSY = 5.0
"""Time that a chunk is to take on a core [s]."""
_FIRST, _MOST = 16, 160 * LANES
"""Points of a chunk: of the first, of which nobody knows how long they take, and of any."""
_GROWTH = 4

Range = tuple[int, int]
"""First point of a stretch, and how many there are."""


class Chunk(Protocol):
    """What came of some points: of a task of its own kind, with columns of numbers."""

    @property
    def first(self) -> int:
        """Number of the first point."""

    @property
    def points(self) -> int:
        """How many there are."""

    @property
    def seconds(self) -> float:
        """Time that they took [s]."""


C = TypeVar('C', bound=Chunk, covariant=True)


class Task(Protocol[C]):
    """Points that can be run in chunks, each point alike in any chunk; goes to workers by pickle.

    A point follows from its number alone, so that nobody notices where and how often it was run.
    """

    @property
    def files(self) -> Mapping[str, str]:
        """SHA-256 of files that a chunk reads, by path: workers must have the same."""

    @property
    def is_heavy(self) -> bool:
        """Whether a point keeps one core busy for seconds: it is a chunk of its own then."""

    def run(self, first: int, count: int, threads: int) -> C:
        """Run some points. Raises RacecarError for what keeps all points from it."""


class Lost(NamedTuple):
    """Points without an outcome, and why."""

    first: int
    points: int
    why: str


class Plan:
    """Which points are the next chunk, by how long those before took."""

    def __init__(self, ranges: Iterable[Range], at_once: int, *, one_by_one: bool = False) -> None:
        """ranges: points to run. at_once: chunks that are under way together.

        one_by_one: whether each point is a chunk.
        """
        self._left = deque(found for found in ranges if found[1])
        self._at_once = at_once
        self._most = 1 if one_by_one else _MOST
        self._size = min(_FIRST, self._most)

    def take(self) -> Range | None:
        """The next points; None if there are no more."""
        if not self._left:
            return None
        first, count = self._left.popleft()
        left = count + sum(others for _, others in self._left)
        # Towards the end chunks become smaller, so that all cores end together.
        size = min(count, self._size, math.ceil(left / self._at_once))
        if count > size:
            self._left.appendleft((first + size, count - size))
        return first, size

    def learn(self, points: int, seconds: float) -> None:
        """Choose the next sizes by how long a chunk took [s]."""
        wanted = int(_BUSY * points / max(seconds, 1e-6))
        self._size = max(1, min(wanted, _GROWTH * max(points, self._size), self._most))
        if self._size > LANES:
            # Whole blocks.
            self._size -= self._size % LANES

    def halve(self, first: int, count: int) -> None:
        """Try points again that were lost together."""
        half = count // 2
        self._left.extendleft([(first + half, count - half), (first, half)])


class Cores:
    """The cores of this machine, by threads: a chunk at a time, or a heavy point on each."""

    def __init__(self, jobs: int | None = None) -> None:
        """jobs: how many cores, by default all."""
        self._threads = jobs or len(os.sched_getaffinity(0))

    def run(self, task: Task[C], ranges: Iterable[Range]) -> Iterator[C | Lost]:
        """Run the points of some ranges; yields chunks, which may have any order."""
        if task.is_heavy:
            yield from self._side_by_side(task, ranges)
            return
        plan = Plan(ranges, 1)
        while (taken := plan.take()) is not None:
            found = task.run(*taken, self._threads)
            plan.learn(found.points, found.seconds)
            yield found

    def _side_by_side(self, task: Task[C], ranges: Iterable[Range]) -> Iterator[C]:
        plan = Plan(ranges, self._threads, one_by_one=True)
        under_way: set[Future[C]] = set()
        with ThreadPoolExecutor(self._threads) as pool:
            while True:
                while len(under_way) < self._threads and (taken := plan.take()) is not None:
                    under_way.add(pool.submit(task.run, *taken, 1))
                if not under_way:
                    return
                ended, under_way = wait(under_way, return_when=FIRST_COMPLETED)
                for job in ended:
                    yield job.result()
