# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""Mode kinematics: wheels that roll as they are told, within limits and noise (seed 002).

A step, in this order:

    target      command, within +-max_speed
    ramp        the speed of the motor goes to the target by at most max_acceleration dt
    slip noise  the wheel turns by (1 + slip_noise u) times that, u uniform in [-1, 1)
    pose        midpoint rule
    encoder     counts resolution times the turn, times (1 + encoder_noise u)
"""

from __future__ import annotations

from typing import NamedTuple

from racecar.base.columns import larger
from racecar.base.compiled import pure
from racecar.base.types import WheelSpeeds
from racecar.differential.parameters import RobotParameters
from racecar.differential.state import Draws, moved, step_robot, WheelsState


class Kinematics(NamedTuple):
    """Parameters of the mode [SI], as RobotParameters has them; without encoders they count 0."""

    wheel_radius: float
    axle_length: float
    max_speed: float
    max_acceleration: float
    slip_noise: float
    encoder_noise: float
    encoder_resolution: float
    motor_consumption: float
    battery: float

    @classmethod
    def of(cls, robot: RobotParameters) -> Kinematics:
        """Parameters of a robot."""
        counts = robot.has_encoders
        return cls(
            robot.wheel_radius, robot.axle_length, robot.max_speed, robot.max_acceleration,
            robot.slip_noise, robot.encoder_noise if counts else 0.0,
            robot.encoder_resolution if counts else 0.0, robot.motor_consumption, robot.battery)

    @property
    def is_noisy(self) -> bool:
        """Whether random numbers are needed, or a column that says so."""
        return larger(self.slip_noise, self.encoder_noise) > 0.0

    def blocked(self) -> Kinematics | None:
        """None: a robot that something blocks does no step."""
        return None


@pure
def ramp(speed: float, target: float, largest_change: float) -> float:
    """Speed after a step towards a target."""
    change = target - speed
    # Without the rounding of a sum where it gets there.
    return target if abs(change) <= largest_change else speed + (
        largest_change if change > 0.0 else -largest_change)


@step_robot.register(Kinematics)
def _step(
    robot: Kinematics, state: WheelsState, command: WheelSpeeds, draws: Draws, dt: float,
) -> WheelsState:
    works = robot.battery == 0.0 or state.energy < robot.battery
    top = robot.max_speed if works else 0.0
    left_target = min(max(command.left, -top), top)
    right_target = min(max(command.right, -top), top)
    most = robot.max_acceleration * dt
    left_speed = ramp(state.left_speed, left_target, most) if works else 0.0
    right_speed = ramp(state.right_speed, right_target, most) if works else 0.0
    left_rate = left_speed * (1.0 + robot.slip_noise * draws.left_slip)
    right_rate = right_speed * (1.0 + robot.slip_noise * draws.right_slip)
    left_turn, right_turn = left_rate * dt, right_rate * dt
    vx = 0.5 * (left_rate + right_rate) * robot.wheel_radius
    yaw_rate = (right_rate - left_rate) * robot.wheel_radius / robot.axle_length
    x, y, yaw = moved(state, vx, 0.0, yaw_rate, dt)
    counts = robot.encoder_resolution
    return WheelsState(
        x, y, yaw, vx, 0.0, yaw_rate, left_speed, right_speed, state.left_angle + left_turn,
        state.right_angle + right_turn,
        state.left_count + counts * left_turn * (1.0 + robot.encoder_noise * draws.left_error),
        state.right_count
        + counts * right_turn * (1.0 + robot.encoder_noise * draws.right_error),
        state.energy + 0.5 * dt * robot.motor_consumption
        * (abs(left_target) + abs(right_target)))
