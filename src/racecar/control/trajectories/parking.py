# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""Parallel parking: past the gap, backwards into it, to and fro, and out again."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
import itertools
import math
from typing import ClassVar

from racecar.base.compiled import pure
from racecar.base.parameters import Parameter
from racecar.base.vectors import Vector, vector
from racecar.control.trajectories.base import ClosedForm, Motion, Trajectory

# Peak over mean of the speed of 10 u^3 - 15 u^4 + 6 u^5.
_PEAK = 1.875

# Where the moves begin among the numbers of the kernel, and numbers of one.
MOVES = 4
MOVE_SIZE = 4


@pure
def _smooth_step(u: float) -> tuple[float, float, float]:
    """Return 10 u^3 - 15 u^4 + 6 u^5 and its two derivatives; both are 0 at u = 0 and 1."""
    v = 1.0 - u
    return (u * u * u * (10.0 + u * (6.0 * u - 15.0)), 30.0 * u * u * v * v,
            60.0 * u * v * (v - u))


@pure
def parking_motion(time: float, numbers: Vector) -> Motion:
    """Motion at a time [s]; at the end the reference rests.

    numbers: offset, length, run_up [m], whether there is room to move within the gap, then for
    each move, from rest to rest, its start, its duration [s], and x where it begins and ends [m].
    """
    offset, length, run_up, has_room = numbers[0], numbers[1], numbers[2], numbers[3] > 0.0
    index = (len(numbers) - MOVES) // MOVE_SIZE - 1
    while index > 0 and numbers[MOVES + MOVE_SIZE * index] > time:
        index -= 1
    at = MOVES + MOVE_SIZE * index
    start, duration, x_from, x_to = numbers[at], numbers[at + 1], numbers[at + 2], numbers[at + 3]
    share = min(1.0, max(0.0, (time - start) / duration))
    position, rate, change = _smooth_step(share)
    distance = x_to - x_from
    x = x_from + distance * position
    vx = distance * rate / duration
    ax = distance * change / (duration * duration)

    y, slope, bend = 0.0, 0.0, 0.0
    # Only the first move and those within the gap are straight.
    if index > 0:
        depth = (run_up - x) / length
        if has_room and (index == 2 or index == 3):
            depth = 1.0
        y, slope, bend = _smooth_step(min(1.0, max(0.0, depth)))
        y *= offset
        slope *= -offset / length
        bend *= offset / (length * length)
    return Motion(
        x, y, vx, slope * vx, ax, slope * ax + bend * vx * vx,
        math.atan(slope), bend * vx / (1.0 + slope * slope), math.copysign(1.0, distance))


@dataclass(frozen=True)
class Parking(Trajectory):
    """Forwards past the gap, backwards into it, forwards and backwards in it, forwards out.

    The path is y(x) = offset * S((x - x_gap) / length), S being 10 u^3 - 15 u^4 + 6 u^5: along
    the x axis at its front end, beside it at the rear one, curvature 0 at both. Time runs by the
    same S along every move, so position, velocity and acceleration are continuous, and wherever
    the reference rests its curvature is 0: the wheels need not turn on the spot. The car always
    points along +x or thereabouts; its speed is negative on the way back.
    """

    name: ClassVar[str] = 'parking'
    reverses: ClassVar[bool] = True
    parameters: ClassVar[tuple[Parameter, ...]] = (
        Parameter('parking_offset', float, -0.6,
                  'Parking: how far the gap lies to the side; negative: to the right', 'm',
                  minimum=-10.0, maximum=10.0),
        Parameter('parking_length', float, 1.8,
                  'Parking: length of the curve into the gap; the curvature reaches'
                  ' 5.8 |parking_offset| / parking_length^2', 'm', above=0.0, maximum=100.0),
        Parameter('parking_run_up', float, 2.2,
                  'Parking: distance forwards past the gap before the car backs into it', 'm',
                  above=0.0, maximum=100.0),
        Parameter('parking_room', float, 0.3,
                  'Parking: distance forwards and backwards within the gap; 0 does without', 'm',
                  minimum=0.0, maximum=100.0),
        Parameter('parking_speed', float, 0.5, 'Parking: maximum speed along the axis of the gap',
                  'm/s', above=0.0, maximum=20.0),
        Parameter('parking_pause', float, 1.0, 'Parking: rest where the direction changes', 's',
                  minimum=0.0, maximum=1000.0),
    )

    offset: float
    length: float
    run_up: float
    room: float
    speed: float
    pause: float

    closed_form: ClassVar[ClosedForm | None] = staticmethod(parking_motion)

    @cached_property
    def numbers(self) -> Vector:
        """The moves, in the layout that parking_motion() describes."""
        front, rear = self.run_up, self.run_up - self.length
        stops = [0.0, front, rear]
        if self.room > 0.0:
            stops += [rear + self.room, rear]
        stops.append(front)
        moves, time = [], 0.0
        for x_from, x_to in itertools.pairwise(stops):
            duration = _PEAK * abs(x_to - x_from) / self.speed
            moves += [time, duration, x_from, x_to]
            time += duration + self.pause
        numbers: Vector = vector([self.offset, self.length, self.run_up, self.room, *moves])
        return numbers

    @property
    def duration(self) -> float | None:
        """Time until the car stands beside the gap again [s]."""
        start, duration, *_ = self.numbers[-MOVE_SIZE:]
        return float(start + duration)
