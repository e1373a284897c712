# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""How a robot with two driven wheels moves in the 3-D world."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from racecar.base.errors import DivergenceError
from racecar.base.frames import BASE_LINK
from racecar.base.poses import check_planar_pose, unrotated
from racecar.base.readings import Collisions, NO_COLLISION
from racecar.base.types import (
    Acceleration3,
    BodyState,
    NANOSECONDS,
    Pose2,
    Pose3,
    quaternion_to_yaw,
    Twist3,
    TWO_WHEEL_JOINTS,
    WheelSpeeds,
    yaw_to_quaternion,
)
from racecar.differential.motion import clamped_speeds, ORIGIN
from racecar.differential.parameters import RobotParameters
from racecar.differential.state import WheelsState
from racecar.differential.world_model import add_robot, BODY
from racecar.scene.loose_objects import loose_objects
from racecar.scene.scene import EMPTY_SCENE, Objects, Scene
from racecar.simulation.ports import whole_nanoseconds
from racecar.simulation.simulator import DEFAULT_STEP
from racecar.simulation.world.car_model import servo_name
from racecar.simulation.world.engine import compiled_model, load_engine
from racecar.simulation.world.scene_model import cone_name, FLOOR
from racecar.simulation.world.world_car import LOWEST
from racecar.simulation.world.world_engine import pose_of_joint
from racecar.simulation.world.world_kernel import QUIET, SPEED_LIMIT
from racecar.simulation.world.world_model import world_spec


