# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""The robot description of a vehicle.

That of a vehicle whose file names a shape of body is generated: see car_description. Others have
urdf/racecar.urdf.xacro with the vehicle's numbers. Wheelbase, tracks, radii, width of the wheels,
steering, base_link, mass, centre of gravity and moment of inertia about the vertical are those of
the vehicle; the inertia of a wheel about its axle, too. What its file does not say follows from
the original car: shapes are stretched to the vehicle's length, width and wheels, wheels and hinges
have their share of the mass, and the body has what is left. Sensors keep their size.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
import functools
from pathlib import Path
import threading
from xml.parsers.expat import ExpatError

from racecar.base.errors import ConfigurationError
from racecar.base.share import share_folder
from racecar.base.types import WHEEL_JOINTS
from racecar.description.axle_devices import axle_devices
from racecar.description.car_description import BODY, describe_car, mass_of_body
from racecar.description.extensions import extended
from racecar.description.fittings import fitted
from racecar.description.robot_tree import Inertial, RobotTree
from racecar.description.urdf import read_urdf, RobotDescription
from racecar.description.urdf_writer import data_element, write_urdf
from racecar.dynamics.vehicles.hinge_stops import hinge_stops
from racecar.dynamics.vehicles.parameters import VehicleParameters

_FRONT_WHEEL, _HINGE, _LASER = 'left_front_wheel', 'left_steering_hinge', 'laser'
_WHEEL_JOINT = WHEEL_JOINTS[0]

# Of the moment of inertia about the vertical, the wheels make up at most, the body at least, so
# much: a vehicle of odd numbers (the report's) is one that can be simulated, all the same.
_WHEELS_SHARE = 0.5
_BODY_SHARE = 0.05

# xacro keeps the files that it is in for all threads together.
_EXPANDING = threading.Lock()


def urdf_file() -> Path:
    """Xacro file of the car. Raises ConfigurationError as share_folder()."""
    return share_folder() / 'urdf' / 'racecar.urdf.xacro'


@functools.lru_cache(maxsize=16)
def describe_vehicle(vehicle: VehicleParameters) -> RobotDescription:
    """Robot description with the numbers of a vehicle.

    Raises ConfigurationError if the vehicle cannot be, or, of one that is not generated, xacro is
    not installed or the files of urdf/ cannot be expanded.
    """
    if vehicle.body.is_generated:
        data = vehicle.extension.data
        return RobotDescription.from_urdf(write_urdf(describe_car(vehicle), [
            *axle_devices(vehicle), *([data_element(data)] if data else [])]))
    lengths = _lengths(vehicle)
    # First with the original's body: the others need not be listed here with place and mass.
    masses = _part_masses(vehicle, lengths)
    draft = extended(
        read_urdf(expand_urdf({**lengths, **masses})), vehicle.extension.files)
    text = expand_urdf({**lengths, **masses, **_body(vehicle, draft)})
    return RobotDescription.from_urdf(fitted(text, vehicle))


def expand_urdf(arguments: Mapping[str, object] | None = None) -> str:
    """URDF with these arguments of the xacro file, those of the original if none.

    Raises ConfigurationError if xacro is not installed or cannot expand the file.
    """
    try:
        import xacro
    except ImportError as error:
        raise ConfigurationError(
            'xacro is not installed, which makes the robot description: install the package'
            ' ros-$ROS_DISTRO-xacro, or xacro by pip') from error
    mappings = {name: repr(value) if isinstance(value, float) else str(value)
                for name, value in (arguments or {}).items()}
    try:
        with _EXPANDING:
            tree = xacro.process_file(str(urdf_file()), mappings=mappings)
        return str(tree.toprettyxml('  '))
    except (xacro.XacroException, ExpatError, OSError) as error:
        reason = ' '.join(str(error).split())
        raise ConfigurationError(f'{urdf_file()} cannot be expanded: {reason}') from error


