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
from typing import NamedTuple

from racecar.base.compiled import pure
from racecar.dynamics.powertrain.car_parameters import CarParameters, EngineType

COMBUSTION = int(EngineType.COMBUSTION)
ELECTRIC = int(EngineType.ELECTRIC)
PARALLEL_HYBRID = int(EngineType.PARALLEL_HYBRID)

# Speed below which engine braking falls at the latest [rev/min].
_LEAST_MIN_RPM = 100.0


class Engine(NamedTuple):
    """Numbers of an engine.

    kind: an EngineType; max_torque [N m], max_power [W]: of the electric one; min_rpm, max_rpm
    [rev/min]; a [N m], b, c: polynomial of the combustion engine; split_ratio [-] and split_rpm
    [rev/min]: of a power-split hybrid; braking_a, braking_b, braking_c: polynomial with the
    throttle closed; per_braking_min_rpm: 1 over the speed below which that falls [min/rev].
    """

    kind: float
    max_torque: float
    max_power: float
    min_rpm: float
    max_rpm: float
    a: float
    b: float
    c: float
    split_ratio: float
    split_rpm: float
    braking_a: float
    braking_b: float
    braking_c: float
    per_braking_min_rpm: float

    @classmethod
    def of(cls, car: CarParameters) -> Engine:
        """Engine of a car."""
        a, b, c = car.engine_function_coefficients
        braking_a, braking_b, braking_c = car.engine_braking_coefficients
        return cls(
            float(car.engine_kind), car.engine_max_torque, car.engine_max_power,
            car.engine_min_rpm, car.engine_max_rpm, a, b, c, car.hybrid_power_split_ratio,
            car.hybrid_power_split_rpm, braking_a, braking_b, braking_c,
            1.0 / max(car.engine_min_rpm, _LEAST_MIN_RPM))


@pure
def electric_torque(rpm: float, max_torque: float, max_power: float) -> float:
    """Torque of the electric engine: min(max_torque, max_power/angular velocity) [N m].

    max_power [W]; rpm >= 0 [rev/min].
    """
    angular_velocity = rpm * 2.0 * math.pi / 60.0
    return max_torque if max_torque * angular_velocity <= max_power \
        else max_power / angular_velocity


@pure
def combustion_torque(rpm: float, a: float, b: float, c: float) -> float:
    """Torque of the combustion engine: a + b n + c n^2 [N m], at least 0."""
    return max((c * rpm + b) * rpm + a, 0.0)


@pure
def torque_at(engine: Engine, rpm: float) -> float:
    """Torque at full throttle [N m]; rpm >= 0 [rev/min]."""
    a, b, c = engine.a, engine.b, engine.c
    if rpm >= engine.max_rpm:
        return 0.0
    if engine.kind == COMBUSTION:
        return combustion_torque(max(rpm, engine.min_rpm), a, b, c)
    torque = electric_torque(rpm, engine.max_torque, engine.max_power)
    if engine.kind == ELECTRIC or rpm < engine.min_rpm:
        return torque
    if engine.kind == PARALLEL_HYBRID:
        return torque + combustion_torque(rpm, a, b, c)
    return torque + (1.0 - engine.split_ratio) * combustion_torque(engine.split_rpm, a, b, c)


@pure
def can_brake(engine: Engine) -> bool:
    """Whether the engine brakes with the throttle closed."""
    return engine.braking_a + engine.braking_b + engine.braking_c != 0.0


@pure
def braking_torque(engine: Engine, rpm: float) -> float:
    """Torque of an engine with the throttle closed [N m], against its rotation.

    rpm: negative if the engine is turned backwards [rev/min].
    """
    turning = abs(rpm)
    return -((engine.braking_c * turning + engine.braking_b) * turning + engine.braking_a) * min(
        max(rpm * engine.per_braking_min_rpm, -1.0), 1.0)


def engine_torque(car: CarParameters, rpm: float) -> float:
    """Torque of a car's engine at full throttle [N m]; rpm >= 0 [rev/min]."""
    return torque_at(Engine.of(car), rpm)
