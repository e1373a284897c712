# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""The node single_track_simulator: time, odometry, transforms, commands, reset, lockstep."""

import math
import re

from geometry_msgs.msg import Pose, PoseWithCovarianceStamped
from nav_msgs.msg import Odometry
from node_bench import command, RACECAR, seconds
import numpy as np
import pytest
from rclpy.qos import DurabilityPolicy
from rosgraph_msgs.msg import Clock
from sensor_msgs.msg import JointState
from std_msgs.msg import Float64
from std_srvs.srv import SetBool, Trigger
from tf2_msgs.msg import TFMessage

from racecar.base.errors import ConfigurationError, ParameterError
from racecar.base.types import WHEEL_NAMES, yaw_to_quaternion
from racecar.nodes.single_track_simulator import SingleTrackSimulatorNode
from racecar.ros import qos
from racecar.ros.codecs import ackermann_command
from racecar.ros.codecs.ackermann_command import read_command
from racecar.ros.interfaces import CarState, Reset, WheelCommand

pytestmark = pytest.mark.ros

COMMANDS = '/vesc/low_level/ackermann_cmd_mux/output'


class Car:
    """A simulator and its odometry; in lockstep the test gives every tick its command."""

    def __init__(self, bench, **parameters):
        self.bench = bench
        self.odometry = bench.listen('/vesc/odom', Odometry, qos.ODOMETRY)
        self.node = bench.start(
            SingleTrackSimulatorNode, use_sim_time=False, **{**RACECAR, **parameters})
        bench.until(lambda: self.odometry, 'the first odometry')

    def send(self, speed, steering=0.0, at=0.0):
        self.bench.send(COMMANDS, command(at, speed, steering))

    def answer(self, speed, steering=0.0):
        """Answer the last odometry in lockstep and return the next."""
        return self.bench.answer(self.odometry, COMMANDS, command(0.0, speed, steering))

    def drive(self, ticks, speed, steering=0.0):
        for _ in range(ticks):
            self.answer(speed, steering)
        return self

    def reset(self, pose=None):
        return self.bench.call('/single_track_simulator/reset', Reset,
                               pose=[] if pose is None else [pose])

    def step(self):
        return self.bench.call('/single_track_simulator/step', Trigger)

    def pause(self, paused):
        return self.bench.call('/single_track_simulator/pause', SetBool, data=paused)

    def wait_until(self, at):
        """Let a free-running simulator come to a time [s]."""
        self.bench.until(lambda: seconds(self.odometry[-1]) >= at, f'{at} s')

    @property
    def time(self):
        return seconds(self.odometry[-1])

    @property
    def pose(self):
        pose = self.odometry[-1].pose.pose
        return (pose.position.x, pose.position.y,
                2.0 * math.atan2(pose.orientation.z, pose.orientation.w))

    @property
    def speed(self):
        return self.odometry[-1].twist.twist.linear.x


@pytest.fixture
def lockstep(bench):
    """Return a car whose every tick waits for a command."""
    return lambda **more: Car(bench, **{'lockstep': True, 'real_time_factor': 0.0, **more})


@pytest.fixture
def free(bench):
    """Return a car that runs by itself, five times as fast as real time."""
    return lambda **more: Car(bench, **{'real_time_factor': 5.0, **more})


@pytest.fixture
def paused(bench):
    """Return a car whose time stands still."""
    return lambda **more: Car(bench, paused=True, **more)


def pose(x=0.0, y=0.0, yaw=0.0):
    message = Pose()
    message.position.x, message.position.y = x, y
    message.orientation.z, message.orientation.w = yaw_to_quaternion(yaw)
    return message


# Parameters

def test_simulated_time_is_refused_for_the_node_that_makes_it(bench):
    with pytest.raises(ParameterError, match="'use_sim_time' is true, expected false for a sim"):
        bench.start(SingleTrackSimulatorNode, use_sim_time=True, **RACECAR)


@pytest.mark.parametrize(
    ('parameters', 'error', 'message'),
    [({'tyre_model': 'square'}, ParameterError, "'tyre_model' is 'square', expected one of lin"),
     ({'vehicle.mass': 0.0}, ParameterError, r"'vehicle\.mass' is 0\.0, expected a number in \(0"),
     ({'real_time_factor': -1.0}, ParameterError, r"'real_time_factor' is -1\.0, expected"),
     ({'tire_model': 'linear'}, ParameterError, "'tire_model' is unknown here; did you mean tyre"),
     ({'step': 0.02}, ConfigurationError, 'not a whole number of integration steps')])
