# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""Inertial measurement: sensor_msgs/Imu on imu/data (REP 145)."""

from __future__ import annotations

from collections.abc import Sequence

from sensor_msgs.msg import Imu as ImuMessage

from racecar.base.readings import Imu
from racecar.ros import qos
from racecar.ros.codecs.codec import MessageChannel, Place, SensorCodec
from racecar.ros.node import TableNode
from racecar.ros.wire import MessageTemplate
from racecar.simulation.ports import Output

# In the order of the fields of Imu, its variances three times each.
_FIELDS = (
    *(f'orientation.{axis}' for axis in 'xyzw'),
    *(f'angular_velocity.{axis}' for axis in 'xyz'),
    *(f'linear_acceleration.{axis}' for axis in 'xyz'),
    *(f'{quantity}_covariance.{4 * axis}'
      for quantity in ('orientation', 'angular_velocity', 'linear_acceleration')
      for axis in range(3)))


class ImuCodec(SensorCodec):
    """Attitude in odom, rotation and specific force."""

    value_type = Imu
    message_type = ImuMessage
    kind = 'imu'
    profile = qos.STATE

    def encode(self, node: TableNode, output: Output, place: Place) -> MessageChannel:
        """Create the publisher."""
        message = ImuMessage()
        message.header.frame_id = place.frame(output.frame)
        return MessageChannel(
            node.create_publisher(ImuMessage, place.topic(self.topic_of(output)),
                                  self.profile),
            MessageTemplate(message, ('header.stamp', *_FIELDS)), _numbers)


def _numbers(value: Imu) -> Sequence[float]:
    orientation, rotation, acceleration = value[10:]
    return (*value[:10], *(orientation,) * 3, *(rotation,) * 3, *(acceleration,) * 3)


CODECS = (ImuCodec(),)
