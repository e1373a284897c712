# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""State of a differential-drive robot, and what all modes do with it."""

from __future__ import annotations

from typing import NamedTuple

from racecar.base.compiled import by_type, pure
from racecar.base.elementary import sine_cosine
from racecar.base.types import BodyTwist, WheelSpeeds


class WheelsState(NamedTuple):
    """Middle of the axle x, y [m], yaw [rad]; its motion in the body frame; both wheels.

    vx, vy [m/s], yaw_rate [rad/s]: during the last step, x forward, y to the left. left_speed,
    right_speed [rad/s]: of the motors; left_angle, right_angle [rad]: of the wheels since the
    start; left_count, right_count: of the encoders, real numbers; energy: that the motors have
    taken [J].
    """

    x: float
    y: float
    yaw: float
    vx: float
    vy: float
    yaw_rate: float
    left_speed: float
    right_speed: float
    left_angle: float
    right_angle: float
    left_count: float
    right_count: float
    energy: float


class Draws(NamedTuple):
    """Uniform numbers in [-1, 1) of one step: slip of each wheel, noise of each encoder."""

    left_slip: float
    right_slip: float
    left_error: float
    right_error: float


NO_DRAWS = Draws(0.0, 0.0, 0.0, 0.0)
"""Without noise."""


class WheelBase(NamedTuple):
    """What turns a twist into wheel speeds: lengths [m], largest speed of a wheel [rad/s]."""

    wheel_radius: float
    axle_length: float
    max_speed: float


@pure
def twist_speeds(twist: BodyTwist, base: WheelBase) -> WheelSpeeds:
    """Wheel speeds that give a twist; both are lowered by one factor if one is too fast."""
    across = 0.5 * twist.yaw_rate * base.axle_length
    left = (twist.speed - across) / base.wheel_radius
    right = (twist.speed + across) / base.wheel_radius
    fastest = max(abs(left), abs(right))
    share = base.max_speed / fastest if fastest > base.max_speed else 1.0
    return WheelSpeeds(share * left, share * right)


@by_type
def step_robot(
    robot: object, state: WheelsState, command: WheelSpeeds, draws: Draws, dt: float,
) -> WheelsState:
    """State after a step of dt [s].

    robot: parameters, whose type is the mode; command: speeds that the wheels shall have [rad/s].
    With an empty battery they shall stand.
    """
    raise NotImplementedError


@pure
def moved(
    state: WheelsState, vx: float, vy: float, yaw_rate: float, dt: float,
) -> tuple[float, float, float]:
    """x, y, yaw after a step of dt [s] by the midpoint rule.

    The chord is as long as the arc: the place is wrong by turn^2/24 of the way.
    """
    turn = yaw_rate * dt
    sine, cosine = sine_cosine(state.yaw + 0.5 * turn)
    ahead, left = vx * dt, vy * dt
    return (state.x + (ahead * cosine - left * sine), state.y + (ahead * sine + left * cosine),
            state.yaw + turn)
