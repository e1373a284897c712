# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""Odometry by dead reckoning over real topics: transforms, ground truth, metrics, equal bits."""

from contextlib import redirect_stdout
import io
import json

from bag_samples import messages_in
from nav_msgs.msg import Odometry
from node_bench import command, RACECAR
import pytest
from tf2_msgs.msg import TFMessage

import racecar
from racecar.bags.reader import BagReader
from racecar.base.poses import pose_of_child
from racecar.base.types import Pose3
from racecar.cli.main import main
from racecar.cockpit.replay.bag_topics import find_topics, ODOMETRY
from racecar.nodes.single_track_simulator import SingleTrackSimulatorNode
from racecar.nodes.world_simulator import WorldSimulatorNode
from racecar.ros import qos
from racecar.ros.conversions import pose_from_message
from racecar.ros.topics.robots import find_robots

pytestmark = pytest.mark.ros

COMMANDS = '/vesc/low_level/ackermann_cmd_mux/output'
FAST = ('--lockstep', '--real-time-factor', '0')


class Drive:
    """What a simulator publishes while it drives a bend in lockstep."""

    def __init__(self, bench, node_class, **parameters):
        self.static = bench.listen('/tf_static', TFMessage, qos.TF_STATIC)
        self.tf = bench.listen('/tf', TFMessage, qos.TF)
        self.truth = bench.listen('/ground_truth/odom', Odometry, qos.ODOMETRY)
        self.odometry = bench.listen('/vesc/odom', Odometry, qos.ODOMETRY)
        self.node = bench.start(
            node_class, use_sim_time=False, **RACECAR, lockstep=True, real_time_factor=0.0,
            **{'odometry__source': 'steering', 'odometry__speed_scale': 1.2, **parameters})
        bench.until(lambda: self.odometry, 'the first odometry')
        for _ in range(100):
            bench.answer(self.odometry, COMMANDS, command(0.0, 1.0, 0.02))
        bench.until(lambda: len(self.truth) == len(self.odometry), 'the truth')

    def transforms(self, parent, child):
        """Return the stamped transforms between two frames."""
        return [transform for message in (*self.static, *self.tf)
                for transform in message.transforms
                if (transform.header.frame_id, transform.child_frame_id) == (parent, child)]


def at(message):
    return 1_000_000_000 * message.header.stamp.sec + message.header.stamp.nanosec


def pose_of(transform):
    place, turn = transform.transform.translation, transform.transform.rotation
    return Pose3(place.x, place.y, place.z, turn.x, turn.y, turn.z, turn.w)


@pytest.mark.parametrize('node_class', [SingleTrackSimulatorNode, WorldSimulatorNode])
def test_the_transforms_join_the_reckoned_pose_to_the_truth(bench, node_class):
    drive = Drive(bench, node_class)
    first, last = drive.odometry[0], drive.odometry[-1]
    assert (last.header.frame_id, last.child_frame_id) == ('odom', 'base_link')
    true = drive.truth[-1]
    assert (true.header.frame_id, true.child_frame_id) == ('map', 'base_link')
    assert true.header.stamp == last.header.stamp
    # The scale error shows.
    assert last.pose.pose.position.x > 1.1 * true.pose.pose.position.x > 0.1
    bench.until(lambda: drive.transforms('odom', 'base_link')[-1].header.stamp
                == last.header.stamp, 'the last transform')
    origin, base = (drive.transforms(*frames)[-1] for frames in (
        ('map', 'odom'), ('odom', 'base_link')))
    assert origin.header.stamp == base.header.stamp == last.header.stamp
    # pose_from_message() makes the quaternion of unit length, to rounding.
    assert pose_of(base) == pytest.approx(pose_from_message(last.pose.pose), abs=1e-15)
    assert pose_of_child(pose_of(origin), pose_of(base)) == pytest.approx(
        pose_from_message(true.pose.pose), abs=1e-9)
    # x, y and yaw; what the parameters say at the start, then more.
    for index in (0, 7, 35):
        assert first.pose.covariance[index] == pytest.approx(1e-6)
        assert last.pose.covariance[index] > 1e-5
    assert last.pose.covariance[1] == last.pose.covariance[6] != 0.0
    assert last.twist.covariance[0] > first.twist.covariance[0]


def test_a_localisation_may_give_the_place_of_odom_in_the_map(bench):
    drive = Drive(bench, SingleTrackSimulatorNode, publish_map_to_odom=False)
    assert drive.transforms('odom', 'base_link')
    assert not drive.transforms('map', 'odom')


def test_the_truth_is_no_robot():
    names = ['/ground_truth/odom', '/vesc/odom']
    assert [robot.odometry for robot in find_robots(names, lambda _: False)] == ['/vesc/odom']


@pytest.mark.parametrize('node_class', [SingleTrackSimulatorNode, WorldSimulatorNode])
def test_late_odometry_has_the_pose_of_then_and_the_stamp_of_its_message(bench, node_class):
    drive = Drive(bench, node_class, odometry__source='truth', odometry__delay=0.05)
    truths = {at(message): message for message in drive.truth}
    assert [at(message) for message in drive.odometry] == list(truths)
    first = truths[0]
    for late in drive.odometry:
        true = truths.get(at(late) - 50_000_000, first)
        assert late.pose.pose.position.x == pytest.approx(true.pose.pose.position.x, abs=1e-12)
        assert late.twist.twist.linear.x == true.twist.twist.linear.x
    assert len(truths) > 100
    assert drive.odometry[-1].pose.pose.position.x > 0.1


@pytest.mark.parametrize(('name', 'simulator', 'source', 'more'), [
    ('kinematic_ode', 'single_track_simulator', 'steering', {}),
    ('dynamic_ode', 'single_track_simulator', 'truth',
     {'single_track_simulator.odometry.delay': 0.04}),
    ('dynamic_ode', 'single_track_simulator', 'gyro',
     {'single_track_simulator.vehicle_model': 'double_track'}),
    ('kinematic_world', 'world_simulator', 'steering', {'world_simulator.odometry.delay': 0.05}),
])
def test_nodes_in_lockstep_give_the_bits_of_simulate_and_are_measured_by_the_truth(
        tmp_path, name, simulator, source, more):
    chosen = {f'{simulator}.odometry.source': source, f'{simulator}.odometry.seed': 4,
              f'{simulator}.odometry.speed_scale': 1.05, **more}
    words = [word for key, value in chosen.items() for word in ('--set', f'{key}={value}')]
    with redirect_stdout(io.StringIO()) as printed:
        assert main(['up', name, *words, *FAST, '--duration', '2', '--csv',
                     str(tmp_path / 'up.csv'), '--record', str(tmp_path / 'bag'), '--json']) == 0
    run = racecar.simulate(name, set=chosen, duration=2.0)
    nodes = racecar.load(tmp_path / 'up.csv')
    assert nodes.table.rows.tobytes() == run.table.rows.tobytes()
    assert nodes.metrics() == run.metrics()
    recorded = racecar.load(tmp_path / 'bag')
    assert recorded.table['x'].tolist() == run.table['x'].tolist()
    metrics = json.loads(printed.getvalue())
    for key, value in recorded.metrics().as_dict().items():
        assert metrics[key] == (None if value is None else pytest.approx(value, rel=1e-9)), key
    with BagReader(tmp_path / 'bag') as bag:
        assert find_topics(bag.summary).roles['/ground_truth/odom'] == ODOMETRY
    odometry = [row.message for row in messages_in(tmp_path / 'bag', ['/vesc/odom'])]
    assert len(odometry) == len(run.table['x'])
    assert odometry[-1].pose.pose.position.x != run.table['x'][-1]
