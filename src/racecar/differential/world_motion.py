# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""How a differential-drive robot moves in the 3-D world."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
import math
from typing import Any, NamedTuple, TYPE_CHECKING

import numpy as np

from racecar.base.errors import DivergenceError
from racecar.base.frames import BASE_LINK
from racecar.base.poses import check_planar_pose
from racecar.base.readings import Collisions, NO_COLLISION
from racecar.base.types import (
    Acceleration3,
    BodyState,
    NANOSECONDS,
    ORIGIN,
    Pose2,
    Pose3,
    quaternion_to_yaw,
    Twist3,
    TWO_WHEEL_JOINTS,
    WheelSpeeds,
    yaw_to_quaternion,
)
from racecar.differential.motion import Motion
from racecar.differential.parameters import RobotParameters
from racecar.differential.state import WheelsState
from racecar.differential.world_model import add_robot, BODY, part_name
from racecar.scene.scene import EMPTY_SCENE, Scene
from racecar.simulation.ports import DEFAULT_STEP
from racecar.world.car_model import servo_name
from racecar.world.engine import load_engine
from racecar.world.engine_state import (
    EngineState,
    FloatArray,
    FreeBody,
    Held,
    LOWEST,
    SPEED_LIMIT,
    uprightness,
)
from racecar.world.scene_model import FLOOR
from racecar.world.world_kernel import QUIET
from racecar.world.world_model import world_spec

if TYPE_CHECKING:
    from mujoco import MjSpec


class RobotEngine(EngineState):
    """Model and state of a scene with robots by their names; '' is that of a single one."""

    def __init__(self, robots: Mapping[str, RobotParameters], scene: Scene, step: float) -> None:
        """Take the step [s]. Raises ConfigurationError if MuJoCo is not there."""
        self.robots = dict(robots)
        self._step = step
        # Robots that were put to their start since the time went on.
        self._at_start: set[str] = set()
        super().__init__(self._spec(scene), scene)

    def _spec(self, scene: Scene) -> MjSpec:
        spec = world_spec(scene, (), step=self._step)
        for name, robot in self.robots.items():
            add_robot(spec, robot, self._step, name)
        return spec

    def change_scene(self, scene: Scene) -> None:
        """Let another scene stand around the robots, which stay as they are.

        Raises ConfigurationError, changing nothing, for what the engine cannot take.
        """
        if scene is not self.scene:
            self.surround(self._spec(scene), scene)

    def note_start(self, name: str) -> None:
        """Note that a robot is put to its start: with the last of them loose things are, too."""
        self._at_start.add(name)
        if len(self._at_start) == len(self.robots):
            self.place_loose()

    def note_moved(self, *names: str) -> None:
        """Note that robots are not at their starts any more, all of them if none is named."""
        self._at_start -= {*(names or self.robots)}


