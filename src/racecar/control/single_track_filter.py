# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""Extended Kalman filter of a single track: pose, velocities, and the drift of the poses.

State x, y, heading, vx, vy, r of the centre of gravity, then the drift of the measured pose:

    x' = vx cos - vy sin,  y' = vx sin + vy cos,  heading' = r,  vx' = w
    vy' = (Ff cos d + Fr)/m - r vx + w,  r' = (a Ff cos d - b Fr)/I + w,  drift' = -drift/T + w

with brush tyres Ff, Fr of the static loads. A measured pose is that of the state plus its drift
and white noise; speed and yaw rate are measured with white noise. Measurements are taken one after
the other, which for independent noise is the joint update. Sources: Bar-Shalom, Li, Kirubarajan,
Estimation with Applications to Tracking and Navigation, 2001, sections 5.4, 8.2 and 10.3; brush
tyres as in racecar.dynamics.tyres.fiala.
"""

from __future__ import annotations

import math
from typing import NamedTuple

from racecar.base.compiled import pure, routine
from racecar.base.elementary import arctangent2, sine_cosine
from racecar.base.vectors import Flat
from racecar.dynamics.vehicles.parameters import VehicleParameters

POSE, VX, VY, TURN, DRIFT, SIZE = 0, 3, 4, 5, 6, 9
"""Rows of the state; of the drift there are three."""

FILTER_NUMBERS = SIZE + SIZE * SIZE
"""State, then its covariance by rows."""

SCRATCH_NUMBERS = 2 * SIZE * SIZE
"""Numbers that predict() needs to work with."""

# Below this speed the slip is that of this speed [m/s].
_SLOW = 1.0
# Densities of the noise of vx, vy [m/s^1.5] and of the yaw rate [rad/s^1.5]: how well a single
# track with brush tyres knows a car with load transfer and a drive.
_ALONG, _ACROSS, _TURNING = 1.0, 0.15, 0.6
# Deviations at the start, where the pose is measured and all else is not [m/s], [rad/s].
_FIRST_VY, _FIRST_RATE = 0.3, 0.5


class Tyre(NamedTuple):
    """Brush tyres of an axle: stiffness [N/rad] and largest force [N]."""

    stiffness: float
    limit: float


class FilterParameters(NamedTuple):
    """Vehicle and noise [SI].

    front, rear: from the centre of gravity to the axles; drift_time: T, of drifts whose stationary
    deviations are pose_drift and heading_drift.
    """

    mass: float
    inertia: float
    front: float
    rear: float
    front_tyre: Tyre
    rear_tyre: Tyre
    pose_noise: float
    heading_noise: float
    pose_drift: float
    heading_drift: float
    drift_time: float
    speed_noise: float
    yaw_rate_noise: float


def axle_tyres(vehicle: VehicleParameters) -> tuple[Tyre, Tyre]:
    """Tyres of the front and the rear axle under their static loads."""
    friction = vehicle.friction_coefficient
    return (Tyre(vehicle.front_cornering_stiffness, friction * vehicle.front_axle_load),
            Tyre(vehicle.rear_cornering_stiffness, friction * vehicle.rear_axle_load))


@pure
def noise_of(p: FilterParameters, k: int) -> float:
    """Standard deviation of the white noise of x, y or heading [m, rad]."""
    return p.heading_noise if k == 2 else p.pose_noise


@pure
def drift_of(p: FilterParameters, k: int) -> float:
    """Stationary standard deviation of the drift of x, y or heading [m, rad]."""
    return p.heading_drift if k == 2 else p.pose_drift


@pure
def axle_force(tyre: Tyre, slope: float) -> tuple[float, float]:
    """Lateral force [N] for the tangent of the slip angle, and its derivative by that."""
    share = abs(slope) * tyre.stiffness / (3.0 * tyre.limit)
    if share >= 1.0:
        return -math.copysign(tyre.limit, slope), 0.0
    rest = 1.0 - share
    return (-math.copysign(tyre.limit * (1.0 - rest * rest * rest), slope),
            -tyre.stiffness * rest * rest)


@routine
def start_filter(
    p: FilterParameters, numbers: Flat, at: int, pose: tuple[float, float, float],
    motion: tuple[float, float],
) -> None:
    """Start with a measured pose, speed and yaw rate; numbers: from `at` on, FILTER_NUMBERS."""
    for k in range(FILTER_NUMBERS):
        numbers[at + k] = 0.0
    for k in range(3):
        numbers[at + k] = pose[k]
        noise, drift = noise_of(p, k), drift_of(p, k)
        row, of_drift = at + SIZE + (SIZE + 1) * k, at + SIZE + (SIZE + 1) * (DRIFT + k)
        # What the pose is off by is the drift and the noise.
        numbers[row] = noise * noise + drift * drift + 1e-9
        numbers[of_drift] = drift * drift
        numbers[at + SIZE + SIZE * k + DRIFT + k] = -drift * drift
        numbers[at + SIZE + SIZE * (DRIFT + k) + k] = -drift * drift
    numbers[at + VX], numbers[at + TURN] = motion
    numbers[at + SIZE + (SIZE + 1) * VX] = p.speed_noise * p.speed_noise + 1e-6
    numbers[at + SIZE + (SIZE + 1) * VY] = _FIRST_VY * _FIRST_VY
    numbers[at + SIZE + (SIZE + 1) * TURN] = _FIRST_RATE * _FIRST_RATE


class Forces(NamedTuple):
    """Lateral forces of both axles across the car [N], and their derivatives by vx, vy.

    front_by_vy: by the lateral velocity at the axle, of which vy and yaw rate are parts.
    """

    front: float
    rear: float
    front_by_vx: float
    front_by_vy: float
    rear_by_vx: float
    rear_by_vy: float


@pure
def _forces(p: FilterParameters, vx: float, vy: float, rate: float, steering: float) -> Forces:
    sine, cosine = sine_cosine(steering)
    along, is_moving = max(vx, _SLOW), 1.0 if vx > _SLOW else 0.0
    # Tangents of the slip angles, in the axes of the wheels.
    across = vy + p.front * rate
    ahead = max(cosine * along + sine * across, 0.3 * _SLOW)
    front, front_slope = axle_force(p.front_tyre, (cosine * across - sine * along) / ahead)
    slip = (vy - p.rear * rate) / along
    rear, rear_slope = axle_force(p.rear_tyre, slip)
    slope = cosine * front_slope / (ahead * ahead)
    return Forces(
        cosine * front, rear, -is_moving * across * slope, along * slope,
        -is_moving * slip * rear_slope / along, rear_slope / along)


@routine
def _linearise(
    p: FilterParameters, numbers: Flat, at: int, f: int, forces: Forces, dt: float,
) -> None:
    """Write the derivative of the state after a time [s] by that before it, from f on."""
    vx, vy, rate = numbers[at + VX], numbers[at + VY], numbers[at + TURN]
    s, c = sine_cosine(numbers[at + 2])
    for k in range(SIZE * SIZE):
        numbers[f + k] = 0.0
    keep = _kept(p, dt)
    for k in range(SIZE):
        numbers[f + (SIZE + 1) * k] = keep if k >= DRIFT else 1.0
    numbers[f + 2] = -dt * (vx * s + vy * c)
    numbers[f + VX], numbers[f + VY] = dt * c, -dt * s
    numbers[f + SIZE + 2] = dt * (vx * c - vy * s)
    numbers[f + SIZE + VX], numbers[f + SIZE + VY] = dt * s, dt * c
    numbers[f + 2 * SIZE + TURN] = dt
    front_x, front_y, rear_x, rear_y = (
        forces.front_by_vx, forces.front_by_vy, forces.rear_by_vx, forces.rear_by_vy)
    row = f + SIZE * VY
    numbers[row + VX] = dt * ((front_x + rear_x) / p.mass - rate)
    numbers[row + VY] += dt * (front_y + rear_y) / p.mass
    numbers[row + TURN] = dt * ((p.front * front_y - p.rear * rear_y) / p.mass - vx)
    row = f + SIZE * TURN
    numbers[row + VX] = dt * (p.front * front_x - p.rear * rear_x) / p.inertia
    numbers[row + VY] = dt * (p.front * front_y - p.rear * rear_y) / p.inertia
    numbers[row + TURN] += dt * (
        p.front * p.front * front_y + p.rear * p.rear * rear_y) / p.inertia


@routine
def _carry(numbers: Flat, cov: int, f: int) -> None:
    """Covariance P, from cov on, becomes F P F' by F, from f on."""
    half = f + SIZE * SIZE
    for i in range(SIZE):
        for j in range(SIZE):
            total = 0.0
            for k in range(SIZE):
                total += numbers[f + SIZE * i + k] * numbers[cov + SIZE * k + j]
            numbers[half + SIZE * i + j] = total
    for i in range(SIZE):
        for j in range(i + 1):
            total = 0.0
            for k in range(SIZE):
                total += numbers[half + SIZE * i + k] * numbers[f + SIZE * j + k]
            numbers[cov + SIZE * i + j] = total
            numbers[cov + SIZE * j + i] = total


