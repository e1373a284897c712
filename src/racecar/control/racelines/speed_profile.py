# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""Speed along a closed line: as fast as the friction ellipse allows at each point.

    v dv/ds = ax,  (ax/ax_max)^2 + (v^2 kappa/ay_max(v))^2 <= 1,  -brake(v) <= ax <= drive(v)

A pass forwards bounds how the squared speed grows, one backwards how it falls, from the least of
all speeds on, where neither binds. Source: Subosits and Gerdes, "Autonomous Vehicle Control for
Emergency Maneuvers", ACC 2015; Heilmeier et al., Vehicle System Dynamics 58 (2020).
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from racecar.base.errors import ConfigurationError
from racecar.dynamics.vehicles.grip_map import GripMap, LOWEST_SPEED

Array = NDArray[np.float64]

_SPEED_STEP = 0.02


class SpeedProfile(NamedTuple):
    """Speed (n,) [m/s], acceleration along the line (n,) [m/s^2], and the time of a lap [s]."""

    speed: Array
    acceleration: Array
    lap_time: float


def speed_profile(
    curvature: Array, step: float, grip: GripMap, speed_limit: float = math.inf,
) -> SpeedProfile:
    """Fastest speeds round a closed line.

    curvature: (n,) [1/m] at even steps [m], a few cm to keep the sums exact. Raises
    ConfigurationError if the line turns more tightly than the vehicle can.
    """
    most = min(speed_limit, float(grip.speeds[-1]))
    grid = np.arange(LOWEST_SPEED, most + _SPEED_STEP, _SPEED_STEP)
    # From where on a speed is too high, even if a higher one were not.
    limits = np.minimum.accumulate(grip.curvature_limit(grid))
    bend = np.abs(curvature)
    if float(bend.max()) > limits[0]:
        raise ConfigurationError(
            f'the line turns with a radius of {1.0 / float(bend.max()):.2f} m, expected at least'
            f' the {1.0 / limits[0]:.2f} m that the vehicle can turn with')
    steady = np.minimum(np.interp(-bend, -limits, grid), most)
    # From the slowest point on, where the speed of the bend holds.
    first = int(np.argmin(steady))
    squares = np.roll(steady, -first) ** 2
    bends = np.roll(bend, -first)
    squares = _bounded(squares, bends, step, _Gain(grip, 0))
    # The other way round, from the same point on; twice gives the order back.
    back = -np.arange(len(squares)) % len(squares)
    squares = _bounded(squares[back], bends[back], step, _Gain(grip, 1))[back]
    squares = np.roll(squares, first)
    speed = np.sqrt(squares)
    following = np.roll(squares, -1)
    acceleration = (following - np.roll(squares, 1)) / (4.0 * step)
    lap_time = float(np.sum(2.0 * step / (speed + np.sqrt(following))))
    return SpeedProfile(speed, acceleration, lap_time)


def _bounded(squares: Array, bends: Array, step: float, gain: _Gain) -> Array:
    """Squared speeds that grow from the first one on by no more than the gain (midpoint rule)."""
    result = squares.tolist()
    kappas = bends.tolist()
    for i in range(len(result) - 1):
        now, here, there = result[i], kappas[i], kappas[i + 1]
        half = now + step * gain(now, here)
        reached = now + 2.0 * step * gain(half, 0.5 * (here + there))
        result[i + 1] = min(result[i + 1], reached)
    return np.array(result)


class _Gain:
    """Largest longitudinal acceleration for a squared speed and a curvature.

    By plain numbers, which are faster one by one; which: 0 to drive, 1 to brake.
    """

    def __init__(self, grip: GripMap, which: int) -> None:
        self._scale = (len(grip.speeds) - 1) / (float(grip.speeds[-1]) - LOWEST_SPEED)
        self._lateral = grip.lateral.tolist()
        self._force = (grip.drive, grip.brake)[which].tolist()
        self._tyre = (grip.tyre_drive, grip.tyre_brake)[which].tolist()

    def __call__(self, square: float, curvature: float) -> float:
        at = (math.sqrt(square) - LOWEST_SPEED) * self._scale
        cell = min(max(int(at), 0), len(self._lateral) - 2)
        part = min(max(at - cell, 0.0), 1.0)
        lateral, force, tyre = (
            row[cell] + part * (row[cell + 1] - row[cell])
            for row in (self._lateral, self._force, self._tyre))
        used = square * curvature / lateral
        held: float = tyre * math.sqrt(max(1.0 - used * used, 0.0))
        return float(min(force, held))
