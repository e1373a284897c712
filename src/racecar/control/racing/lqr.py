# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""Linear quadratic regulator of the lateral error, scheduled over speed, with the tyres' steering.

    delta = delta(v, v^2 kappa) - K(v) [e_b, e', theta - theta_ss, theta']

e_b: lateral error of the centre of gravity, to the left, bounded where it would have the car come
back more steeply than by the approach angle, see approach; theta: heading error;
theta_ss: that of steady cornering, minus the sideslip. K(v) minimises the sum of Q x^2 +
R delta^2 for the linear single track in error coordinates, discretised at the period of the
answers. delta(v, ay) is the steering of steady cornering of the vehicle's own tyres. Source:
Rajamani, Vehicle Dynamics and Control, 2nd ed., chapters 2.5 and 3; Snider, CMU-RI-TR-09-08.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from racecar.base.compiled import pure
from racecar.base.types import CarMotion
from racecar.base.vectors import Flat
from racecar.control.progress import Path, PROGRESS
from racecar.control.racing.approach import APPROACH_ANGLE, bounded_error, checked_approach
from racecar.control.racing.settings import check_not_negative, check_positive
from racecar.control.racing.speed import (
    Caution,
    checked_caution,
    slower,
    speed_command,
    speed_parameters,
    SpeedParameters,
)
from racecar.control.racing.steering_table import (
    cornering_steering,
    sideslip_slope,
    steering_table,
)
from racecar.dynamics.vehicles.grip_map import GripMap
from racecar.dynamics.vehicles.parameters import VehicleParameters

Array = NDArray[np.float64]

# Speeds of the schedule [m/s], and steps of the Riccati recursion, far beyond where it settles.
_LOWEST, _STEP, _ROUNDS = 0.5, 0.5, 2000
_ERRORS = 4


class State(NamedTuple):
    """The last steering angle [rad], and by what share the car drives slower than its line."""

    steering: float
    slowing: float


class Parameters(NamedTuple):
    """to_cog: from base_link to the centre of gravity, forwards [m]; steady cornering: sideslip.

    Sideslip at the centre of gravity over curvature is b - slope v^2 [m], see Rajamani (3.10).
    gains, rows: where the schedule begins in the table, and how many rows it has. approach_angle
    [rad]: see bounded_error().
    """

    to_cog: float
    to_rear: float
    slope: float
    gains: float
    rows: float
    approach_angle: float
    speed: SpeedParameters
    caution: Caution


@pure
def gain_at(numbers: Flat, at: int, part: float) -> float:
    """A gain between two rows of the schedule."""
    return (1.0 - part) * numbers[at] + part * numbers[at + _ERRORS]


@pure
def step(
    state: State, parameters: Parameters, car: CarMotion, path: Path, dt: float,
) -> tuple[State, float, float]:
    """Next state, speed [m/s] and steering angle [rad]."""
    p = parameters
    vx = max(car.vx, 0.0)
    vy = car.vy + p.to_cog * car.yaw_rate
    theta = path.heading_error
    drift = vy + vx * theta
    turning = car.yaw_rate - vx * path.curvature
    steady = -(p.to_rear - p.slope * vx * vx) * path.curvature
    place = min(max((vx - _LOWEST) / _STEP, 0.0), p.rows - 1.0)
    row = min(max(int(place), 0), int(p.rows) - 2)
    part = place - row
    numbers, at = path.numbers, path.table + int(p.gains) + _ERRORS * row
    steering = cornering_steering(numbers, path.table, vx, path.curvature)
    lateral_gain, drift_gain, heading_gain, turning_gain = (
        gain_at(numbers, at, part), gain_at(numbers, at + 1, part),
        gain_at(numbers, at + 2, part), gain_at(numbers, at + 3, part))
    lateral_error = bounded_error(
        p.approach_angle, path.lateral_error, (drift_gain * vx + heading_gain) / lateral_gain)
    steering -= lateral_gain * lateral_error
    steering -= drift_gain * drift
    steering -= heading_gain * (theta - steady)
    steering -= turning_gain * turning
    slowing = slower(p.caution, state.slowing, path.lateral_error, dt)
    return (State(steering, slowing), speed_command(p.speed, path, car.vx, 1.0 - slowing),
            steering)


