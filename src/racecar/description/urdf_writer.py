# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""A RobotTree to URDF text, which read_urdf() reads back.

Springs, which URDF does not have, are written as <gazebo> elements with <springStiffness> and
<springReference>, lamps as urdf.py has them.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
import math
import xml.etree.ElementTree as ElementTree

from racecar.base.poses import NO_POSE
from racecar.base.shapes import Box, Cylinder, Geometry, Shape, Sphere
from racecar.base.types import Pose3
from racecar.description.robot_tree import (
    CONTINUOUS,
    Inertial,
    Joint,
    JointDynamics,
    Lamp,
    Link,
    PRISMATIC,
    REVOLUTE,
    RobotTree,
)

Element = ElementTree.Element

# What is less is 0 but for rounding.
_NOTHING = 1e-15


def write_urdf(tree: RobotTree, more: Iterable[Element] = ()) -> str:
    """URDF text of a robot; more: elements that stand at its end."""
    robot = Element('robot', name=tree.name)
    colours: dict[tuple[float, ...], str] = {}
    for link in tree.links:
        robot.append(link_element(link, colours))
    for joint in tree.joints:
        robot.append(joint_element(joint))
    robot.extend(
        _spring(joint) for joint in tree.joints if joint.dynamics.stiffness > 0.0)
    robot.extend(map(lamp_element, tree.lamps))
    robot.extend(more)
    ElementTree.indent(robot)
    return _document(robot)


def with_frames(urdf: str, joints: Iterable[Joint]) -> str:
    """URDF text with further joints and their children, links without shape and mass."""
    robot = ElementTree.fromstring(urdf)
    for joint in joints:
        robot.append(link_element(Link(joint.child), {}))
        robot.append(joint_element(joint))
    ElementTree.indent(robot)
    return _document(robot)


def _document(robot: Element) -> str:
    return '<?xml version="1.0"?>\n' + ElementTree.tostring(robot, encoding='unicode') + '\n'


def link_element(link: Link, colours: dict[tuple[float, ...], str]) -> Element:
    """Element of a link; colours: as of shape_element()."""
    element = Element('link', name=link.name)
    if link.inertial is not None:
        element.append(_inertial(link.inertial))
    for tag, shapes in (('visual', link.visuals), ('collision', link.collisions)):
        element.extend(shape_element(tag, shape, colours) for shape in shapes)
    return element


def _inertial(inertial: Inertial) -> Element:
    element = Element('inertial')
    _add_origin(element, inertial.origin)
    ElementTree.SubElement(element, 'mass', value=_text(inertial.mass))
    ElementTree.SubElement(element, 'inertia', {
        name: _text(getattr(inertial, name))
        for name in ('ixx', 'ixy', 'ixz', 'iyy', 'iyz', 'izz')})
    return element


def shape_element(tag: str, shape: Shape, colours: dict[tuple[float, ...], str]) -> Element:
    """Visual or collision; colours: names of those there are, to which its is added."""
    element = Element(tag, {'name': shape.name} if shape.name else {})
    _add_origin(element, shape.origin)
    ElementTree.SubElement(element, 'geometry').append(_geometry(shape.geometry))
    if shape.colour is not None:
        name = colours.setdefault(shape.colour, f'colour_{len(colours) + 1}')
        material = ElementTree.SubElement(element, 'material', name=name)
        ElementTree.SubElement(material, 'color', rgba=_texts(shape.colour))
    return element


def _geometry(geometry: Geometry) -> Element:
    if isinstance(geometry, Box):
        return Element('box', size=_texts(geometry.size))
    if isinstance(geometry, Cylinder):
        return Element(
            'cylinder', radius=_text(geometry.radius), length=_text(geometry.length))
    if isinstance(geometry, Sphere):
        return Element('sphere', radius=_text(geometry.radius))
    return Element('mesh', filename=geometry.uri, scale=_texts(geometry.scale))


def joint_element(joint: Joint) -> Element:
    """Element of a joint, without its spring."""
    element = Element('joint', name=joint.name, type=joint.kind)
    ElementTree.SubElement(element, 'parent', link=joint.parent)
    ElementTree.SubElement(element, 'child', link=joint.child)
    _add_origin(element, joint.origin)
    if not joint.moves:
        return element
    ElementTree.SubElement(element, 'axis', xyz=_texts(joint.axis))
    limit = joint.limit
    # Infinity is no number of XML; who writes none of them has no limits.
    if joint.kind in (REVOLUTE, PRISMATIC) or math.isfinite(limit.effort):
        names = ('lower', 'upper', 'effort', 'velocity')
        ElementTree.SubElement(element, 'limit', {
            name: _text(getattr(limit, name))
            for name in (names[2:] if joint.kind == CONTINUOUS else names)})
    if joint.dynamics != JointDynamics():
        ElementTree.SubElement(
            element, 'dynamics', damping=_text(joint.dynamics.damping), friction='0')
    return element


def _spring(joint: Joint) -> Element:
    element = Element('gazebo', reference=joint.name)
    for tag, number in (('springStiffness', joint.dynamics.stiffness),
                        ('springReference', joint.dynamics.reference)):
        ElementTree.SubElement(element, tag).text = _text(number)
    return element


def lamp_element(lamp: Lamp) -> Element:
    """Element that this package adds to URDF for a lamp."""
    return Element('lamp', function=lamp.function, link=lamp.link, visual=lamp.visual,
                   rgb=_texts(lamp.colour))


def data_element(data: str) -> Element:
    """Element that this package adds to URDF for the user's own text."""
    element = Element('data')
    element.text = data
    return element


def _add_origin(element: Element, pose: Pose3) -> None:
    if pose != NO_POSE:
        ElementTree.SubElement(
            element, 'origin', xyz=_texts(pose[:3]), rpy=_texts(_angles(pose)))


def _angles(pose: Pose3) -> tuple[float, float, float]:
    """Roll, pitch, yaw of a pose [rad]."""
    x, y, z, w = pose[3:]
    sine = max(-1.0, min(1.0, 2.0 * (w * y - z * x)))
    if abs(sine) > 1.0 - 1e-12:
        # Looking straight up or down: only one turn about the vertical is left.
        up = math.copysign(1.0, sine)
        return 0.0, up * 0.5 * math.pi, -2.0 * up * math.atan2(x, w)
    return (math.atan2(2.0 * (w * x + y * z), 1.0 - 2.0 * (x * x + y * y)), math.asin(sine),
            math.atan2(2.0 * (w * z + x * y), 1.0 - 2.0 * (y * y + z * z)))


def _text(number: float) -> str:
    return '0' if abs(number) < _NOTHING else repr(float(number))


def _texts(numbers: Sequence[float]) -> str:
    return ' '.join(map(_text, numbers))
