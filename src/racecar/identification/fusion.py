# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""A path and velocities from localisation, gyroscope and accelerometer together.

Errors of a localisation last for some tenths of a second, so no filter of the path alone takes
them off; but an accelerometer knows how the car moved meanwhile. With the specific force (fx, fy)
that the sensor measures, l ahead of the rear axle, the acceleration of the rear axle is

    ax = kx fx - bx + l r^2        ay = ky fy - by - l r'

(k scale, which takes up how body and load lean; b bias; r yaw rate; f read d later). k, b, l and d
are those for which the acceleration, turned by the heading and summed, gives the second difference
D of the path over LAG, robustly and around what is assumed of them:

    D = p(t + T) - 2 p(t) + p(t - T) = integral of (T - |s|) a(t + s) ds from -T to T

Along each axis of the ground the path is then p + e + v and what the accelerometer gives is p less
the double integral of c: v white, e and c first-order Gauss-Markov processes. c has
ACCELERATION_ERROR; the deviation of e is what D misses beyond that. A Kalman filter and
Rauch-Tung-Striebel smoother of (p, p', c, e) takes them apart. Neither wheels nor a model of the
vehicle are used, so what comes out may evaluate both.
Sources: Farrell, Aided Navigation, 2008, chapters 4 and 7 (complementary filter); smoother.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from scipy.integrate import cumulative_trapezoid
from scipy.ndimage import binary_erosion, gaussian_filter1d, label
from scipy.optimize import least_squares

from racecar.identification.drive import Array, Flags
from racecar.identification.smoother import LinearModel, noise_of, smooth_linear

LAG = 0.5
"""Time over which path and accelerometer are compared [s]."""
ACCELERATION_ERROR = 0.3
"""Assumed standard deviation of the accelerometer's error, with vibration and lean [m/s^2]."""
_ACCELERATION_TIME = 0.3
_PATH_TIME = 0.3
"""Correlation times of the errors [s]."""
LEAST_ERROR = 0.01
"""Error of a path from which it is fused [m]."""
MOST_ACCELERATION = 1e3
"""What no accelerometer of a car measures [m/s^2]."""
_ASSUMED = np.array([1.0, 1.0, 0.0, 0.0, 0.0, 0.0])
_DOUBT = np.array([0.2, 0.2, 0.3, 0.3, 0.2, 0.03])
_LEAST_ROWS = 20


class Accelerometer(NamedTuple):
    """Scales [-], biases [m/s^2], place ahead of the rear axle [m], delay [s]; see the module."""

    scale_x: float
    scale_y: float
    bias_x: float
    bias_y: float
    ahead: float
    delay: float


class Motion(NamedTuple):
    """Columns (n,) of what is fused: path [m], heading [rad], gyroscope, accelerometer [SI]."""

    x: Array
    y: Array
    yaw: Array
    yaw_rate: Array
    ax: Array
    ay: Array


class FusedPath(NamedTuple):
    """x, y [m], velocity of the rear axle in the frame of the car [m/s]; estimated path_error [m].

    Outside of where the path was usable x, y are those of the path and the velocities NaN.
    """

    x: Array
    y: Array
    vx: Array
    vy: Array
    path_error: float
    sensor: Accelerometer


def fuse_path(motion: Motion, usable: Flags, moving: Flags, period: float) -> FusedPath | None:
    """Return the fused path, or None where the path is as good or cannot be compared.

    It cannot with too little motion, or accelerations beyond MOST_ACCELERATION. usable: where the
    path has neither gaps nor jumps; moving: where the car drives; period [s].
    """
    inside = binary_erosion(usable & moving, np.ones(2 * round(LAG / period) + 1))
    largest = max(float(np.abs(column).max()) for column in (motion.ax, motion.ay))
    if inside.sum() * period < _LEAST_ROWS * 0.5 * LAG or not largest < MOST_ACCELERATION:
        return None
    sensor = _calibrate(motion, inside, period)
    ground = _accelerations(motion, sensor, period)
    missed = np.concatenate([
        _second_difference(path, period)[inside] - _twice_summed(acceleration, period)[inside]
        for path, acceleration in zip((motion.x, motion.y), ground, strict=True)])
    path_error = _path_error(float((1.4826 * np.median(np.abs(missed)))**2), period)
    if path_error < LEAST_ERROR:
        return None
    x, y = motion.x.copy(), motion.y.copy()
    rates = [np.full(x.size, np.nan), np.full(x.size, np.nan)]
    numbers, count = label(usable)
    for number in range(1, count + 1):
        part = np.flatnonzero(numbers == number)
        own = slice(int(part[0]), int(part[-1]) + 1)
        if part.size < 3:
            continue
        for path, rate, acceleration in zip((x, y), rates, ground, strict=True):
            path[own], rate[own] = _smooth(path[own], acceleration[own], path_error, period)
    cosine, sine = np.cos(motion.yaw), np.sin(motion.yaw)
    return FusedPath(x, y, cosine * rates[0] + sine * rates[1],
                     cosine * rates[1] - sine * rates[0], path_error, sensor)


def _second_difference(path: Array, period: float) -> Array:
    """Return D (n,) of the module; 0 near the ends."""
    reach = round(LAG / period)
    found = np.zeros(path.size)
    found[reach:-reach] = path[2 * reach:] - 2.0 * path[reach:-reach] + path[:-2 * reach]
    return found


def _weights(period: float) -> tuple[Array, Array]:
    """Return s from -T to T [samples] and the weights (T - |s|) ds [s^2]."""
    reach = round(LAG / period)
    steps = np.arange(-reach, reach + 1, dtype=np.float64)
    return steps, period**2 * (reach - np.abs(steps))


def _twice_summed(acceleration: Array, period: float) -> Array:
    """Return the integral (n,) that D is by an acceleration [m]."""
    return np.convolve(acceleration, _weights(period)[1], 'same')


def _accelerations(
    motion: Motion, sensor: Accelerometer, period: float,
) -> tuple[Array, Array]:
    """Return the accelerations of the rear axle along x and y of the ground [m/s^2]."""
    samples = np.arange(motion.ax.size, dtype=np.float64)
    ax, ay = (np.interp(samples + sensor.delay / period, samples, column)
              for column in (motion.ax, motion.ay))
    turn = np.gradient(gaussian_filter1d(motion.yaw_rate, 1.5), period)
    along = sensor.scale_x * ax - sensor.bias_x + sensor.ahead * motion.yaw_rate**2
    across = sensor.scale_y * ay - sensor.bias_y - sensor.ahead * turn
    cosine, sine = np.cos(motion.yaw), np.sin(motion.yaw)
    return cosine * along - sine * across, sine * along + cosine * across


def _calibrate(motion: Motion, inside: Flags, period: float) -> Accelerometer:
    rows = np.flatnonzero(inside)[::max(round(0.5 * LAG / period), 1)]
    wanted = np.concatenate([
        _second_difference(path, period)[rows] for path in (motion.x, motion.y)])

    def given(values: Array) -> Array:
        return np.concatenate([
            _twice_summed(acceleration, period)[rows]
            for acceleration in _accelerations(motion, Accelerometer(*values.tolist()), period)])

    # All but the delay act linearly, and the delay of some samples nearly so.
    centre = given(_ASSUMED)
    design = np.column_stack([
        (given(_ASSUMED + change) - centre) / change.sum() for change in np.diag(0.1 * _DOUBT)])
    error = max(1.4826 * float(np.median(np.abs(wanted - centre))), 1e-6)
    found = least_squares(
        lambda change: np.concatenate([
            (centre + design @ change - wanted) / error, change / _DOUBT]),
        np.zeros(_ASSUMED.size), loss='soft_l1', x_scale=_DOUBT)
    return Accelerometer(*(_ASSUMED + found.x).tolist())


def _path_error(missed: float, period: float) -> float:
    """Return the standard deviation of the path's error [m]; missed: variance of D's error."""
    steps, kernel = _weights(period)
    alike = np.exp(-np.abs(steps[:, None] - steps[None, :]) * period / _ACCELERATION_TIME)
    of_accelerometer = ACCELERATION_ERROR**2 * float(kernel @ alike @ kernel)
    fading = math.exp(-LAG / _PATH_TIME)
    share = 6.0 - 8.0 * fading + 2.0 * fading**2
    # An accelerometer better than assumed must not make the path perfect.
    return math.sqrt(max(missed - of_accelerometer, 0.25 * missed) / share)


def _smooth(
    path: Array, acceleration: Array, path_error: float, period: float,
) -> tuple[Array, Array]:
    """Return position and velocity (n,) along one axis."""
    h = period
    rate = cumulative_trapezoid(acceleration, dx=h, initial=0.0)
    # Exact for an acceleration that is linear between samples.
    position = np.concatenate([[0.0], np.cumsum(
        h * rate[:-1] + h * h * (2.0 * acceleration[:-1] + acceleration[1:]) / 6.0)])
    stays = np.exp(-h / np.array([_ACCELERATION_TIME, _PATH_TIME]))
    transition = np.array([
        [1.0, h, 0.5 * h * h, 0.0], [0.0, 1.0, h, 0.0],
        [0.0, 0.0, stays[0], 0.0], [0.0, 0.0, 0.0, stays[1]]])
    errors = np.array([ACCELERATION_ERROR, path_error])**2
    process = np.diag([1e-12, 1e-10, *(errors * (1.0 - stays**2))])
    # What is smoothed is how far the path is from the summed acceleration: all of it is linear.
    off = path - position
    found = smooth_linear(
        LinearModel(transition, process, np.array([[1.0, 0.0, 0.0, 1.0]]),
                    np.array([[noise_of(path)**2]])),
        np.ascontiguousarray(off[:, None]), np.array([off[0], 0.0, 0.0, 0.0]),
        np.diag([path_error**2 + 1e-4, 25.0, *errors]))
    return position + found[:, 0], rate + found[:, 1]
