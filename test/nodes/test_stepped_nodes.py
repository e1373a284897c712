# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""What the cockpit runs without ROS has the bits of the nodes in lockstep, whoever drives.

Those that follow a trajectory: test_lockstep.py and its kin compare nodes with `simulate`,
test/simulation/test_stepped_stack.py compares `simulate` with what is stepped.
"""

from ackermann_msgs.msg import AckermannDriveStamped
from nav_msgs.msg import Odometry
from node_bench import Bench
import pytest
from rclpy.serialization import deserialize_message

from racecar.base.types import AckermannCommand, BodyState, NANOSECONDS, Pose3, Twist3
from racecar.catalogue import node_names
from racecar.ros import qos
from racecar.ros.interfaces import SetFloat, SetGear
from racecar.ros.node import TableNode
from racecar.stacks import STACKS
from racecar.stacks.composing import make_node
from racecar.stacks.options import StackOptions
from racecar.stacks.stepped.stepped_stack import describe_stepped, SteppedStack

pytestmark = pytest.mark.ros

SECONDS = 2.0
THROTTLE, STEERING, SPEED = 0.5, 0.125, 1.5
OTHERS = [name for name, stack in STACKS.items()
          if not stack.closes_loop and name not in ('plant', 'differential_plant')]
OPTIONS = StackOptions(real_time_factor=0.0, end_time=SECONDS)


def nodes_in_lockstep(name):
    """Motion of each odometry that the nodes publish, by its stamp [ns]."""
    heard: dict[int, BodyState] = {}

    def hear(data):
        message = deserialize_message(data, Odometry)
        pose, twist, stamp = message.pose.pose, message.twist.twist, message.header.stamp
        # Until it is answered the first one comes again and again.
        heard[stamp.sec * NANOSECONDS + stamp.nanosec] = BodyState(
            Pose3(*numbers(pose.position, 'xyz'), *numbers(pose.orientation, 'xyzw')),
            Twist3(*numbers(twist.linear, 'xyz'), *numbers(twist.angular, 'xyz')))

    with Bench() as bench:
        nodes = {d.executable: make_node(d) for d in describe_stepped(name, OPTIONS)
                 if d.executable != node_names.ACKERMANN_MUX}
        muxes = [make_node(d) for d in describe_stepped(name, OPTIONS)
                 if d.executable == node_names.ACKERMANN_MUX]
        if node_names.DRIVER_BRIDGE in nodes:
            # Before anybody else works, so that the first odometry is answered so already.
            bench.add(nodes[node_names.DRIVER_BRIDGE])
            assert bench.call('/driver/set_gear', SetGear, gear=1).success
            for service, value in (
                    ('set_throttle', THROTTLE), ('set_steering_angle', STEERING)):
                assert bench.call(f'/driver/{service}', SetFloat, value=value).success
        if name.startswith('teleop'):
            answer_by_hand(bench)
        simulator: TableNode = nodes[STACKS[name].simulator]
        assert simulator.observe('/vesc/odom', hear)
        for node in (*muxes, *nodes.values()):
            if node not in bench.nodes:
                bench.add(node)
        bench.until(lambda: max(heard, default=0) >= SECONDS * NANOSECONDS, 'the end')
    return heard


def numbers(part, names):
    return [getattr(part, name) for name in names]


def answer_by_hand(bench):
    """Let the probe answer each odometry with the command of a person."""
    publisher = bench.probe.create_publisher(
        AckermannDriveStamped, '/vesc/ackermann_cmd_mux/input/teleop', qos.COMMAND)

    def answer(odometry):
        message = AckermannDriveStamped(header=odometry.header)
        message.drive.speed, message.drive.steering_angle = SPEED, STEERING
        publisher.publish(message)

    bench.probe.create_subscription(Odometry, '/vesc/odom', answer, qos.ODOMETRY_LOCKSTEP)


def stepped(name):
    """The same without ROS."""
    stack = SteppedStack(name, OPTIONS, lambda *_: None)
    if stack.first.driver is not None:
        stack.first.driver.controls.set_gear(1)
        stack.first.driver.controls.set_throttle(THROTTLE)
        stack.first.driver.controls.set_steering_angle(STEERING)
    elif name.startswith('teleop'):
        stack.first.person = AckermannCommand(SPEED, STEERING)
    found = {}
    while True:
        for instant in stack.answer():
            found[instant.time_ns] = instant.state
        if stack.simulator.time_ns >= SECONDS * NANOSECONDS:
            return found
        stack.advance()


@pytest.mark.parametrize('name', OTHERS)
def test_each_odometry_is_that_of_the_nodes_in_lockstep(name):
    found, expected = stepped(name), nodes_in_lockstep(name)
    assert found == expected
    assert len(found) > 20 * SECONDS
    assert abs(found[SECONDS * NANOSECONDS].twist.vx) > 0.2