def test_bad_parameter_is_refused_at_start(bench, parameters, error, message):
    with pytest.raises(error, match=message):
        bench.start(SingleTrackSimulatorNode, use_sim_time=False, **{**RACECAR, **parameters})


@pytest.mark.parametrize(('name', 'value'), [('vehicle.mass', 4.0), ('tyre_model', 'fiala'),
                                             ('rate', 50.0), ('lockstep', False)])
def test_model_and_geometry_are_read_only(bench, lockstep, name, value):
    car = lockstep()
    assert not bench.set_parameter(car.node, name, value).successful


# What it publishes

def test_odometry_is_base_link_in_odom(lockstep):
    message = lockstep().odometry[-1]
    assert (message.header.frame_id, message.child_frame_id) == ('odom', 'base_link')


def test_odometry_starts_at_the_initial_pose_at_time_zero(lockstep):
    car = lockstep(initial_x=1.0, initial_y=-2.0, initial_yaw=0.5)
    assert car.time == 0.0
    assert car.pose == pytest.approx((1.0, -2.0, 0.5))


def test_covariances_are_those_of_the_parameters_and_never_zero(lockstep):
    car = lockstep(odometry_variance__position=0.25, odometry_variance__yaw=0.5,
                   odometry_variance__velocity=0.75, odometry_variance__yaw_rate=1.25)
    for message, linear, yaw in ((car.odometry[-1].pose, 0.25, 0.5),
                                 (car.odometry[-1].twist, 0.75, 1.25)):
        matrix = np.array(message.covariance).reshape(6, 6)
        assert (matrix == np.diag(np.diag(matrix))).all()
        assert list(matrix.diagonal()[[0, 1, 5]]) == [linear, linear, yaw]
        assert (matrix.diagonal()[2:5] > 0.0).all()


def test_twist_is_that_of_the_body(lockstep):
    car = lockstep(initial_yaw=0.5 * math.pi).drive(100, 1.0, 0.2)
    before, yaw = car.pose, car.pose[2]
    twist = car.odometry[-1].twist.twist
    car.answer(1.0, 0.2)
    dx, dy = car.pose[0] - before[0], car.pose[1] - before[1]
    forward = math.cos(yaw) * dx + math.sin(yaw) * dy
    left = -math.sin(yaw) * dx + math.cos(yaw) * dy
    # Over a tick of 0.01 s the heading turns a little.
    assert (twist.linear.x, twist.linear.y) == pytest.approx(
        (forward / 0.01, left / 0.01), abs=0.01)
    assert twist.angular.z == pytest.approx((car.pose[2] - yaw) / 0.01, rel=1e-3)
    assert twist.linear.x == 1.0
    assert twist.angular.z > 0.3


def test_stamps_are_whole_multiples_of_the_tick(bench, lockstep):
    clocks = bench.listen('/clock', Clock, qos.STATE)
    car = lockstep(rate=80.0, step=0.0005).drive(100, 1.0)
    found = [m.header.stamp.sec * 10**9 + m.header.stamp.nanosec for m in car.odometry]
    assert found == [i * 12_500_000 for i in range(101)]
    bench.until(lambda: len(clocks) >= 101)
    assert [clock.clock for clock in clocks] == [m.header.stamp for m in car.odometry]


def test_transform_equals_the_odometry(bench, lockstep):
    transforms = bench.listen('/tf', TFMessage, qos.TF)
    car = lockstep(publish_robot_description=False).drive(20, 1.0, 0.2)
    bench.count(transforms, 21)
    for message, odometry in zip(transforms, car.odometry, strict=True):
        transform = message.transforms[0]
        assert (transform.header.frame_id, transform.child_frame_id) == ('odom', 'base_link')
        assert transform.header.stamp == odometry.header.stamp
        assert transform.transform.rotation == odometry.pose.pose.orientation
        translation, position = transform.transform.translation, odometry.pose.pose.position
        assert (translation.x, translation.y, translation.z) == (
            position.x, position.y, position.z)


