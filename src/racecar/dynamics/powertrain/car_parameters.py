# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""What a car has besides its chassis: engine, gears, brakes; the table and its typed form.

The fields of the Car PROTO (seed 000 section 1.3, and 1.2 for wheelsDampingConstant) with its
defaults of 2014, and three that it does not have, which are off. The chassis is in
racecar.dynamics.vehicles.parameters.
"""

from __future__ import annotations

from dataclasses import dataclass, fields
from enum import IntEnum
from pathlib import Path
from typing import Annotated

from racecar.base.errors import ParameterError
from racecar.base.parameter_fields import made_of, Row, table_of, with_plain_signature
from racecar.base.parameter_file import load_parameter_file
from racecar.base.parameters import CAR_SECTION
from racecar.base.values import Values

PREFIX = 'car.'

CAR_TYPES = ('traction', 'propulsion', '4x4')
ENGINE_TYPES = ('combustion', 'electric', 'parallel_hybrid', 'power_split_hybrid')
BRAKE_MODELS = ('viscous', 'coulomb')
CRUISE_REFERENCES = ('rear_axle', 'webots')

HUNDRED = 100.0 / 3.6
"""100 km/h [m/s]."""


class CarType(IntEnum):
    """Driven axles, with the numbers of seed 000."""

    TRACTION = 0
    PROPULSION = 1
    FOUR_BY_FOUR = 2


class EngineType(IntEnum):
    """Kind of engine, with the numbers of seed 000."""

    COMBUSTION = 0
    ELECTRIC = 1
    PARALLEL_HYBRID = 2
    POWER_SPLIT_HYBRID = 3


@with_plain_signature
@dataclass(frozen=True, slots=True)
class CarParameters:
    """Engine, gears and brakes of a car [SI, but for rev/min].

    Raises ParameterError for what a row does not allow, and if the gears, the coefficients or the
    engine's range make no sense.
    """

    type: Annotated[str, Row(
        'Axles that the engine drives: front, rear, or both', choices=CAR_TYPES)] = 'traction'
    engine_type: Annotated[str, Row(
        'Kind of engine; a serial hybrid is electric here', choices=ENGINE_TYPES)] = 'combustion'
    brake_coefficient: Annotated[float, Row(
        'What a fully applied brake does to each wheel: damping [N m s/rad] of the brake_model'
        ' viscous, torque [N m] of coulomb', 'N m s/rad or N m', minimum=0.0)] = 500.0
    brake_model: Annotated[str, Row(
        "Torque that grows with the wheel's speed, as in the text of 2014, or the same at any"
        ' speed, as in the later library', choices=BRAKE_MODELS)] = 'viscous'
    time_0_to_100: Annotated[float, Row(
        'Time from 0 to 100 km/h in cruise control', 's', above=0.0)] = 10.0
    engine_max_torque: Annotated[float, Row(
        'Torque limit of the electric engine', 'N m', minimum=0.0)] = 250.0
    engine_max_power: Annotated[float, Row(
        'Power limit of the electric engine', 'W', minimum=0.0)] = 50000.0
    engine_min_rpm: Annotated[float, Row(
        'Lowest speed of the combustion engine', 'rev/min', minimum=0.0)] = 1000.0
    engine_max_rpm: Annotated[float, Row(
        'Speed from which no engine gives any torque', 'rev/min', above=0.0)] = 4500.0
    engine_function_coefficients: Annotated[tuple[float, ...], Row(
        'a, b, c of the torque a + b n + c n^2 of the combustion engine at n rev/min',
        'N m, N m min, N m min^2')] = (150.0, 0.1, 0.0)
    gear_ratio: Annotated[tuple[float, ...], Row(
        'Speed of the engine over that of the wheels, final drive included: reverse, negative,'
        ' then first gear and up')] = (-12.0, 10.0, 7.0, 5.0, 2.5, 1.0)
    hybrid_power_split_ratio: Annotated[float, Row(
        "Share of the combustion engine's power that charges the battery of a power-split hybrid",
        minimum=0.0, maximum=1.0)] = 0.25
    hybrid_power_split_rpm: Annotated[float, Row(
        'Fixed speed of the combustion engine of a power-split hybrid', 'rev/min',
        minimum=0.0)] = 3000.0
    wheels_damping_constant: Annotated[float, Row(
        'Friction of each wheel', 'N m s/rad', minimum=0.0)] = 5.0
    cruise_reference: Annotated[str, Row(
        'What moves at the cruising speed: the middle of the rear axle, or the mean of the driven'
        " wheels as in Webots, where it depends on the car's type",
        choices=CRUISE_REFERENCES)] = 'rear_axle'
    engine_inertia: Annotated[float, Row(
        'Moment of inertia of the engine, which turns with the wheels in gear', 'kg m^2',
        minimum=0.0, maximum=1000.0)] = 0.0
    engine_braking_coefficients: Annotated[tuple[float, ...], Row(
        'a, b, c of the torque a + b n + c n^2 with which the engine brakes at n rev/min while the'
        ' throttle is closed', 'N m, N m min, N m min^2')] = (0.0, 0.0, 0.0)
    shift_time: Annotated[float, Row(
        'Time after a change of gear in which the engine has no torque', 's', minimum=0.0,
        maximum=10.0)] = 0.0

    def __post_init__(self) -> None:
        """Check each row, then what concerns several numbers at once."""
        CAR_PARAMETERS.resolve({
            f'{PREFIX}{field.name}': getattr(self, field.name) for field in fields(self)})
        ratios = self.gear_ratio
        if len(ratios) < 2 or ratios[0] >= 0.0 or min(ratios[1:]) <= 0.0:
            raise ParameterError(
                f"parameter 'car.gear_ratio' is {list(ratios)}, expected at least two numbers: a"
                ' negative one for reverse, then positive ones from first gear up')
        if len(self.engine_function_coefficients) != 3:
            raise ParameterError(
                "parameter 'car.engine_function_coefficients' is"
                f' {list(self.engine_function_coefficients)}, expected three numbers: a, b, c of'
                ' a + b n + c n^2')
        braking = self.engine_braking_coefficients
        if len(braking) != 3 or min(braking) < 0.0:
            raise ParameterError(
                f"parameter 'car.engine_braking_coefficients' is {list(braking)}, expected three"
                ' numbers of at least 0: a, b, c of a + b n + c n^2')
        if self.engine_max_rpm <= self.engine_min_rpm:
            raise ParameterError(
                f"parameter 'car.engine_max_rpm' is {self.engine_max_rpm!r}, expected more than"
                f" 'car.engine_min_rpm' ({self.engine_min_rpm!r})")

    @classmethod
    def from_values(cls, values: Values) -> CarParameters:
        """Build from dotted parameter names; those of other tables are left alone.

        Raises ParameterError naming the first ill-typed or out-of-range value.
        """
        own = CAR_PARAMETERS.resolve(
            {name: value for name, value in values.items() if name in CAR_PARAMETERS})
        return made_of(cls, PREFIX, own)

    @classmethod
    def from_file(cls, path: Path | str) -> CarParameters:
        """Build from a vehicle's parameter file, e.g. config/vehicles/bmw_x5.yaml.

        Raises ConfigurationError if it is not one, ParameterError as from_values() does and if
        the file describes a chassis only.
        """
        values = load_parameter_file(path, CAR_SECTION)
        if not any(name in CAR_PARAMETERS for name in values):
            raise ParameterError(
                f"vehicle file '{path}' has no parameters car.* below '/**/{CAR_SECTION}',"
                ' expected engine, gears and brakes; choose a vehicle that has them, e.g. bmw_x5'
                ' or racecar')
        return cls.from_values(values)

    @property
    def car_type(self) -> CarType:
        """Driven axles as a number."""
        return CarType(CAR_TYPES.index(self.type))

    @property
    def engine_kind(self) -> EngineType:
        """Kind of engine as a number."""
        return EngineType(ENGINE_TYPES.index(self.engine_type))

    @property
    def driven(self) -> tuple[bool, bool, bool, bool]:
        """Whether the engine drives the left front, right front, left rear, right rear wheel."""
        front, rear = self.type != 'propulsion', self.type != 'traction'
        return front, front, rear, rear

    @property
    def highest_gear(self) -> int:
        """Number of the highest gear; gears are -1 (reverse), 0 (neutral), 1 and up."""
        return len(self.gear_ratio) - 1

    @property
    def cruise_acceleration(self) -> float:
        """Acceleration in cruise control [m/s^2]."""
        return HUNDRED / self.time_0_to_100

    def ratio(self, gear: int) -> float:
        """Ratio of a gear: 0 in neutral, negative in reverse (-1).

        Raises ParameterError if there is no such gear.
        """
        if not -1 <= gear <= self.highest_gear:
            raise ParameterError(
                f'gear is {gear!r}, expected an integer from -1 (reverse) over 0 (neutral) to'
                f' {self.highest_gear}')
        return 0.0 if gear == 0 else self.gear_ratio[max(gear, 0)]


CAR_PARAMETERS = table_of(CarParameters, PREFIX)
