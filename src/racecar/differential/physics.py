# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""Mode physics: motors of limited torque, inertia, Coulomb friction on the ground (seed 002).

The body has mass m, moment of inertia I and its centre of gravity c ahead of the axle. Each wheel
has the moment of inertia J, a motor that reaches its target speed within the step if max_force
allows, and one point on the ground with the load N and friction in any direction of at most mu N.
A caster carries the rest without friction. Loads are those at rest.

A step finds the impulses p that hold with the velocities at its end, as the engine of the original
does (Stewart and Trinkle 1996, Int. J. Num. Meth. Eng. 39): a wheel that sticks does not move on
the ground at all, one that slips is pushed against its slip by mu N dt. First both wheels are
taken to stick, which has a closed solution; if that needs too much torque or friction, projected
iterations find the impulses of each wheel in turn. The circle of friction is kept, where the
engine of the original takes a square.
"""

from __future__ import annotations

import math
from typing import NamedTuple

from racecar.base.compiled import pure
from racecar.base.types import WheelSpeeds
from racecar.differential.parameters import RobotParameters
from racecar.differential.state import Draws, moved, step_robot, WheelsState

_ITERATIONS = 400
# Largest change of an impulse in a round, over that of full friction, of a solution [-].
_TOLERANCE = 1e-10


class Physics(NamedTuple):
    """Parameters of the mode [SI], as RobotParameters has them; without encoders they count 0.

    inverse_mass, inverse_inertia: 0 for a body that is held. load: on each wheel [N].
    """

    wheel_radius: float
    half_axle: float
    max_speed: float
    max_force: float
    inverse_mass: float
    inverse_inertia: float
    cog_ahead: float
    wheel_inertia: float
    friction: float
    load: float
    encoder_noise: float
    encoder_resolution: float
    motor_consumption: float
    battery: float

    @classmethod
    def of(cls, robot: RobotParameters) -> Physics:
        """Parameters of a robot."""
        counts = robot.has_encoders
        return cls(
            robot.wheel_radius, 0.5 * robot.axle_length, robot.max_speed, robot.max_force,
            1.0 / robot.mass, 1.0 / robot.yaw_inertia, robot.cog_ahead, robot.wheel_inertia,
            robot.friction_coefficient, robot.wheel_load,
            robot.encoder_noise if counts else 0.0,
            robot.encoder_resolution if counts else 0.0, robot.motor_consumption, robot.battery)

    @property
    def is_noisy(self) -> bool:
        """Whether random numbers are needed, or a column that says so."""
        return self.encoder_noise > 0.0

    def blocked(self) -> Physics | None:
        """Parameters of a robot whose body something holds; its wheels may turn."""
        return self._replace(inverse_mass=0.0, inverse_inertia=0.0)


class Impulses(NamedTuple):
    """Of the ground on both wheels in a step [N s]: forwards and to the left."""

    left_x: float
    left_y: float
    right_x: float
    right_y: float


class Velocities(NamedTuple):
    """Of the body: vx, vy of the centre of gravity [m/s], yaw_rate; of the wheels [rad/s]."""

    vx: float
    vy: float
    yaw_rate: float
    left: float
    right: float


@pure
def wheel_speed(
    speed: float, target: float, push: float, robot: Physics, dt: float,
) -> tuple[float, float]:
    """Speed of a wheel after a step [rad/s], and how it yields to the push.

    push: impulse of the ground forwards [N s]. The latter is the decrease of the speed of its rim
    for each N s: 0 while the motor holds the target.
    """
    needed = robot.wheel_inertia * (target - speed) + robot.wheel_radius * push
    most = robot.max_force * dt
    if abs(needed) <= most:
        return target, 0.0
    given = math.copysign(most, needed)
    return (speed + (given - robot.wheel_radius * push) / robot.wheel_inertia,
            robot.wheel_radius * robot.wheel_radius / robot.wheel_inertia)


@pure
def _moved_by(free: Velocities, p: Impulses, robot: Physics) -> tuple[float, float, float]:
    """Velocity of the centre of gravity and yaw rate that impulses give."""
    return (
        free.vx + robot.inverse_mass * (p.left_x + p.right_x),
        free.vy + robot.inverse_mass * (p.left_y + p.right_y),
        free.yaw_rate + robot.inverse_inertia * (
            robot.half_axle * (p.right_x - p.left_x)
            - robot.cog_ahead * (p.left_y + p.right_y)))


class Wheel(NamedTuple):
    """side: +1 left, -1 right; speed: before the step, target: of the motor [rad/s]."""

    side: float
    speed: float
    target: float


@pure
def _contact(
    free: Velocities, p: Impulses, robot: Physics, wheel: Wheel, dt: float,
) -> tuple[float, float]:
    """Better impulses of one wheel."""
    side, speed, target = wheel
    px, py = (p.left_x, p.left_y) if side > 0.0 else (p.right_x, p.right_y)
    vx, vy, rate = _moved_by(free, p, robot)
    after, yields = wheel_speed(speed, target, px, robot, dt)
    slip_x = vx - side * robot.half_axle * rate - robot.wheel_radius * after
    slip_y = vy - robot.cog_ahead * rate
    along = (robot.inverse_mass + robot.half_axle * robot.half_axle * robot.inverse_inertia
             + yields)
    across = robot.inverse_mass + robot.cog_ahead * robot.cog_ahead * robot.inverse_inertia
    limit = robot.friction * robot.load * dt
    new_x = px - slip_x / along if along > 0.0 else px
    # Two wheels side by side share what acts across.
    new_y = py - 0.5 * slip_y / across if across > 0.0 else 0.0
    if new_x * new_x + new_y * new_y <= limit * limit:
        return new_x, new_y
    # One weight for both directions: then what is left at the circle points against the slip.
    weight = 1.0 / (along + across) if along + across > 0.0 else 0.0
    new_x, new_y = px - weight * slip_x, py - weight * slip_y
    size = math.sqrt(new_x * new_x + new_y * new_y)
    scale = limit / size if size > limit else 1.0
    return scale * new_x, scale * new_y


@pure
def _iterated(free: Velocities, robot: Physics, left: float, right: float, dt: float) -> Impulses:
    p = Impulses(0.0, 0.0, 0.0, 0.0)
    enough = _TOLERANCE * robot.friction * robot.load * dt
    for _ in range(_ITERATIONS):
        left_x, left_y = _contact(free, p, robot, Wheel(1.0, free.left, left), dt)
        change = max(abs(left_x - p.left_x), abs(left_y - p.left_y))
        p = Impulses(left_x, left_y, p.right_x, p.right_y)
        right_x, right_y = _contact(
            free, p, robot, Wheel(-1.0, free.right, right), dt)
        change = max(change, max(abs(right_x - p.right_x), abs(right_y - p.right_y)))
        p = Impulses(left_x, left_y, right_x, right_y)
        if change <= enough:
            break
    return p


@pure
def _sticking(free: Velocities, robot: Physics, left: float, right: float) -> Impulses:
    """Impulses with which both wheels reach their targets and roll."""
    vx = 0.5 * (left + right) * robot.wheel_radius
    rate = 0.5 * (right - left) * robot.wheel_radius / robot.half_axle
    across = (robot.cog_ahead * rate - free.vy) / robot.inverse_mass
    both = (vx - free.vx) / robot.inverse_mass
    difference = ((rate - free.yaw_rate) / robot.inverse_inertia
                  + robot.cog_ahead * across) / robot.half_axle
    return Impulses(0.5 * (both - difference), 0.5 * across, 0.5 * (both + difference),
                    0.5 * across)


@pure
def solve_step(
    before: Velocities, robot: Physics, left: float, right: float, dt: float,
) -> Velocities:
    """Velocities after a step of dt [s]; left, right: target speeds [rad/s]."""
    # The axes turn with the body.
    free = Velocities(
        before.vx + dt * before.yaw_rate * before.vy,
        before.vy - dt * before.yaw_rate * before.vx, before.yaw_rate, before.left, before.right)
    if robot.inverse_mass > 0.0:
        p = _sticking(free, robot, left, right)
        limit = robot.friction * robot.load * dt
        most = robot.max_force * dt
        if (p.left_x * p.left_x + p.left_y * p.left_y <= limit * limit
                and p.right_x * p.right_x + p.right_y * p.right_y <= limit * limit
                and abs(robot.wheel_inertia * (left - free.left)
                        + robot.wheel_radius * p.left_x) <= most
                and abs(robot.wheel_inertia * (right - free.right)
                        + robot.wheel_radius * p.right_x) <= most):
            rate = 0.5 * (right - left) * robot.wheel_radius / robot.half_axle
            return Velocities(0.5 * (left + right) * robot.wheel_radius, robot.cog_ahead * rate,
                              rate, left, right)
    p = _iterated(free, robot, left, right, dt)
    vx, vy, rate = _moved_by(free, p, robot)
    left_after, _ = wheel_speed(free.left, left, p.left_x, robot, dt)
    right_after, _ = wheel_speed(free.right, right, p.right_x, robot, dt)
    return Velocities(vx, vy, rate, left_after, right_after)


@step_robot.register(Physics)
def _step(
    robot: Physics, state: WheelsState, command: WheelSpeeds, draws: Draws, dt: float,
) -> WheelsState:
    works = robot.battery == 0.0 or state.energy < robot.battery
    top = robot.max_speed if works else 0.0
    left_target = min(max(command.left, -top), top)
    right_target = min(max(command.right, -top), top)
    vx, vy, rate, left_speed, right_speed = solve_step(
        Velocities(state.vx, state.vy + robot.cog_ahead * state.yaw_rate, state.yaw_rate,
                   state.left_speed, state.right_speed), robot, left_target, right_target, dt)
    across = vy - robot.cog_ahead * rate
    x, y, yaw = moved(state, vx, across, rate, dt)
    left_turn, right_turn = left_speed * dt, right_speed * dt
    counts = robot.encoder_resolution
    return WheelsState(
        x, y, yaw, vx, across, rate, left_speed, right_speed, state.left_angle + left_turn,
        state.right_angle + right_turn,
        state.left_count + counts * left_turn * (1.0 + robot.encoder_noise * draws.left_error),
        state.right_count
        + counts * right_turn * (1.0 + robot.encoder_noise * draws.right_error),
        state.energy + 0.5 * dt * robot.motor_consumption
        * (abs(left_target) + abs(right_target)))
