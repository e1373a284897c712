# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""URDF text to a RobotTree; https://wiki.ros.org/urdf/XML has the format.

A lamp is an addition to it: `<lamp function="brake" link="chassis" visual="left_brake"
rgb="1 0 0"/>` below <robot> says which visual of which link shines, and how. What is not
kinematics, mass, shape or lamp, such as transmissions and sensors, is left alone.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
import math
from typing import NamedTuple
import xml.etree.ElementTree as ElementTree

from racecar.base.errors import ConfigurationError, excerpt
from racecar.base.poses import NO_POSE, pose_of_angles
from racecar.base.shapes import Box, Cylinder, Geometry, Mesh, Shape, Sphere
from racecar.base.types import Pose3
from racecar.description.robot_tree import (
    CONTINUOUS,
    FIXED,
    Inertial,
    Joint,
    JointDynamics,
    JointLimit,
    Lamp,
    Link,
    PRISMATIC,
    REVOLUTE,
    RobotTree,
)

_KINDS = (FIXED, CONTINUOUS, REVOLUTE, PRISMATIC)

Colour = tuple[float, float, float, float]

_LONGEST_TEXT = 1000
"""Of names, files and lists of numbers [letters]."""


class RobotDescription(NamedTuple):
    """A robot for others: URDF text, and what it says."""

    urdf: str
    tree: RobotTree

    @classmethod
    def from_urdf(cls, text: str) -> RobotDescription:
        """Read URDF. Raises ConfigurationError as read_urdf()."""
        return cls(text, read_urdf(text))


def read_urdf(text: str) -> RobotTree:
    """Robot that a URDF describes.

    Raises ConfigurationError in one line that names link or joint, what is there and what was
    expected.
    """
    if '<!ENTITY' in text:
        raise ConfigurationError('URDF: defines XML entities, expected none; write them out')
    try:
        robot = ElementTree.fromstring(text)
    except (ElementTree.ParseError, ValueError) as error:
        raise ConfigurationError(f'URDF: no XML, {error}') from error
    if robot.tag != 'robot':
        raise ConfigurationError(f'URDF: begins with <{robot.tag}>, expected <robot name="...">')
    name = _Part(robot, 'robot').text('name')
    try:
        colours = _colours(robot)
        return RobotTree(
            name,
            tuple(_link(element, colours) for element in robot.findall('link')),
            _joints(robot),
            tuple(_lamp(element) for element in robot.findall('lamp')))
    except RecursionError:
        raise ConfigurationError(f"URDF of robot '{name}': nested too deeply") from None


class _Part:
    """An element, its attributes read with errors that say where it stands."""

    def __init__(self, element: ElementTree.Element, place: str) -> None:
        self.element = element
        self.place = place

    def text(self, attribute: str) -> str:
        value = self.element.get(attribute)
        if not value:
            raise self.error(f'has no {attribute}')
        if len(value) > _LONGEST_TEXT:
            raise self.error(
                f'{attribute} has {len(value)} letters, expected at most {_LONGEST_TEXT}')
        return value

    def numbers(
        self, attribute: str, count: int, default: tuple[float, ...] | None = None,
    ) -> tuple[float, ...]:
        given = self.element.get(attribute)
        if given is None and default is not None:
            return default
        try:
            found = tuple(map(float, self.text(attribute).split()))
        except ValueError:
            found = ()
        if len(found) != count or not all(map(math.isfinite, found)):
            what = 'a finite number' if count == 1 else f'{count} finite numbers'
            raise self.error(f'{attribute} is {excerpt(given)}, expected {what}')
        return found

    def number(
        self, attribute: str, default: float | None = None, *, least: float = -math.inf,
        above: float = -math.inf,
    ) -> float:
        number, = self.numbers(attribute, 1, None if default is None else (default,))
        if number < least or number <= above:
            expected = f'more than {above:g}' if above > -math.inf else f'at least {least:g}'
            raise self.error(f'{attribute} is {number:g}, expected {expected}')
        return number

    def child(self, tag: str) -> _Part:
        part = self.child_if_any(tag)
        if part is None:
            raise self.error(f'has no <{tag}>')
        return part

    def child_if_any(self, tag: str) -> _Part | None:
        found = self.element.find(tag)
        return None if found is None else _Part(found, f'{self.place}, <{tag}>')

    def content(self, tag: str, default: float) -> float:
        """Number that stands in a child."""
        text = self.element.findtext(tag)
        if text is None:
            return default
        try:
            number = float(text)
        except ValueError:
            number = math.nan
        if not math.isfinite(number):
            raise self.error(f'has <{tag}> {excerpt(text)}, expected a finite number')
        return number

    def children(self, tag: str) -> Iterable[_Part]:
        return (_Part(found, f'{self.place}, <{tag}>') for found in self.element.findall(tag))

    def origin(self) -> Pose3:
        part = self.child_if_any('origin')
        if part is None:
            return NO_POSE
        zero = (0.0, 0.0, 0.0)
        x, y, z, roll, pitch, yaw = (*part.numbers('xyz', 3, zero), *part.numbers('rpy', 3, zero))
        return pose_of_angles(x, y, z, roll, pitch, yaw)

    def error(self, what: str) -> ConfigurationError:
        return ConfigurationError(f'URDF: {self.place} {what}')


