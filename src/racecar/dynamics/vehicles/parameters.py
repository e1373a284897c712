# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""What a vehicle is made of: the parameter table and its typed form."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
import math
from pathlib import Path
from typing import Any, cast, NamedTuple

from racecar.base.errors import excerpt, ParameterError, RacecarError
from racecar.base.parameter_file import load_parameter_file
from racecar.base.parameters import Parameter, ParameterTable
from racecar.base.share import find_vehicle
from racecar.dynamics.tyres.pacejka import SURFACES
from racecar.dynamics.vehicles.body_check import check_vehicle
from racecar.dynamics.vehicles.body_parameters import BODY_PARAMETERS, BODY_PREFIX, BodyParameters
from racecar.dynamics.vehicles.extension_parameters import (
    DATA,
    Extension,
    EXTENSION_PARAMETERS,
    EXTENSIONS,
)
from racecar.dynamics.vehicles.light_parameters import (
    DEFAULT_LIGHTS,
    LIGHT_PARAMETERS,
    Lights,
    LIGHTS_PREFIX,
)
from racecar.dynamics.vehicles.wheel_parameters import (
    corner_names,
    DEFAULT_WHEEL,
    WHEEL_PARAMETERS,
    WHEEL_PREFIX,
    WheelDesign,
    WheelLook,
)

GRAVITY = 9.81
"""Standard acceleration of free fall as the report rounds it [m/s^2]."""

AIR_DENSITY = 1.225
"""Of the ISO 2533 standard atmosphere at sea level [kg/m^3]."""

VEHICLE = 'vehicle'
PREFIX = f'{VEHICLE}.'
"""Of the names of parameters of a vehicle. As the name of a node in settings, VEHICLE stands for
all nodes that know the vehicle."""
_OWN_PREFIXES = BODY_PREFIX, LIGHTS_PREFIX, WHEEL_PREFIX, EXTENSIONS, DATA
DEFAULT_MATERIAL = 'default'
"""Contact material of tyres with the friction_coefficient of the vehicle."""
ODOMETRY_POINTS = ('rear_axle', 'cog')
DRIVEN_AXLES = ('all', 'rear', 'front')

# Of the name of a vehicle.
_LONGEST_NAME, _NAME_MARKS = 80, ' ._+-'

# Overhangs of the racecar, 0.094 m ahead of and 0.076 m behind its axles, over its wheelbase.
_FRONT_OVERHANG, _REAR_OVERHANG = 0.094 / 0.325, 0.076 / 0.325


class Footprint(NamedTuple):
    """How far a vehicle reaches ahead of, behind and to either side of base_link [m]."""

    front: float
    rear: float
    side: float


def _number(
    name: str, description: str, unit: str, *, minimum: float | None = None,
    maximum: float | None = None, above: float | None = None, default: float | None = None,
) -> Parameter:
    return Parameter(
        f'{PREFIX}{name}', float, default, description, unit=unit, minimum=minimum,
        maximum=maximum, above=above, read_only=True)


