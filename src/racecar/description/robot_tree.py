# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""A robot as a tree of links and joints: where each link is, and what the robot weighs."""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, field
import math
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from racecar.base.errors import ConfigurationError, excerpt
from racecar.base.parameters import suggest
from racecar.base.poses import NO_POSE, pose_of_child, Quaternion, rotated, Vector3
from racecar.base.shapes import Shape
from racecar.base.types import Lamps, Pose3

FIXED, CONTINUOUS, REVOLUTE, PRISMATIC = 'fixed', 'continuous', 'revolute', 'prismatic'

_AXES = ((1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0))


class Inertial(NamedTuple):
    """Mass [kg] at the origin of a frame, and the tensor about that in its axes [kg m^2].

    origin: of that frame in the link's.
    """

    origin: Pose3
    mass: float
    ixx: float
    ixy: float
    ixz: float
    iyy: float
    iyz: float
    izz: float

    @property
    def tensor(self) -> NDArray[np.float64]:
        """The inertia tensor as a matrix (3, 3) [kg m^2]."""
        return np.array([[self.ixx, self.ixy, self.ixz], [self.ixy, self.iyy, self.iyz],
                         [self.ixz, self.iyz, self.izz]])


@dataclass(frozen=True)
class Link:
    """A rigid part. inertial: None if it weighs nothing."""

    name: str
    inertial: Inertial | None = None
    visuals: tuple[Shape, ...] = ()
    collisions: tuple[Shape, ...] = ()


class Lamp(NamedTuple):
    """A shape that shines: visual names it in its link.

    function: what lights it, a field of racecar.base.types.Lamps. colour: red, green and blue of
    its light, from 0 to 1; the shape's own colour is that of the lamp while it is dark.
    """

    function: str
    link: str
    visual: str
    colour: tuple[float, float, float]


class JointLimit(NamedTuple):
    """Range of the position [rad or m], largest effort [N m or N] and speed [rad/s or m/s]."""

    lower: float = -math.inf
    upper: float = math.inf
    effort: float = math.inf
    velocity: float = math.inf


class JointDynamics(NamedTuple):
    """What acts in a joint by itself.

    damping [N s/m or N m s/rad]; of a spring, stiffness [N/m or N m/rad] and the position at which
    it is free of force [m or rad].
    """

    damping: float = 0.0
    stiffness: float = 0.0
    reference: float = 0.0


@dataclass(frozen=True)
class Joint:
    """How a child moves against its parent.

    kind: fixed, continuous or revolute (angle about the axis [rad]), prismatic (way along it [m]).
    origin: of the child in the parent at position 0. axis: of unit length, in the child's frame.
    """

    name: str
    kind: str
    parent: str
    child: str
    origin: Pose3 = NO_POSE
    axis: tuple[float, float, float] = (1.0, 0.0, 0.0)
    limit: JointLimit = JointLimit()
    dynamics: JointDynamics = JointDynamics()

    # In the parent: the axis, and the rotation at 0 followed by half a turn about the axis.
    _axis: Vector3 = field(init=False, repr=False, compare=False)
    _half_turn: Quaternion = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        """Work out once what every position needs."""
        half_turn = pose_of_child(self.origin, Pose3(0.0, 0.0, 0.0, *self.axis, 0.0))[3:]
        object.__setattr__(self, '_axis', rotated(self.origin[3:], self.axis))
        object.__setattr__(self, '_half_turn', half_turn)

    @property
    def moves(self) -> bool:
        """Whether it has a position."""
        return self.kind != FIXED

    def pose(self, position: float) -> Pose3:
        """Pose of the child in the parent at a position [rad or m]."""
        x, y, z, qx, qy, qz, qw = self.origin
        if self.kind == FIXED:
            return self.origin
        if self.kind == PRISMATIC:
            ax, ay, az = self._axis
            return Pose3(x + ax * position, y + ay * position, z + az * position, qx, qy, qz, qw)
        hx, hy, hz, hw = self._half_turn
        c, s = math.cos(0.5 * position), math.sin(0.5 * position)
        return Pose3(
            x, y, z, qx * c + hx * s, qy * c + hy * s, qz * c + hz * s, qw * c + hw * s)


class MassProperties(NamedTuple):
    """Of a whole robot, in the axes of its root.

    mass [kg]; centre of gravity x, y, z [m]; tensor (3, 3) about it [kg m^2].
    """

    mass: float
    centre: tuple[float, float, float]
    tensor: NDArray[np.float64]


