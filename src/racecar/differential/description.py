# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""The robot description of a differential-drive robot."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
import functools
import math
from typing import NamedTuple
from xml.etree import ElementTree

import numpy as np

from racecar.base.columns import Array
from racecar.base.frames import BASE_LINK
from racecar.base.types import TWO_WHEEL_JOINTS
from racecar.description.mesh_store import stored_mesh
from racecar.description.triangles import outward, solid, Triangles
from racecar.description.urdf import RobotDescription
from racecar.differential.parameters import RobotParameters

# Of the radius of a wheel: gap below the body, radius of a caster.
_GAP, CASTER = 0.5, 0.45
# Of the way to the edge of the body, for casters of a robot that needs none.
_CASTER_PLACE = 0.8
# Of the height of the body, for what is on its top.
_TOP = 0.25

# Of the height: plate on top, ring of the distance sensors below it. Points about the body, and
# exponent of its round corners.
_PLATE, _RING = 0.1, 0.28
_AROUND, _POWER = 64, 4.0

BODY_COLOUR, _DARK, _TREAD = '0.75 0.16 0.12 1', '0.12 0.12 0.13 1', '0.05 0.05 0.05 1'
_SENSOR = '0.95 0.55 0.12 1'


class Part(NamedTuple):
    """Mass [kg], centre ahead of the axle and above the ground [m], diagonal inertia [kg m^2]."""

    mass: float
    ahead: float
    height: float
    inertia: tuple[float, float, float]


def wheel_part(robot: RobotParameters) -> Part:
    """Return one wheel; its inertia is about x, the axle y, z."""
    across = robot.wheel_mass * (3.0 * robot.wheel_radius**2 + robot.wheel_width**2) / 12.0
    # What motor and gears add turns about the axle only, but no body has one moment alone.
    across = max(across, 0.51 * robot.wheel_inertia)
    return Part(robot.wheel_mass, 0.0, robot.wheel_radius,
                (across, robot.wheel_inertia, across))


def body_part(robot: RobotParameters) -> Part:
    """Return the body, so that it and the wheels have mass, centre and yaw inertia of the robot.

    Its other moments are those of a disc or box of its size.
    """
    wheel = wheel_part(robot)
    mass = robot.mass - 2.0 * wheel.mass
    ahead = robot.mass * robot.cog_ahead / mass
    height = max((robot.mass * robot.cog_height - 2.0 * wheel.mass * wheel.height) / mass,
                 0.1 * robot.wheel_radius)
    # Steiner's theorem about the vertical through the centre of gravity.
    wheels = 2.0 * (wheel.inertia[2] + wheel.mass * (
        0.25 * robot.axle_length**2 + robot.cog_ahead**2))
    izz = robot.yaw_inertia - wheels - mass * (ahead - robot.cog_ahead)**2
    # A robot of odd numbers is one that can be simulated, all the same.
    izz = max(izz, 0.05 * robot.yaw_inertia)
    thick = (robot.height - _GAP * robot.wheel_radius)**2 * mass / 12.0
    return Part(mass, ahead, height, (0.5 * izz + thick, 0.5 * izz + thick, izz))


def body_heights(robot: RobotParameters) -> tuple[float, float]:
    """Return where the body begins and ends above the ground [m]."""
    low = _GAP * robot.wheel_radius
    return low, max(robot.height, low + 0.1 * robot.wheel_radius)


def caster_places(robot: RobotParameters) -> tuple[float, ...]:
    """Return where casters are ahead of the axle [m]: one, or two where none is needed."""
    if robot.caster_ahead:
        return (robot.caster_ahead,)
    front, rear, _ = robot.footprint
    return _CASTER_PLACE * front, -_CASTER_PLACE * rear


def caster_radius(robot: RobotParameters) -> float:
    """Return the radius of a caster [m]."""
    return CASTER * robot.wheel_radius


