# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""The tap: hears what a stack publishes, gives it to the cockpit, and does what pages ask."""

from __future__ import annotations

from collections.abc import Callable, Mapping
import os
import time
from typing import Any

from ackermann_msgs.msg import AckermannDriveStamped
from geometry_msgs.msg import PointStamped, TwistStamped
from nav_msgs.msg import OccupancyGrid as OccupancyGridMessage
from nav_msgs.msg import Odometry as OdometryMessage
from nav_msgs.msg import Path as PathMessage
import numpy as np
from rcl_interfaces.msg import Log
from rclpy.clock import Clock, ClockType
from rclpy.node import Node
from rclpy.qos import QoSProfile
from rclpy.qos import qos_profile_rosout_default
from sensor_msgs.msg import JointState, LaserScan
from std_msgs.msg import String

from racecar.clients.tap.driver import DriverControls
from racecar.clients.tap.driving import Driving
from racecar.clients.tap.muxes import Muxes
from racecar.clients.tap.parameters import ParameterWatch
from racecar.clients.tap.pictures import Pictures
from racecar.clients.tap.samples import Samples
from racecar.clients.tap.server_link import ServerLink
from racecar.clients.tap.services import Services
from racecar.clients.tap.simulation import Simulation
from racecar.clients.tap.stack_graph import full_name, look_around, StackGraph
from racecar.cockpit.frames import json_frame, read_json, scan_frame, state_frame
from racecar.cockpit.robot_message import PLAIN_ROBOT, robot_frames
from racecar.cockpit.scene_message import grid_frame, path_frame, scene_frame
from racecar.core.description.robot_tree import RobotTree
from racecar.core.description.urdf import read_urdf
from racecar.core.errors import ConfigurationError, MessageError, RacecarError
from racecar.core.types import NANOSECONDS, Pose2, quaternion_to_yaw
from racecar.core.world.grid_map import OccupancyGrid
from racecar.core.world.world_choice import scene_of, WORLD_PARAMETER
from racecar.ros import qos, topics
from racecar.ros.codecs.ackermann_command import read_command
from racecar.ros.codecs.body_state import read_body_state
from racecar.ros.codecs.joint_states import read_joint_states
from racecar.ros.codecs.laser_scan import read_scan
from racecar.ros.codecs.odometry import read_finite_odometry
from racecar.ros.raw_subscription import subscribe_raw

ROBOT = 0

_BATCH_PERIOD = 1.0 / 60.0
_SLOW_PERIOD = 0.2
# The graph is asked for often only at first: to ask takes some milliseconds.
_EAGER_LOOKS, _LOOK_EVERY = 25, 10
_SCAN_PERIOD = 1.0 / 15.0
# Who describes a robot does it with its first odometry.
_DESCRIPTION_PATIENCE = 2.0

_LEVELS = {10: 'debug', 20: 'info', 30: 'warn', 40: 'error', 50: 'fatal'}
