# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""The robot description of any car, generated from its parameters.

What the AckermannVehicle and Car PROTOs of seed 000 compute: wheels placed by tracks and
wheelbase, steered front hinges with limits, a sprung and damped suspension on each wheel, places
for sensors, and the mass properties of the vehicle as a whole. base_link lies on the ground, but
moves with the body.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from racecar.base.errors import ConfigurationError
from racecar.base.poses import NO_POSE, pose_of_angles
from racecar.base.shapes import Cylinder, Shape
from racecar.base.types import Pose3
from racecar.description.car_shape import body_shapes, collision_shapes, lamp_places
from racecar.description.extensions import extended
from racecar.description.lights import light_parts
from racecar.description.robot_tree import (
    CONTINUOUS,
    FIXED,
    Inertial,
    Joint,
    JointDynamics,
    JointLimit,
    Link,
    PRISMATIC,
    REVOLUTE,
    RobotTree,
)
from racecar.description.wheel_files import wheel_visuals
from racecar.dynamics.vehicles.body_dimensions import body_dimensions
from racecar.dynamics.vehicles.body_parameters import SLOTS
from racecar.dynamics.vehicles.hinge_stops import hinge_stops
from racecar.dynamics.vehicles.parameters import GRAVITY, VehicleParameters
from racecar.dynamics.vehicles.ride import moments_of_inertia
from racecar.dynamics.vehicles.suspension import Corner, corners, PART_SHARE

BODY = 'chassis_inertia'
"""Link that stands for all that has no link of its own."""

CENTRE_SLOT = 'centre'
"""Place for a sensor in the middle of the rear axle."""

# Of the joints, in units of the vehicle's weight times the radius of a wheel; and of speed_max.
_EFFORT, _OVERSPEED = 4.0, 1.2
_STROKE_SPEED = 10.0
# A knuckle or carrier is a ball of this part of the wheel's radius.
_PART_RADIUS = 0.3


class _Axle(NamedTuple):
    """Where the wheels of an axle are, in the chassis, and what they are."""

    name: str
    x: float
    z: float
    track: float
    radius: float
    width: float
    corner: Corner
    steers: bool


def slot_frame(slot: str) -> str:
    """Name of the frame of a sensor slot."""
    return f'{slot}_slot'


def slot_poses(vehicle: VehicleParameters) -> dict[str, Pose3]:
    """Where the sensor slots are in the chassis, by name; that at the rear looks back."""
    size, radius = body_dimensions(vehicle), vehicle.wheel_radii[1]
    middle = size.floor + 0.35 * (size.top - size.floor) - radius
    usual = {
        'front': (size.front, 0.0, middle), 'rear': (size.rear, 0.0, middle),
        'top': (size.rear + 0.4 * size.length, 0.0, size.top - radius)}
    poses = {CENTRE_SLOT: NO_POSE}
    for slot, given in zip(SLOTS, vehicle.body.slots, strict=True):
        x, y, z = given or usual[slot]
        poses[slot] = pose_of_angles(x, y, z, 0.0, 0.0, math.pi if slot == 'rear' else 0.0)
    return poses


def describe_car(vehicle: VehicleParameters) -> RobotTree:
    """Links and joints of a generated car.

    Raises ConfigurationError if its numbers cannot be those of one body, or its meshes cannot be
    stored.
    """
    front_radius, rear_radius = vehicle.wheel_radii
    front, rear = corners(vehicle)
    tracks, widths = vehicle.track_widths, vehicle.wheel_widths
    axles = (
        _Axle('front', vehicle.wheelbase, front_radius - rear_radius, tracks[0], front_radius,
              widths[0], front, steers=True),
        _Axle('rear', 0.0, 0.0, tracks[1], rear_radius, widths[1], rear, steers=False))
    shapes, lamps = light_parts(vehicle.lights, lamp_places(vehicle), 'chassis')
    links = [Link('base_link'),
             Link('chassis', None, (*body_shapes(vehicle), *shapes), collision_shapes(vehicle))]
    joints = [_fixed('base_link', 'chassis', pose_of_angles(
        -vehicle.cog_to_rear_axle - vehicle.odometry_offset, 0.0, rear_radius, 0.0, 0.0, 0.0))]
    for axle in axles:
        for side, sign in (('left', 1.0), ('right', -1.0)):
            _add_wheel(vehicle, axle, side, sign, links, joints)
    for name, parent, pose in _sensor_frames(vehicle):
        links.append(Link(name))
        joints.append(_fixed(parent, name, pose))
    rest = extended(RobotTree(vehicle.name, tuple(links), tuple(joints), lamps),
                    vehicle.extension.files)
    return RobotTree(
        vehicle.name, (*rest.links, Link(BODY, _body(vehicle, rest))),
        (*rest.joints, _fixed('chassis', BODY, NO_POSE)), rest.lamps)


