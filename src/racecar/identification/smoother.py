# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""Velocities from a noisy pose: Kalman filter forwards, Rauch-Tung-Striebel backwards.

Position, each axis by itself: states p, v, a with white jerk, measured p. Heading: states yaw, r
and the bias b of the gyroscope, with white angular acceleration and a bias that walks slowly,
measured yaw and, if there is one, the gyroscope r + b. White angular acceleration turns the
heading by a share that the rates at both ends of a step tell and one of variance q h^3/12 that
they do not; without the latter the heading would have to obey the trapezoidal rule, which is some
0.1 ms late where the steering steps between two samples. Both models are linear, so no
linearisation is involved; the velocity of the body is that of the path turned by the heading. The
noise of a measurement is estimated from its third differences, which a smooth motion does not
have. Source: Rauch, Tung, Striebel, "Maximum likelihood estimates of linear dynamic systems",
1965.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from racecar.base.compiled import kernel, routine
from racecar.identification.drive import Array, StateNoise

JERK = 30.0
"""Spectral density of the jerk of the path [m/s^3/sqrt(Hz)]."""
ANGULAR = 20.0
"""Spectral density of the angular acceleration [rad/s^2/sqrt(Hz)]."""
WITHIN = 1.0
"""The same of what turns the heading between two samples of the rate and shows in neither."""
_BIAS_WALK = 1e-4
_LEAST_NOISE = 1e-4


class SmoothPose(NamedTuple):
    """x, y [m], yaw [rad], world velocities [m/s], yaw rate [rad/s], mean gyro bias [rad/s]."""

    x: Array
    y: Array
    yaw: Array
    x_rate: Array
    y_rate: Array
    yaw_rate: Array
    bias: float


# Not rows[k] = row: to compile the message for shapes that differ takes Numba four seconds.
@routine
def _keep_vector(rows: Array, k: int, row: Array) -> None:
    for i in range(len(row)):
        rows[k, i] = row[i]


@routine
def _keep_matrix(rows: Array, k: int, row: Array) -> None:
    for i in range(len(row)):
        for j in range(len(row)):
            rows[k, i, j] = row[i, j]


class LinearModel(NamedTuple):
    """x' = F x + w, z = H x + v: transition F (s, s), measured H (m, s).

    process Q (s, s), noise R (m, m): covariances of w and v.
    """

    transition: Array
    process: Array
    measured: Array
    noise: Array


@kernel
def smooth_linear(model: LinearModel, values: Array, state: Array, covariance: Array) -> Array:
    """Return the smoothed states (n, s) of a model.

    values z (n, m); state, covariance: before the first value.
    """
    transition, process, measured, noise = model
    count, size = len(values), len(state)
    predicted = np.empty((count, size))
    filtered = np.empty((count, size))
    predicted_p = np.empty((count, size, size))
    filtered_p = np.empty((count, size, size))
    x, p = state.copy(), covariance.copy()
    identity = np.eye(size)
    for k in range(count):
        if k > 0:
            x = transition @ x
            p = transition @ p @ transition.T + process
        _keep_vector(predicted, k, x)
        _keep_matrix(predicted_p, k, p)
        gain = p @ measured.T @ np.linalg.inv(measured @ p @ measured.T + noise)
        x = x + gain @ (values[k] - measured @ x)
        p = (identity - gain @ measured) @ p
        _keep_vector(filtered, k, x)
        _keep_matrix(filtered_p, k, p)
    smooth = filtered.copy()
    for k in range(count - 2, -1, -1):
        back = filtered_p[k] @ transition.T @ np.linalg.inv(predicted_p[k + 1])
        _keep_vector(smooth, k, filtered[k] + back @ (smooth[k + 1] - predicted[k + 1]))
    return smooth


def noise_of(values: Array) -> float:
    """Return the standard deviation of what is not smooth in a series."""
    third = np.diff(values, 3)
    if not third.size:
        return _LEAST_NOISE
    # White noise: variance of the third difference is 1 + 9 + 9 + 1 times its own.
    return max(float(1.4826 * np.median(np.abs(third)) / np.sqrt(20.0)), _LEAST_NOISE)


