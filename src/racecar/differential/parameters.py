# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""What a differential-drive robot is made of: the parameter table and its typed form.

The fields of the DifferentialWheels node (seed 002) have their names in snake_case, their units
and their defaults. What seed 002 takes from the Physics nodes and shapes of a world follows.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Annotated, Any

import numpy as np
from numpy.typing import NDArray

from racecar.base.columns import Array
from racecar.base.errors import ConfigurationError, ParameterError
from racecar.base.parameter_fields import made_of, Row, table_of, with_plain_signature
from racecar.base.parameter_file import load_parameter_file
from racecar.base.share import find_wheeled_robot
from racecar.base.values import Values
from racecar.differential.distance_sensor import GENERIC, SENSOR_TYPES
from racecar.differential.state import WheelBase
from racecar.dynamics.vehicles.parameters import Footprint, GRAVITY
from racecar.simulation.fleet_file import RobotKind

PREFIX = 'robot.'

OFF = -1.0
"""Value of encoder_noise and encoder_resolution without encoders."""

_SENSOR_NUMBERS = 3


@with_plain_signature
@dataclass(frozen=True, slots=True)
class RobotParameters:
    """A differential-drive robot [SI]."""

    name: Annotated[str, Row('Name of the robot')] = 'differential_wheels'
    motor_consumption: Annotated[float, Row(
        'Power of the motors for each rad/s of the mean of both commanded speeds', 'W s/rad',
        minimum=0.0, maximum=1e9)] = 0.0
    axle_length: Annotated[float, Row(
        'Distance between the wheels', 'm', above=0.0, maximum=100.0)] = 0.1
    wheel_radius: Annotated[float, Row(
        'Radius of the wheels', 'm', above=0.0, maximum=10.0)] = 0.01
    max_speed: Annotated[float, Row(
        'Maximum speed of a wheel', 'rad/s', above=0.0, maximum=1e6)] = 10.0
    max_acceleration: Annotated[float, Row(
        'Maximum acceleration of a wheel, in mode kinematics', 'rad/s^2', above=0.0,
        maximum=1e9)] = 10.0
    speed_unit: Annotated[float, Row(
        'Unit of set_speed(); 0.1 before version 6 of Webots', 'rad/s', above=0.0,
        maximum=1e6)] = 1.0
    slip_noise: Annotated[float, Row(
        'Uniform noise of the speed of each wheel at each step, a share of it, in mode kinematics',
        '-', minimum=0.0, maximum=1.0)] = 0.1
    encoder_noise: Annotated[float, Row(
        'Uniform noise of each increment of an encoder, a share of it; -1: no encoders', '-',
        minimum=OFF, maximum=1.0)] = OFF
    encoder_resolution: Annotated[float, Row(
        'Counts of an encoder for each rad of its wheel; -1: no encoders', '1/rad', minimum=OFF,
        maximum=1e9)] = OFF
    max_force: Annotated[float, Row(
        'Maximum torque of the motor of a wheel, in modes physics and world', 'N m', above=0.0,
        maximum=1e9)] = 0.3
    battery: Annotated[float, Row(
        'Energy that the motors can take until they stop; 0: no limit', 'J', minimum=0.0,
        maximum=1e9)] = 0.0
    mass: Annotated[float, Row('Mass with the wheels', 'kg', above=1e-6, maximum=1e6)] = 0.5
    yaw_inertia: Annotated[float, Row(
        'Moment of inertia about the vertical axis through the centre of gravity', 'kg m^2',
        above=1e-12, maximum=1e9)] = 0.0008
    cog_ahead: Annotated[float, Row(
        'Centre of gravity ahead of the axle', 'm', minimum=-100.0, maximum=100.0)] = 0.0
    cog_height: Annotated[float, Row(
        'Height of the centre of gravity', 'm', above=0.0, maximum=100.0)] = 0.01
    caster_ahead: Annotated[float, Row(
        'Caster, which has no friction, ahead of the axle; negative: behind; 0: none, the wheels'
        ' carry all, and in the world a caster at either end carries what is left', 'm',
        minimum=-100.0, maximum=100.0)] = 0.0
    wheel_mass: Annotated[float, Row('Mass of one wheel', 'kg', above=1e-9, maximum=1e6)] = 0.01
    wheel_inertia: Annotated[float, Row(
        'Moment of inertia of one wheel about its axle, with its share of motor and gears',
        'kg m^2', above=1e-15, maximum=1e9)] = 5e-5
    wheel_width: Annotated[float, Row('Width of a wheel', 'm', above=0.0, maximum=10.0)] = 0.005
    friction_coefficient: Annotated[float, Row(
        'Coulomb friction between wheel and ground', '-', minimum=0.0, maximum=10.0)] = 1.0
    body_radius: Annotated[float, Row(
        'Radius of a round body about the middle of the axle; 0: the body is a box', 'm',
        minimum=0.0, maximum=100.0)] = 0.055
    front: Annotated[float, Row(
        'How far a box reaches ahead of the axle', 'm', above=0.0, maximum=100.0)] = 0.055
    rear: Annotated[float, Row(
        'How far a box reaches behind the axle', 'm', above=0.0, maximum=100.0)] = 0.055
    width: Annotated[float, Row(
        'Width of a box, with the wheels', 'm', above=0.0, maximum=100.0)] = 0.11
    height: Annotated[float, Row(
        'Height of the top above the ground', 'm', above=0.0, maximum=100.0)] = 0.03
    distance_sensors: Annotated[tuple[float, ...], Row(
        'x [m], y [m] and heading [rad] of the ray of each distance sensor ds0, ds1 and so on, one'
        ' after the other')] = ()
    distance_range: Annotated[float, Row(
        'Range of the distance sensors', 'm', above=0.0, maximum=1000.0)] = 0.05
    distance_sensor_type: Annotated[str, Row(
        'What the distance sensors measure: the distance alone, or infra-red light that comes'
        ' back, less of what is less red', choices=SENSOR_TYPES)] = GENERIC

    @classmethod
    def from_values(cls, values: Values) -> RobotParameters:
        """Build from dotted parameter names; those of other tables are left alone.

        Raises ParameterError naming what is unknown, ill-typed, out of range or contradictory.
        """
        own = ROBOT_PARAMETERS.resolve(
            {name: value for name, value in values.items() if name.startswith(PREFIX)})
        robot = made_of(cls, PREFIX, own)
        contradiction = robot.contradiction
        if contradiction:
            raise ParameterError(contradiction)
        return robot

    @classmethod
    def from_file(cls, path: Path | str) -> RobotParameters:
        """Build from a robot's parameter file, e.g. config/robots/khepera.yaml.

        Raises ConfigurationError if it is not one, and ParameterError as from_values().
        """
        values = load_parameter_file(path, node='robot')
        for name in values:
            if not name.startswith(PREFIX):
                raise ConfigurationError(
                    f"file '{path}' has the parameter '{name}', expected those of a"
                    f' differential-drive robot, whose names begin with {PREFIX}')
        return cls.from_values(values)

    def columns(self, values: Mapping[str, Array]) -> RobotParameters:
        """Many robots like this one, (robots,), as racecar.base.columns has them.

        values: by some names of ROBOT_COLUMNS, each number one that its parameter may have.
        """
        return replace(self, **_fields(values))

    def are_possible(self, values: Mapping[str, Array]) -> NDArray[np.bool_]:
        """Whether from_values() makes each of the robots of columns(), (robots,)."""
        fields = _fields(values)
        rows = zip(*(column.tolist() for column in fields.values()), strict=True)
        return np.array([not replace(self, **dict(zip(fields, row, strict=True))).contradiction
                         for row in rows])

    @property
    def contradiction(self) -> str:
        """Why there is no such robot, for an error; empty if there may be."""
        for name, value in (('encoder_noise', self.encoder_noise),
                            ('encoder_resolution', self.encoder_resolution)):
            if OFF < value < 0.0:
                return (f"parameter '{PREFIX}{name}' is {value!r}, expected -1 for no encoders, or"
                        ' a number of at least 0')
        if len(self.distance_sensors) % _SENSOR_NUMBERS:
            return (f"parameter '{PREFIX}distance_sensors' has {len(self.distance_sensors)}"
                    ' numbers, expected three for each sensor: x, y and heading')
        if 2.0 * self.wheel_mass >= self.mass:
            return (f"parameter '{PREFIX}wheel_mass' is {self.wheel_mass:g} kg, expected less than"
                    f" half of '{PREFIX}mass', {self.mass:g} kg")
        if not 0.0 <= self.caster_load < 1.0:
            return (f"parameter '{PREFIX}cog_ahead' is {self.cog_ahead:g} m, expected the centre"
                    f" of gravity between the axle and the caster, '{PREFIX}caster_ahead'"
                    f' {self.caster_ahead:g} m')
        return ''

    @property
    def has_encoders(self) -> bool:
        """Whether the robot has encoders."""
        return self.encoder_noise >= 0.0 and self.encoder_resolution >= 0.0

    @property
    def caster_load(self) -> float:
        """Share of the weight that the caster carries [-], 0 without one."""
        return self.cog_ahead / self.caster_ahead if self.caster_ahead else 0.0

    @property
    def wheel_load(self) -> float:
        """Weight on one wheel [N]."""
        return 0.5 * self.mass * GRAVITY * (1.0 - self.caster_load)

    @property
    def wheel_base(self) -> WheelBase:
        """What turns a twist into wheel speeds."""
        return WheelBase(self.wheel_radius, self.axle_length, self.max_speed)

    @property
    def footprint(self) -> Footprint:
        """The rectangle about what the robot covers on the ground."""
        if self.body_radius:
            return Footprint(self.body_radius, self.body_radius, self.body_radius)
        return Footprint(self.front, self.rear, 0.5 * self.width)

    @property
    def sensor_places(self) -> tuple[tuple[float, float, float], ...]:
        """X [m], y [m] and heading [rad] of each distance sensor."""
        numbers = iter(self.distance_sensors)
        return tuple(zip(numbers, numbers, numbers, strict=True))


def _fields(values: Mapping[str, Array]) -> dict[str, Any]:
    return {name.removeprefix(PREFIX): column for name, column in values.items()}


ROBOT_PARAMETERS = table_of(RobotParameters, PREFIX)

ROBOTS = RobotKind(PREFIX, find_wheeled_robot, ('mode', 'stamped_cmd_vel'))
"""What fleet files know of these robots."""

ROBOT_COLUMNS = frozenset(row.name for row in ROBOT_PARAMETERS if row.type is float)
"""Names of the parameters in which RobotParameters.columns() may differ."""
