# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""How a robot with two driven wheels moves in the plane, in either mode, among obstacles."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
import math
from typing import Any

import numpy as np

from racecar.base.errors import DivergenceError, ParameterError
from racecar.base.packing import as_vector, Vector, vector
from racecar.base.poses import check_planar_pose
from racecar.base.readings import Collisions
from racecar.base.types import (
    Acceleration3,
    BodyState,
    NANOSECONDS,
    Odometry,
    Pose2,
    Pose3,
    Twist3,
    WheelSpeeds,
    yaw_to_quaternion,
)
from racecar.differential.kernels import advance_kernel, CHANCES
from racecar.differential.kinematics import Kinematics
from racecar.differential.parameters import RobotParameters
from racecar.differential.physics import Physics
from racecar.differential.state import WheelsState
from racecar.scene.scene import EMPTY_SCENE, Objects, Scene
from racecar.simulation.obstacles import Obstacles
from racecar.simulation.ports import whole_nanoseconds
from racecar.simulation.simulator import DEFAULT_STEP

KINEMATICS, PHYSICS, WORLD = 'kinematics', 'physics', 'world'
MODES = KINEMATICS, PHYSICS, WORLD

_KINDS: dict[str, Any] = {KINEMATICS: Kinematics, PHYSICS: Physics}

ORIGIN = Pose2(0.0, 0.0, 0.0)

# Numbers of WheelsState that a contact puts to rest or back.
_X, _VX, _LEFT_SPEED, _LEFT_COUNT, _ENERGY = (
    WheelsState._fields.index(name)
    for name in ('x', 'vx', 'left_speed', 'left_count', 'energy'))


