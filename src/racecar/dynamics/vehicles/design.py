# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""Numbers of a vehicle, each with the row of its parameter, and quantities that follow."""

from __future__ import annotations

from dataclasses import dataclass
import math
from typing import Annotated, NamedTuple

from racecar.base.columns import given, larger
from racecar.base.parameter_fields import Row, with_plain_signature
from racecar.dynamics.tyres.pacejka import SURFACES
from racecar.dynamics.vehicles.body_parameters import BodyParameters
from racecar.dynamics.vehicles.extension_parameters import Extension
from racecar.dynamics.vehicles.light_parameters import DEFAULT_LIGHTS, Lights
from racecar.dynamics.vehicles.wheel_parameters import DEFAULT_WHEEL, WheelDesign, WheelLook

GRAVITY = 9.81
"""Standard acceleration of free fall as the report rounds it [m/s^2]."""

AIR_DENSITY = 1.225
"""Of the ISO 2533 standard atmosphere at sea level [kg/m^3]."""

DEFAULT_MATERIAL = 'default'
"""Contact material of tyres with the friction_coefficient of the vehicle."""
ODOMETRY_POINTS = ('rear_axle', 'cog')
DRIVEN_AXLES = ('all', 'rear', 'front')

# Overhangs of the racecar, 0.094 m ahead of and 0.076 m behind its axles, over its wheelbase.
_FRONT_OVERHANG, _REAR_OVERHANG = 0.094 / 0.325, 0.076 / 0.325


class Footprint(NamedTuple):
    """How far a vehicle reaches ahead of, behind and to either side of base_link [m]."""

    front: float
    rear: float
    side: float


