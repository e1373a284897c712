# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""The nodes world_simulator and servo_commands: topics, commands, reset, faults, lockstep."""

import math

from geometry_msgs.msg import Pose, PoseWithCovarianceStamped
from nav_msgs.msg import Odometry
from node_bench import command, RACECAR, seconds, stamp
import pytest
from sensor_msgs.msg import JointState, LaserScan
from std_msgs.msg import Bool, Float64, UInt32
from std_srvs.srv import SetBool
from tf2_msgs.msg import TFMessage

from racecar.base.errors import ConfigurationError, ParameterError
from racecar.base.types import HINGE_JOINTS, WHEEL_JOINTS, WHEEL_NAMES
from racecar.control.servo_commands import SERVO_NAMES
from racecar.nodes.servo_commands import ServoCommandsNode
from racecar.nodes.world_simulator import WorldSimulatorNode
from racecar.ros import qos, topics
from racecar.ros.interfaces import CarState, Reset, WheelCommand

pytestmark = pytest.mark.ros

COMMANDS = '/vesc/low_level/ackermann_cmd_mux/output'
WHEELS = '/vesc/wheel_command'
CONTACTS = ('coulomb', 'pacejka')


class World:
    """The simulator and its odometry; in lockstep the test gives every tick its command."""

    def __init__(self, bench, **parameters):
        self.bench = bench
        self.odometry = bench.listen('/vesc/odom', Odometry, qos.ODOMETRY)
        self.node = bench.start(
            WorldSimulatorNode, use_sim_time=False, **{**RACECAR, **parameters})
        bench.until(lambda: self.odometry, 'the first odometry')

    def answer(self, speed, steering=0.0):
        """Answer the last odometry in lockstep and wait for the next."""
        self.answer_by(COMMANDS, command(0.0, speed, steering))

    def answer_by(self, topic, message):
        self.bench.answer(self.odometry, topic, message)

    def drive(self, ticks, speed, steering=0.0):
        for _ in range(ticks):
            self.answer(speed, steering)
        return self

    def reach(self, least, speed, steering=0.0):
        """Command a speed until the car has the least, one command for each odometry.

        More would fill the queues faster than they are emptied, and one alone grows old.
        """
        answered = 0

        def fast_enough():
            nonlocal answered
            if answered < len(self.odometry):
                answered = len(self.odometry)
                self.bench.send(COMMANDS, command(self.time, speed, steering))
            return self.speed > least
        self.bench.until(fast_enough, f'{least} m/s')

    def reset(self, *poses):
        return self.bench.call('/world_simulator/reset', Reset, pose=list(poses))

    def pause(self, paused):
        return self.bench.call('/world_simulator/pause', SetBool, data=paused)

    @property
    def x(self):
        return self.odometry[-1].pose.pose.position.x

    @property
    def speed(self):
        return self.odometry[-1].twist.twist.linear.x

    @property
    def time(self):
        return seconds(self.odometry[-1])


@pytest.fixture
def lockstep(bench):
    return lambda **more: World(bench, **{'lockstep': True, 'real_time_factor': 0.0, **more})


@pytest.fixture
def free(bench):
    return lambda **more: World(bench, **{'real_time_factor': 5.0, **more})


def flip(world):
    qpos = world.node.plant.engine.data.qpos
    qpos[2], qpos[3:7] = 0.3, (0.2, 0.98, 0.0, 0.0)


# Parameters

@pytest.mark.parametrize(('parameters', 'error', 'message'), [
    ({'contact_model': 'ice'}, ParameterError, "'contact_model' is 'ice', expected one of coul"),
    ({'rate': 30.0}, ConfigurationError, 'rate of odometry of 30 Hz'),
    ({'tire_model': 'linear'}, ParameterError, "'tire_model' is unknown here; did you mean tyre"),
    ({'world': 'nowhere'}, ConfigurationError, "'nowhere' is neither a file nor one of"),
    ({'tyre_parameters': 'ice', 'tyre_model': 'fiala'}, ParameterError, 'tyre_parameters'),
    ({'lockstep': True, 'command_interface': 'wheel_controllers'}, ConfigurationError,
     'wheel_controllers, whose messages have no stamp.*use ackermann or wheel_torques')])
