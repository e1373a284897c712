# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""What a driver does with lamps and gear, from messages with the fields of racecar_interfaces."""

from __future__ import annotations

from typing import Any

HAZARD = 'hazard'
INDICATORS = ('off', 'right', 'left')
"""By the numbers of DriverState."""

# Lamps by the names of racecar.driver.Lamps.
_LAMPS = {
    'left_indicator': 'left_indicator_lit', 'right_indicator': 'right_indicator_lit',
    'front': 'front_lights_lit', 'rear': 'rear_lights_lit', 'antifog': 'antifog_lights_lit',
    'brake': 'brake_lights_lit', 'backwards': 'backwards_lights_lit'}


def lamps_of(state: object) -> dict[str, bool]:
    """Return which lamps are lit, from a DriverState."""
    return {name: bool(getattr(state, field)) for name, field in _LAMPS.items()}


def car_of(info: Any, state: Any) -> dict[str, Any]:
    """Return the fields of the message `car` from a CarInfo and a DriverState."""
    number = state.indicator if 0 <= state.indicator < len(INDICATORS) else 0
    return {
        'name': info.name, 'gears': [-1, 0, *range(1, info.gear_count)],
        'gear': int(state.gear), 'rpm_max': float(info.engine_max_rpm),
        'indicator': HAZARD if state.hazard_flashers else INDICATORS[number],
        'dipped_beams': bool(state.dipped_beams), 'antifog_lights': bool(state.antifog_lights),
        'overruled': bool(state.overruled)}