def test_static_transforms_are_map_to_odom_and_base_link_to_cog(bench, lockstep):
    lockstep(publish_robot_description=False)
    message = bench.count(bench.listen('/tf_static', TFMessage, qos.TF_STATIC), 1)
    frames = {(t.header.frame_id, t.child_frame_id): t.transform for t in message.transforms}
    assert set(frames) == {('map', 'odom'), ('base_link', 'cog')}
    identity, to_cog = frames['map', 'odom'], frames['base_link', 'cog']
    assert (identity.translation.x, identity.translation.y, identity.rotation.w) == (0, 0, 1)
    assert (to_cog.translation.x, to_cog.translation.y, to_cog.translation.z) == (
        0.16015, 0.0, 0.0517)


def test_localisation_may_give_map_to_odom_instead(bench, lockstep):
    lockstep(publish_map_to_odom=False, publish_robot_description=False)
    message = bench.count(bench.listen('/tf_static', TFMessage, qos.TF_STATIC), 1)
    assert [t.child_frame_id for t in message.transforms] == ['cog']


def test_clock_and_transform_can_be_left_to_others(bench, lockstep):
    lockstep(publish_clock=False, publish_tf=False, publish_robot_description=False)
    assert bench.probe.count_publishers('/clock') == 0
    assert bench.probe.count_publishers('/tf') == 0


def test_car_state_is_that_of_the_centre_of_gravity(bench, lockstep):
    states = bench.listen('/car_state', CarState)
    car = lockstep().drive(100, 2.0, 0.1)
    bench.count(states, 101)
    state, odometry = states[-1], car.odometry[-1]
    assert (state.header.stamp, state.header.frame_id) == (odometry.header.stamp, 'odom')
    x, y, yaw = car.pose
    assert (state.x, state.y, state.yaw) == pytest.approx(
        (x + 0.16015 * math.cos(yaw), y + 0.16015 * math.sin(yaw), yaw))
    twist = odometry.twist.twist
    assert state.longitudinal_velocity == pytest.approx(twist.linear.x)
    assert state.lateral_velocity == pytest.approx(twist.linear.y + 0.16015 * twist.angular.z)
    assert state.yaw_rate == twist.angular.z
    assert state.sideslip_angle == pytest.approx(
        math.atan2(state.lateral_velocity, state.longitudinal_velocity))
    assert (state.speed_command, state.steering_angle) == pytest.approx((2.0, 0.1), rel=1e-6)


def test_car_state_in_a_left_turn_has_left_forces_against_right_slip(bench, lockstep):
    states = bench.listen('/car_state', CarState)
    lockstep().drive(100, 2.0, 0.1)
    state = bench.count(states, 101)
    # Steady by now: m a_y is the sum of the forces, m V r.
    assert state.lateral_acceleration == pytest.approx(2.0 * state.yaw_rate, rel=1e-3)
    assert state.lateral_force_front == pytest.approx(-100.0 * state.slip_angle_front, rel=0.01)
    assert state.lateral_force_rear == pytest.approx(-244.0 * state.slip_angle_rear, rel=0.01)
    assert state.lateral_force_front > 0.0
    assert state.lateral_force_rear > 0.0
    forces = state.lateral_force_front * math.cos(0.1) + state.lateral_force_rear
    assert forces == pytest.approx(5.69223 * state.lateral_acceleration, rel=1e-3)


def test_joint_states_roll_the_wheels_and_steer_both_hinges(bench, lockstep):
    joints = bench.listen('/joint_states', JointState)
    car = lockstep().drive(100, 0.5, 0.1)
    message = bench.count(joints, 101)
    assert message.header.stamp == car.odometry[-1].header.stamp
    found = dict(zip(message.name, message.position, strict=True))
    speeds = dict(zip(message.name, message.velocity, strict=True))
    for side in ('left', 'right'):
        for axle in ('front', 'rear'):
            assert found[f'{side}_{axle}_wheel_joint'] == pytest.approx(0.5 / 0.05)
            assert speeds[f'{side}_{axle}_wheel_joint'] == pytest.approx(0.5 / 0.05)
        assert found[f'{side}_steering_hinge_joint'] == pytest.approx(0.1, rel=1e-6)


def test_joint_states_of_four_wheels_are_those_of_each(bench, lockstep):
    joints = bench.listen('/joint_states', JointState)
    car = lockstep(vehicle_model='double_track', tyre_model='fiala').drive(100, 1.0, 0.3)
    message = bench.count(joints, 101)
    plant = car.node.plant.simulator
    assert tuple(message.position) == (*plant.wheel_rotations, *plant.steering_angles)
    assert tuple(message.velocity) == (*plant.wheel_speeds, 0.0, 0.0)
    assert message.position[0] < message.position[1]
    assert message.position[4] > 0.3 > message.position[5]


