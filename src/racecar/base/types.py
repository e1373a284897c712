# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""The few values that vehicles, control laws and plants hand to each other, in SI units.

They carry exactly what crosses the border of a process (heading as a quaternion, commands in
single precision), so that a loop over several processes and one within compute the same bits.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from racecar.base.compiled import pure
from racecar.base.elementary import arctangent2

NANOSECONDS = 1_000_000_000

POSITION_LIMIT = 1e9
"""Beyond this a float64 no longer resolves a step of motion [m, rad]."""

INDICATOR_PERIOD = 0.34
"""Default time for which an indicator is lit, and then dark [s]."""

INDICATOR_PERIOD_MIN, INDICATOR_PERIOD_MAX = 0.01, 10.0

WHEEL_NAMES = ('left_front', 'right_front', 'left_rear', 'right_rear')
"""Names of the wheels and their links, in the order of VehicleModel.wheels()."""

WHEEL_JOINTS = tuple(f'{wheel}_wheel_joint' for wheel in WHEEL_NAMES)
"""Joints of the robot description that turn the wheels, in the order of WHEEL_NAMES."""

TWO_WHEEL_JOINTS = ('left_wheel_joint', 'right_wheel_joint')
"""Joints that turn the wheels of a robot that has two."""

HINGE_JOINTS = ('left_steering_hinge_joint', 'right_steering_hinge_joint')
"""Joints of the robot description that steer the front wheels."""

SUSPENSION_JOINTS = tuple(f'{wheel}_suspension_joint' for wheel in WHEEL_NAMES)
"""Joints along which the wheels of a sprung car move up [m], in the order of WHEEL_NAMES."""


class Pose2(NamedTuple):
    """Planar pose: x, y [m], yaw [rad], counter-clockwise positive (REP-103)."""

    x: float
    y: float
    yaw: float


ORIGIN = Pose2(0.0, 0.0, 0.0)


class Pose3(NamedTuple):
    """Pose in space: x, y, z [m] and a unit quaternion qx, qy, qz, qw [-]."""

    x: float
    y: float
    z: float
    qx: float
    qy: float
    qz: float
    qw: float


class Twist3(NamedTuple):
    """Velocity vx, vy, vz [m/s] and angular velocity wx, wy, wz [rad/s] in the body frame."""

    vx: float
    vy: float
    vz: float
    wx: float
    wy: float
    wz: float


class Acceleration3(NamedTuple):
    """Acceleration of a body's origin and of its rotation, in the axes of the body.

    ax, ay, az [m/s^2]: second derivative of the position in `odom`, without gravity, so that a
    body at rest has none (not the derivative of Twist3, whose axes turn); alpha_x, alpha_y,
    alpha_z [rad/s^2].
    """

    ax: float
    ay: float
    az: float
    alpha_x: float
    alpha_y: float
    alpha_z: float


class BodyState(NamedTuple):
    """Pose of a robot in `odom` and its twist in the robot's frame (REP-105)."""

    pose: Pose3
    twist: Twist3


class Odometry(NamedTuple):
    """Pose of the odometry point in `odom` and its twist in the body frame (REP-105).

    time_ns: stamp [ns]; x, y [m]; qz, qw: z and w of the heading quaternion [-];
    vx, vy: body velocity, forward and left [m/s]; yaw_rate [rad/s].
    """

    time_ns: int
    x: float
    y: float
    qz: float
    qw: float
    vx: float
    vy: float
    yaw_rate: float

    @classmethod
    def of_body(cls, time_ns: int, state: BodyState) -> Odometry:
        """Planar part of a state in space."""
        pose, twist = state
        return cls(time_ns, pose.x, pose.y, *heading_of(*pose[3:]), twist.vx, twist.vy, twist.wz)

    @property
    def yaw(self) -> float:
        """Heading in (-pi, pi] [rad]."""
        return quaternion_to_yaw(0.0, 0.0, self.qz, self.qw)

    @property
    def is_finite(self) -> bool:
        """Whether no value is NaN or infinite."""
        return all(map(math.isfinite, self))


class CarMotion(NamedTuple):
    """What a control law sees of the car: x, y [m], yaw [rad] in `map`, twist as in Odometry."""

    x: float
    y: float
    yaw: float
    vx: float
    vy: float
    yaw_rate: float


AT_REST = Odometry(0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0)


class PlanarVelocity(NamedTuple):
    """Velocity of a point in `map`: x, y [m/s]."""

    x: float
    y: float


class AckermannCommand(NamedTuple):
    """Speed of the rear axle [m/s] and virtual-wheel steering angle [rad, left positive].

    Both are representable in single precision: more does not leave a process.
    """

    speed: float
    steering_angle: float

    @classmethod
    def in_single_precision(cls, speed: float, steering_angle: float) -> AckermannCommand:
        """Round speed [m/s] and steering_angle [rad] to float32."""
        return cls(float(np.float32(speed)), float(np.float32(steering_angle)))

    @property
    def is_finite(self) -> bool:
        """Whether neither value is NaN or infinite."""
        return math.isfinite(self.speed) and math.isfinite(self.steering_angle)


Wheels = tuple[float, float, float, float]
"""A number for each wheel, in the order of WHEEL_NAMES."""


class WheelCommand(NamedTuple):
    """Angles and torques of the wheels, each tuple in the order of WHEEL_NAMES.

    left_angle, right_angle: of the front wheels [rad, left positive]; drive: torques, positive
    forwards [N m]; brake: torque capacities [N m], brake_damping: of viscous brakes [N m s/rad],
    damping: of the bearings [N m s/rad], none of the three negative.
    """

    left_angle: float
    right_angle: float
    drive: Wheels
    brake: Wheels
    brake_damping: Wheels
    damping: Wheels

    @property
    def fault(self) -> str:
        """What is wrong with the numbers and what was expected; empty if nothing is."""
        fields = self._asdict()
        for name, value in fields.items():
            if not all(map(math.isfinite, value if isinstance(value, tuple) else (value,))):
                return f'{name} {value}, expected finite numbers'
        for name in ('brake', 'brake_damping', 'damping'):
            if min(fields[name]) < 0.0:
                return f'{name} {fields[name]}, expected numbers of at least 0'
        return ''


