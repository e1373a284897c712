# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""What a controller of one's own follows: where the reference is, and how it moves later."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from racecar.base.compiled import inlined, unbound
from racecar.base.packing import Flat, packing, Vector, vector
from racecar.control.reference_sampler import placed, ReferenceSampler
from racecar.control.trajectories import Motion, Trajectory


class OwnReference(NamedTuple):
    """Where the reference is [m], and how it moves `preview` later, for controllers."""

    x: float
    y: float
    ahead: Motion


load_ahead, store_ahead, _AHEAD_SIZE = packing(Motion)
OWN_REFERENCE_SIZE = 2 + _AHEAD_SIZE
_load, _store, _ = packing(OWN_REFERENCE_SIZE)


@inlined
def load_own_reference(references: Vector, first: int, stride: int) -> OwnReference:
    """Return a packed reference."""
    return OwnReference(
        references[first], references[first + stride],
        load_ahead(references, first + 2 * stride, stride))


@placed.register(OwnReference)
def _placed(reference: OwnReference, origin_x: float, origin_y: float) -> OwnReference:
    x, y, m = reference
    return OwnReference(
        origin_x + x, origin_y + y,
        Motion(origin_x + m.x, origin_y + m.y, m.vx, m.vy, m.ax, m.ay, m.heading, m.rate,
               m.direction))


@inlined
def placed_own_reference(
    references: Vector, first: int, origin_x: float, origin_y: float,
) -> OwnReference:
    """Return a packed reference with its origin [m] added."""
    return placed(  # type: ignore[no-any-return]
        load_own_reference(references, first, 1), origin_x, origin_y)


motion = unbound


def _sample_own(
    references: Flat, first: int, total: int, times: Vector, steps: Vector, previews: Vector,
    numbers: Vector, starts: Sequence[int], rows: Flat,
) -> None:
    """Write OwnReference as ReferenceSampler says; previews [s]: of each trajectory."""
    count = len(times)
    for i in range(len(starts) - 1):
        own = numbers[starts[i]:starts[i + 1]]
        # Rows first, as in TargetSampler.
        for k in range(count):
            now = motion(times[k], own)
            rows[k], rows[count + k] = now[0], now[1]
            store_ahead(rows, 2 * count + k, count, motion(times[k] + previews[i], own))
        for k in range(count):
            _store(references, OWN_REFERENCE_SIZE * (k * total + first + i), 1,
                   _load(rows, k, count))


class OwnReferenceSampler(ReferenceSampler):
    """Samples OwnReference of trajectories of one type."""

    size = OWN_REFERENCE_SIZE
    kernel = staticmethod(_sample_own)

    def __init__(self, trajectories: Sequence[Trajectory], previews: Sequence[float]) -> None:
        """Take at least one trajectory, and how far each lies ahead [s]."""
        super().__init__(trajectories, vector(previews))
        self._previews = previews

    def reference(self, index: int, time: float, step: float) -> tuple[float, ...]:
        """Return the numbers of OwnReference of a trajectory at a time [s]."""
        motion_at = self._trajectories[index].motion
        return (*motion_at(time)[:2], *motion_at(time + self._previews[index]))
