# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""Wheels and lamps in the URDF that urdf/racecar.urdf.xacro gives, by the vehicle's parameters.

xacro stretches one body; what has a number and shape of its own in each vehicle is added here.
"""

from __future__ import annotations

from collections.abc import Sequence
import math
import xml.etree.ElementTree as ElementTree

from racecar.core.description.lights import LampPlace, light_parts
from racecar.core.description.robot_tree import Box, Cylinder, Lamp, Shape, Sphere
from racecar.core.description.wheel_files import wheel_files, WheelFiles
from racecar.core.poses import pose_of_angles
from racecar.core.types import WHEEL_NAMES
from racecar.core.vehicles.parameters import VehicleParameters

Element = ElementTree.Element

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
    """Return a URDF of urdf/racecar.urdf.xacro with the wheels and lamps of a vehicle.

    Raises ConfigurationError as wheel_files().
    """
    robot = ElementTree.fromstring(urdf)
    links = {link.get('name'): link for link in robot.findall('link')}
    shapes = vehicle.wheel.shapes(vehicle.wheel_radii, vehicle.wheel_width)
    front, rear = map(wheel_files, shapes)
    for wheel in WHEEL_NAMES:
        _set_wheel(links[f'{wheel}_wheel'], vehicle, rear if 'rear' in wheel else front)
    visuals, lamps = light_parts(vehicle.lights, _places(vehicle), CHASSIS)
    links[CHASSIS].extend(map(_visual, visuals))
    robot.extend(map(lamp_element, lamps))
    ElementTree.indent(robot)
    return '<?xml version="1.0"?>\n' + ElementTree.tostring(robot, encoding='unicode') + '\n'


def lamp_element(lamp: Lamp) -> Element:
    """Return the element that read_urdf() reads as a lamp."""
    return Element('lamp', function=lamp.function, link=lamp.link, visual=lamp.visual,
                   rgb=_texts(lamp.colour))


def _places(vehicle: VehicleParameters) -> dict[str, list[LampPlace]]:
    """Return where the body has room, which is stretched as urdf/racecar.urdf.xacro does it."""
    long = vehicle.wheelbase / _WHEELBASE
    wide = 0.5 * (vehicle.track_widths[0] + vehicle.wheel_width) / _HALF_WIDTH
    high = vehicle.wheel_radii[1] / _RADIUS
    return {
        group: [LampPlace(pose_of_angles(long * x, wide * y, high * z, 0.0, 0.0, yaw),
                          wide * width, high * height)
                for x, y, z, width, height, yaw in rows]
        for group, rows in _PLACES.items()}


def _set_wheel(link: Element, vehicle: VehicleParameters, files: WheelFiles) -> None:
    for name, mesh, colour in (('tyre', files.tyre, vehicle.wheel.tyre_colour),
                               ('rim', files.rim, vehicle.wheel.rim_colour)):
        visual = link.find(f"visual[@name='{name}']")
        assert visual is not None
        element, material = visual.find('geometry/mesh'), visual.find('material')
        assert element is not None
        assert material is not None
        element.set('filename', mesh.uri)
        element.set('scale', _texts(mesh.scale))
        material.set('name', f'wheel_{name}')
        for old in list(material):
            material.remove(old)
        material.append(Element('color', rgba=_texts((*colour, 1.0))))


def _visual(shape: Shape) -> Element:
    visual = Element('visual', name=shape.name)
    visual.append(Element('origin', xyz=_texts(shape.origin[:3]),
                          rpy=_texts(_angles(shape.origin))))
    geometry = ElementTree.SubElement(visual, 'geometry')
    match shape.geometry:
        case Box(size=size):
            geometry.append(Element('box', size=_texts(size)))
        case Cylinder(radius=radius, length=length):
            geometry.append(Element('cylinder', radius=_text(radius), length=_text(length)))
        case Sphere(radius=radius):
            geometry.append(Element('sphere', radius=_text(radius)))
    assert shape.colour is not None
    material = ElementTree.SubElement(visual, 'material', name=f'{shape.name}_dark')
    material.append(Element('color', rgba=_texts(shape.colour)))
    return visual


def _texts(numbers: Sequence[float]) -> str:
    return ' '.join(map(_text, numbers))


def _text(number: float) -> str:
    # Lengths below a nanometre are rounding errors.
    return repr(round(number, 9) + 0.0)


def _angles(pose):
    x, y, z, w = pose[3:]
    sine = max(-1.0, min(1.0, 2.0 * (w * y - z * x)))
    if abs(sine) > 1.0 - 1e-12:
        return 0.0, math.copysign(0.5 * math.pi, sine), -2.0 * math.copysign(
            math.atan2(x, w), sine)
    return (math.atan2(2.0 * (w * x + y * z), 1.0 - 2.0 * (x * x + y * y)), math.asin(sine),
            math.atan2(2.0 * (w * z + x * y), 1.0 - 2.0 * (y * y + z * z)))