# Commands

def test_command_drives_the_car(lockstep):
    car = lockstep().drive(100, 1.0)
    assert car.pose == pytest.approx((1.0, 0.0, 0.0))


def test_command_is_clamped_to_the_limits_of_the_vehicle(lockstep):
    car = lockstep()
    car.answer(50.0, -9.0)
    assert car.node.plant.simulator.command == (5.0, -1.0)


def test_unstamped_command_is_taken(free):
    car = free()
    car.send(1.0)
    car.bench.until(lambda: car.speed == 1.0)


def test_silence_stops_the_car_after_the_command_timeout(free):
    car = free(command_timeout=0.3)
    car.send(1.0, 0.2)
    car.bench.until(lambda: car.speed == 1.0)
    car.bench.until(lambda: car.speed == 0.0)
    moving = [seconds(m) for m in car.odometry if m.twist.twist.linear.x]
    assert moving[-1] - moving[0] == pytest.approx(0.3, abs=0.021)
    assert car.node.plant.simulator.command.steering_angle == pytest.approx(0.2)
    car.bench.logged('(command_timeout 0.3 s): the car is stopped')


def test_car_drives_again_with_the_next_command(free):
    car = free(command_timeout=0.1)
    for speed in (1.0, 2.0):
        car.send(speed)
        car.bench.until(lambda speed=speed: car.speed == speed)
        car.bench.until(lambda: car.speed == 0.0)


def test_old_command_is_dropped(free):
    car = free(real_time_factor=0.0, end_time=1.0, command_timeout=0.5)
    car.wait_until(1.0)
    car.send(1.0, at=0.4)
    car.bench.logged('command dropped: its stamp is 0.600 s old, more than the timeout of 0.5 s')
    car.send(2.0, at=0.6)
    car.bench.until(lambda: car.node.plant.simulator.command.speed)
    assert car.node.plant.simulator.command.speed == 2.0


@pytest.mark.parametrize('bad', [math.nan, math.inf, -math.inf])
@pytest.mark.parametrize('field', ['speed', 'steering'])
@pytest.mark.parametrize('stepping', [True, False])
def test_command_that_is_not_finite_is_dropped(bench, field, bad, stepping):
    car = Car(bench, lockstep=stepping, paused=not stepping, real_time_factor=0.0)
    car.send(**{'speed': 1.0, field: bad})
    assert 'expected finite numbers' in bench.logged('command dropped')
    car.send(2.0)
    bench.until(lambda: car.node.plant.simulator.command.speed == 2.0)
    assert not stepping or bench.until(lambda: len(car.odometry) == 2)


# Reset, pause, pace and end

def test_reset_puts_the_car_at_the_given_pose_at_rest_and_keeps_the_time(lockstep):
    car = lockstep().drive(50, 1.0, 0.2)
    response = car.reset(pose(3.0, -4.0, 1.0))
    assert (response.success, response.message) == (True, 'reset to x 3 m, y -4 m, yaw 1 rad')
    assert car.node.plant.time_ns == 500_000_000
    assert car.answer(0.0).twist.twist.linear.x == 0.0
    assert car.pose == pytest.approx((3.0, -4.0, 1.0))
    assert car.time == 0.51


def test_reset_without_a_pose_returns_to_the_initial_one(lockstep):
    car = lockstep(initial_x=1.0, initial_yaw=0.5).drive(50, 1.0)
    assert car.reset().success
    car.answer(0.0)
    assert car.pose == pytest.approx((1.0, 0.0, 0.5))


def test_car_starts_with_the_initial_yaw_rate_and_sideslip_and_a_reset_returns_to_them(
        bench, lockstep):
    states = bench.listen('/car_state', CarState)
    car = lockstep(formulation='report', initial_yaw_rate=0.5, initial_sideslip=0.1)
    assert car.odometry[0].twist.twist.angular.z == 0.5
    car.drive(10, 1.0)
    assert car.odometry[-1].twist.twist.angular.z != 0.5
    assert car.reset().success
    assert (car.node.plant.simulator.state[0], car.node.plant.simulator.state[1]) == (0.1, 0.5)
    bench.until(lambda: states, 'a state of the car')
    assert (states[0].sideslip_angle, states[0].yaw_rate) == (0.1, 0.5)


