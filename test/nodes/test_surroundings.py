# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""Laser, IMU, map and collisions of the planar simulator over real topics."""

import math
from typing import Any

from nav_msgs.msg import OccupancyGrid, Odometry
from node_bench import Bench, command, RACECAR, seconds
import numpy as np
import pytest
from sensor_msgs.msg import Imu, LaserScan
from std_msgs.msg import Bool, UInt32
from tf2_msgs.msg import TFMessage

from racecar.base.errors import ConfigurationError, ParameterError
from racecar.nodes.single_track_simulator import SingleTrackSimulatorNode
from racecar.ros import qos
from racecar.ros.interfaces import Reset
from racecar.scene import load_world

pytestmark = pytest.mark.ros

COMMAND = '/vesc/low_level/ackermann_cmd_mux/output'
EXACT = {'laser.noise': 0.0, 'laser.resolution': 0.0}
WALL = 'walls: [{points: [[2, -9], [2, 9]], height: 0.5}]\n'
# Of its face: a wall is 2 cm thick.
NEAR = 1.99


@pytest.fixture
def wall(tmp_path):
    """A world with a wall 2 m ahead."""
    path = tmp_path / 'wall.yaml'
    path.write_text(WALL)
    return str(path)


class Run:
    """The simulator in lockstep, with ears on what is asked for."""

    def __init__(self, bench, *, hears=(), **parameters):
        self.bench = bench
        self.odometry = bench.listen('/vesc/odom', Odometry)
        self.heard = {topic: bench.listen(topic, kind, profile) for topic, kind, profile in hears}
        self.node = bench.start(
            SingleTrackSimulatorNode, use_sim_time=False, lockstep=True, real_time_factor=0.0,
            wait_for_subscribers=1, **{**RACECAR, **parameters})
        bench.until(lambda: self.odometry, 'the first odometry')

    def drive(self, ticks, speed=1.0, steering=0.0):
        for _ in range(ticks):
            self.bench.answer(self.odometry, COMMAND, command(0.0, speed, steering))
        return self

    def messages(self, topic, count):
        self.bench.until(lambda: len(self.heard[topic]) >= count, f'{count} messages on {topic}')
        return self.heard[topic]


SCAN = ('/scan', LaserScan, qos.STATE)
IMU = ('/imu/data', Imu, qos.STATE)
COLLISIONS = ('/collisions', UInt32, qos.LATCHED)
IN_COLLISION = ('/in_collision', Bool, qos.LATCHED)


def test_the_scan_shows_the_wall_at_its_rate(bench, wall):
    run = Run(bench, hears=[SCAN], world=wall, sensors=['laser'], **EXACT).drive(50)
    scans = run.messages('/scan', 21)
    assert [round(seconds(scan) * 1e3) for scan in scans] == list(range(0, 501, 25))
    scan = scans[-1]
    assert scan.header.frame_id == 'laser'
    assert (len(scan.ranges), len(scan.intensities)) == (1081, 0)
    assert scan.angle_min == pytest.approx(-2.3561944902)
    assert scan.angle_max == pytest.approx(2.3561944902)
    assert scan.angle_increment == pytest.approx(2.0 * 2.3561944902 / 1080)
    assert scan.scan_time == pytest.approx(0.025)
    assert (scan.time_increment, scan.range_min, scan.range_max) == pytest.approx((0.0, 0.1, 10.0))
    x = run.odometry[-1].pose.pose.position.x + 0.265
    angles = scan.angle_min + np.arange(1081) * scan.angle_increment
    truth = np.where(np.abs(angles) < math.pi / 2.0, (NEAR - x) / np.cos(angles), math.inf)
    ranges = np.array(scan.ranges)
    # The wall is 18 m long.
    seen = truth < 9.0
    assert ranges[seen] == pytest.approx(truth[seen], abs=1e-3)
    assert np.isinf(ranges[truth > 10.1]).all()


def test_a_sweep_is_stamped_with_its_first_ray(bench, wall):
    run = Run(bench, hears=[SCAN], world=wall, sensors=['laser'],
              **{'laser.sweep_time': 0.018}).drive(10)
    scans = run.messages('/scan', 5)
    assert [round(seconds(scan) * 1e3) for scan in scans] == [0, 7, 32, 57, 82]
    assert scans[0].time_increment == pytest.approx(0.018 / 1080)


def test_the_imu_shows_gravity_and_the_turn(bench):
    run = Run(bench, hears=[IMU], sensors=['imu'], **{
        'imu.orientation_noise': 0.0, 'imu.rotation_noise': 0.0, 'imu.acceleration_noise': 0.0})
    run.drive(100, 1.0, 0.2)
    message = run.messages('/imu/data', 101)[-1]
    assert message.header.frame_id == 'base_imu_link'
    twist = run.odometry[-1].twist.twist
    assert message.angular_velocity.z == pytest.approx(twist.angular.z)
    assert message.linear_acceleration.z == pytest.approx(9.81)
    assert message.linear_acceleration.y == pytest.approx(
        twist.linear.x * twist.angular.z, abs=0.02)
    orientation = run.odometry[-1].pose.pose.orientation
    assert (message.orientation.z, message.orientation.w) == pytest.approx(
        (orientation.z, orientation.w))
    assert message.linear_acceleration_covariance[0] > 0.0
    assert message.linear_acceleration_covariance[1] == 0.0


