# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""Logs of a simulated car whose parameters are known, with noise, delay and bias.

The fit must find in such a log what was put into it, and its intervals must hold it as often as
they say.
"""

from __future__ import annotations

import math
from pathlib import Path
from typing import NamedTuple

import numpy as np

from racecar.base.types import AckermannCommand, quaternion_to_yaw
from racecar.dynamics.vehicles import SingleTrack, SingleTrackSlip, VehicleParameters
from racecar.identification.drive import Array, Channel, QUANTITIES, RawLog
from racecar.identification.unknowns import Values, with_values
from racecar.simulation.simulator import Simulator

PERIOD = 0.02
GYRO_BIAS = 0.02
"""Bias of the gyroscope [rad/s]."""


class Noise(NamedTuple):
    """Standard deviations: position [m], heading [rad], gyroscope [rad/s], wheels [m/s]."""

    position: float = 0.003
    heading: float = 0.002
    gyro: float = 0.02
    wheels: float = 0.01


TRUTH: Values = {
    'steering_gain': 1.1, 'steering_offset': -0.012, 'steering_delay': 0.05,
    'front_cornering_stiffness': 62.0, 'rear_cornering_stiffness': 85.0,
    'friction_coefficient': 0.8, 'speed_delay': 0.03, 'speed_lag': 0.15}
"""What the car has that its vehicle file does not say."""
SCALE = 0.95
"""Speed over ground over that of the wheels."""


def synthetic_log(
    vehicle: VehicleParameters, generator: np.random.Generator, *, duration: float = 60.0,
    top_speed: float = 4.0, slip: bool = False, noise: Noise | None = None,
    name: str = 'synthetic',
) -> RawLog:
    """Return the log of a drive with TRUTH: pose, gyroscope, commands, wheel speed.

    duration [s]; top_speed [m/s]: between 1 m/s and this the speed wanders; slip: whether the
    wheels of the car spin.
    """
    spread = noise or Noise()
    car = with_values(vehicle, TRUTH)
    model = SingleTrackSlip(car, 'fiala') if slip else SingleTrack(car, 'fiala')
    simulator = Simulator(model, period=PERIOD, actuators={
        f'actuators.{key}': TRUTH[key] for key in (
            'steering_gain', 'steering_offset', 'steering_delay', 'speed_delay', 'speed_lag')})
    count = round(duration / PERIOD)
    t: Array = np.arange(count, dtype=np.float64) * PERIOD
    steering, speed = _commands(
        t, generator, top_speed, car.wheelbase, min(map(abs, car.steering_range)))
    rows = []
    for angle, wanted in zip(steering.tolist(), speed.tolist(), strict=True):
        simulator.set_command(AckermannCommand(wanted, angle))
        odometry = simulator.odometry()
        rows.append((odometry.x, odometry.y,
                     quaternion_to_yaw(0.0, 0.0, odometry.qz, odometry.qw), odometry.yaw_rate,
                     simulator.wheel_speeds[2] * car.wheel_radii[1]))
        simulator.tick()
    x, y, yaw, rate, wheels = np.array(rows).T
    def noisy(values: Array, deviation: float) -> Array:
        noise: Array = deviation * generator.standard_normal(values.size)
        return values + noise

    columns = {
        'steering_command': steering, 'speed_command': speed,
        'wheel_speed': noisy(wheels / SCALE, spread.wheels), 'x': noisy(x, spread.position),
        'y': noisy(y, spread.position), 'yaw': noisy(np.unwrap(yaw), spread.heading),
        'yaw_rate': noisy(rate, spread.gyro) + GYRO_BIAS}
    return RawLog(name, {key: Channel(t, values) for key, values in columns.items()}, name)


def _commands(
    t: Array, generator: np.random.Generator, top_speed: float, wheelbase: float, limit: float,
) -> tuple[Array, Array]:
    """Return steering [rad] and speed [m/s]: waves of random phase, both with steps."""
    phases = generator.uniform(0.0, 2.0 * math.pi, 5)
    middle, reach = 0.5 * (1.0 + top_speed), 0.5 * (top_speed - 1.0)
    speed = middle + reach * np.sin(2.0 * math.pi * t / 13.0 + phases[0]) * np.cos(
        2.0 * math.pi * t / 47.0 + phases[1])
    # Slow changes alone cannot tell a delay from a lag.
    speed *= np.where(np.sin(2.0 * math.pi * t / 7.1 + phases[4]) > 0.6, 0.75, 1.0)
    speed *= np.clip(t / 1.5, 0.0, 1.0)
    # Up to about the limit of friction, slow or fast.
    curve = 9.0 / np.maximum(speed, 1.0)**2
    largest = np.minimum(np.arctan(wheelbase * curve) + 0.02, 0.8 * limit)
    wave = 0.6 * np.sin(2.0 * math.pi * t / 3.1 + phases[2]) + 0.25 * np.sin(
        2.0 * math.pi * t / 0.9 + phases[3])
    steps = 0.4 * np.sign(np.sin(2.0 * math.pi * t / 5.3 + phases[4]))
    return np.clip(wave + steps, -1.0, 1.0) * largest, speed


def write_csv_log(log: RawLog, path: Path | str) -> None:
    """Write a log whose channels share their times as CSV with units in the header."""
    t = next(iter(log.channels.values())).t
    names = ['t', *log.channels]
    table = np.column_stack([t, *(channel.values for channel in log.channels.values())])
    np.savetxt(path, table, fmt='%.5g', delimiter=',', comments='', header=','.join(
        f'{name}[{QUANTITIES[name].unit}]' for name in names))
