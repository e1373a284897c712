# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""Each set of topic names drives the car with the names, frames and beams of its software."""

import math

from ackermann_msgs.msg import AckermannDriveStamped
from geometry_msgs.msg import Pose, PoseWithCovarianceStamped, Twist, TwistStamped, Vector3
from nav_msgs.msg import OccupancyGrid, Odometry
from node_bench import command, RACECAR
import pytest
import rclpy
from rclpy.context import Context
from rclpy.node import Node
from rclpy.qos import QoSProfile, ReliabilityPolicy
from sensor_msgs.msg import Imu, LaserScan
from tf2_msgs.msg import TFMessage

from racecar.base.errors import ConfigurationError
from racecar.base.share import topic_set_names
from racecar.base.types import NANOSECONDS
from racecar.nodes.single_track_simulator import SingleTrackSimulatorNode
from racecar.ros import qos
from racecar.stacks import describe_stack, StackOptions
from racecar.stacks.composing import make_node

pytestmark = pytest.mark.ros

# Of each set of a car: topic of odometry, its frames, a topic of commands, and the speed that the
# car drives at for a command of 0.5.
CARS = {
    'racecar': ('/vesc/odom', 'odom', 'base_link',
                '/vesc/ackermann_cmd_mux/input/navigation', 0.5),
    'f1tenth': ('/odom', 'odom', 'base_link', '/drive', 0.5),
    'f1tenth_pf': ('/pf/pose/odom', 'map', 'base_link', '/drive', 0.5),
    'f1tenth_gym': ('/ego_racecar/odom', 'map', 'ego_racecar/base_link', '/drive', 0.5),
    'rss': ('/odom', 'map', 'base_link', '/drive', 0.5),
    'racecar_neo': ('/odom', 'odom', 'base_link', '/drive', 2.0)}

WHEELBASE = 0.325
"""Of the racecar."""


def start(bench, names, **more):
    """Start the plant with a set; return its simulator."""
    nodes = [bench.add(make_node(row)) for row in describe_stack(
        'plant', StackOptions(topic_names=names, without=('trajectory_tracker',), **more))]
    bench.connect()
    return next(node for node in nodes if isinstance(node, SingleTrackSimulatorNode))


def drive(bench, topic, message):
    """Publish a message at 50 Hz from now on; return its timer."""
    publisher = bench.probe.create_publisher(type(message), topic, qos.COMMAND)
    return bench.probe.create_timer(0.02, lambda: publisher.publish(message))


def state_of(simulator):
    return simulator.plant.entities[0].output('odometry').read()


def reaches(bench, simulator, speed):
    bench.until(lambda: state_of(simulator).twist.vx == pytest.approx(speed, abs=1e-3),
                f'{speed} m/s')


def test_every_set_of_a_car_is_tried_here():
    assert {*CARS, 'cmd_vel'} == {*topic_set_names()}


@pytest.mark.parametrize('names', CARS)
def test_unstamped_commands_drive_the_car_by_the_names_of_each_set(bench, names):
    topic, frame, child, commands, speed = CARS[names]
    simulator = start(bench, names)
    odometry, transforms = bench.listen(topic, Odometry), bench.listen('/tf', TFMessage)
    drive(bench, commands, command(0.0, 0.5))
    reaches(bench, simulator, speed)
    bench.until(lambda: odometry and odometry[-1].pose.pose.position.x > 0.1, 'odometry')
    assert (odometry[-1].header.frame_id, odometry[-1].child_frame_id) == (frame, child)
    bench.until(lambda: {(row.header.frame_id, row.child_frame_id)
                         for message in transforms for row in message.transforms} >= {
                             (frame, child)}, 'the transform')


@pytest.mark.parametrize(('names', 'frame', 'rays', 'angle_min', 'angle_max'), [
    ('rss', 'laser', 100, -2.355, 2.355),
    ('f1tenth_gym', 'ego_racecar/laser', 1080, -2.35, 2.35),
    ('racecar_neo', 'laser', 1080, 2 * math.pi / 1080, 2 * math.pi)])
