# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""Drive the car like a car: controls, lamps, wipers, and the library after Webots."""

from racecar.base.types import Lamps
from racecar.driver.car import Car, Driver, DriverWarning
from racecar.driver.controls import Controls, Indicator, WiperMode
from racecar.driver.driven_car import DrivenCar
from racecar.dynamics.powertrain.powertrain import ControlMode

__all__ = [
    'Car', 'ControlMode', 'Controls', 'DrivenCar', 'Driver', 'DriverWarning', 'Indicator',
    'Lamps', 'WiperMode',
]
