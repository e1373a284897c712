# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""Nodes of a differential-drive robot: commands, outputs, services, lockstep as without ROS."""

from contextlib import redirect_stdout
import io
import json
import math

from geometry_msgs.msg import Twist, TwistStamped
from hypothesis import given
from hypothesis import strategies as st
from mcap.reader import make_reader
from nav_msgs.msg import OccupancyGrid, Odometry
from node_bench import stamp
import pytest
from rclpy.serialization import serialize_message
from sensor_msgs.msg import JointState, LaserScan
from std_msgs.msg import Float64, String, UInt32
from std_srvs.srv import SetBool
from tf2_msgs.msg import TFMessage

from racecar.base.errors import ConfigurationError, MessageError
from racecar.base.parameter_file import load_parameter_file
from racecar.base.share import find_config
from racecar.base.types import BodyTwist, TWO_WHEEL_JOINTS, WheelSpeeds
from racecar.cli.main import main
from racecar.nodes.differential_linearizer import DifferentialLinearizerNode
from racecar.nodes.differential_wheels_simulator import DifferentialWheelsSimulatorNode
from racecar.ros import qos
from racecar.ros.codecs.body_twist import read_stamped_twist, read_twist
from racecar.ros.codecs.wheel_speeds import read_wheel_speeds
from racecar.ros.interfaces import Reset, SetFloat

pytestmark = pytest.mark.ros

PIONEER = load_parameter_file(find_config('robots/pioneer'), 'any_node')
NAME = '/differential_wheels_simulator'


class Robot:
    """The simulator in lockstep: the test gives every tick its command."""

    def __init__(self, bench, **parameters):
        self.bench = bench
        self.odometry = bench.listen('/odom', Odometry, qos.ODOMETRY_LOCKSTEP)
        self.node = bench.start(
            DifferentialWheelsSimulatorNode, use_sim_time=False, remap={'vesc/odom': 'odom'}, **{
                **PIONEER, 'lockstep': True, 'real_time_factor': 0.0,
                'robot__max_acceleration': 1e6, **parameters})
        bench.until(lambda: self.odometry, 'the first odometry')

    def answer(self, topic, message):
        return self.bench.answer(self.odometry, topic, message)

    def drive(self, speed, yaw_rate=0.0, ticks=1):
        for _ in range(ticks):
            message = TwistStamped()
            message.twist.linear.x, message.twist.angular.z = speed, yaw_rate
            self.answer('/cmd_vel', message)
        return self.odometry[-1].twist.twist

    def turn(self, left, right, ticks=1):
        for _ in range(ticks):
            self.answer('/wheel_speeds', JointState(
                name=TWO_WHEEL_JOINTS[::-1], velocity=[right, left]))
        return self.odometry[-1].twist.twist


def test_stamped_velocities_drive_the_robot_and_everything_is_shown(bench):
    joints = bench.listen('/joint_states', JointState)
    counts = [bench.listen(f'/encoders/{side}', Float64) for side in ('left', 'right')]
    transforms = bench.listen('/tf', TFMessage, qos.TF)
    description = bench.listen('/robot_description', String, qos.LATCHED)
    robot = Robot(bench)
    twist = robot.drive(0.3, 0.5, 20)
    assert (twist.linear.x, twist.linear.y, twist.angular.z) == pytest.approx((0.3, 0.0, 0.5))
    last = robot.odometry[-1]
    assert (last.header.frame_id, last.child_frame_id) == ('odom', 'base_link')
    assert last.pose.pose.orientation.z == pytest.approx(math.sin(0.5 * 0.5 * 0.2), abs=1e-3)
    bench.until(lambda: len(joints) > 19, 'joint states')
    left = (0.3 - 0.5 * 0.33 / 2.0) / 0.09765
    assert list(joints[-1].name) == list(TWO_WHEEL_JOINTS)
    assert joints[-1].velocity[0] == pytest.approx(left)
    bench.until(lambda: len(counts[0]) > 19 and len(counts[1]) > 19, 'counts')
    assert counts[0][-1].data == pytest.approx(12191.0 * joints[-1].position[0])
    assert counts[1][-1].data == pytest.approx(12191.0 * joints[-1].position[1])
    frames = {t.child_frame_id for message in transforms for t in message.transforms}
    assert {'base_link', 'left_wheel', 'right_wheel'} <= frames
    assert '<robot name="pioneer">' in description[0].data


def test_wheel_speeds_drive_it_too_and_the_last_command_governs(bench):
    robot = Robot(bench)
    assert robot.turn(2.0, 2.0, 2).linear.x == pytest.approx(2.0 * 0.09765)
    assert robot.drive(0.1, 0.0, 2).linear.x == pytest.approx(0.1)
    twist = robot.turn(-1.0, 1.0, 2)
    assert twist.angular.z == pytest.approx(2.0 * 0.09765 / 0.33)


