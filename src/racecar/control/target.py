# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""What the tracker follows at a step: the reference, and how P of the reference lies and moves.

A command is held until the next step. So that the car is then where the reference is, it must have
the mean speed and the mean rate of turning of the reference over the step, in the direction that
the reference has at its start. Both are those at the middle of the step, up to terms of third
order in its length.
"""

from __future__ import annotations

from collections.abc import Sequence
import math
from typing import NamedTuple

from racecar.base.compiled import inlined, unbound
from racecar.base.packing import Flat, packing, Vector
from racecar.control.reference_sampler import ReferenceSampler
from racecar.control.trajectories import Trajectory
from racecar.control.trajectories.base import MotionNumbers

# A reference slower than this has no direction of its own [m/s].
_STANDSTILL = 1e-6


class Target(NamedTuple):
    """Where the reference is, x, y [m], and how it goes on until the next step.

    ahead_x, ahead_y: unit vector along the path, in which P of the reference lies; speed along it
    [m/s]; rate at which it turns [rad/s]; direction: 1 where it is driven forwards, -1 in reverse,
    0 where P of the reference is to be placed by the heading of the car.
    """

    x: float
    y: float
    ahead_x: float
    ahead_y: float
    speed: float
    rate: float
    direction: float


load_target, store_target, TARGET_SIZE = packing(Target)


@inlined
def target_of(now: MotionNumbers, middle: MotionNumbers, exact: bool) -> Target:
    """Return the target for the motion at a step and at the middle between it and the next.

    exact: whether P of the reference is what is followed. Otherwise the reference itself is, as
    in the report, but for trajectories that tell how the car is to stand.
    """
    x, y, vx, vy, _, _, heading, rate, direction = now
    speed = math.sqrt(vx * vx + vy * vy)
    if direction != 0.0:
        ahead_x, ahead_y = math.cos(heading), math.sin(heading)
        if exact:
            rate = middle[7]
            speed = middle[2] * math.cos(middle[6]) + middle[3] * math.sin(middle[6])
        else:
            speed = vx * ahead_x + vy * ahead_y
        return Target(x, y, ahead_x, ahead_y, speed, rate, direction)
    # Selections rather than branches let a loop over times vectorise.
    stands = speed < _STANDSTILL
    norm = 1.0 if stands else speed
    ahead_x, ahead_y = 1.0 if stands else vx / norm, 0.0 if stands else vy / norm
    squared = middle[2] * middle[2] + middle[3] * middle[3]
    if not exact:
        return Target(x, y, ahead_x, ahead_y, 0.0 if stands else speed, 0.0, 0.0)
    unknown = stands or squared < _STANDSTILL * _STANDSTILL
    turning = (middle[2] * middle[5] - middle[3] * middle[4]) / (1.0 if unknown else squared)
    mean_speed = speed if unknown else math.sqrt(squared)
    return Target(
        x, y, ahead_x, ahead_y, 0.0 if stands else mean_speed, 0.0 if unknown else turning,
        0.0 if unknown else 1.0)


motion = unbound


def _sample(
    targets: Flat, first: int, total: int, times: Vector, steps: Vector, exact: bool,
    numbers: Vector, starts: Sequence[int], rows: Flat,
) -> None:
    """Write Target as ReferenceSampler says; exact: see target_of()."""
    count = len(times)
    for i in range(len(starts) - 1):
        own = numbers[starts[i]:starts[i + 1]]
        # Rows first: numbers of one kind side by side, so that the loop over the times vectorises.
        if exact:
            for k in range(count):
                store_target(rows, k, count, target_of(
                    motion(times[k], own), motion(times[k] + 0.5 * steps[k], own), True))
        else:
            for k in range(count):
                now = motion(times[k], own)
                store_target(rows, k, count, target_of(now, now, False))
        for k in range(count):
            store_target(targets, TARGET_SIZE * (k * total + first + i), 1,
                         load_target(rows, k, count))


class TargetSampler(ReferenceSampler):
    """Samples the targets of trajectories of one type."""

    size = TARGET_SIZE
    kernel = staticmethod(_sample)

    def __init__(self, trajectories: Sequence[Trajectory], *, exact: bool) -> None:
        """Take at least one trajectory; exact: see target_of()."""
        super().__init__(trajectories, exact)
        self._exact = exact

    def reference(self, index: int, time: float, step: float) -> Target:
        """Return the target of a trajectory at a time [s]; step: until the next [s]."""
        motion_at = self._trajectories[index].motion
        return target_of(motion_at(time)[:], motion_at(time + 0.5 * step)[:], self._exact)
