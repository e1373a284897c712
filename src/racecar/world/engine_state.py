# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""Model and state of the physics engine, of whatever stands and drives in a scene.

What cars and differential-drive robots have in common in the 3-D world: their state is kept and
put back, bodies are placed and read, and cones stand again.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from typing import NamedTuple, TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from racecar.base.poses import rotated, unrotated
from racecar.base.types import Acceleration3, BodyState, Pose3, Twist3, yaw_to_quaternion
from racecar.scene.loose_objects import loose_objects
from racecar.scene.scene import Objects, Scene
from racecar.world.engine import compiled_model, load_engine
from racecar.world.scene_model import cone_name, moving_name

if TYPE_CHECKING:
    from mujoco import MjData, MjModel, MjSpec

LOWEST = -0.1
"""Height of base_link below which a robot has fallen off [m]."""

SPEED_LIMIT = 1e4
"""Modulus of a velocity up to which the engine is trusted [m/s, rad/s]."""

# Added to masses and inertias of a robot that is held [kg, kg m^2].
_HELD = 1e9

# Geoms of the world that tell the engine with what it may collide: the ground, and one of what
# stands fixed.
_TELLING = 2

IntArray = NDArray[np.int64]
FloatArray = NDArray[np.float64]


class FreeBody(NamedTuple):
    """Where a body that moves freely is in the arrays of the engine.

    pose, motion: first number of its joint in qpos, of 7, and in qvel, of 6. joints, dofs: number
    of each joint of the robot whose root it is in qpos and in qvel.
    """

    pose: int
    motion: int
    joints: IntArray = np.empty(0, dtype=np.int64)
    dofs: IntArray = np.empty(0, dtype=np.int64)


class Held(NamedTuple):
    """A robot that is held where it is: qpos of its free body and joints, and its armatures.

    armature: that its dofs have when it is not held, of the free body and of the joints.
    """

    pose: FloatArray
    joints: FloatArray
    armature: FloatArray


