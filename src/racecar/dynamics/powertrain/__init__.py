# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""Engine, gearbox, differential, brakes and steering of a car."""

from racecar.dynamics.powertrain.car_parameters import CAR_PARAMETERS, CarParameters
from racecar.dynamics.powertrain.powertrain import PedalControls, Powertrain, WheelTorques

__all__ = ['CAR_PARAMETERS', 'CarParameters', 'PedalControls', 'Powertrain', 'WheelTorques']
