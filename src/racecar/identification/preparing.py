# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""From a log to a drive: one clock, checked units and axes, smoothed motion, gaps left out."""

from __future__ import annotations

import math

import numpy as np
from scipy.interpolate import CubicSpline
from scipy.ndimage import binary_dilation, maximum_filter1d
from scipy.signal import savgol_filter

from racecar.base.errors import RunError
from racecar.identification.checks import check_columns, Columns, path_motion
from racecar.identification.drive import (
    Array,
    Channel,
    Drive,
    Flags,
    QUANTITIES,
    RawLog,
    StateNoise,
)
from racecar.identification.fusion import fuse_path, LAG, Motion
from racecar.identification.smoother import noise_of, smooth_pose, state_noise

PERIOD = 0.02
"""Period of the grid that drives are brought to [s]."""
_LONGEST = 1e5
"""Longest drive [s]."""
LONGEST_GAP = 0.2
"""Pause of a channel from which the samples there are not used [s]."""
_JUMP = 2.0
"""Pause that is held against the way made good meanwhile [s]."""
_GAP_MARGIN = 0.2
_WHEEL_FILTER = (5, 3)
"""Samples and degree of the polynomials of the wheel speed (Savitzky and Golay 1964): of a speed
of which a lag is taken out, more noise biases slip, and more samples bias lag and delay."""
_SLOW_LEAP = 0.5
"""Time of a leap that is smoothed [s]."""
_SLIDING = 1.0
"""Time to either side of a leap in which turning wheels explain it [s]."""
_HELD = ('steering_command', 'speed_command')


def prepare(log: RawLog) -> Drive:
    """Return the drive of a log. Raises RunError, which says what is wrong with it in one line."""
    _check_channels(log)
    start, count = _grid(log)
    t: Array = start + PERIOD * np.arange(count, dtype=np.float64)
    valid: Flags = np.ones(count, dtype=np.bool_)
    columns: Columns = {}
    notes: list[str] = []
    for name, channel in log.channels.items():
        if name in QUANTITIES:
            gaps = _gaps(channel.t, t) if name not in _HELD else np.zeros(count, dtype=bool)
            valid &= ~gaps
            columns[name] = _resampled(name, channel.t, channel.values, t)
    lost = 1.0 - float(valid.mean())
    if lost > 0.0:
        notes.append(f'{log.name}: gaps of over {LONGEST_GAP:g} s, {lost:.1%} of the time; left'
                     ' out')
    if 'valid' in columns:
        valid &= columns.pop('valid') > 0.5
    checked = check_columns(log.name, columns, PERIOD)
    switches = _switches(log.channels['steering_command'], start, t[-1] - start,
                         columns['steering_command'], checked.columns['steering_command'])
    return _drive(log, checked.columns, switches, valid, (*notes, *checked.notes))


def _check_channels(log: RawLog) -> None:
    missing = [name for name, row in QUANTITIES.items()
               if row.required and name != 't' and name not in log.channels]
    if missing:
        raise RunError(f"{log.name}: {', '.join(missing)} missing, expected all of"
                       f" {', '.join(name for name, row in QUANTITIES.items() if row.required)}")
    for name, channel in log.channels.items():
        steps = np.diff(channel.t)
        back = np.flatnonzero(steps <= 0.0)
        if back.size:
            first = int(back[0])
            raise RunError(
                f'{log.name}: the clock of {name} jumps from {channel.t[first]:.6g} s to'
                f' {channel.t[first + 1]:.6g} s, expected times that grow; cut the log there')
    x, y, wheel = (log.channels[name] for name in ('x', 'y', 'wheel_speed'))
    for at in np.flatnonzero(np.diff(x.t) > _JUMP).tolist():
        pause = float(x.t[at + 1] - x.t[at])
        way = float(np.hypot(x.values[at + 1] - x.values[at], y.values[at + 1] - y.values[at]))
        before = abs(float(np.interp(x.t[at], wheel.t, wheel.values)))
        after = abs(float(np.interp(x.t[at + 1], wheel.t, wheel.values)))
        if min(before, after) > 0.3 and way < 0.25 * pause * min(before, after):
            raise RunError(
                f'{log.name}: the clock jumps from {x.t[at]:.6g} s to {x.t[at + 1]:.6g} s, in'
                f' which the car at {before:.2g} m/s covered {way:.2g} m only; cut the log there')


