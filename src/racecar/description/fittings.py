# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""Wheels and lamps in the URDF that urdf/racecar.urdf.xacro gives, by the vehicle's parameters.

xacro stretches one body; what has a number and shape of its own in each vehicle is added here.
"""

from __future__ import annotations

from collections.abc import Sequence
import math
import xml.etree.ElementTree as ElementTree

from racecar.base.poses import pose_of_angles
from racecar.base.types import WHEEL_NAMES
from racecar.description.extensions import extended
from racecar.description.lights import LampPlace, light_parts
from racecar.description.urdf import read_urdf
from racecar.description.urdf_writer import (
    data_element,
    joint_element,
    lamp_element,
    link_element,
    shape_element,
)
from racecar.description.wheel_files import wheel_visuals
from racecar.dynamics.vehicles.parameters import VehicleParameters

CHASSIS = 'chassis'
"""Link of the body: its origin is in the middle of the rear axle."""

# Where the body of the 1:10 car has room, on its left, in the frame chassis [m]: x, y, z, width,
# height. The bumper is bent: there the last number is how far a lamp looks to the side [rad].
_PLACES: dict[str, Sequence[tuple[float, ...]]] = {
    'front': ((0.4142, 0.066, -0.012, 0.019, 0.019, 0.145),),
    'antifog': ((0.4170, 0.038, -0.012, 0.012, 0.012, 0.08),),
    'indicator': ((0.4090, 0.093, -0.012, 0.018, 0.010, 0.20),
                  (-0.0650, 0.052, 0.0065, 0.010, 0.011, math.pi)),
    'rear': ((-0.0665, 0.0385, 0.0065, 0.0135, 0.011, math.pi),),
    'braking': ((-0.0665, 0.0230, 0.0065, 0.0135, 0.011, math.pi),),
    'backwards': ((-0.0665, 0.008, 0.0065, 0.012, 0.011, math.pi),),
}
_WHEELBASE, _HALF_WIDTH, _RADIUS = 0.325, 0.145, 0.05


def fitted(urdf: str, vehicle: VehicleParameters) -> str:
    """URDF of urdf/racecar.urdf.xacro with wheels, lamps and extensions of a vehicle.

    Raises ConfigurationError as wheel_files() and extended().
    """
    robot = ElementTree.fromstring(urdf)
    links = {link.get('name'): link for link in robot.findall('link')}
    colours: dict[tuple[float, ...], str] = {}
    for wheel in WHEEL_NAMES:
        side, axle = wheel.split('_')
        link = links[f'{wheel}_wheel']
        for visual in link.findall('visual'):
            link.remove(visual)
        link.extend(shape_element('visual', shape, colours) for shape in wheel_visuals(
            vehicle, axle, 1.0 if side == 'left' else -1.0))
    shapes, lamps = light_parts(vehicle.lights, _places(vehicle), CHASSIS)
    links[CHASSIS].extend(shape_element('visual', shape, colours) for shape in shapes)
    bare = read_urdf(urdf)
    whole = extended(bare, vehicle.extension.files)
    # The joints stand in another order than they were added in.
    joints = {joint.name for joint in bare.joints}
    robot.extend(link_element(link, colours) for link in whole.links[len(bare.links):])
    robot.extend(joint_element(joint) for joint in whole.joints if joint.name not in joints)
    robot.extend(map(lamp_element, (*lamps, *whole.lamps[len(bare.lamps):])))
    if vehicle.extension.data:
        robot.append(data_element(vehicle.extension.data))
    ElementTree.indent(robot)
    return '<?xml version="1.0"?>\n' + ElementTree.tostring(robot, encoding='unicode') + '\n'


def _places(vehicle: VehicleParameters) -> dict[str, list[LampPlace]]:
    """Where the body has room, which is stretched as urdf/racecar.urdf.xacro does it."""
    long = vehicle.wheelbase / _WHEELBASE
    wide = 0.5 * (vehicle.track_widths[0] + vehicle.wheel_width) / _HALF_WIDTH
    high = vehicle.wheel_radii[1] / _RADIUS
    return {
        group: [LampPlace(pose_of_angles(long * x, wide * y, high * z, 0.0, 0.0, yaw),
                          wide * width, high * height)
                for x, y, z, width, height, yaw in rows]
        for group, rows in _PLACES.items()}
