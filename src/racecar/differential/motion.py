# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""How a differential-drive robot moves in the plane, in either mode, among obstacles."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from functools import cached_property
import math
from typing import Any, cast, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from racecar.base.errors import DivergenceError, ParameterError
from racecar.base.poses import check_planar_pose
from racecar.base.readings import Collisions
from racecar.base.types import (
    Acceleration3,
    BodyState,
    BodyTwist,
    NANOSECONDS,
    Odometry,
    ORIGIN,
    Pose2,
    Pose3,
    Twist3,
    WheelSpeeds,
    yaw_to_quaternion,
)
from racecar.base.vectors import as_vector, Vector, vector
from racecar.differential.kernels import (
    Advance,
    AT_REST,
    DRAWS,
    FINITE,
    PLANAR_MODES,
    robot_kernel,
    robot_parts,
)
from racecar.differential.parameters import RobotParameters
from racecar.differential.robot_lanes import lane_parameters, RobotMotion
from racecar.differential.state import twist_speeds, WheelsState
from racecar.scene.loose_objects import still
from racecar.scene.scene import EMPTY_SCENE, Objects, Scene
from racecar.simulation.lanes import LaneCar, LaneNumbers
from racecar.simulation.obstacles import ContactShape, Obstacles
from racecar.simulation.one_robot_plant import check_planar
from racecar.simulation.ports import DEFAULT_STEP, whole_nanoseconds

KINEMATICS, PHYSICS, WORLD = *PLANAR_MODES, 'world'
MODES = KINEMATICS, PHYSICS, WORLD

_STATES = len(WheelsState._fields)
# Pose and twist come first.
_MOTION = WheelsState._fields.index('yaw_rate') + 1
_NOTHING = np.zeros(0)

# As vector() gives them.
_Rows: TypeAlias = list[float] | NDArray[np.float64]


class Motion(ABC):
    """A differential-drive robot that moves, in the plane or in the 3-D world.

    robot: as given. objects, cones: as those of a SensorPlatform.
    """

    objects: Callable[[], Objects] | None = None
    cones: Callable[[], Sequence[Pose3]] | None = None

    def __init__(self, robot: RobotParameters, step: float) -> None:
        """Take the step [s]. Raises ConfigurationError if it is no whole number of nanoseconds."""
        self.robot = robot
        self._step_ns = whole_nanoseconds('step', step)
        self._step = self._step_ns / NANOSECONDS
        self._steps = 0
        self._command = WheelSpeeds(0.0, 0.0)

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

    def set_speeds(self, speeds: WheelSpeeds) -> None:
        """Turn the wheels so from now on, clamped to max_speed.

        Raises ParameterError, and keeps the old ones, for what is not finite.
        """
        self._command = clamped_speeds(speeds, self.robot)

    @property
    @abstractmethod
    def scene(self) -> Scene:
        """What stands around."""

    @abstractmethod
    def surround(self, scene: Scene) -> None:
        """Let another scene stand around; the robot stays, its contacts are counted anew."""

    @abstractmethod
    def push(self, twist: Twist3) -> None:
        """Give the robot a twist of its base frame, where it is, with wheels that roll.

        Raises ParameterError, changing nothing, for one that it cannot have.
        """

    def loose(self) -> list[BodyState]:
        """Poses and motions of the cones of the scene now."""
        return still(self.scene.cones)

    def restart(self) -> None:
        """Let the time begin at 0 again, and random numbers with it; the robot stays."""
        self._steps = 0

    def rolling(self, twist: Twist3) -> WheelSpeeds:
        """Speeds of wheels that roll with a twist [rad/s].

        Raises ParameterError for one that the wheels do not let the robot have.
        """
        speeds = twist_speeds(BodyTwist(twist.vx, twist.wz), self.robot.wheel_base)
        if twist.vy or max(map(abs, speeds)) > self.robot.max_speed:
            raise ParameterError(
                f'twist has vx {twist.vx:g}, vy {twist.vy:g} m/s and wz {twist.wz:g} rad/s,'
                f' expected vy 0 and wheels of at most {self.robot.max_speed:g} rad/s')
        return speeds

    @property
    def lane(self) -> LaneCar | None:
        """The robot for a block of robots side by side; None if it moves alone only."""
        return None

    def fault(self) -> str:
        """Why the robot cannot go on, and what to do; empty if it can."""
        return ''

    @property
    @abstractmethod
    def state(self) -> WheelsState:
        """Where it is, how it moves, what the wheels and encoders have done."""

    @property
    @abstractmethod
    def collisions(self) -> Collisions | None:
        """Contacts since the last reset; None where there is nothing to run into."""

    @abstractmethod
    def set_counts(self, left: float, right: float) -> None:
        """Let the encoders count on from these numbers."""

    @abstractmethod
    def warm_up(self) -> None:
        """Compile all that a step calls."""

    @abstractmethod
    def advance(self, steps: int) -> None:
        """Move on by whole steps. Raises DivergenceError; state and time are then as before."""

    @abstractmethod
    def reset(self, pose: Pose2 | None) -> None:
        """Put it at rest at a pose, its initial one if None, with everything at 0.

        Time and noise go on. Raises ParameterError if the pose is not finite.
        """

    @abstractmethod
    def body_state(self) -> BodyState:
        """Pose of the base frame in odom and twist in it."""

    @abstractmethod
    def acceleration(self) -> Acceleration3:
        """Acceleration of the base frame, without noise."""