def _grid(log: RawLog) -> tuple[float, int]:
    """Return start [s] and number of samples of the time that all channels cover."""
    needed = [channel.t for name, channel in log.channels.items() if name not in _HELD]
    start, end = max(float(t[0]) for t in needed), min(float(t[-1]) for t in needed)
    if end - start > _LONGEST:
        raise RunError(f'{log.name}: lasts {end - start:.3g} s, expected at most {_LONGEST:g} s;'
                       ' a stamp is wrong, or cut it into drives')
    count = int((end - start) / PERIOD + 1e-6) + 1
    if count < 50:
        raise RunError(f'{log.name}: {max(end - start, 0.0):.3g} s in which all quantities are'
                       ' there, expected at least 1 s')
    return start, count


def _gaps(times: Array, t: Array) -> Flags:
    gaps: Flags = np.zeros(t.size, dtype=np.bool_)
    for at in np.flatnonzero(np.diff(times) > LONGEST_GAP).tolist():
        gaps |= (t > times[at] - _GAP_MARGIN) & (t < times[at + 1] + _GAP_MARGIN)
    return gaps


def _resampled(name: str, times: Array, values: Array, t: Array) -> Array:
    if name in _HELD:
        # A command holds until the next one.
        return values[np.clip(np.searchsorted(times, t + 1e-9, side='right') - 1, 0, None)]
    if name == 'yaw' and float(np.abs(values).max()) < 7.0:
        values = np.unwrap(values)
    return np.interp(t, times, values)


def _switches(
    channel: Channel, start: float, duration: float, raw: Array, corrected: Array,
) -> Channel:
    """Return a command where it changes, in seconds from the start; corrected: raw in its unit."""
    largest = int(np.argmax(np.abs(raw)))
    factor = float(corrected[largest] / raw[largest])
    times = channel.t - start
    first = max(int(np.searchsorted(times, 0.0, side='right')) - 1, 0)
    last = int(np.searchsorted(times, duration, side='right'))
    # The first command counts before it too.
    inside = slice(first, max(last, first + 1))
    times, values = times[inside], factor * channel.values[inside]
    kept = np.append(True, np.diff(values) != 0.0)
    return Channel(times[kept], values[kept])


def _drive(
    log: RawLog, columns: Columns, switches: Channel, valid: Flags, notes: tuple[str, ...],
) -> Drive:
    none: Array = np.full(valid.size, np.nan)
    samples = np.arange(valid.size)
    gyro = columns.get('yaw_rate')
    if 'vx' in columns and 'vy' in columns and gyro is not None:
        x, y, yaw = columns['x'], columns['y'], columns['yaw']
        vx, vy, yaw_rate = columns['vx'], columns['vy'], gyro
        _check_velocities(log.name, columns)
        noise = StateNoise(*(
            _noise(log, columns, name) for name in ('x', 'vx', 'yaw', 'yaw_rate')))
    else:
        smooth = smooth_pose(columns['x'], columns['y'], columns['yaw'], gyro, PERIOD)
        x, y, yaw, yaw_rate = smooth.x, smooth.y, smooth.yaw, smooth.yaw_rate
        cosine, sine = np.cos(yaw), np.sin(yaw)
        vx = cosine * smooth.x_rate + sine * smooth.y_rate
        vy = cosine * smooth.y_rate - sine * smooth.x_rate
        noise = state_noise(
            _noise(log, columns, 'x'), _noise(log, columns, 'yaw'),
            None if gyro is None else _noise(log, columns, 'yaw_rate'), PERIOD)
        if abs(smooth.bias) > 1e-3:
            notes = (*notes, f'{log.name}: bias of the gyroscope {smooth.bias:.4f} rad/s, taken'
                             ' off')
    wheel = columns['wheel_speed']
    moving = path_motion({**columns, 'x': x, 'y': y}, PERIOD).moving & valid
    valid = valid & ~_torn(x, y, wheel)
    path_x, path_y = x, y
    if gyro is not None and 'ax' in columns and 'ay' in columns:
        motion = Motion(x, y, yaw, yaw_rate, columns['ax'], columns['ay'])
        x, y, vx, vy, note, path_error = _fused(motion, vx, vy, wheel, valid, moving)
        noise = noise._replace(position=max(noise.position, path_error))
        notes = (*notes, *(f'{log.name}: {text}' for text in [note] if text))
    smooth_wheel = savgol_filter(wheel, *_WHEEL_FILTER)
    return Drive(
        name=log.name, source=log.source, period=PERIOD, steering=columns['steering_command'],
        steering_switches=switches, speed_command=columns.get('speed_command', none),
        wheel_speed=wheel, wheel_smooth=smooth_wheel,
        wheel_way=PERIOD * CubicSpline(samples, smooth_wheel).antiderivative()(samples),
        x=x, y=y, yaw=yaw, vx=vx, vy=vy, yaw_rate=yaw_rate, path_x=path_x, path_y=path_y,
        ax=columns.get('ax', none), ay=columns.get('ay', none), valid=valid,
        noise=noise, notes=notes)