def test_the_laser_of_a_set_has_its_beams_and_its_frame_is_on_the_car(
        bench, names, frame, rays, angle_min, angle_max):
    static = bench.listen('/tf_static', TFMessage, qos.TF_STATIC)
    scans = bench.listen('/scan', LaserScan, qos.SCAN_SUBSCRIPTION)
    start(bench, names, world='racetrack')
    scan = bench.until(lambda: scans and scans[-1], 'a scan')
    assert (scan.header.frame_id, len(scan.ranges)) == (frame, rays)
    assert (scan.angle_min, scan.angle_max) == pytest.approx((angle_min, angle_max))
    parents = {row.child_frame_id: row.header.frame_id
               for message in static for row in message.transforms}
    root = frame
    while root in parents and not root.endswith('base_link'):
        root = parents[root]
    assert root == frame.replace('laser', 'base_link')
    assert ('map' in parents.values()) == (names == 'racecar_neo')


def test_muxes_of_rss_have_their_inputs_priorities_and_outputs(bench):
    simulator = start(bench, 'rss')
    outputs = {topic: bench.listen(topic, AckermannDriveStamped) for topic in (
        '/vesc/high_level/ackermann_cmd', '/vesc/low_level/ackermann_cmd')}
    speeds = [0.3, 0.4, 0.5, 0.6, 0.7, 0.8]
    for topic, speed in zip((
            '/vesc/high_level/input/nav_3', '/vesc/high_level/input/nav_1',
            '/vesc/high_level/input/nav_0', '/vesc/low_level/input/safety',
            '/vesc/low_level/input/teleop'), speeds, strict=False):
        drive(bench, topic, command(0.0, speed))
        reaches(bench, simulator, speed)
    bench.until(lambda: all(outputs.values()), 'the outputs')
    assert outputs['/vesc/high_level/ackermann_cmd'][-1].drive.speed == pytest.approx(0.5)


@pytest.mark.parametrize('topic', ['/vesc/input/navigation', '/vesc/low_level/input/navigation'])
def test_further_inputs_of_rss_drive_the_car(bench, topic):
    simulator = start(bench, 'rss')
    drive(bench, topic, command(0.0, 0.4))
    reaches(bench, simulator, 0.4)


@pytest.fixture
def outsider():
    """Return a node of another process, as one cannot have a topic with two types."""
    context = Context()
    rclpy.init(context=context)
    node = Node('outsider', context=context)
    yield node
    node.destroy_node()
    rclpy.try_shutdown(context=context)


def test_a_car_takes_velocities_of_either_type(bench, outsider):
    simulator = start(bench, 'racecar')
    commands = bench.listen('/vesc/low_level/ackermann_cmd_mux/output', AckermannDriveStamped)
    for speed, is_stamped in (0.4, False), (0.5, True), (0.6, False):
        twist = Twist(linear=Vector3(x=speed), angular=Vector3(z=0.3))
        message = TwistStamped(twist=twist) if is_stamped else twist
        publisher = outsider.create_publisher(type(message), '/cmd_vel', qos.COMMAND)
        # Without it once it is destroyed, as the executor may have a call of the timer left.
        live = {publisher}
        timer = bench.probe.create_timer(
            0.02, lambda live=live, message=message: [one.publish(message) for one in live])
        reaches(bench, simulator, speed)
        angle = math.atan2(0.3 * WHEELBASE, speed)
        bench.until(lambda angle=angle: commands and commands[-1].drive.steering_angle
                    == pytest.approx(angle, abs=1e-6), 'the steering angle')
        bench.probe.destroy_timer(timer)
        live.clear()
        outsider.destroy_publisher(publisher)