def _named(element: ElementTree.Element) -> _Part:
    name = _Part(element, f'a <{element.tag}>').text('name')
    return _Part(element, f"{element.tag} '{name}'")


def _colours(robot: ElementTree.Element) -> dict[str, Colour]:
    found = {}
    for element in robot.findall('material'):
        colour = _colour(_named(element))
        if colour is not None:
            found[element.get('name', '')] = colour
    return found


def _colour(material: _Part) -> Colour | None:
    part = material.child_if_any('color')
    if part is None:
        return None
    red, green, blue, opacity = part.numbers('rgba', 4)
    return red, green, blue, opacity


def _link(element: ElementTree.Element, colours: Mapping[str, Colour]) -> Link:
    part = _named(element)
    inertial = part.child_if_any('inertial')
    return Link(
        part.text('name'), None if inertial is None else _inertial(inertial),
        tuple(_shape(shape, colours) for shape in part.children('visual')),
        tuple(_shape(shape, colours) for shape in part.children('collision')))


def _inertial(part: _Part) -> Inertial:
    tensor = part.child('inertia')
    return Inertial(
        part.origin(), part.child('mass').number('value', least=0.0), *(
            tensor.number(name, None if name[1] == name[2] else 0.0)
            for name in ('ixx', 'ixy', 'ixz', 'iyy', 'iyz', 'izz')))


def _shape(part: _Part, colours: Mapping[str, Colour]) -> Shape:
    colour = None
    material = part.child_if_any('material')
    if material is not None:
        colour = _colour(material)
        if colour is None:
            name = material.text('name')
            if name not in colours and material.element.find('texture') is None:
                raise material.error(
                    f"names the colour '{name}', expected one of {', '.join(colours) or 'none'}")
            colour = colours.get(name)
    return Shape(
        part.origin(), _geometry(part.child('geometry')), colour, part.element.get('name', ''))


def _geometry(part: _Part) -> Geometry:
    box, cylinder, sphere, mesh = map(
        part.child_if_any, ('box', 'cylinder', 'sphere', 'mesh'))
    if box is not None:
        x, y, z = box.numbers('size', 3)
        return Box((x, y, z))
    if cylinder is not None:
        return Cylinder(cylinder.number('radius', above=0.0), cylinder.number('length', above=0.0))
    if sphere is not None:
        return Sphere(sphere.number('radius', above=0.0))
    if mesh is not None:
        x, y, z = mesh.numbers('scale', 3, (1.0, 1.0, 1.0))
        return Mesh(mesh.text('filename'), (x, y, z))
    raise part.error('has no shape, expected <box>, <cylinder>, <sphere> or <mesh>')


def _joints(robot: ElementTree.Element) -> tuple[Joint, ...]:
    # URDF has no springs; they stand as Gazebo reads them.
    springs = {
        element.get('reference', ''): _Part(element, f"<gazebo> of '{element.get('reference')}'")
        for element in robot.findall('gazebo')}
    return tuple(
        _joint(element, springs.get(element.get('name', '')))
        for element in robot.findall('joint'))


def _joint(element: ElementTree.Element, gazebo: _Part | None) -> Joint:
    part = _named(element)
    kind = part.text('type')
    if kind not in _KINDS:
        raise part.error(f"is of type '{kind}', expected one of {', '.join(_KINDS)}")
    axis = part.child_if_any('axis')
    x, y, z = (1.0, 0.0, 0.0) if axis is None else axis.numbers('xyz', 3)
    length = math.hypot(x, y, z)
    if length < 1e-9:
        raise part.error('has an axis without length, expected one like 0 0 1')
    return Joint(
        part.text('name'), kind, part.child('parent').text('link'),
        part.child('child').text('link'), part.origin(), (x / length, y / length, z / length),
        _limit(part, kind), _dynamics(part, gazebo))


def _dynamics(part: _Part, gazebo: _Part | None) -> JointDynamics:
    given = part.child_if_any('dynamics')
    damping = 0.0 if given is None else given.number('damping', 0.0, least=0.0)
    if gazebo is None:
        return JointDynamics(damping)
    return JointDynamics(
        damping, gazebo.content('springStiffness', 0.0), gazebo.content('springReference', 0.0))


def _lamp(element: ElementTree.Element) -> Lamp:
    """Read the element that this package adds to URDF, which other readers leave alone."""
    part = _Part(element, 'a <lamp>')
    red, green, blue = part.numbers('rgb', 3)
    return Lamp(part.text('function'), part.text('link'), part.text('visual'), (red, green, blue))


def _limit(part: _Part, kind: str) -> JointLimit:
    limit = part.child('limit') if kind in (REVOLUTE, PRISMATIC) else part.child_if_any('limit')
    if limit is None:
        return JointLimit()
    lower, upper = -math.inf, math.inf
    if kind in (REVOLUTE, PRISMATIC):
        lower, upper = limit.number('lower', 0.0), limit.number('upper', 0.0)
        if lower > upper:
            raise limit.error(f'has lower {lower:g} above upper {upper:g}')
    return JointLimit(
        lower, upper, limit.number('effort', least=0.0), limit.number('velocity', least=0.0))
