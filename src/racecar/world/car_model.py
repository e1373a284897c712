# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""A car in the model of the engine: bodies, joints, shapes, motors and a sensor of touch.

Names in the model are those of the robot description after the name of the car and a slash.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple, TYPE_CHECKING

from racecar.base.shapes import Box, Cylinder, Mesh, Shape, Sphere
from racecar.base.share import resource_file
from racecar.base.types import Pose3
from racecar.description.car_bodies import CarBodies, RigidBody, Wheel
from racecar.description.robot_tree import Joint, PRISMATIC, REVOLUTE
from racecar.world.engine import load_engine

if TYPE_CHECKING:
    from mujoco import MjsActuator, MjsBody, MjsGeom, MjsJoint, MjSpec

FLOOR_BIT, FIXED_BIT, LOOSE_BIT, CAR_BIT, MOVING_BIT = 1, 2, 4, 8, 16
"""What collides with what: the ground, what stands fixed, what can be moved, bodies of cars, and
what moves whatever it meets."""

BODY_AFFINITY = FLOOR_BIT | FIXED_BIT | LOOSE_BIT | CAR_BIT | MOVING_BIT
"""What the bodies of cars collide with."""

VISUAL_GROUP, COLLISION_GROUP = 2, 3
"""Groups of geoms, for who draws or measures."""

WHEEL_PRIORITY = 1
"""Of the contact of a wheel: its own numbers hold, not those of the ground."""

HARD = 0.005, 1.0
"""Time constant [s] and damping ratio of contacts.

A wheel sinks in by 0.02 mm, a body at 5 m/s by less than a wall is thick, and does not bounce.
"""

# A brake holds its wheel within so many steps, and a share of the torque that creeps past it.
_BRAKE_STEPS, _BRAKE_HOLD = 2.0, 0.99999


class Gains(NamedTuple):
    """Of the controllers of the joints.

    front, rear: of the speed of a wheel [N m s/rad]; hinge [N m/rad], hinge_damping [N m s/rad];
    effort: factor of the largest torques, which are those of the joints [-].
    """

    front: float
    rear: float
    hinge: float
    hinge_damping: float
    effort: float = 1.0

    def scaled(self, factor: float) -> Gains:
        """Return those of a car that needs so many times the torques."""
        return Gains(*(factor * number for number in self))


def prefixed(car: str, name: str) -> str:
    """Return the name of a part of a car in the model."""
    return f'{car}/{name}'


def servo_name(joint: str) -> str:
    """Return the name of the actuator that controls a joint."""
    return f'{joint}/servo'


def motor_name(joint: str) -> str:
    """Return the name of the actuator that takes the torque of a joint."""
    return f'{joint}/motor'


def touch_name(car: str, other: str = '') -> str:
    """Return the name of the sensor that counts where a car's body touches anything, or a body."""
    return prefixed(car, f'touch {other}' if other else 'touch')


def place(thing: MjsBody | MjsGeom, pose: Pose3) -> None:
    """Put a body or geom of a model to a pose; the engine writes quaternions w first."""
    thing.pos = pose[:3]
    thing.quat = (pose.qw, pose.qx, pose.qy, pose.qz)


class CarPart(NamedTuple):
    """A car of a model: its name there, unique; its bodies, from car_bodies().

    friction: of its wheels with the ground by the engine; None: they pass through it, for tyre
    forces of our own. wheel_servos, wheel_motors: whether its wheels have actuators that control
    their rotation, and such that take torques.
    """

    name: str
    bodies: CarBodies
    gains: Gains
    friction: float | None = None
    wheel_servos: bool = True
    wheel_motors: bool = True


def add_car(
    spec: MjSpec, part: CarPart, *, step: float, visuals: bool, loose: Sequence[str] = (),
) -> None:
    """Add a car to an MjSpec, at the origin, to be placed by its free joint.

    visuals: add what pictures show; loose: bodies whose contacts with the car's body have sensors
    of their own. Raises ConfigurationError for a mesh that is not there.
    """
    mujoco, name, car = load_engine(), part.name, part.bodies
    made: dict[str, MjsBody] = {}
    wheels = [wheel.name for wheel in car.wheels]
    hinges = [hinge.name for hinge in car.hinges]
    for body in car.bodies:
        parent = made[body.parent] if body.parent else spec.worldbody
        added = made[body.name] = parent.add_body(name=prefixed(name, body.name))
        place(added, body.origin)
        _weigh(added, body)
        if body.joint is None:
            added.add_freejoint(name=prefixed(name, body.name))
        else:
            joint = _add_joint(added, name, body, body.joint, step=step)
            if body.joint.kind != PRISMATIC:
                if body.name in wheels:
                    _add_wheel_actuators(spec, joint.name, body.joint, part,
                                         is_front=body.parent in hinges)
                else:
                    servo = _add_servo(spec, joint.name, body.joint, part.gains)
                    servo.gainprm[0], servo.biasprm[1] = part.gains.hinge, -part.gains.hinge
                    servo.biasprm[2] = -part.gains.hinge_damping
        if body.name in wheels:
            _add_wheel_shape(added, prefixed(name, body.name), Wheel(body), part.friction)
        else:
            _add_collision_shapes(spec, added, name, body)
        if visuals:
            _add_visual_shapes(spec, added, body)
    for other in ('', *loose):
        touch = spec.add_sensor(
            name=touch_name(name, other), type=mujoco.mjtSensor.mjSENS_CONTACT,
            objtype=mujoco.mjtObj.mjOBJ_BODY, objname=prefixed(name, car.root.name),
            # How many were found, no more of any of them.
            intprm=[1 << int(mujoco.mjtConDataField.mjCONDATA_FOUND), 0, 1])
        if other:
            touch.reftype, touch.refname = mujoco.mjtObj.mjOBJ_BODY, other


