# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""The motion with which a simulated car starts, besides its pose."""

from __future__ import annotations

from collections.abc import Sequence
import math
from typing import NamedTuple

from racecar.base.errors import ParameterError
from racecar.base.parameters import Parameter
from racecar.base.types import ORIGIN, Pose2
from racecar.dynamics.vehicles.interface import VehicleModel
from racecar.dynamics.vehicles.parameters import VehicleParameters


class InitialMotion(NamedTuple):
    """Yaw rate [rad/s], sideslip angle [rad], both to the left, and speed forwards [m/s].

    sideslip: at the centre of gravity; speed: of the odometry point.
    """

    yaw_rate: float = 0.0
    sideslip: float = 0.0
    speed: float = 0.0


AT_REST = InitialMotion()


class Start(NamedTuple):
    """Pose of the odometry point, and motion, with which a car starts."""

    pose: Pose2 = ORIGIN
    motion: InitialMotion = AT_REST


AT_ORIGIN = Start()

INITIAL_MOTION_PARAMETERS = (
    Parameter('initial_yaw_rate', float, AT_REST.yaw_rate, 'Yaw rate at the start and after a'
              ' reset, counter-clockwise; of vehicle models with the yaw rate as a state', 'rad/s',
              read_only=True),
    Parameter('initial_sideslip', float, AT_REST.sideslip, 'Sideslip angle at the centre of'
              ' gravity at the start and after a reset; of single_track with the formulation'
              ' report, whose state it is', 'rad', minimum=-1.5, maximum=1.5, read_only=True),
    Parameter('initial_speed', float, AT_REST.speed, 'Speed forwards of base_link at the start and'
              ' after a reset, a flying start: wheels roll, and actuators have reached it', 'm/s',
              read_only=True),
)

# Parameter, state and where that state is found, in the order of InitialMotion; the speed is set
# with wheels and actuators by who owns these.
_STATES = (
    ('initial_yaw_rate', 'yaw_rate', 'rad/s', 'a vehicle_model with the yaw rate as a state, such'
     ' as single_track'),
    ('initial_sideslip', 'beta', 'rad', 'vehicle_model single_track with formulation report'),
)


def initial_state(model: VehicleModel, pose: Pose2, motion: InitialMotion) -> tuple[float, ...]:
    """State of a model with the odometry point at a pose and with a motion.

    Raises ParameterError for a motion other than 0 that the model has no state for, and for one
    beyond the range in which the model holds.
    """
    state = list(model.initial_state(pose))
    for value, (parameter, name, unit, remedy) in zip(motion, _STATES, strict=False):
        if value == 0.0:
            continue
        if name not in model.state_names:
            raise ParameterError(
                f"parameter '{parameter}' is {value:g} {unit}, expected 0 for"
                f' {model.description}; use {remedy}')
        index = model.state_names.index(name)
        limit = model.state_limits[index]
        if not abs(value) <= limit:
            raise ParameterError(
                f"parameter '{parameter}' is {value:g} {unit}, expected a number in"
                f' [{-limit:.4g}, {limit:.4g}] for {model.description}')
        state[index] = float(value)
    return tuple(state)


def check_initial_speed(speed: float, vehicle: VehicleParameters) -> None:
    """Raise ParameterError for a speed [m/s] beyond those of the vehicle."""
    if not vehicle.speed_min <= speed <= vehicle.speed_max:
        raise ParameterError(
            f"parameter 'initial_speed' is {speed:g} m/s, expected a number in"
            f' [{vehicle.speed_min:g}, {vehicle.speed_max:g}], the speeds of the vehicle')


def state_in_motion(
    model: VehicleModel, state: Sequence[float], vx: float, vy: float, yaw_rate: float,
) -> tuple[float, ...]:
    """State with the velocity vx, vy [m/s] of the odometry point and the yaw_rate [rad/s].

    Where the state has none of them it stays as it is. Wheels that it has roll.
    """
    vehicle = model.vehicle
    across = vy - vehicle.odometry_offset * yaw_rate
    wanted = {'vy': across, 'yaw_rate': yaw_rate, 'beta': math.atan2(across, vx) if vx else 0.0}
    if 'vx' in model.state_names:
        half = 0.5 * vehicle.track_width
        wanted |= {'vx': vx, **{
            f'wheel_speed_{axle}_{side}': (vx - sign * half * yaw_rate) / radius
            for axle, radius in zip(('front', 'rear'), vehicle.wheel_radii, strict=True)
            for side, sign in (('left', 1.0), ('right', -1.0))}}
    return tuple(wanted.get(name, value) for name, value in zip(
        model.state_names, state, strict=True))