VEHICLE_PARAMETERS = ParameterTable([
    Parameter(f'{PREFIX}name', str, None, 'Name of the vehicle', read_only=True),
    _number('mass', 'Total mass', 'kg', above=1e-3, maximum=1e6),
    _number('yaw_inertia', 'Moment of inertia about the vertical axis through the centre of'
            ' gravity', 'kg m^2', above=1e-6, maximum=1e8),
    _number('cog_to_front_axle', 'Distance from the centre of gravity to the front axle', 'm',
            above=1e-3, maximum=100.0),
    _number('cog_to_rear_axle', 'Distance from the centre of gravity to the rear axle', 'm',
            above=1e-3, maximum=100.0),
    _number('cog_height', 'Height of the centre of gravity above the ground', 'm', minimum=0.0,
            maximum=100.0),
    _number('track_width', 'Distance between the tyre centres of an axle', 'm', above=1e-3,
            maximum=100.0),
    _number('wheel_radius', 'Radius of the wheels', 'm', above=1e-3, maximum=10.0),
    _number('front.cornering_stiffness', 'Cornering stiffness of the front axle, both tyres',
            'N/rad', above=1e-3, maximum=1e9),
    _number('rear.cornering_stiffness', 'Cornering stiffness of the rear axle, both tyres',
            'N/rad', above=1e-3, maximum=1e9),
    _number('friction_coefficient', 'Friction coefficient between tyre and ground', '',
            above=1e-3, maximum=10.0),
    Parameter(f'{PREFIX}contact_material', str, DEFAULT_MATERIAL, 'Material of the tyres on the'
              ' ground, whose friction is that of the Pacejka tyre of this name and takes the'
              ' place of friction_coefficient; default: it does not',
              choices=(DEFAULT_MATERIAL, *SURFACES), read_only=True),
    _number('steering_limit', 'Largest steering angle, to the left and, unless'
            ' steering_limit_right says otherwise, to the right', 'rad', above=0.0,
            maximum=0.5 * math.pi),
    _number('steering_limit_right', 'Largest steering angle to the right if it is not that to the'
            ' left; 0: it is', 'rad', minimum=0.0, maximum=0.5 * math.pi, default=0.0),
    _number('speed_min', 'Lowest speed, negative if the vehicle can reverse', 'm/s',
            minimum=-1000.0, maximum=0.0),
    _number('speed_max', 'Highest speed', 'm/s', above=1e-3, maximum=1000.0),
    Parameter(f'{PREFIX}odometry_point', str, 'rear_axle',
              'Where base_link is and odometry refers to: the rear axle, or the centre of gravity'
              ' as in the report', choices=ODOMETRY_POINTS, read_only=True),
    _number('wheel_width', 'Width of the wheels', 'm', above=1e-4, maximum=10.0, default=0.045),
    _number('wheel_inertia', 'Moment of inertia of one wheel about its axle, with its share of'
            ' the drive train', 'kg m^2', above=1e-9, maximum=1e5, default=0.0004),
    _number('front.slip_stiffness', 'Longitudinal stiffness of the front axle, both tyres',
            'N', above=1e-3, maximum=1e9, default=100.0),
    _number('rear.slip_stiffness', 'Longitudinal stiffness of the rear axle, both tyres',
            'N', above=1e-3, maximum=1e9, default=100.0),
    Parameter(f'{PREFIX}driven_axle', str, 'all', 'Axle that the engine drives',
              choices=DRIVEN_AXLES, read_only=True),
    _number('drive_force_limit', 'Largest force of the engine at the wheels, to drive or to slow'
            ' down', 'N', above=1e-3, maximum=1e7, default=50.0),
    _number('rear.track_width', 'Distance between the rear tyre centres if it is not that of the'
            ' front; 0: it is', 'm', minimum=0.0, maximum=100.0, default=0.0),
    _number('front_overhang', 'What is ahead of the front axle; 0: in proportion to the wheelbase,'
            ' as of the racecar', 'm', minimum=0.0, maximum=100.0, default=0.0),
    _number('rear_overhang', 'What is behind the rear axle; 0: in proportion to the wheelbase, as'
            ' of the racecar', 'm', minimum=0.0, maximum=100.0, default=0.0),
    _number('width', 'Width; 0: that over the wheels', 'm', minimum=0.0, maximum=100.0,
            default=0.0),
    _number('rear.wheel_radius', 'Radius of the rear wheels if it is not that of the front;'
            ' 0: it is', 'm', minimum=0.0, maximum=10.0, default=0.0),
    _number('rear.wheel_width', 'Width of the rear wheels if it is not that of the front; 0: it'
            ' is', 'm', minimum=0.0, maximum=10.0, default=0.0),
    _number('roll_stiffness_split', 'Share of the front axle in the roll stiffness of'
            ' double_track: what it takes of the lateral load transfer; 0: as of the weight', '',
            minimum=0.0, maximum=1.0, default=0.0),
    _number('friction_load_sensitivity', 'Part of its friction that a tyre of double_track or of'
            ' the 3-D world loses when its load doubles', '', minimum=0.0, maximum=0.3,
            default=0.0),
    _number('relaxation_length', 'Distance in which a tyre of double_track or of the 3-D world'
            ' builds up its lateral force; 0: at once, in the 3-D world in 0.4 radii', 'm',
            minimum=0.0, maximum=10.0, default=0.0),
    _number('rolling_resistance', 'Rolling resistance of double_track and of the 3-D world over'
            ' the load', '', minimum=0.0, maximum=0.5, default=0.0),
    _number('drag_area', 'Drag coefficient times frontal area, of double_track and of the 3-D'
            ' world', 'm^2', minimum=0.0, maximum=1000.0, default=0.0),
    _number('lateral_friction_coefficient', 'Friction coefficient across the wheels if it is not'
            ' that along them; 0: it is', '', minimum=0.0, maximum=10.0, default=0.0),
])

DESCRIPTION_PARAMETERS = (
    BODY_PARAMETERS + WHEEL_PARAMETERS + LIGHT_PARAMETERS + EXTENSION_PARAMETERS)
"""Beside VEHICLE_PARAMETERS; the simulators, which describe the vehicle, have them."""

VEHICLE_FILE_PARAMETERS = VEHICLE_PARAMETERS + DESCRIPTION_PARAMETERS
"""What the file of a vehicle holds below `vehicle`; all nodes that know the vehicle have the rows
of VEHICLE_PARAMETERS, the simulators, which describe it, also the others."""


def _default(name: str) -> Any:
    return VEHICLE_PARAMETERS.default(f'{PREFIX}{name}')


