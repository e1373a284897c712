# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""How a differential-drive robot moves in the 3-D world."""

from __future__ import annotations

import math
from typing import Any, TYPE_CHECKING

import numpy as np

from racecar.base.errors import DivergenceError
from racecar.base.frames import BASE_LINK
from racecar.base.poses import check_planar_pose
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
from racecar.differential.motion import Motion, ORIGIN
from racecar.differential.parameters import RobotParameters
from racecar.differential.state import WheelsState
from racecar.differential.world_model import add_robot, BODY
from racecar.scene.scene import EMPTY_SCENE, Scene
from racecar.simulation.simulator import DEFAULT_STEP
from racecar.simulation.world.car_model import servo_name
from racecar.simulation.world.engine import load_engine
from racecar.simulation.world.engine_state import EngineState, LOWEST, uprightness
from racecar.simulation.world.scene_model import FLOOR
from racecar.simulation.world.world_kernel import QUIET, SPEED_LIMIT
from racecar.simulation.world.world_model import world_spec

if TYPE_CHECKING:
    from mujoco import MjSpec


class WorldMotion(Motion):
    """Body, wheels, motors and contacts by MuJoCo; encoders and energy as in the other modes.

    engine: model and state of the physics engine.
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
        super().__init__(robot, step)
        self.engine = EngineState(self._spec(scene), scene)
        self._bind()
        self._counts_turns = robot.has_encoders
        self._generator, self._seed = np.random.default_rng(seed), seed
        self._initial, self._height = pose, height
        self._counts = [0.0, 0.0]
        self._energy = 0.0
        self.reset(None)

    def _spec(self, scene: Scene) -> MjSpec:
        spec = world_spec(scene, (), step=self._step)
        add_robot(spec, self.robot, self._step)
        return spec

    def _bind(self) -> None:
        """Find the robot in the engine's arrays, and begin to count contacts."""
        engine, scene = self.engine, self.engine.scene
        self.objects, self.cones = (
            (engine.loose_objects, engine.loose_poses) if scene.cones else (None, None))
        model = engine.model
        self._body = engine.find_body(BASE_LINK, TWO_WHEEL_JOINTS)
        self._shell = model.geom(BODY).id
        self._floor = model.geom(FLOOR).id
        self._servos = np.array(
            [model.actuator(servo_name(name)).id for name in TWO_WHEEL_JOINTS])
        self._collisions: Collisions | None = None if scene.is_empty else NO_COLLISION
        # Time since it touched each body, of what it touched lately [s].
        self._since_touch: dict[int, float] = {}

    @property
    def scene(self) -> Scene:
        """What stands around."""
        return self.engine.scene

    def surround(self, scene: Scene) -> None:
        """Let another scene stand around, as in Motion."""
        self.engine.surround(self._spec(scene), scene)
        self.engine.place_moving(self.time_ns)
        self._bind()

    def loose(self) -> list[BodyState]:
        """Poses and motions of the cones of the scene now."""
        return self.engine.loose_states()

    def restart(self) -> None:
        """Let the time begin at 0 again, and random numbers with it; the robot stays."""
        super().restart()
        self._generator = np.random.default_rng(self._seed)
        self.engine.place_moving(0)

    def push(self, twist: Twist3) -> None:
        """Give the robot a twist, as in Motion."""
        speeds = self.rolling(twist)
        self._command = speeds
        self.engine.push(self._body, twist)
        self.engine.data.qvel[self._body.dofs] = speeds

    @property
    def collisions(self) -> Collisions | None:
        """Contacts of the body since the last reset; None where there is nothing to run into."""
        return self._collisions

    @property
    def state(self) -> WheelsState:
        """Where it is, how it moves, what the wheels and encoders have done."""
        (x, y, *_, qx, qy, qz, qw), twist = self.body_state()
        data = self.engine.data
        left_speed, right_speed = map(float, data.qvel[self._body.dofs])
        left_angle, right_angle = map(float, data.qpos[self._body.joints])
        left_count, right_count = self._counts
        return WheelsState(
            x, y, quaternion_to_yaw(qx, qy, qz, qw), twist.vx, twist.vy, twist.wz, left_speed,
            right_speed, left_angle, right_angle, left_count, right_count, self._energy)

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
        self.engine.keep()
        before = list(self._counts), self._energy, self._collisions, self._since_touch
        for done in range(steps):
            self.engine.place_moving(self.time_ns + done * self.step_ns)
            self._do_step(mujoco)
        self.engine.place_moving(self.time_ns + steps * self.step_ns)
        speeds = self.engine.data.qvel
        if not np.abs(speeds).max() <= SPEED_LIMIT:
            self.engine.put_back()
            self._counts, self._energy, self._collisions, self._since_touch = before
            raise DivergenceError(
                f'the 3-D world left the velocities that can be after'
                f' {self.time_ns / NANOSECONDS:.6g} s under {self._command}: reset the robot; a'
                ' shorter step or other masses may help')
        self._steps += steps

    def _do_step(self, mujoco: Any) -> None:
        robot, data, body = self.robot, self.engine.data, self._body
        works = robot.battery == 0.0 or self._energy < robot.battery
        targets = self._command if works else WheelSpeeds(0.0, 0.0)
        data.ctrl[self._servos] = targets
        angles = data.qpos[body.joints].copy()
        speed = math.hypot(*map(float, data.qvel[body.motion:body.motion + 2]))
        place = float(data.qpos[body.pose]), float(data.qpos[body.pose + 1])
        mujoco.mj_step(self.engine.model, data)
        self._energy += (
            0.5 * self._step * robot.motor_consumption * sum(map(abs, targets)))
        if self._counts_turns:
            turns = data.qpos[body.joints] - angles
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
        pairs = self.engine.data.contact.geom
        touching = pairs[(pairs == self._shell).any(axis=1) & ~(pairs == self._floor).any(axis=1)]
        # What is fixed is all of one body, the world.
        touched = set(map(
            int, self.engine.model.geom_bodyid[touching[touching != self._shell]]))
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
            self.engine.place_loose()
        check_planar_pose(pose)
        qz, qw = yaw_to_quaternion(pose.yaw)
        self.engine.place(self._body, Pose3(pose.x, pose.y, height, 0.0, 0.0, qz, qw))
        self._counts, self._energy = [0.0, 0.0], 0.0
        self._command = WheelSpeeds(0.0, 0.0)
        self._since_touch = {}
        if self._collisions is not None:
            self._collisions = NO_COLLISION

    def body_state(self) -> BodyState:
        """Pose of the base frame in odom and twist in it."""
        return self.engine.body_state(self._body)

    def acceleration(self) -> Acceleration3:
        """Acceleration of the base frame."""
        scratch = self.engine.copy_to_scratch()
        scratch.ctrl[self._servos] = self._command
        load_engine().mj_forward(self.engine.model, scratch)
        return self.engine.acceleration(self._body, scratch.qacc)

    def fault(self) -> str:
        """Why the robot cannot go on, and what to do; empty if it can."""
        pose = self.body_state().pose
        place = f'x {pose.x:.3g} m, y {pose.y:.3g} m'
        if uprightness(pose) < 0.5:
            return f'the robot has fallen over at {place}; reset it'
        if pose.z < LOWEST:
            return f'the robot has fallen to z {pose.z:.3g} m at {place}; reset it'
        return ''