def _fused(
    motion: Motion, vx: Array, vy: Array, wheel: Array, usable: Flags, moving: Flags,
) -> tuple[Array, Array, Array, Array, str, float]:
    """Return x, y, vx, vy with the help of the accelerometer if that is better, and a note.

    At the end the error of the path that they show together [m], 0 if they cannot be compared.
    """
    path = motion.x, motion.y, vx, vy
    fused = fuse_path(motion, usable, moving, PERIOD)
    if fused is None:
        return *path, '', 0.0
    known = np.isfinite(fused.vx)
    changes = [_missed_changes(speed, wheel, known & usable & moving) for speed in (vx, fused.vx)]
    # Wheels that slip do so by either path; the better one has less beside that.
    text = (f'path and accelerometer differ as if the path were {fused.path_error:.2g} m off;'
            ' {}: changes of the speed within '
            f'{LAG:g} s differ from those of the wheels by {changes[1]:.3g} m/s RMS with it,'
            f' {changes[0]:.3g} m/s without')
    if changes[1] >= changes[0]:
        return *path, text.format('not fused'), fused.path_error
    return (fused.x, fused.y, np.where(known, fused.vx, vx), np.where(known, fused.vy, vy),
            text.format('fused'), fused.path_error)


def _noise(log: RawLog, columns: Columns, name: str) -> float:
    """Return the standard deviation of the noise of a quantity, of samples PERIOD apart."""
    # At the rate of the log, as what is interpolated between its samples looks smooth.
    stride = max(round(float(np.median(np.diff(log.channels[name].t))) / PERIOD), 1)
    return noise_of(columns[name][::stride]) * math.sqrt(stride)


def _missed_changes(speed: Array, wheel: Array, good: Flags) -> float:
    """Return the RMS of what the change of a speed within LAG differs from the wheels' [m/s]."""
    reach = round(LAG / PERIOD)
    off = speed - wheel
    both = good[reach:] & good[:-reach]
    change = (off[reach:] - off[:-reach])[both]
    return float(np.sqrt(np.mean(change**2))) if change.size else 0.0


def _torn(x: Array, y: Array, wheel: Array) -> Flags:
    """Samples at which the position jumps, as when a localisation corrects itself.

    At once, or over _SLOW_LEAP, as where it is smoothed: then it goes twice as far as the fastest
    wheels could within _SLIDING, in which a car may slide with its wheels locked.
    """
    leap = np.hypot(np.diff(x, prepend=x[0]), np.diff(y, prepend=y[0]))
    torn = leap > 3.0 * (np.abs(wheel) + 1.0) * PERIOD + 0.05
    reach, slides = round(0.5 * _SLOW_LEAP / PERIOD), round(_SLIDING / PERIOD)
    at = np.arange(x.size)
    before, after = np.maximum(at - reach, 0), np.minimum(at + reach, x.size - 1)
    way = np.hypot(x[after] - x[before], y[after] - y[before])
    fastest = maximum_filter1d(np.abs(wheel), 2 * slides + 1)
    slow = way > 2.0 * fastest * _SLOW_LEAP + 0.2
    margin = round(_GAP_MARGIN / PERIOD)
    found: Flags = binary_dilation(torn, iterations=margin) | binary_dilation(
        slow, iterations=reach + margin)
    return found


def _check_velocities(name: str, columns: Columns) -> None:
    """Raise RunError where the velocities that the log gives are not those of its path."""
    cosine, sine = np.cos(columns['yaw']), np.sin(columns['yaw'])
    ahead = np.gradient(columns['x'], PERIOD) * cosine + np.gradient(columns['y'], PERIOD) * sine
    given = columns['vx']
    share = float(ahead @ given) / max(float(given @ given), 1e-12)
    if not 0.7 < share < 1.4:
        raise RunError(
            f'{name}: the path is driven at {share:.3g} times vx, expected 1; vx and vy must be'
            ' those of the rear axle in the frame of the car, in m/s; leave them out to have them'
            ' computed')
