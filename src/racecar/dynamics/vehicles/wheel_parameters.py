# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""How the wheels of a vehicle are shaped: the fields of AutomobileWheel of seed 000 (1.1).

Radius and width of the tyre are those of the vehicle. The number of faces is that of the later
library (36 and 3): with those of the seed (24 and 1) corners are seen.
"""

from __future__ import annotations

import math
from typing import Annotated, NamedTuple

from racecar.base.errors import excerpt, ParameterError
from racecar.base.parameter_fields import made_of, Row, table_of
from racecar.base.parameters import Parameter, ParameterTable
from racecar.base.types import WHEEL_NAMES
from racecar.base.values import texts_of, Values

WHEEL_PREFIX = 'vehicle.wheel.'
"""Of the names of WHEEL_PARAMETERS."""

# Of the seed's wheel: the rim as a share of the tyre's radius, the next of the rim's, then of the
# tyre's width.
_RIM = 0.28 / 0.4
_BEAM_WIDTH, _INNER, _OUTER = 0.1 / 0.28, 0.09 / 0.28, 0.13 / 0.28
_BEAM_THICKNESS, _BEAM_OFFSET = 0.2 / 0.3, 0.03 / 0.3

# Thickness of the ring that carries the tyre: share of the rim's radius.
_WALL = 0.07

# Lengths of a wheel across its axle and along it.
_RADIAL = ('tire_radius', 'rim_radius', 'rim_beam_width', 'central_inner_radius',
           'central_outer_radius')
_AXIAL = 'thickness', 'rim_beam_thickness', 'rim_beam_offset'

NO_LOGO, BOX, CYLINDER, MESH = 'none', 'box', 'cylinder', 'mesh'
LOGO_SHAPES = NO_LOGO, BOX, CYLINDER, MESH

_LARGEST = 10.0
# Of the radius of a wheel: solids that are thinner cannot be joined.
_SMALLEST = 1e-5


def _length(description: str, minimum: float = 0.0, name: str = '') -> Row:
    return Row(description, 'm', minimum=minimum, maximum=_LARGEST, name=name)


class WheelShape(NamedTuple):
    """A wheel: lengths in m, as the seed describes them; z along the axle, outwards.

    thickness: width of the tyre; tire_radius, rim_radius: where it ends and begins; subdivision:
    faces around; curvature_factor, edge_subdivision: of the shoulders of the tyre; rim_beam_*: of
    the beams, of which the middle lies rim_beam_offset outside that of the wheel; central_*: radii
    of the central part where the beams meet it (outer) and at its outer end (inner).
    """

    thickness: float = 0.3
    tire_radius: float = 0.4
    subdivision: int = 24
    curvature_factor: float = 0.35
    edge_subdivision: int = 1
    rim_radius: float = 0.28
    rim_beam_number: int = 5
    rim_beam_width: float = 0.1
    central_inner_radius: float = 0.09
    central_outer_radius: float = 0.13
    rim_beam_thickness: float = 0.2
    rim_beam_offset: float = 0.03

    @property
    def wall_radius(self) -> float:
        """Inner radius of the ring that carries the tyre [m]."""
        return (1.0 - _WALL) * self.rim_radius

    def stretched(self, radial: float, axial: float) -> WheelShape:
        """Wheel with lengths across the axle and along it so many times as large."""
        return self._replace(
            **{name: radial * getattr(self, name) for name in _RADIAL},
            **{name: axial * getattr(self, name) for name in _AXIAL})

    @property
    def fault(self) -> str:
        """Why there can be no such wheel, and what was expected; empty if there can."""
        return self._fault_of_sizes or self._fault_of_fit

    @property
    def _fault_of_sizes(self) -> str:
        # Written so that NaN is a fault, too.
        if not 0.0 < self.tire_radius <= _LARGEST:
            return (f'tire_radius is {self.tire_radius:g} m, expected more than 0 and at most'
                    f' {_LARGEST:g} m')
        least = _SMALLEST * self.tire_radius
        for name in ('thickness', 'rim_radius', 'rim_beam_width', 'rim_beam_thickness',
                     'central_inner_radius', 'central_outer_radius'):
            if not least <= getattr(self, name) <= _LARGEST:
                return (f'{name} is {getattr(self, name):g} m, expected {least:.4g} m, of the'
                        f' radius of the tyre {_SMALLEST:g}, to {_LARGEST:g} m')
        for name, fewest in (('subdivision', 8), ('edge_subdivision', 1), ('rim_beam_number', 1)):
            if getattr(self, name) < fewest:
                return f'{name} is {getattr(self, name)}, expected at least {fewest}'
        if not 0.0 <= self.curvature_factor <= 1.0:
            return f'curvature_factor is {self.curvature_factor:g}, expected 0 to 1'
        return ''

    @property
    def _fault_of_fit(self) -> str:
        if self.rim_radius >= self.tire_radius:
            return (f'rim_radius is {self.rim_radius:g} m, expected less than the radius of the'
                    f' tyre, {self.tire_radius:g} m')
        # Between corners a ring is narrower.
        room = self.wall_radius * math.cos(math.pi / self.subdivision)
        if self.central_outer_radius >= room:
            return (f'central_outer_radius is {self.central_outer_radius:g} m, expected less than'
                    f' the inside of the rim, {room:.4g} m')
        if self.central_inner_radius > self.central_outer_radius:
            return (f'central_inner_radius is {self.central_inner_radius:g} m, expected at most'
                    f' central_outer_radius, {self.central_outer_radius:g} m')
        if self.rim_beam_width > 2.0 * self.central_outer_radius:
            return (f'rim_beam_width is {self.rim_beam_width:g} m, expected at most the diameter'
                    f' of the central part, {2.0 * self.central_outer_radius:g} m')
        around = 2.0 * math.pi * room
        if self.rim_beam_number * self.rim_beam_width >= around:
            return (f'{self.rim_beam_number} beams of rim_beam_width {self.rim_beam_width:g} m'
                    ' leave no gap, expected less than'
                    f' {around / self.rim_beam_number:.4g} m each')
        reach = abs(self.rim_beam_offset) + 0.5 * self.rim_beam_thickness
        if not reach <= 0.5 * self.thickness * (1.0 + 1e-9):
            return (f'rim_beam_offset {self.rim_beam_offset:g} m and rim_beam_thickness'
                    f' {self.rim_beam_thickness:g} m reach {reach:g} m from the middle, expected'
                    f' at most half the width of the wheel, {0.5 * self.thickness:g} m')
        return ''


class WheelLook(NamedTuple):
    """How the wheels of a vehicle look, but for those of other vehicles."""

    radius: Annotated[float, _length(
        'Radius of the wheel that the lengths here describe; the wheels of the vehicle have them'
        ' in proportion; 0: that of its front wheels')] = 0.0
    width: Annotated[float, _length('Width of that wheel; 0: that of the front wheels')] = 0.0
    subdivision: Annotated[int, Row('Faces around a wheel', minimum=8, maximum=256)] = 36
    curvature_factor: Annotated[float, Row(
        'How round the shoulders of the tyre are: 0 not at all, 1 from the middle of the tread to'
        ' the rim', minimum=0.0, maximum=1.0)] = 0.35
    edge_subdivision: Annotated[int, Row(
        'Faces across a shoulder of the tyre', minimum=1, maximum=64)] = 3
    rim_radius: Annotated[float, _length(
        'Radius at which the tyre begins; 0: 0.7 of the radius of the wheel')] = 0.0
    rim_beam_number: Annotated[int, Row('Number of the beams (spokes)', minimum=1, maximum=64)] = 5
    rim_beam_width: Annotated[float, _length(
        'Width of a beam; 0: 0.357 of the radius of the rim')] = 0.0
    rim_beam_thickness: Annotated[float, _length(
        'Thickness of a beam along the axle; 0: two thirds of the width of the wheel')] = 0.0
    rim_beam_offset: Annotated[float, _length(
        'How far the beams lie outside the middle of the wheel; 0: a tenth of the width of the'
        ' wheel', minimum=-_LARGEST)] = 0.0
    central_inner_radius: Annotated[float, _length(
        'Radius of the central part at its outer end; 0: 0.321 of the radius of the rim')] = 0.0
    central_outer_radius: Annotated[float, _length(
        'Radius of the central part where the beams meet it; 0: 0.464 of the radius of the'
        ' rim')] = 0.0
    tyre_colour: Annotated[tuple[float, float, float], Row(
        'Red, green and blue of the tyres, each from 0 to 1')] = (0.06, 0.06, 0.065)
    rim_colour: Annotated[tuple[float, float, float], Row(
        'Red, green and blue of the rims, each from 0 to 1')] = (0.7, 0.72, 0.75)
    logo_shape: Annotated[str, Row(
        'What is in the middle of the outer face of a wheel, as a brand logo', choices=LOGO_SHAPES,
        name='logo.shape')] = NO_LOGO
    logo_size: Annotated[tuple[float, ...], Row(
        'Width, height and thickness of a logo, in metres; of a cylinder the width is the'
        ' diameter, a mesh is stretched by these factors; empty: as the central part has room, a'
        ' mesh as it is', name='logo.size')] = ()
    logo_colour: Annotated[tuple[float, float, float], Row(
        'Red, green and blue of a logo, each from 0 to 1',
        name='logo.colour')] = (0.85, 0.86, 0.88)
    logo_file: Annotated[str, Row(
        'Mesh of a logo, a binary STL file in metres that looks along its z axis',
        name='logo.file')] = ''

    @classmethod
    def from_values(cls, values: Values) -> WheelLook:
        """Build from dotted parameter names; those of other tables are left alone.

        Raises ParameterError naming the first that is unknown, ill-typed or out of range.
        """
        own = WHEEL_PARAMETERS.resolve(
            {name: value for name, value in values.items() if name.startswith(WHEEL_PREFIX)})
        look = made_of(cls, WHEEL_PREFIX, own)
        size = look.logo_size
        if size and not (len(size) == 3 and all(0.0 < part <= _LARGEST for part in size)):
            raise ParameterError(
                f"parameter '{WHEEL_PREFIX}logo.size' is {[*size]}, expected width, height and"
                f' thickness above 0 and up to {_LARGEST:g}, or nothing')
        if (look.logo_shape == MESH) != bool(look.logo_file):
            raise ParameterError(
                f"parameter '{WHEEL_PREFIX}logo.file' is {excerpt(look.logo_file)}, expected"
                f" a file with '{WHEEL_PREFIX}logo.shape' {MESH}, and none else")
        for name, colour in (('tyre_colour', look.tyre_colour), ('rim_colour', look.rim_colour),
                             ('logo.colour', look.logo_colour)):
            if len(colour) != 3 or not all(0.0 <= part <= 1.0 for part in colour):
                raise ParameterError(
                    f"parameter '{WHEEL_PREFIX}{name}' is {[*colour]},"
                    ' expected red, green and blue, each from 0 to 1')
        return look

    def shape(self, radius: float, width: float) -> WheelShape:
        """Wheel of a radius and width [m].

        Raises ParameterError in one line if there can be no such wheel.
        """
        own_radius, own_width = self.radius or radius, self.width or width
        rim = self.rim_radius or _RIM * own_radius
        shape = WheelShape(
            thickness=own_width, tire_radius=own_radius, subdivision=self.subdivision,
            curvature_factor=self.curvature_factor, edge_subdivision=self.edge_subdivision,
            rim_radius=rim, rim_beam_number=self.rim_beam_number,
            rim_beam_width=self.rim_beam_width or _BEAM_WIDTH * rim,
            central_inner_radius=self.central_inner_radius or _INNER * rim,
            central_outer_radius=self.central_outer_radius or _OUTER * rim,
            rim_beam_thickness=self.rim_beam_thickness or _BEAM_THICKNESS * own_width,
            rim_beam_offset=self.rim_beam_offset or _BEAM_OFFSET * own_width)
        if shape.fault:
            raise ParameterError(f'wheel of {WHEEL_PREFIX}*: {shape.fault}')
        return shape.stretched(radius / own_radius, width / own_width)

    def shapes(
        self, radii: tuple[float, float], widths: tuple[float, float],
    ) -> tuple[WheelShape, WheelShape]:
        """Front and the rear wheels, of their radii and widths [m].

        Raises ParameterError as shape().
        """
        front = self.shape(radii[0], widths[0])
        return front, front.stretched(radii[1] / radii[0], widths[1] / widths[0])


WHEEL_PARAMETERS = table_of(WheelLook, WHEEL_PREFIX) + ParameterTable([
    Parameter(f'{WHEEL_PREFIX}corners', list, [], 'Vehicles, by name or file, whose wheels are at'
              ' the left front, right front, left rear and right rear, stretched to the size of'
              ' the wheels there; an empty name: that of this vehicle', item=str,
              read_only=True),
])
"""Beside VEHICLE_PARAMETERS; the simulators, which describe the vehicle, have them."""


class WheelDesign(NamedTuple):
    """A wheel of a size: its shape, and its colours and logo."""

    shape: WheelShape
    look: WheelLook

    def resized(self, radius: float, width: float) -> WheelDesign:
        """Wheel in its proportions with another radius and width [m]."""
        return self._replace(shape=self.shape.stretched(
            radius / self.shape.tire_radius, width / self.shape.thickness))


def corner_names(values: Values) -> tuple[str, ...]:
    """Vehicles whose wheels are at the four corners; empty if all are its own.

    Raises ParameterError if there are not four.
    """
    name = f'{WHEEL_PREFIX}corners'
    row = WHEEL_PARAMETERS[name]
    given = texts_of({name: row.validate(values.get(name, row.default))}, name)
    if given and len(given) != len(WHEEL_NAMES):
        raise ParameterError(
            f"parameter '{name}' is {excerpt([*given])}, expected four names, of the left front,"
            ' right front, left rear and right rear wheel, or none')
    return given


DEFAULT_WHEEL = WheelLook.from_values({})
