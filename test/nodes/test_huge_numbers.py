# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""Finite numbers of any size on whatever a node listens to: none of them ends it."""

from collections.abc import Callable
import math

from ackermann_msgs.msg import AckermannDriveStamped
from geometry_msgs.msg import Quaternion
from nav_msgs.msg import Odometry
from node_bench import dynamic_linearizer, kinematic_linearizer, odometry, RACECAR, RACECAR_DRIVER
import pytest
from rclpy.node import Node
from rclpy.serialization import serialize_message
from sensor_msgs.msg import JointState, Joy, LaserScan
from std_msgs.msg import String
from std_srvs.srv import Trigger

from racecar.base.parameter_file import load_parameter_file
from racecar.base.share import find_config
from racecar.nodes.ackermann_mux import AckermannMuxNode
from racecar.nodes.differential_linearizer import DifferentialLinearizerNode
from racecar.nodes.differential_wheels_simulator import DifferentialWheelsSimulatorNode
from racecar.nodes.driver_bridge import DriverBridgeNode
from racecar.nodes.emergency_brake import EmergencyBrakeNode
from racecar.nodes.gap_follower import GapFollowerNode
from racecar.nodes.joy_teleop import JoyTeleopNode
from racecar.nodes.servo_commands import ServoCommandsNode
from racecar.nodes.single_track_simulator import SingleTrackSimulatorNode
from racecar.nodes.trajectory_tracker import TrajectoryTrackerNode
from racecar.ros.interfaces import Reset, SetFloat

pytestmark = pytest.mark.ros

NUMBERS = (3.4e38, 1e39, 1.7e308, 5e-324)
ROBOT = load_parameter_file(find_config('robots/pioneer'), 'differential_wheels_simulator')
JOINTS = ('left_front_wheel_joint', 'right_front_wheel_joint', 'left_rear_wheel_joint',
          'right_rear_wheel_joint', 'left_steering_hinge_joint', 'right_steering_hinge_joint')
NODES: dict[Callable[..., Node], dict[str, object]] = {
    AckermannMuxNode: {'config_file': 'mux/low_level'},
    DifferentialLinearizerNode: {},
    DifferentialWheelsSimulatorNode: {**ROBOT, 'paused': True},
    DriverBridgeNode: RACECAR_DRIVER,
    dynamic_linearizer: RACECAR,
    EmergencyBrakeNode: RACECAR,
    GapFollowerNode: RACECAR,
    JoyTeleopNode: {},
    kinematic_linearizer: RACECAR,
    ServoCommandsNode: RACECAR,
    SingleTrackSimulatorNode: {**RACECAR, 'paused': True, 'vehicle_model': 'double_track'},
    TrajectoryTrackerNode: {**RACECAR, 'active': True, 'trajectory': 'line', 'a_coeff': 1.0}}


def filled(message_type, number):
    """Return a message all of whose numbers are this one, with unit quaternions."""
    single = max(min(number, 3.4e38), -3.4e38)
    if message_type is JointState:
        return JointState(name=[*JOINTS], position=[number] * 6, velocity=[number] * 6)
    if message_type is LaserScan:
        return LaserScan(angle_min=-1.5, angle_max=1.5, angle_increment=0.05, range_max=single,
                         ranges=[abs(single)] * 61)
    if message_type is Joy:
        return Joy(axes=[single] * 8, buttons=[1] * 12)
    message = message_type()
    for name, kind in message.get_fields_and_field_types().items():
        if kind == 'double':
            setattr(message, name, number)
        elif kind == 'float':
            setattr(message, name, single)
        elif kind.startswith('double['):
            setattr(message, name, [number] * len(getattr(message, name)))
        elif '/' in kind and '<' not in kind and kind not in (
                'std_msgs/Header', 'builtin_interfaces/Time'):
            value = getattr(message, name)
            setattr(message, name, Quaternion(w=1.0) if isinstance(value, Quaternion)
                    else filled(type(value), number))
    return message


def tell(subscription, message):
    """Let a node hear a message at once, as the executor does."""
    subscription.callback(serialize_message(message) if subscription.raw else message)


@pytest.mark.parametrize('node_class', NODES, ids=lambda node_class: node_class.__name__)
def test_no_number_ends_a_node(bench, node_class):
    simulates = node_class in (SingleTrackSimulatorNode, DifferentialWheelsSimulatorNode)
    node = bench.start(node_class, use_sim_time=not simulates, **NODES[node_class])
    if simulates:
        bench.until(lambda: node.waits_for().startswith('paused'), 'the start')
    else:
        bench.set_clock(1.0)
    if node_class is DriverBridgeNode:
        bench.call('/driver/set_throttle', SetFloat, value=0.5)
    heard = [row for row in node.subscriptions
             if row.topic_name != '/clock' and row.msg_type is not String]
    assert heard
    for number in (sign * value for value in NUMBERS for sign in (1.0, -1.0)):
        for row in heard:
            tell(row, filled(row.msg_type, number))
            # Together with others that are as they should be, too.
            for other in heard:
                if other.msg_type is Odometry:
                    tell(other, odometry(1.0))
        if simulates:
            assert bench.call(f'/{node.get_name()}/step', Trigger).message
            assert bench.call(f'/{node.get_name()}/reset', Reset).success


def test_odometry_too_fast_for_a_command_makes_one_that_is_not_finite(bench):
    holds = bench.listen('/vesc/ackermann_cmd_mux/input/driver_hold', AckermannDriveStamped)
    node = bench.start(DriverBridgeNode, **RACECAR_DRIVER)
    bench.set_clock(1.0)
    bench.call('/driver/set_throttle', SetFloat, value=0.5)
    bench.send('/vesc/odom', odometry(1.0, vx=-1e39))
    assert bench.count(holds, 1).drive.speed == -math.inf
    assert node.waits_for() == ''
