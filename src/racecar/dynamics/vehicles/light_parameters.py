# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""The lights of a car, after AutomobileLights of seed 000 (1.3): shapes and colours by parameter.

Where they sit follows from the body of the car unless the vehicle's file says it. Colours are
those of the seed but for two, which it has the wrong way round: its rear lights are white and its
reversing lamps red.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import NamedTuple

from racecar.base.errors import excerpt, ParameterError
from racecar.base.parameters import Parameter, ParameterTable
from racecar.base.values import numbers_of, text_of, texts_of, Values

LIGHTS_PREFIX = 'vehicle.lights.'
"""Of the names of LIGHT_PARAMETERS."""

NO_LAMP, BOX, CYLINDER, SPHERE = 'none', 'box', 'cylinder', 'sphere'
LAMP_SHAPES = (NO_LAMP, BOX, CYLINDER, SPHERE)

_WHITE, _AMBER, _RED = (0.8, 0.8, 0.8), (1.0, 0.7, 0.1), (0.7, 0.12, 0.12)

# Default shape and colour of each group of the seed.
_GROUPS: Mapping[str, tuple[str, tuple[float, float, float]]] = {
    'front': (CYLINDER, _WHITE), 'indicator': (BOX, _AMBER), 'antifog': (CYLINDER, _WHITE),
    'braking': (BOX, _RED), 'rear': (BOX, _RED), 'backwards': (BOX, _WHITE),
}


def _rows(group: str, shape: str, colour: Sequence[float]) -> Iterator[Parameter]:
    def name(part: str) -> str:
        return f'{LIGHTS_PREFIX}{group}.{part}'

    yield Parameter(name('shape'), str, shape, f'Shape of the {group} lamps',
                    choices=LAMP_SHAPES, read_only=True)
    yield Parameter(name('shapes'), list, [], f'Shape of each of the {group} lamps on the left'
                    ' and in the middle, in the order of their positions; empty: all as shape'
                    ' says', read_only=True, item=str)
    yield Parameter(name('colour'), list, [*colour], f'Red, green and blue of the {group} lamps'
                    ' while they are lit, each from 0 to 1', read_only=True, item=float)
    yield Parameter(name('size'), list, [], f'Depth, width and height of the {group} lamps, or of'
                    ' each of them; of a cylinder, which lies along the car, and of a sphere the'
                    ' height is the diameter; empty: as the body has room', unit='m',
                    read_only=True, item=float)
    yield Parameter(name('positions'), list, [], 'x, y, z of the middle of each of the'
                    f' {group} lamps on the left (y > 0) and in the middle (y = 0) of the car,'
                    ' in the frame chassis; those on the right are their mirror images; empty:'
                    ' where the body has room', unit='m', read_only=True, item=float)


LIGHT_PARAMETERS = ParameterTable(
    row for group, (shape, colour) in _GROUPS.items() for row in _rows(group, shape, colour))
"""Beside VEHICLE_PARAMETERS; the simulators, which describe the vehicle, have them."""


class LightGroup(NamedTuple):
    """The rows of a group of LIGHT_PARAMETERS; () where the body decides.

    shapes, sizes: one for all lamps or one for each.
    """

    shapes: tuple[str, ...]
    colour: tuple[float, float, float]
    sizes: tuple[tuple[float, float, float], ...] = ()
    positions: tuple[tuple[float, float, float], ...] = ()

    def shape(self, number: int) -> str:
        """Shape of a lamp; NO_LAMP if the group has none of this number."""
        if len(self.shapes) == 1:
            return self.shapes[0]
        return self.shapes[number] if number < len(self.shapes) else NO_LAMP

    def size(self, number: int) -> tuple[float, float, float] | None:
        """Depth, width and height of a lamp [m]; None where the body decides."""
        if len(self.sizes) > 1:
            return self.sizes[number]
        return self.sizes[0] if self.sizes else None


class Lights(NamedTuple):
    """All lights of a car."""

    front: LightGroup
    indicator: LightGroup
    antifog: LightGroup
    braking: LightGroup
    rear: LightGroup
    backwards: LightGroup

    @classmethod
    def from_values(cls, values: Values) -> Lights:
        """Build from dotted parameter names; those of other tables are left alone.

        Raises ParameterError naming the first that is unknown, ill-typed or out of range.
        """
        own = LIGHT_PARAMETERS.resolve(
            {name: value for name, value in values.items() if name.startswith(LIGHTS_PREFIX)})
        return cls(*(_group(own, group) for group in cls._fields))


def _group(values: Values, group: str) -> LightGroup:
    def checked(
        part: str, expected: str, fits: Callable[[Sequence[float]], bool],
    ) -> Sequence[float]:
        name = f'{LIGHTS_PREFIX}{group}.{part}'
        given = numbers_of(values, name)
        if not fits(given):
            raise ParameterError(f"parameter '{name}' is {[*given]}, expected {expected}")
        return given

    red, green, blue = checked(
        'colour', 'red, green and blue, each from 0 to 1',
        lambda given: len(given) == 3 and all(0.0 <= part <= 1.0 for part in given))
    size = checked(
        'size', 'depth, width and height above 0 m and up to 10 m, of all lamps or of each, or'
        ' nothing',
        lambda given: len(given) % 3 == 0 and all(0.0 < edge <= 10.0 for edge in given))
    flat = checked(
        'positions', 'x, y and z of each lamp up to 100 m, y at least 0 since the right side'
        ' mirrors the left',
        lambda given: len(given) % 3 == 0 and all(abs(part) <= 100.0 for part in given)
        and all(y >= 0.0 for y in given[1::3]))
    positions = _triples(flat)
    shapes = texts_of(values, f'{LIGHTS_PREFIX}{group}.shapes')
    for shape in shapes:
        if shape not in LAMP_SHAPES:
            raise ParameterError(
                f"parameter '{LIGHTS_PREFIX}{group}.shapes' has {excerpt(shape)}, expected each to"
                f" be one of {', '.join(LAMP_SHAPES)}")
    for part, count in (('shapes', len(shapes)), ('size', len(size) // 3)):
        if count > 1 or (count and part == 'shapes'):
            if not positions:
                raise ParameterError(
                    f"parameter '{LIGHTS_PREFIX}{group}.{part}' is for {count} lamps, expected"
                    f" their places, too: '{LIGHTS_PREFIX}{group}.positions'")
            if count != len(positions):
                raise ParameterError(
                    f"parameter '{LIGHTS_PREFIX}{group}.{part}' is for {count} lamps, expected one"
                    f' for each of {len(positions)} positions')
    return LightGroup(
        shapes or (text_of(values, f'{LIGHTS_PREFIX}{group}.shape'),), (red, green, blue),
        _triples(size), positions)


def _triples(flat: Sequence[float]) -> tuple[tuple[float, float, float], ...]:
    return tuple(zip(flat[::3], flat[1::3], flat[2::3], strict=True))


DEFAULT_LIGHTS = Lights.from_values({})
