# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""Torque of an engine at full throttle (seed 000 section 2.1.1), and with the throttle closed.

    combustion          c m^2 + b m + a                    m = max(n, engine_min_rpm)
    electric            min(T_max, 60 P_max/(2 pi n))
    parallel hybrid     electric(n) + combustion(n)        combustion off below engine_min_rpm
    power-split hybrid  electric(n) + (1 - ratio) combustion(split rpm)        off likewise

n in rev/min. From engine_max_rpm on every engine gives 0. Seed 001 prints 60 P/2 pi n without the
bracket, which is about 10 n^2 too large: the power would never be a limit. A polynomial that
falls below 0 counts as 0: an engine at full throttle does not brake.

With the throttle closed an engine may brake by a + b n + c n^2, which is the form of its mean
friction pressure over speed (Heywood, Internal Combustion Engine Fundamentals, chapter 13), an
open throttle t by 1 - t of it. Below engine_min_rpm it falls to 0 in proportion to the speed, as a
clutch slips there.
"""

from __future__ import annotations

import math

from racecar.base.compiled import inlined
from racecar.dynamics.powertrain.car_parameters import CarParameters, EngineType

COMBUSTION = int(EngineType.COMBUSTION)
ELECTRIC = int(EngineType.ELECTRIC)
PARALLEL_HYBRID = int(EngineType.PARALLEL_HYBRID)


@inlined
def electric_torque(rpm: float, max_torque: float, max_power: float) -> float:
    """Return min(max_torque, max_power/angular velocity) [N m]; powers in W, rpm >= 0."""
    angular_velocity = rpm * 2.0 * math.pi / 60.0
    return max_torque if max_torque * angular_velocity <= max_power \
        else max_power / angular_velocity


@inlined
def combustion_torque(rpm: float, a: float, b: float, c: float) -> float:
    """Return a + b n + c n^2 [N m], at least 0."""
    return max((c * rpm + b) * rpm + a, 0.0)


@inlined
def torque_at(
    kind: float, rpm: float, max_torque: float, max_power: float, min_rpm: float, max_rpm: float,
    a: float, b: float, c: float, split_ratio: float, split_rpm: float,
) -> float:
    """Return the torque at full throttle [N m]; kind: an EngineType; rpm >= 0 [rev/min]."""
    if rpm >= max_rpm:
        return 0.0
    if kind == COMBUSTION:
        return combustion_torque(max(rpm, min_rpm), a, b, c)
    torque = electric_torque(rpm, max_torque, max_power)
    if kind == ELECTRIC or rpm < min_rpm:
        return torque
    if kind == PARALLEL_HYBRID:
        return torque + combustion_torque(rpm, a, b, c)
    return torque + (1.0 - split_ratio) * combustion_torque(split_rpm, a, b, c)


@inlined
def braking_torque(rpm: float, a: float, b: float, c: float, per_min_rpm: float) -> float:
    """Return the torque of an engine with the throttle closed [N m], against its rotation.

    rpm: negative if the engine is turned backwards [rev/min]; per_min_rpm: 1 over engine_min_rpm.
    """
    turning = abs(rpm)
    return -((c * turning + b) * turning + a) * min(max(rpm * per_min_rpm, -1.0), 1.0)


def engine_torque(car: CarParameters, rpm: float) -> float:
    """Return the torque of a car's engine at full throttle [N m]; rpm >= 0 [rev/min]."""
    a, b, c = car.engine_function_coefficients
    return float(torque_at(
        float(car.engine_kind), rpm, car.engine_max_torque, car.engine_max_power,
        car.engine_min_rpm, car.engine_max_rpm, a, b, c, car.hybrid_power_split_ratio,
        car.hybrid_power_split_rpm))
