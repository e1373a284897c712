# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""What the tracker follows at a step: the reference, and how P of the reference lies and moves.

A command is held until the next step. So that the car is then where the reference is, it must have
the mean speed and the mean rate of turning of the reference over the step, in the direction that
the reference has at its start. Both are those at the middle of the step, up to terms of third
order in its length.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
import itertools
import math
from typing import Any, NamedTuple

import numpy as np

from racecar.core.compiled import COMPILED, inlined, specialise, unlocked
from racecar.core.packing import Flat, packing, Vector, vector
from racecar.core.trajectories import Trajectory
from racecar.core.trajectories.base import MotionNumbers

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
    if speed < _STANDSTILL:
        return Target(x, y, 1.0, 0.0, 0.0, 0.0, 0.0)
    ahead_x, ahead_y = vx / speed, vy / speed
    squared = middle[2] * middle[2] + middle[3] * middle[3]
    if not exact or squared < _STANDSTILL * _STANDSTILL:
        return Target(x, y, ahead_x, ahead_y, speed, 0.0, 0.0)
    return Target(
        x, y, ahead_x, ahead_y, math.sqrt(squared),
        (middle[2] * middle[5] - middle[3] * middle[4]) / squared, 1.0)


def motion(time: float, numbers: Vector) -> MotionNumbers:
    """Stand for the kernel of a trajectory that TargetSampler binds."""
    raise NotImplementedError('TargetSampler binds this name')


def _sample(
    targets: Flat, times: Vector, steps: Vector, exact: bool, numbers: Vector,
    starts: Sequence[int],
) -> None:
    """Write Target at each of some times [s], one trajectory after the other.

    steps: between each time and the next [s]. numbers: of all trajectories one after the other, of
    the one numbered i from starts[i] on.
    """
    at = 0
    for i in range(len(starts) - 1):
        own = numbers[starts[i]:starts[i + 1]]
        for k in range(len(times)):
            now = motion(times[k], own)
            middle = motion(times[k] + 0.5 * steps[k], own) if exact else now
            store_target(targets, at, 1, target_of(now, middle, exact))
            at += TARGET_SIZE


class TargetSampler:
    """Samples the targets of trajectories of one type, by one kernel if they have one."""

    def __init__(self, trajectories: Sequence[Trajectory], *, exact: bool) -> None:
        """Take at least one trajectory; exact: see target_of()."""
        self._trajectories = trajectories
        self._exact = exact
        self._kernel: Callable[..., None] | None = None
        kernel = trajectories[0].compiled_motion
        if kernel is None:
            return
        self._kernel = specialise(
            _sample, f'sample_{type(trajectories[0]).__name__}', unlocked, motion=kernel)
        numbers = [trajectory.numbers for trajectory in trajectories]
        starts = [0, *itertools.accumulate(map(len, numbers))]
        self._starts: Any = np.array(starts) if COMPILED else starts
        # The numbers of one alone may be too many to copy.
        self._numbers = numbers[0] if len(numbers) == 1 else vector(
            list(itertools.chain.from_iterable(numbers)))

    def sample(self, times: Vector, steps: Vector) -> Flat:
        """Return Target at each of some times [s], one trajectory after the other, flat.

        steps: time between each one and the next [s].
        """
        targets: Flat = vector(TARGET_SIZE * len(times) * len(self._trajectories))
        if self._kernel is None:
            targets[:] = vector([
                number for trajectory in self._trajectories
                for time, step in zip(times, steps, strict=True)
                for number in target_of(
                    trajectory.motion(time)[:], trajectory.motion(time + 0.5 * step)[:],
                    self._exact)])
        else:
            self._kernel(targets, times, steps, self._exact, self._numbers, self._starts)
        return targets