def test_commands_that_are_none_are_dropped_with_what_was_expected(bench):
    robot = Robot(bench, lockstep_deadline=0.2)
    robot.drive(0.2, 0.0, 2)
    message = TwistStamped()
    message.header.stamp = robot.odometry[-1].header.stamp
    message.twist.linear.x = math.nan
    bench.send('/cmd_vel', message)
    bench.logged('velocity has speed nan and yaw rate 0.0, expected finite numbers')
    bench.send('/wheel_speeds', JointState(name=['a', 'b'], velocity=[1.0, 2.0]))
    bench.logged("it has 2 velocities for the joints 'a, b', expected one for each of")
    # Nobody answers in time: the robot stands.
    bench.until(lambda: robot.odometry[-1].twist.twist.linear.x == 0.0, 'standstill')


def test_plain_twists_drive_it_where_the_parameter_says_so(bench):
    odometry = bench.listen('/vesc/odom', Odometry, qos.ODOMETRY)
    bench.start(DifferentialWheelsSimulatorNode, use_sim_time=False, **{
        **PIONEER, 'stamped_cmd_vel': False, 'real_time_factor': 20.0,
        'command_timeout': 5.0})
    message = Twist()
    message.linear.x = 0.2
    bench.send('/cmd_vel', message)
    bench.until(lambda: odometry and odometry[-1].twist.twist.linear.x == pytest.approx(0.2),
                '0.2 m/s')
    # Silence stops it.
    bench.logged('no command for')
    bench.until(lambda: odometry[-1].twist.twist.linear.x == 0.0, 'standstill')


def test_lockstep_refuses_commands_without_a_stamp(bench):
    with pytest.raises(ConfigurationError, match='leave it true, or do without lockstep'):
        bench.start(DifferentialWheelsSimulatorNode, use_sim_time=False, **{
            **PIONEER, 'stamped_cmd_vel': False, 'lockstep': True})


def test_encoders_are_set_disabled_and_enabled_by_services(bench):
    counts = bench.listen('/encoders/left', Float64)
    robot = Robot(bench)
    robot.drive(0.2, 0.0, 3)
    assert bench.call(f'{NAME}/set_left_encoder', SetFloat, value=1000.0).success
    assert bench.call(f'{NAME}/set_right_encoder', SetFloat, value=-5.0).success
    robot.drive(0.0)
    state = robot.node.plant.motion.state
    assert (state.left_count, state.right_count) == (1000.0, -5.0)
    refused = bench.call(f'{NAME}/set_left_encoder', SetFloat, value=math.nan)
    assert not refused.success
    assert 'count is nan, expected a finite number' in refused.message
    assert bench.call(f'{NAME}/enable_encoders', SetBool, data=False).message == 'disabled'
    bench.until(lambda: counts[-1].data == 1000.0, 'the count that was set')
    seen = len(counts)
    robot.drive(0.2, 0.0, 5)
    assert bench.call(f'{NAME}/enable_encoders', SetBool, data=True).success
    robot.drive(0.2, 0.0, 2)
    bench.until(lambda: len(counts) >= seen + 2, 'two more counts')
    assert len(counts) == seen + 2


def test_a_robot_without_encoders_says_so(bench):
    robot = Robot(bench, robot__encoder_noise=-1.0)
    answer = bench.call(f'{NAME}/enable_encoders', SetBool, data=True)
    assert not answer.success
    assert 'pioneer has no encoders' in answer.message
    assert 'encoders' not in [output.name for output in robot.node.plant.entities[0].outputs]


def test_reset_takes_it_back_with_empty_encoders(bench):
    robot = Robot(bench)
    robot.drive(0.5, 0.0, 20)
    assert bench.call(f'{NAME}/reset', Reset).success
    state = robot.node.plant.motion.state
    assert (state.x, state.left_count, state.vx) == (0.0, 0.0, 0.0)