class EngineState:
    """Model and state of the engine; time and ports are for who owns this.

    model, data: those of MuJoCo. scratch: data for what is derived of the present time, which
    changes nothing.
    """

    def __init__(self, spec: MjSpec, scene: Scene) -> None:
        """Compile an MjSpec, of which scene_model.add_scene() has made a part of the scene.

        Raises ConfigurationError for what the engine cannot take.
        """
        self._compile(spec, scene)

    @property
    def scene(self) -> Scene:
        """What stands around."""
        return self._scene

    def _compile(self, spec: MjSpec, scene: Scene) -> None:
        mujoco = self._mujoco = load_engine()
        self.model = compiled_model(spec)
        self.data = mujoco.MjData(self.model)
        # The engine's own, which the package would give as another object at each question.
        self._qpos, self._qvel = self.data.qpos, self.data.qvel
        self.scratch = mujoco.MjData(self.model)
        self._leave_in_place()
        self._scene = scene
        self._parts = int(mujoco.mjtState.mjSTATE_INTEGRATION)
        self._kept = np.zeros(mujoco.mj_stateSize(self.model, self._parts))
        self._cones = [self.find_body(cone_name(index)) for index in range(len(scene.cones))]
        self._moving = np.array([
            self.model.body(moving_name(index)).mocapid[0] for index in range(len(scene.moving))],
            dtype=np.int64)
        self._start = self.data.qpos.copy()
        self.place_moving(0)

    def _leave_in_place(self) -> None:
        """Keep the engine from placing anew at each step what stands fixed.

        It places as many geoms of each body as the model says that it has. Those of the world are
        where they are from now on; with what they may collide the first two tell.
        """
        for data in (self.data, self.scratch):
            self._mujoco.mj_kinematics(self.model, data)
        self.model.body_geomnum[0] = min(int(self.model.body_geomnum[0]), _TELLING)

    def surround(self, spec: MjSpec, scene: Scene) -> None:
        """Compile a model of another scene; bodies, joints and actuators of both stay as they are.

        Cones are known by where the scenes have them at first. Raises ConfigurationError, changing
        nothing, for what the engine cannot take.
        """
        old, model, cones = self.data, self.model, list(self._scene.cones)
        moved = [self.body_state_numbers(body) for body in self._cones]
        self._compile(spec, scene)
        for index, cone in enumerate(scene.cones):
            if cone in cones:
                at = cones.index(cone)
                body = self._cones[index]
                self.data.qpos[body.pose:body.pose + 7], \
                    self.data.qvel[body.motion:body.motion + 6] = moved[at]
        copy_joints(model, old, self.model, self.data, skipped={
            cone_name(index) for index in range(len(cones))})

    def body_state_numbers(self, body: FreeBody) -> tuple[FloatArray, FloatArray]:
        """Pose and motion of a free body as the engine has them."""
        return (self.data.qpos[body.pose:body.pose + 7].copy(),
                self.data.qvel[body.motion:body.motion + 6].copy())

    def find_body(self, name: str, joints: Sequence[str] = ()) -> FreeBody:
        """Body of a free joint, with joints of the robot whose root it is, by their names."""
        free = self.model.joint(name)
        found = [self.model.joint(joint) for joint in joints]
        return FreeBody(
            int(free.qposadr[0]), int(free.dofadr[0]),
            np.array([joint.qposadr[0] for joint in found], dtype=np.int64),
            np.array([joint.dofadr[0] for joint in found], dtype=np.int64))

    def keep(self) -> None:
        """Remember the present state, for put_back()."""
        self._mujoco.mj_getState(self.model, self.data, self._kept, self._parts)

    def put_back(self) -> None:
        """Return to the state that keep() has remembered."""
        self._mujoco.mj_setState(self.model, self.data, self._kept, self._parts)

    def copy_to_scratch(self) -> MjData:
        """The scratch data with the present state, of which nothing is derived yet."""
        self._mujoco.mj_copyState(self.model, self.data, self.scratch, self._parts)
        return self.scratch

    def place(self, body: FreeBody, pose: Pose3) -> None:
        """Put a body at a pose, at rest, with its joints at 0."""
        self._set_pose(body, _numbers_of(pose))
        self.data.qpos[body.joints] = 0.0
        for moving in (self.data.qvel, self.data.qacc_warmstart):
            moving[body.dofs] = 0.0

    def place_loose(self) -> None:
        """Put all that can be knocked over back to where it was at first."""
        for cone in self._cones:
            self._set_pose(cone, self._start[cone.pose:cone.pose + 7])

    def place_moving(self, time_ns: int) -> None:
        """Put the things that move to where they are at a simulated time [ns]."""
        for number, thing in zip(self._moving, self._scene.moving, strict=True):
            at = thing.motion.at(time_ns)
            qz, qw = yaw_to_quaternion(at.yaw)
            self.data.mocap_pos[number] = at.x, at.y, 0.0
            self.data.mocap_quat[number] = qw, 0.0, 0.0, qz

    def _set_pose(self, body: FreeBody, numbers: Sequence[float] | FloatArray) -> None:
        self.data.qpos[body.pose:body.pose + 7] = numbers
        for moving in (self.data.qvel, self.data.qacc_warmstart):
            moving[body.motion:body.motion + 6] = 0.0

    def lost(
        self, bodies: Sequence[FreeBody], steps: int, do_step: Callable[[int], bool],
    ) -> list[int]:
        """Indices of robots whose motion leaves what can be within so many steps from now.

        bodies: of the robots; do_step: does one step after so many others, False where a velocity
        cannot be trusted.
        The robots are those with a velocity beyond SPEED_LIMIT before a step, else with such a
        change of it without constraints, which in the engine no other robot takes part in, else
        with such a velocity after it. None if it cannot be told, as where the solver of
        constraints, which is one for all, gives no numbers. The state is then what a failed step
        leaves: put_back() is to follow.
        """
        for done in range(steps):
            found = self._beyond(bodies, self.data.qvel)
            if found:
                return found
            if not do_step(done):
                found = self._beyond(
                    bodies, self.data.qacc_smooth * self.model.opt.timestep)
                return found or (
                    self._beyond(bodies, self.data.qvel)
                    if np.isfinite(self.data.qvel).all() else [])
        return []

    @staticmethod
    def _beyond(bodies: Sequence[FreeBody], speeds: FloatArray) -> list[int]:
        return [index for index, body in enumerate(bodies)
                if not np.abs(speeds[_dofs_of(body)]).max() <= SPEED_LIMIT]

    def hold(self, body: FreeBody) -> Held:
        """Hold a robot where it is, as if it had no end of mass; stay() keeps it there."""
        dofs, armature = _dofs_of(body), self.model.dof_armature
        held = Held(self.data.qpos[body.pose:body.pose + 7].copy(),
                    self.data.qpos[body.joints], armature[dofs])
        armature[dofs] = _HELD
        self.stay(body, held)
        return held

    def stay(self, body: FreeBody, held: Held) -> None:
        """Take what little motion a held robot has got."""
        self._set_pose(body, held.pose)
        self.data.qpos[body.joints] = held.joints
        for moving in (self.data.qvel, self.data.qacc_warmstart):
            moving[body.dofs] = 0.0

    def release(self, body: FreeBody, held: Held) -> None:
        """Hold a robot no more."""
        self.model.dof_armature[_dofs_of(body)] = held.armature

    def loose_states(self) -> list[BodyState]:
        """Poses and motions of the cones of the scene now."""
        return [self.body_state(cone) for cone in self._cones]

    def push(self, body: FreeBody, twist: Twist3) -> None:
        """Give a body a twist in its axes."""
        self.data.qvel[body.motion:body.motion + 6] = (
            *rotated(self.pose(body)[3:], twist[:3]), *twist[3:])

    def loose_poses(self) -> list[Pose3]:
        """Poses of the cones of the scene where they are now."""
        return [self.pose(cone) for cone in self._cones]

    def loose_objects(self) -> Objects:
        """The cones where they are now, as sensors take them."""
        cones, boxes = loose_objects(self._scene.cones, self.loose_poses())
        return Objects(tuple(cones), tuple(boxes))

    def pose(self, body: FreeBody) -> Pose3:
        """Pose of a body in the world."""
        x, y, z, qw, qx, qy, qz = self._qpos[body.pose:body.pose + 7].tolist()
        return Pose3(x, y, z, qx, qy, qz, qw)

    def body_state(self, body: FreeBody) -> BodyState:
        """Pose of a body and twist in its axes."""
        pose = self.pose(body)
        return BodyState(pose, Twist3(*self._in_axes(pose, body, self._qvel)))

    def acceleration(self, body: FreeBody, accelerations: FloatArray) -> Acceleration3:
        """Acceleration of a body in its axes; accelerations: qacc of the engine."""
        return Acceleration3(*self._in_axes(self.pose(body), body, accelerations))

    def _in_axes(
        self, pose: Pose3, body: FreeBody, moving: FloatArray,
    ) -> tuple[float, float, float, float, float, float]:
        # The engine has velocities in the axes of the world, rotations in those of the body.
        vx, vy, vz, wx, wy, wz = moving[body.motion:body.motion + 6].tolist()
        return (*unrotated(pose[3:], (vx, vy, vz)), wx, wy, wz)