class VehicleDiagnostics(NamedTuple):
    """Everything about the motion of a single-track vehicle, for plots and observers.

    x, y [m], yaw [rad]: pose of the centre of gravity; vx, vy [m/s], yaw_rate [rad/s]: its
    velocity in the body frame; sideslip [rad]: angle from the body's x axis to the line of motion,
    atan(vy/vx), also in reverse; lateral_acceleration [m/s^2]: along the body's y axis;
    slip_angle_* [rad] and lateral_force_* [N] per axle, each opposing the other;
    speed [m/s] and steering_angle [rad]: the inputs.
    """

    x: float
    y: float
    yaw: float
    vx: float
    vy: float
    yaw_rate: float
    sideslip: float
    lateral_acceleration: float
    slip_angle_front: float
    slip_angle_rear: float
    lateral_force_front: float
    lateral_force_rear: float
    speed: float
    steering_angle: float


class Lamps(NamedTuple):
    """Whether each lamp of a car is lit; both indicators, antifog lamps... are one each."""

    left_indicator: bool = False
    right_indicator: bool = False
    front: bool = False
    rear: bool = False
    antifog: bool = False
    brake: bool = False
    backwards: bool = False


class LampSwitches(NamedTuple):
    """Which lamps of a car are switched on; indicators that are, blink.

    indicator_period: for how long an indicator is lit, and then dark: half of its cycle [s].
    """

    left_indicator: bool = False
    right_indicator: bool = False
    front: bool = False
    rear: bool = False
    antifog: bool = False
    brake: bool = False
    backwards: bool = False
    indicator_period: float = INDICATOR_PERIOD

    @property
    def can_blink(self) -> bool:
        """Whether the period is one that indicators can have; NaN is none."""
        return INDICATOR_PERIOD_MIN <= self.indicator_period <= INDICATOR_PERIOD_MAX

    def lit(self, time_ns: int) -> Lamps:
        """Which lamps are lit at a simulated time [ns]; all that blink, blink together.

        A cycle begins with light at time 0.
        """
        half_cycle = time_ns // round(self.indicator_period * NANOSECONDS) % 2 == 0
        return Lamps(
            half_cycle and self.left_indicator, half_cycle and self.right_indicator, *self[2:-1])


class BodyTwist(NamedTuple):
    """Speed ahead [m/s] and yaw rate [rad/s] of a robot that cannot move sideways."""

    speed: float
    yaw_rate: float


class WheelSpeeds(NamedTuple):
    """Rotation of the left and the right wheel of a robot that has two [rad/s], forwards."""

    left: float
    right: float


class WheelState(NamedTuple):
    """One wheel and its tyre, in the frame of the wheel: x the way it points, y to the left.

    slip [-]: longitudinal, (travel - rolling)/larger of both, positive when braking; slip_angle
    [rad]: of the velocity against the wheel, positive to the left; longitudinal_force and
    lateral_force [N]: of the ground on the tyre, each opposing its slip; load [N]: of the ground,
    upwards; speed [rad/s]: of rotation, positive forwards.
    """

    slip: float
    slip_angle: float
    longitudinal_force: float
    lateral_force: float
    load: float
    speed: float


class JointStates(NamedTuple):
    """Positions [rad or m] and velocities [rad/s or m/s] of joints, in the order of names."""

    names: tuple[str, ...]
    positions: tuple[float, ...]
    velocities: tuple[float, ...]


class JointSetpoint(NamedTuple):
    """What one joint is to do: rotation of a wheel [rad/s] or angle of a hinge [rad]."""

    value: float


class JointSetpoints(NamedTuple):
    """What the joints of a car are to do: rotation of wheels [rad/s], angle of hinges [rad].

    The wheels are in the order of WHEEL_JOINTS, the hinges in that of HINGE_JOINTS.
    """

    left_front: float
    right_front: float
    left_rear: float
    right_rear: float
    left_hinge: float
    right_hinge: float


class WheelStates(NamedTuple):
    """The four wheels, in the order of WHEEL_NAMES."""

    left_front: WheelState
    right_front: WheelState
    left_rear: WheelState
    right_rear: WheelState


def yaw_to_quaternion(yaw: float) -> tuple[float, float]:
    """(qz, qw) of a heading [rad]."""
    return math.sin(0.5 * yaw), math.cos(0.5 * yaw)


@pure
def quaternion_to_yaw(qx: float, qy: float, qz: float, qw: float) -> float:
    """Heading in (-pi, pi] [rad] of a unit quaternion."""
    return arctangent2(2.0 * (qw * qz + qx * qy), 1.0 - 2.0 * (qy * qy + qz * qz))


@pure
def car_motion(numbers: tuple[float, ...]) -> CarMotion:
    """CarMotion of the fields of an Odometry after its stamp."""
    x, y, qz, qw, vx, vy, yaw_rate = numbers
    return CarMotion(x, y, quaternion_to_yaw(0.0, 0.0, qz, qw), vx, vy, yaw_rate)


def heading_of(qx: float, qy: float, qz: float, qw: float) -> tuple[float, float]:
    """(qz, qw) of the heading of a unit quaternion, its own where it is a heading."""
    if qx == 0.0 and qy == 0.0:
        return qz, qw
    return yaw_to_quaternion(quaternion_to_yaw(qx, qy, qz, qw))
