# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""A car with two lasers and a pair of cameras, over DDS."""

import math

from gl import gl  # noqa: F401
from nav_msgs.msg import Odometry
from node_bench import command, RACECAR
import numpy as np
from presence import present
import pytest
from sensor_msgs.msg import CameraInfo, Image, Imu, LaserScan
from std_msgs.msg import String
from tf2_msgs.msg import TFMessage

from racecar.bags.drive_log import read_drive_log
from racecar.bags.laser_log import read_laser_log
from racecar.bags.reader import BagReader
from racecar.bags.summary import find_robot, find_scans
from racecar.base.errors import ConfigurationError, ParameterError
from racecar.base.poses import NO_POSE
from racecar.cli.main import main
from racecar.cockpit.frames import is_text, read_json, SCAN
from racecar.cockpit.replay.bag_recording import BagRecording
from racecar.description.urdf import read_urdf
from racecar.nodes.differential_wheels_simulator import DifferentialWheelsSimulatorNode
from racecar.nodes.single_track_simulator import SingleTrackSimulatorNode
from racecar.ros import qos
from racecar.ros.codecs.codec import SensorCodec
from racecar.ros.codecs.registry import CODECS
from racecar.ros.robot_link import check_ports
from racecar.ros.topics import sensor_topics, SENSORS
from racecar.sensors import SENSOR_KINDS
from racecar.simulation.ports import Entity, Output

pytestmark = pytest.mark.ros

EXACT = {f'{name}.{key}': 0.0 for name in ('laser', 'rear') for key in ('noise', 'resolution')}
REAR = {'sensors': ['laser', 'laser:rear'], 'rear.x': -0.1, 'rear.z': 0.1374,
        'rear.yaw': math.pi, **EXACT}
# Faces of the walls ahead and behind [m].
NEAR, FAR = 1.99, -3.99


@pytest.fixture
def walls(tmp_path):
    """A world with a wall 2 m ahead and one 4 m behind."""
    path = tmp_path / 'walls.yaml'
    path.write_text('walls:\n- {points: [[2, -9], [2, 9]], height: 0.5}\n'
                    '- {points: [[-4, -9], [-4, 9]], height: 0.5}\n')
    return str(path)


class Run:
    """A simulator in lockstep, with ears on what is asked for."""

    def __init__(self, bench, node_class=SingleTrackSimulatorNode, *, hears, **parameters):
        self.bench = bench
        self.odometry = bench.listen('/vesc/odom', Odometry)
        self.heard = {topic: bench.listen(topic, kind, profile) for topic, kind, profile in hears}
        self.transforms = bench.listen('/tf_static', TFMessage, qos.TF_STATIC)
        self.descriptions = bench.listen('/robot_description', String, qos.LATCHED)
        self.node = bench.start(
            node_class, use_sim_time=False, lockstep=True, real_time_factor=0.0,
            wait_for_subscribers=1, **{**RACECAR, **parameters})
        bench.until(lambda: self.odometry, 'the first odometry')

    def drive(self, ticks):
        for _ in range(ticks):
            self.bench.answer(self.odometry, '/vesc/low_level/ackermann_cmd_mux/output',
                              command(0.0, 1.0, 0.0))
        return self

    def last(self, topic, count=1):
        self.bench.until(lambda: len(self.heard[topic]) >= count, f'{count} messages on {topic}')
        return self.heard[topic][-1]

    def places(self):
        """Poses (x, y, z, qx, qy, qz, qw) of children of base_link on tf_static."""
        self.bench.until(lambda: self.transforms, 'static transforms')
        found = [row for message in self.transforms for row in message.transforms
                 if row.header.frame_id == 'base_link']
        assert len({row.child_frame_id for row in found}) == len(found)
        return {row.child_frame_id: (
            row.transform.translation.x, row.transform.translation.y,
            row.transform.translation.z, row.transform.rotation.x, row.transform.rotation.y,
            row.transform.rotation.z, row.transform.rotation.w) for row in found}


def ahead(scan):
    """Range straight ahead of a laser [m]."""
    return scan.ranges[round(-scan.angle_min / scan.angle_increment)]


