# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""Commands of speed and steering angle within the limits of a vehicle."""

from __future__ import annotations

import math
from typing import NamedTuple

from racecar.base.errors import ParameterError
from racecar.base.types import AckermannCommand
from racecar.dynamics.vehicles.parameters import VehicleParameters

_ROUNDING = 1e-6


class CheckedCommand(NamedTuple):
    """A command that a vehicle can take; notice: what has been cut off it, empty if nothing."""

    command: AckermannCommand
    notice: str


def not_finite(command: AckermannCommand) -> ParameterError:
    """Error of a command that is NaN or infinite."""
    return ParameterError(
        f'command has speed {command.speed!r} and steering_angle'
        f' {command.steering_angle!r}, expected finite numbers [m/s, rad]')


def checked(
    command: AckermannCommand, vehicle: VehicleParameters, steering_range: tuple[float, float],
) -> CheckedCommand:
    """Command clamped to the limits of a vehicle, with a notice of what they cut off.

    steering_range: lowest and highest steering angle [rad]. Raises ParameterError if the command
    is NaN or infinite.
    """
    if not command.is_finite:
        raise not_finite(command)
    driven = within_limits(command, vehicle, steering_range)
    return CheckedCommand(driven, cut_notice(command, driven))


def within_limits(
    command: AckermannCommand, vehicle: VehicleParameters, steering_range: tuple[float, float],
) -> AckermannCommand:
    """Command of finite numbers, clamped; steering_range: lowest and highest angle [rad]."""
    lowest, highest = steering_range
    return AckermannCommand(
        min(max(command.speed, vehicle.speed_min), vehicle.speed_max),
        min(max(command.steering_angle, lowest), highest))


def cut_notice(command: AckermannCommand, driven: AckermannCommand) -> str:
    """What the limits of a vehicle have cut off a command; empty if nothing.

    driven: what within_limits() has returned. What messages of single precision round is nothing.
    """
    parts: list[str] = []
    if command == driven:
        return ''
    if not math.isclose(driven.speed, command.speed, rel_tol=_ROUNDING):
        parts.append(f'speed {command.speed:.3g} m/s to {driven.speed:.3g} m/s')
    if not math.isclose(driven.steering_angle, command.steering_angle, rel_tol=_ROUNDING):
        parts.append(f'steering angle {command.steering_angle:.3g} rad to'
                     f' {driven.steering_angle:.3g} rad')
    return f"the limits of the vehicle cut the command: {', '.join(parts)}" if parts else ''
