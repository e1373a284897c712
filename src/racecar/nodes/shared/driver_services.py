# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""The services by which a driver sets what is at hand: pedals, gears, lamps, wipers."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Protocol, TypeVar

from rclpy.node import Node
from std_srvs.srv import SetBool

from racecar.base.errors import ParameterError
from racecar.driver import Controls
from racecar.driver.bridge import DriverBridge
from racecar.ros.interfaces import SetFloat, SetGear, SetIndicator, SetWiperMode

# Service below driver/: setter, noun and unit.
_NUMBERS = {
    'set_steering_angle': (Controls.set_steering_angle, 'steering angle', 'rad'),
    'set_cruising_speed': (Controls.set_cruising_speed, 'cruising speed', 'm/s'),
    'set_throttle': (Controls.set_throttle, 'throttle', ''),
    'set_brake_intensity': (Controls.set_brake_intensity, 'brake intensity', ''),
    'set_indicator_period': (Controls.set_indicator_period, 'indicator period', 's'),
}
_SWITCHES = {
    'set_hazard_flashers': (Controls.set_hazard_flashers, 'hazard flashers'),
    'set_dipped_beams': (Controls.set_dipped_beams, 'dipped beams'),
    'set_antifog_lights': (Controls.set_antifog_lights, 'antifog lights'),
    'enable_limited_slip_differential': (
        Controls.enable_limited_slip_differential, 'limited-slip differential'),
    'enable_indicator_auto_disabling': (
        Controls.enable_indicator_auto_disabling, 'auto-disabling of the indicator'),
}


def create_driver_services(node: Node, bridge: DriverBridge) -> None:
    """Create the services below driver/ that set something; what is out of range is refused."""
    for name, (set_number, noun, unit) in _NUMBERS.items():
        node.create_service(
            SetFloat, f'driver/{name}',
            partial(_on_set_number, bridge, set_number, noun, unit))
    for name, (set_switch, noun) in _SWITCHES.items():
        node.create_service(
            SetBool, f'driver/{name}',
            partial(_on_set_switch, bridge, set_switch, noun))
    for name, service_type, callback in (
            ('set_gear', SetGear, _on_set_gear),
            ('set_indicator', SetIndicator, _on_set_indicator),
            ('set_wiper_mode', SetWiperMode, _on_set_wiper_mode)):
        node.create_service(service_type, f'driver/{name}', partial(callback, bridge))


class _Response(Protocol):
    """What the services of the driver answer with."""

    success: bool
    message: str


_ResponseT = TypeVar('_ResponseT', bound=_Response)


def _set(response: _ResponseT, done: str, setter: Callable[[], None]) -> _ResponseT:
    try:
        setter()
    except ParameterError as error:
        response.success = False
        response.message = str(error)
        return response
    response.success = True
    response.message = done
    return response


def _on_set_number(
    bridge: DriverBridge, setter: Callable[[Controls, float], None], noun: str, unit: str,
    request: SetFloat.Request, response: SetFloat.Response,
) -> SetFloat.Response:
    return _set(
        response, f'{noun} {request.value:g} {unit}'.strip(),
        partial(setter, bridge.controls, request.value))


def _on_set_switch(
    bridge: DriverBridge, setter: Callable[[Controls, bool], None], noun: str,
    request: SetBool.Request, response: SetBool.Response,
) -> SetBool.Response:
    return _set(
        response, f"{noun} {'on' if request.data else 'off'}",
        partial(setter, bridge.controls, request.data))


def _on_set_gear(
    bridge: DriverBridge, request: SetGear.Request, response: SetGear.Response,
) -> SetGear.Response:
    return _set(response, f'gear {request.gear}', partial(bridge.controls.set_gear, request.gear))


def _on_set_indicator(
    bridge: DriverBridge, request: SetIndicator.Request, response: SetIndicator.Response,
) -> SetIndicator.Response:
    controls = bridge.controls
    _set(response, '', partial(controls.set_indicator, request.indicator))
    response.message = response.message or f'indicator {controls.indicator.name}'
    return response


def _on_set_wiper_mode(
    bridge: DriverBridge, request: SetWiperMode.Request, response: SetWiperMode.Response,
) -> SetWiperMode.Response:
    controls = bridge.controls
    _set(response, '', partial(controls.set_wiper_mode, request.mode))
    response.message = response.message or f'wipers {controls.wiper_mode.name}'
    return response