def _fixed(parent: str, child: str, pose: Pose3) -> Joint:
    return Joint(f'{child}_joint', FIXED, parent, child, pose)


def _sensor_frames(vehicle: VehicleParameters) -> list[tuple[str, str, Pose3]]:
    """Name, parent and place of the slots and of the sensors' own frames."""
    frames = [(slot_frame(slot), 'chassis', pose) for slot, pose in slot_poses(vehicle).items()]
    return [
        *frames, ('laser', slot_frame('front'), NO_POSE),
        ('camera_link', slot_frame('top'), NO_POSE),
        # Looks along z, with x to the right of the image and y down (REP-103).
        ('camera_optical_frame', 'camera_link',
         pose_of_angles(0.0, 0.0, 0.0, -0.5 * math.pi, 0.0, -0.5 * math.pi)),
        ('base_imu_link', slot_frame(CENTRE_SLOT), NO_POSE)]


def _add_wheel(
    vehicle: VehicleParameters, axle: _Axle, side: str, sign: float, links: list[Link],
    joints: list[Joint],
) -> None:
    """Add a wheel with what it hangs on: suspension, steering hinge."""
    effort = _EFFORT * vehicle.mass * GRAVITY * axle.radius
    corner, wheel = axle.corner, f'{side}_{axle.name}_wheel'
    parent = 'chassis'
    # At the inner face of the wheel, as on the racecar: there the hinge is.
    place = pose_of_angles(
        axle.x, sign * 0.5 * (axle.track - axle.width), axle.z, 0.0, 0.0, 0.0)
    if vehicle.body.is_sprung:
        carrier = f'{side}_{axle.name}_suspension'
        links.append(Link(carrier, _part(corner.wheel_mass, axle.radius)))
        joints.append(Joint(
            f'{carrier}_joint', PRISMATIC, parent, carrier, place, (0.0, 0.0, 1.0),
            JointLimit(-corner.rebound, corner.bump,
                       corner.spring_force + corner.spring_rate * corner.bump, _STROKE_SPEED),
            JointDynamics(corner.damping_rate, corner.spring_rate,
                          -corner.spring_force / corner.spring_rate)))
        parent, place = carrier, NO_POSE
    if axle.steers:
        hinge, stops = f'{side}_steering_hinge', hinge_stops(vehicle)
        links.append(Link(hinge, _part(corner.wheel_mass, axle.radius)))
        joints.append(Joint(
            f'{hinge}_joint', REVOLUTE, parent, hinge, place, (0.0, 0.0, 1.0),
            JointLimit(*stops, effort, _STROKE_SPEED)))
        parent, place = hinge, NO_POSE
    links.append(_wheel(vehicle, axle, wheel, sign))
    joints.append(Joint(
        f'{wheel}_joint', CONTINUOUS, parent, wheel,
        place._replace(qx=math.sin(0.25 * math.pi), qw=math.cos(0.25 * math.pi)),
        (0.0, 0.0, -1.0), JointLimit(
            effort=effort,
            velocity=_OVERSPEED * max(vehicle.speed_max, -vehicle.speed_min) / axle.radius)))


