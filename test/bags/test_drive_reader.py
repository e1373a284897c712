# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""All who want a drive ask one reader, which walks once over the bag."""

import math
from operator import attrgetter
from pathlib import Path

from bag_samples import ACKERMANN, COUNT, NUMBER, ODOMETRY, START_NS
from hypothesis import given
from hypothesis import strategies as st
import numpy as np
import pytest

from racecar.bags import message_types, message_values
from racecar.bags.drive_log import read_drive_log
from racecar.bags.drive_reader import Columns, DriveReader, Rows, time_of_recording
from racecar.bags.reader import BagMessage, BagReader
from racecar.bags.runs import read_run
from racecar.bags.writer import BagWriter
from racecar.base.errors import BagError
from racecar.ros import topics

STEP_NS = 10_000_000
JOINTS = 'sensor_msgs/msg/JointState'
PLACE = Columns(('x', 'y'), lambda message: (message.pose.pose.position.x,
                                             message.pose.pose.position.y))
ITSELF = Columns(('a', 'b'), lambda message: message)
NUMBERS = st.one_of(st.floats(-10.0, 10.0), st.sampled_from([math.nan, math.inf, 1e300]))


@given(st.lists(st.tuples(st.integers(0, 9), st.none() | st.tuples(NUMBERS, NUMBERS))))
def test_ordered_rows_are_the_last_usable_ones_of_each_stamp(messages):
    rows = Rows(Path('bag'), '/a', ITSELF, time_of_recording)
    for stamp, numbers in messages:
        rows.add(BagMessage('/a', stamp, numbers))
    expected = {stamp: numbers for stamp, numbers in messages
                if numbers is not None and all(abs(number) < 1e9 for number in numbers)}
    stamps, table = rows.ordered()
    assert stamps.tolist() == sorted(expected)
    assert table.tolist() == [[*expected[stamp]] for stamp in sorted(expected)]
    assert rows.count == len(messages)
    assert table.shape == (len(expected), 2)
    with pytest.raises(BagError, match=f'{rows.count} messages, of which {len(expected)} can be'):
        rows.ordered(at_least=len(expected) + 1)


def test_whoever_asks_gets_the_messages_of_one_walk(write_bag, rows, monkeypatch):
    walks = []
    walk = BagReader.messages

    def counted(*given, **options):
        walks.append(given)
        return walk(*given, **options)

    monkeypatch.setattr(BagReader, 'messages', counted)
    frames, progress = [], []
    with DriveReader(write_bag(rows)) as drive:
        odometry = drive.robot.odometry
        places = drive.rows(odometry, PLACE)
        poses = drive.values(odometry, message_values.pose_in_plane)
        command = drive.newest('/command', message_values.ackermann)
        drive.each(odometry, lambda message: frames.append(message.child_frame_id))
        drive.read(lambda *counts: progress.append(counts))
    assert len(walks) == 1
    assert progress[-1] == (80, 80)
    assert frames == ['base_link'] * 40
    assert places.table == pytest.approx(np.array([[0.05 * tick, 1.1] for tick in range(40)]))
    assert [stamp for stamp, _ in poses] == places.stamps.tolist() == [
        START_NS + 5 * tick * STEP_NS for tick in range(40)]
    assert [pose[:2] for _, pose in poses] == [tuple(row) for row in places.table.tolist()]
    assert command == [(0.5, -0.125)]


def test_a_topic_that_the_bag_has_not_gives_nothing(write_bag, rows):
    with DriveReader(write_bag(rows)) as drive:
        topic = drive.beside(message_types.MAP, topics.MAP, is_shared=True)
        found = drive.rows(topic, PLACE)
        lists = drive.values(topic, attrgetter('data')), drive.newest(topic, attrgetter('data'))
        drive.read()
    assert topic == found.topic == ''
    assert (found.count, found.stamps.shape, found.table.shape) == (0, (0,), (0, 2))
    assert lists == ([], [])