def clamped_speeds(speeds: WheelSpeeds, robot: RobotParameters) -> WheelSpeeds:
    """Speeds within max_speed. Raises ParameterError if one is NaN or infinite."""
    if not (math.isfinite(speeds.left) and math.isfinite(speeds.right)):
        raise ParameterError(
            f'wheel speeds are {speeds.left!r} and {speeds.right!r}, expected finite numbers'
            ' [rad/s]')
    top = robot.max_speed
    return WheelSpeeds(min(max(speeds.left, -top), top), min(max(speeds.right, -top), top))


class KeptMotion(NamedTuple):
    """A state to which a PlanarMotion can go back; see PlanarMotion.kept().

    noise: state of the generator, None of a robot without noise.
    """

    steps: int
    rows: _Rows
    noise: Mapping[str, Any] | None
    collisions: Collisions | None


class PlanarMotion(Motion):
    """The modes kinematics and physics.

    What stands in the way blocks the robot. In mode kinematics a step that would lead into it is
    not done: the wheels and their encoders stand (seeds 002 and 004). In mode physics the body
    stands and the wheels turn on where the motors are stronger than the friction.

    has_diverged: whether the newest advance() has raised a DivergenceError since the last reset.
    """

    def __init__(
        self, robot: RobotParameters, mode: str = KINEMATICS, *, step: float = DEFAULT_STEP,
        scene: Scene = EMPTY_SCENE, pose: Pose2 = ORIGIN, seed: int = 0,
    ) -> None:
        """Start at rest; step [s]; seed: of the noise.

        Raises ParameterError for another mode, ConfigurationError for a step that is no whole
        number of nanoseconds.
        """
        if mode not in PLANAR_MODES:
            raise ParameterError(
                f"mode is '{mode}', expected one of {', '.join(PLANAR_MODES)}")
        super().__init__(robot, step)
        self.mode = mode
        numbers = PLANAR_MODES[mode].of(robot)
        parts = robot_parts(mode)
        # State, command and parameters.
        self._rows = cast(_Rows, vector(parts.rows))
        self._at_command, self._at_robot = parts.command.first, parts.robot.first
        self._rows[self._at_robot:] = self._free = vector(numbers)
        blocked = numbers.blocked()
        self._blocked = None if blocked is None else vector(blocked)
        self._is_noisy = numbers.is_noisy
        self.has_diverged = self._is_retired = False
        self._generator, self._seed = np.random.default_rng(seed), seed
        self.surround(scene)
        self._initial = pose
        self.reset(None)

    @property
    def scene(self) -> Scene:
        """What stands around."""
        return self._scene

    def surround(self, scene: Scene) -> None:
        """Let another scene stand around, as in Motion."""
        self._scene = scene
        self._obstacles = None if scene.is_empty else Obstacles(
            scene, self.robot.footprint, ContactShape(self.robot.body_radius))

    def restart(self) -> None:
        """Let the time begin at 0 again, and random numbers with it; the robot stays."""
        super().restart()
        self._generator = np.random.default_rng(self._seed)

    def push(self, twist: Twist3) -> None:
        """Give the robot a twist, as in Motion."""
        check_planar(twist)
        speeds = self.rolling(twist)
        self.set_speeds(speeds)
        self._put(self.state._replace(
            vx=twist.vx, vy=0.0, yaw_rate=twist.wz, left_speed=speeds.left,
            right_speed=speeds.right))

    @property
    def lane(self) -> LaneCar | None:
        """The robot for a block; None among obstacles, which robots of a block do not see."""
        if self._obstacles is not None:
            return None
        return LaneCar(
            RobotMotion(self.mode, self._is_noisy), self._step_ns, lambda: LaneNumbers(
                self.state, self.command, lane_parameters(self.robot, self.mode), FINITE,
                self._seed))

    @cached_property
    def _kernel(self) -> Advance:
        return robot_kernel(self.mode)

    @property
    def state(self) -> WheelsState:
        """Where it is, how it moves, what the wheels and encoders have done."""
        return _state_in(self._rows)

    @property
    def collisions(self) -> Collisions | None:
        """Contacts since the last reset; None where there is nothing to run into."""
        return None if self._obstacles is None else self._obstacles.collisions

    def set_speeds(self, speeds: WheelSpeeds) -> None:
        """Turn the wheels so from now on, as in Motion."""
        super().set_speeds(speeds)
        at = self._at_command
        self._rows[at], self._rows[at + 1] = self._command

    def set_counts(self, left: float, right: float) -> None:
        """Let the encoders count on from these numbers."""
        self._put(self.state._replace(left_count=left, right_count=right))

    def warm_up(self) -> None:
        """Compile all that a step calls."""
        self._run(self._rows.copy(), _NOTHING, 0)
        if self._obstacles is not None:
            self._obstacles.block(self.odometry())

    def advance(self, steps: int) -> None:
        """Move on by whole steps.

        Raises DivergenceError if the state is not finite; state and time are then as before.
        """
        if self._is_retired:
            self._steps += steps
            return
        before, draws = self._rows.copy(), self._draw(steps)
        if self._obstacles is None:
            valid = self._run(self._rows, draws, steps)
        else:
            # Of single steps, it does not matter in how many parts the way is gone.
            valid = all(self._step_among(
                self._obstacles, i, draws[DRAWS * i:DRAWS * (i + 1)] if len(draws)
                else draws) for i in range(steps))
        if not valid:
            self._rows[:] = before
            self.has_diverged = True
            raise DivergenceError(
                f'the motion of {self.robot.name} is not finite after'
                f' {self.time_ns / NANOSECONDS:.6g} s under {self._command}: check its masses and'
                ' lengths, or use a shorter step')
        self._steps += steps

    def _draw(self, steps: int) -> Vector:
        """Random numbers of so many steps, none of a robot without noise."""
        return as_vector(self._generator.uniform(-1.0, 1.0, DRAWS * steps)) if self._is_noisy \
            else _NOTHING

    def kept(self) -> KeptMotion:
        """What go_back() takes: state, time and noise as they are now."""
        return KeptMotion(
            self._steps, self._rows.copy(),
            self._generator.bit_generator.state if self._is_noisy else None, self.collisions)

    def go_back(self, kept: KeptMotion) -> None:
        """Undo what was driven since a state was kept; commands stay."""
        self._steps = kept.steps
        self._rows[:_STATES] = kept.rows[:_STATES]
        if kept.noise is not None:
            self._generator.bit_generator.state = kept.noise
        if self._obstacles is not None and kept.collisions is not None:
            self._obstacles.collisions = kept.collisions

    def stop_at(self, kept: KeptMotion) -> None:
        """Take the step since a state was kept anew, as a robot that something blocks there.

        kept: one step ago. It is as at an obstacle, but no contact with the scene is counted.
        """
        energy = self.state.energy
        before = _state_in(kept.rows)
        if kept.noise is not None:
            self._generator.bit_generator.state = kept.noise
        self._block(before, energy, self._draw(1))

    def retire(self) -> None:
        """Stand where it is from now on until it is reset, as a robot that cannot go on."""
        self._put(self.state._replace(
            vx=0.0, vy=0.0, yaw_rate=0.0, left_speed=0.0, right_speed=0.0))
        self._is_retired = True

    def _put(self, state: WheelsState) -> None:
        self._rows[:_STATES] = vector(state)

    def _run(self, rows: _Rows, draws: Vector, steps: int) -> bool:
        return self._kernel(rows, 1, draws, self._step, steps)

    def _step_among(self, obstacles: Obstacles, done: int, draws: Vector) -> bool:
        """Do a step as far as nothing is in the way; tell whether all is finite.

        done: steps before it of those that the time does not count yet.
        """
        before, last = self.state, self.odometry(done)
        valid = self._run(self._rows, draws, 1)
        now = self.odometry(done + 1)
        if not valid or not obstacles.block(now):
            obstacles.note_free(now)
            return valid
        # No step leads into it: it was put there, or that has come, and may leave.
        if not obstacles.block(now, obstacles.overlapped(last)):
            return valid
        obstacles.note_contact(last, math.hypot(last.vx, last.vy))
        return self._block(before, self.state.energy, draws)

    def _block(self, before: WheelsState, energy: float, draws: Vector) -> bool:
        """Take a step from a state as a robot that something blocks; tell whether all is finite.

        energy: that the motors have taken after it, where the wheels stand [J].
        """
        stopped = before._replace(vx=0.0, vy=0.0, yaw_rate=0.0)
        if self._blocked is None:
            self._put(stopped._replace(left_speed=0.0, right_speed=0.0, energy=energy))
            return True
        self._put(stopped)
        self._rows[self._at_robot:] = self._blocked
        valid = self._run(self._rows, draws, 1)
        self._rows[self._at_robot:] = self._free
        return valid

    def reset(self, pose: Pose2 | None) -> None:
        """Put it at rest at a pose, its initial one if None; command, wheels, encoders at 0.

        Time and noise go on. Raises ParameterError if the pose is not finite.
        """
        pose = self._initial if pose is None else pose
        check_planar_pose(pose)
        self.has_diverged = self._is_retired = False
        self._put(AT_REST._replace(x=pose.x, y=pose.y, yaw=pose.yaw))
        self.set_speeds(WheelSpeeds(0.0, 0.0))
        if self._obstacles is not None:
            self._obstacles.forget()

    def odometry(self, ahead: int = 0) -> Odometry:
        """Pose and twist of the base frame; ahead: steps that the time does not count yet."""
        x, y, yaw, vx, vy, yaw_rate = map(float, self._rows[:_MOTION])
        return Odometry(self.time_ns + ahead * self.step_ns, x, y, *yaw_to_quaternion(yaw), vx, vy,
                        yaw_rate)

    def body_state(self) -> BodyState:
        """Pose of the base frame in odom and twist in it."""
        _, x, y, qz, qw, vx, vy, yaw_rate = self.odometry()
        return BodyState(
            Pose3(x, y, 0.0, 0.0, 0.0, qz, qw), Twist3(vx, vy, 0.0, 0.0, 0.0, yaw_rate))

    def acceleration(self) -> Acceleration3:
        """Acceleration of the base frame as it would be now without noise."""
        after = self._rows.copy()
        self._run(after, _NOTHING, 1)
        now, then = self.state, _state_in(after)
        vx, vy, rate = now.vx, now.vy, now.yaw_rate
        if self.mode == KINEMATICS:
            radius, axle = self.robot.wheel_radius, self.robot.axle_length
            vx = 0.5 * (now.left_speed + now.right_speed) * radius
            rate = (now.right_speed - now.left_speed) * radius / axle
        return Acceleration3(
            (then.vx - vx) / self._step - rate * vy, (then.vy - vy) / self._step + rate * vx, 0.0,
            0.0, 0.0, (then.yaw_rate - rate) / self._step)


def _state_in(rows: _Rows) -> WheelsState:
    return WheelsState(*map(float, rows[:_STATES]))