def _part(wheel_mass: float, radius: float) -> Inertial:
    """Ball."""
    mass = PART_SHARE * wheel_mass
    moment = 0.4 * mass * (_PART_RADIUS * radius)**2
    return Inertial(NO_POSE, mass, moment, 0.0, 0.0, moment, 0.0, moment)


def _wheel(vehicle: VehicleParameters, axle: _Axle, name: str, sign: float) -> Link:
    """Wheel: its frame in its inner face, z along the axle to the right of the car."""
    width, mass = axle.width, axle.corner.wheel_mass
    middle = pose_of_angles(0.0, 0.0, -0.5 * sign * width, 0.0, 0.0, 0.0)
    # The part of the drive train in the inertia about the axle tilts with the wheel, too.
    across = 0.5 * vehicle.wheel_inertia + mass * width**2 / 12.0
    return Link(
        name,
        Inertial(middle, mass, across, 0.0, 0.0, across, 0.0, vehicle.wheel_inertia),
        wheel_visuals(vehicle, axle.name, sign),
        (Shape(middle, Cylinder(axle.radius, width)),))


def mass_of_body(vehicle: VehicleParameters, others: float) -> float:
    """Mass [kg] that is left for the body beside that of all other links.

    Raises ConfigurationError if nothing is.
    """
    if others >= vehicle.mass:
        raise ConfigurationError(
            f"parameter 'vehicle.mass' is {vehicle.mass:.4g} kg, expected more than"
            f' {others:.4g} kg, the mass of wheels and extensions: theirs is part of it')
    return vehicle.mass - others


def _body(vehicle: VehicleParameters, rest: RobotTree) -> Inertial:
    """Body, in the chassis, that makes the whole that of the vehicle's file."""
    parts = rest.mass_properties()
    mass = mass_of_body(vehicle, parts.mass)
    wanted = np.array([-vehicle.odometry_offset, 0.0, vehicle.cog_height])
    place = (vehicle.mass * wanted - parts.mass * np.array(parts.centre)) / mass

    def about_centre(weight: float, arm: np.ndarray) -> np.ndarray:
        # Steiner's theorem.
        shifted: np.ndarray = weight * (arm @ arm * np.eye(3) - np.outer(arm, arm))
        return shifted

    tensor = np.diag(moments_of_inertia(vehicle)) - parts.tensor - about_centre(
        parts.mass, np.array(parts.centre) - wanted) - about_centre(mass, place - wanted)
    roll, pitch, yaw = map(float, np.diag(tensor))
    if not yaw > 0.0:
        raise ConfigurationError(
            f"parameter 'vehicle.yaw_inertia' is {vehicle.yaw_inertia:.4g} kg m^2, expected more"
            f' than {vehicle.yaw_inertia - yaw:.4g} kg m^2, which the wheels alone have')
    across = float(tensor[0, 2])
    # Only what is added can make left and right differ by more than rounding.
    sideways, lateral = (float(tensor[0, 1]), float(tensor[1, 2])) if (
        vehicle.extension.files) else (0.0, 0.0)
    # Of mass at points, the second moments: none is negative, whatever the axes.
    second = 0.5 * np.trace(tensor) * np.eye(3) - tensor
    if np.linalg.eigvalsh(second)[0] <= 0.0:
        for name, given in (('roll', vehicle.body.roll_inertia),
                            ('pitch', vehicle.body.pitch_inertia)):
            if given:
                raise ConfigurationError(
                    f"parameter 'vehicle.body.{name}_inertia' is {given:.4g} kg m^2, expected one"
                    ' that together with the other two is that of a body: none of the three is'
                    ' more than the sum of the others, the wheels left out')
        # The flattest body that can have the other moments, and a little.
        roll = pitch = 1.05 * (0.5 * yaw + 2.0 * across**2 / yaw)
    chassis = rest.poses()['chassis']
    x, y, z = (float(at - origin) for at, origin in zip(place, chassis[:3], strict=True))
    return Inertial(
        pose_of_angles(x, y, z, 0.0, 0.0, 0.0), mass, roll, sideways, across, pitch, lateral, yaw)
