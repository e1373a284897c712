# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""Does a log mean what it says? Units, axes and signs, each against something else in the log.

Each check takes the columns on one grid of time and returns them, corrected where the cause is
unmistakable, with a sentence that names what it saw; else it raises RunError. What the quantities
are compared with: the heading with the course of the path, the gyroscope with the heading, the
steering with the curvature, the wheels with the way made good, the accelerometer with v r and
dv/dt.
"""

from __future__ import annotations

from collections.abc import Callable
import math
from typing import NamedTuple

import numpy as np
from scipy.ndimage import gaussian_filter1d

from racecar.base.errors import RunError
from racecar.dynamics.vehicles.parameters import GRAVITY
from racecar.identification.drive import Array, Flags

Columns = dict[str, Array]

DEGREES = 180.0 / math.pi
_NEAR = 0.3
"""Relative deviation up to which a ratio counts as the factor of a unit."""
MOVING = 0.5
"""Speed from which a heading can be told from the path [m/s]."""
_LEAST_MOVING = 2.0
_STEERING_LIMIT = 1.6
_LATEST = 0.3
"""Delay up to which the yaw rate may follow the steering [s]."""
_CLEAR = 0.4
"""Correlation from which two quantities belong together."""


class Checked(NamedTuple):
    """Columns in SI and the right axes; notes about what was corrected."""

    columns: Columns
    notes: list[str]


class Motion(NamedTuple):
    """What the path says by itself: speed [m/s], rate of the course [rad/s]; where it moves."""

    speed: Array
    course: Array
    course_rate: Array
    moving: Flags


def check_columns(name: str, columns: Columns, period: float) -> Checked:
    """Return the columns in order; columns: by quantity, each (n,). Raises RunError."""
    notes: list[str] = []
    columns = dict(columns)
    stands = _check_moving(name, columns, period)
    if stands:
        raise RunError(stands)
    for check in (_check_yaw, _check_gyro, _check_mirror, _check_frame, _check_steering,
                  _check_wheels, _check_accelerations):
        note = check(name, columns, period)
        if note:
            notes.append(f'{name}: {note}')
    return Checked(columns, notes)


def path_motion(columns: Columns, period: float) -> Motion:
    """Return the motion of the path, smoothed over about 0.1 s."""
    width = max(0.06 / period, 0.5)
    x_rate = np.gradient(gaussian_filter1d(columns['x'], width), period)
    y_rate = np.gradient(gaussian_filter1d(columns['y'], width), period)
    speed = np.hypot(x_rate, y_rate)
    course = np.unwrap(np.arctan2(y_rate, x_rate))
    moving = (speed > MOVING) & (columns['wheel_speed'] > 0.0)
    return Motion(speed, course, np.gradient(course, period), moving)


def _check_moving(name: str, columns: Columns, period: float) -> str | None:
    fastest = float(np.abs(columns['wheel_speed']).max())
    way = float(np.hypot(np.ptp(columns['x']), np.ptp(columns['y'])))
    if fastest < MOVING or way < MOVING:
        return (f'{name}: the car stands: its wheels turn at {fastest:.3g} m/s at most and it'
                f' covers {way:.3g} m, expected a drive')
    seconds = float(np.sum(path_motion(columns, period).moving)) * period
    if seconds < _LEAST_MOVING:
        return (f'{name}: the car moves forward for {seconds:.3g} s only, expected at least'
                f' {_LEAST_MOVING:g} s above {MOVING:g} m/s')
    return None


def _slope(y: Array, x: Array) -> tuple[float, float]:
    """Return the slope of y over x through the origin, and their correlation."""
    xx, yy, xy = float(x @ x), float(y @ y), float(x @ y)
    if xx <= 0.0 or yy <= 0.0:
        return 0.0, 0.0
    return xy / xx, xy / math.sqrt(xx * yy)


def _is_near(value: float, wanted: float) -> bool:
    return abs(value - wanted) <= _NEAR * abs(wanted)


def _check_yaw(name: str, columns: Columns, period: float) -> str | None:
    motion = path_motion(columns, period)
    turning = motion.moving & (np.abs(motion.course_rate) < 20.0)
    found = []
    for factor in (1.0, DEGREES):
        yaw = np.unwrap(columns['yaw'] / factor)
        rate = np.gradient(gaussian_filter1d(yaw, max(0.06 / period, 0.5)), period)
        slope, correlation = _slope(rate[turning], motion.course_rate[turning])
        found.append((abs(abs(slope) - 1.0), factor, correlation, yaw))
    _, factor, correlation, yaw = min(found, key=lambda row: row[0])
    if abs(correlation) < _CLEAR and float(np.ptp(motion.course[motion.moving])) > 1.0:
        raise RunError(
            f'{name}: yaw does not turn with the path (correlation {correlation:.2f}); check'
            ' which columns are x, y and yaw')
    reach = float(np.abs(columns['yaw']).max())
    columns['yaw'] = yaw
    if factor != 1.0:
        return (f'yaw reaches {reach:.4g} and turns {DEGREES:.3g} times as fast as the path: it'
                ' is in degrees; taken as such, write yaw[deg] into the header')
    return None


def _check_gyro(name: str, columns: Columns, period: float) -> str | None:
    gyro = columns.get('yaw_rate')
    if gyro is None:
        return None
    width = max(0.06 / period, 0.5)
    rate = np.gradient(gaussian_filter1d(columns['yaw'], width), period)
    smooth = gaussian_filter1d(gyro, width)
    slope, correlation = _slope(smooth - smooth.mean(), rate - rate.mean())
    if abs(correlation) < _CLEAR:
        raise RunError(
            f'{name}: yaw_rate does not go with the heading (correlation {correlation:.2f}):'
            ' it is another axis of the gyroscope, or another clock')
    for factor, text in ((1.0, ''), (DEGREES, f'{DEGREES:.3g} times')):
        if _is_near(abs(slope), factor):
            columns['yaw_rate'] = gyro / math.copysign(factor, slope)
            sign = slope < 0.0
            if not text and not sign:
                return None
            way = 'against the heading: clockwise' if sign else 'of the heading: degrees'
            return (f'yaw_rate is {text} {way}; corrected, write yaw_rate[deg/s] into the header'
                    if text else 'yaw_rate turns against the heading: clockwise; turned round')
    raise RunError(
        f'{name}: yaw_rate is {slope:.3g} times the rate of yaw, expected 1 (or {DEGREES:.3g}'
        ' for degrees): check its unit')


def _check_mirror(name: str, columns: Columns, period: float) -> str | None:
    """Find x and y exchanged: the path then turns the other way than the car."""
    motion = path_motion(columns, period)
    rate = np.gradient(columns['yaw'], period)
    m = motion.moving & (np.abs(motion.course_rate) < 20.0)
    slope, _ = _slope(motion.course_rate[m], rate[m])
    if slope >= 0.0:
        return None
    steering = _steering_sense(columns, rate, period)
    if steering > 0.0:
        columns['x'], columns['y'] = columns['y'], columns['x']
        return ('the path turns right where heading and steering turn left: x and y are'
                ' exchanged; changed back')
    columns['yaw'] = -columns['yaw']
    if 'yaw_rate' in columns:
        columns['yaw_rate'] = -columns['yaw_rate']
    return 'the heading turns against the path: it is clockwise; turned round'


def _steering_sense(columns: Columns, rate: Array, period: float) -> float:
    """Return the largest correlation, with its sign, of yaw rate and steering within _LATEST."""
    steering = columns['steering_command'] * np.sign(columns['wheel_speed'])
    best = 0.0
    for shift in range(min(round(_LATEST / period), steering.size - 1) + 1):
        _, value = _slope(rate[shift:], steering[: steering.size - shift])
        best = value if abs(value) > abs(best) else best
    return best


def _check_frame(name: str, columns: Columns, period: float) -> str | None:
    motion = path_motion(columns, period)
    gap = motion.course - columns['yaw']
    straight = motion.moving & (np.abs(motion.course_rate) < 0.3)
    use = straight if straight.sum() > 20 else motion.moving
    offset = float(np.angle(np.exp(1j * gap[use]).mean()))
    quarters = round(offset / (0.5 * math.pi))
    if abs(offset - quarters * 0.5 * math.pi) > 0.35:
        raise RunError(
            f'{name}: the car moves {math.degrees(offset):.0f} degrees off its heading on'
            ' straights; yaw and path are in different frames')
    if quarters == 0:
        return None
    columns['yaw'] = columns['yaw'] + quarters * 0.5 * math.pi
    return (f'the car moves {math.degrees(offset):.0f} degrees off its heading: the frame of yaw'
            f' is turned; {90 * quarters} degrees were added')


def _check_steering(name: str, columns: Columns, period: float) -> str | None:
    steering = columns['steering_command']
    reach = float(np.abs(steering).max())
    note = None
    if reach > _STEERING_LIMIT:
        if reach > 90.0:
            raise RunError(
                f'{name}: steering_command reaches {reach:.4g}, neither radians nor degrees;'
                ' servo positions must be converted')
        columns['steering_command'] = steering = steering / DEGREES
        note = (f'steering_command reaches {reach:.4g}: it is in degrees; taken as such, write'
                ' steering_command[deg] into the header')
    if float(np.ptp(steering)) < 0.02:
        raise RunError(f'{name}: steering_command varies by {float(np.ptp(steering)):.3g} rad'
                       ' only; nothing can be learnt of a car that never steers')
    sense = _steering_sense(columns, np.gradient(columns['yaw'], period), period)
    if sense < -_CLEAR:
        columns['steering_command'] = -steering
        return 'steering_command turns the car right where positive: turned round'
    if sense < 0.2:
        raise RunError(
            f'{name}: the car does not turn as it is steered (correlation {sense:.2f} within'
            f' {_LATEST:g} s); check steering_command and the clocks')
    return note


def _check_wheels(name: str, columns: Columns, period: float) -> str | None:
    motion = path_motion(columns, period)
    fast = motion.speed > MOVING
    ratio = float(np.median(np.abs(columns['wheel_speed'][fast]) / motion.speed[fast]))
    if 0.5 < ratio < 2.2:
        return None
    if _is_near(ratio, 3.6):
        columns['wheel_speed'] = columns['wheel_speed'] / 3.6
        return f'wheel_speed is {ratio:.3g} times the way made good: km/h; taken as such'
    raise RunError(
        f'{name}: wheel_speed is {ratio:.3g} times the way made good, expected about 1 (or 3.6'
        ' for km/h): check its unit and that of x and y')


def _check_accelerations(name: str, columns: Columns, period: float) -> str | None:
    if 'ax' not in columns or 'ay' not in columns:
        return None
    motion = path_motion(columns, period)
    width = max(0.06 / period, 0.5)
    rate = np.gradient(gaussian_filter1d(columns['yaw'], width), period)
    lateral = (motion.speed * rate)[motion.moving]
    ax, ay = (gaussian_filter1d(columns[axis], width)[motion.moving] for axis in ('ax', 'ay'))
    fits: Callable[[Array], tuple[float, float]] = lambda a: _slope(a - a.mean(),  # noqa: E731
                                                                    lateral - lateral.mean())
    (slope_x, of_x), (slope_y, of_y) = fits(ax), fits(ay)
    if float(np.std(lateral)) < 0.3:
        return None
    said = []
    slope = slope_y
    if abs(of_x) > max(abs(of_y), _CLEAR):
        columns['ax'], columns['ay'] = columns['ay'], columns['ax']
        slope = slope_x
        said.append(f'ax goes with v r (correlation {of_x:.2f}) and ay does not ({of_y:.2f}): the'
                    ' axes are exchanged')
    elif abs(of_y) < _CLEAR:
        raise RunError(
            f'{name}: neither ax nor ay goes with v r (correlations {of_x:.2f}, {of_y:.2f});'
            ' check the axes of the accelerometer')
    if slope < 0.0:
        columns['ay'] = -columns['ay']
        said.append('ay is positive to the right')
    if _is_near(abs(slope), 1.0 / GRAVITY):
        columns['ax'], columns['ay'] = columns['ax'] * GRAVITY, columns['ay'] * GRAVITY
        said.append(f'ay is {abs(slope):.3g} times v r: in g')
    if not said:
        return None
    return f"{'; '.join(said)}; corrected"
