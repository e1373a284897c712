# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""What anybody may have recorded: each reader uses it, or refuses it in one line with the file."""

import math
import os

from bag_samples import ACKERMANN, NUMBER, ODOMETRY, START_NS, write_ours
import numpy as np
from presence import present
import pytest
from rosbags.typesys import get_types_from_msg

from racecar.analysis.html_report import tracking_report
from racecar.bags.drive_log import read_drive_log
from racecar.bags.driver_log import read_driver_log
from racecar.bags.identification_log import read_identification_log
from racecar.bags.laser_log import read_laser_log
from racecar.bags.reader import BagReader
from racecar.bags.runs import read_run
from racecar.bags.tracking_run import read_tracking_run
from racecar.base.errors import BagError, RacecarError, RunError
from racecar.base.share import share_folder
from racecar.base.types import Lamps
from racecar.identification.preparing import prepare
from racecar.metrics.tracking_error import compute_metrics

MAP = 'nav_msgs/msg/OccupancyGrid'
STRING = 'std_msgs/msg/String'
SCAN = 'sensor_msgs/msg/LaserScan'
LAMPS = 'racecar_interfaces/msg/LampSwitches'


class Redefined:
    """Messages of which a type is defined otherwise in the bag."""

    def __init__(self, messages, **texts):
        self._messages = messages
        self._texts = texts

    def definition(self, type_name):
        text = self._messages.definition(type_name)
        return self._texts.get(type_name.split('/')[-1], lambda text: text)(text)


def serialised(messages, kind, *fields):
    return bytes(messages.store.serialize_cdr(messages.store.types[kind](*fields), kind))


def text_of(messages, text):
    return serialised(messages, STRING, text)


def grid_of(messages, height, width, resolution=0.5):
    types = {name.split('/')[-1]: kind for name, kind in messages.store.types.items()}
    return serialised(messages, MAP, messages.header(START_NS), types['MapMetaData'](
        types['Time'](0, 0), resolution, width, height, types['Pose'](
            types['Point'](0.0, 0.0, 0.0), types['Quaternion'](0.0, 0.0, 0.0, 1.0))),
        np.zeros(12, np.int8))


def scan_of(messages):
    return serialised(messages, SCAN, messages.header(START_NS), -1.0, 1.0, 1.0, 0.0, 0.0, 0.0,
                      9.0, np.ones(3, np.float32), np.ones(0, np.float32))


def is_one_line_about(error, path):
    text = str(error)
    return str(path) in text and text.isprintable() and len(text) < 1000


@pytest.mark.parametrize(('kind', 'field', 'reads'), [
    ('Odometry', 'PoseWithCovariance pose', [
        read_run, read_drive_log, read_laser_log, read_identification_log]),
    ('Odometry', 'Header header', [read_run, read_drive_log, read_identification_log]),
    ('Float64', 'float64 data', [read_tracking_run]),
    ('LaserScan', 'float32 angle_increment', [
        lambda path: read_drive_log(path, with_scans=True)]),
    ('OccupancyGrid', 'MapMetaData info', [read_drive_log, read_laser_log]),
    ('String', 'string data', [read_drive_log]),
    ('AckermannDriveStamped', 'AckermannDrive drive', [read_run, read_identification_log])])
def test_known_types_that_are_defined_otherwise_are_refused(
        tmp_path, rows, messages, kind, field, reads):
    name = field.split()[1]

    def renamed(text):
        assert f' {name}\n' in text
        return text.replace(f' {name}\n', f' other_{name}\n', 1)

    path = write_ours(tmp_path / 'run', [
        *rows, ('/fx_pub/left_front', NUMBER, START_NS, messages.number(1.0)),
        ('/map', MAP, START_NS, grid_of(messages, 3, 4)),
        ('/robot_description', STRING, START_NS, text_of(messages, '<robot/>')),
        ('/vesc/low_level/ackermann_cmd_mux/output', ACKERMANN, START_NS,
         messages.ackermann(START_NS, 1.0, 0.0)),
        ('/scan', SCAN, START_NS, scan_of(messages))], Redefined(messages, **{kind: renamed}))
    for read in reads:
        with pytest.raises(BagError, match='cannot be used') as raised:
            read(path)
        assert is_one_line_about(raised.value, path)


@pytest.mark.parametrize('text', ['(' * 5000, '\0', 'float64 ' + 'a' * 100_000 + '$'])
def test_definition_that_is_none_is_refused_in_a_short_line(tmp_path, rows, messages, text):
    path = write_ours(
        tmp_path / 'run', rows, Redefined(messages, Odometry=lambda _: text))
    with pytest.raises(BagError, match='the definition of nav_msgs/msg/Odometry') as raised:
        read_run(path)
    assert is_one_line_about(raised.value, path)


