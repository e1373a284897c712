# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""The drives to make: what each tells, how to make it, and which of them logs have."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np
from scipy.ndimage import gaussian_filter1d

from racecar.dynamics.vehicles.parameters import GRAVITY
from racecar.identification.drive import Array, Drive, Flags


class Manoeuvre(NamedTuple):
    """A drive to make: name of its trajectory, what it tells, how; what a log has of it.

    found: seconds of a drive that can stand for it; needed [s].
    """

    name: str
    tells: tuple[str, ...]
    how: str
    found: Callable[[Drive], float]
    needed: float


class PlanRow(NamedTuple):
    """One line of the plan: seconds that the logs have of a manoeuvre."""

    manoeuvre: Manoeuvre
    seconds: float

    @property
    def is_missing(self) -> bool:
        """Whether the logs have too little of it."""
        return self.seconds < self.manoeuvre.needed


def _rates(drive: Drive) -> tuple[Array, Array, Array, Flags]:
    """Return lateral and forward acceleration, steering rate, and where the car moves."""
    width = 0.1 / drive.period
    lateral = gaussian_filter1d(drive.vx * drive.yaw_rate, width)
    forward = np.gradient(gaussian_filter1d(drive.vx, width), drive.period)
    steering = np.gradient(gaussian_filter1d(drive.steering, width), drive.period)
    return lateral, forward, steering, drive.valid & (drive.vx > 0.5)


def _skidpad(drive: Drive) -> float:
    lateral, forward, steering, moving = _rates(drive)
    steady = moving & (np.abs(steering) < 0.1) & (np.abs(lateral) > 1.0)
    # Both directions tell the offset of the steering from its gain.
    sides = [float(np.sum(steady & (side * lateral > 0.0) & (np.abs(forward) < 1.5)))
             for side in (1.0, -1.0)]
    return 2.0 * min(sides) * drive.period


def _ramp(drive: Drive) -> float:
    lateral, _, steering, moving = _rates(drive)
    slow = moving & (np.abs(steering) > 0.03) & (np.abs(steering) < 0.6)
    return float(np.sum(slow & (np.abs(lateral) > 0.5))) * drive.period


def _coast(drive: Drive) -> float:
    lateral, forward, _, moving = _rates(drive)
    released = np.nan_to_num(drive.speed_command, nan=np.inf) < 0.2
    return float(np.sum(moving & (forward < -0.1) & (np.abs(lateral) < 1.0) & released)
                 ) * drive.period


def _step(drive: Drive) -> float:
    _, _, _, moving = _rates(drive)
    jumps = np.abs(np.diff(drive.steering, prepend=drive.steering[0])) > 0.1
    # A step counts with the half second of its answer.
    return 0.5 * float(np.sum(jumps & moving))


def _slip(drive: Drive) -> float:
    lateral, _, _, moving = _rates(drive)
    return float(np.sum(moving & (np.abs(lateral) > 0.6 * GRAVITY))) * drive.period


MANOEUVRES: tuple[Manoeuvre, ...] = (
    Manoeuvre('skidpad', ('steering_gain', 'steering_offset', 'understeer_gradient',
                          'wheel_scale'),
              'circles of one radius at four speeds, once to each side', _skidpad, 10.0),
    Manoeuvre('ramp_steer', ('front_cornering_stiffness', 'rear_cornering_stiffness'),
              'constant speed, steering turned slowly and evenly', _ramp, 8.0),
    Manoeuvre('coast_down', ('speed response', 'wheel_scale'),
              'straight ahead up to speed, then let go', _coast, 3.0),
    Manoeuvre('step_steer', ('steering_delay', 'steering_lag', 'yaw_inertia'),
              'constant speed, the steering turned at once', _step, 4.0),
    Manoeuvre('circle_to_slip', ('friction_coefficient', 'slip_stiffness'),
              'a circle driven faster and faster until the car slides', _slip, 3.0),
)


def plan(drives: Sequence[Drive]) -> list[PlanRow]:
    """How much of each manoeuvre the drives contain; no drives ask for every manoeuvre."""
    return [PlanRow(row, sum(row.found(drive) for drive in drives)) for row in MANOEUVRES]