@pytest.mark.parametrize(
    ('bad', 'reason'),
    [(Pose(), None), (pose(math.nan), 'expected finite numbers'),
     (pose(y=math.inf), 'expected finite numbers'),
     (pose(1e12), 'position is (1e+12, 0, 0) m, expected each below 1e+09 m')])
def test_reset_to_a_bad_pose_is_refused_and_changes_nothing(lockstep, bad, reason):
    if reason is None:  # the length of the quaternion is wrong
        bad.orientation.w, reason = 0.0, 'orientation has length 0, expected a unit quaternion'
    car = lockstep().drive(50, 1.0)
    response = car.reset(bad)
    assert not response.success
    assert reason in response.message
    car.answer(1.0)
    assert car.pose == pytest.approx((0.51, 0.0, 0.0))


def test_reset_turns_the_wheels_back(bench, lockstep):
    joints = bench.listen('/joint_states', JointState)
    car = lockstep().drive(10, 1.0, 0.2)
    car.reset()
    car.answer(0.0)
    assert list(bench.count(joints, 12).position) == [0.0] * 6


def test_pause_holds_the_time(free):
    car = free()
    car.wait_until(0.1)
    response = car.pause(True)
    assert (response.success, response.message) == (True, 'paused')
    held = car.node.plant.time_ns
    # While the time stands still, a reset is published at once: twice the same stamp.
    for x in (5.0, 6.0):
        car.reset(pose(x))
        car.bench.until(lambda x=x: car.pose[0] == x)
        assert car.time == held / 1e9


def test_time_goes_on_after_the_pause(paused):
    car = paused()
    assert car.time == 0.0
    assert car.pause(False).message == 'running'
    car.wait_until(0.05)


def test_pause_in_lockstep_holds_the_answer(lockstep):
    car = lockstep()
    car.answer(1.0)
    car.pause(True)
    car.bench.deliver(car.node, COMMANDS, command(0.01, 1.0))
    assert len(car.odometry) == 2
    car.pause(False)
    car.bench.until(lambda: len(car.odometry) == 3)


def test_a_step_of_a_paused_simulation_goes_on_to_the_next_odometry(paused):
    car = paused()
    for tick in (1, 2, 3):
        response = car.step()
        assert (response.success, response.message) == (True, f'{0.01 * tick:g} s')
        car.bench.until(lambda tick=tick: car.time == 0.01 * tick, 'the odometry of the step')
    assert car.node.plant.time_ns == 30_000_000


def test_a_step_is_refused_before_the_start(bench):
    node = bench.start(SingleTrackSimulatorNode, use_sim_time=False, paused=True, **RACECAR)
    # As for a call that comes before the timer that starts it.
    for timer in node.timers:
        timer.cancel()
    response = bench.call('/single_track_simulator/step', Trigger)
    assert not response.success
    assert response.message == 'the simulation is about to start; call again'


def test_a_step_is_refused_while_the_time_goes_on_or_an_answer_is_awaited(lockstep):
    car = lockstep()
    assert 'not paused' in car.step().message
    car.pause(True)
    response = car.step()
    assert not response.success
    assert 'has not been answered' in response.message
    car.send(1.0, at=0.0)
    car.bench.until(lambda: car.step().success, 'a step once it is answered')
    car.bench.until(lambda: car.time == 0.01)


@pytest.mark.parametrize('frame', ['map', 'odom', ''])
def test_initial_pose_moves_the_car(paused, frame):
    car = paused()
    message = PoseWithCovarianceStamped()
    message.header.frame_id = frame
    message.pose.pose = pose(1.0, 2.0, 3.0)
    car.bench.send('/initialpose', message)
    car.bench.until(lambda: car.pose == pytest.approx((1.0, 2.0, 3.0)))


def test_initial_pose_in_another_frame_is_refused_and_changes_nothing(paused):
    car = paused()
    message = PoseWithCovarianceStamped()
    message.header.frame_id = 'base_link'
    message.pose.pose = pose(1.0)
    car.bench.send('/initialpose', message)
    car.bench.logged("initialpose refused: frame_id is 'base_link', expected 'map' or 'odom'")
    assert car.node.plant.simulator.odometry().x == 0.0