def _check_name(name: Any) -> None:
    """Raise ParameterError unless files can be named after the vehicle."""
    if not (name[:1].isalnum() and len(name) <= _LONGEST_NAME
            and all(part.isalnum() or part in _NAME_MARKS for part in name)):
        raise ParameterError(
            f"parameter '{PREFIX}name' is {excerpt(name)}, expected up to {_LONGEST_NAME} letters,"
            " digits, blanks and ._+- of which the first is a letter or digit: files are named"
            ' after the vehicle')


def _foreign_wheels(values: Mapping[str, Any]) -> tuple[WheelDesign | None, ...]:
    """Return the wheels of other vehicles that are at the four corners, None for its own."""
    found: list[WheelDesign | None] = []
    for corner, name in enumerate(corner_names(values)):
        if not name:
            found.append(None)
            continue
        try:
            path = find_vehicle(name)
            other = load_parameter_file(path, node=VEHICLE)
            # Its own, not again those of others.
            other.pop(f'{WHEEL_PREFIX}corners', None)
            found.append(VehicleParameters.from_values(other).wheel_designs[corner])
        except RacecarError as error:
            raise ParameterError(f"parameter '{WHEEL_PREFIX}corners': {error}") from error
    return tuple(found) or (None, None, None, None)


@dataclass(frozen=True, slots=True)
class VehicleParameters:
    """Parameters of a vehicle in SI units; the rows of VEHICLE_PARAMETERS say what they mean."""

    name: str
    mass: float
    yaw_inertia: float
    cog_to_front_axle: float
    cog_to_rear_axle: float
    cog_height: float
    track_width: float
    wheel_radius: float
    front_cornering_stiffness: float
    rear_cornering_stiffness: float
    friction_coefficient: float
    steering_limit: float
    speed_min: float
    speed_max: float
    contact_material: str = _default('contact_material')
    steering_limit_right: float = _default('steering_limit_right')
    odometry_point: str = _default('odometry_point')
    wheel_width: float = _default('wheel_width')
    wheel_inertia: float = _default('wheel_inertia')
    front_slip_stiffness: float = _default('front.slip_stiffness')
    rear_slip_stiffness: float = _default('rear.slip_stiffness')
    driven_axle: str = _default('driven_axle')
    drive_force_limit: float = _default('drive_force_limit')
    rear_track_width: float = _default('rear.track_width')
    rear_wheel_radius: float = _default('rear.wheel_radius')
    rear_wheel_width: float = _default('rear.wheel_width')
    front_overhang: float = _default('front_overhang')
    rear_overhang: float = _default('rear_overhang')
    width: float = _default('width')
    roll_stiffness_split: float = _default('roll_stiffness_split')
    friction_load_sensitivity: float = _default('friction_load_sensitivity')
    relaxation_length: float = _default('relaxation_length')
    rolling_resistance: float = _default('rolling_resistance')
    drag_area: float = _default('drag_area')
    lateral_friction_coefficient: float = _default('lateral_friction_coefficient')
    body: BodyParameters = BodyParameters()
    lights: Lights = DEFAULT_LIGHTS
    wheel: WheelLook = DEFAULT_WHEEL
    foreign_wheels: tuple[WheelDesign | None, ...] = (None, None, None, None)
    extension: Extension = Extension()

    @classmethod
    def from_values(cls, values: Mapping[str, Any]) -> VehicleParameters:
        """Build from names of VEHICLE_FILE_PARAMETERS; others are left alone.

        Raises ParameterError naming the first unknown, missing, ill-typed or out-of-range one, or
        what together cannot be a vehicle.
        """
        own = VEHICLE_PARAMETERS.resolve(
            {name: value for name, value in values.items()
             if name.startswith(PREFIX) and not name.startswith(_OWN_PREFIXES)})
        _check_name(own[f'{PREFIX}name'])
        fields = {
            name.removeprefix(PREFIX).replace('.', '_'): value for name, value in own.items()}
        material = str(fields['contact_material'])
        if material != DEFAULT_MATERIAL:
            fields['friction_coefficient'] = SURFACES[material].friction
        vehicle = cls(
            **cast('dict[str, Any]', fields), body=BodyParameters.from_values(values),
            lights=Lights.from_values(values), wheel=WheelLook.from_values(values),
            foreign_wheels=_foreign_wheels(values), extension=Extension.from_values(values))
        # Raises the error of wheels that there cannot be.
        vehicle.wheel.shapes(vehicle.wheel_radii, vehicle.wheel_widths)
        check_vehicle(vehicle)
        return vehicle

    @classmethod
    def from_file(cls, path: Path | str) -> VehicleParameters:
        """Build from a vehicle's parameter file, e.g. config/vehicles/racecar.yaml.

        Raises ConfigurationError if it is not one, and ParameterError as from_values(), with the
        name of the file.
        """
        values = load_parameter_file(path, node='vehicle')
        try:
            return cls.from_values(values)
        except ParameterError as error:
            raise ParameterError(f'vehicle file {excerpt(str(path))}: {error}') from error

    @property
    def wheelbase(self) -> float:
        """Distance between the axles [m]."""
        return self.cog_to_front_axle + self.cog_to_rear_axle

    @property
    def track_widths(self) -> tuple[float, float]:
        """Distance between the tyre centres of the front and of the rear axle [m]."""
        return self.track_width, self.rear_track_width or self.track_width

    @property
    def wheel_radii(self) -> tuple[float, float]:
        """Radius of the front and of the rear wheels [m]."""
        return self.wheel_radius, self.rear_wheel_radius or self.wheel_radius

    @property
    def wheel_widths(self) -> tuple[float, float]:
        """Width of the front and of the rear wheels [m]."""
        return self.wheel_width, self.rear_wheel_width or self.wheel_width

    @property
    def wheel_designs(self) -> tuple[WheelDesign, ...]:
        """Wheels at the left front, right front, left rear and right rear, of their size."""
        own = self.wheel.shapes(self.wheel_radii, self.wheel_widths)
        return tuple(
            (foreign or WheelDesign(shape, self.wheel)).resized(shape.tire_radius, shape.thickness)
            for foreign, shape in zip(
                self.foreign_wheels, (own[0], own[0], own[1], own[1]), strict=True))

    @property
    def width_over_wheels(self) -> float:
        """From the outer face of the wheels on one side to that on the other [m]."""
        return max(track + width for track, width in zip(
            self.track_widths, self.wheel_widths, strict=True))

    @property
    def steering_range(self) -> tuple[float, float]:
        """Lowest and highest steering angle [rad]: to the right, negative, and to the left."""
        return -(self.steering_limit_right or self.steering_limit), self.steering_limit

    @property
    def frictions(self) -> tuple[float, float]:
        """Friction coefficient of the tyres along and across the wheel [-]."""
        along = self.friction_coefficient
        return along, self.lateral_friction_coefficient or along

    @property
    def footprint(self) -> Footprint:
        """The rectangle on the ground that the vehicle covers."""
        base_link = self.odometry_offset
        return Footprint(
            self.cog_to_front_axle - base_link
            + (self.front_overhang or _FRONT_OVERHANG * self.wheelbase),
            self.cog_to_rear_axle + base_link
            + (self.rear_overhang or _REAR_OVERHANG * self.wheelbase),
            0.5 * (self.width or self.width_over_wheels))

    @property
    def front_axle_load(self) -> float:
        """Static vertical load of the front axle [N]."""
        return self.mass * GRAVITY * self.cog_to_rear_axle / self.wheelbase

    @property
    def rear_axle_load(self) -> float:
        """Static vertical load of the rear axle [N]."""
        return self.mass * GRAVITY * self.cog_to_front_axle / self.wheelbase

    @property
    def understeer_gradient(self) -> float:
        """K = m (b Cr - a Cf)/(L Cf Cr) [rad s^2/m]; yaw rate = V delta/(L + K V^2)."""
        front, rear = self.front_cornering_stiffness, self.rear_cornering_stiffness
        return self.mass * self._stability_margin / (self.wheelbase * front * rear)

    @property
    def critical_speed_forward(self) -> float:
        """Speed from which the vehicle is unstable forwards with linear tyres [m/s]."""
        gradient = self.understeer_gradient
        return math.sqrt(self.wheelbase / -gradient) if gradient < 0.0 else math.inf

    @property
    def critical_speed_reverse(self) -> float:
        """Speed (positive) from which it is unstable in reverse with linear tyres [m/s].

        Reversing, the axles change roles: the more it understeers, the sooner.
        """
        gradient = self.understeer_gradient
        return math.sqrt(self.wheelbase / gradient) if gradient > 0.0 else math.inf

    @property
    def drag_factor(self) -> float:
        """Aerodynamic drag over the square of the speed [kg/m]."""
        return 0.5 * AIR_DENSITY * self.drag_area

    @property
    def front_drive_share(self) -> float:
        """Share of the drive force at the front axle: 0, 0.5 or 1."""
        return {'rear': 0.0, 'all': 0.5, 'front': 1.0}[self.driven_axle]

    @property
    def odometry_offset(self) -> float:
        """Position of base_link ahead of the centre of gravity [m]: -b, or 0 for `cog`."""
        return -self.cog_to_rear_axle if self.odometry_point == 'rear_axle' else 0.0

    @property
    def _stability_margin(self) -> float:
        return (self.cog_to_rear_axle * self.rear_cornering_stiffness
                - self.cog_to_front_axle * self.front_cornering_stiffness)