class WorldMotion:
    """Body, wheels, motors and contacts by MuJoCo; encoders and energy as in the other modes.

    model, data: those of the engine.
    """

    def __init__(
        self, robot: RobotParameters, *, step: float = DEFAULT_STEP, scene: Scene = EMPTY_SCENE,
        pose: Pose2 = ORIGIN, seed: int = 0, height: float = 0.0,
    ) -> None:
        """Start at rest; step [s]; seed: of the noise of the encoders.

        height: above the ground, from which it falls at the start [m].

        Raises ConfigurationError if MuJoCo is not there or the step is no whole number of
        nanoseconds.
        """
        mujoco = load_engine()
        self.robot = robot
        self._step_ns = whole_nanoseconds('step', step)
        self._step = self._step_ns / NANOSECONDS
        spec = world_spec(scene, (), step=self._step)
        add_robot(spec, robot, self._step)
        self.model = compiled_model(spec)
        self.data = mujoco.MjData(self.model)
        self._scratch = mujoco.MjData(self.model)
        self._kept = mujoco.mjtState.mjSTATE_INTEGRATION
        self._saved = np.zeros(mujoco.mj_stateSize(self.model, self._kept))
        self._body = self.model.geom(BODY).id
        self._floor = self.model.geom(FLOOR).id
        free = self.model.joint(BASE_LINK)
        self._pose, self._motion = int(free.qposadr[0]), int(free.dofadr[0])
        joints = [self.model.joint(name) for name in TWO_WHEEL_JOINTS]
        self._angles = np.array([joint.qposadr[0] for joint in joints])
        self._dofs = np.array([joint.dofadr[0] for joint in joints])
        self._servos = np.array(
            [self.model.actuator(servo_name(name)).id for name in TWO_WHEEL_JOINTS])
        cones = [self.model.joint(cone_name(index)) for index in range(len(scene.cones))]
        self._cones = [(int(joint.qposadr[0]), int(joint.dofadr[0])) for joint in cones]
        self._start = self.data.qpos.copy()
        self._scene = scene
        self._counts_turns = robot.has_encoders
        self._generator = np.random.default_rng(seed)
        self._initial, self._height = pose, height
        self._steps = 0
        self._counts = [0.0, 0.0]
        self._energy = 0.0
        self._collisions: Collisions | None = None if scene.is_empty else NO_COLLISION
        # Time since it touched each body, of what it touched lately [s].
        self._since_touch: dict[int, float] = {}
        self._command = WheelSpeeds(0.0, 0.0)
        self.reset(None)

    @property
    def step_ns(self) -> int:
        """Length of a step [ns]."""
        return self._step_ns

    @property
    def time_ns(self) -> int:
        """Simulated time since the start [ns]."""
        return self._steps * self._step_ns

    @property
    def command(self) -> WheelSpeeds:
        """The speeds that the wheels shall have, within max_speed."""
        return self._command

    @property
    def collisions(self) -> Collisions | None:
        """Contacts of the body since the last reset; None where there is nothing to run into."""
        return self._collisions

    @property
    def state(self) -> WheelsState:
        """Where it is, how it moves, what the wheels and encoders have done."""
        (x, y, *_, qx, qy, qz, qw), twist = self.body_state()
        left_speed, right_speed = map(float, self.data.qvel[self._dofs])
        left_angle, right_angle = map(float, self.data.qpos[self._angles])
        left_count, right_count = self._counts
        return WheelsState(
            x, y, quaternion_to_yaw(qx, qy, qz, qw), twist.vx, twist.vy, twist.wz, left_speed,
            right_speed, left_angle, right_angle, left_count, right_count, self._energy)

    def set_speeds(self, speeds: WheelSpeeds) -> None:
        """Turn the wheels so from now on, clamped to max_speed.

        Raises ParameterError, and keeps the old ones, for what is not finite.
        """
        self._command = clamped_speeds(speeds, self.robot)

    def set_counts(self, left: float, right: float) -> None:
        """Let the encoders count on from these numbers."""
        self._counts = [left, right]

    def warm_up(self) -> None:
        """Do nothing: the engine is compiled."""

    def advance(self, steps: int) -> None:
        """Move on by whole steps.

        Raises DivergenceError if a velocity is not finite or beyond all reason; state and time are
        then as before.
        """
        mujoco = load_engine()
        mujoco.mj_getState(self.model, self.data, self._saved, self._kept)
        before = list(self._counts), self._energy, self._collisions, self._since_touch
        for _ in range(steps):
            self._do_step(mujoco)
        speeds = self.data.qvel
        if not np.abs(speeds).max() <= SPEED_LIMIT:
            mujoco.mj_setState(self.model, self.data, self._saved, self._kept)
            self._counts, self._energy, self._collisions, self._since_touch = before
            raise DivergenceError(
                f'the 3-D world left the velocities that can be after'
                f' {self.time_ns / NANOSECONDS:.6g} s under {self._command}: reset the robot; a'
                ' shorter step or other masses may help')
        self._steps += steps

    def _do_step(self, mujoco: Any) -> None:
        robot, data = self.robot, self.data
        works = robot.battery == 0.0 or self._energy < robot.battery
        targets = self._command if works else WheelSpeeds(0.0, 0.0)
        data.ctrl[self._servos] = targets
        angles = data.qpos[self._angles].copy()
        speed = math.hypot(*map(float, data.qvel[self._motion:self._motion + 2]))
        place = float(data.qpos[self._pose]), float(data.qpos[self._pose + 1])
        mujoco.mj_step(self.model, data)
        self._energy += (
            0.5 * self._step * robot.motor_consumption * sum(map(abs, targets)))
        if self._counts_turns:
            turns = data.qpos[self._angles] - angles
            if robot.encoder_noise > 0.0:
                turns *= 1.0 + robot.encoder_noise * self._generator.uniform(-1.0, 1.0, 2)
            self._counts = [
                count + robot.encoder_resolution * float(turn)
                for count, turn in zip(self._counts, turns, strict=True)]
        if self._collisions is not None:
            self._note_contact(self._collisions, *place, speed)

    def _note_contact(self, seen: Collisions, x: float, y: float, speed: float) -> None:
        """Count contacts of the body with each thing, unless they belong to the last ones."""
        before = self._since_touch
        pairs = self.data.contact.geom
        touching = pairs[(pairs == self._body).any(axis=1) & ~(pairs == self._floor).any(axis=1)]
        # What is fixed is all of one body, the world.
        touched = set(map(int, self.model.geom_bodyid[touching[touching != self._body]]))
        self._since_touch = {
            body: since + self._step for body, since in self._since_touch.items()
            if since + self._step < QUIET} | dict.fromkeys(touched, 0.0)
        for _ in touched - before.keys():
            seen = Collisions(seen.contacts + 1, True, x, y, speed)
        self._collisions = seen._replace(in_contact=bool(self._since_touch))

    def reset(self, pose: Pose2 | None) -> None:
        """Put it at rest at a pose; command, wheels, encoders at 0.

        None: at its initial pose and height, and what was knocked over stands again. Raises
        ParameterError if the pose is not finite.
        """
        height = 0.0
        if pose is None:
            pose, height = self._initial, self._height
            for first, moving in self._cones:
                self.data.qpos[first:first + 7] = self._start[first:first + 7]
                self.data.qvel[moving:moving + 6] = 0.0
        check_planar_pose(pose)
        qz, qw = yaw_to_quaternion(pose.yaw)
        data = self.data
        data.qpos[self._pose:self._pose + 7] = pose.x, pose.y, height, qw, 0.0, 0.0, qz
        data.qpos[self._angles] = 0.0
        for moving in (data.qvel, data.qacc_warmstart):
            moving[self._motion:self._motion + 6] = 0.0
            moving[self._dofs] = 0.0
        self._counts, self._energy = [0.0, 0.0], 0.0
        self._command = WheelSpeeds(0.0, 0.0)
        self._since_touch = {}
        if self._collisions is not None:
            self._collisions = NO_COLLISION

    def body_state(self) -> BodyState:
        """Return pose of the base frame in odom and twist in it."""
        pose = pose_of_joint(self.data.qpos, self._pose)
        vx, vy, vz, wx, wy, wz = map(
            float, self.data.qvel[self._motion:self._motion + 6])
        return BodyState(pose, Twist3(*unrotated(pose[3:], (vx, vy, vz)), wx, wy, wz))

    def acceleration(self) -> Acceleration3:
        """Return the acceleration of the base frame."""
        mujoco = load_engine()
        mujoco.mj_copyState(self.model, self.data, self._scratch, self._kept)
        self._scratch.ctrl[self._servos] = self._command
        mujoco.mj_forward(self.model, self._scratch)
        ax, ay, az, wx, wy, wz = map(
            float, self._scratch.qacc[self._motion:self._motion + 6])
        pose = pose_of_joint(self.data.qpos, self._pose)
        return Acceleration3(*unrotated(pose[3:], (ax, ay, az)), wx, wy, wz)

    def cone_poses(self) -> list[Pose3]:
        """Return where the cones of the scene are now."""
        return [pose_of_joint(self.data.qpos, first) for first, _ in self._cones]

    def objects(self) -> Objects:
        """Return the cones where they are now, as sensors take them."""
        cones, boxes = loose_objects(self._scene.cones, self.cone_poses())
        return Objects(tuple(cones), tuple(boxes))

    def fault(self) -> str:
        """Return why the robot cannot go on, and what to do; empty if it can."""
        pose = self.body_state().pose
        place = f'x {pose.x:.3g} m, y {pose.y:.3g} m'
        if 1.0 - 2.0 * (pose.qx * pose.qx + pose.qy * pose.qy) < 0.5:
            return f'the robot has fallen over at {place}; reset it'
        if pose.z < LOWEST:
            return f'the robot has fallen to z {pose.z:.3g} m at {place}; reset it'
        return ''