@pure
def _kept(p: FilterParameters, dt: float) -> float:
    """Share of the drift that is left after a time [s]."""
    return math.exp(-dt / p.drift_time)


@routine
def predict(
    p: FilterParameters, numbers: Flat, at: int, scratch: int, steering: float, dt: float,
) -> None:
    """Move the filter on by a time [s] with a steering angle in force [rad].

    at, scratch: where its FILTER_NUMBERS and SCRATCH_NUMBERS lie.
    """
    vx, vy, rate = numbers[at + VX], numbers[at + VY], numbers[at + TURN]
    s, c = sine_cosine(numbers[at + 2])
    forces = _forces(p, vx, vy, rate, steering)
    _linearise(p, numbers, at, scratch, forces, dt)
    numbers[at] += dt * (vx * c - vy * s)
    numbers[at + 1] += dt * (vx * s + vy * c)
    numbers[at + 2] += dt * rate
    numbers[at + VY] += dt * ((forces.front + forces.rear) / p.mass - rate * vx)
    numbers[at + TURN] += dt * (p.front * forces.front - p.rear * forces.rear) / p.inertia
    cov, keep = at + SIZE, _kept(p, dt)
    _carry(numbers, cov, scratch)
    numbers[cov + (SIZE + 1) * VX] += _ALONG * _ALONG * dt
    numbers[cov + (SIZE + 1) * VY] += _ACROSS * _ACROSS * dt
    numbers[cov + (SIZE + 1) * TURN] += _TURNING * _TURNING * dt
    for k in range(3):
        drift = drift_of(p, k)
        numbers[at + DRIFT + k] *= keep
        numbers[cov + (SIZE + 1) * (DRIFT + k)] += (1.0 - keep * keep) * drift * drift