class Motion(ABC):
    """A robot with two wheels that moves, in the plane or in the 3-D world.

    robot: as given. objects, cones: as Carrier has them; None where nothing but the robot moves.
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
    """Return speeds within max_speed. Raises ParameterError if one is NaN or infinite."""
    if not (math.isfinite(speeds.left) and math.isfinite(speeds.right)):
        raise ParameterError(
            f'wheel speeds are {speeds.left!r} and {speeds.right!r}, expected finite numbers'
            ' [rad/s]')
    top = robot.max_speed
    return WheelSpeeds(min(max(speeds.left, -top), top), min(max(speeds.right, -top), top))


class PlanarMotion(Motion):
    """The modes kinematics and physics.

    What stands in the way blocks the robot. In mode kinematics a step that would lead into it is
    not done: the wheels and their encoders stand (seeds 002 and 004). In mode physics the body
    stands and the wheels turn on where the motors are stronger than the friction.
    """

    def __init__(
        self, robot: RobotParameters, mode: str = KINEMATICS, *, step: float = DEFAULT_STEP,
        scene: Scene = EMPTY_SCENE, pose: Pose2 = ORIGIN, seed: int = 0,
    ) -> None:
        """Start at rest; step [s]; seed: of the noise.

        Raises ParameterError for another mode, ConfigurationError for a step that is no whole
        number of nanoseconds.
        """
        if mode not in _KINDS:
            raise ParameterError(f"mode is '{mode}', expected one of {', '.join(_KINDS)}")
        super().__init__(robot, step)
        self.mode = mode
        numbers = _KINDS[mode].of(robot)
        self._numbers: Any = vector(numbers)
        self._held: Any = vector(
            numbers._replace(inverse_mass=0.0, inverse_inertia=0.0)) if mode == PHYSICS else None
        self._kernel: Any = advance_kernel(_KINDS[mode])
        slips = mode == KINEMATICS and robot.slip_noise > 0.0
        self._is_noisy = slips or (robot.has_encoders and robot.encoder_noise > 0.0)
        self._generator = np.random.default_rng(seed)
        self._obstacles = None if scene.is_empty else Obstacles(
            scene, robot.footprint, robot.body_radius)
        self._initial = pose
        self._state: Any = vector(len(WheelsState._fields))
        self.reset(None)

    @property
    def state(self) -> WheelsState:
        """Where it is, how it moves, what the wheels and encoders have done."""
        return WheelsState(*map(float, self._state))

    @property
    def collisions(self) -> Collisions | None:
        """Contacts since the last reset; None where there is nothing to run into."""
        return None if self._obstacles is None else self._obstacles.collisions

    def set_counts(self, left: float, right: float) -> None:
        """Let the encoders count on from these numbers."""
        self._state[_LEFT_COUNT:_LEFT_COUNT + 2] = vector((left, right))

    def warm_up(self) -> None:
        """Compile all that a step calls."""
        self._run(self._state.copy(), self._numbers, vector(0), 0)
        if self._obstacles is not None:
            self._obstacles.block(self._odometry())

    def advance(self, steps: int) -> None:
        """Move on by whole steps.

        Raises DivergenceError if the state is not finite; state and time are then as before.
        """
        before = self._state.copy()
        chances: Any = vector(0)
        if self._is_noisy:
            chances = as_vector(self._generator.uniform(-1.0, 1.0, CHANCES * steps))
        if self._obstacles is None:
            valid = self._run(self._state, self._numbers, chances, steps)
        else:
            # Of single steps, it does not matter in how many parts the way is gone.
            valid = all(self._step_among(
                self._obstacles, chances[CHANCES * i:CHANCES * (i + 1)] if len(chances)
                else chances) for i in range(steps))
        if not valid:
            self._state[:] = before
            raise DivergenceError(
                f'the motion of {self.robot.name} is not finite after'
                f' {self.time_ns / NANOSECONDS:.6g} s under {self._command}: check its masses and'
                ' lengths, or use a shorter step')
        self._steps += steps

    def _run(self, state: Any, numbers: Vector, chances: Vector, steps: int) -> bool:
        return bool(self._kernel(state, numbers, *self._command, chances, self._step, steps))

    def _step_among(self, obstacles: Obstacles, chances: Vector) -> bool:
        """Do a step as far as nothing is in the way; tell whether all is finite."""
        before, last = self._state.copy(), self._odometry()
        valid = self._run(self._state, self._numbers, chances, 1)
        now = self._odometry()
        if not valid or not obstacles.block(now):
            obstacles.note_free(now)
            return valid
        if obstacles.block(last):
            # No step leads there: it was put there, and may leave.
            return valid
        obstacles.note_contact(last, math.hypot(last.vx, last.vy))
        energy = self._state[_ENERGY]
        self._state[:] = before
        self._state[_VX:_VX + 3] = vector(3)
        if self._held is None:
            self._state[_LEFT_SPEED:_LEFT_SPEED + 2] = vector(2)
            self._state[_ENERGY] = energy
            return True
        return self._run(self._state, self._held, chances, 1)

    def reset(self, pose: Pose2 | None) -> None:
        """Put it at rest at a pose, its initial one if None; command, wheels, encoders at 0.

        Time and noise go on. Raises ParameterError if the pose is not finite.
        """
        pose = self._initial if pose is None else pose
        check_planar_pose(pose)
        self._state[:] = vector(len(self._state))
        self._state[_X:_X + 3] = vector(pose)
        self._command = WheelSpeeds(0.0, 0.0)
        if self._obstacles is not None:
            self._obstacles.forget()

    def _odometry(self) -> Odometry:
        x, y, yaw, vx, vy, yaw_rate = map(float, self._state[:6])
        return Odometry(self.time_ns, x, y, *yaw_to_quaternion(yaw), vx, vy, yaw_rate)

    def body_state(self) -> BodyState:
        """Return pose of the base frame in odom and twist in it."""
        _, x, y, qz, qw, vx, vy, yaw_rate = self._odometry()
        return BodyState(
            Pose3(x, y, 0.0, 0.0, 0.0, qz, qw), Twist3(vx, vy, 0.0, 0.0, 0.0, yaw_rate))

    def acceleration(self) -> Acceleration3:
        """Return the acceleration of the base frame as it would be now without noise."""
        after = self._state.copy()
        self._run(after, self._numbers, vector(0), 1)
        now, then = self.state, WheelsState(*map(float, after))
        vx, vy, rate = now.vx, now.vy, now.yaw_rate
        if self.mode == KINEMATICS:
            radius, axle = self.robot.wheel_radius, self.robot.axle_length
            vx = 0.5 * (now.left_speed + now.right_speed) * radius
            rate = (now.right_speed - now.left_speed) * radius / axle
        return Acceleration3(
            (then.vx - vx) / self._step - rate * vy, (then.vy - vy) / self._step + rate * vx, 0.0,
            0.0, 0.0, (then.yaw_rate - rate) / self._step)