@functools.lru_cache(maxsize=16)
def describe_robot(robot: RobotParameters) -> RobotDescription:
    """Return the robot description: body, wheels, casters, and frames for sensors on its top."""
    root = ElementTree.Element('robot', name=robot.name)
    ElementTree.SubElement(root, 'link', name=BASE_LINK)
    _add_body(root, robot)
    left, right = TWO_WHEEL_JOINTS
    half = 0.5 * robot.axle_length
    for joint, y in ((left, half), (right, -half)):
        _add_wheel(root, robot, joint, y)
    radius = caster_radius(robot)
    for index, place in enumerate(caster_places(robot)):
        name = f'caster_{index}'
        link = _fixed(root, name, (place, 0.0, radius))
        _shape(link, 'visual', 'sphere', {'radius': radius}, colour=_DARK)
    top = robot.height
    laser = _fixed(root, 'laser', (0.0, 0.0, top + _TOP * (top - radius)))
    _shape(laser, 'visual', 'cylinder', {
        'radius': 0.2 * min(robot.footprint.front, robot.footprint.side),
        'length': 2.0 * _TOP * (top - radius)}, colour=_DARK)
    _shape(laser, 'visual', 'cylinder', {
        'radius': 0.21 * min(robot.footprint.front, robot.footprint.side),
        'length': 0.5 * _TOP * (top - radius)}, (0.0, 0.0, 0.8 * _TOP * (top - radius)),
        colour=_SENSOR)
    _fixed(root, 'base_imu_link', (0.0, 0.0, top))
    front = robot.footprint.front
    _fixed(root, 'camera_link', (0.9 * front, 0.0, top))
    _fixed(root, 'camera_optical_frame', (0.9 * front, 0.0, top),
           angles=(-0.5 * math.pi, 0.0, -0.5 * math.pi))
    ElementTree.indent(root)
    return RobotDescription.from_urdf(ElementTree.tostring(root, encoding='unicode') + '\n')


def _add_body(root: ElementTree.Element, robot: RobotParameters) -> None:
    part = body_part(robot)
    low, high = body_heights(robot)
    link = _fixed(root, 'body', (0.0, 0.0, 0.0))
    _inertial(link, part)
    front, rear, side = robot.footprint
    # Pictures show the wheels beside a box, and below a round body.
    between = min(side, 0.5 * (robot.axle_length - 1.2 * robot.wheel_width))
    above = min(1.5 * robot.wheel_radius, 0.5 * (low + high))
    outline = _outline(robot, between)
    plate = _PLATE * high
    sensors = robot.sensor_places
    ring = high - plate - (_RING * high if sensors else 0.0)
    _mesh(link, 'shell', _prism(outline, above if robot.body_radius else low, ring), BODY_COLOUR)
    _mesh(link, 'plate', _prism(_outline(robot, side), high - plate, high), _DARK)
    if sensors:
        _mesh(link, 'ring', _prism(_within(outline, sensors), ring, high - plate), _DARK)
    for x, y, yaw in sensors:
        _shape(link, 'visual', 'cylinder', {
            'radius': 0.36 * _RING * high, 'length': 0.2 * _RING * high},
            (x, y, 0.5 * (ring + high - plate)), (0.0, 0.5 * math.pi, yaw),
            colour=_SENSOR)
    middle = (0.5 * (front - rear), 0.0, 0.5 * (low + high))
    if robot.body_radius:
        _shape(link, 'collision', 'cylinder', {
            'radius': robot.body_radius, 'length': high - low}, middle)
    else:
        _shape(link, 'collision', 'box', {
            'size': f'{front + rear!r} {2.0 * side!r} {high - low!r}'}, middle)


def _outline(robot: RobotParameters, side: float) -> Array:
    """Body from above (n, 2) [m]: a circle, or a rectangle so wide with round corners."""
    angles = 2.0 * math.pi * np.arange(_AROUND) / _AROUND
    unit = np.column_stack([np.cos(angles), np.sin(angles)])
    if robot.body_radius:
        return robot.body_radius * unit
    front, rear, _ = robot.footprint
    round_corners = np.sign(unit) * np.abs(unit)**(2.0 / _POWER)
    placed: Array = round_corners * (0.5 * (front + rear), side) + (0.5 * (front - rear), 0.0)
    return placed


def _within(outline: Array, sensors: Sequence[tuple[float, float, float]]) -> Array:
    """Outline made smaller until it ends at the outermost sensor but for a little."""
    middle = outline.mean(axis=0)
    direction = np.array(sensors)[:, :2] - middle
    edge = outline - middle
    # Of each sensor, its share of the way to the edge of the outline.
    nearest = np.argmax(direction @ edge.T / np.linalg.norm(edge, axis=1), axis=1)
    share = np.linalg.norm(direction, axis=1) / np.linalg.norm(edge[nearest], axis=1)
    shrunk: Array = middle + min(1.0, 0.93 * float(np.median(share))) * edge
    return shrunk


