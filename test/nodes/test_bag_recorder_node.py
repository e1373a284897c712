# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""The node bag_recorder: what it records, how the bag is closed, and what a kill leaves."""

import contextlib
from pathlib import Path
import re
import signal
import threading
import time
from typing import Any

from node_bench import odometry
from node_processes import NodeProcess
import pytest
from rclpy.node import Node
from std_msgs.msg import String
from tf2_msgs.msg import TFMessage

from racecar.bags.reader import BagReader
from racecar.bags.tracking_run import read_tracking_run
from racecar.bags.writer import BagWriter
from racecar.base.errors import BagError, ParameterError
from racecar.nodes.bag_recorder import BagRecorderNode
from racecar.ros import qos
from racecar.ros.interfaces import CarState

pytestmark = pytest.mark.ros

SAID = '/what_was_said'


class Recorder:
    """A recorder and what it wrote."""

    def __init__(self, bench, folder, **parameters):
        self.bench, self.folder = bench, folder
        self.node = bench.start(
            BagRecorderNode, folder=str(folder), **{'use_sim_time': False, **parameters})

    def hear(self, topic, number=1):
        """Wait until so many messages of a topic are recorded."""
        self.bench.until(
            lambda: self.node.count(topic) >= number,
            f'{number} recorded messages on {topic}')

    def close(self):
        """Let the node end and return the messages of the bag by topic."""
        self.bench.remove(self.node)
        found: dict[Any, Any] = {}
        with BagReader(self.folder) as reader:
            assert reader.summary.warnings == ()
            for row in reader.messages([topic.name for topic in reader.summary.topics]):
                found.setdefault(row.topic, []).append(row)
        return found


@pytest.fixture
def record(bench, tmp_path):
    return lambda *topics, **more: Recorder(
        bench, tmp_path / 'bag', **{'topics': list(topics)} if topics else {}, **more)


def test_the_bag_names_the_distribution(bench, record, monkeypatch):
    monkeypatch.setenv('ROS_DISTRO', 'kilted')
    recorder = record('/vesc/odom')
    bench.send('/vesc/odom', odometry(1.0))
    recorder.hear('/vesc/odom')
    recorder.close()
    metadata = (Path(recorder.folder) / 'metadata.yaml').read_text()
    assert re.search(r'^ +ros_distro: "?kilted"?$', metadata, re.MULTILINE)


def test_messages_are_recorded_in_order_and_unchanged(bench, record):
    recorder = record('/vesc/odom')
    for i in range(20):
        bench.send('/vesc/odom', odometry(1.0 + i, x=0.5 * i))
    recorder.hear('/vesc/odom', 20)
    found = recorder.close()['/vesc/odom']
    assert [row.message.header.stamp.sec for row in found] == list(range(1, 21))
    assert [row.message.pose.pose.position.x for row in found] == [0.5 * i for i in range(20)]


def test_last_topic_is_joined_after_those_that_are_awaited(bench, record):
    recorder = record('/vesc/odom', '/car_state', '/tf', awaited=['/car_state'])
    last = bench.probe.create_publisher(TFMessage, '/tf', qos.TF)
    bench.send('/vesc/odom', odometry(1.0))
    recorder.hear('/vesc/odom')
    assert '/tf' in recorder.node.waits_for()
    bench.send('/car_state', CarState())
    bench.until(lambda: not recorder.node.waits_for(), 'the last topic')
    bench.until(last.get_subscription_count, 'its subscription')
    recorder.close()


def test_what_is_awaited_has_to_be_recorded(bench, tmp_path):
    with pytest.raises(ParameterError, match=r"'awaited' has /tf, expected some of 'topics'"):
        bench.start(BagRecorderNode, use_sim_time=False, folder=str(tmp_path / 'bag'),
                    topics=['/vesc/odom'], awaited=['/tf'])
    assert not (tmp_path / 'bag').exists()


def test_closed_bag_has_an_index_and_metadata(bench, record):
    recorder = record('/vesc/odom')
    bench.send('/vesc/odom', odometry(1.0))
    recorder.hear('/vesc/odom')
    recorder.close()
    assert (recorder.folder / 'metadata.yaml').is_file()
    file, = recorder.folder.glob('*.mcap')
    assert file.read_bytes().endswith(b'\x89MCAP0\r\n')


