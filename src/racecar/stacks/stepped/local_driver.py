# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""The driver bridge: pedals, gears and lamps of a car that a person drives."""

from __future__ import annotations

import math
from typing import NamedTuple

from racecar.base.types import (
    AckermannCommand,
    HINGE_JOINTS,
    JointStates,
    Lamps,
    NANOSECONDS,
    Odometry,
    WHEEL_JOINTS,
)
from racecar.driver.bridge import DriverBridge, Pedals, WheelReadings
from racecar.driver.controls import Controls
from racecar.dynamics.powertrain import CarParameters
from racecar.dynamics.powertrain.powertrain import ControlMode
from racecar.dynamics.vehicles.parameters import VehicleParameters
from racecar.stacks.node_description import NodeDescription
from racecar.stacks.stepped.local_mux import LocalMuxes
from racecar.stacks.stepped.local_node import LocalNode, Log
from racecar.stacks.stepped.local_simulator import LocalRobot


class CarView(NamedTuple):
    """What is shown of a car; names as in CarInfo, as far as it has them."""

    name: str
    gear_count: int
    engine_max_rpm: float


class DriverView(NamedTuple):
    """What is shown of a driver; names and units as in DriverState, as far as it has them.

    rpm: NaN if it is not known.
    """

    gear: int
    rpm: float
    throttle: float
    brake_intensity: float
    indicator: int
    hazard_flashers: bool
    dipped_beams: bool
    antifog_lights: bool
    overruled: bool
    lamps: Lamps


class LocalDriver(LocalNode):
    """Drives a car whose wheels take torques, by what a driver has at hand."""

    def __init__(self, description: NodeDescription, log: Log) -> None:
        """Raise ParameterError for a car that cannot be driven."""
        super().__init__(description, log)
        vehicle = VehicleParameters.from_values(self.values)
        car = CarParameters.from_values(self.values)
        self.car = CarView(vehicle.name, len(car.gear_ratio), car.engine_max_rpm)
        self._bridge = DriverBridge(car, vehicle, self.values['mux_source'])
        self._number = -1

    @property
    def controls(self) -> Controls:
        """What the driver has at hand."""
        return self._bridge.controls

    def press(self, pedals: Pedals, now_ns: int) -> None:
        """Press pedals at a time [ns] in the gear that is engaged.

        Raises ParameterError for what is out of range.
        """
        self._bridge.press(pedals._replace(gear=self.controls.gear), now_ns)

    def answer(self, odometry: Odometry, robot: LocalRobot, muxes: LocalMuxes) -> None:
        """Command what the driver wants, at an odometry."""
        bridge, now_ns = self._bridge, odometry.time_ns
        bridge.odometry = odometry
        bridge.wheels = _wheels(robot.joints(), now_ns)
        if bridge.release_silent_pedals(now_ns, self.values['command_timeout']):
            self.log('warn', f"no pedals for {self.values['command_timeout']:g} s: the throttle is"
                             ' released and the car brakes until the next')
        robot.apply(bridge.controls.lamp_switches())
        answer = bridge.answer(odometry, self.values['odometry_timeout'])
        if answer is None or answer.wheels is None:
            muxes.hear('driver', AckermannCommand.in_single_precision(
                *(answer.drive if answer else (0.0, bridge.controls.steering_angle))), now_ns)
            bridge.hear_mux(muxes.active)
            return
        muxes.hear('driver_hold', AckermannCommand.in_single_precision(*answer.drive), now_ns)
        bridge.hear_mux(muxes.active)
        if bridge.may_command_wheels(now_ns, self.values['mux_timeout'], has_mux=True):
            robot.apply(answer.wheels)

    def view(self, now_ns: int) -> DriverView | None:
        """What is to be shown at a time [ns], as often as state_rate says; else None."""
        number = int(now_ns * self.values['state_rate'] / NANOSECONDS)
        if self._number == number:
            return None
        self._number = number
        controls, wheels = self.controls, self._bridge.wheels
        rpm = math.nan
        if wheels is not None and controls.mode == ControlMode.TORQUE:
            rpm = self._bridge.powertrain.rpm(controls.pedals(), wheels.speeds)
        return DriverView(
            controls.gear, rpm, controls.throttle, controls.brake_intensity,
            int(controls.indicator), controls.hazard_flashers, controls.dipped_beams,
            controls.antifog_lights, self._bridge.is_overruled, controls.lamps(now_ns))


def _wheels(joints: JointStates | None, time_ns: int) -> WheelReadings | None:
    """Wheels among joints; None of a car that does not show them."""
    if joints is None:
        return None
    positions = dict(zip(joints.names, joints.positions, strict=True))
    speeds = dict(zip(joints.names, joints.velocities, strict=True))
    left, right = (positions.get(name, math.nan) for name in HINGE_JOINTS)
    a, b, c, d = (positions[name] for name in WHEEL_JOINTS)
    e, f, g, h = (speeds[name] for name in WHEEL_JOINTS)
    return WheelReadings(time_ns, (a, b, c, d), (e, f, g, h), (left, right))