def _weigh(added: MjsBody, body: RigidBody) -> None:
    mass, centre, tensor = body.mass
    added.mass, added.ipos, added.explicitinertial = mass, centre, True
    added.fullinertia = (tensor[0, 0], tensor[1, 1], tensor[2, 2], tensor[0, 1], tensor[0, 2],
                         tensor[1, 2])


def _add_joint(
    added: MjsBody, car: str, body: RigidBody, joint: Joint, *, step: float,
) -> MjsJoint:
    kinds = load_engine().mjtJoint
    made = added.add_joint(
        name=prefixed(car, joint.name), axis=joint.axis,
        type=kinds.mjJNT_SLIDE if joint.kind == PRISMATIC else kinds.mjJNT_HINGE)
    if joint.kind == PRISMATIC:
        # The engine holds the damping within the step: it may be as strong as it likes.
        made.damping[0] = joint.dynamics.damping
        made.stiffness[0], made.springref = joint.dynamics.stiffness, joint.dynamics.reference
        made.solref_limit = HARD
    else:
        made.solref_friction = (_BRAKE_STEPS * step, 1.0)
        made.solimp_friction = (_BRAKE_HOLD, _BRAKE_HOLD, 0.001, 0.5, 2.0)
    if joint.kind in (REVOLUTE, PRISMATIC):
        made.limited = load_engine().mjtLimited.mjLIMITED_TRUE
        made.range = (joint.limit.lower, joint.limit.upper)
    return made


def _add_wheel_actuators(
    spec: MjSpec, name: str, joint: Joint, part: CarPart, *, is_front: bool,
) -> None:
    if part.wheel_servos:
        gain = part.gains.front if is_front else part.gains.rear
        servo = _add_servo(spec, name, joint, part.gains)
        servo.gainprm[0], servo.biasprm[2] = gain, -gain
    if part.wheel_motors:
        mujoco = load_engine()
        spec.add_actuator(
            name=motor_name(name), target=name, trntype=mujoco.mjtTrn.mjTRN_JOINT,
            gaintype=mujoco.mjtGain.mjGAIN_FIXED, biastype=mujoco.mjtBias.mjBIAS_NONE)


def _add_servo(spec: MjSpec, name: str, joint: Joint, gains: Gains) -> MjsActuator:
    mujoco = load_engine()
    servo = spec.add_actuator(
        name=servo_name(name), target=name, trntype=mujoco.mjtTrn.mjTRN_JOINT,
        gaintype=mujoco.mjtGain.mjGAIN_FIXED, biastype=mujoco.mjtBias.mjBIAS_AFFINE)
    servo.forcelimited = mujoco.mjtLimited.mjLIMITED_TRUE
    effort = gains.effort * joint.limit.effort
    servo.forcerange = (-effort, effort)
    return servo


def _add_wheel_shape(added: MjsBody, name: str, wheel: Wheel, friction: float | None) -> None:
    mujoco = load_engine()
    # Touches the ground in one point: a cylinder's edge scrubs when it steers.
    geom = added.add_geom(
        name=name, type=mujoco.mjtGeom.mjGEOM_ELLIPSOID,
        size=(wheel.radius, wheel.radius, 0.5 * wheel.width), group=COLLISION_GROUP,
        priority=WHEEL_PRIORITY)
    place(geom, wheel.pose)
    geom.contype, geom.conaffinity = 0, 0 if friction is None else FLOOR_BIT
    if friction is not None:
        geom.friction[0], geom.condim, geom.solref = friction, 3, HARD


def _add_collision_shapes(spec: MjSpec, added: MjsBody, car: str, body: RigidBody) -> None:
    for index, shape in enumerate(body.collisions):
        geom = add_shape(spec, added, shape, f'{prefixed(car, body.name)}/{index}')
        geom.group = COLLISION_GROUP
        geom.contype, geom.solref = CAR_BIT, HARD
        geom.conaffinity = BODY_AFFINITY


def _add_visual_shapes(spec: MjSpec, added: MjsBody, body: RigidBody) -> None:
    for shape in body.visuals:
        geom = add_shape(spec, added, shape)
        geom.group, geom.contype, geom.conaffinity = VISUAL_GROUP, 0, 0
        if shape.colour is not None:
            geom.rgba = shape.colour


def add_shape(spec: MjSpec, added: MjsBody, shape: Shape, name: str = '') -> MjsGeom:
    """Add a shape to a body as a geom, which is returned; its mesh to the model, if need be."""
    kinds = load_engine().mjtGeom
    geometry = shape.geometry
    more: dict[str, object] = {}
    if isinstance(geometry, Box):
        kind, more['size'] = kinds.mjGEOM_BOX, tuple(0.5 * edge for edge in geometry.size)
    elif isinstance(geometry, Cylinder):
        kind = kinds.mjGEOM_CYLINDER
        more['size'] = geometry.radius, 0.5 * geometry.length, 0.0
    elif isinstance(geometry, Sphere):
        kind, more['size'] = kinds.mjGEOM_SPHERE, (geometry.radius, 0.0, 0.0)
    else:
        kind, more['meshname'] = kinds.mjGEOM_MESH, _mesh(spec, geometry)
    geom = added.add_geom(type=kind, **more)
    if name:
        geom.name = name
    place(geom, shape.origin)
    return geom


def _mesh(spec: MjSpec, mesh: Mesh) -> str:
    """Return the name of a mesh of the model, which is added if it is not there yet."""
    name = f'{mesh.uri} {mesh.scale}'
    if spec.mesh(name) is None:
        spec.add_mesh(name=name, file=str(resource_file(mesh.uri)), scale=mesh.scale)
    return name