def test_of_the_gym_the_last_message_wins_and_twists_steer_to_a_side(bench):
    simulator = start(bench, 'f1tenth_gym')
    commands = bench.listen('/vesc/low_level/ackermann_cmd_mux/output', AckermannDriveStamped)
    twist = Twist()
    twist.linear.x, twist.angular.z = 0.5, -0.1
    timer = drive(bench, '/cmd_vel', twist)
    reaches(bench, simulator, 0.5)
    bench.until(lambda: commands and commands[-1].drive.steering_angle == pytest.approx(-0.3))
    timer.cancel()
    for topic, speed in ('/teleop', 0.6), ('/drive', 0.7), ('/teleop', 0.8):
        # Once is enough, although the one before still speaks.
        bench.send(topic, command(0.0, speed))
        bench.until(lambda speed=speed: commands[-1].drive.speed == pytest.approx(speed), topic)
    # And is held: no mux tells the car to stop.
    since = simulator.plant.time_ns
    bench.until(lambda: simulator.plant.time_ns > since + NANOSECONDS)
    assert commands[-1].drive.speed == pytest.approx(0.8)


def test_a_pose_places_the_car_also_while_it_drives(bench):
    simulator = start(bench, 'rss')
    drive(bench, '/drive', command(0.0, 0.5))
    reaches(bench, simulator, 0.5)
    pose = Pose()
    pose.position.x, pose.position.y = -4.0, -5.4
    pose.orientation.z, pose.orientation.w = math.sin(0.5), math.cos(0.5)
    for _ in range(3):
        bench.deliver(simulator, '/pose', pose)
        car = state_of(simulator).pose
        assert math.hypot(car.x + 4.0, car.y + 5.4) < 0.1
    reaches(bench, simulator, 0.5)
    pose.orientation.z = math.nan
    bench.deliver(simulator, '/pose', pose)
    bench.logged('pose refused')


def test_initialpose_can_be_left_to_a_localisation(bench):
    simulator = bench.start(
        SingleTrackSimulatorNode, use_sim_time=False, take_initialpose=False, **RACECAR)
    message = PoseWithCovarianceStamped()
    message.header.frame_id = 'map'
    message.pose.pose.position.x, message.pose.pose.orientation.w = 3.0, 1.0
    bench.deliver(simulator, '/initialpose', message)
    assert state_of(simulator).pose.x == 0.0
    assert bench.set_parameter(simulator, 'take_initialpose', True).successful
    bench.deliver(simulator, '/initialpose', message)
    assert state_of(simulator).pose.x == 3.0
    topics = {row.topic_name for row in simulator.subscriptions}
    assert not topics & {'/pose', '/goal_pose', '/clicked_point'}


def test_odometry_that_drifts_is_not_in_the_map(bench):
    with pytest.raises(ConfigurationError, match="odometry_frame is 'map', expected 'odom'"):
        start(bench, 'rss', overrides={'single_track_simulator': {
            'odometry.source': 'steering'}})
    simulator = start(bench, 'rss', overrides={'single_track_simulator': {
        'odometry.source': 'steering', 'odometry_frame': 'odom'}})
    drive(bench, '/drive', command(0.0, 0.5))
    bench.until(lambda: simulator.is_commanded, 'a command')


def test_goals_and_clicked_points_are_left_to_others(bench):
    start(bench, 'rss', world='racetrack')
    for topic in '/goal_pose', '/clicked_point':
        assert not bench.probe.count_subscribers(topic) + bench.probe.count_publishers(topic)


def test_a_volatile_listener_that_joins_late_has_the_map(bench):
    start(bench, 'rss', world='racetrack')
    for _ in range(2):
        maps = bench.listen('/map', OccupancyGrid, QoSProfile(depth=1))
        bench.until(lambda maps=maps: maps, 'the map')


def test_sensors_of_neo_are_published_best_effort(bench):
    start(bench, 'racecar_neo')
    readings = bench.listen('/imu', Imu, qos.VIEW_SUBSCRIPTION)
    bench.until(lambda: readings, 'the IMU')
    for topic in '/imu', '/scan', '/camera/forward':
        info, = bench.probe.get_publishers_info_by_topic(topic)
        assert info.qos_profile.reliability == ReliabilityPolicy.BEST_EFFORT
