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

A step is Euler's. With `midpoint` the pose goes by the means of the rates before and after it, and
the noise of a rate has the covariance with the pose that it gives it within the step: q dt^2/2
with the rate and q dt^3/3 of itself, for a density q (the same book, section 6.2.2). So what a
measured rate corrects, corrects the way since the last one by half of it. Without that the heading
is off by dt/2 times the change of the yaw rate, 15 mrad from 0 to 3 rad/s at 100 Hz.
"""

from __future__ import annotations

import math
from typing import NamedTuple

from racecar.base.compiled import pure, subroutine
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


class ModelNoise(NamedTuple):
    """Densities of the noise of vx, vy [m/s^1.5] and of the yaw rate [rad/s^1.5].

    How well a single track with brush tyres knows a car with load transfer and a drive.
    """

    along: float = 1.0
    across: float = 0.15
    turning: float = 0.6


LOOSE = ModelNoise(1.0, 0.4, 2.0)
"""That of a car at its limits, whose wheels slip in both directions."""

# Deviations at the start, where the pose is measured and all else is not [m/s], [rad/s].
_FIRST_VY, _FIRST_RATE = 0.3, 0.5


class Tyre(NamedTuple):
    """Brush tyres of an axle: stiffness [N/rad] and largest force [N]."""

    stiffness: float
    limit: float


class FilterParameters(NamedTuple):
    """Vehicle and noise [SI].

    front, rear: from the centre of gravity to the axles; drift_time: T, of drifts whose stationary
    deviations are pose_drift and heading_drift; midpoint: 1 with it, see the top.
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
    model: ModelNoise = ModelNoise()
    midpoint: float = 0.0


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


@subroutine
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


@subroutine
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


@subroutine
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


@pure
def _add_noise(
    numbers: Flat, cov: int, way: tuple[int, int, float], density: float, dt: float,
) -> None:
    """Add what the noise of a rate does to a row of the pose within a time [s].

    way: of the rate, that row, and the share of the rate by which it changes.
    """
    rate, row, share = way
    both = 0.5 * share * density * dt * dt
    numbers[cov + SIZE * row + rate] += both
    numbers[cov + SIZE * rate + row] += both
    numbers[cov + (SIZE + 1) * row] += share * share * density * dt * dt * dt / 3.0


@subroutine
def predict(
    p: FilterParameters, numbers: Flat, at: int, scratch: int, steering: float, dt: float,
) -> None:
    """Move the filter on by a time [s] with a steering angle in force [rad].

    at, scratch: where its FILTER_NUMBERS and SCRATCH_NUMBERS lie.
    """
    vx, vy, rate = numbers[at + VX], numbers[at + VY], numbers[at + TURN]
    forces = _forces(p, vx, vy, rate, steering)
    _linearise(p, numbers, at, scratch, forces, dt)
    numbers[at + VY] += dt * ((forces.front + forces.rear) / p.mass - rate * vx)
    numbers[at + TURN] += dt * (p.front * forces.front - p.rear * forces.rear) / p.inertia
    middle = numbers[at + 2]
    if p.midpoint > 0.0:
        vy, rate = 0.5 * (vy + numbers[at + VY]), 0.5 * (rate + numbers[at + TURN])
        middle += 0.5 * dt * rate
    s, c = sine_cosine(middle)
    numbers[at] += dt * (vx * c - vy * s)
    numbers[at + 1] += dt * (vx * s + vy * c)
    numbers[at + 2] += dt * rate
    cov, keep = at + SIZE, _kept(p, dt)
    _carry(numbers, cov, scratch)
    along, across, turning = (
        p.model.along * p.model.along, p.model.across * p.model.across,
        p.model.turning * p.model.turning)
    if p.midpoint > 0.0:
        _add_noise(numbers, cov, (VX, 0, c), along, dt)
        _add_noise(numbers, cov, (VX, 1, s), along, dt)
        _add_noise(numbers, cov, (VY, 0, -s), across, dt)
        _add_noise(numbers, cov, (VY, 1, c), across, dt)
        _add_noise(numbers, cov, (TURN, 2, 1.0), turning, dt)
        both = (along - across) * c * s * dt * dt * dt / 3.0
        numbers[cov + 1] += both
        numbers[cov + SIZE] += both
    numbers[cov + (SIZE + 1) * VX] += along * dt
    numbers[cov + (SIZE + 1) * VY] += across * dt
    numbers[cov + (SIZE + 1) * TURN] += turning * dt
    for k in range(3):
        drift = drift_of(p, k)
        numbers[at + DRIFT + k] *= keep
        numbers[cov + (SIZE + 1) * (DRIFT + k)] += (1.0 - keep * keep) * drift * drift


@subroutine
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


@subroutine
def take_motion(
    p: FilterParameters, numbers: Flat, at: int, scratch: int, speed: float, yaw_rate: float,
) -> float:
    """Take a measured speed [m/s] and yaw rate [rad/s]; returns their normalised innovation."""
    found = _take(numbers, at, scratch, VX, speed - numbers[at + VX],
                  p.speed_noise * p.speed_noise)
    return found + _take(numbers, at, scratch, TURN, yaw_rate - numbers[at + TURN],
                         p.yaw_rate_noise * p.yaw_rate_noise)


@subroutine
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