@with_plain_signature
@dataclass(frozen=True, slots=True, kw_only=True)
class VehicleDesign:
    """Numbers of a vehicle in SI units, and quantities that follow from them.

    A column may stand for a number, see racecar.base.columns: these are many vehicles then.
    """

    name: Annotated[str, Row('Name of the vehicle')]
    mass: Annotated[float, Row('Total mass', 'kg', above=1e-3, maximum=1e6)]
    yaw_inertia: Annotated[float, Row(
        'Moment of inertia about the vertical axis through the centre of gravity', 'kg m^2',
        above=1e-6, maximum=1e8)]
    cog_to_front_axle: Annotated[float, Row(
        'Distance from the centre of gravity to the front axle', 'm', above=1e-3, maximum=100.0)]
    cog_to_rear_axle: Annotated[float, Row(
        'Distance from the centre of gravity to the rear axle', 'm', above=1e-3, maximum=100.0)]
    cog_height: Annotated[float, Row(
        'Height of the centre of gravity above the ground', 'm', minimum=0.0, maximum=100.0)]
    track_width: Annotated[float, Row(
        'Distance between the tyre centres of an axle', 'm', above=1e-3, maximum=100.0)]
    wheel_radius: Annotated[float, Row('Radius of the wheels', 'm', above=1e-3, maximum=10.0)]
    front_cornering_stiffness: Annotated[float, Row(
        'Cornering stiffness of the front axle, both tyres', 'N/rad', above=1e-3, maximum=1e9,
        name='front.cornering_stiffness')]
    rear_cornering_stiffness: Annotated[float, Row(
        'Cornering stiffness of the rear axle, both tyres', 'N/rad', above=1e-3, maximum=1e9,
        name='rear.cornering_stiffness')]
    friction_coefficient: Annotated[float, Row(
        'Friction coefficient between tyre and ground', above=1e-3, maximum=10.0)]
    contact_material: Annotated[str, Row(
        'Material of the tyres on the ground, whose friction is that of the Pacejka tyre of this'
        ' name and takes the place of friction_coefficient; default: it does not',
        choices=(DEFAULT_MATERIAL, *SURFACES))] = DEFAULT_MATERIAL
    steering_limit: Annotated[float, Row(
        'Maximum steering angle, to the left and, unless steering_limit_right says otherwise, to'
        ' the right', 'rad', above=0.0, maximum=0.5 * math.pi)]
    steering_limit_right: Annotated[float, Row(
        'Maximum steering angle to the right if it is not that to the left; 0: it is', 'rad',
        minimum=0.0, maximum=0.5 * math.pi)] = 0.0
    speed_min: Annotated[float, Row(
        'Lowest speed, negative if the vehicle can reverse', 'm/s', minimum=-1000.0, maximum=0.0)]
    speed_max: Annotated[float, Row('Highest speed', 'm/s', above=1e-3, maximum=1000.0)]
    odometry_point: Annotated[str, Row(
        'Where base_link is and odometry refers to: the rear axle, or the centre of gravity as in'
        ' the report', choices=ODOMETRY_POINTS)] = 'rear_axle'
    wheel_width: Annotated[float, Row(
        'Width of the wheels', 'm', above=1e-4, maximum=10.0)] = 0.045
    wheel_inertia: Annotated[float, Row(
        'Moment of inertia of one wheel about its axle, with its share of the drive train',
        'kg m^2', above=1e-9, maximum=1e5)] = 0.0004
    front_slip_stiffness: Annotated[float, Row(
        'Longitudinal stiffness of the front axle, both tyres', 'N', above=1e-3, maximum=1e9,
        name='front.slip_stiffness')] = 100.0
    rear_slip_stiffness: Annotated[float, Row(
        'Longitudinal stiffness of the rear axle, both tyres', 'N', above=1e-3, maximum=1e9,
        name='rear.slip_stiffness')] = 100.0
    driven_axle: Annotated[str, Row('Axle that the engine drives', choices=DRIVEN_AXLES)] = 'all'
    drive_force_limit: Annotated[float, Row(
        'Maximum force of the engine at the wheels, to drive or to slow down', 'N', above=1e-3,
        maximum=1e7)] = 50.0
    rear_track_width: Annotated[float, Row(
        'Distance between the rear tyre centres if it is not that of the front; 0: it is', 'm',
        minimum=0.0, maximum=100.0, name='rear.track_width')] = 0.0
    front_overhang: Annotated[float, Row(
        'What is ahead of the front axle; 0: in proportion to the wheelbase, as of the racecar',
        'm', minimum=0.0, maximum=100.0)] = 0.0
    rear_overhang: Annotated[float, Row(
        'What is behind the rear axle; 0: in proportion to the wheelbase, as of the racecar', 'm',
        minimum=0.0, maximum=100.0)] = 0.0
    width: Annotated[float, Row(
        'Width; 0: that over the wheels', 'm', minimum=0.0, maximum=100.0)] = 0.0
    rear_wheel_radius: Annotated[float, Row(
        'Radius of the rear wheels if it is not that of the front; 0: it is', 'm', minimum=0.0,
        maximum=10.0, name='rear.wheel_radius')] = 0.0
    rear_wheel_width: Annotated[float, Row(
        'Width of the rear wheels if it is not that of the front; 0: it is', 'm', minimum=0.0,
        maximum=10.0, name='rear.wheel_width')] = 0.0
    roll_stiffness_split: Annotated[float, Row(
        'Share of the front axle in the roll stiffness of double_track: what it takes of the'
        ' lateral load transfer; 0: as of the weight', minimum=0.0, maximum=1.0)] = 0.0
    friction_load_sensitivity: Annotated[float, Row(
        'Part of its friction that a tyre of double_track or of the 3-D world loses when its load'
        ' doubles', minimum=0.0, maximum=0.3)] = 0.0
    relaxation_length: Annotated[float, Row(
        'Distance in which a tyre of double_track or of the 3-D world builds up its lateral force;'
        ' 0: at once, in the 3-D world in 0.4 radii', 'm', minimum=0.0, maximum=10.0)] = 0.0
    rolling_resistance: Annotated[float, Row(
        'Rolling resistance of double_track and of the 3-D world over the load', minimum=0.0,
        maximum=0.5)] = 0.0
    drag_area: Annotated[float, Row(
        'Drag coefficient times frontal area, of double_track and of the 3-D world', 'm^2',
        minimum=0.0, maximum=1000.0)] = 0.0
    lateral_friction_coefficient: Annotated[float, Row(
        'Friction coefficient across the wheels if it is not that along them; 0: it is',
        minimum=0.0, maximum=10.0)] = 0.0
    body: BodyParameters = BodyParameters()
    lights: Lights = DEFAULT_LIGHTS
    wheel: WheelLook = DEFAULT_WHEEL
    foreign_wheels: tuple[WheelDesign | None, ...] = (None, None, None, None)
    extension: Extension = Extension()

    @property
    def wheelbase(self) -> float:
        """Distance between the axles [m]."""
        return self.cog_to_front_axle + self.cog_to_rear_axle

    @property
    def track_widths(self) -> tuple[float, float]:
        """Distance between the tyre centres of the front and of the rear axle [m]."""
        return self.track_width, given(self.rear_track_width, self.track_width)

    @property
    def wheel_radii(self) -> tuple[float, float]:
        """Radius of the front and of the rear wheels [m]."""
        return self.wheel_radius, given(self.rear_wheel_radius, self.wheel_radius)

    @property
    def wheel_widths(self) -> tuple[float, float]:
        """Width of the front and of the rear wheels [m]."""
        return self.wheel_width, given(self.rear_wheel_width, self.wheel_width)

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
        return larger(*(track + width for track, width in zip(
            self.track_widths, self.wheel_widths, strict=True)))

    @property
    def steering_range(self) -> tuple[float, float]:
        """Lowest and highest steering angle [rad]: to the right, negative, and to the left."""
        return -given(self.steering_limit_right, self.steering_limit), self.steering_limit

    @property
    def frictions(self) -> tuple[float, float]:
        """Friction coefficient of the tyres along and across the wheel [-]."""
        along = self.friction_coefficient
        return along, given(self.lateral_friction_coefficient, along)

    @property
    def footprint(self) -> Footprint:
        """The rectangle on the ground that the vehicle covers."""
        base_link = self.odometry_offset
        return Footprint(
            self.cog_to_front_axle - base_link
            + given(self.front_overhang, _FRONT_OVERHANG * self.wheelbase),
            self.cog_to_rear_axle + base_link
            + given(self.rear_overhang, _REAR_OVERHANG * self.wheelbase),
            0.5 * given(self.width, self.width_over_wheels))

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