def test_initial_pose_without_a_unit_quaternion_is_refused(paused):
    car = paused()
    message = PoseWithCovarianceStamped()
    message.pose.pose = pose(1.0)
    message.pose.pose.orientation.w = 2.0
    car.bench.send('/initialpose', message)
    car.bench.logged('initialpose refused: orientation has length 2')
    assert car.node.plant.simulator.odometry().x == 0.0


def test_real_time_factor_changed_at_run_time_acts_at_once(bench, free):
    car = free(real_time_factor=0.001)  # a tick lasts ten seconds
    assert bench.set_parameter(car.node, 'real_time_factor', 0).successful
    car.wait_until(0.5)


def test_real_time_factor_can_slow_the_car_down_at_run_time(bench, free):
    car = free(real_time_factor=0.0)
    car.wait_until(0.1)
    assert bench.set_parameter(car.node, 'real_time_factor', 0.0001).successful
    held = car.node.plant.time_ns
    # A command takes effect in the next tick only, a hundred seconds from here.
    car.send(1.0)
    bench.until(lambda: car.node.plant.simulator.command.speed == 1.0)
    assert car.node.plant.time_ns == held


def test_time_ends_at_the_end_time(bench, free):
    car = free(real_time_factor=0.0, end_time=0.25)
    car.wait_until(0.25)
    assert car.node.finished
    car.send(1.0)
    bench.until(lambda: car.node.plant.simulator.command.speed == 1.0)
    assert car.node.plant.time_ns == 250_000_000


def test_last_tick_is_answered_before_lockstep_is_finished(lockstep):
    car = lockstep(end_time=0.03).drive(3, 1.0)
    assert car.time == 0.03
    assert not car.node.finished
    car.send(1.0, at=0.03)
    car.bench.until(lambda: car.node.finished)


def test_first_tick_waits_for_the_wanted_number_of_subscriptions(bench):
    node = bench.start(SingleTrackSimulatorNode, use_sim_time=False, wait_for_subscribers=2,
                       real_time_factor=0.0, **RACECAR)
    first = bench.listen('/vesc/odom', Odometry, qos.ODOMETRY)
    bench.call('/single_track_simulator/pause', SetBool, data=False)
    assert (node.plant.time_ns, len(first)) == (0, 0)
    second = bench.listen('/vesc/odom', Odometry, qos.ODOMETRY)
    bench.until(lambda: first and second)
    assert seconds(first[0]) == seconds(second[0]) == 0.0


@pytest.mark.parametrize('in_lockstep', [False, True])
def test_odometry_is_latched_in_lockstep_only(bench, in_lockstep):
    bench.start(SingleTrackSimulatorNode, use_sim_time=False, lockstep=in_lockstep, **RACECAR)
    info = bench.probe.get_publishers_info_by_topic
    found = bench.until(lambda: info('/vesc/odom'), 'the publisher')[0].qos_profile
    assert found.durability == (
        DurabilityPolicy.TRANSIENT_LOCAL if in_lockstep else DurabilityPolicy.VOLATILE)


# Lockstep

def test_lockstep_waits_for_the_first_command_and_repeats_the_odometry(lockstep):
    car = lockstep()
    car.bench.logged('lockstep: waiting for the first command on ' + COMMANDS)
    car.bench.until(lambda: len(car.odometry) >= 2)
    assert {seconds(message) for message in car.odometry} == {0.0}


def test_lockstep_ignores_a_command_of_another_tick(lockstep, monkeypatch):
    heard = []

    def listening(data):
        heard.append(data)
        return read_command(data)

    monkeypatch.setattr(ackermann_command, 'read_command', listening)
    car = lockstep()
    car.answer(1.0)
    for number, at in enumerate((0.0, 0.02), start=2):
        car.send(5.0, at=at)
        car.bench.until(lambda number=number: len(heard) == number, 'the command to be heard')
    assert car.answer(1.0).twist.twist.linear.x == 1.0
    assert car.time == 0.02
    assert car.pose[0] == pytest.approx(0.02)


def test_lockstep_answers_a_command_with_one_tick(lockstep):
    car = lockstep().drive(30, 1.0)
    assert [round(100 * seconds(message)) for message in car.odometry] == list(range(31))


