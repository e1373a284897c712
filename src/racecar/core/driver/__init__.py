# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""Drive the car like a car: controls, lamps, wipers, and the library after Webots."""

from racecar.core.driver.car import Car, Driver, DriverWarning
from racecar.core.driver.controls import Controls, Indicator, WiperMode
from racecar.core.driver.driven_car import DrivenCar
from racecar.core.powertrain.powertrain import ControlMode
from racecar.core.types import Lamps

__all__ = [
    'Car', 'ControlMode', 'Controls', 'DrivenCar', 'Driver', 'DriverWarning', 'Indicator',
    'Lamps', 'WiperMode',
]
