# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""Speed command along a line, with what delay and wheel slip of the car take from it.

    v_cmd = g v(s + v T) + k (g v(s) - vx) + share g^2 a(s + v T) m v/(Cx_f + Cx_r)

A wheel that is to give the force m a slips by m a/Cx, so its rim must be faster than the car by
v m a/Cx: where a car is commanded by the speed of its wheels (double_track), it brakes late
without the last term. Cars whose speed is commanded itself need a share of 0. g is 1, or less
where a car drives slower than the line because it was seen not to hold it; see slower().
"""

from __future__ import annotations

from typing import NamedTuple

from racecar.base.compiled import pure
from racecar.base.errors import ParameterError
from racecar.control.progress import Path, path_at
from racecar.control.racing.settings import check_not_negative, check_positive
from racecar.dynamics.vehicles.parameters import VehicleParameters


class SpeedParameters(NamedTuple):
    """preview: T [s]; gain: k; slip_lag: share m/(Cx_f + Cx_r) [s/(m/s)]."""

    preview: float
    gain: float
    slip_lag: float


def speed_parameters(
    vehicle: VehicleParameters, preview: float, gain: float, slip_feed_forward: float,
) -> SpeedParameters:
    """Numbers for a vehicle; slip_feed_forward: share of its wheel slip that is fed forward.

    Raises ParameterError for negative ones.
    """
    check_not_negative(preview=preview, speed_gain=gain, slip_feed_forward=slip_feed_forward)
    return SpeedParameters(float(preview), float(gain), slip_feed_forward * vehicle.mass / (
        vehicle.front_slip_stiffness + vehicle.rear_slip_stiffness))


@pure
def speed_command(
    parameters: SpeedParameters, path: Path, vx: float, pace: float = 1.0,
) -> float:
    """Speed [m/s] for a car with a forward velocity [m/s]; pace: g."""
    p = parameters
    point = path_at(path, max(vx, 0.0) * p.preview)
    return (pace * point.speed + p.gain * (pace * path.speed - vx)
            + p.slip_lag * max(vx, 0.0) * pace * pace * point.acceleration)


class Caution(NamedTuple):
    """gain [1/(m s)], allowed [m], most [-] and memory [s] of slower()."""

    gain: float
    allowed: float
    most: float
    memory: float


def checked_caution(gain: float, allowed: float, most: float, memory: float) -> Caution:
    """Numbers of slower(). Raises ParameterError for those out of range."""
    check_not_negative(caution=gain, allowed_error=allowed)
    check_positive(caution_time=memory)
    if not 0.0 <= most < 1.0:
        raise ParameterError(
            f'most_caution is {most:g}, expected a share of at least 0 and below 1')
    return Caution(float(gain), float(allowed), float(most), float(memory))


@pure
def slower(caution: Caution, before: float, error: float, dt: float) -> float:
    """Share by which a car drives slower than its line, after a time [s] with an error [m].

    It grows by the gain times what the error is beyond the allowed one, so that a car on less
    grip than its line was made for, which drifts from it, finds the speed at which it holds it;
    it falls back with the memory as time constant.
    """
    c = caution
    grown = before + dt * (c.gain * max(abs(error) - c.allowed, 0.0) - before / c.memory)
    return min(max(grown, 0.0), c.most)
