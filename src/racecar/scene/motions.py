# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""Prescribed motions in the plane: by a script, or a walk at random by seed.

Either is a row of legs of constant velocity and turn rate, so that where a thing is depends on the
simulated time alone: replay, lockstep and resets of robots give the same bits.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
import math
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from racecar.base.compiled import pure, routine
from racecar.base.types import NANOSECONDS

WALK_LEGS = 1000
"""Legs of a walk at random, the last of which leads back to its begin."""


class MotionState(NamedTuple):
    """x, y [m], yaw [rad] of a thing in the map, velocity there [m/s], turn rate [rad/s]."""

    x: float
    y: float
    yaw: float
    vx: float
    vy: float
    yaw_rate: float


@pure
def moved_on(begin: MotionState, span: float) -> MotionState:
    """State after a time of constant rates [s]."""
    return MotionState(
        begin.x + begin.vx * span, begin.y + begin.vy * span, begin.yaw + begin.yaw_rate * span,
        begin.vx, begin.vy, begin.yaw_rate)


class Leg(NamedTuple):
    """From the time [s] on: the state then, and the rates that it changes with."""

    time: float
    begin: MotionState


def _begin(leg: Leg) -> float:
    return leg.time


class Motion(NamedTuple):
    """Legs in the order of their times, the first at 0; from the end [s] on it stands.

    repeats: in place of that it begins anew.
    """

    legs: tuple[Leg, ...]
    end: float
    repeats: bool = False

    @property
    def fastest(self) -> float:
        """Highest speed [m/s]."""
        return max(math.hypot(leg.begin.vx, leg.begin.vy) for leg in self.legs)

    def at(self, time_ns: int) -> MotionState:
        """State at a simulated time [ns]."""
        if self.repeats:
            time_ns %= round(self.end * NANOSECONDS)
        time = time_ns / NANOSECONDS
        leg = self.legs[max(bisect_right(self.legs, time, key=_begin), 1) - 1]
        return moved_on(leg.begin, time - leg.time)


class MotionRows(NamedTuple):
    """Motions as numbers for kernels.

    motions: rows of legs from and to, end [ns], 1 if it repeats, (n, 4); legs: time [s] and the
    fields of the MotionState then, (m, 7).
    """

    motions: NDArray[np.float64]
    legs: NDArray[np.float64]


def motion_rows(motions: Sequence[Motion]) -> MotionRows:
    """Numbers of motions, in their order."""
    after = np.cumsum([len(motion.legs) for motion in motions], dtype=int).tolist()
    return MotionRows(
        np.array([
            (end - len(motion.legs), end, round(motion.end * NANOSECONDS), motion.repeats)
            for motion, end in zip(motions, after, strict=True)], dtype=float).reshape(-1, 4),
        np.array([(leg.time, *leg.begin) for motion in motions for leg in motion.legs],
                 dtype=float).reshape(-1, 7))


@routine
def motion_at(rows: MotionRows, number: int, time_ns: int) -> MotionState:
    """State of a motion at a simulated time [ns], with the bits of Motion.at()."""
    motions, legs = rows.motions, rows.legs
    first, high = int(motions[number, 0]), int(motions[number, 1])
    if motions[number, 3] > 0.0:
        time_ns %= int(motions[number, 2])
    time, low = time_ns / NANOSECONDS, first
    while low < high:
        middle = (low + high) // 2
        if time < legs[middle, 0]:
            high = middle
        else:
            low = middle + 1
    k = max(low - 1, first)
    return moved_on(
        MotionState(legs[k, 1], legs[k, 2], legs[k, 3], legs[k, 4], legs[k, 5], legs[k, 6]),
        time - legs[k, 0])


def scripted_motion(
    points: Sequence[tuple[float, float, float]], yaws: Sequence[float] = (), *,
    repeats: bool = False,
) -> Motion:
    """Motion through points in straight lines at constant speeds.

    points: time [s] from 0 on, increasing, x, y [m], at least two; yaws: heading at each [rad],
    turned the short way between them; without any the thing looks along its way. Until the first
    time it stands at the first point. repeats: begins anew at the last time, with the place of
    the first point.
    """
    turns = np.unwrap(yaws).tolist() if len(yaws) else None
    headings = turns or _along(points)
    (first, x, y), (end, last_x, last_y) = points[0], points[-1]
    legs = [Leg(0.0, MotionState(x, y, headings[0], 0.0, 0.0, 0.0))] if first > 0.0 else []
    for index, ((t1, x1, y1), (t2, x2, y2)) in enumerate(
            zip(points[:-1], points[1:], strict=True)):
        span = t2 - t1
        legs.append(Leg(t1, MotionState(
            x1, y1, headings[index], (x2 - x1) / span, (y2 - y1) / span,
            0.0 if turns is None else (turns[index + 1] - turns[index]) / span)))
    legs.append(Leg(end, MotionState(last_x, last_y, headings[-1], 0.0, 0.0, 0.0)))
    return Motion(tuple(legs), end, repeats)


def _along(points: Sequence[tuple[float, float, float]]) -> list[float]:
    """Heading of the way on from each point; while it stands, the last one [rad]."""
    headings: list[float | None] = [
        None if (x1, y1) == (x2, y2) else math.atan2(y2 - y1, x2 - x1)
        for (_, x1, y1), (_, x2, y2) in zip(points[:-1], points[1:], strict=True)]
    heading = next((one for one in headings if one is not None), 0.0)
    found = []
    for one in (*headings, None):
        heading = heading if one is None else one
        found.append(heading)
    return found


def random_walk(
    area: tuple[float, float, float, float], speeds: tuple[float, float], seed: int,
    start: tuple[float, float] | None = None,
) -> Motion:
    """Motion in straight lines to places that are drawn one after the other, without an end.

    area: lowest x, y, highest x, y that the thing's middle takes [m]; speeds: lowest and highest,
    of which each leg has one, both drawn evenly [m/s]; start: the first place, drawn too if None.
    After WALK_LEGS legs it is at its start and begins anew.
    """
    generator = np.random.default_rng(seed)
    low_x, low_y, high_x, high_y = area
    slowest, fastest = speeds
    # Of each leg its end, of the first one its begin, and a speed.
    rows = generator.random((WALK_LEGS, 3)).tolist()
    places = [(low_x + (high_x - low_x) * along, low_y + (high_y - low_y) * across)
              for along, across, _ in rows]
    if start is not None:
        places[0] = start
    time = 0.0
    points = [(time, *places[0])]
    for before, place, (_, _, share) in zip(
            places, (*places[1:], places[0]), rows, strict=True):
        way = math.dist(before, place)
        if way > 0.0:
            time += way / (slowest + (fastest - slowest) * share)
            points.append((time, *place))
    return scripted_motion(points, repeats=True)