@pytest.mark.parametrize('mode', ['kinematics', 'physics', 'world'])
def test_it_has_lasers_maps_and_collisions_as_cars_have(bench, mode):
    scans = bench.listen('/scan', LaserScan)
    grids = bench.listen('/map', OccupancyGrid, qos.LATCHED)
    collisions = bench.listen('/collisions', UInt32, qos.LATCHED)
    robot = Robot(bench, world='room', sensors=['laser'], mode=mode, initial_x=7.5)
    bench.until(lambda: grids, 'the map')
    robot.drive(1.0, 0.0, 250)
    assert bench.until(lambda: [c.data for c in collisions if c.data], 'a collision')[0] == 1
    if mode != 'world':
        # There its wheels spin, and it bounces a little.
        assert robot.odometry[-1].twist.twist.linear.x == 0.0
    bench.until(lambda: len(scans) > 10, 'scans')
    # It stands at the wall, which its laser sees from the middle of the axle.
    ahead = scans[-1].ranges[len(scans[-1].ranges) // 2]
    assert ahead == pytest.approx(PIONEER['robot.front'], abs=0.06)


def test_the_linearizer_answers_each_velocity_with_its_stamp(bench):
    from node_bench import odometry, velocity

    commands = bench.listen('/cmd_vel', TwistStamped)
    bench.start(DifferentialLinearizerNode, lockstep=True, epsilon=0.2)
    bench.send('/vesc/odom', odometry(1.0, yaw=math.pi / 2.0))
    bench.send('/virtual_velocities', velocity(1.0, 0.1, 0.3))
    found = bench.count(commands, 1)
    assert found.header.stamp == stamp(1.0)
    assert found.header.frame_id == 'base_link'
    assert found.twist.linear.x == pytest.approx(0.3)
    assert found.twist.angular.z == pytest.approx(-0.1 / 0.2)


# The stack

def racecar(*arguments):
    with redirect_stdout(io.StringIO()) as printed:
        assert main([*map(str, arguments), '--json']) == 0
    return json.loads(printed.getvalue())


FAST = ('--lockstep', '--real-time-factor', '0')


@pytest.mark.parametrize('options', [
    ('--vehicle', 'khepera', '--trajectory', 'circle'),
    ('--set', 'differential_wheels_simulator.mode=world', '--world', 'room')])
def test_nodes_in_lockstep_equal_the_simulation_without_ros(tmp_path, options):
    up, simulate = tmp_path / 'up.csv', tmp_path / 'simulate.csv'
    name = 'differential_wheels'
    found = racecar('up', name, *FAST, '--duration', 3, '--csv', up, *options)
    expected = racecar('simulate', name, '--duration', 3, '--csv', simulate, *options)
    assert up.read_bytes() == simulate.read_bytes()
    assert {**found, 'real_time_factor': 0} == {**expected, 'real_time_factor': 0}


def test_two_runs_with_noise_record_the_same_bytes(tmp_path):
    folders = [tmp_path / name for name in ('one', 'other')]
    for folder in folders:
        racecar('up', 'differential_wheels', *FAST, '--duration', 1.5, '--vehicle', 'khepera',
                '--record', folder)

    def messages(folder, topic):
        file, = folder.glob('*.mcap')
        with open(file, 'rb') as stream:
            return [message.data for _, _, message in make_reader(stream).iter_messages([topic])]

    for topic in ('/odom', '/encoders/left', '/cmd_vel', '/joint_states'):
        first, second = (messages(folder, topic) for folder in folders)
        assert len(first) >= 150, topic
        assert first == second, topic


# What comes over the wire

@given(speed=st.floats(), rate=st.floats())
def test_twists_are_read_as_rclpy_reads_them(speed, rate):
    message = TwistStamped()
    message.header.frame_id = 'base'
    message.header.stamp = stamp(3.5)
    message.twist.linear.x, message.twist.angular.z = speed, rate
    found, time_ns = read_stamped_twist(serialize_message(message))
    plain, none = read_twist(serialize_message(message.twist))
    assert (time_ns, none) == (3_500_000_000, 0)
    for twist in (found, plain):
        assert isinstance(twist, BodyTwist)
        assert [repr(value) for value in twist] == [repr(speed), repr(rate)]


def test_wheel_speeds_are_found_by_name():
    message = JointState(name=TWO_WHEEL_JOINTS[::-1], velocity=[1.0, 2.0])
    message.header.stamp = stamp(1.0)
    assert read_wheel_speeds(serialize_message(message)) == (WheelSpeeds(2.0, 1.0), 10**9)
    for names, velocities in ((TWO_WHEEL_JOINTS, [1.0]), (['left_wheel_joint'] * 2, [1.0, 2.0]),
                              ([], [])):
        with pytest.raises(MessageError, match='expected one for each of left_wheel_joint'):
            read_wheel_speeds(serialize_message(JointState(name=names, velocity=velocities)))


@given(data=st.binary(max_size=100))
def test_any_bytes_give_a_twist_or_a_message_error(data):
    try:
        twist, _ = read_twist(data)
    except MessageError as error:
        assert '\n' not in str(error)
    else:
        assert len(twist) == 2