def test_sensors_sit_where_the_robot_description_has_them(bench):
    transforms = bench.listen('/tf_static', TFMessage, qos.TF_STATIC)
    run = Run(bench, sensors=['laser', 'imu'])
    bench.until(lambda: transforms, 'static transforms')
    names = [row.child_frame_id for message in transforms for row in message.transforms]
    assert names.count('laser') == names.count('base_imu_link') == 1
    assert not [text for _, text in run.bench.logs if 'wrong place' in text]


def test_a_late_listener_gets_the_map(bench):
    Run(bench, world='room').drive(3)
    maps = bench.listen('/map', OccupancyGrid, qos.LATCHED)
    bench.until(lambda: maps, 'the map')
    grid, message = load_world('room').grid, maps[0]
    assert message.header.frame_id == 'map'
    assert grid is not None
    assert (message.info.height, message.info.width) == grid.values.shape
    assert message.info.resolution == pytest.approx(grid.resolution)
    assert (message.info.origin.position.x, message.info.origin.position.y) == grid.origin[:2]
    assert message.info.origin.orientation.w == 1.0
    assert (np.array(message.data, np.int8).reshape(grid.values.shape) == grid.values).all()


def test_a_late_volatile_listener_gets_the_map_too_and_others_get_it_once(bench):
    """Nodes of other people often do not ask for what is latched."""
    Run(bench, world='room')
    latched = bench.listen('/map', OccupancyGrid, qos.LATCHED)
    bench.until(lambda: latched, 'the map')
    for number in (1, 2):
        maps = bench.listen('/map', OccupancyGrid, qos.STATE)
        bench.until(lambda maps=maps: maps, 'the map for the volatile listener')
        assert maps == latched[:1]
        bench.until(lambda number=number: len(latched) == 1 + number, 'what is sent again')
    last = bench.listen('/map', OccupancyGrid, qos.LATCHED)
    bench.until(lambda: last, 'the map')
    assert (len(last), len(latched)) == (1, 3)


@pytest.mark.parametrize('parameters', [{}, {'world': 'room', 'publish_map': False}])
def test_no_map_is_published_where_there_is_none_or_nobody_wants_it(bench, parameters):
    run = Run(bench, **parameters).drive(2)
    assert '/map' not in [publisher.topic_name for publisher in run.node.publishers]


def test_a_collision_stops_the_car_and_is_told_once(bench, wall):
    run = Run(bench, hears=[COLLISIONS, IN_COLLISION], world=wall).drive(250)
    assert [message.data for message in run.messages('/collisions', 2)] == [0, 1]
    assert [message.data for message in run.messages('/in_collision', 2)] == [False, True]
    told = [text for _, text in bench.logs if text.startswith('collision ')]
    assert told == ['collision 1: the car ran into something with 1.00 m/s, at x 1.57 m, y 0.00 m']
    last = run.odometry[-1]
    assert last.twist.twist.linear.x == 0.0
    assert last.pose.pose.position.x == pytest.approx(NEAR - 0.419, abs=0.002)
    # It backs away, and is as new after a reset.
    run.drive(30, -1.0)
    assert [message.data for message in run.messages('/in_collision', 3)] == [False, True, False]
    assert bench.call('/single_track_simulator/reset', Reset).success
    run.drive(2)
    assert [message.data for message in run.messages('/collisions', 3)] == [0, 1, 0]


def test_runs_in_lockstep_are_byte_for_byte_the_same_with_noise_and_all(wall):
    def recorded(seed):
        """Return the messages as they were sent: rclpy itself leaves chance in the padding."""
        sent: dict[str, list[Any]] = {'/scan': [], '/imu/data': []}
        with Bench() as bench:
            for topic, kind in (('/scan', LaserScan), ('/imu/data', Imu)):
                bench.probe.create_subscription(
                    kind, topic, sent[topic].append, qos.STATE, raw=True)
                bench.listened.append(topic)
            Run(bench, world=wall, sensors=['laser', 'imu'], **{
                'laser.seed': seed, 'imu.seed': seed}).drive(60, 1.0, 0.1)
            bench.until(lambda: len(sent['/scan']) == 25 and len(sent['/imu/data']) == 61)
        return list(sent.values())

    one, again, other = recorded(1), recorded(1), recorded(2)
    assert one == again
    assert one[0] != other[0]
    assert one[1] != other[1]


@pytest.mark.parametrize(('parameters', 'error', 'message'), [
    ({'sensors': ['sonar']}, ParameterError, "'sensors' names 'sonar', which is unknown"),
    ({'world': 'moon'}, ConfigurationError, "world 'moon' is neither a file nor one of ar, arena"),
    ({'sensors': ['laser'], 'laser.rate': 33.0}, ConfigurationError,
     r'choose 32\.2580645 or 33\.3333333 Hz'),
])
def test_what_there_is_not_ends_the_node_with_one_line(bench, parameters, error, message):
    with pytest.raises(error, match=message):
        bench.start(SingleTrackSimulatorNode, use_sim_time=False, **{**RACECAR, **parameters})