SCANS = [('/scan', LaserScan, qos.STATE), ('/rear/scan', LaserScan, qos.STATE)]


def test_two_lasers_have_a_topic_and_a_frame_each(bench, walls):
    run = Run(bench, hears=SCANS, world=walls, **REAR).drive(50)
    front, rear = (run.last(topic, 21) for topic in ('/scan', '/rear/scan'))
    assert (front.header.frame_id, rear.header.frame_id) == ('laser', 'rear')
    assert front.header.stamp == rear.header.stamp
    x = run.odometry[-1].pose.pose.position.x
    assert x > 0.3
    assert ahead(front) == pytest.approx(NEAR - (x + 0.265), abs=1e-5)
    assert ahead(rear) == pytest.approx(x - 0.1 - FAR, abs=1e-5)


def test_the_frame_of_a_further_laser_is_on_tf_and_in_the_description(bench, walls):
    run = Run(bench, hears=[], world=walls, **REAR)
    expected = pytest.approx((-0.1, 0.0, 0.1374, 0.0, 0.0, 1.0, 0.0), abs=1e-12)
    assert run.places()['rear'] == expected
    bench.until(lambda: run.descriptions, 'the description')
    assert read_urdf(run.descriptions[0].data).poses()['rear'] == expected
    assert not bench.has_logged('wrong place')


def test_beside_robot_state_publisher_the_frame_is_on_tf_nevertheless(bench, walls):
    run = Run(bench, hears=[], world=walls, publish_robot_description=False, **REAR)
    assert set(run.places()) == {'cog', 'rear'}
    assert run.places()['rear'][:3] == (-0.1, 0.0, 0.1374)


PAIR = {'sensors': ['camera:left', 'camera:right'], 'world': 'cones', **{
    f'{name}.{key}': value for name, y in (('left', 0.06), ('right', -0.06))
    for key, value in {'x': 0.3, 'y': y, 'z': 0.2, 'width': 64, 'height': 48,
                       'noise': 0.0}.items()}}


def test_a_pair_of_cameras_sees_the_same_from_two_places(bench, gl):  # noqa: F811
    topics = [(f'/{name}/{topic}', kind, qos.IMAGE) for name in ('left', 'right')
              for topic, kind in (('image_rect_color', Image), ('camera_info', CameraInfo))]
    run = Run(bench, hears=topics, **PAIR)
    pictures = []
    for name in ('left', 'right'):
        image, info = run.last(f'/{name}/image_rect_color'), run.last(f'/{name}/camera_info')
        assert image.header == info.header
        assert image.header.frame_id == f'{name}_optical_frame'
        assert (image.width, image.height, info.width, info.height) == (64, 48, 64, 48)
        pictures.append(np.array(image.data, dtype=np.uint8).reshape(48, 64, 3).astype(int))
    left, right = pictures
    assert not np.array_equal(left, right)
    # Sky and floor are alike, and what stands on it is moved to the side.
    assert np.mean(np.abs(left - right) > 8) < 0.3
    places = run.places()
    for name, y in (('left', 0.06), ('right', -0.06)):
        assert places[f'{name}_optical_frame'] == pytest.approx(
            (0.3, y, 0.2, -0.5, 0.5, -0.5, 0.5), abs=1e-12)


def test_a_robot_with_two_wheels_takes_several_too(bench, walls):
    transforms = bench.listen('/tf_static', TFMessage, qos.TF_STATIC)
    heard = [bench.listen(*topic) for topic in (
        *SCANS, ('/nose/data', Imu, qos.STATE))]
    bench.start(DifferentialWheelsSimulatorNode, use_sim_time=False, real_time_factor=1.0,
                world=walls, **{**REAR, 'sensors': ['laser', 'laser:rear', 'imu:nose'],
                                'rear.z': 0.3})
    bench.until(lambda: all(heard) and transforms, 'a reading of each')
    assert [rows[0].header.frame_id for rows in heard] == ['laser', 'rear', 'base_nose_link']


