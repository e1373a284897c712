# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""Simulator of a differential-drive robot: DifferentialWheels of the Webots documents."""

from __future__ import annotations

from collections.abc import Callable, Mapping
import math
from typing import Unpack

from std_srvs.srv import SetBool

from racecar.base.compiled import announce_compilation
from racecar.base.errors import ConfigurationError
from racecar.base.types import BodyTwist
from racecar.catalogue import node_names
from racecar.catalogue.tables import DIFFERENTIAL_WHEELS_SIMULATOR
from racecar.differential.plant import make_robot_plant, RobotPlant
from racecar.faults.plant import stamps_of, with_faults
from racecar.nodes.shared.standard_services import offer_standard_services
from racecar.ros.codecs import Codec, CODECS
from racecar.ros.codecs.body_twist import PlainTwistCodec
from racecar.ros.interfaces import SetFloat
from racecar.ros.node import NodeOptions
from racecar.ros.simulator_node import SimulatorNode
from racecar.sensors.equipment import equip
from racecar.simulation.ports import Plant


class DifferentialWheelsSimulatorNode(SimulatorNode):
    """Simulates a differential-drive robot, in the plane or in the 3-D world.

    Subscribes: cmd_vel (geometry_msgs/TwistStamped; Twist if the parameter stamped_cmd_vel is
    false), wheel_speeds (sensor_msgs/JointState, velocities of both wheel joints [rad/s]; of both
    kinds of commands the last one governs), initialpose
    (geometry_msgs/PoseWithCovarianceStamped).
    Publishes: odom (nav_msgs/Odometry, as vesc/odom without the remapping of the stack: base_link
    in odom), joint_states (sensor_msgs/JointState: both wheels), encoders/left and encoders/right
    (std_msgs/Float64, counts, while the robot's encoders are enabled), tf (odom -> base_link and
    wheels), tf_static, robot_description (std_msgs/String: URDF), /clock. In a world that is not
    empty: map (nav_msgs/OccupancyGrid, latched), collisions (std_msgs/UInt32) and in_collision
    (std_msgs/Bool), both latched. With these sensors: scan (sensor_msgs/LaserScan), imu/data
    (sensor_msgs/Imu), camera/zed/rgb/image_rect_color (sensor_msgs/Image, bgr8) and
    camera/zed/rgb/camera_info (sensor_msgs/CameraInfo). A further sensor KIND:NAME has
    them below its name, as rear/scan.
    Services: ~/reset (racecar_interfaces/Reset), ~/pause and ~/enable_encoders (std_srvs/SetBool),
    ~/step (std_srvs/Trigger), ~/set_left_encoder and ~/set_right_encoder
    (racecar_interfaces/SetFloat, counts).
    Parameters: racecar.catalogue.tables.DIFFERENTIAL_WHEELS_SIMULATOR.
    """

    def __init__(self, **options: Unpack[NodeOptions]) -> None:
        """Raise ParameterError or ConfigurationError for what cannot be simulated."""
        codecs: dict[type, Codec] = dict(CODECS)

        def make_plant(values: Mapping[str, object], log: Callable[[str], object]) -> Plant:
            if not values['stamped_cmd_vel']:
                if values['lockstep']:
                    raise ConfigurationError(
                        'stamped_cmd_vel is false, but lockstep awaits stamped answers: leave it'
                        ' true, or do without lockstep')
                codecs[BodyTwist] = PlainTwistCodec()
            announce_compilation(log)
            self._robot: RobotPlant = make_robot_plant(values)
            return with_faults(equip(self._robot, values), values)

        super().__init__(
            node_names.DIFFERENTIAL_WHEELS_SIMULATOR, DIFFERENTIAL_WHEELS_SIMULATOR, make_plant,
            codecs, **options)
        self.stamp_of = stamps_of(self.values)
        offer_standard_services(self)
        self.create_service(SetBool, '~/enable_encoders', self._on_enable_encoders)
        self.create_service(SetFloat, '~/set_left_encoder', self._on_set_left_encoder)
        self.create_service(SetFloat, '~/set_right_encoder', self._on_set_right_encoder)

    def _without_encoders(self) -> str:
        """Why there is nothing to count with; empty if there is."""
        robot = self._robot.motion.robot
        return '' if robot.has_encoders else (
            f'{robot.name} has no encoders: give robot.encoder_noise and robot.encoder_resolution'
            ' numbers of at least 0')

    def _on_enable_encoders(
            self, request: SetBool.Request, response: SetBool.Response) -> SetBool.Response:
        missing = self._without_encoders()
        if not missing:
            self._robot.encoders_enabled = request.data
        response.success = not missing
        response.message = missing or ('enabled' if request.data else 'disabled')
        return response

    def _on_set_left_encoder(
            self, request: SetFloat.Request, response: SetFloat.Response) -> SetFloat.Response:
        return self._set_counts(request.value, self._robot.motion.state.right_count, request.value,
                                response)

    def _on_set_right_encoder(
            self, request: SetFloat.Request, response: SetFloat.Response) -> SetFloat.Response:
        return self._set_counts(self._robot.motion.state.left_count, request.value, request.value,
                                response)

    def _set_counts(
        self, left: float, right: float, wanted: float, response: SetFloat.Response,
    ) -> SetFloat.Response:
        problem = self._without_encoders()
        if not problem and not math.isfinite(wanted):
            problem = f'count is {wanted!r}, expected a finite number; nothing changed'
        if not problem:
            self._robot.motion.set_counts(left, right)
        response.success = not problem
        response.message = problem or f'encoders count on from {left:g} and {right:g}'
        return response