class LinearQuadratic:
    """See the top of the file."""

    follows = PROGRESS
    step = staticmethod(step)

    def __init__(
        self, vehicle: VehicleParameters, *, lateral_weight: float = 1.0,
        heading_weight: float = 0.1, rate_weight: float = 0.0, steering_weight: float = 0.3,
        period: float = 0.02, tyre_model: str = 'pacejka', preview: float = 0.0,
        speed_gain: float = 0.5, slip_feed_forward: float = 0.0, caution: float = 0.0,
        allowed_error: float = 0.08, most_caution: float = 0.3, caution_time: float = 60.0,
        approach_angle: float = APPROACH_ANGLE, rate: float = 0.0, latency: float = 0.0,
    ) -> None:
        """Take a vehicle, weights of errors [m, rad, rad/s] and of steering [rad], and the rest.

        rate: of answers [Hz], 0 for each odometry; the gains are made for its period, without
        one for period [s]; latency: until an answer acts [s]; caution [1/(m s)], allowed_error
        [m], most_caution [-], caution_time [s]: see slower(); approach_angle: largest angle to
        the line [rad], see approach; others: see SpeedParameters. Raises ParameterError for
        values out of range.
        """
        check_positive(
            lateral_weight=lateral_weight, steering_weight=steering_weight, period=period)
        check_not_negative(heading_weight=heading_weight, rate_weight=rate_weight)
        self.rate, self.latency = rate, latency
        to_cog = -vehicle.odometry_offset
        self.point_ahead = to_cog
        speeds = np.arange(_LOWEST, max(vehicle.speed_max, 2.0) + _STEP, _STEP)
        weights = np.diag([lateral_weight, 0.0, heading_weight, rate_weight])
        table = steering_table(GripMap.of(vehicle, tyre_model))
        between = 1.0 / rate if rate > 0.0 else period
        gains = np.array([
            regulator(*error_dynamics(vehicle, float(speed), between), weights, steering_weight)
            for speed in speeds])
        self.table = np.concatenate([table, gains.ravel()])
        self.state = State(0.0, 0.0)
        self.parameters = Parameters(
            to_cog, vehicle.cog_to_rear_axle, sideslip_slope(vehicle),
            float(len(table)), float(len(speeds)), checked_approach(approach_angle),
            speed_parameters(vehicle, preview, speed_gain, slip_feed_forward),
            checked_caution(caution, allowed_error, most_caution, caution_time))


def error_dynamics(vehicle: VehicleParameters, speed: float, dt: float) -> tuple[Array, Array]:
    """Matrices A (4, 4) and B (4,) of the errors over a step [s] at a speed, steering held."""
    a, b, mass, inertia = (vehicle.cog_to_front_axle, vehicle.cog_to_rear_axle, vehicle.mass,
                           vehicle.yaw_inertia)
    front, rear = vehicle.front_cornering_stiffness, vehicle.rear_cornering_stiffness
    both, moment = front + rear, a * front - b * rear
    damping = a * a * front + b * b * rear
    rates = np.array([
        [0.0, 1.0, 0.0, 0.0],
        [0.0, -both / (mass * speed), both / mass, -moment / (mass * speed)],
        [0.0, 0.0, 0.0, 1.0],
        [0.0, -moment / (inertia * speed), moment / inertia, -damping / (inertia * speed)]])
    steering = np.array([0.0, front / mass, 0.0, a * front / inertia])
    # Exponential of both together by halving the step until its series has few terms.
    whole = np.zeros((5, 5))
    whole[:4, :4], whole[:4, 4] = rates * dt, steering * dt
    halvings = max(0, int(np.ceil(np.log2(max(np.abs(whole).sum(axis=1).max(), 1e-9)))) + 4)
    part = whole / 2.0**halvings
    found, term = np.eye(5), np.eye(5)
    for k in range(1, 12):
        term = term @ part / k
        found = found + term
    for _ in range(halvings):
        found = found @ found
    return found[:4, :4], found[:4, 4]


def regulator(a: Array, b: Array, weights: Array, steering_weight: float) -> Array:
    """Gains (4,) that minimise the sum of x' Q x + R u^2 for x' = A x + B u, u = -K x."""
    cost, before = weights, np.zeros_like(b)
    for _ in range(_ROUNDS):
        gains = (b @ cost @ a) / (steering_weight + b @ cost @ b)
        cost = weights + a.T @ cost @ (a - np.outer(b, gains))
        if float(np.abs(gains - before).max()) < 1e-12 * float(np.abs(gains).max()):
            break
        before = gains
    return np.asarray(gains)
