# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""3-D world simulator: in the place of Gazebo, its controllers and plugins."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Unpack

from racecar.base.compiled import announce_compilation
from racecar.base.errors import ConfigurationError
from racecar.catalogue import node_names
from racecar.catalogue.simulators.world import WORLD_SIMULATOR
from racecar.faults.plant import stamps_of, with_faults
from racecar.nodes.shared.standard_services import offer_standard_services
from racecar.ros.node import NodeOptions
from racecar.ros.simulator_node import SimulatorNode
from racecar.sensors.equipment import equip
from racecar.simulation.fleet_file import values_of_cars
from racecar.simulation.ports import Plant
from racecar.world.make_world import make_world_plant
from racecar.world.world_parameters import ACKERMANN, WHEEL_CONTROLLERS, WHEEL_TORQUES


def make_plant(values: Mapping[str, object], log: Callable[[str], object]) -> Plant:
    """Build the world from resolved parameter values; log tells of a first compilation."""
    if values['lockstep'] and values['command_interface'] == WHEEL_CONTROLLERS:
        raise ConfigurationError(
            f'command_interface is {WHEEL_CONTROLLERS}, whose messages have no stamp, but lockstep'
            f' awaits stamped answers: use {ACKERMANN} or {WHEEL_TORQUES}, or no lockstep')
    announce_compilation(log)
    cars = values_of_cars(values, WORLD_SIMULATOR)
    return with_faults(equip(
        make_world_plant(values, cars=cars), values, [car.values for car in cars]), values)


class WorldSimulatorNode(SimulatorNode):
    """Simulates a car in a world by MuJoCo: body, wheels, suspension, steering and contacts.

    Subscribes: vesc/low_level/ackermann_cmd_mux/output (ackermann_msgs/AckermannDriveStamped);
    with command_interface wheel_torques also vesc/wheel_command (racecar_interfaces/WheelCommand);
    with wheel_controllers instead racecar/<joint>_controller/command (std_msgs/Float64) of four
    wheels (<wheel>_wheel_velocity, rad/s) and two hinges (<side>_steering_hinge_position, rad);
    initialpose (geometry_msgs/PoseWithCovarianceStamped), driver/lamps
    (racecar_interfaces/LampSwitches, latched).
    Publishes: vesc/odom (nav_msgs/Odometry, base_link in odom, in three dimensions), car_state
    (racecar_interfaces/CarState, centre of gravity), joint_states (sensor_msgs/JointState), tf
    (odom -> base_link, wheels and hinges), tf_static (map -> odom, base_link -> cog, links that do
    not move), robot_description (std_msgs/String: URDF of the vehicle), /clock; for each wheel of
    WHEEL_NAMES long_pub/<wheel> (longitudinal slip [-]), lat_pub/<wheel> (slip angle [rad]),
    fx_pub/<wheel> and fy_pub/<wheel> (forces [N]), std_msgs/Float64 as in WheelState. In a world
    that is not empty: map (nav_msgs/OccupancyGrid, latched), collisions (std_msgs/UInt32) and
    in_collision (std_msgs/Bool), both latched. With these sensors: scan (sensor_msgs/LaserScan),
    imu/data (sensor_msgs/Imu), camera/zed/rgb/image_rect_color (sensor_msgs/Image, bgr8) and
    camera/zed/rgb/camera_info (sensor_msgs/CameraInfo). A further sensor KIND:NAME has
    them below its name, as rear/scan. lamp_markers (visualization_msgs/MarkerArray, latched)
    shows the lamps to RViz. With an odometry.source that is not the truth: ground_truth/odom
    (nav_msgs/Odometry, base_link in map), and map -> odom on tf in place of tf_static.
    Of several robots (cars) each has its topics below its name, and retired (std_msgs/String,
    latched): why it takes no part any more until it is reset.
    Services: ~/reset (racecar_interfaces/Reset), ~/pause (std_srvs/SetBool), ~/step
    (std_srvs/Trigger).
    Parameters: racecar.catalogue.simulators.world.WORLD_SIMULATOR.
    """

    def __init__(self, **options: Unpack[NodeOptions]) -> None:
        """Raise ParameterError or ConfigurationError for what cannot be simulated."""
        super().__init__(node_names.WORLD_SIMULATOR, WORLD_SIMULATOR, make_plant, **options)
        self.stamp_of = stamps_of(self.values)
        offer_standard_services(self)