def test_lockstep_stops_the_car_after_the_deadline_and_goes_on(lockstep):
    car = lockstep(lockstep_deadline=0.1)
    car.answer(1.0, 0.2)
    car.bench.until(lambda: car.time >= 0.02)
    message = car.bench.logged('lockstep: no command stamped 10000000 ns came on ' + COMMANDS)
    assert 'within lockstep_deadline (0.1 s of wall time); the car is stopped' in message
    assert car.node.plant.simulator.command == (0.0, pytest.approx(0.2))
    assert car.odometry[2].twist.twist.linear.x == 0.0


def test_lockstep_drives_on_with_the_next_answer_after_the_deadline(lockstep):
    car = lockstep(lockstep_deadline=0.1)
    car.answer(1.0)
    car.bench.until(lambda: car.time >= 0.02)
    assert car.answer(1.5).twist.twist.linear.x == 1.5


# Divergence

def narrow(car):
    """Lower the limit of the lateral velocity: no command makes the model itself diverge."""
    car.node.plant.simulator.car.limits[0] = 0.5
    return car


@pytest.fixture
def diverged(bench, lockstep):
    """Return a car that spun in reverse until it left the range allowed to it."""
    car = narrow(lockstep())
    for _ in range(100):
        before = len(car.odometry)
        car.send(-2.0, 1.0, at=car.time)
        bench.until(lambda before=before: len(car.odometry) > before or car.node.failure)
        if car.node.failure:
            return car
    raise AssertionError('the car did not spin')


def test_divergence_holds_the_time_and_says_what_to_do(diverged):
    message = diverged.bench.logged('The time stands still; call ~/reset')
    assert 'last good state' in message
    held = diverged.node.plant.time_ns
    assert diverged.time == held / 1e9
    assert all(map(math.isfinite, diverged.pose))
    diverged.send(0.0, at=diverged.time)
    diverged.bench.until(lambda: diverged.node.plant.simulator.command.speed == 0.0)
    assert diverged.node.plant.time_ns == held


def test_reset_and_going_on_recover_from_divergence(diverged):
    held = diverged.time
    assert diverged.reset(pose(1.0)).success
    diverged.bench.until(lambda: diverged.pose[0] == 1.0)
    assert diverged.time == held
    assert diverged.pause(False).success
    diverged.drive(10, 1.0)
    assert diverged.node.failure is None
    assert diverged.pose == pytest.approx((1.1, 0.0, 0.0))
    assert diverged.time == pytest.approx(held + 0.1)


def test_free_running_car_recovers_from_divergence_too(free):
    car = narrow(free())
    while car.node.failure is None:
        car.send(-2.0, 1.0)
        before = len(car.odometry)
        car.bench.until(
            lambda before=before: len(car.odometry) > before or car.node.failure)
    held = car.time
    car.reset()
    car.pause(False)
    car.wait_until(held + 0.1)
    assert car.pose == (0.0, 0.0, 0.0)


# Wheels

QUANTITIES = ('long_pub', 'lat_pub', 'fx_pub', 'fy_pub')


def test_each_wheel_publishes_its_own_slip_and_forces_before_the_odometry(lockstep, bench):
    heard = {(quantity, wheel): bench.listen(f'/{quantity}/{wheel}', Float64)
             for quantity in QUANTITIES for wheel in WHEEL_NAMES}
    car = lockstep(vehicle_model='double_track', tyre_model='fiala')
    car.drive(40, 2.0, 0.2)
    for messages in heard.values():
        bench.count(messages, 41)
    wheels = car.node.plant.simulator.wheels()
    for (quantity, wheel), messages in heard.items():
        expected = wheels[WHEEL_NAMES.index(wheel)][QUANTITIES.index(quantity)]
        assert messages[-1].data == expected
    for quantity in QUANTITIES:
        assert len({heard[quantity, wheel][-1].data for wheel in WHEEL_NAMES}) == 4


def test_a_wheel_is_published_to_those_who_listen_only(lockstep, bench, monkeypatch):
    heard = bench.listen('/fy_pub/left_rear', Float64)
    car = lockstep()
    sent = []
    for publisher in car.node.publishers:
        if publisher.topic_name[1:].startswith(QUANTITIES):
            def counted(data, publish=publisher.publish, topic=publisher.topic_name):
                sent.append(topic)
                publish(data)

            monkeypatch.setattr(publisher, 'publish', counted)
    car.drive(20, 1.0, 0.2)
    bench.count(heard, 21)
    assert sent == ['/fy_pub/left_rear'] * 20
    axle = car.node.plant.simulator.diagnostics().lateral_force_rear
    assert heard[-1].data == 0.5 * axle > 0.0