def _prism(outline: Array, bottom: float, top: float) -> Triangles:
    """Upright solid with bevelled edges over an outline (n, 2) [m]."""
    middle, bevel = outline.mean(axis=0), 0.12 * (top - bottom)
    width = float(np.abs(outline - middle).max())
    small = 1.0 - min(0.5, bevel / width)
    return outward(solid(np.array([
        np.column_stack([middle + scale * (outline - middle), np.full(len(outline), z)])
        for z, scale in ((bottom, small), (bottom + bevel, 1.0), (top - bevel, 1.0),
                         (top, small))])))


def _mesh(link: ElementTree.Element, name: str, triangles: Triangles, colour: str) -> None:
    _shape(link, 'visual', 'mesh', {'filename': stored_mesh(f'robot_{name}', triangles)},
           colour=colour)


def _add_wheel(root: ElementTree.Element, robot: RobotParameters, joint: str, y: float) -> None:
    name = joint.removesuffix('_joint')
    link = ElementTree.SubElement(root, 'link', name=name)
    part = wheel_part(robot)
    _inertial(link, part._replace(height=0.0))
    size = {'radius': robot.wheel_radius, 'length': robot.wheel_width}
    along_y = (0.5 * math.pi, 0.0, 0.0)
    for kind in ('visual', 'collision'):
        _shape(link, kind, 'cylinder', size, angles=along_y,
               colour=_TREAD if kind == 'visual' else '')
    _shape(link, 'visual', 'cylinder', {
        'radius': 0.62 * robot.wheel_radius, 'length': 1.04 * robot.wheel_width},
        angles=along_y, colour='0.8 0.8 0.8 1')
    # Show that it turns.
    for angle in (0.0, 0.5 * math.pi):
        _shape(link, 'visual', 'box', {
            'size': f'{1.1 * robot.wheel_radius!r} {1.08 * robot.wheel_width!r}'
                    f' {0.16 * robot.wheel_radius!r}'}, angles=(0.0, angle, 0.0), colour=_DARK)
    made = ElementTree.SubElement(root, 'joint', name=joint, type='continuous')
    ElementTree.SubElement(made, 'parent', link=BASE_LINK)
    ElementTree.SubElement(made, 'child', link=name)
    ElementTree.SubElement(made, 'axis', xyz='0 1 0')
    _origin(made, (0.0, y, robot.wheel_radius))
    ElementTree.SubElement(
        made, 'limit', effort=repr(robot.max_force), velocity=repr(robot.max_speed))


def _fixed(
    root: ElementTree.Element, name: str, place: tuple[float, float, float],
    angles: tuple[float, float, float] = (0.0, 0.0, 0.0),
) -> ElementTree.Element:
    """Add a link that is fixed to the base, and return it."""
    link = ElementTree.SubElement(root, 'link', name=name)
    joint = ElementTree.SubElement(root, 'joint', name=f'{name}_joint', type='fixed')
    ElementTree.SubElement(joint, 'parent', link=BASE_LINK)
    ElementTree.SubElement(joint, 'child', link=name)
    _origin(joint, place, angles)
    return link


def _origin(
    parent: ElementTree.Element, place: tuple[float, float, float],
    angles: tuple[float, float, float] = (0.0, 0.0, 0.0),
) -> None:
    ElementTree.SubElement(
        parent, 'origin', xyz=' '.join(map(repr, place)), rpy=' '.join(map(repr, angles)))


def _inertial(link: ElementTree.Element, part: Part) -> None:
    inertial = ElementTree.SubElement(link, 'inertial')
    _origin(inertial, (part.ahead, 0.0, part.height))
    ElementTree.SubElement(inertial, 'mass', value=repr(part.mass))
    ixx, iyy, izz = map(repr, part.inertia)
    ElementTree.SubElement(
        inertial, 'inertia', ixx=ixx, ixy='0', ixz='0', iyy=iyy, iyz='0', izz=izz)


def _shape(
    link: ElementTree.Element, kind: str, geometry: str, size: Mapping[str, float | str],
    place: tuple[float, float, float] = (0.0, 0.0, 0.0),
    angles: tuple[float, float, float] = (0.0, 0.0, 0.0), *, colour: str = '',
) -> None:
    shape = ElementTree.SubElement(link, kind)
    _origin(shape, place, angles)
    outer = ElementTree.SubElement(shape, 'geometry')
    ElementTree.SubElement(outer, geometry, {
        key: value if isinstance(value, str) else repr(value) for key, value in size.items()})
    if colour:
        material = ElementTree.SubElement(shape, 'material', name='')
        ElementTree.SubElement(material, 'color', rgba=colour)
