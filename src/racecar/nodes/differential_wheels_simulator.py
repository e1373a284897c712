# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""Simulator of a differential-drive robot: DifferentialWheels of the Webots documents."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
import math
from typing import Unpack

from std_srvs.srv import SetBool

from racecar.base.compiled import announce_compilation
from racecar.base.errors import ConfigurationError
from racecar.base.types import BodyTwist
from racecar.catalogue import node_names
from racecar.catalogue.simulators.differential_wheels import DIFFERENTIAL_WHEELS_SIMULATOR
from racecar.differential.parameters import ROBOTS
from racecar.differential.plant import RobotPlant
from racecar.differential.robot_fleet import make_robots_plant
from racecar.faults.plant import stamps_of, with_faults
from racecar.nodes.shared.standard_services import offer_standard_services
from racecar.ros.codecs.body_twist import PlainTwistCodec
from racecar.ros.codecs.codec import Codec
from racecar.ros.codecs.registry import CODECS
from racecar.ros.interfaces import SetFloat
from racecar.ros.node import NodeOptions
from racecar.ros.simulator_node import SimulatorNode
from racecar.sensors.equipment import equip
from racecar.simulation.fleet_file import values_of_cars
from racecar.simulation.ports import Plant


class DifferentialWheelsSimulatorNode(SimulatorNode):
    """Simulates differential-drive robots, in the plane or in the 3-D world.

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
    Of several robots (cars) each has its topics below its name, and retired (std_msgs/String,
    latched): why it takes no part any more until it is reset.
    Services: ~/reset (racecar_interfaces/Reset), ~/pause and ~/enable_encoders (std_srvs/SetBool),
    ~/step (std_srvs/Trigger), ~/set_left_encoder and ~/set_right_encoder
    (racecar_interfaces/SetFloat, counts); of several robots for each, as ~/red/enable_encoders.
    Parameters: racecar.catalogue.simulators.differential_wheels.DIFFERENTIAL_WHEELS_SIMULATOR.
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
            cars = values_of_cars(values, DIFFERENTIAL_WHEELS_SIMULATOR, ROBOTS)
            plant = make_robots_plant(cars)
            self._robots = plant.robots
            return with_faults(equip(plant, values, [car.values for car in cars]), values)

        super().__init__(
            node_names.DIFFERENTIAL_WHEELS_SIMULATOR, DIFFERENTIAL_WHEELS_SIMULATOR, make_plant,
            codecs, **options)
        self.stamp_of = stamps_of(self.values)
        offer_standard_services(self)
        for name, robot in self._robots.items():
            below = f'~/{name}/' if name else '~/'
            self.create_service(
                SetBool, f'{below}enable_encoders', partial(_on_enable_encoders, robot))
            for side in ('left', 'right'):
                self.create_service(
                    SetFloat, f'{below}set_{side}_encoder', partial(_on_set_encoder, robot, side))


def _without_encoders(robot: RobotPlant) -> str:
    """Why there is nothing to count with; empty if there is."""
    parameters = robot.motion.robot
    return '' if parameters.has_encoders else (
        f'{parameters.name} has no encoders: give robot.encoder_noise and robot.encoder_resolution'
        ' numbers of at least 0')


def _on_enable_encoders(
    robot: RobotPlant, request: SetBool.Request, response: SetBool.Response,
) -> SetBool.Response:
    missing = _without_encoders(robot)
    if not missing:
        robot.encoders_enabled = request.data
    response.success = not missing
    response.message = missing or ('enabled' if request.data else 'disabled')
    return response


def _on_set_encoder(
    robot: RobotPlant, side: str, request: SetFloat.Request, response: SetFloat.Response,
) -> SetFloat.Response:
    state, problem = robot.motion.state, _without_encoders(robot)
    counts = {'left': state.left_count, 'right': state.right_count, side: request.value}
    if not problem and not math.isfinite(request.value):
        problem = f'count is {request.value!r}, expected a finite number; nothing changed'
    if not problem:
        robot.motion.set_counts(**counts)
    response.success = not problem
    response.message = problem or (
        f"encoders count on from {counts['left']:g} and {counts['right']:g}")
    return response