class WorldMotion(Motion):
    """Body, wheels, motors and contacts by MuJoCo; encoders and energy as in the other modes.

    engine: model and state of the physics engine. name: of the robot in it. failure: why it stands
    until it is reset, '' if it does not. Of several robots in one engine advance_together() moves
    all.
    """

    def __init__(
        self, robot: RobotParameters, *, step: float = DEFAULT_STEP, scene: Scene = EMPTY_SCENE,
        pose: Pose2 = ORIGIN, seed: int = 0, height: float = 0.0, name: str = '',
        engine: RobotEngine | None = None,
    ) -> None:
        """Start at rest; step [s]; seed: of the noise of the encoders.

        height: above the ground, from which it falls at the start [m]. engine: with several
        robots, of which this one has the name; it has scene and step.

        Raises ConfigurationError if MuJoCo is not there or the step is no whole number of
        nanoseconds.
        """
        super().__init__(robot, step)
        self.name, self.failure = name, ''
        self._held: Held | None = None
        self.engine = engine or RobotEngine({name: robot}, scene, self._step)
        self._bind()
        self._counts_turns = robot.has_encoders
        self._generator, self._seed = np.random.default_rng(seed), seed
        self._initial, self._height = pose, height
        self._counts = [0.0, 0.0]
        self._energy = 0.0
        self.reset(None)

    def _part(self, name: str) -> str:
        return part_name(self.name, name)

    def _bind(self) -> None:
        """Find the robot in the engine's arrays, and begin to count contacts."""
        engine, scene = self.engine, self.engine.scene
        self.objects, self.cones = (
            (engine.loose_objects, engine.loose_poses) if scene.cones else (None, None))
        model = engine.model
        self._body = engine.find_body(
            self._part(BASE_LINK), [*map(self._part, TWO_WHEEL_JOINTS)])
        self._shell = model.geom(self._part(BODY)).id
        self._floor = model.geom(FLOOR).id
        self._servos = np.array(
            [model.actuator(servo_name(self._part(name))).id for name in TWO_WHEEL_JOINTS])
        is_alone = len(engine.robots) == 1
        self._collisions: Collisions | None = (
            None if scene.is_empty and is_alone else NO_COLLISION)
        # Time since it touched each body, of what it touched lately [s].
        self._since_touch: dict[int, float] = {}

    @property
    def scene(self) -> Scene:
        """What stands around."""
        return self.engine.scene

    def surround(self, scene: Scene) -> None:
        """Let another scene stand around, as in Motion."""
        self.engine.change_scene(scene)
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
        advance_together([self], steps)

    def kept(self) -> KeptRobot:
        """What of the robot is no state of the engine, as put_back() takes it."""
        return KeptRobot(
            self._counts, self._energy, self._collisions, self._since_touch,
            self._generator.bit_generator.state if self._is_noisy else None)

    def put_back(self, kept: KeptRobot) -> None:
        """Return to what was kept."""
        self._counts, self._energy, self._collisions, self._since_touch, noise = kept
        if noise is not None:
            self._generator.bit_generator.state = noise

    @property
    def _is_noisy(self) -> bool:
        return self._counts_turns and self.robot.encoder_noise > 0.0

    @property
    def free_body(self) -> FreeBody:
        """Where the robot is in the arrays of the engine, as long as nothing else is compiled."""
        return self._body

    def retire(self, reason: str) -> None:
        """Stand where it is, whatever acts on it, until it is reset."""
        self.failure = reason
        self._command = WheelSpeeds(0.0, 0.0)
        self._held = self.engine.hold(self._body)

    def stay(self) -> None:
        """Take what little motion a robot that stands so has got."""
        if self._held is not None:
            self.engine.stay(self._body, self._held)

    def drive(self) -> Before:
        """Set the motors for a step of the engine; what note_step() takes after it."""
        robot, data, body = self.robot, self.engine.data, self._body
        works = robot.battery == 0.0 or self._energy < robot.battery
        targets = self._command if works else WheelSpeeds(0.0, 0.0)
        data.ctrl[self._servos] = targets
        return Before(
            targets, data.qpos[body.joints].copy(),
            math.hypot(*map(float, data.qvel[body.motion:body.motion + 2])),
            float(data.qpos[body.pose]), float(data.qpos[body.pose + 1]))

    def note_step(self, before: Before) -> None:
        """Let energy, encoders and contacts follow a step of the engine."""
        robot, data, body = self.robot, self.engine.data, self._body
        self._energy += (
            0.5 * self._step * robot.motor_consumption * sum(map(abs, before.targets)))
        if self._counts_turns:
            turns = data.qpos[body.joints] - before.angles
            if self._is_noisy:
                turns *= 1.0 + robot.encoder_noise * self._generator.uniform(-1.0, 1.0, 2)
            self._counts = [
                count + robot.encoder_resolution * float(turn)
                for count, turn in zip(self._counts, turns, strict=True)]
        if self._collisions is not None:
            self._note_contact(self._collisions, before.x, before.y, before.speed)

    def count_steps(self, steps: int) -> None:
        """Let the time go on by steps that the engine has done."""
        self._steps += steps

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
            self.engine.note_start(self.name)
        else:
            self.engine.note_moved(self.name)
        check_planar_pose(pose)
        qz, qw = yaw_to_quaternion(pose.yaw)
        if self._held is not None:
            self.engine.release(self._body, self._held)
            self._held, self.failure = None, ''
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
        if self.failure:
            return self.failure
        pose = self.body_state().pose
        place = f'x {pose.x:.3g} m, y {pose.y:.3g} m'
        if uprightness(pose) < 0.5:
            return f'the robot has fallen over at {place}; reset it'
        if pose.z < LOWEST:
            return f'the robot has fallen to z {pose.z:.3g} m at {place}; reset it'
        return ''


class KeptRobot(NamedTuple):
    """Counts of the encoders, energy [J], contacts, and time since each touch [s].

    noise: state of the generator, None of a robot without noise.
    """

    counts: list[float]
    energy: float
    collisions: Collisions | None
    since_touch: dict[int, float]
    noise: Mapping[str, Any] | None


class Before(NamedTuple):
    """Before a step: set speeds [rad/s] and angles [rad] of wheels, speed [m/s], place [m]."""

    targets: WheelSpeeds
    angles: FloatArray
    speed: float
    x: float
    y: float


def advance_together(robots: Sequence[WorldMotion], steps: int) -> None:
    """Move all robots of one engine on by whole steps.

    Raises DivergenceError if a velocity is not finite or beyond all reason; state and time are
    then as before.
    """
    mujoco, engine = load_engine(), robots[0].engine
    for robot in robots:
        robot.stay()
    engine.keep()
    kept = [robot.kept() for robot in robots]
    start_ns, step_ns = robots[0].time_ns, robots[0].step_ns
    for done in range(steps):
        engine.place_moving(start_ns + done * step_ns)
        before = [robot.drive() for robot in robots]
        mujoco.mj_step(engine.model, engine.data)
        for robot, state in zip(robots, before, strict=True):
            robot.note_step(state)
    engine.place_moving(start_ns + steps * step_ns)
    if not np.abs(engine.data.qvel).max() <= SPEED_LIMIT:
        engine.put_back()
        for robot, state_before in zip(robots, kept, strict=True):
            robot.put_back(state_before)
        commands = '; '.join(f'{robot.name} {robot.command}'.lstrip() for robot in robots)
        raise DivergenceError(
            'the 3-D world left the velocities that can be after'
            f' {robots[0].time_ns / NANOSECONDS:.6g} s under {commands}: reset the robot; a'
            ' shorter step or other masses may help')
    engine.note_moved()
    for robot in robots:
        robot.count_steps(steps)


def lost_robots(robots: Sequence[WorldMotion], steps: int) -> list[WorldMotion]:
    """Robots of one engine for which so many steps fail; none if that cannot be told."""
    mujoco, engine = load_engine(), robots[0].engine

    def do_step(done: int) -> bool:
        engine.place_moving(robots[0].time_ns + done * robots[0].step_ns)
        for robot in robots:
            robot.drive()
        mujoco.mj_step(engine.model, engine.data)
        return bool(np.abs(engine.data.qvel).max() <= SPEED_LIMIT)

    engine.keep()
    found = engine.lost([robot.free_body for robot in robots], steps, do_step)
    engine.put_back()
    return [robots[index] for index in found]
