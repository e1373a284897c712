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

from racecar.base.compiled import pure
from racecar.base.rows import zeros_of
from racecar.base.vectors import Vector
from racecar.control.reference_sampler import placed, ReferenceSampler, SampledReference
from racecar.control.trajectories import Motion, Trajectory
from racecar.control.trajectories.base import ClosedForm

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


NO_TARGET = zeros_of(Target)
"""Example of a target."""


@placed.register(Target)
def placed_target(t: Target, origin_x: float, origin_y: float) -> Target:
    """Target with the origin of its trajectory [m] added."""
    return Target(
        origin_x + t.x, origin_y + t.y, t.ahead_x, t.ahead_y, t.speed, t.rate, t.direction)


@pure
def target_of(now: Motion, middle: Motion, exact: bool) -> Target:
    """Target for the motion at a step and at the middle between it and the next.

    exact: whether P of the reference is what is followed. Otherwise the reference itself is, as
    in the report, but for trajectories that tell how the car is to stand.
    """
    x, y, vx, vy, _, _, heading, rate, direction = now
    speed = math.sqrt(vx * vx + vy * vy)
    if direction != 0.0:
        ahead_x, ahead_y = math.cos(heading), math.sin(heading)
        if exact:
            rate = middle.rate
            speed = middle.vx * math.cos(middle.heading) + middle.vy * math.sin(middle.heading)
        else:
            speed = vx * ahead_x + vy * ahead_y
        return Target(x, y, ahead_x, ahead_y, speed, rate, direction)
    # Selections rather than branches let a loop over times vectorise.
    stands = speed < _STANDSTILL
    norm = 1.0 if stands else speed
    ahead_x, ahead_y = 1.0 if stands else vx / norm, 0.0 if stands else vy / norm
    squared = middle.vx * middle.vx + middle.vy * middle.vy
    if not exact:
        return Target(x, y, ahead_x, ahead_y, 0.0 if stands else speed, 0.0, 0.0)
    unknown = stands or squared < _STANDSTILL * _STANDSTILL
    turning = (middle.vx * middle.ay - middle.vy * middle.ax) / (1.0 if unknown else squared)
    mean_speed = speed if unknown else math.sqrt(squared)
    return Target(
        x, y, ahead_x, ahead_y, 0.0 if stands else mean_speed, 0.0 if unknown else turning,
        0.0 if unknown else 1.0)


def _exact_targets(motion: ClosedForm) -> SampledReference:
    def exact_target(time: float, step: float, preview: float, numbers: Vector) -> Target:
        return target_of(motion(time, numbers), motion(time + 0.5 * step, numbers), True)

    return exact_target


def _report_targets(motion: ClosedForm) -> SampledReference:
    def report_target(time: float, step: float, preview: float, numbers: Vector) -> Target:
        now = motion(time, numbers)
        return target_of(now, now, False)

    return report_target


class TargetSampler(ReferenceSampler):
    """Samples the targets of trajectories of one type."""

    def __init__(self, trajectories: Sequence[Trajectory], *, exact: bool) -> None:
        """Take at least one trajectory; exact: see target_of()."""
        super().__init__(trajectories, [0.0] * len(trajectories), NO_TARGET,
                         _exact_targets if exact else _report_targets)