def test_what_cannot_be_simulated_is_refused_at_start(bench, parameters, error, message):
    if 'tyre_parameters' in parameters:
        parameters = {**parameters, 'contact_model': 'pacejka'}
    with pytest.raises(error, match=message):
        bench.start(WorldSimulatorNode, use_sim_time=False, **{**RACECAR, **parameters})


# What it publishes

def test_odometry_comes_at_20_hz_joints_at_50(bench, lockstep):
    joints = bench.listen('/joint_states', JointState)
    states = bench.listen('/car_state', CarState)
    world = lockstep().drive(10, 1.0)
    assert [round(20.0 * seconds(message)) for message in world.odometry] == list(range(11))
    bench.until(lambda: len(joints) == 26)
    assert [round(50.0 * seconds(message)) for message in joints] == list(range(26))
    assert list(joints[0].name) == [*WHEEL_JOINTS, *HINGE_JOINTS]
    assert joints[-1].velocity[0] == pytest.approx(20.0, rel=0.05)
    bench.until(lambda: len(states) == 51)
    message = world.odometry[-1]
    assert (message.header.frame_id, message.child_frame_id) == ('odom', 'base_link')
    assert world.speed == pytest.approx(1.0, rel=0.05)


def test_odometry_is_in_three_dimensions(lockstep):
    world = lockstep(contact_model='pacejka').drive(20, 3.0, 0.1)
    pose = world.odometry[-1].pose.pose
    assert -1e-3 < pose.position.z < 0.0
    # It rolls to the outside.
    assert pose.orientation.x != 0.0
    assert world.odometry[-1].twist.twist.angular.z > 0.5


def test_transforms_of_body_wheels_and_hinges(bench, lockstep):
    found = bench.listen('/tf', TFMessage, qos.TF)
    lockstep().drive(3, 1.0, 0.2)

    def children():
        return {row.child_frame_id for message in found for row in message.transforms}
    bench.until(lambda: {'base_link', 'left_steering_hinge', 'left_front_wheel',
                         'right_rear_wheel'} <= children())


@pytest.mark.parametrize('contact', CONTACTS)
def test_slip_and_force_of_every_wheel(bench, lockstep, contact):
    heard = {(topic, wheel): bench.listen(f'/{topic}/{wheel}', Float64)
             for topic in topics.WHEELS for wheel in WHEEL_NAMES}
    lockstep(contact_model=contact).drive(20, 2.0, 0.2)
    bench.until(lambda: all(heard.values()))
    # To the left, all of them.
    forces = [heard[topics.WHEEL_LATERAL_FORCE, wheel][-1].data for wheel in WHEEL_NAMES]
    assert min(forces) > 0.0
    assert sum(forces) > 5.0
    if contact == 'pacejka':
        # More on the outer wheels, which carry more; friction shares it out as it likes.
        assert forces[0] < forces[1]
        assert forces[2] < forces[3]


