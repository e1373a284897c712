# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""Rows of many messages read at once, against the readers of single messages."""

from typing import Any

from ackermann_msgs.msg import AckermannDriveStamped
from hypothesis import given
from hypothesis import strategies as st
from nav_msgs.msg import Odometry
import numpy as np
import pytest
from rclpy.serialization import serialize_message

from racecar.base.errors import MessageError
from racecar.ros.codecs.ackermann_command import command_rows, read_command
from racecar.ros.codecs.body_state import body_state_rows, read_body_state
from racecar.ros.codecs.odometry import odometry_rows, read_finite_odometry
from racecar.ros.message_rows import MessageRows

pytestmark = pytest.mark.ros

numbers = st.floats(-10.0, 10.0, width=32)
frames = st.sampled_from(['', 'odom', 'map', 'a/long/frame', 'grün', 'Grün'])
# What comes only now and then: a number that is none, another layout, a changed byte, less bytes.
changes = st.sampled_from(['none'] * 30 + ['nan', 'frame', 'flip', 'cut', 'time', 'roll'])


def odometry(at, frame, x):
    message = Odometry(child_frame_id=frame)
    message.header.frame_id, message.header.stamp.sec, message.header.stamp.nanosec = 'odom', at, 7
    pose, twist = message.pose.pose, message.twist.twist
    pose.position.x, pose.position.y, pose.position.z = x, x + 1.0, x + 2.0
    pose.orientation.z, pose.orientation.w = 0.6, 0.8
    twist.linear.x, twist.linear.y, twist.angular.z = x + 3.0, x + 4.0, x + 5.0
    return message


def command(at, frame, x):
    message = AckermannDriveStamped()
    message.header.frame_id, message.header.stamp.sec = frame, at
    message.drive.speed, message.drive.steering_angle = x, 0.1 * x
    return message


def spoiled(message, change, place):
    """Return the bytes of a message, changed in one of many ways."""
    if change == 'time':
        message.header.stamp.sec = -1
    if change == 'frame':
        message.header.frame_id = 'other'
    is_odometry = isinstance(message, Odometry)
    if change == 'nan':
        if is_odometry:
            message.twist.twist.linear.y = np.nan
        else:
            message.drive.speed = np.nan
    if change == 'roll' and is_odometry:
        message.pose.pose.orientation.x = 0.1
    data = bytearray(serialize_message(message))
    if change == 'flip':
        data[place % len(data)] ^= 255
    return bytes(data[:place % len(data)] if change == 'cut' else data)


def one_state(data):
    (pose, twist), stamp_ns = read_body_state(data)
    return stamp_ns, *pose, *twist


def one_command(data):
    (speed, steering_angle), stamp_ns = read_command(data)
    return stamp_ns, speed, steering_angle


@pytest.mark.parametrize(('make', 'rows', 'read_one'), [
    (odometry, odometry_rows, read_finite_odometry), (odometry, body_state_rows, one_state),
    (command, command_rows, one_command)], ids=['reference', 'state', 'command'])
@given(frame=frames, data=st.lists(st.tuples(numbers, changes, st.integers(0, 1000)), min_size=16,
                                   max_size=24))
def test_messages_read_together_give_what_each_gives_by_itself(make, rows, read_one, frame, data):
    messages = [spoiled(make(at, frame, x), change, place)
                for at, (x, change, place) in enumerate(data)]
    expected, refused = [], []
    errors: list[MessageError] = []
    for message in messages:
        try:
            expected.append(read_one(message))
        except MessageError as error:
            refused.append(str(error))
    reader = rows()
    # The second time with a layout that is known.
    for _ in range(2):
        errors.clear()
        found = reader.read(messages, errors.append)
        assert [str(error) for error in errors] == refused
        np.testing.assert_array_equal(found, np.array(expected).reshape(found.shape))


def test_messages_of_one_layout_are_not_read_one_by_one():
    asked: list[Any] = []

    def read_one(data):
        asked.append(data)
        return ()

    reader = MessageRows(Odometry, ['pose.pose.position.y'], read_one)
    messages = [bytes(serialize_message(odometry(at, 'base_link', float(at))))
                for at in range(1000)]
    for _ in range(3):
        found = reader.read(messages, asked.append)
    assert found[:, 0].tolist() == [10**9 * at + 7 for at in range(1000)]
    assert found[:, 1].tolist() == [at + 1.0 for at in range(1000)]
    # But for the one that shows the layout.
    assert asked == messages[:1]