def _lengths(vehicle: VehicleParameters) -> dict[str, float]:
    front_track, rear_track = vehicle.track_widths
    front_radius, rear_radius = vehicle.wheel_radii
    right_stop, left_stop = hinge_stops(vehicle)
    return {
        'wheelbase': vehicle.wheelbase,
        'front_track_width': front_track,
        'rear_track_width': rear_track,
        'front_wheel_radius': front_radius,
        'rear_wheel_radius': rear_radius,
        'wheel_width': vehicle.wheel_widths[0],
        'rear_wheel_width': vehicle.wheel_widths[1],
        'wheel_inertia': vehicle.wheel_inertia,
        'hinge_limit': left_stop,
        'hinge_limit_right': -right_stop,
        'wheel_velocity_limit': max(
            _original().joint(_WHEEL_JOINT).limit.velocity,
            max(vehicle.speed_max, -vehicle.speed_min) / min(front_radius, rear_radius)),
        'rear_axle_x': -vehicle.cog_to_rear_axle - vehicle.odometry_offset,
    }


@functools.cache
def _original() -> RobotTree:
    return read_urdf(expand_urdf())


def _inertial_of(tree: RobotTree, link: str) -> Inertial:
    inertial = tree.link(link).inertial
    if inertial is None:
        raise ConfigurationError(f"{urdf_file()}: link '{link}' has no inertial, expected one")
    return inertial


def _part_masses(vehicle: VehicleParameters, lengths: Mapping[str, float]) -> dict[str, float]:
    """Masses of a wheel, a hinge and the laser, and the inertia of a hinge."""
    tree = _original()
    total = tree.mass_properties().mass
    wheel, hinge, laser = (_inertial_of(tree, link) for link in (_FRONT_WHEEL, _HINGE, _LASER))
    radius = 0.5 * sum(vehicle.wheel_radii)
    original_radius = tree.poses()[_FRONT_WHEEL].z
    # Places of the wheels about the centre of gravity.
    squares = sum(
        2.0 * (along**2 + (0.5 * track)**2) for along, track in zip(
            (vehicle.cog_to_front_axle, vehicle.cog_to_rear_axle), vehicle.track_widths,
            strict=True))
    ratio = vehicle.mass / total
    hinge_mass = hinge.mass * ratio
    return {
        # As solid as the original's, of its share of the whole at most.
        'wheel_mass': min(
            wheel.mass * (vehicle.wheel_inertia / wheel.izz) * (original_radius / radius)**2,
            wheel.mass * ratio, _WHEELS_SHARE * vehicle.yaw_inertia / squares),
        'hinge_mass': hinge_mass,
        'hinge_inertia': hinge.izz * ratio * (radius / original_radius)**2,
        'laser_mass': min(laser.mass, laser.mass * ratio),
    }


def _body(vehicle: VehicleParameters, draft: RobotTree) -> dict[str, float]:
    """Mass, place and inertia of the body that make the whole that of the vehicle."""
    body = _inertial_of(draft, BODY)
    place = draft.poses()[BODY]
    rest = RobotTree(draft.name, tuple(
        replace(link, inertial=None) if link.name == BODY else link for link in draft.links),
        draft.joints).mass_properties()
    mass = mass_of_body(vehicle, rest.mass)
    wanted_x, wanted_z = -vehicle.odometry_offset, vehicle.cog_height
    x = (vehicle.mass * wanted_x - rest.mass * rest.centre[0]) / mass
    z = (vehicle.mass * wanted_z - rest.mass * rest.centre[2]) / mass
    # Steiner's theorem, about the vertical through the centre of gravity.
    izz = (vehicle.yaw_inertia - float(rest.tensor[2, 2])
           - rest.mass * (rest.centre[0] - wanted_x)**2 - mass * (x - wanted_x)**2)
    izz = max(izz, _BODY_SHARE * vehicle.yaw_inertia)
    return {
        'body_mass': mass, 'body_x': x - place.x, 'body_z': z - place.z,
        'body_ixx': body.ixx * izz / body.izz, 'body_iyy': body.iyy * izz / body.izz,
        'body_izz': izz,
    }
