# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""Odometry in the plane, as control laws take it in: nav_msgs/Odometry."""

from __future__ import annotations

import struct

from nav_msgs.msg import Odometry as OdometryMessage

from racecar.base.errors import MessageError
from racecar.base.types import heading_of, Odometry
from racecar.ros.message_rows import MessageRows
from racecar.ros.wire import aligned, LENGTH, MessageTemplate, read_header, reads

# Pose and twist, but for what a plane does not have, each before its covariance.
_POSE_AND_TWIST = struct.Struct('<2d8x4d288x2d24xd288x')


@reads(OdometryMessage)
def read_odometry(data: bytes) -> Odometry:
    """Planar part. Raises MessageError."""
    time_ns, _, offset = read_header(data, 4)
    offset += 4 + LENGTH.unpack_from(data, offset)[0]
    x, y, qx, qy, qz, qw, vx, vy, yaw_rate = _POSE_AND_TWIST.unpack_from(
        data, aligned(offset, 8))
    return Odometry(time_ns, x, y, *heading_of(qx, qy, qz, qw), vx, vy, yaw_rate)


def read_finite_odometry(data: bytes) -> Odometry:
    """What read_odometry() returns; raise MessageError also for NaN and infinity."""
    odometry = read_odometry(data)
    if not odometry.is_finite:
        raise MessageError(f'{odometry}, expected finite numbers')
    return odometry


def odometry_rows() -> MessageRows:
    """What makes rows of many messages as read_finite_odometry() does of one."""
    turn = 'pose.pose.orientation'
    return MessageRows(OdometryMessage, (
        'pose.pose.position.x', 'pose.pose.position.y', f'{turn}.z', f'{turn}.w',
        'twist.twist.linear.x', 'twist.twist.linear.y', 'twist.twist.angular.z'),
        read_finite_odometry, zeros=(f'{turn}.x', f'{turn}.y'))


def reference_template(frame: str, child_frame: str) -> MessageTemplate:
    """Message to be filled with stamp, x, y, qz, qw, vx and yaw rate."""
    message = OdometryMessage(child_frame_id=child_frame)
    message.header.frame_id = frame
    return MessageTemplate(message, (
        'header.stamp', 'pose.pose.position.x', 'pose.pose.position.y',
        'pose.pose.orientation.z', 'pose.pose.orientation.w', 'twist.twist.linear.x',
        'twist.twist.angular.z'))
