# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""What only a description of a vehicle needs: its body, suspension and places for sensors.

These are the fields of the AckermannVehicle PROTO and of the cars made of it (seed 000, sections
1.2 and 1.3, table 1) that planar models have no use for; vehicle_description makes a robot of
them.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Annotated

from racecar.base.errors import excerpt, ParameterError
from racecar.base.parameter_fields import made_of, Row, table_of
from racecar.base.parameters import Parameter, ParameterTable
from racecar.base.values import numbers_of, Values

BODY_PREFIX = 'vehicle.body.'
"""Of the names of BODY_PARAMETERS."""

RACECAR, SALOON, HATCHBACK, SUV, AXLES = 'racecar', 'saloon', 'hatchback', 'suv', 'axles'
SHAPES = RACECAR, SALOON, HATCHBACK, SUV, AXLES

SLOTS = ('front', 'top', 'rear')
"""Places for sensors that a file can state; the fourth, centre, is the middle of the rear axle."""

_AXLES = ('front', 'rear')


@dataclass(frozen=True, slots=True)
class AxleBody:
    """Suspension and wheels of an axle; {axle} in a description stands for its name."""

    spring_rate: Annotated[float, Row(
        'Stiffness of each {axle} spring, at the wheel; 0 on both axles: no suspension', 'N/m',
        minimum=0.0, maximum=1e9)] = 0.0
    damping_rate: Annotated[float, Row(
        'Damping of each {axle} suspension, at the wheel', 'N s/m', minimum=0.0,
        maximum=1e8)] = 0.0
    bump_travel: Annotated[float, Row(
        'How far a {axle} wheel can rise against the body', 'm', above=0.0, maximum=10.0)] = 0.1
    rebound_travel: Annotated[float, Row(
        'How far a {axle} wheel can drop', 'm', above=0.0, maximum=10.0)] = 0.1
    wheel_mass: Annotated[float, Row(
        'Mass of a {axle} wheel; 0: that of a solid cylinder of its moment of inertia', 'kg',
        minimum=0.0, maximum=1e5)] = 0.0
    tyre_rate: Annotated[float, Row(
        'Vertical stiffness of a {axle} tyre of a vehicle with suspension; 0: it gives by a'
        ' twentieth of its radius under its load', 'N/m', minimum=0.0, maximum=1e9)] = 0.0


def _slot_of(own: Values, slot: str) -> tuple[float, ...]:
    return numbers_of(own, f'{BODY_PREFIX}slots.{slot}')


def _check_count(name: str, values: tuple[float, ...], count: int) -> None:
    """Raise ParameterError unless there are so many numbers."""
    if len(values) != count:
        raise ParameterError(
            f"parameter '{BODY_PREFIX}{name}' is {list(values)}, expected {count} numbers:"
            f" {BODY_PARAMETERS[f'{BODY_PREFIX}{name}'].description}")


def _refuse_fields(own: Values) -> None:
    """Raise ParameterError if anything is stated that the racecar's xacro file does not take."""
    for row in BODY_PARAMETERS:
        value = own[row.name]
        if row.name != f'{BODY_PREFIX}shape' and value != row.default:
            raise ParameterError(
                f"parameter '{row.name}' is {excerpt(value)}, expected none of it for a body"
                f" of the shape {RACECAR}, which has no use for it: choose '{BODY_PREFIX}shape'"
                f" among {', '.join(shape for shape in SHAPES if shape != RACECAR)}")


