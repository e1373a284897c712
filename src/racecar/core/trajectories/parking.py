# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""Parallel parking: past the gap, backwards into it, to and fro, and out again."""

from __future__ import annotations

from bisect import bisect_right
from dataclasses import dataclass
from functools import cached_property
import math
from typing import ClassVar, NamedTuple

from racecar.core.parameters import Parameter
from racecar.core.trajectories.base import Attitude, ReferencePoint, Trajectory

# Peak over mean of the speed of 10 u^3 - 15 u^4 + 6 u^5.
_PEAK = 1.875


class _Move(NamedTuple):
    """One drive from rest to rest: start [s], duration [s], x from and to [m]."""

    start: float
    duration: float
    x_from: float
    x_to: float


def _smooth_step(u: float) -> tuple[float, float, float]:
    """Return 10 u^3 - 15 u^4 + 6 u^5 and its two derivatives; both are 0 at u = 0 and 1."""
    v = 1.0 - u
    return (u * u * u * (10.0 + u * (6.0 * u - 15.0)), 30.0 * u * u * v * v,
            60.0 * u * v * (v - u))


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
        Parameter('parking_speed', float, 0.5, 'Parking: largest speed along the axis of the gap',
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

    @cached_property
    def _moves(self) -> list[_Move]:
        front, rear = self.run_up, self.run_up - self.length
        stops = [0.0, front, rear]
        if self.room > 0.0:
            stops += [rear + self.room, rear]
        stops.append(front)
        moves, time = [], 0.0
        for x_from, x_to in zip(stops, stops[1:], strict=False):
            duration = _PEAK * abs(x_to - x_from) / self.speed
            moves.append(_Move(time, duration, x_from, x_to))
            time += duration + self.pause
        return moves

    @cached_property
    def _starts(self) -> list[float]:
        return [move.start for move in self._moves]

    @property
    def duration(self) -> float | None:
        """Time until the car stands beside the gap again [s]."""
        return self._moves[-1].start + self._moves[-1].duration

    def _at(self, time: float) -> tuple[ReferencePoint, Attitude]:
        index = max(0, bisect_right(self._starts, time) - 1)
        move = self._moves[index]
        share = min(1.0, max(0.0, (time - move.start) / move.duration))
        position, rate, change = _smooth_step(share)
        distance = move.x_to - move.x_from
        x = move.x_from + distance * position
        vx = distance * rate / move.duration
        ax = distance * change / (move.duration * move.duration)

        y, slope, bend = 0.0, 0.0, 0.0
        # Only the first move and those within the gap are straight.
        if index > 0:
            depth = (self.run_up - x) / self.length
            if index in (2, 3) and self.room > 0.0:
                depth = 1.0
            y, slope, bend = _smooth_step(min(1.0, max(0.0, depth)))
            y *= self.offset
            slope *= -self.offset / self.length
            bend *= self.offset / (self.length * self.length)
        return ReferencePoint(
            x, y, vx, slope * vx, ax, slope * ax + bend * vx * vx), Attitude(
                math.atan(slope), bend * vx / (1.0 + slope * slope), math.copysign(1.0, distance))

    def at(self, time: float) -> ReferencePoint:
        """Return the reference at the time since activation [s]; at the end it rests."""
        return self._at(time)[0]

    def attitude(self, time: float) -> Attitude | None:
        """Return how the car is to stand: tangent to the path, towards +x."""
        return self._at(time)[1]
