# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""A differential-drive robot in the model of the physics engine MuJoCo."""

from __future__ import annotations

from pathlib import Path
from typing import Any, TYPE_CHECKING

from racecar.base.frames import BASE_LINK
from racecar.base.types import TWO_WHEEL_JOINTS
from racecar.differential.description import (
    body_heights,
    body_part,
    caster_places,
    caster_radius,
    describe_robot,
    Part,
    wheel_part,
)
from racecar.differential.parameters import RobotParameters
from racecar.scene.scene import EMPTY_SCENE
from racecar.world.car_model import (
    BODY_AFFINITY,
    CAR_BIT,
    FLOOR_BIT,
    HARD,
    prefixed,
    servo_name,
    WHEEL_PRIORITY,
)
from racecar.world.engine import load_engine
from racecar.world.vehicle_export import ExportedVehicle, write_robot
from racecar.world.world_model import world_spec

if TYPE_CHECKING:
    from mujoco import MjSpec

BODY = 'robot_body'
"""Name of the geom of the body, behind that of a robot that has one."""


def part_name(robot: str, name: str) -> str:
    """Name of a part of a robot in a model; robot: '' of one without a name."""
    return prefixed(robot, name) if robot else name


def add_robot(spec: MjSpec, robot: RobotParameters, step: float, name: str = '') -> None:
    """Add the robot to an MjSpec, at the origin, to be placed by its free joint BASE_LINK.

    step: of the engine [s]; name: of the robot, in front of those of its parts, see part_name().
    """
    mujoco = load_engine()
    root = spec.worldbody.add_body(name=part_name(name, BASE_LINK))
    root.add_freejoint(name=part_name(name, BASE_LINK))
    _weigh(root, body_part(robot))
    _add_shape(root, robot, part_name(name, BODY))
    for place in caster_places(robot):
        radius = caster_radius(robot)
        ball = root.add_geom(
            type=mujoco.mjtGeom.mjGEOM_SPHERE, size=(radius, 0.0, 0.0), pos=(place, 0.0, radius),
            priority=WHEEL_PRIORITY)
        ball.contype, ball.conaffinity, ball.condim, ball.solref = 0, FLOOR_BIT, 1, HARD
    half = 0.5 * robot.axle_length
    for joint, y in zip(TWO_WHEEL_JOINTS, (half, -half), strict=True):
        _add_wheel(spec, root, robot, part_name(name, joint), y, step)


def export_robot(robot: RobotParameters, folder: Path, package: str = '') -> ExportedVehicle:
    """Write URDF and MJCF of a robot to a new folder; package and errors as export_vehicle()."""
    spec = world_spec(EMPTY_SCENE, (), visuals=True)
    add_robot(spec, robot, spec.option.timestep)
    return write_robot(robot.name, describe_robot(robot), spec, folder, package)


def _weigh(body: Any, part: Part, height: float | None = None) -> None:
    body.mass, body.explicitinertial = part.mass, True
    body.ipos = (part.ahead, 0.0, part.height if height is None else height)
    body.fullinertia = (*part.inertia, 0.0, 0.0, 0.0)


def _add_shape(root: Any, robot: RobotParameters, name: str) -> None:
    kinds = load_engine().mjtGeom
    low, high = body_heights(robot)
    front, rear, side = robot.footprint
    half = 0.5 * (high - low)
    geom = root.add_geom(
        name=name, pos=(0.5 * (front - rear), 0.0, low + half),
        **({'type': kinds.mjGEOM_CYLINDER, 'size': (robot.body_radius, half, 0.0)}
           if robot.body_radius else
           {'type': kinds.mjGEOM_BOX, 'size': (0.5 * (front + rear), side, half)}))
    geom.contype, geom.solref = CAR_BIT, HARD
    geom.conaffinity = BODY_AFFINITY


def _add_wheel(
    spec: MjSpec, root: Any, robot: RobotParameters, joint: str, y: float, step: float,
) -> None:
    mujoco = load_engine()
    radius = robot.wheel_radius
    wheel = root.add_body(name=joint.removesuffix('_joint'), pos=(0.0, y, radius))
    _weigh(wheel, wheel_part(robot), 0.0)
    wheel.add_joint(name=joint, type=mujoco.mjtJoint.mjJNT_HINGE, axis=(0.0, 1.0, 0.0))
    # Touches the ground in one point, as the wheel of the planar modes does.
    geom = wheel.add_geom(
        type=mujoco.mjtGeom.mjGEOM_ELLIPSOID, size=(radius, 0.5 * robot.wheel_width, radius),
        priority=WHEEL_PRIORITY)
    geom.contype, geom.conaffinity = 0, FLOOR_BIT
    geom.friction[0], geom.condim, geom.solref = robot.friction_coefficient, 3, HARD
    # A free wheel gets to its speed within a step. The engine finds the forces of contacts before
    # it takes in what motors damp: with more than this they are wrong.
    gain = robot.wheel_inertia / step
    servo = spec.add_actuator(
        name=servo_name(joint), target=joint, trntype=mujoco.mjtTrn.mjTRN_JOINT,
        gaintype=mujoco.mjtGain.mjGAIN_FIXED, biastype=mujoco.mjtBias.mjBIAS_AFFINE)
    servo.gainprm[0], servo.biasprm[2] = gain, -gain
    servo.forcelimited = mujoco.mjtLimited.mjLIMITED_TRUE
    servo.forcerange = (-robot.max_force, robot.max_force)