@dataclass(frozen=True)
class RobotTree:
    """Links and joints of a robot; each link but the root is the child of one joint.

    The joints stand in an order in which each parent comes before its children. lamps: which
    shapes of the links shine. Raises ConfigurationError, naming the link, joint or lamp, for what
    is no tree and lamps that are not there.
    """

    name: str
    links: tuple[Link, ...]
    joints: tuple[Joint, ...]
    lamps: tuple[Lamp, ...] = ()
    root: str = field(init=False)

    def __post_init__(self) -> None:
        self._check_names()
        children = self._check_joints()
        roots = [link.name for link in self.links if link.name not in children]
        if len(roots) != 1:
            raise ConfigurationError(
                f"robot '{self.name}' has {len(roots)} links that are no child of a joint"
                f" ({', '.join(roots) or 'there is a loop'}), expected one")
        object.__setattr__(self, 'root', roots[0])
        ordered = tuple(self._below(roots[0]))
        if len(ordered) != len(self.joints):
            reached = {joint.name for joint in ordered}
            loose = next(joint.name for joint in self.joints if joint.name not in reached)
            raise ConfigurationError(
                f"robot '{self.name}': joint '{loose}' does not hang on '{roots[0]}', expected a"
                ' tree without loops')
        object.__setattr__(self, 'joints', ordered)
        for lamp in self.lamps:
            self._check(lamp)

    def _check_names(self) -> None:
        """Raise ConfigurationError for a link or joint that stands twice."""
        for kind, names in (('link', [link.name for link in self.links]),
                            ('joint', [joint.name for joint in self.joints])):
            for name, count in Counter(names).items():
                if count > 1:
                    raise ConfigurationError(
                        f"robot '{self.name}': {kind} '{name}' stands twice, expected once")

    def _check_joints(self) -> Collection[str]:
        """Names of the child links; raises ConfigurationError for what a joint cannot join."""
        known = {link.name for link in self.links}
        children = Counter(joint.child for joint in self.joints)
        for joint in self.joints:
            for name in (joint.parent, joint.child):
                if name not in known:
                    raise ConfigurationError(
                        f"robot '{self.name}': joint '{joint.name}' joins the link '{name}', which"
                        f' there is not; {suggest(name, sorted(known))}')
            if children[joint.child] > 1:
                raise ConfigurationError(
                    f"robot '{self.name}': link '{joint.child}' is the child of several joints,"
                    ' expected one')
        return children

    def _check(self, lamp: Lamp) -> None:
        if lamp.function not in Lamps._fields:
            raise ConfigurationError(
                f"robot '{self.name}': lamp '{lamp.visual}' has the function"
                f" '{excerpt(lamp.function)[1:-1]}', expected one of {', '.join(Lamps._fields)}")
        names = [shape.name for shape in self.link(lamp.link).visuals if shape.name]
        if names.count(lamp.visual) != 1:
            raise ConfigurationError(
                f"robot '{self.name}': a lamp is the visual '{lamp.visual}' of link"
                f" '{lamp.link}', which has {names.count(lamp.visual)} of this name, expected one")

    def lamp_shape(self, lamp: Lamp) -> Shape:
        """Shape of one of the lamps in the frame of its link."""
        return next(
            shape for shape in self.link(lamp.link).visuals if shape.name == lamp.visual)

    def _below(self, root: str) -> Iterator[Joint]:
        # Not by recursion: a chain may be longer than Python's stack.
        by_parent: dict[str, list[Joint]] = {}
        for joint in self.joints:
            by_parent.setdefault(joint.parent, []).append(joint)
        waiting = deque([root])
        while waiting:
            for joint in by_parent.get(waiting.popleft(), ()):
                waiting.append(joint.child)
                yield joint

    def link(self, name: str) -> Link:
        """Link. Raises ConfigurationError with the nearest names."""
        for link in self.links:
            if link.name == name:
                return link
        raise ConfigurationError(
            f"robot '{self.name}' has no link '{name}';"
            f' {suggest(name, (link.name for link in self.links))}')

    def joint(self, name: str) -> Joint:
        """Joint. Raises ConfigurationError with the nearest names."""
        for joint in self.joints:
            if joint.name == name:
                return joint
        raise ConfigurationError(
            f"robot '{self.name}' has no joint '{name}';"
            f' {suggest(name, (joint.name for joint in self.joints))}')

    def fixed_links(self) -> set[str]:
        """Names of the links that never move against the root, itself among them."""
        fixed = {self.root}
        for joint in self.joints:
            if joint.parent in fixed and not joint.moves:
                fixed.add(joint.child)
        return fixed

    def poses(self, positions: Mapping[str, float] | None = None) -> dict[str, Pose3]:
        """Pose of every link in the root by its name.

        positions: of joints by name [rad or m], 0 for those that are missing. Raises
        ConfigurationError for a joint that there is not.
        """
        given = positions or {}
        for name in given:
            self.joint(name)
        found = {self.root: NO_POSE}
        for joint in self.joints:
            found[joint.child] = pose_of_child(
                found[joint.parent], joint.pose(given.get(joint.name, 0.0)))
        return found

    def mass_properties(self, positions: Mapping[str, float] | None = None) -> MassProperties:
        """Mass, centre of gravity and inertia with the joints at these positions.

        Raises ConfigurationError as poses() does, and if no link weighs anything.
        """
        poses = self.poses(positions)
        parts = []
        for link in self.links:
            if link.inertial is not None:
                pose = pose_of_child(poses[link.name], link.inertial.origin)
                rotation = np.array([rotated(pose[3:], axis) for axis in _AXES]).T
                parts.append((link.inertial.mass, np.array(pose[:3]),
                              rotation @ link.inertial.tensor @ rotation.T))
        mass = sum(part[0] for part in parts)
        if not mass > 0.0:
            raise ConfigurationError(f"robot '{self.name}' weighs nothing, expected some inertial")
        centre = np.sum([m * place for m, place, _ in parts], axis=0) / mass
        tensor = np.zeros((3, 3))
        for m, place, own in parts:
            arm = place - centre
            # Steiner's theorem.
            tensor += own + m * (arm @ arm * np.eye(3) - np.outer(arm, arm))
        x, y, z = map(float, centre)
        return MassProperties(float(mass), (x, y, z), tensor)
