# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""Tables that are made of annotated fields, and values that fill these fields."""

from dataclasses import dataclass, fields, is_dataclass
import inspect
from typing import Annotated, NamedTuple

import pytest

from racecar.base.errors import ParameterError
from racecar.base.parameter_fields import made_of, Row, table_of, with_plain_signature
from racecar.base.parameters import Parameter
from racecar.differential.parameters import ROBOT_PARAMETERS, RobotParameters
from racecar.dynamics.powertrain import CAR_PARAMETERS, CarParameters
from racecar.dynamics.vehicles import VEHICLE_PARAMETERS, VehicleParameters


class Spring(NamedTuple):
    """A row of each kind, and a field that is no parameter."""

    name: Annotated[str, Row('Name')]
    rate: Annotated[float, Row('Stiffness', 'N/m', minimum=0.0, maximum=1e6, name='front.rate')]
    coils: Annotated[int, Row('Number of coils', above=0, maximum=100)] = 5
    linear: Annotated[bool, Row('Whether it is linear')] = True
    kind: Annotated[str, Row('Kind', choices=('coil', 'leaf'))] = 'coil'
    colour: Annotated[tuple[float, float, float], Row('Colour')] = (0.1, 0.2, 0.3)
    makers: Annotated[tuple[str, ...], Row('Makers')] = ()
    note: str = ''


@dataclass(frozen=True, slots=True, kw_only=True)
class Damper:
    """A field with a default may stand before one without."""

    rate: Annotated[float, Row('Damping', 'N s/m')] = 1.0
    name: Annotated[str, Row('Name')]


SPRING = {'spring.name': 'a', 'spring.front.rate': 7.0}


def test_each_annotated_field_is_a_row_in_their_order():
    assert [*table_of(Spring, 'spring.')] == [
        Parameter('spring.name', str, None, 'Name', read_only=True),
        Parameter('spring.front.rate', float, None, 'Stiffness', 'N/m', minimum=0.0, maximum=1e6,
                  read_only=True),
        Parameter('spring.coils', int, 5, 'Number of coils', above=0, maximum=100,
                  read_only=True),
        Parameter('spring.linear', bool, True, 'Whether it is linear', read_only=True),
        Parameter('spring.kind', str, 'coil', 'Kind', choices=('coil', 'leaf'), read_only=True),
        Parameter('spring.colour', list, [0.1, 0.2, 0.3], 'Colour', item=float, read_only=True),
        Parameter('spring.makers', list, [], 'Makers', item=str, read_only=True)]
    assert [*table_of(Damper, '', read_only=False)] == [
        Parameter('rate', float, 1.0, 'Damping', 'N s/m'),
        Parameter('name', str, None, 'Name')]


def test_resolved_values_fill_the_fields():
    table = table_of(Spring, 'spring.')
    values = table.resolve({**SPRING, 'spring.makers': ['b', 'c']})
    assert made_of(Spring, 'spring.', {**values, 'other': 1}) == Spring(
        'a', 7.0, 5, True, 'coil', (0.1, 0.2, 0.3), ('b', 'c'))
    assert made_of(Damper, '', {'name': 'd', 'rate': 2.0}) == Damper(name='d', rate=2.0)


@pytest.mark.parametrize('kind', [Spring, Damper])
def test_the_signature_for_people_has_no_rows(kind):
    plain = inspect.signature(with_plain_signature(kind))
    assert 'Row' not in str(plain)
    assert plain.parameters['rate'].annotation is float
    # The table is made of the class itself.
    assert [*table_of(kind, '')]


@pytest.mark.parametrize(('name', 'value', 'message'), [
    ('spring.front.rate', -1.0, r"'spring.front.rate' is -1.0, expected a number in \[0, 1e\+06\]"
     r' \[N/m\]: Stiffness'),
    ('spring.coils', 2.5, "'spring.coils' is 2.5, expected an integer"),
    ('spring.kind', 'lief', "'spring.kind' is 'lief', expected one of coil, leaf"),
    ('spring.colour', ['red'], "'spring.colour' is .*, expected a list of finite numbers")])
def test_errors_are_those_of_any_table(name, value, message):
    with pytest.raises(ParameterError, match=message):
        table_of(Spring, 'spring.').resolve({**SPRING, name: value})


@pytest.mark.parametrize(('kind', 'table', 'prefix'), [
    (VehicleParameters, VEHICLE_PARAMETERS, 'vehicle.'), (CarParameters, CAR_PARAMETERS, 'car.'),
    (RobotParameters, ROBOT_PARAMETERS, 'robot.')])
def test_every_row_of_a_robot_is_a_field_of_the_same_default(kind, table, prefix):
    assert is_dataclass(kind)
    defaults = {field.name: field.default for field in fields(kind)}
    assert len([*table]) > 15
    for row in table:
        default = defaults[row.name.removeprefix(prefix).replace('.', '_')]
        if row.default is not None:
            assert default == (tuple(row.default) if row.type is list else row.default)
