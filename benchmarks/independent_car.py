# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""Logs of cars whose parameters are known, by an integrator that shares no code with racecar.

Single track with Fiala tyres, with the equations of docs/models (single_track, single_track_slip,
fiala_tyre, combined_slip), integrated by Runge-Kutta 4 with steps of 4 ms or less that end where
a delayed command switches, so commands hold exactly. Speed of the wheels, its measurement and the
steering are solutions in closed form. Units: SI.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable
import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]
Truth = dict[str, float]

PERIOD = 0.02
"""Period of the log and of its commands [s]."""
GRAVITY = 9.81
MASS, INERTIA, TO_FRONT, TO_REAR, HEIGHT = 3.74, 0.04712, 0.15875, 0.17145, 0.074
"""Of config/vehicles/f1tenth.yaml: what identification assumes."""
LOW_SPEED = 0.1
"""Least speed in the denominator of slip [m/s]."""
NOISE = {'x': 0.003, 'y': 0.003, 'yaw': 0.002, 'yaw_rate': 0.02, 'wheel_speed': 0.01}
"""Standard deviations [m, rad, rad/s, m/s]."""
GYRO_BIAS = 0.02
_LONGEST_STEP = 0.004


def random_truth(generator: np.random.Generator, *, slip: bool = False) -> Truth:
    """Return parameters of a car; slip: also those of wheels that spin and of their sensor."""
    draw = generator.uniform
    front = draw(60.0, 115.0)
    truth = {
        'steering_gain': draw(0.9, 1.15), 'steering_offset': draw(-0.03, 0.03),
        'steering_delay': draw(0.02, 0.1),
        # Every other car has a servo without lag.
        'steering_lag': draw(0.02, 0.06) if draw() < 0.5 else 0.0,
        'front_cornering_stiffness': front, 'rear_cornering_stiffness': front * draw(0.95, 1.35),
        'friction_coefficient': draw(0.6, 1.0), 'speed_delay': draw(0.01, 0.08),
        'speed_lag': draw(0.08, 0.25), 'wheel_scale': draw(0.9, 1.1)}
    if slip:
        truth |= {
            'slip_stiffness': draw(60.0, 110.0), 'wheel_lag': draw(0.09, 0.2),
            'wheel_delay': draw(0.01, 0.04), 'speed_lag': draw(0.05, 0.1)}
    return truth