def test_nobody_listening_costs_no_forces(lockstep, monkeypatch):
    car = lockstep()
    monkeypatch.setattr(
        car.node.plant.simulator, 'wheels', lambda: pytest.fail('computed for nobody'))
    car.drive(3, 1.0)


# Wheel commands

DOUBLE = {'vehicle_model': 'double_track', 'tyre_model': 'fiala'}


def wheel_command(at=0.0, drive=0.0, brake=0.0, angles=(0.0, 0.0), **more):
    message = WheelCommand(
        left_front_angle=angles[0], right_front_angle=angles[1], drive_torque=[drive] * 4,
        brake_torque=[brake] * 4, **more)
    message.header.stamp = command(at, 0.0).header.stamp
    return message


def answer_wheels(car, **what):
    """Answer the last odometry with a wheel command and return the next."""
    before = len(car.odometry)
    message = wheel_command(**what)
    message.header.stamp = car.odometry[-1].header.stamp
    car.bench.send('/vesc/wheel_command', message)
    car.bench.until(lambda: len(car.odometry) > before, 'the next odometry')


def test_wheel_torques_answer_a_tick_like_commands_do(lockstep):
    car = lockstep(**DOUBLE)
    for _ in range(100):
        answer_wheels(car, drive=0.05, angles=(0.2, 0.2))
    assert car.time == 1.0
    assert car.speed > 0.5
    assert car.pose[2] > 0.1
    for _ in range(100):
        answer_wheels(car, brake=0.3)
    assert car.speed == pytest.approx(0.0, abs=1e-6)


def test_the_last_kind_of_command_governs(lockstep):
    car = lockstep(**DOUBLE)
    for _ in range(50):
        answer_wheels(car, drive=0.1)
    fast = car.speed
    car.drive(50, 0.0)
    assert car.speed < 0.1 * fast
    for _ in range(50):
        answer_wheels(car, drive=0.1)
    assert car.speed > 0.5 * fast


def test_wheel_command_for_another_tick_is_no_answer(bench, lockstep):
    car = lockstep(**DOUBLE)
    bench.send('/vesc/wheel_command', wheel_command(0.01, drive=0.1))
    answer_wheels(car)
    assert car.time == 0.01
    assert car.speed == 0.0


@pytest.mark.parametrize(('what', 'message'), [
    ({'drive': math.nan}, r'drive \(nan, .*expected finite numbers'),
    ({'angles': (0.0, math.inf)}, 'right_angle inf, expected finite'),
    ({'brake': -1.0}, r'brake \(-1\.0.*expected numbers of at least 0'),
    ({'bearing_damping': [0.0, 0.0, 0.0, -0.1]}, r'damping \(0\.0.*at least 0'),
    ({'bearing_damping': [1.5] * 4}, r'damping \(1\.5.* within \[0, 0'),
    ({'drive': -1e6}, r'drive \(-1000000\.0.* within \[-41\.226, 41')])
def test_faulty_wheel_command_is_dropped_and_said(bench, lockstep, what, message):
    car = lockstep(**DOUBLE)
    bench.send('/vesc/wheel_command', wheel_command(0.0, **what))
    found = bench.logged('command dropped')
    assert re.search(f'command dropped: wheel command has {message}', found)
    assert car.answer(0.0).header.stamp.nanosec == 10_000_000


def test_a_plant_without_wheel_torques_names_the_remedy_and_waits_for_another(bench, lockstep):
    car = lockstep()
    bench.send('/vesc/wheel_command', wheel_command(0.0, drive=0.1))
    bench.logged('set vehicle_model to double_track')
    assert seconds(car.answer(1.0)) == 0.01


def test_silence_after_wheel_torques_stops_the_car(bench, free):
    car = free(**DOUBLE)
    bench.send('/vesc/wheel_command', wheel_command(0.0, drive=0.1))
    bench.until(lambda: car.speed > 0.05)
    bench.logged('the car is stopped')
    bench.until(lambda: abs(car.speed) < 1e-3)


def test_old_wheel_command_is_dropped(bench, free):
    car = free(**DOUBLE)
    car.wait_until(1.0)
    bench.send('/vesc/wheel_command', wheel_command(0.1, drive=0.1))
    bench.logged('command dropped: its stamp is')
    assert car.speed == 0.0
