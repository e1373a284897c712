# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""What AMCL, slam_toolbox, robot_localization and Nav2 need, held against a running simulator.

QoS as in the sources: Nav2, branch jazzy, amcl_node.cpp, static_layer.cpp, obstacle_layer.cpp and
odometry_utils.cpp; slam_toolbox, branch ros2, slam_toolbox_common.cpp; robot_localization, branch
ros2, ros_filter.cpp. The rates are ours.
"""

import math

from nav_msgs.msg import OccupancyGrid, Odometry
from node_bench import Bench, RACECAR, seconds
import pytest
from rclpy.qos import (
    DurabilityPolicy,
    LivelinessPolicy,
    qos_check_compatible,
    QoSCompatibility,
    QoSProfile,
    ReliabilityPolicy,
)
from sensor_msgs.msg import Imu, LaserScan
from std_srvs.srv import Trigger
from tf2_msgs.msg import TFMessage

from racecar.base.parameter_file import load_parameter_file
from racecar.base.share import share_folder
from racecar.catalogue import NODES

pytestmark = pytest.mark.ros


def profile_of(depth, **policies):
    return QoSProfile(depth=depth, liveliness=LivelinessPolicy.AUTOMATIC, **policies)


SENSOR_DATA = profile_of(5, reliability=ReliabilityPolicy.BEST_EFFORT)
# bt_navigator takes the defaults of the middleware; this is the stricter one that they may be.
RELIABLE = profile_of(10)
LATCHED = profile_of(1, durability=DurabilityPolicy.TRANSIENT_LOCAL)
# Node, topic, type, QoS of its subscription, least rate [Hz] at which it is of use.
EXPECTED = [
    ('amcl', '/scan', LaserScan, SENSOR_DATA, 5.0),
    ('slam_toolbox', '/scan', LaserScan, SENSOR_DATA, 5.0),
    ('amcl', '/map', OccupancyGrid, LATCHED, None),
    ('static_layer', '/map', OccupancyGrid, LATCHED, None),
    ('obstacle_layer', '/scan', LaserScan, profile_of(
        50, reliability=ReliabilityPolicy.BEST_EFFORT), 5.0),
    ('ekf', '/vesc/odom', Odometry, profile_of(
        10, reliability=ReliabilityPolicy.BEST_EFFORT), 10.0),
    ('ekf', '/imu/data', Imu, profile_of(10, reliability=ReliabilityPolicy.BEST_EFFORT), 10.0),
    ('bt_navigator', '/vesc/odom', Odometry, RELIABLE, 10.0),
]


@pytest.fixture(scope='module')
def running():
    """Heard messages by topic, and the bench, after two simulated seconds."""
    with Bench() as bench:
        node = bench.start(
            NODES['single_track_simulator'].make_node, use_sim_time=False, paused=True,
            sensors=['laser', 'imu'], world='cones', publish_map_to_odom=False,
            take_initialpose=False,
            **{key.replace('.', '__'): value for key, value in RACECAR.items()})
        heard = {}
        for _, topic, kind, profile, _ in EXPECTED:
            if topic not in heard:
                heard[topic] = bench.listen(topic, kind, profile)
        heard['/tf'] = bench.listen('/tf', TFMessage, profile_of(100))
        heard['/tf_static'] = bench.listen('/tf_static', TFMessage, LATCHED)
        bench.until(lambda: node.waits_for().startswith('paused'), 'the start')
        for _ in range(100):
            assert bench.call('/single_track_simulator/step', Trigger).success
        bench.until(lambda: len(heard['/scan']) > 30 and heard['/map'], 'scans and map')
        yield bench, heard


@pytest.mark.parametrize(('node', 'topic', 'kind', 'profile', 'rate'), EXPECTED)
def test_a_topic_is_as_a_navigation_node_takes_it(running, node, topic, kind, profile, rate):
    bench, heard = running
    publishers = bench.probe.get_publishers_info_by_topic(topic)
    assert [info.topic_type for info in publishers] == [
        f"{kind.__module__.split('.')[0]}/msg/{kind.__name__}"], node
    compatible, reason = qos_check_compatible(publishers[0].qos_profile, profile)
    assert compatible == QoSCompatibility.OK, reason
    if rate is not None:
        times = [seconds(message) for message in heard[topic]]
        periods = [after - before for before, after in zip(times, times[1:], strict=False)]
        assert 0.0 < max(periods) <= 1.0 / rate


def test_the_frames_form_one_tree_without_that_which_localisation_gives(running):
    _, heard = running
    parents: dict[str, set[str]] = {}
    for topic in ('/tf', '/tf_static'):
        for message in heard[topic]:
            for transform in message.transforms:
                parents.setdefault(transform.child_frame_id, set()).add(transform.header.frame_id)
    assert parents['base_link'] == {'odom'}
    assert 'odom' not in parents  # map -> odom is that of AMCL
    assert all(len(found) == 1 for found in parents.values())
    frame = heard['/scan'][-1].header.frame_id
    while frame != 'odom':
        frame, = parents[frame]
    assert 'base_link' in parents


def test_transforms_come_with_each_odometry_and_its_stamp(running):
    _, heard = running
    sent = {seconds(transform) for message in heard['/tf'] for transform in message.transforms
            if transform.child_frame_id == 'base_link'}
    assert {seconds(message) for message in heard['/vesc/odom'][5:]} <= sent


def test_covariances_are_those_of_a_measurement(running):
    _, heard = running
    odometry, imu = heard['/vesc/odom'][-1], heard['/imu/data'][-1]
    assert (odometry.header.frame_id, odometry.child_frame_id) == ('odom', 'base_link')
    for covariance in (odometry.pose.covariance, odometry.twist.covariance):
        assert all(covariance[7 * axis] > 0.0 for axis in (0, 1, 5))
    assert imu.angular_velocity_covariance[8] > 0.0


def test_a_scan_says_what_it_is(running):
    _, heard = running
    scan = heard['/scan'][-1]
    assert len(scan.ranges) == round(
        (scan.angle_max - scan.angle_min) / scan.angle_increment) + 1
    assert 0.0 < scan.range_min < scan.range_max
    assert all(math.isinf(value) or scan.range_min <= value <= scan.range_max
               for value in scan.ranges)


@pytest.mark.parametrize(('name', 'keys'), [
    ('amcl', {'base_frame_id': 'base_link', 'odom_frame_id': 'odom', 'scan_topic': '/scan'}),
    ('slam_toolbox', {'base_frame': 'base_link', 'odom_frame': 'odom', 'scan_topic': '/scan'}),
    ('ekf', {'odom0': '/vesc/odom', 'imu0': '/imu/data', 'base_link_frame': 'base_link'}),
])
def test_a_parameter_file_names_what_the_simulator_publishes(name, keys):
    node = {'ekf': 'ekf_filter_node'}.get(name, name)
    values = load_parameter_file(share_folder() / 'config' / 'navigation' / f'{name}.yaml', node)
    assert {key: values[key] for key in keys} == keys
    assert values['use_sim_time'] is True