def test_what_lies_beside_a_robot_is_in_its_namespace_unless_it_is_shared(tmp_path, messages):
    with BagWriter(tmp_path / 'run') as writer:
        handles = {(topic, kind): writer.add_topic(topic, kind, messages.definition(kind))
                   for topic, kind in (
                       ('/car1/vesc/odom', ODOMETRY), ('/car1/empty', NUMBER), ('/car1/a', COUNT),
                       ('/a', NUMBER), ('/b', NUMBER), ('/car2/c', NUMBER))}
        for (topic, kind), handle in handles.items():
            if topic != '/car1/empty':
                writer.write(handle, 1, 1, {
                    ODOMETRY: messages.odometry(1, 0.0, 0.0), COUNT: messages.count(1),
                    NUMBER: messages.number(1.0)}[kind])
    with DriveReader(tmp_path / 'run', '/car1/vesc/odom') as drive:
        assert drive.beside(COUNT, 'b', 'a') == '/car1/a'
        # That of a car has another type.
        assert drive.beside(NUMBER, 'a') == drive.beside(NUMBER, 'b') == ''
        assert drive.beside(NUMBER, 'a', 'b', is_shared=True) == '/a'
        assert drive.beside(NUMBER, 'b', 'a', is_shared=True) == '/b'
        assert drive.beside(NUMBER, 'c', namespace='/car2') == '/car2/c'
        assert drive.beside(NUMBER, 'empty') == ''
        assert drive.beside(NUMBER, 'empty', may_be_empty=True) == '/car1/empty'


def test_a_message_that_one_of_its_takers_cannot_use_is_named(write_bag, rows):
    with DriveReader(write_bag(rows)) as drive:
        drive.rows('/vesc/odom', PLACE)
        drive.newest('/vesc/odom', attrgetter('data'))
        with pytest.raises(BagError, match=f'on /vesc/odom at {START_NS} ns cannot be used'):
            drive.read()


@pytest.mark.parametrize('with_reference', [True, False])
def test_a_run_is_read_of_a_bag_that_is_opened_once(
        write_bag, rows, monkeypatch, with_reference):
    bag = write_bag([row for row in rows if with_reference or row[0] != '/reference_trajectory'])
    opened = []
    begin = BagReader.__init__

    def counted(*given):
        opened.append(given)
        begin(*given)

    monkeypatch.setattr(BagReader, '__init__', counted)
    run = read_run(bag)
    assert (run.tracking is not None) == with_reference
    assert run.motion.t.size == 40
    assert len(opened) == 1


def test_joints_of_a_stamp_that_came_twice_are_those_of_the_last_pose(write_bag, messages):
    types = messages.store.types
    rows = []
    for number, stamp in enumerate([0, 1, 2, 1, 2, 3]):
        now = START_NS + stamp * STEP_NS
        joints = types[JOINTS](messages.header(now), ['wheel'], np.array([5.0 - number]),
                               np.empty(0), np.empty(0))
        recorded = START_NS + number
        rows += [('/vesc/odom', ODOMETRY, recorded, messages.odometry(now, float(number), 0.0)),
                 ('/joint_states', JOINTS, recorded,
                  bytes(messages.store.serialize_cdr(joints, JOINTS)))]
    drive = read_drive_log(write_bag(rows)).drive
    assert drive.poses[:, 0].tolist() == [0.0, 3.0, 4.0, 5.0]
    assert drive.joint_t.tolist() == drive.t.tolist() == pytest.approx([0.0, 0.01, 0.02, 0.03])
    assert drive.positions[:, 0].tolist() == [5.0, 2.0, 1.0, 0.0]


def test_the_topics_of_a_summary_are_found_in_the_order_asked_for(write_bag, rows):
    with BagReader(write_bag(rows)) as reader:
        summary = reader.summary
    assert summary.name == 'run'
    assert summary.having(ODOMETRY) == ['/reference_trajectory', '/vesc/odom']
    wanted = ['/none', '/vesc/odom', '/reference_trajectory']
    assert summary.first(ODOMETRY, wanted) == '/vesc/odom'
    assert summary.first(ACKERMANN, ['/vesc/odom']) == ''
