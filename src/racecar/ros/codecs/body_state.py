# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""Body state: nav_msgs/Odometry, and the transform from odom to the robot on tf."""

from __future__ import annotations

from collections.abc import Mapping
import itertools
import math
import struct

from nav_msgs.msg import Odometry
import numpy as np
from rclpy.qos import QoSProfile
from tf2_msgs.msg import TFMessage

from racecar.base.columns import Array
from racecar.base.errors import MessageError
from racecar.base.frames import MAP
from racecar.base.readings import PlanarVariance, ReckonedState
from racecar.base.types import BodyState, Pose3, Twist3
from racecar.ros import qos, topics
from racecar.ros.codecs.codec import Channel, Codec, MessageChannel, Place
from racecar.ros.codecs.transforms import transforms_template
from racecar.ros.listeners import Listeners
from racecar.ros.message_rows import MessageRows
from racecar.ros.node import TableNode
from racecar.ros.odometry_relay import relays_of
from racecar.ros.wire import aligned, LENGTH, MessageTemplate, read_header, reads
from racecar.simulation.ports import GROUND_TRUTH, Input, Output

_POSE = ('position.x', 'position.y', 'position.z', 'orientation.x', 'orientation.y',
         'orientation.z', 'orientation.w')
_TWIST = tuple(f'twist.twist.{kind}.{axis}' for kind in ('linear', 'angular') for axis in 'xyz')
_FIELDS = ('header.stamp', *(f'pose.pose.{field}' for field in _POSE), *_TWIST)

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
    """Pose in the frame of the odometry and twist in the robot's frame; as ground truth in map.

    The node has the parameters odometry_variance.*, publish_tf, relay_odometry and
    opponent_odometry.
    """

    value_type = BodyState
    message_type = Odometry
    topic = topics.ODOMETRY
    profile = qos.ODOMETRY

    def topic_of(self, port: Input | Output) -> str:
        """Topic of the odometry, or of the true motion beside one that is reckoned."""
        return topics.GROUND_TRUTH if port.name == GROUND_TRUTH else self.topic

    def encode(self, node: TableNode, output: Output, place: Place) -> Channel:
        """Create the publishers of odometry and, if wanted, of the transform and the relay."""
        if output.name != GROUND_TRUTH:
            return _OdometryChannel(node, output, place)
        return MessageChannel(
            node.create_publisher(Odometry, place.topic(topics.GROUND_TRUTH), self.profile),
            MessageTemplate(_message(node, MAP, place.frame(output.frame)), _FIELDS),
            lambda state: (*state.pose, *state.twist))


class ReckonedStateCodec(Codec):
    """Odometry by dead reckoning or late, in the place of that of BodyStateCodec.

    Its covariance is odometry_variance.* and that of the reckoning. With publish_map_to_odom it
    comes with the transform from map to odom for which the robot is where it is.
    """

    value_type = ReckonedState
    message_type = Odometry
    topic = topics.ODOMETRY
    profile = qos.ODOMETRY

    def encode(self, node: TableNode, output: Output, place: Place) -> Channel:
        """Create the publishers of odometry and, if wanted, of the transforms."""
        return _ReckonedChannel(node, output, place)


class _OdometryChannel(Channel):
    """Sends the transform, the odometry of relays, then that which may set off the next tick."""

    is_heard = True

    def __init__(self, node: TableNode, output: Output, place: Place) -> None:
        values = node.values
        frame, odom = place.frame(output.frame), place.odometry
        self._odometry = MessageTemplate(_message(node, odom, frame), _FIELDS)
        self._transform = transforms_template([(odom, frame)])
        profile = _profile(node)
        super().__init__(node.create_publisher(Odometry, place.topic(topics.ODOMETRY), profile))
        self._relays = relays_of(node, place, profile)
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
        for relay in self._relays:
            relay.publish(odometry)
        self.publisher.publish(odometry)


class _ReckonedChannel(Channel):
    """Sends the transforms, then the odometry, which may set off the next tick."""

    is_heard = True

    def __init__(self, node: TableNode, output: Output, place: Place) -> None:
        values = node.values
        frame, odom = place.frame(output.frame), place.odometry
        message = _message(node, odom, frame)
        self._least = np.array([message.pose.covariance, message.twist.covariance])
        self._odometry = MessageTemplate(message, (*_FIELDS, *(
            f'{part}.covariance.{i}' for part in ('pose', 'twist') for i in range(36))))
        profile = _profile(node)
        super().__init__(node.create_publisher(Odometry, place.topic(topics.ODOMETRY), profile))
        self._wanted = (values['publish_map_to_odom'], values['publish_tf'])
        frames = [pair for pair, is_wanted in zip(
            ((MAP, odom), (odom, frame)), self._wanted, strict=True) if is_wanted]
        self._transforms = transforms_template(frames)
        self._tf = [node.create_publisher(TFMessage, topics.TF, qos.TF)] if frames else []
        self._tf_listeners = Listeners(*self._tf)

    def publish(self, sec: int, nanosec: int, value: ReckonedState) -> None:
        """Send all with a stamp."""
        pose, twist = value.body
        for index in self._tf_listeners.heard():
            self._tf[index].publish(self._transforms.fill(*(
                number for shown, is_wanted in zip((value.origin, pose), self._wanted, strict=True)
                if is_wanted for number in (sec, nanosec, *shown))))
        self.publisher.publish(self._odometry.fill(
            sec, nanosec, *pose, *twist, *(self._least + _covariances(value.variance)).ravel()))


def _profile(node: TableNode) -> QoSProfile:
    return qos.ODOMETRY_LOCKSTEP if node.values['lockstep'] else qos.ODOMETRY


def _covariances(variance: PlanarVariance) -> Array:
    """Covariance of pose and twist as messages have them, (2, 36)."""
    *pose, vx, vy, yaw_rate = variance
    planar = np.zeros((2, 6, 6))
    for (i, j), number in zip(itertools.combinations_with_replacement((0, 1, 5), 2), pose,
                              strict=True):
        planar[0, i, j] = planar[0, j, i] = number
    planar[1, (0, 1, 5), (0, 1, 5)] = vx, vy, yaw_rate
    return planar.reshape(2, 36)


def _message(node: TableNode, frame: str, child: str) -> Odometry:
    """Message with frames and the covariances of the parameters."""
    message = Odometry(child_frame_id=child)
    message.header.frame_id = frame
    _fill_covariances(message, node.values)
    return message


def _fill_covariances(message: Odometry, values: Mapping[str, float]) -> None:
    for covariance, linear, yaw in (
            (message.pose.covariance, values['odometry_variance.position'],
             values['odometry_variance.yaw']),
            (message.twist.covariance, values['odometry_variance.velocity'],
             values['odometry_variance.yaw_rate'])):
        diagonal = (linear, linear, _PLANAR_VARIANCE, _PLANAR_VARIANCE, _PLANAR_VARIANCE, yaw)
        for i, variance in enumerate(diagonal):
            covariance[7 * i] = variance


CODECS = (BodyStateCodec(), ReckonedStateCodec())