def test_a_node_whose_constructor_ended_early_can_be_destroyed(bench, tmp_path):
    class Kept(BagRecorderNode):
        """Stays known, as to the context of rclpy from Kilted on."""

        def __init__(self, **kwargs):
            kept.append(self)
            super().__init__(**kwargs)

    kept: list[Any] = []
    with pytest.raises(BagError):
        bench.start(Kept, folder=str(tmp_path), use_sim_time=False)
    with pytest.raises(ParameterError):
        bench.start(Kept)
    assert len(kept) == 2
    for node in kept:
        node.destroy_node()


def test_existing_folder_is_refused_and_left_as_it_was(bench, tmp_path):
    folder = tmp_path / 'bag'
    folder.mkdir()
    (folder / 'mine.txt').write_text('precious')
    with pytest.raises(BagError, match='bag'):
        bench.start(BagRecorderNode, use_sim_time=False, folder=str(folder))
    assert [path.name for path in folder.iterdir()] == ['mine.txt']


def test_missing_folder_is_refused(bench):
    with pytest.raises(ParameterError, match="'folder' is missing and has no default"):
        bench.start(BagRecorderNode)


def test_unknown_compression_is_refused(bench, tmp_path):
    with pytest.raises(ParameterError, match="'compression' is 'zip', expected one of zstd, lz4"):
        bench.start(BagRecorderNode, folder=str(tmp_path / 'bag'), compression='zip')
    assert not (tmp_path / 'bag').exists()


def test_only_the_wanted_topics_are_recorded(bench, record):
    bench.listen('/other', String)
    recorder = record('wanted')
    bench.send('/other', String(data='no'))
    bench.send('/wanted', String(data='yes'))
    recorder.hear('/wanted')
    assert list(recorder.close()) == ['/wanted']


def test_without_a_list_all_topics_are_recorded(bench, record):
    recorder = record()
    bench.send('/one', String(data='1'))
    bench.send('/two', String(data='2'))
    recorder.hear('/one')
    recorder.hear('/two')
    assert {'/one', '/two'} <= set(recorder.close())


def test_topic_that_appears_later_is_recorded(bench, record):
    recorder = record('/first', '/late')
    bench.send('/first', String(data='1'))
    recorder.hear('/first')
    bench.send('/late', String(data='2'))
    recorder.hear('/late')
    assert recorder.close()['/late'][0].message.data == '2'


def test_latched_message_from_before_the_start_is_recorded(bench, record):
    publisher = bench.probe.create_publisher(String, '/latched', qos.LATCHED)
    publisher.publish(String(data='old'))
    recorder = record('/latched')
    recorder.hear('/latched')
    assert recorder.close()['/latched'][0].message.data == 'old'


def test_a_process_that_recorded_nothing_leaves_no_bag_and_says_so(bench, tmp_path):
    folder = tmp_path / 'bag'
    with NodeProcess('bag_recorder', '-p', f'folder:={folder}', '-p',
                     'topics:=[/nobody]') as recorder:
        bench.until(lambda: 'recording to' in recorder.stderr, 'the start')
        recorder.send_signal(signal.SIGINT)
        assert recorder.wait() == 0
        assert f'nothing was recorded: the bag {folder} is removed' in recorder.stderr
    assert not folder.exists()


@pytest.mark.parametrize(('clock', 'kept'), [(None, False), (0.5, True)])
def test_a_bag_of_latched_messages_is_kept_if_simulated_time_began(bench, record, clock, kept):
    publisher = bench.probe.create_publisher(String, '/latched', qos.LATCHED)
    publisher.publish(String(data='old'))
    recorder = record('/latched', use_sim_time=True)
    recorder.hear('/latched')
    if clock:
        bench.set_clock(clock)
    bench.remove(recorder.node)
    assert recorder.folder.exists() == kept


def test_message_types_of_our_own_are_recorded_with_their_definition(bench, record):
    recorder = record('/car_state')
    bench.send('/car_state', CarState(x=1.5))
    recorder.hear('/car_state')
    assert recorder.close()['/car_state'][0].message.x == 1.5


def test_messages_are_logged_with_simulated_time(bench, record):
    recorder = record('/topic', use_sim_time=True)
    bench.set_clock(42.5)
    bench.send('/topic', String(data='x'))
    recorder.hear('/topic')
    assert recorder.close()['/topic'][0].log_time_ns == 42_500_000_000


