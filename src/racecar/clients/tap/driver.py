# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""The driver bridge for pages: state, lamps, gears, indicators."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from rclpy.node import Node
from std_srvs.srv import SetBool

from racecar.base.types import NANOSECONDS
from racecar.clients.tap.services import Services
from racecar.clients.tap.stack_graph import full_name
from racecar.cockpit.driver_message import car_of, HAZARD, INDICATORS, lamps_of
from racecar.cockpit.frames import json_frame
from racecar.cockpit.samples import driver_numbers
from racecar.ros import qos, topics
from racecar.ros.interfaces import CarInfo, DriverState, SetGear, SetIndicator


class DriverControls:
    """What the driver has at hand besides wheel and pedals."""

    def __init__(
        self, node: Node, namespace: str, services: Services, send: Callable[[bytes, str], object],
        on_numbers: Callable[[tuple[float, ...], int], object],
    ) -> None:
        """send: a frame with its key; on_numbers: gets those of each state and its stamp [ns]."""
        self._services = services
        self._namespace = namespace
        self._send = send
        self._on_numbers = on_numbers
        self._info: CarInfo | None = None
        self._lamps: Mapping[str, bool] = {}
        self._car: Mapping[str, Any] = {}
        self.gear = 0

        def topic(name: str) -> str:
            return full_name(namespace, name, {})

        node.create_subscription(
            DriverState, topic(topics.DRIVER_STATE), self._on_state, qos.STATE)
        node.create_subscription(
            CarInfo, topic(topics.DRIVER_CAR_INFO), self._on_info, qos.LATCHED)

    @property
    def is_there(self) -> bool:
        """Whether there is a driver bridge."""
        return self._info is not None

    def shift(self, gear: int, on_failure: Callable[[str], object]) -> None:
        """Engage a gear."""
        self.gear = gear
        self._call(SetGear, 'set_gear', SetGear.Request(gear=gear), on_failure)

    def indicate(self, indicator: str, on_failure: Callable[[str], object]) -> None:
        """Switch the indicator, or the hazard flashers, which go over it."""
        hazard = indicator == HAZARD
        self._switch('set_hazard_flashers', hazard, on_failure)
        if not hazard:
            self._call(SetIndicator, 'set_indicator', SetIndicator.Request(
                indicator=INDICATORS.index(indicator)), on_failure)

    def light(self, lamps: str, lit: bool, on_failure: Callable[[str], object]) -> None:
        """Switch lamps on or off."""
        self._switch(f'set_{lamps}', lit, on_failure)

    def _switch(self, service: str, on: bool, on_failure: Callable[[str], object]) -> None:
        self._call(SetBool, service, SetBool.Request(data=on), on_failure)

    def _call(
        self, kind: Any, service: str, request: Any, on_failure: Callable[[str], object],
    ) -> None:
        def on_response(response: Any) -> None:
            if not response.success:
                on_failure(response.message)

        self._services.call(
            kind, full_name(self._namespace, f'driver/{service}', {}), request, on_response,
            on_failure)

    def _on_info(self, message: CarInfo) -> None:
        self._info = message
        self._car = {}

    def _on_state(self, message: DriverState) -> None:
        self.gear = message.gear
        stamp = message.header.stamp
        self._on_numbers(driver_numbers(message), stamp.sec * NANOSECONDS + stamp.nanosec)
        lamps = lamps_of(message)
        if lamps != self._lamps:
            self._lamps = lamps
            self._send(json_frame('lamps', lamps=lamps), 'lamps')
        self._tell_car(message)

    def _tell_car(self, message: DriverState) -> None:
        if self._info is None:
            return
        car = car_of(self._info, message)
        if car != self._car:
            self._car = car
            self._send(json_frame('car', **car), 'car')
