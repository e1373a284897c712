# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""Names of the topics, relative to a robot's namespace: those of the original, and other sets.

Plain Python: also what runs without ROS (bags, analyses, descriptions of stacks) reads them here.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import NamedTuple

CLOCK = '/clock'
TF, TF_STATIC = 'tf', 'tf_static'

ODOMETRY = 'vesc/odom'
FILTERED_ODOMETRY = 'pf/pose/odom'
"""Odometry of a particle filter, in whose place the simulator is."""
CAR_STATE = 'car_state'
JOINT_STATES = 'joint_states'
ROBOT_DESCRIPTION = 'robot_description'
SCAN = 'scan'
IMU = 'imu/data'
COLLISIONS, IN_COLLISION = 'collisions', 'in_collision'
CAMERA_IMAGE, CAMERA_INFO = 'camera/zed/rgb/image_rect_color', 'camera/zed/rgb/camera_info'
SENSORS: dict[str, tuple[str, ...]] = {
    'laser': (SCAN,), 'imu': (IMU,), 'camera': (CAMERA_IMAGE, CAMERA_INFO)}
"""Topics of the sensor that is called like its kind, by kind; see sensor_topics()."""
MAP = 'map'
WHEEL_SLIP, WHEEL_SLIP_ANGLE = 'long_pub', 'lat_pub'
WHEEL_LONGITUDINAL_FORCE, WHEEL_LATERAL_FORCE = 'fx_pub', 'fy_pub'
WHEELS = (WHEEL_SLIP, WHEEL_SLIP_ANGLE, WHEEL_LONGITUDINAL_FORCE, WHEEL_LATERAL_FORCE)
"""Topics of each wheel, as fx_pub/left_front: the first four fields of WheelState in order."""

REFERENCE_TRAJECTORY = 'reference_trajectory'
REFERENCE_PATH = 'reference_path'
TRACKED_POINT = 'tracked_point'
POINT_AHEAD = 'point_ahead'
VIRTUAL_VELOCITIES = 'virtual_velocities'
INITIAL_POSE = 'initialpose'

MUX_INPUT = 'vesc/ackermann_cmd_mux/input'
NAVIGATION_COMMAND = f'{MUX_INPUT}/navigation'
TELEOP_COMMAND = f'{MUX_INPUT}/teleop'
SAFETY_COMMAND = f'{MUX_INPUT}/safety'
DRIVER_COMMAND = f'{MUX_INPUT}/driver'
DRIVER_HOLD = f'{MUX_INPUT}/driver_hold'
HIGH_LEVEL_MUX = 'vesc/high_level/ackermann_cmd_mux'
LOW_LEVEL_MUX = 'vesc/low_level/ackermann_cmd_mux'
HIGH_LEVEL_OUTPUT = f'{HIGH_LEVEL_MUX}/output'
COMMAND = f'{LOW_LEVEL_MUX}/output'
"""What the simulators obey: the output of the last mux."""
MUX_ACTIVE = f'{LOW_LEVEL_MUX}/active'
MUX_INPUTS: dict[str, dict[str, str]] = {
    HIGH_LEVEL_MUX: {'navigation': NAVIGATION_COMMAND},
    LOW_LEVEL_MUX: {
        'teleop': TELEOP_COMMAND, 'safety': SAFETY_COMMAND,
        'driver': DRIVER_COMMAND, 'driver_hold': DRIVER_HOLD,
        'input/navigation': HIGH_LEVEL_OUTPUT},
}
"""Relative name of each input of a mux below ~/, and the topic that it is joined with."""
WHEEL_COMMAND = 'vesc/wheel_command'

JOINT_COMMANDS = 'racecar'
WORLD_JOINT_STATES = f'{JOINT_COMMANDS}/joint_states'
"""What the original calls JOINT_STATES: beside the controllers of the joints."""

TWIST_COMMAND = 'cmd_vel'
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

_COMMANDS_OF_F1TENTH = {NAVIGATION_COMMAND: 'drive', TELEOP_COMMAND: 'teleop'}

TOPIC_NAMES: dict[str, dict[str, str]] = {
    'racecar': {},
    'f1tenth': {ODOMETRY: 'odom', **_COMMANDS_OF_F1TENTH},
    # f1tenth_gym_ros calls its first car ego_racecar.
    'f1tenth_gym': {ODOMETRY: 'ego_racecar/odom', **_COMMANDS_OF_F1TENTH},
    # On the track controllers take the odometry of a particle filter, whose place the simulator
    # takes: it knows the pose on the map.
    'f1tenth_pf': {ODOMETRY: FILTERED_ODOMETRY, **_COMMANDS_OF_F1TENTH},
    # Robots that take velocities.
    'cmd_vel': {ODOMETRY: TWIST_ODOMETRY},
}
"""Sets of names by their own name: {relative name of this package: name in other software}."""


SHARED_COMMANDS = frozenset((_COMMANDS_OF_F1TENTH[NAVIGATION_COMMAND],))
"""Topics on which several nodes publish commands by design, as the braking lab of F1TENTH."""


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


class RobotTopics(NamedTuple):
    """A robot found by its odometry.

    odometry: full name of the topic. namespace: of its other topics, as /car1, or empty. names:
    the set of TOPIC_NAMES that fits, empty if none does. is_described: whether a reference or a
    robot description lies in the namespace.
    """

    odometry: str
    namespace: str
    names: str
    is_described: bool

    @property
    def rank(self) -> tuple[bool, bool, int]:
        """What goes first among several: described, without namespace, in order of the sets."""
        return not self.is_described, bool(self.namespace), [*TOPIC_NAMES].index(self.names)


def find_robots(
    odometry: Iterable[str], is_there: Callable[[str], bool], *, namespace: str | None = None,
    names: str | None = None,
) -> list[RobotTopics]:
    """Find robots by the full names of odometry topics; those of the least rank come first.

    One topic may fit several sets: /ego_racecar/odom is f1tenth_gym without namespace, or f1tenth
    in the namespace /ego_racecar. A namespace with a reference or description goes first, then the
    longest name, then the set more of whose topics are there.
    is_there: whether there is a topic of a full name. namespace, names: only robots there or with
    this set of names.
    """
    found = []
    for topic in sorted(odometry):
        if topic.endswith(f'/{REFERENCE_TRAJECTORY}'):
            continue
        fitting = [robot for robot in _robots_of(topic, is_there)
                   if namespace in (None, robot.namespace) and names in (None, robot.names)]
        if fitting:
            found.append(min(fitting, key=lambda robot: (
                not robot.is_described, len(robot.namespace), -_present(robot, is_there))))
    return sorted(found, key=lambda robot: robot.rank)


def _robots_of(odometry: str, is_there: Callable[[str], bool]) -> Iterator[RobotTopics]:
    for names, renamed in TOPIC_NAMES.items():
        ending = f'/{renamed.get(ODOMETRY, ODOMETRY)}'
        if odometry.endswith(ending):
            namespace = odometry.removesuffix(ending)
            yield RobotTopics(odometry, namespace, names, any(
                is_there(f'{namespace}/{name}')
                for name in (REFERENCE_TRAJECTORY, ROBOT_DESCRIPTION)))


def _present(robot: RobotTopics, is_there: Callable[[str], bool]) -> int:
    """How many of the commands that its set names are there."""
    commands = [TWIST_COMMAND] if robot.names == 'cmd_vel' else [
        name for topic, name in TOPIC_NAMES[robot.names].items() if topic != ODOMETRY]
    return sum(is_there(f'{robot.namespace}/{name}') for name in commands)
