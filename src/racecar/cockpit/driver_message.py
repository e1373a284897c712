# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""What a driver does with lamps and gear, from messages with the fields of racecar_interfaces."""

from __future__ import annotations

from operator import attrgetter

HAZARD = 'hazard'
INDICATORS = ('off', 'right', 'left')
"""By the numbers of DriverState."""

# Lamps by the names of racecar.driver.Lamps.
_LAMPS = {
    'left_indicator': 'left_indicator_lit', 'right_indicator': 'right_indicator_lit',
    'front': 'front_lights_lit', 'rear': 'rear_lights_lit', 'antifog': 'antifog_lights_lit',
    'brake': 'brake_lights_lit', 'backwards': 'backwards_lights_lit'}
_SWITCHES = 'dipped_beams', 'antifog_lights', 'overruled'


def lamps_of(state: object) -> dict[str, bool]:
    """Which lamps are lit, from a DriverState."""
    return {name: bool(getattr(state, field)) for name, field in _LAMPS.items()}


def car_of(info: object, state: object) -> dict[str, object]:
    """Fields of the message `car` from a CarInfo and a DriverState."""
    name, gear_count, rpm_max = attrgetter('name', 'gear_count', 'engine_max_rpm')(info)
    gear, indicator, hazard = attrgetter('gear', 'indicator', 'hazard_flashers')(state)
    number = indicator if 0 <= indicator < len(INDICATORS) else 0
    return {
        'name': name, 'gears': [-1, 0, *range(1, gear_count)],
        'gear': int(gear), 'rpm_max': float(rpm_max),
        'indicator': HAZARD if hazard else INDICATORS[number],
        **{switch: bool(getattr(state, switch)) for switch in _SWITCHES}}