@dataclass(frozen=True, slots=True)
class BodyParameters:
    """Body of a vehicle in SI units.

    slots: by the names in SLOTS, None for a place that follows from the body.
    """

    shape: Annotated[str, Row(
        "Body: urdf/racecar.urdf.xacro stretched to the vehicle's lengths, a car with bonnet and"
        ' boot, with tailgate, a tall one, or none but frame and axles', choices=SHAPES)] = RACECAR
    height: Annotated[float, Row(
        'Height of the roof above the ground; 0: in proportion to the wheelbase', 'm', minimum=0.0,
        maximum=100.0)] = 0.0
    clearance: Annotated[float, Row(
        'Height of the floor of the body above the ground; 0: half the radius of the rear wheels',
        'm', minimum=0.0, maximum=100.0)] = 0.0
    cabin: Annotated[tuple[float, ...], Row(
        'Where foot of the rear window, rear end of the roof, its front end and foot of the'
        ' windscreen are, from the middle of the rear axle, forward positive; empty: in the'
        ' proportions of the shape', 'm')] = ()
    heights: Annotated[tuple[float, ...], Row(
        'Heights of boot lid, belt line below the windows and front edge of the bonnet above the'
        ' ground; empty: in the proportions of the shape', 'm')] = ()
    colour: Annotated[tuple[float, ...], Row(
        'Red, green, blue of the paint, each from 0 to 1')] = (0.32, 0.36, 0.42)
    roll_inertia: Annotated[float, Row(
        'Moment of inertia about the longitudinal axis through the centre of gravity; 0: that of a'
        ' box of the size of the body', 'kg m^2', minimum=0.0, maximum=1e8)] = 0.0
    pitch_inertia: Annotated[float, Row(
        'Moment of inertia about the lateral axis through the centre of gravity; 0: that of a box'
        ' of the size of the body', 'kg m^2', minimum=0.0, maximum=1e8)] = 0.0
    front: AxleBody = AxleBody()
    rear: AxleBody = AxleBody()
    slots: tuple[tuple[float, ...] | None, ...] = (None, None, None)

    @classmethod
    def from_values(cls, values: Values) -> BodyParameters:
        """Build from dotted parameter names; those of other tables are left alone.

        Raises ParameterError naming the first that is unknown, ill-typed, out of range, or without
        effect on a body of this shape.
        """
        own = BODY_PARAMETERS.resolve(
            {name: value for name, value in values.items() if name.startswith(BODY_PREFIX)})
        front, rear = (
            made_of(AxleBody, f'{BODY_PREFIX}{axle}.', own) for axle in _AXLES)
        places = [_slot_of(own, slot) for slot in SLOTS]
        body = made_of(cls, BODY_PREFIX, own, front=front, rear=rear, slots=tuple(
            place or None for place in places))
        if body.shape == RACECAR:
            _refuse_fields(own)
        _check_count('colour', body.colour, 3)
        if not all(0.0 <= part <= 1.0 for part in body.colour):
            raise ParameterError(
                f"parameter '{BODY_PREFIX}colour' is {list(body.colour)}, expected three numbers"
                ' from 0 to 1: red, green, blue')
        for name, given, count in (
                ('cabin', body.cabin, 4), ('heights', body.heights, 3),
                *((f'slots.{slot}', place, 3) for slot, place in zip(
                    SLOTS, places, strict=True))):
            if given:
                _check_count(name, given, count)
        return body

    @property
    def is_generated(self) -> bool:
        """Whether a description is generated, not made of the racecar's xacro file."""
        return self.shape != RACECAR

    @property
    def is_sprung(self) -> bool:
        """Whether there are springs between the wheels and the body."""
        return self.front.spring_rate > 0.0


def _axle_rows(axle: str) -> list[Parameter]:
    return [replace(row, description=row.description.format(axle=axle))
            for row in table_of(AxleBody, f'{BODY_PREFIX}{axle}.')]


BODY_PARAMETERS = table_of(BodyParameters, BODY_PREFIX) + ParameterTable([
    *(row for axle in _AXLES for row in _axle_rows(axle)),
    *(Parameter(f'{BODY_PREFIX}slots.{slot}', list, [], f'Place of the sensor slot {slot} from the'
                ' middle of the rear axle: x forward, y left, z up; empty: at the outside of the'
                ' body', 'm', item=float, read_only=True) for slot in SLOTS),
])
"""Part of the tables of the simulators, which describe the vehicle; other nodes need none."""
