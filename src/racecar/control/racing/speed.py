# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""Speed command along a line, with what delay and wheel slip of the car take from it.

    v_cmd = v(s + v T) + k (v(s) - vx) + share a(s + v T) m v/(Cx_f + Cx_r)

A wheel that is to give the force m a slips by m a/Cx, so its rim must be faster than the car by
v m a/Cx: where a car is commanded by the speed of its wheels (double_track), it brakes late
without the last term. Cars whose speed is commanded itself need a share of 0.
"""

from __future__ import annotations

from typing import NamedTuple

from racecar.base.compiled import pure
from racecar.control.progress import Path, path_at
from racecar.control.racing.settings import check_not_negative
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
def speed_command(parameters: SpeedParameters, path: Path, vx: float) -> float:
    """Speed [m/s] for a car with a forward velocity [m/s]."""
    p = parameters
    point = path_at(path, max(vx, 0.0) * p.preview)
    return (point.speed + p.gain * (path.speed - vx)
            + p.slip_lag * max(vx, 0.0) * point.acceleration)