def _dofs_of(body: FreeBody) -> IntArray:
    """Numbers of all dofs of a robot in qvel."""
    return np.concatenate([np.arange(body.motion, body.motion + 6), body.dofs])


def copy_joints(
    model: MjModel, data: MjData, new_model: MjModel, new_data: MjData, skipped: Collection[str],
) -> None:
    """Copy what joints and actuators are and do to those of the same names of another model."""
    mujoco = load_engine()
    sizes = {mujoco.mjtJoint.mjJNT_FREE: (7, 6), mujoco.mjtJoint.mjJNT_BALL: (4, 3)}
    for number in range(model.njnt):
        joint = model.joint(number)
        if joint.name in skipped:
            continue
        places, speeds = sizes.get(mujoco.mjtJoint(int(joint.type[0])), (1, 1))
        there = new_model.joint(joint.name)
        for name, count, at in (('qpos', places, 'qposadr'), ('qvel', speeds, 'dofadr'),
                                ('qacc_warmstart', speeds, 'dofadr')):
            first, new = int(getattr(joint, at)[0]), int(getattr(there, at)[0])
            getattr(new_data, name)[new:new + count] = getattr(data, name)[first:first + count]
        first, new = int(joint.dofadr[0]), int(there.dofadr[0])
        for name in ('dof_damping', 'dof_armature'):
            getattr(new_model, name)[new:new + speeds] = getattr(
                model, name)[first:first + speeds]
    for number in range(model.nu):
        new = new_model.actuator(model.actuator(number).name).id
        new_data.ctrl[new] = data.ctrl[number]
        new_model.actuator_gainprm[new] = model.actuator_gainprm[number]
        new_model.actuator_biasprm[new] = model.actuator_biasprm[number]


def uprightness(pose: Pose3) -> float:
    """Cosine of the angle between the vertical and the z axis of a pose [-]."""
    return 1.0 - 2.0 * (pose.qx * pose.qx + pose.qy * pose.qy)


def _numbers_of(pose: Pose3) -> tuple[float, ...]:
    x, y, z, qx, qy, qz, qw = pose
    return x, y, z, qw, qx, qy, qz
