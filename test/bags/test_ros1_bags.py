# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""Bags of ROS 1, as `rosbag record` of the original writes them: KinGazebo.bag of the report."""

import bz2
import math

import numpy as np
from presence import present
import pytest
from rosbags.rosbag1 import Writer
from rosbags.typesys import get_typestore, Stores

from racecar.bags.drive_log import read_drive_log
from racecar.bags.reader import BagReader
from racecar.bags.runs import read_run
from racecar.bags.tracking_run import read_tracking_run
from racecar.base.errors import BagError
from racecar.cli.main import main
from racecar.cockpit.replay.bag_recording import BagRecording
from racecar.metrics.tracking_error import compute_metrics

ODOMETRY, NUMBERS, NUMBER = (
    'nav_msgs/msg/Odometry', 'std_msgs/msg/Float64MultiArray', 'std_msgs/msg/Float64')
# The recorder's clock is simulated time, as with use_sim_time of the original.
BEGIN_NS, STEP_NS, SAMPLES = 3_000_000_000, 50_000_000, 40
ERROR = 0.05
ZEROS = bz2.compress(bytes(20 << 20))


@pytest.fixture(scope='module')
def store():
    return get_typestore(Stores.ROS1_NOETIC)


def odometry(store, stamp_ns, x, y):
    types = {name.split('/')[-1]: kind for name, kind in store.types.items()
             if name.startswith(('geometry_msgs', 'builtin'))}
    zero = types['Vector3'](0.0, 0.0, 0.0)
    return store.types[ODOMETRY](
        store.types['std_msgs/msg/Header'](
            7, types['Time'](stamp_ns // 10**9, stamp_ns % 10**9), 'map'), 'odom',
        types['PoseWithCovariance'](types['Pose'](
            types['Point'](x, y, 0.0), types['Quaternion'](0.0, 0.0, 0.0, 1.0)), np.zeros(36)),
        types['TwistWithCovariance'](types['Twist'](types['Vector3'](1.0, 0.0, 0.0), zero),
                                     np.zeros(36)))


def numbers(store, *values):
    layout = store.types['std_msgs/msg/MultiArrayLayout']([], 0)
    return store.types[NUMBERS](layout, np.array(values))


def write(path, store, compression=None):
    """Write the topics of the report: 20 Hz odometry, the reference at 100 Hz, slip and force."""
    writer = Writer(path)
    if compression is not None:
        writer.set_compression(compression)
    with writer:
        connections = {
            topic: (writer.add_connection(topic, kind, typestore=store), kind)
            for topic, kind in (('/vesc/odom', ODOMETRY), ('/reference_trajectory', NUMBERS),
                                ('/long_pub/right_front', NUMBER),
                                ('/fx_pub/right_front', NUMBER))}

        def put(topic, now, message):
            connection, kind = connections[topic]
            writer.write(connection, now, store.serialize_ros1(message, kind))

        for tick in range(5 * SAMPLES):
            now = BEGIN_NS + tick * STEP_NS // 5
            time = now / 1e9
            put('/reference_trajectory', now, numbers(store, time, math.sin(time), time))
            put('/long_pub/right_front', now, store.types[NUMBER](0.01 * tick))
            put('/fx_pub/right_front', now, store.types[NUMBER](-1.0 * tick))
            if tick % 5 == 0:
                put('/vesc/odom', now, odometry(store, now, time, math.sin(time) + ERROR))
    return path


@pytest.mark.parametrize('compression', [None, *Writer.CompressionFormat])
def test_the_bag_of_the_report_is_analysed(tmp_path, store, compression):
    path = write(tmp_path / 'KinGazebo.bag', store, compression)
    recorded = read_tracking_run(path)
    run = recorded.run
    assert (run.odometry_name, run.reference_name) == ('/vesc/odom', '/reference_trajectory')
    assert 'ROS 1' in dict(recorded.source)['Storage']
    metrics = compute_metrics(run.merged())
    assert metrics.samples == SAMPLES
    assert metrics.rmse == pytest.approx(ERROR, abs=1e-9)
    assert present(run.tyre_data).fx['right_front'].slip[:3] == pytest.approx([0.0, 0.01, 0.02])


def test_analyze_prints_its_metrics(tmp_path, store, capsys):
    path = write(tmp_path / 'KinGazebo.bag', store)
    assert main(['analyze', str(path), '--json']) == 0
    captured = capsys.readouterr()
    assert '"rmse": 0.05' in captured.out
    assert f'Report: {tmp_path}/KinGazebo_analysis/report.html' in captured.err


def test_a_drive_of_ros_1_is_replayed_and_drawn(tmp_path, store):
    path = write(tmp_path / 'a.bag', store)
    assert len(read_drive_log(path).drive.t) == SAMPLES
    assert read_run(path).motion.t.size == SAMPLES
    recording = BagRecording(path)
    times = np.concatenate([recording.block(index).times for index in range(2)])
    recording.close()
    assert times == pytest.approx(0.05 * np.arange(SAMPLES))
    with BagReader(path) as reader:
        found = [row.log_time_ns for row in reader.messages(
            ['/vesc/odom'], start_ns=BEGIN_NS + STEP_NS, stop_ns=BEGIN_NS + 3 * STEP_NS)]
    assert found == [BEGIN_NS + STEP_NS, BEGIN_NS + 2 * STEP_NS]


@pytest.mark.parametrize('damage', [
    lambda data: b'', lambda data: b'#ROSBAG V2.0\n', lambda data: data[:len(data) // 2],
    lambda data: data[:-200], lambda data: b'no bag' + data,
    lambda data: data.replace(b'float64 data', b'float64 dada')])
def test_damaged_bags_are_refused_in_one_line(tmp_path, store, damage):
    path = write(tmp_path / 'a.bag', store)
    path.write_bytes(damage(path.read_bytes()))
    with pytest.raises(BagError) as raised:
        read_tracking_run(path)
    text = str(raised.value)
    assert str(path) in text
    assert text.isprintable()


def test_a_chunk_of_zeros_is_refused(tmp_path, store, monkeypatch):
    monkeypatch.setattr('rosbags.rosbag1.writer.bz2_compress', lambda *_: ZEROS)
    path = write(tmp_path / 'a.bag', store, Writer.CompressionFormat.BZ2)
    assert path.stat().st_size < 100_000
    with pytest.raises(BagError, match='compressed bytes hold more than'):
        read_tracking_run(path)


def test_a_reference_that_is_too_short_is_refused(tmp_path, store):
    path = tmp_path / 'a.bag'
    with Writer(path) as writer:
        for topic, kind, message in (
                ('/vesc/odom', ODOMETRY, odometry(store, BEGIN_NS, 0.0, 0.0)),
                ('/reference_trajectory', NUMBERS, numbers(store, 1.0))):
            writer.write(writer.add_connection(topic, kind, typestore=store), BEGIN_NS,
                         store.serialize_ros1(message, kind))
    with pytest.raises(BagError, match='a message on /reference_trajectory .* cannot be used'):
        read_tracking_run(path)