@routine
def _take(
    numbers: Flat, at: int, scratch: int, row: int, innovation: float, variance: float,
) -> float:
    """Take a measurement of a row, with its drift if it is of the pose.

    Returns the squared innovation over its variance.
    """
    cov, is_pose = at + SIZE, row < VX
    for j in range(SIZE):
        # Covariance with what is measured.
        numbers[scratch + j] = numbers[cov + SIZE * j + row] + (
            numbers[cov + SIZE * j + DRIFT + row] if is_pose else 0.0)
    total = variance + 1e-12 + numbers[scratch + row] + (
        numbers[scratch + DRIFT + row] if is_pose else 0.0)
    for i in range(SIZE):
        numbers[at + i] += numbers[scratch + i] / total * innovation
    for i in range(SIZE):
        for j in range(i + 1):
            value = numbers[cov + SIZE * i + j] - (
                numbers[scratch + i] * numbers[scratch + j] / total)
            numbers[cov + SIZE * i + j] = value
            numbers[cov + SIZE * j + i] = value
    return innovation * innovation / total


@routine
def take_motion(
    p: FilterParameters, numbers: Flat, at: int, scratch: int, speed: float, yaw_rate: float,
) -> float:
    """Take a measured speed [m/s] and yaw rate [rad/s]; returns their normalised innovation."""
    found = _take(numbers, at, scratch, VX, speed - numbers[at + VX],
                  p.speed_noise * p.speed_noise)
    return found + _take(numbers, at, scratch, TURN, yaw_rate - numbers[at + TURN],
                         p.yaw_rate_noise * p.yaw_rate_noise)


@routine
def take_pose(
    p: FilterParameters, numbers: Flat, at: int, scratch: int,
    pose: tuple[float, float, float],
) -> float:
    """Take a measured pose [m, m, rad]; returns its normalised innovation."""
    found = 0.0
    for k in range(3):
        innovation = pose[k] - numbers[at + k] - numbers[at + DRIFT + k]
        noise = noise_of(p, k)
        if k == 2:
            sine, cosine = sine_cosine(innovation)
            innovation = arctangent2(sine, cosine)
        found += _take(numbers, at, scratch, k, innovation, noise * noise)
    return found