def state_noise(position: float, yaw: float, gyro: float | None, period: float) -> StateNoise:
    """Standard deviations of the result of smooth_pose() far from the ends of a drive.

    position [m], yaw [rad], gyro [rad/s], None without: standard deviations of samples. Of the
    Wiener smoother of the same models: errors of x have the power spectral density
    1/(1/R + w^6/JERK^2), those of yaw 1/(1/R + w^2/R_gyro + w^4/ANGULAR^2), R = sigma^2 period.
    """
    density = position**2 * period
    cut = (JERK**2 / density)**(1.0 / 6.0)
    a, c = ANGULAR**-2, 1.0 / (yaw**2 * period)
    b = 0.0 if gyro is None else 1.0 / (gyro**2 * period)
    root = math.sqrt(b + 2.0 * math.sqrt(a * c))
    turning = math.sqrt(0.5 / (math.sqrt(a) * root))
    # Of samples that hardly overlap in what is smoothed each keeps its own noise.
    return StateNoise(
        min(math.sqrt(density * cut / 3.0), position), math.sqrt(density * cut**3 / 6.0),
        min(math.sqrt(0.5 / (math.sqrt(c) * root)), yaw),
        turning if gyro is None else min(turning, gyro))


def smooth_axis(values: Array, period: float) -> Array:
    """Return position, velocity and acceleration (n, 3) along one axis; values [m]."""
    h = period
    transition = np.array([[1.0, h, 0.5 * h * h], [0.0, 1.0, h], [0.0, 0.0, 1.0]])
    process = JERK**2 * np.array([
        [h**5 / 20.0, h**4 / 8.0, h**3 / 6.0],
        [h**4 / 8.0, h**3 / 3.0, h**2 / 2.0],
        [h**3 / 6.0, h**2 / 2.0, h]]) + 1e-12 * np.eye(3)
    return smooth_linear(
        LinearModel(transition, process, np.array([[1.0, 0.0, 0.0]]),
                    np.array([[noise_of(values)**2]])), np.ascontiguousarray(values[:, None]),
        np.array([values[0], 0.0, 0.0]), np.diag([1.0, 25.0, 100.0]))


def smooth_heading(yaw: Array, gyro: Array | None, period: float) -> Array:
    """Return yaw, yaw rate and gyro bias (n, 3); yaw unwrapped [rad], gyro [rad/s]."""
    h = period
    transition = np.array([[1.0, h, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]])
    step = np.array([[0.5 * h], [1.0], [0.0]])
    process = ANGULAR**2 * h * step @ step.T + np.diag(
        [WITHIN**2 * h**3 / 12.0, 1e-14, _BIAS_WALK**2 * h])
    measured, noise, values = [[1.0, 0.0, 0.0]], [noise_of(yaw)**2], [yaw]
    if gyro is not None:
        measured.append([0.0, 1.0, 1.0])
        noise.append(noise_of(gyro)**2)
        values.append(gyro)
    bias = 0.05**2 if gyro is not None else 1e-12
    return smooth_linear(
        LinearModel(transition, process, np.array(measured), np.diag(noise)),
        np.ascontiguousarray(np.column_stack(values)), np.array([yaw[0], 0.0, 0.0]),
        np.diag([1.0, 25.0, bias]))


def smooth_pose(
    x: Array, y: Array, yaw: Array, gyro: Array | None, period: float,
) -> SmoothPose:
    """Return the smoothed motion; x, y [m], yaw unwrapped [rad], gyro [rad/s] or None, (n,)."""
    along_x, along_y = smooth_axis(x, period), smooth_axis(y, period)
    heading = smooth_heading(yaw, gyro, period)
    return SmoothPose(
        along_x[:, 0], along_y[:, 0], heading[:, 0], along_x[:, 1], along_y[:, 1],
        heading[:, 1], float(heading[:, 2].mean()) if gyro is not None else 0.0)
