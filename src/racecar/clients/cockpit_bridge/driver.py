# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""The driver bridge for pages: state, lamps, gears, indicators."""

from __future__ import annotations

from collections.abc import Mapping

from rclpy.node import Node
from std_srvs.srv import SetBool

from racecar.base.types import NANOSECONDS
from racecar.clients.cockpit_bridge.robot_names import RobotNames
from racecar.clients.graph.answer import all_of
from racecar.clients.graph.service_calls import Outcome, ServiceCalls, ServiceType
from racecar.cockpit.driver_message import car_of, HAZARD, INDICATORS, lamps_of
from racecar.cockpit.frames import json_frame
from racecar.cockpit.pages import Pages
from racecar.cockpit.samples import driver_numbers, Samples
from racecar.ros import qos, topics
from racecar.ros.interfaces import CarInfo, DriverState, SetGear, SetIndicator


class DriverControls:
    """What the driver has at hand besides wheel and pedals.

    What it asks the driver bridge to do raises RunError if it does not answer or refuses.
    """

    def __init__(
        self, node: Node, names: RobotNames, calls: ServiceCalls, pages: Pages, samples: Samples,
    ) -> None:
        """samples: get the numbers of each state."""
        self._names = names
        self._calls = calls
        self._pages = pages
        self._samples = samples
        self._info: CarInfo | None = None
        self._lamps: Mapping[str, bool] = {}
        self._car: Mapping[str, object] = {}
        self.gear = 0
        node.create_subscription(
            DriverState, names.full(topics.DRIVER_STATE), self._on_state, qos.STATE)
        node.create_subscription(
            CarInfo, names.full(topics.DRIVER_CAR_INFO), self._on_info, qos.LATCHED)

    @property
    def is_there(self) -> bool:
        """Whether there is a driver bridge."""
        return self._info is not None

    async def shift(self, gear: int) -> None:
        """Engage a gear."""
        self.gear = gear
        await self._act(SetGear, 'set_gear', SetGear.Request(gear=gear))

    async def indicate(self, indicator: str) -> None:
        """Switch the indicator, or the hazard flashers, which go over it."""
        if indicator == HAZARD:
            await self._switch('set_hazard_flashers', True)
            return
        request = SetIndicator.Request(indicator=INDICATORS.index(indicator))
        await all_of((self._switch('set_hazard_flashers', False),
                      self._act(SetIndicator, 'set_indicator', request)))

    async def light(self, lamps: str, lit: bool) -> None:
        """Switch lamps on or off."""
        await self._switch(f'set_{lamps}', lit)

    async def _switch(self, service: str, on: bool) -> None:
        await self._act(SetBool, service, SetBool.Request(data=on))

    async def _act(self, kind: ServiceType[Outcome], service: str, request: object) -> None:
        await self._calls.act(kind, self._names.full(f'driver/{service}'), request)

    def _on_info(self, message: CarInfo) -> None:
        self._info = message
        self._car = {}

    def _on_state(self, message: DriverState) -> None:
        self.gear = message.gear
        stamp = message.header.stamp
        self._samples.add_driver(
            driver_numbers(message), stamp.sec * NANOSECONDS + stamp.nanosec)
        lamps = lamps_of(message)
        if lamps != self._lamps:
            self._lamps = lamps
            self._pages.send(json_frame('lamps', lamps=lamps), 'lamps')
        self._report_car(message)

    def _report_car(self, message: DriverState) -> None:
        if self._info is None:
            return
        car = car_of(self._info, message)
        if car != self._car:
            self._car = car
            self._pages.send(json_frame('car', **car), 'car')
