# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""Names of the topics, relative to a robot's namespace; racecar.ros.topics.sets has other ones.

Plain Python: also what runs without ROS (bags, analyses, descriptions of stacks) reads them here.
"""

from __future__ import annotations

CLOCK = '/clock'
DIAGNOSTICS = '/diagnostics'
"""Of all robots, as tools expect it."""
TF, TF_STATIC = 'tf', 'tf_static'

ODOMETRY = 'vesc/odom'
FILTERED_ODOMETRY = 'pf/pose/odom'
"""Odometry of a particle filter, in whose place the simulator is."""
OPPONENT_ODOMETRY = 'opponent/odom'
"""Odometry of the other one of two cars."""
GROUND_TRUTH = 'ground_truth/odom'
"""The true motion, where ODOMETRY is reckoned."""
CAR_STATE = 'car_state'
JOINT_STATES = 'joint_states'
ROBOT_DESCRIPTION = 'robot_description'
SCAN = 'scan'
IMU = 'imu/data'
LAPS = 'laps'
RACE_STATE, RACE_EVENTS = 'race/state', 'race/events'
RACE_LOOKS, RACE_ORDERS = 'race/looks', 'race/orders'
"""What race control sees of all cars in lockstep, and its answer."""
COLLISIONS, IN_COLLISION = 'collisions', 'in_collision'
RETIRED = 'retired'
"""Of one of several robots: why it takes no part any more until it is reset, empty if it does."""
CAMERA_IMAGE, CAMERA_INFO = 'camera/zed/rgb/image_rect_color', 'camera/zed/rgb/camera_info'
SENSORS: dict[str, tuple[str, ...]] = {
    'laser': (SCAN,), 'imu': (IMU,), 'camera': (CAMERA_IMAGE, CAMERA_INFO),
    'depth': ('camera/zed/depth/depth_registered', 'camera/zed/depth/camera_info')}
"""Topics of the sensor that is called like its kind, by kind; see sensor_topics()."""
MAP = 'map'
WHEEL_SLIP, WHEEL_SLIP_ANGLE = 'long_pub', 'lat_pub'
WHEEL_LONGITUDINAL_FORCE, WHEEL_LATERAL_FORCE = 'fx_pub', 'fy_pub'
WHEELS = (WHEEL_SLIP, WHEEL_SLIP_ANGLE, WHEEL_LONGITUDINAL_FORCE, WHEEL_LATERAL_FORCE)
"""Topics of each wheel, as fx_pub/left_front: the first four fields of WheelState in order."""

REFERENCE_TRAJECTORY = 'reference_trajectory'
REFERENCE_PATH = 'reference_path'
PATH = 'path'
TRACKED_POINT = 'tracked_point'
POINT_AHEAD = 'point_ahead'
VIRTUAL_VELOCITIES = 'virtual_velocities'
INITIAL_POSE = 'initialpose'
POSE = 'pose'
"""Where the robot is to be put, without a header, as the simulator of MIT RSS has it."""

TWIST_COMMAND = 'cmd_vel'
MUX_INPUT = 'vesc/ackermann_cmd_mux/input'
NAVIGATION_COMMAND = f'{MUX_INPUT}/navigation'
TELEOP_COMMAND = f'{MUX_INPUT}/teleop'
RACE_COMMAND = f'{MUX_INPUT}/race'
"""By which race control holds a car, over all sources of the low-level mux."""
SAFETY_COMMAND = f'{MUX_INPUT}/safety'
SAFETY_CLEAR = f'{MUX_INPUT}/safety_clear'
"""That the safety node has nothing against what the others command."""
DRIVER_COMMAND = f'{MUX_INPUT}/driver'
DRIVER_HOLD = f'{MUX_INPUT}/driver_hold'
HIGH_LEVEL_MUX = 'vesc/high_level/ackermann_cmd_mux'
LOW_LEVEL_MUX = 'vesc/low_level/ackermann_cmd_mux'
HIGH_LEVEL_OUTPUT = f'{HIGH_LEVEL_MUX}/output'
COMMAND = f'{LOW_LEVEL_MUX}/output'
"""What the simulators obey: the output of the last mux."""
MUX_ACTIVE = f'{LOW_LEVEL_MUX}/active'
MUX_INPUTS: dict[str, dict[str, str]] = {
    HIGH_LEVEL_MUX: {'navigation': NAVIGATION_COMMAND, TWIST_COMMAND: TWIST_COMMAND},
    LOW_LEVEL_MUX: {
        'teleop': TELEOP_COMMAND, 'safety': SAFETY_COMMAND, 'safety_clear': SAFETY_CLEAR,
        'driver': DRIVER_COMMAND, 'driver_hold': DRIVER_HOLD,
        'input/navigation': HIGH_LEVEL_OUTPUT},
}
"""Relative name of each input of a mux below ~/, and the topic that it is joined with."""
WHEEL_COMMAND = 'vesc/wheel_command'

JOINT_COMMANDS = 'racecar'
WORLD_JOINT_STATES = f'{JOINT_COMMANDS}/joint_states'
"""What the original calls JOINT_STATES: beside the controllers of the joints."""

TWIST_ODOMETRY = 'odom'
"""What robots that are driven by TWIST_COMMAND call ODOMETRY."""
WHEEL_SPEEDS = 'wheel_speeds'
ENCODERS = ('encoders/left', 'encoders/right')
JOY = 'joy'
"""Axes and buttons of a joystick, as joy_node of ROS publishes them."""

DRIVER_PEDALS = 'driver/command'
DRIVER_STATE = 'driver/state'
DRIVER_CAR_INFO = 'driver/car_info'
DRIVER_LAMPS = 'driver/lamps'
"""Which lamps are switched on: what the simulators obey."""
LAMP_MARKERS = 'lamp_markers'
"""The lamps as they shine, for RViz."""


def joint_command(controller: str) -> str:
    """Topic of the set-points of a joint's controller."""
    return f'{JOINT_COMMANDS}/{controller}_controller/command'


def sensor_topics(name: str, kind: str) -> tuple[str, ...]:
    """Topics of a sensor: those of its kind if it is called like it, else below its own name.

    A laser `rear` has rear/scan, a camera `left` has left/image_rect_color and left/camera_info. A
    kind that SENSORS does not have has one topic, which is called like it.
    """
    topics = SENSORS.get(kind, (kind,))
    return topics if name == kind else tuple(
        f'{name}/{topic.rpartition("/")[2]}' for topic in topics)