@pytest.mark.parametrize(('topic', 'make'), [
    ('/map', lambda messages: (MAP, grid_of(messages, 127, 8))),
    ('/map', lambda messages: (MAP, grid_of(messages, 3, 4, math.nan))),
    ('/robot_description', lambda messages: (STRING, text_of(messages, '<robot>')))])
def test_map_and_description_that_are_none_are_refused_with_the_name_of_the_bag(
        write_bag, rows, messages, topic, make):
    kind, data = make(messages)
    path = write_bag([*rows, (topic, kind, START_NS, data)])
    with pytest.raises(BagError) as raised:
        read_drive_log(path)
    assert is_one_line_about(raised.value, path)


def test_drive_leaves_out_what_is_not_finite_and_takes_no_rotation_for_none(write_bag, messages):
    def odometry(tick, x, yaw=0.0):
        now = START_NS + tick * 10_000_000
        return '/vesc/odom', ODOMETRY, now, messages.odometry(now, x, 0.0, yaw)

    zero = odometry(2, 2.0)
    # Its quaternion is all zeros.
    data = bytearray(zero[3])
    data[data.index(np.float64(1.0).tobytes()):][:8] = bytes(8)
    at = data.index(np.float64(1.0).tobytes())
    data[at:at + 8] = bytes(8)
    drive = read_drive_log(write_bag([
        odometry(0, 0.0), odometry(1, math.nan), (*zero[:3], bytes(data)),
        odometry(3, 3.0)])).drive
    assert drive.poses[:, 0].tolist() == [0.0, 2.0, 3.0]
    assert drive.pose(0.02)[3:] == (0.0, 0.0, 0.0, 1.0)


def test_lamps_that_cannot_blink_are_not_shown(write_bag, rows, messages):
    text = (share_folder() / 'racecar_interfaces' / 'msg' / 'LampSwitches.msg').read_text()
    messages.store.register(get_types_from_msg(text, LAMPS))
    data = serialised(messages, LAMPS, messages.header(START_NS), *[True] * len(Lamps._fields),
                      0.0)
    drive = read_drive_log(write_bag([*rows, ('/driver/lamps', LAMPS, START_NS, data)])).drive
    assert not drive.switches
    assert drive.lamps(1.0) == Lamps()


def test_report_of_speeds_beyond_all_measure_is_written(write_bag, rows, messages):
    stamp = START_NS + 2_000_000_000
    path = write_bag([*rows, ('/vesc/odom', ODOMETRY, stamp - 5_000_000, messages.odometry(
        stamp - 5_000_000, 2.0, 1.0, speed=-1e308))])
    run = read_run(path, needs_reference=True)
    track = present(run.tracking).merged()
    tracking_report(present(run.tracking), track, compute_metrics(track))
    assert np.abs(run.motion.vx).max() < 1.0


@pytest.mark.parametrize('sec', [2**31 - 1, -2**31])
def test_stamp_of_another_age_is_refused_for_identification_soon(write_bag, rows, messages, sec):
    stamp = sec * 10**9
    more = [('/vesc/odom', ODOMETRY, rows[-1][2], messages.odometry(stamp, 2.0, 1.0)),
            ('/command', ACKERMANN, rows[-1][2], messages.ackermann(stamp, 1.0, 0.0))]
    path = write_bag([*rows, *more])
    with pytest.raises(RacecarError, match=r'lasts 4\.47e\+08 s, expected at most|jumps from'):
        prepare(read_identification_log(path, {'command': '/command'}))


def test_topics_without_messages_have_no_time_base(write_bag, rows, messages, tmp_path):
    from racecar.bags.writer import BagWriter

    with BagWriter(tmp_path / 'empty') as writer:
        for topic, kind in (('/command', ACKERMANN), ('/vesc/odom', ODOMETRY)):
            writer.add_topic(topic, kind, messages.definition(kind))
        handle = writer.add_topic('/other', NUMBER, messages.definition(NUMBER))
        writer.write(handle, START_NS, START_NS, messages.number(1.0))
    for read in (lambda path: read_identification_log(path, {'command': '/command'}), read_run,
                 read_drive_log):
        with pytest.raises((BagError, RunError)) as raised:
            read(tmp_path / 'empty')
        assert is_one_line_about(raised.value, tmp_path / 'empty')


def test_pipe_is_no_bag(tmp_path):
    path = tmp_path / 'pipe.mcap'
    os.mkfifo(path)
    with pytest.raises(BagError, match='is not a bag'):
        BagReader(path)


def test_bag_of_another_program_has_no_driver(write_bag, rows):
    with pytest.raises(BagError, match='/driver/state is missing'):
        read_driver_log(write_bag(rows))
