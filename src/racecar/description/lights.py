# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""The lamps of a car as shapes of its description: pure functions of its parameters."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
import math
from typing import NamedTuple

from racecar.base.poses import NO_POSE, pose_of_angles, pose_of_child
from racecar.base.shapes import Box, Cylinder, Geometry, Shape, Sphere
from racecar.base.types import Pose3
from racecar.description.robot_tree import Lamp
from racecar.dynamics.vehicles.light_parameters import (
    CYLINDER,
    LightGroup,
    Lights,
    NO_LAMP,
    SPHERE,
)

# What lights the lamps of a group on the left and on the right.
_FUNCTIONS: Mapping[str, tuple[str, str]] = {
    'front': ('front', 'front'), 'indicator': ('left_indicator', 'right_indicator'),
    'antifog': ('antifog', 'antifog'), 'braking': ('brake', 'brake'), 'rear': ('rear', 'rear'),
    'backwards': ('backwards', 'backwards'),
}

# Of a lamp that is dark: share of the colour of its light.
_DARK = 0.3

# How far a lamp sticks out of its place: share of its height.
_DEPTH = 0.3

# A disc along z lies so that it looks along x.
_AHEAD = pose_of_angles(0.0, 0.0, 0.0, 0.0, 0.5 * math.pi, 0.0)


class LampPlace(NamedTuple):
    """Where a body has room for a lamp: pose with x out of the body; width and height [m]."""

    pose: Pose3
    width: float
    height: float


def light_parts(
    lights: Lights, places: Mapping[str, Sequence[LampPlace]], link: str,
) -> tuple[tuple[Shape, ...], tuple[Lamp, ...]]:
    """Shapes of all lamps in the frame of a link, and what they are.

    places: of each group where the body has room, on the left (y > 0) and in the middle.
    """
    shapes, lamps = [], []
    for group, (left, right) in _FUNCTIONS.items():
        settings: LightGroup = getattr(lights, group)
        for number, place in enumerate(_places(settings, places.get(group, ()))):
            if settings.shape(number) == NO_LAMP:
                continue
            for side, function in (('left', left), ('right', right)):
                in_middle = place.pose.y == 0.0
                if in_middle and side == 'right':
                    continue
                name = f"{group if in_middle else f'{side}_{group}'}_lamp_{number}"
                shapes.append(_shape(
                    settings, number, place if side == 'left' else _mirrored(place), name))
                lamps.append(Lamp(function, link, name, settings.colour))
    return tuple(shapes), tuple(lamps)


def _places(settings: LightGroup, places: Sequence[LampPlace]) -> Sequence[LampPlace]:
    if not settings.positions:
        return places
    # Of a headlamp where the body has no place for one.
    width, height = (places[0].width, places[0].height) if places else (0.15, 0.15)
    return [LampPlace(NO_POSE._replace(x=x, y=y, z=z), width, height)
            for x, y, z in settings.positions]


def _mirrored(place: LampPlace) -> LampPlace:
    x, y, z, qx, qy, qz, qw = place.pose
    return place._replace(pose=Pose3(x, -y, z, -qx, qy, -qz, qw))


def _shape(settings: LightGroup, number: int, place: LampPlace, name: str) -> Shape:
    depth, width, height = settings.size(number) or (
        _DEPTH * place.height, place.width, place.height)
    geometry: Geometry = Box((depth, width, height))
    pose = place.pose
    shape = settings.shape(number)
    if shape == CYLINDER:
        geometry, pose = Cylinder(0.5 * height, depth), pose_of_child(pose, _AHEAD)
    elif shape == SPHERE:
        geometry = Sphere(0.5 * height)
    red, green, blue = settings.colour
    return Shape(pose, geometry, (_DARK * red, _DARK * green, _DARK * blue, 1.0), name)
