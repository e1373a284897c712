# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""What only a description of a vehicle needs: its body, suspension and places for sensors.

These are the fields of the AckermannVehicle PROTO and of the cars made of it (seed 000, sections
1.2 and 1.3, table 1) that planar models have no use for; vehicle_description makes a robot of
them.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from racecar.base.errors import excerpt, ParameterError
from racecar.base.parameters import Parameter, ParameterTable

BODY_PREFIX = 'vehicle.body.'
"""Of the names of BODY_PARAMETERS."""

RACECAR, SALOON, HATCHBACK, SUV, AXLES = 'racecar', 'saloon', 'hatchback', 'suv', 'axles'
SHAPES = RACECAR, SALOON, HATCHBACK, SUV, AXLES

SLOTS = ('front', 'top', 'rear')
"""Places for sensors that a file can state; the fourth, centre, is the middle of the rear axle."""

_AXLES = ('front', 'rear')


def _row(name: str, default: Any, description: str, unit: str = '', **rest: Any) -> Parameter:
    return Parameter(
        f'{BODY_PREFIX}{name}', type(default), default, description, unit=unit, read_only=True,
        **rest)


def _axle_rows(axle: str) -> list[Parameter]:
    return [
        _row(f'{axle}.spring_rate', 0.0, f'Stiffness of each {axle} spring, at the wheel; 0 on'
             ' both axles: no suspension', 'N/m', minimum=0.0, maximum=1e9),
        _row(f'{axle}.damping_rate', 0.0, f'Damping of each {axle} suspension, at the wheel',
             'N s/m', minimum=0.0, maximum=1e8),
        _row(f'{axle}.bump_travel', 0.1, f'How far a {axle} wheel can rise against the body',
             'm', above=0.0, maximum=10.0),
        _row(f'{axle}.rebound_travel', 0.1, f'How far a {axle} wheel can drop', 'm', above=0.0,
             maximum=10.0),
        _row(f'{axle}.wheel_mass', 0.0, f'Mass of a {axle} wheel; 0: that of a solid cylinder of'
             ' its moment of inertia', 'kg', minimum=0.0, maximum=1e5),
        _row(f'{axle}.tyre_rate', 0.0, f'Vertical stiffness of a {axle} tyre of a vehicle with'
             ' suspension; 0: it gives by a twentieth of its radius under its load', 'N/m',
             minimum=0.0, maximum=1e9),
    ]


BODY_PARAMETERS = ParameterTable([
    _row('shape', RACECAR, "Body: urdf/racecar.urdf.xacro stretched to the vehicle's lengths, a"
         ' car with bonnet and boot, with tailgate, a tall one, or none but frame and axles',
         choices=SHAPES),
    _row('height', 0.0, 'Height of the roof above the ground; 0: in proportion to the wheelbase',
         'm', minimum=0.0, maximum=100.0),
    _row('clearance', 0.0, 'Height of the floor of the body above the ground; 0: half the radius'
         ' of the rear wheels', 'm', minimum=0.0, maximum=100.0),
    _row('cabin', [], 'Where foot of the rear window, rear end of the roof, its front end and foot'
         ' of the windscreen are, from the middle of the rear axle, forward positive; empty: in'
         ' the proportions of the shape', 'm', item=float),
    _row('heights', [], 'Heights of boot lid, belt line below the windows and front edge of the'
         ' bonnet above the ground; empty: in the proportions of the shape', 'm', item=float),
    _row('colour', [0.32, 0.36, 0.42], 'Red, green, blue of the paint, each from 0 to 1',
         item=float),
    _row('roll_inertia', 0.0, 'Moment of inertia about the longitudinal axis through the centre of'
         ' gravity; 0: that of a box of the size of the body', 'kg m^2', minimum=0.0,
         maximum=1e8),
    _row('pitch_inertia', 0.0, 'Moment of inertia about the lateral axis through the centre of'
         ' gravity; 0: that of a box of the size of the body', 'kg m^2', minimum=0.0,
         maximum=1e8),
    *_axle_rows('front'),
    *_axle_rows('rear'),
    *(_row(f'slots.{slot}', [], f'Place of the sensor slot {slot} from the middle of the rear'
           ' axle: x forward, y left, z up; empty: at the outside of the body', 'm', item=float)
      for slot in SLOTS),
])
"""Part of the tables of the simulators, which describe the vehicle; other nodes need none."""