def test_a_wall_is_felt_and_seen(bench, lockstep, tmp_path):
    path = tmp_path / 'wall.yaml'
    path.write_text('boxes:\n  - {x: 2.0, y: 0.0, length: 0.2, width: 4.0}\n')
    contacts = bench.listen('/collisions', UInt32, qos.LATCHED)
    touching = bench.listen('/in_collision', Bool, qos.LATCHED)
    scans = bench.listen('/scan', LaserScan)
    world = lockstep(world=str(path), sensors=['laser'], contact_model='pacejka')
    world.drive(5, 0.0)
    bench.until(lambda: len(scans) > 2)
    middle = scans[-1].ranges[len(scans[-1].ranges) // 2]
    assert middle == pytest.approx(1.9 - 0.265, abs=0.05)
    world.drive(80, 1.0)
    bench.until(lambda: contacts[-1].data == 1 and touching[-1].data)
    bench.logged('collision 1: the car ran into something with 1.00 m/s, at x 1.4')
    assert world.x < 1.55
    world.drive(60, -0.5)
    bench.until(lambda: not touching[-1].data)
    assert world.reset().success
    bench.until(lambda: contacts[-1].data == 0)


# Commands

def test_lockstep_waits_for_the_command_of_each_odometry(lockstep, bench):
    world = lockstep()
    held = world.node.plant.time_ns
    bench.send(COMMANDS, command(7.0, 1.0))
    world.answer(1.0)
    assert world.node.plant.time_ns == held + 50_000_000
    assert world.time == pytest.approx(0.05)


@pytest.mark.parametrize('contact', CONTACTS)
def test_two_runs_in_lockstep_give_the_same_bits(bench, lockstep, contact):
    world = lockstep(contact_model=contact)
    runs = []
    for _ in range(2):
        world.reset()
        before = len(world.odometry)
        world.drive(20, 1.5, 0.2)
        runs.append([(m.pose.pose.position.x, m.pose.pose.orientation.z, m.twist.twist.linear.y)
                     for m in world.odometry[before:]])
    assert runs[0] == runs[1]


@pytest.mark.parametrize(('speed', 'steering'), [
    (math.nan, 0.0), (1.0, math.inf), (-math.inf, math.nan)])
def test_a_command_that_is_not_finite_is_dropped(bench, lockstep, speed, steering):
    world = lockstep().drive(5, 1.0)
    message = command(world.time, speed, steering)
    bench.send(COMMANDS, message)
    bench.logged('command dropped: command has speed')
    world.drive(20, 1.0)
    assert world.speed == pytest.approx(1.0, rel=0.02)


def test_silence_stops_the_car(bench, free):
    world = free(contact_model='pacejka')
    world.reach(0.9, 1.0)
    bench.logged('no command for')
    bench.until(lambda: abs(world.speed) < 0.01)


def test_wheel_torques_drive_and_the_mux_takes_over(lockstep, bench):
    world = lockstep(command_interface='wheel_torques', contact_model='pacejka')
    message = WheelCommand(drive_torque=[0.2] * 4)
    for _ in range(20):
        world.answer_by(WHEELS, message)
    assert world.speed > 1.0
    world.drive(60, 0.3)
    assert world.speed == pytest.approx(0.3, rel=0.05)
    world.answer_by(WHEELS, message)
    bad = WheelCommand(drive_torque=[math.nan] * 4)
    bad.header.stamp = world.odometry[-1].header.stamp
    bench.send(WHEELS, bad)
    bench.logged('command dropped: wheel command has drive')


def test_without_wheel_torques_nobody_listens_to_them(bench, lockstep):
    world = lockstep()
    assert world.node.count_subscribers(WHEELS) == 0


# servo_commands and the controllers of the joints

def test_servo_commands_drives_the_world_by_its_joints(bench, free):
    world = free(command_interface='wheel_controllers')
    bench.start(ServoCommandsNode, **RACECAR)
    sent = bench.listen('/racecar/left_rear_wheel_velocity_controller/command', Float64)
    bench.until(lambda: world.time > 0.1)

    world.reach(0.95, 1.0, 0.2)
    assert sent[-1].data == pytest.approx(20.0 * (1.0 - 0.1225 * math.tan(0.2) / 0.325))
    assert world.odometry[-1].twist.twist.angular.z > 0.3
    # Then they fall silent.
    bench.logged('no command for 0.5 s (command_timeout): the wheels are stopped')
    bench.until(lambda: sent[-1].data == 0.0)
    bench.until(lambda: abs(world.speed) < 0.05)


def servo(bench, **parameters):
    """Return a ServoCommandsNode at 1 s and what it sends to each joint."""
    heard = [bench.listen(f'/{topics.joint_command(name)}', Float64) for name in SERVO_NAMES]
    bench.start(ServoCommandsNode, **RACECAR, **parameters)
    bench.set_clock(1.0)
    return heard


def test_servo_commands_of_the_original(bench):
    heard = servo(bench, speed_to_wheel_rate=10.0, hinge_angles='equal', wheel_rates='equal')
    bench.send(COMMANDS, command(1.0, 0.5, -0.3))
    bench.until(lambda: all(heard))
    assert [rows[-1].data for rows in heard] == pytest.approx([5.0] * 4 + [-0.3] * 2)


@pytest.mark.parametrize(('message', 'complaint'), [
    (command(1.0, math.nan), 'command dropped: speed nan'),
    (command(1.0, 0.5, math.inf), 'steering_angle inf, expected finite'),
    (command(0.2, 0.5), 'command dropped: its stamp is 0.800 s old')])
def test_servo_commands_drops_what_it_cannot_use(bench, message, complaint):
    heard = servo(bench)
    bench.send(COMMANDS, message)
    bench.logged(complaint)
    bench.send(COMMANDS, command(1.0, 0.25))
    bench.until(lambda: all(heard))
    assert [len(rows) for rows in heard] == [1] * 6
    assert heard[0][0].data == pytest.approx(5.0)


@pytest.mark.parametrize('bad', [math.nan, math.inf])
def test_a_setpoint_that_is_not_finite_is_dropped(bench, free, bad):
    world = free(command_interface='wheel_controllers')
    bench.send('/racecar/left_front_wheel_velocity_controller/command', Float64(data=bad))
    bench.logged('command dropped: set-point of left_front_wheel_joint is')
    assert world.node.plant.entities[0].output('diagnostics').read().speed == 0.0


# Reset, pause and faults

def test_pause_holds_the_time_and_reset_shows_at_once(bench):
    world = World(bench, paused=True)
    pose = Pose()
    pose.position.x, pose.position.z = 3.0, 5.0
    response = world.reset(pose)
    assert (response.success, response.message) == (True, 'reset to x 3 m, y 0 m, yaw 0 rad')
    bench.until(lambda: world.x == 3.0)
    assert world.time == 0.0
    assert world.pause(False).success
    bench.until(lambda: world.time > 0.2)


def test_initialpose_moves_the_car(bench, lockstep):
    world = lockstep().drive(3, 1.0)
    message = PoseWithCovarianceStamped()
    message.header.frame_id = 'map'
    message.pose.pose.position.x = -2.0
    bench.send('/initialpose', message)
    bench.until(lambda: world.node.plant.entities[0].output('odometry').read().pose.x == -2.0)
    world.drive(20, 0.0)
    assert world.x == pytest.approx(-2.0, abs=1e-4)


def test_a_reset_to_what_is_no_pose_is_refused(lockstep):
    world = lockstep().drive(3, 1.0)
    bad = Pose()
    bad.position.x = math.nan
    response = world.reset(bad)
    assert not response.success
    assert 'not reset' in response.message


def test_a_car_on_its_roof_is_said_so_once_and_reset(bench, free):
    world = free()
    flip(world)
    bench.logged('the car lies on its roof')
    world.reset()
    world.reach(0.9, 1.0)
    said = [text for _, text in bench.logs if 'lies on its' in text]
    assert len(said) == 1


def test_a_command_beyond_the_limits_is_said_once(bench, free):
    world = free()
    world.reach(2.0, 8.0)
    bench.logged('the limits of the vehicle cut the command: speed 8 m/s to 5 m/s')
    world.reach(3.0, 8.0)
    assert len([text for _, text in bench.logs if 'cut the command' in text]) == 1


def test_divergence_stops_the_time_until_a_reset(bench, lockstep):
    world = lockstep().drive(3, 1.0)
    world.node.plant.engine.data.qvel[:] = 5e4
    message = command(0.0, 1.0)
    message.header.stamp = world.odometry[-1].header.stamp
    bench.send(COMMANDS, message)
    bench.logged('left the velocities that can be')
    held = world.node.plant.time_ns
    assert world.reset().success
    bench.until(lambda: world.x == 0.0)
    assert world.pause(False).success
    world.drive(10, 1.0)
    assert world.node.plant.time_ns == held + 10 * 50_000_000
    assert stamp(world.time) == world.odometry[-1].header.stamp
