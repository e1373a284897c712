# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""One codec for each value type of core that crosses a topic, a file each."""

from __future__ import annotations

from collections.abc import Mapping

from racecar.ros.codecs.ackermann_command import AckermannCommandCodec
from racecar.ros.codecs.body_state import BodyStateCodec, ReckonedStateCodec
from racecar.ros.codecs.body_twist import BodyTwistCodec
from racecar.ros.codecs.camera_image import CameraImageCodec
from racecar.ros.codecs.codec import Channel, Codec, MessageChannel, Place, SensorCodec
from racecar.ros.codecs.collisions import CollisionsCodec
from racecar.ros.codecs.depth_image import DepthImageCodec
from racecar.ros.codecs.encoders import EncodersCodec
from racecar.ros.codecs.imu import ImuCodec
from racecar.ros.codecs.joint_setpoint import JointSetpointCodec
from racecar.ros.codecs.joint_states import JointStatesCodec
from racecar.ros.codecs.lamp_markers import LampMarkersCodec
from racecar.ros.codecs.lamp_switches import LampSwitchesCodec
from racecar.ros.codecs.laser_scan import LaserScanCodec
from racecar.ros.codecs.vehicle_diagnostics import VehicleDiagnosticsCodec
from racecar.ros.codecs.wheel_command import WheelCommandCodec
from racecar.ros.codecs.wheel_speeds import WheelSpeedsCodec
from racecar.ros.codecs.wheel_states import WheelStatesCodec

__all__ = ['CODECS', 'Channel', 'Codec', 'MessageChannel', 'Place', 'SensorCodec']

CODECS: Mapping[type, Codec] = {
    codec.value_type: codec for codec in (
        AckermannCommandCodec(), BodyStateCodec(), BodyTwistCodec(), CameraImageCodec(),
        CollisionsCodec(), DepthImageCodec(), EncodersCodec(), ImuCodec(), JointSetpointCodec(),
        JointStatesCodec(), LampMarkersCodec(), LampSwitchesCodec(), LaserScanCodec(),
        ReckonedStateCodec(), VehicleDiagnosticsCodec(), WheelCommandCodec(), WheelSpeedsCodec(),
        WheelStatesCodec())}
"""By value type; a simulator binds the ports of its plant with these."""
