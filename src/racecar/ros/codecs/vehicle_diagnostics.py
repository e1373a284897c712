# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""Vehicle diagnostics: racecar_interfaces/CarState."""

from __future__ import annotations

from racecar.base.types import VehicleDiagnostics
from racecar.ros import qos, topics
from racecar.ros.codecs.codec import Codec, MessageChannel, Place
from racecar.ros.interfaces import CarState
from racecar.ros.node import TableNode
from racecar.ros.wire import MessageTemplate
from racecar.simulation.ports import Output

# Fields of the message in the order of VehicleDiagnostics.
_FIELDS = (
    'x', 'y', 'yaw', 'longitudinal_velocity', 'lateral_velocity', 'yaw_rate', 'sideslip_angle',
    'lateral_acceleration', 'slip_angle_front', 'slip_angle_rear', 'lateral_force_front',
    'lateral_force_rear', 'speed_command', 'steering_angle')


class VehicleDiagnosticsCodec(Codec):
    """Motion of the centre of gravity, slip angles and lateral forces of the axles."""

    value_type = VehicleDiagnostics
    message_type = CarState
    topic = topics.CAR_STATE
    profile = qos.STATE

    def encode(self, node: TableNode, output: Output, place: Place) -> MessageChannel:
        """Create the publisher."""
        message = CarState()
        message.header.frame_id = place.odometry
        return MessageChannel(
            node.create_publisher(CarState, place.topic(self.topic), self.profile),
            MessageTemplate(message, ('header.stamp', *_FIELDS)), tuple)


CODECS = (VehicleDiagnosticsCodec(),)
