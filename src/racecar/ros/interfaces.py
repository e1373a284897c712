# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""The package's own message types, with the remedy where they were not built."""

from racecar.base.errors import ConfigurationError

try:
    from racecar_interfaces.msg import (
        CarInfo,
        CarState,
        DriverCommand,
        DriverState,
        LampSwitches,
        Laps,
        RaceEvent,
        RaceLook,
        RaceLooks,
        RaceOrder,
        RaceOrders,
        RaceStanding,
        RaceState,
        WheelCommand,
    )
    from racecar_interfaces.srv import (
        GetCarInfo,
        GetDriverState,
        NamedCar,
        Reset,
        SetFloat,
        SetGear,
        SetIndicator,
        SetWiperMode,
    )
except ImportError as error:
    # Python takes a folder of that name for a package without a path.
    fault = 'is not built' if error.path is None else f'was built from another version ({error})'
    raise ConfigurationError(
        f'racecar_interfaces {fault}: run'
        ' `colcon build --base-paths . racecar_interfaces` in the folder of the repository'
        ' (in a workspace: `colcon build --base-paths src src/racecar/racecar_interfaces`)'
        ' and source install/setup.bash') from error

__all__ = ['CarInfo', 'CarState', 'DriverCommand', 'DriverState', 'GetCarInfo', 'GetDriverState',
           'LampSwitches', 'Laps', 'NamedCar', 'RaceEvent', 'RaceLook', 'RaceLooks', 'RaceOrder',
           'RaceOrders', 'RaceStanding', 'RaceState', 'Reset', 'SetFloat', 'SetGear',
           'SetIndicator', 'SetWiperMode', 'WheelCommand']
