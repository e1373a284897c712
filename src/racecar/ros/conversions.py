# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""Between ROS messages and the values of racecar.core; copies numbers, computes nothing else."""

from __future__ import annotations

import math

from ackermann_msgs.msg import AckermannDriveStamped
from builtin_interfaces.msg import Time
from geometry_msgs.msg import Pose, TwistStamped
from nav_msgs.msg import Odometry as OdometryMessage

from racecar.core.types import (
    AckermannCommand,
    NANOSECONDS,
    Odometry,
    PlanarVelocity,
    Pose2,
    quaternion_to_yaw,
    VehicleDiagnostics,
    yaw_to_quaternion,
)
from racecar.ros.interfaces import CarState


def stamp_to_ns(stamp: Time) -> int:
    """Return a stamp in nanoseconds."""
    return stamp.sec * NANOSECONDS + stamp.nanosec


def set_stamp(stamp: Time, time_ns: int) -> None:
    """Write nanoseconds into a stamp."""
    stamp.sec, stamp.nanosec = divmod(time_ns, NANOSECONDS)


def odometry_from_message(message: OdometryMessage) -> Odometry:
    """Return the planar part of an odometry message."""
    position = message.pose.pose.position
    orientation = message.pose.pose.orientation
    twist = message.twist.twist
    qz, qw = orientation.z, orientation.w
    if orientation.x != 0.0 or orientation.y != 0.0:
        qz, qw = yaw_to_quaternion(
            quaternion_to_yaw(orientation.x, orientation.y, orientation.z, orientation.w))
    return Odometry(stamp_to_ns(message.header.stamp), position.x, position.y, qz, qw,
                    twist.linear.x, twist.linear.y, twist.angular.z)


def odometry_to_message(odometry: Odometry, message: OdometryMessage) -> None:
    """Write stamp, pose and twist; frames and covariances stay as they are."""
    set_stamp(message.header.stamp, odometry.time_ns)
    pose, twist = message.pose.pose, message.twist.twist
    pose.position.x, pose.position.y = odometry.x, odometry.y
    pose.orientation.z, pose.orientation.w = odometry.qz, odometry.qw
    twist.linear.x, twist.linear.y = odometry.vx, odometry.vy
    twist.angular.z = odometry.yaw_rate


def command_from_message(message: AckermannDriveStamped) -> AckermannCommand:
    """Return speed and steering angle of a command message."""
    return AckermannCommand(message.drive.speed, message.drive.steering_angle)


def command_to_message(
        command: AckermannCommand, time_ns: int, message: AckermannDriveStamped) -> None:
    """Write stamp, speed and steering angle."""
    set_stamp(message.header.stamp, time_ns)
    message.drive.speed, message.drive.steering_angle = command


def velocity_from_message(message: TwistStamped) -> PlanarVelocity:
    """Return the planar linear velocity."""
    return PlanarVelocity(message.twist.linear.x, message.twist.linear.y)


def velocity_to_message(velocity: PlanarVelocity, time_ns: int, message: TwistStamped) -> None:
    """Write stamp and planar linear velocity."""
    set_stamp(message.header.stamp, time_ns)
    message.twist.linear.x, message.twist.linear.y = velocity


def pose_from_message(message: Pose) -> Pose2:
    """Return the planar part of a pose.

    Raises ValueError if it is not finite or its quaternion is not of unit length.
    """
    q = message.orientation
    numbers = (message.position.x, message.position.y, q.x, q.y, q.z, q.w)
    if not all(math.isfinite(number) for number in numbers):
        raise ValueError(f'pose holds {numbers}, expected finite numbers')
    norm = math.sqrt(q.x * q.x + q.y * q.y + q.z * q.z + q.w * q.w)
    if abs(norm - 1.0) > 1e-3:
        raise ValueError(
            f'orientation has length {norm:.6g}, expected a unit quaternion (w: 1.0 for yaw 0)')
    return Pose2(message.position.x, message.position.y,
                 quaternion_to_yaw(q.x / norm, q.y / norm, q.z / norm, q.w / norm))


def car_state_to_message(
        diagnostics: VehicleDiagnostics, time_ns: int, message: CarState) -> None:
    """Write stamp and all quantities of a single-track vehicle."""
    set_stamp(message.header.stamp, time_ns)
    (message.x, message.y, message.yaw, message.longitudinal_velocity, message.lateral_velocity,
     message.yaw_rate, message.sideslip_angle, message.lateral_acceleration,
     message.slip_angle_front, message.slip_angle_rear, message.lateral_force_front,
     message.lateral_force_rear, message.speed_command, message.steering_angle) = diagnostics
