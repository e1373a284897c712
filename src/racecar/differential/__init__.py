# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""A differential-drive robot, after DifferentialWheels of Webots (seeds 002 and 004)."""

from racecar.differential.batch import RobotBatch
from racecar.differential.differential_wheels import DifferentialWheels, DifferentialWheelsWarning
from racecar.differential.distance_sensor import DistanceSensor
from racecar.differential.motion import PlanarMotion
from racecar.differential.parameters import ROBOT_PARAMETERS, RobotParameters
from racecar.differential.plant import RobotPlant, wheel_speeds
from racecar.differential.state import WheelsState
from racecar.differential.wheels_2002 import DifferentialWheels2002

__all__ = [
    'DifferentialWheels', 'DifferentialWheels2002', 'DifferentialWheelsWarning', 'DistanceSensor',
    'PlanarMotion', 'ROBOT_PARAMETERS', 'RobotBatch', 'RobotParameters', 'RobotPlant',
    'WheelsState', 'wheel_speeds']
