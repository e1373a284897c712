# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""Body state: nav_msgs/Odometry, and the transform from odom to the robot on tf."""

from __future__ import annotations

from collections.abc import Mapping
import math
import struct

from nav_msgs.msg import Odometry
from tf2_msgs.msg import TFMessage

from racecar.base.errors import MessageError
from racecar.base.frames import ODOM
from racecar.base.types import BodyState, Pose3, Twist3
from racecar.ros import qos, topics
from racecar.ros.codecs.codec import Channel, Codec, Place
from racecar.ros.codecs.transforms import transforms_template
from racecar.ros.listeners import Listeners
from racecar.ros.message_rows import MessageRows
from racecar.ros.node import TableNode
from racecar.ros.odometry_relay import relay_of
from racecar.ros.wire import aligned, LENGTH, MessageTemplate, read_header, reads
from racecar.simulation.ports import Output

_POSE = ('position.x', 'position.y', 'position.z', 'orientation.x', 'orientation.y',
         'orientation.z', 'orientation.w')
_TWIST = tuple(f'twist.twist.{kind}.{axis}' for kind in ('linear', 'angular') for axis in 'xyz')

# Variance of what a planar car does not do (z, roll, pitch): known to be zero, yet not exactly.
_PLANAR_VARIANCE = 1e-9

# Pose and twist, each before its covariance.
_POSE_AND_TWIST = struct.Struct('<7d288x6d288x')


@reads(Odometry)
def read_body_state(data: bytes) -> tuple[BodyState, int]:
    """Pose and twist of a nav_msgs/Odometry and its stamp [ns].

    Raises MessageError, also for NaN and infinity.
    """
    time_ns, _, offset = read_header(data, LENGTH.size)
    offset += LENGTH.size + LENGTH.unpack_from(data, offset)[0]
    numbers = _POSE_AND_TWIST.unpack_from(data, aligned(offset, 8))
    if not all(map(math.isfinite, numbers)):
        raise MessageError(f'pose and twist are {numbers}, expected finite numbers')
    return BodyState(Pose3(*numbers[:7]), Twist3(*numbers[7:])), time_ns


def body_state_rows() -> MessageRows:
    """What makes rows of many messages: stamp [ns], pose and twist."""
    def read_one(data: bytes) -> tuple[float, ...]:
        (pose, twist), stamp_ns = read_body_state(data)
        return stamp_ns, *pose, *twist

    return MessageRows(Odometry, (*(f'pose.pose.{field}' for field in _POSE), *_TWIST), read_one)


class BodyStateCodec(Codec):
    """Pose in odom and twist in the robot's frame.

    The node has the parameters odometry_variance.*, publish_tf and relay_odometry.
    """

    value_type = BodyState
    message_type = Odometry
    topic = topics.ODOMETRY
    profile = qos.ODOMETRY

    def encode(self, node: TableNode, output: Output, place: Place) -> _OdometryChannel:
        """Create the publishers of odometry and, if wanted, of the transform and the relay."""
        return _OdometryChannel(node, output, place)


class _OdometryChannel(Channel):
    """Sends the transform, the relay's odometry, then that which may set off the next tick."""

    is_heard = True

    def __init__(self, node: TableNode, output: Output, place: Place) -> None:
        values = node.values
        frame, odom = place.frame(output.frame), place.frame(ODOM)
        message = Odometry(child_frame_id=frame)
        message.header.frame_id = odom
        _fill_covariances(message, values)
        self._odometry = MessageTemplate(message, (
            'header.stamp', *(f'pose.pose.{field}' for field in _POSE), *_TWIST))
        self._transform = transforms_template([(odom, frame)])
        profile = qos.ODOMETRY_LOCKSTEP if values['lockstep'] else qos.ODOMETRY
        super().__init__(node.create_publisher(Odometry, place.topic(topics.ODOMETRY), profile))
        self._relay = relay_of(node, place, profile)
        # There is none where another node gives the transform.
        self._tf = [node.create_publisher(TFMessage, topics.TF, qos.TF)] \
            if values['publish_tf'] else []
        self._tf_listeners = Listeners(*self._tf)

    def publish(self, sec: int, nanosec: int, value: BodyState) -> None:
        """Send all with a stamp."""
        pose, twist = value
        for index in self._tf_listeners.heard():
            self._tf[index].publish(self._transform.fill(sec, nanosec, *pose))
        odometry = self._odometry.fill(sec, nanosec, *pose, *twist)
        if self._relay is not None:
            self._relay.publish(odometry)
        self.publisher.publish(odometry)


def _fill_covariances(message: Odometry, values: Mapping[str, float]) -> None:
    for covariance, linear, yaw in (
            (message.pose.covariance, values['odometry_variance.position'],
             values['odometry_variance.yaw']),
            (message.twist.covariance, values['odometry_variance.velocity'],
             values['odometry_variance.yaw_rate'])):
        diagonal = (linear, linear, _PLANAR_VARIANCE, _PLANAR_VARIANCE, _PLANAR_VARIANCE, yaw)
        for i, variance in enumerate(diagonal):
            covariance[7 * i] = variance