def test_a_recorder_that_lags_behind_ends_all_the_same(bench, record, monkeypatch):
    """Somebody sends faster than it writes, and goes on after it has been told to end."""
    monkeypatch.setattr('racecar.nodes.bag_recorder._LONGEST_END', 0.3)
    recorder = record(SAID)
    publisher = bench.probe.create_publisher(String, SAID, qos.STATE)
    bench.until(publisher.get_subscription_count, 'the subscription')
    message = String(data='x' * 100)
    publisher.publish(message)
    recorder.hear(SAID)
    ended = threading.Event()
    write = BagWriter.write

    def write_slowly(*arguments):
        # A sleep stands for the disk; it lets the other thread publish.
        time.sleep(0.005)
        write(*arguments)

    def publish():
        while not ended.wait(0.001):
            publisher.publish(message)

    monkeypatch.setattr(BagWriter, 'write', write_slowly)
    thread = threading.Thread(target=publish)
    thread.start()
    # Unless it ends, the thread does.
    alarm = threading.Timer(10.0, ended.set)
    alarm.start()
    try:
        recorder.hear(SAID, 10)
        # With this many written, more have come than are written.
        before = recorder.node.count(SAID)
        messages = recorder.close()[SAID]
        was_lagging = not ended.is_set()
    finally:
        alarm.cancel()
        ended.set()
        thread.join()
    assert was_lagging
    assert len(messages) > before
    assert f'the last messages on {SAID} are not in the bag' in bench.logged('fell behind')


def test_a_publisher_of_another_quality_of_service_is_told_of(bench, record):
    recorder = record(SAID)
    first = bench.probe.create_publisher(String, SAID, qos.STATE)
    bench.until(first.get_subscription_count, 'the subscription')
    other = bench.add(Node('other', namespace='/far'))
    other.create_publisher(String, SAID, qos.VIEW_SUBSCRIPTION)
    line = bench.logged('is not recorded')
    assert (f'{SAID} of /far/other (best effort publisher and reliable subscription) is not'
            ' recorded') in line
    first.publish(String(data='heard'))
    recorder.hear(SAID)


def test_a_topic_that_appears_after_the_disk_was_full_is_not_recorded(
        bench, record, monkeypatch):
    writers: list[BagWriter] = []

    def noted(*arguments, **more):
        writers.append(BagWriter(*arguments, **more))
        return writers[-1]

    monkeypatch.setattr('racecar.nodes.bag_recorder.BagWriter', noted)
    recorder = record(SAID, '/later')
    publishers = [bench.probe.create_publisher(String, SAID, qos.STATE)]
    bench.until(publishers[0].get_subscription_count, 'the subscription')
    writers[-1].close()
    publishers.append(bench.probe.create_publisher(String, '/later', qos.STATE))
    bench.until(lambda: not recorder.node.waits_for(), 'the second topic')
    assert not publishers[1].get_subscription_count()


def test_last_message_before_a_silence_is_soon_in_the_file(bench, record):
    def on_disk():
        with contextlib.suppress(BagError), BagReader(recorder.folder) as reader:
            return reader.summary.message_count
        return 0

    recorder = record('/vesc/odom')
    bench.send('/vesc/odom', odometry(1.0))
    bench.until(lambda: on_disk() == 1, 'the message in the file')


def test_kill_while_recording_leaves_a_bag_up_to_the_last_second(bench, tmp_path):
    folder = tmp_path / 'bag'
    with NodeProcess('bag_recorder', '-p', f'folder:={folder}', '-p',
                     'topics:=[/vesc/odom, /reference_trajectory]') as recorder:
        sent: list[Any] = []
        # send() waits for the subscription; then a second and a half of recording.
        while not sent or time.monotonic() - sent[0] < 1.5:
            for topic in ('/vesc/odom', '/reference_trajectory'):
                bench.send(topic, odometry(0.01 * (1 + len(sent)), x=float(len(sent))))
            sent.append(time.monotonic())
            bench.executor.spin_once(0.01)
        recorder.kill()
        killed = time.monotonic()
    run = read_tracking_run(folder).run
    safe = sum(at < killed - 1.0 for at in sent)
    assert safe > 10
    assert len(run.t) >= safe
    assert list(run.x) == [float(i) for i in range(len(run.x))]
