# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""A robot description as what an engine moves: rigid bodies and the joints between them.

Links that are fixed to each other are one body, so that the engine has as few of them as move.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
import math

import numpy as np

from racecar.base.errors import ConfigurationError
from racecar.base.poses import pose_of_child
from racecar.base.shapes import Box, Cylinder, Shape, Sphere
from racecar.base.types import HINGE_JOINTS, Pose3, SUSPENSION_JOINTS, WHEEL_JOINTS
from racecar.description.robot_tree import Joint, MassProperties, RobotTree


@dataclass(frozen=True)
class RigidBody:
    """Links that are fixed to each other.

    name: of the link that is nearest to the root. mass: in its axes. parent: name of the body on
    whose joint it sits, empty for the root; origin: pose in that body, at position 0 of the joint.
    visuals, collisions: in its own frame.
    """

    name: str
    mass: MassProperties
    parent: str
    joint: Joint | None
    origin: Pose3
    visuals: tuple[Shape, ...]
    collisions: tuple[Shape, ...]


class Wheel:
    """Where a wheel is in its body: pose of its middle, z along the axle; radius, width [m]."""

    def __init__(self, body: RigidBody) -> None:
        """Raise ConfigurationError unless the body collides as one cylinder."""
        shapes = body.collisions
        if len(shapes) != 1 or not isinstance(shapes[0].geometry, Cylinder):
            raise ConfigurationError(
                f"link '{body.name}' is a wheel, expected a single cylinder as its collision")
        self.pose = shapes[0].origin
        self.radius, self.width = shapes[0].geometry


@dataclass(frozen=True)
class CarBodies:
    """The bodies of a car, a parent before its children, and which of them are wheels.

    wheels, hinges: bodies in the order of WHEEL_JOINTS and HINGE_JOINTS; suspensions: of a sprung
    car what carries each wheel, in the order of SUSPENSION_JOINTS, else none.
    """

    bodies: tuple[RigidBody, ...]
    wheels: tuple[RigidBody, ...]
    hinges: tuple[RigidBody, ...]
    suspensions: tuple[RigidBody, ...] = ()

    @property
    def root(self) -> RigidBody:
        """The body that carries the others."""
        return self.bodies[0]

    def body(self, name: str) -> RigidBody:
        """Return the body of a name."""
        return next(body for body in self.bodies if body.name == name)

    @property
    def outline(self) -> tuple[float, float, float, float]:
        """Length, width, height above the ground, and middle ahead of the root, of the body [m].

        It is the box about all that collides and does not move, without rotations.
        """
        lower, upper = np.full(3, math.inf), np.full(3, -math.inf)
        for shape in self.root.collisions:
            half = np.array(half_size(shape))
            middle = np.array(shape.origin[:3])
            lower, upper = np.minimum(lower, middle - half), np.maximum(upper, middle + half)
        length, width, _ = map(float, upper - lower)
        return length, width, float(upper[2]), float(0.5 * (lower[0] + upper[0]))

    @property
    def half_kingpin_track(self) -> float:
        """Half the distance between the axes of the hinges [m]."""
        left, right = (self._place(hinge) for hinge in self.hinges)
        return 0.5 * (left.y - right.y)

    def _place(self, body: RigidBody) -> Pose3:
        pose = body.origin
        while body.parent != self.root.name:
            body = self.body(body.parent)
            pose = pose_of_child(body.origin, pose)
        return pose


def half_size(shape: Shape) -> tuple[float, float, float]:
    """Return half the edges of the box about a shape, in its own axes [m]."""
    geometry = shape.geometry
    if isinstance(geometry, Cylinder):
        return geometry.radius, geometry.radius, 0.5 * geometry.length
    if isinstance(geometry, Sphere):
        return geometry.radius, geometry.radius, geometry.radius
    if isinstance(geometry, Box):
        x, y, z = geometry.size
        return 0.5 * x, 0.5 * y, 0.5 * z
    raise ConfigurationError(
        f'collision by the mesh {geometry.uri}, expected box, cylinder or sphere')


def car_bodies(tree: RobotTree) -> CarBodies:
    """Return the bodies of a car's robot description.

    Raises ConfigurationError for one without the wheels and hinges of a car, and for a body that
    weighs nothing.
    """
    bodies = _rigid_bodies(tree)
    by_joint = {body.joint.name: body for body in bodies if body.joint is not None}
    for name in (*WHEEL_JOINTS, *HINGE_JOINTS):
        if name not in by_joint:
            raise ConfigurationError(
                f"robot '{tree.name}' has no joint '{name}' that moves, expected those of a car:"
                f" {', '.join((*WHEEL_JOINTS, *HINGE_JOINTS))}")
    known = (*WHEEL_JOINTS, *HINGE_JOINTS, *SUSPENSION_JOINTS)
    for name in by_joint:
        if name not in known:
            raise ConfigurationError(
                f"robot '{tree.name}': joint '{name}' moves, expected of a car only"
                f" {', '.join(known)}")
    sprung = [name for name in SUSPENSION_JOINTS if name in by_joint]
    if sprung and len(sprung) < len(SUSPENSION_JOINTS):
        raise ConfigurationError(
            f"robot '{tree.name}' has of the joints of a suspension only {', '.join(sprung)},"
            f" expected all or none of {', '.join(SUSPENSION_JOINTS)}")
    return CarBodies(
        bodies, tuple(by_joint[name] for name in WHEEL_JOINTS),
        tuple(by_joint[name] for name in HINGE_JOINTS),
        tuple(by_joint[name] for name in sprung))


def _rigid_bodies(tree: RobotTree) -> tuple[RigidBody, ...]:
    # Of each link the one that heads its body, and its pose in that.
    heads: dict[str, tuple[str, Pose3]] = {tree.root: (tree.root, tree.poses()[tree.root])}
    joints: dict[str, Joint] = {}
    for joint in tree.joints:
        head, pose = heads[joint.parent]
        if joint.moves:
            heads[joint.child] = joint.child, heads[tree.root][1]
            joints[joint.child] = joint
        else:
            heads[joint.child] = head, pose_of_child(pose, joint.origin)
    return tuple(_rigid_body(tree, head, joints.get(head), heads)
                 for head in (tree.root, *joints))


def _rigid_body(
    tree: RobotTree, head: str, joint: Joint | None, heads: Mapping[str, tuple[str, Pose3]],
) -> RigidBody:
    members = [link for link in tree.links if heads[link.name][0] == head]
    names = {link.name for link in members}
    part = RobotTree(tree.name, tuple(members), tuple(
        other for other in tree.joints if other.parent in names and other.child in names))
    parent, place = heads[joint.parent] if joint else ('', heads[tree.root][1])

    def moved(shapes: tuple[Shape, ...], name: str) -> tuple[Shape, ...]:
        return tuple(shape._replace(origin=pose_of_child(heads[name][1], shape.origin))
                     for shape in shapes)

    return RigidBody(
        head, part.mass_properties(), parent, joint,
        pose_of_child(place, joint.origin) if joint else place,
        tuple(shape for link in members for shape in moved(link.visuals, link.name)),
        tuple(shape for link in members for shape in moved(link.collisions, link.name)))