def random_commands(
    generator: np.random.Generator, duration: float, *, top_speed: float = 4.0,
    slip: bool = False,
) -> tuple[Array, Array]:
    """Return commanded steering [rad] and speed [m/s], one value each PERIOD: waves and steps.

    slip: with steps of the speed that make wheels spin.
    """
    t = PERIOD * np.arange(round(duration / PERIOD))
    phases = generator.uniform(0.0, 2.0 * math.pi, 5)
    middle, reach = 0.5 * (1.2 + top_speed), 0.5 * (top_speed - 1.2)
    speed = middle + reach * np.sin(2.0 * math.pi * t / 11.0 + phases[0]) * np.cos(
        2.0 * math.pi * t / 41.0 + phases[1])
    share, period = (0.4, 1.9) if slip else (0.75, 7.3)
    speed *= np.where(np.sin(2.0 * math.pi * t / period + phases[2]) > 0.2, share, 1.0)
    speed = np.maximum(speed * np.clip(t / 1.5, 0.0, 1.0), 0.0)
    # From steady to about the limit of friction; steps of random size and length, and waves.
    curve = 8.5 / np.maximum(speed, 1.2)**2
    largest = np.minimum(np.arctan((TO_FRONT + TO_REAR) * curve), 0.35)
    lengths = np.round(generator.uniform(0.3, 1.5, t.size // 10) / PERIOD).astype(int)
    levels = np.repeat(generator.uniform(-1.0, 1.0, lengths.size), lengths)[:t.size]
    wave = 0.3 * np.sin(2.0 * math.pi * t / 2.9 + phases[3]) + 0.2 * np.sin(
        2.0 * math.pi * t / 0.8 + phases[4])
    return np.clip(0.7 * levels + wave, -1.0, 1.0) * largest, speed


def simulate(truth: Truth, steering: Array, speed: Array) -> dict[str, Array]:
    """Return the columns of a log without noise; steering, speed: see random_commands().

    With 'slip_stiffness' in truth the wheels spin and the log holds their lagged speed.
    """
    slips = 'slip_stiffness' in truth
    times = (PERIOD * np.arange(steering.size)).tolist()
    turn = _lagged(
        times, (truth['steering_gain'] * steering + truth['steering_offset']).tolist(),
        truth['steering_delay'], truth['steering_lag'])
    roll = _lagged(times, speed.tolist(), truth['speed_delay'], truth['speed_lag'])
    rates = _spinning(truth, turn, roll) if slips else _rolling(truth, turn, roll)
    ends = sorted({*times, *(time + delay for time in times for delay in (
        truth['steering_delay'], truth['speed_delay']) if time + delay < times[-1])})
    state = [0.0] * 6
    rows = [state]
    samples = set(times)
    for start, end in zip(ends[:-1], ends[1:], strict=True):
        count = max(math.ceil((end - start) / _LONGEST_STEP - 1e-9), 1)
        step = (end - start) / count
        for index in range(count):
            state = _runge_kutta(rates, start + index * step, state, step)
        if end in samples:
            rows.append(state)
    vx, vy, rate, x, y, yaw = np.array(rows).T
    if slips:
        wheels = _measured(truth, times, speed.tolist())
    else:
        vx = np.array([roll(time, False) for time in times])
        wheels = vx / truth['wheel_scale']
    return {
        'steering_command': steering, 'speed_command': speed, 'wheel_speed': wheels,
        'x': x - TO_REAR * np.cos(yaw), 'y': y - TO_REAR * np.sin(yaw), 'yaw': yaw,
        'yaw_rate': rate, 'true_vx': vx,
        'true_wheels': np.array([roll(time, False) for time in times])}


def with_noise(
    columns: dict[str, Array], generator: np.random.Generator, share: float = 1.0,
) -> dict[str, Array]:
    """Return the columns that a log has, with share times NOISE and the bias of a gyroscope."""
    noisy = {name: values for name, values in columns.items() if not name.startswith('true_')}
    for name, deviation in NOISE.items():
        noisy[name] = noisy[name] + share * deviation * generator.standard_normal(
            noisy[name].size)
    noisy['yaw_rate'] = noisy['yaw_rate'] + GYRO_BIAS
    return noisy


def wheelspin(columns: dict[str, Array]) -> float:
    """Return the share of the moving time in which the wheels slip by 20 % or more."""
    vx, wheels = columns['true_vx'], columns['true_wheels']
    slip = np.abs(wheels - vx) / np.maximum(np.maximum(np.abs(wheels), np.abs(vx)), 0.3)
    return float(np.mean(slip[vx > 0.5] > 0.2))


def _lagged(
    times: list[float], commands: list[float], delay: float, lag: float,
) -> Callable[[float, bool], float]:
    """Return value(time, before): the held command after delay and lag.

    before: whether the value just before a switch is meant. The first command was there before.
    """
    switches = [time + delay for time in times]
    values = [commands[0]]
    for index in range(1, len(times)):
        fades = math.exp(-(times[index] - times[index - 1]) / lag) if lag > 0.0 else 0.0
        values.append(commands[index - 1] + (values[-1] - commands[index - 1]) * fades)

    def value(time: float, before: bool) -> float:
        at = bisect_right(switches, time + (-1e-9 if before else 1e-9)) - 1
        if at < 0:
            return commands[0]
        if lag <= 0.0:
            return commands[at]
        return commands[at] + (values[at] - commands[at]) * math.exp(-(time - switches[at]) / lag)

    return value


def _measured(truth: Truth, times: list[float], commands: list[float]) -> Array:
    """Return the measured speed w of wheels: scale (w + lag w')(t - delay) is theirs."""
    slow, lag = truth['speed_lag'], truth['wheel_lag']
    scale = truth['wheel_scale']
    # In each interval the wheels turn at u + v exp(-s/slow), and w = u + p + q, over the scale.
    step = times[1] - times[0]
    v = 0.0
    w = commands[0] / scale
    starts = []
    for command in commands:
        starts.append((command, v, w))
        p = v / scale / (1.0 - lag / slow)
        q = w - command / scale - p
        w = command / scale + p * math.exp(-step / slow) + q * math.exp(-step / lag)
        after = command + v * math.exp(-step / slow)
        index = len(starts)
        v = after - commands[index] if index < len(commands) else 0.0
    found = []
    for time in times:
        since = time + truth['wheel_delay'] - truth['speed_delay']
        if since < 0.0:
            found.append(commands[0] / scale)
            continue
        at = min(int(since / step + 1e-9), len(starts) - 1)
        command, v, w = starts[at]
        s = since - times[at]
        p = v / scale / (1.0 - lag / slow)
        q = w - command / scale - p
        found.append(command / scale + p * math.exp(-s / slow) + q * math.exp(-s / lag))
    return np.array(found)


def _runge_kutta(
    rates: Callable[..., list[float]], time: float, state: list[float], step: float,
) -> list[float]:
    half = 0.5 * step
    a = rates(time, state, False)
    b = rates(time + half, [s + half * k for s, k in zip(state, a, strict=True)], False)
    c = rates(time + half, [s + half * k for s, k in zip(state, b, strict=True)], False)
    d = rates(time + step, [s + step * k for s, k in zip(state, c, strict=True)], True)
    return [s + step / 6.0 * (k + 2.0 * (m + n) + p)
            for s, k, m, n, p in zip(state, a, b, c, d, strict=True)]


def _loads() -> tuple[float, float]:
    weight = MASS * GRAVITY / (TO_FRONT + TO_REAR)
    return weight * TO_REAR, weight * TO_FRONT


def _rolling(truth: Truth, turn: Any, roll: Any) -> Callable[..., list[float]]:
    """Return the rates of (-, vy, r, x, y, yaw) where the speed of the car is given."""
    axles = [(truth[f'{axle}_cornering_stiffness'], truth['friction_coefficient'] * load)
             for axle, load in zip(('front', 'rear'), _loads(), strict=True)]

    def force(axle: tuple[float, float], tangent: float) -> float:
        stiffness, limit = axle
        share = min(stiffness * abs(tangent) / (3.0 * limit), 1.0)
        return -math.copysign(limit * (1.0 - (1.0 - share)**3), tangent)

    def rates(time: float, state: list[float], before: bool) -> list[float]:
        _, vy, r, _, _, yaw = state
        speed, angle = roll(time, before), turn(time, before)
        sine, cosine = math.sin(angle), math.cos(angle)
        ahead = vy + TO_FRONT * r
        front = force(axles[0], (ahead * cosine - speed * sine) / max(
            abs(speed * cosine + ahead * sine), LOW_SPEED))
        rear = force(axles[1], (vy - TO_REAR * r) / max(abs(speed), LOW_SPEED))
        return [0.0, (front * cosine + rear) / MASS - speed * r,
                (TO_FRONT * front * cosine - TO_REAR * rear) / INERTIA,
                speed * math.cos(yaw) - vy * math.sin(yaw),
                speed * math.sin(yaw) + vy * math.cos(yaw), r]

    return rates


def _spinning(truth: Truth, turn: Any, roll: Any) -> Callable[..., list[float]]:
    """Return the rates of (vx, vy, r, x, y, yaw) where the speed of all wheels is given."""
    slip_stiffness = truth['slip_stiffness']
    stiffnesses = [truth[f'{axle}_cornering_stiffness'] for axle in ('front', 'rear')]
    statics = _loads()

    def force(
        stiffness: float, load: float, along: float, across: float,
    ) -> tuple[float, float]:
        # Similarity: both slips by their own stiffness, one brush for their sum.
        x, y = slip_stiffness * along, stiffness * across
        total = math.hypot(x, y)
        limit = truth['friction_coefficient'] * load
        if total <= 0.0 or limit <= 0.0:
            return 0.0, 0.0
        share = min(total / (3.0 * limit), 1.0)
        size = limit * (1.0 - (1.0 - share)**3) / total
        return -size * x, -size * y

    def rates(time: float, state: list[float], before: bool) -> list[float]:
        vx, vy, r, _, _, yaw = state
        speed, angle = roll(time, before), turn(time, before)
        sine, cosine = math.sin(angle), math.cos(angle)
        ahead = vy + TO_FRONT * r
        velocities = ((vx * cosine + ahead * sine, ahead * cosine - vx * sine),
                      (vx, vy - TO_REAR * r))
        slips = [((u - speed) / max(abs(u), abs(speed), LOW_SPEED),
                  v / max(abs(u), abs(speed), LOW_SPEED)) for u, v in velocities]
        push = 0.0
        for _ in range(5):
            shifted = HEIGHT * push / (TO_FRONT + TO_REAR)
            loads = max(statics[0] - shifted, 0.0), max(statics[1] + shifted, 0.0)
            (xf, yf), (xr, yr) = (force(c, load, *slip) for c, load, slip in zip(
                stiffnesses, loads, slips, strict=True))
            push = xr + xf * cosine - yf * sine
        across = yf * cosine + xf * sine
        return [push / MASS + vy * r, (yr + across) / MASS - vx * r,
                (TO_FRONT * across - TO_REAR * yr) / INERTIA,
                vx * math.cos(yaw) - vy * math.sin(yaw),
                vx * math.sin(yaw) + vy * math.cos(yaw), r]

    return rates
