# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""Whether an integration step is short enough for a model."""

from __future__ import annotations

import math

from racecar.base.errors import ConfigurationError
from racecar.base.types import NANOSECONDS
from racecar.dynamics.integrators import Integrator
from racecar.dynamics.vehicles.interface import VehicleModel


def check_stability(
    model: VehicleModel, method: Integrator, step_ns: int, period_ns: int,
) -> None:
    """Raise ConfigurationError if a step is too long, naming one that divides the period."""
    fastest = model.fastest_mode()
    limit = method.stability_limit
    if fastest * step_ns < limit * NANOSECONDS:
        return
    longest = limit / fastest
    if longest * NANOSECONDS < 1.0:
        raise ConfigurationError(
            f'no step is short enough for {model.description}: its fastest mode is'
            f' {fastest:.4g} 1/s; check the parameters of the vehicle')
    least = math.floor(period_ns / (longest * NANOSECONDS)) + 1
    tried = range(least, least + min(9 * least, 10_000))
    count = next((n for n in tried if period_ns % n == 0), least)
    raise ConfigurationError(
        f'step {step_ns / NANOSECONDS:.9g} s is too long for {model.description}:'
        f' its fastest mode is {fastest:.4g} 1/s and {method.name} is stable below'
        f' {limit:.4g}/{fastest:.4g} = {longest:.4g} s; a step of'
        f' {period_ns / count / NANOSECONDS:.9g} s would do, or a higher'
        ' low_speed_threshold')
