# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""The package's own message types, with the remedy where they were not built."""

try:
    from racecar_interfaces.msg import (
        CarInfo,
        CarState,
        DriverCommand,
        DriverState,
        WheelCommand,
    )
    from racecar_interfaces.srv import (
        GetCarInfo,
        GetDriverState,
        Reset,
        SetFloat,
        SetGear,
        SetIndicator,
        SetWiperMode,
    )
except ImportError as error:
    raise ImportError(
        'racecar_interfaces is not built: run'
        ' `colcon build --base-paths . racecar_interfaces` in the folder of the repository'
        ' (in a workspace: `colcon build --base-paths src/racecar src/racecar/racecar_interfaces`)'
        ' and source install/setup.bash') from error

__all__ = ['CarInfo', 'CarState', 'DriverCommand', 'DriverState', 'GetCarInfo', 'GetDriverState',
           'Reset', 'SetFloat', 'SetGear', 'SetIndicator', 'SetWiperMode', 'WheelCommand']