@dataclass(frozen=True, slots=True)
class AxleBody:
    """Suspension and wheels of an axle; the rows of BODY_PARAMETERS say what they mean."""

    spring_rate: float = 0.0
    damping_rate: float = 0.0
    bump_travel: float = 0.1
    rebound_travel: float = 0.1
    wheel_mass: float = 0.0
    tyre_rate: float = 0.0


def _tuple_of(name: str, values: list[float], count: int) -> tuple[float, ...]:
    if len(values) != count:
        raise ParameterError(
            f"parameter '{BODY_PREFIX}{name}' is {values}, expected {count} numbers:"
            f" {BODY_PARAMETERS[f'{BODY_PREFIX}{name}'].description}")
    return tuple(values)


def _refuse_fields(own: Mapping[str, Any]) -> None:
    """Raise ParameterError if anything is stated that the racecar's xacro file does not take."""
    for row in BODY_PARAMETERS:
        name = row.name.removeprefix(BODY_PREFIX)
        if name != 'shape' and own[name] != row.default:
            raise ParameterError(
                f"parameter '{row.name}' is {excerpt(own[name])}, expected none of it for a body"
                f" of the shape {RACECAR}, which has no use for it: choose '{BODY_PREFIX}shape'"
                f" among {', '.join(shape for shape in SHAPES if shape != RACECAR)}")


@dataclass(frozen=True, slots=True)
class BodyParameters:
    """Body of a vehicle in SI units; the rows of BODY_PARAMETERS say what the numbers mean.

    slots: by the names in SLOTS, None for a place that follows from the body.
    """

    shape: str = RACECAR
    height: float = 0.0
    clearance: float = 0.0
    cabin: tuple[float, ...] = ()
    heights: tuple[float, ...] = ()
    colour: tuple[float, ...] = (0.32, 0.36, 0.42)
    roll_inertia: float = 0.0
    pitch_inertia: float = 0.0
    front: AxleBody = AxleBody()
    rear: AxleBody = AxleBody()
    slots: tuple[tuple[float, ...] | None, ...] = (None, None, None)

    @classmethod
    def from_values(cls, values: Mapping[str, Any]) -> BodyParameters:
        """Build from dotted parameter names; those of other tables are left alone.

        Raises ParameterError naming the first that is unknown, ill-typed, out of range, or without
        effect on a body of this shape.
        """
        own: dict[str, Any] = {
            name.removeprefix(BODY_PREFIX): value
            for name, value in BODY_PARAMETERS.resolve(
                {name: value for name, value in values.items()
                 if name.startswith(BODY_PREFIX)}).items()}
        if own['shape'] == RACECAR:
            _refuse_fields(own)
        colour = _tuple_of('colour', own['colour'], 3)
        if not all(0.0 <= part <= 1.0 for part in colour):
            raise ParameterError(
                f"parameter '{BODY_PREFIX}colour' is {list(colour)}, expected three numbers from 0"
                ' to 1: red, green, blue')
        cabin, heights = (
            _tuple_of(name, own[name], count) if own[name] else ()
            for name, count in (('cabin', 4), ('heights', 3)))
        front, rear = (
            AxleBody(**{name: own[f'{axle}.{name}'] for name in AxleBody.__dataclass_fields__})
            for axle in _AXLES)
        return cls(
            own['shape'], own['height'], own['clearance'], cabin, heights, colour,
            own['roll_inertia'], own['pitch_inertia'], front, rear, tuple(
                _tuple_of(f'slots.{slot}', own[f'slots.{slot}'], 3) if own[f'slots.{slot}']
                else None for slot in SLOTS))

    @property
    def is_generated(self) -> bool:
        """Whether a description is generated, not made of the racecar's xacro file."""
        return self.shape != RACECAR

    @property
    def is_sprung(self) -> bool:
        """Whether there are springs between the wheels and the body."""
        return self.front.spring_rate > 0.0