def test_a_single_laser_of_another_name_has_no_topic_scan(bench, walls):
    run = Run(bench, hears=[SCANS[1]], world=walls, **{**REAR, 'sensors': ['laser:rear']})
    run.last('/rear/scan')
    names = dict(run.node.get_publisher_names_and_types_by_node(run.node.get_name(), '/'))
    assert '/rear/scan' in names
    assert '/scan' not in names


@pytest.mark.parametrize(('values', 'error', 'message'), [
    ({'sensors': ['laser', 'laser']}, ParameterError, "names 'laser' twice"),
    ({'sensors': ['laser:2']}, ParameterError, "'laser:2', expected a name behind the colon"),
    ({'sensors': ['sonar:rear']}, ParameterError, "'sonar:rear', which is unknown"),
    ({'sensors': ['laser'], 'rear.x': 1.0}, ParameterError, r"'rear\.x' is unknown here")])
def test_a_node_refuses_what_cannot_be(bench, values, error, message):
    with pytest.raises(error, match=message):
        bench.start(SingleTrackSimulatorNode, use_sim_time=False, **{**RACECAR, **values})


@pytest.mark.parametrize('kind', SENSOR_KINDS)
def test_what_a_stack_records_of_a_sensor_is_what_its_codec_publishes(kind):
    codec = CODECS[SENSOR_KINDS[kind].value_type]
    assert isinstance(codec, SensorCodec)
    for name in (kind, 'spare'):
        port = Output(name, SENSOR_KINDS[kind].value_type, print, 1)
        assert codec.topics_of(port) == sensor_topics(name, kind)
        assert codec.topic_of(port) == sensor_topics(name, kind)[0]
    assert sensor_topics(kind, kind) == SENSORS[kind]
    assert sensor_topics('sonar', 'sonar') == ('sonar',)
    assert sensor_topics('rear', 'sonar') == ('rear/sonar',)


def test_two_outputs_on_one_topic_are_refused():
    collisions = next(kind for kind in CODECS if kind.__name__ == 'Collisions')
    entity = Entity('', (), tuple(
        Output(name, collisions, print, 1) for name in ('left', 'right')),
        lambda pose: NO_POSE, print)
    with pytest.raises(ConfigurationError, match="outputs 'left' and 'right' are both on the"):
        check_ports(entity, CODECS, 'left', [])


def test_bags_of_two_lasers_are_drawn_analysed_and_replayed_with_the_first(tmp_path):
    folder = tmp_path / 'run'
    options = {f'{name}.{key}': value for name, places in (
        ('front', {'x': 0.3, 'z': 0.2}), ('rear', {'x': -0.1, 'z': 0.2, 'yaw': math.pi}))
        for key, value in {**places, 'rays': 9}.items()}
    assert main([
        'up', 'kinematic_ode', '--lockstep', '--real-time-factor', '0', '--duration', '1',
        '--world', 'tunnel', '--sensors', 'laser:front,laser:rear', '--record', str(folder),
        *(word for name, value in options.items()
          for word in ('--set', f'single_track_simulator.{name}={value!r}'))]) == 0
    with BagReader(folder) as bag:
        counts = {row.name: row.message_count for row in bag.summary.topics}
        assert counts['/front/scan'] == counts['/rear/scan'] == 41
        assert find_scans(bag.summary, find_robot(bag.summary)) == '/front/scan'
    log = read_drive_log(folder, with_scans=True)
    assert len(log.drive.scans) == 41
    assert present(log.description).tree.poses()['front'][:3] == (0.3, 0.0, 0.2)
    seen = read_laser_log(folder).scans[0]
    assert seen.x - read_laser_log(folder).x[0] == pytest.approx(0.3, abs=0.02)
    recording = BagRecording(folder)
    try:
        robot, = (read_json(frame) for frame in recording.opening
                  if is_text(frame) and read_json(frame)['type'] == 'robot')
        scans = [row for row in recording.block(0).frames if row.frame[0] == SCAN]
    finally:
        recording.close()
    assert robot['laser_frame'] == 'front'
    assert len(scans) == 41
