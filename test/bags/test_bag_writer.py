# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
import os
import subprocess
import sys
import time
from typing import Any

from mcap.reader import make_reader
from presence import present
import pytest
from rosbags.highlevel import AnyReader
from rosbags.interfaces import ConnectionExtRosbag2, QosDurability, QosReliability
from rosbags.rosbag2 import Reader
import yaml

from racecar.bags.reader import BagReader
from racecar.bags.writer import BagWriter
from racecar.base.errors import BagError

STRING = 'std_msgs/msg/String'
QOS = '- {reliability: best_effort, durability: transient_local, depth: 3}'


def hello(number=0):
    text = f'{number:04d}'.encode() + b'\0'
    return b'\0\1\0\0' + len(text).to_bytes(4, 'little') + text


def information(folder):
    content = yaml.safe_load((folder / 'metadata.yaml').read_text(encoding='utf-8'))
    return content['rosbag2_bagfile_information']


@pytest.mark.parametrize('name', ['run', 'run "1": ü #', '- a'])
def test_rosbags_reads_folder_and_file(tmp_path, name):
    folder = tmp_path / name
    with BagWriter(folder) as writer:
        one = writer.add_topic('/one', STRING, 'string data', QOS, 'RIHS01_00')
        two = writer.add_topic('/two', STRING, 'string data')
        for number in range(10):
            writer.write(one, 100 + number, 90 + number, hello(number))
        writer.write(two, 500, 500, hello())
        assert writer.message_count == 11
        assert [writer.count(topic) for topic in ('/one', '/two', '/none')] == [10, 1, 0]
    for path in (folder, folder / f'{name}_0.mcap'):
        with Reader(path) as reader:
            assert reader.message_count == 11
            assert (reader.start_time, reader.end_time) == (100, 501)
            rows = [(row.topic, time, bytes(data)) for row, time, data in reader.messages()]
            profile = next(row for row in reader.connections if row.topic == '/one')
            assert isinstance(profile.ext, ConnectionExtRosbag2)
            (qos,) = profile.ext.offered_qos_profiles
        assert rows[:10] == [('/one', 100 + number, hello(number)) for number in range(10)]
        assert rows[10] == ('/two', 500, hello())
        assert qos.reliability is QosReliability.BEST_EFFORT
        assert qos.durability is QosDurability.TRANSIENT_LOCAL
        assert qos.depth == 3
    with AnyReader([folder / f'{name}_0.mcap']) as reader:
        texts: list[Any] = [
            reader.deserialize(data, row.msgtype) for row, _, data in reader.messages()]
        assert {text.data for text in texts} == {f'{n:04d}' for n in range(10)}


def test_metadata_is_that_of_jazzy(tmp_path):
    with BagWriter(tmp_path / 'run') as writer:
        handle = writer.add_topic('/one', STRING, 'string data', QOS, 'RIHS01_00')
        writer.write(handle, 7, 7, hello())
        writer.write(handle, 17, 17, hello())
    row = information(tmp_path / 'run')
    assert list(row) == [
        'version', 'storage_identifier', 'duration', 'starting_time', 'message_count',
        'topics_with_message_count', 'compression_format', 'compression_mode',
        'relative_file_paths', 'files', 'custom_data', 'ros_distro']
    assert row['version'] == 9
    assert row['storage_identifier'] == 'mcap'
    assert row['duration'] == {'nanoseconds': 10}
    assert row['starting_time'] == {'nanoseconds_since_epoch': 7}
    assert row['relative_file_paths'] == ['run_0.mcap']
    assert row['files'][0]['message_count'] == row['message_count'] == 2
    topic = row['topics_with_message_count'][0]
    assert topic['message_count'] == 2
    assert topic['topic_metadata']['type_description_hash'] == 'RIHS01_00'
    (qos,) = topic['topic_metadata']['offered_qos_profiles']
    assert qos['lifespan'] == {'sec': 9223372036, 'nsec': 854775807}
    assert qos['reliability'] == 'best_effort'
    with open(tmp_path / 'run' / 'run_0.mcap', 'rb') as stream:
        (record,) = make_reader(stream).iter_metadata()
    assert record.name == 'rosbag2'
    assert yaml.safe_load(record.metadata['serialized_metadata']) == row


def test_file_follows_the_ros2_profile(tmp_path):
    with BagWriter(tmp_path / 'run') as writer:
        one = writer.add_topic('/one', STRING, 'string data', type_hash='RIHS01_1')
        idl = writer.add_topic('/idl', 'a_msgs/msg/A', '=' * 80 + '\nIDL: a_msgs/msg/A\n')
        bare = writer.add_topic('/bare', 'a_msgs/msg/B', '')
        for handle in (one, idl, bare):
            writer.write(handle, 3, 2, hello())
    with open(writer.path, 'rb') as stream:
        reader = make_reader(stream, validate_crcs=True)
        header = reader.get_header()
        found = {channel.topic: (schema, channel, message)
                 for schema, channel, message in reader.iter_messages()}
    assert (header.profile, header.library) == ('ros2', 'racecar')
    assert {topic: present(row[0]).encoding for topic, row in found.items()} == {
        '/one': 'ros2msg', '/idl': 'ros2idl', '/bare': ''}
    schema, channel, message = found['/one']
    assert schema is not None
    assert (schema.name, schema.data) == (STRING, b'string data')
    assert channel.message_encoding == 'cdr'
    # Without metadata.yaml `ros2 bag reindex` takes both from here.
    assert channel.metadata == {'offered_qos_profiles': '', 'topic_type_hash': 'RIHS01_1'}
    assert found['/bare'][1].metadata['topic_type_hash'] == ''
    assert (message.log_time, message.publish_time, message.data) == (3, 2, hello())


def test_existing_folder_is_left_alone(tmp_path):
    (tmp_path / 'run').mkdir()
    with pytest.raises(BagError, match='run.*not overwriting'):
        BagWriter(tmp_path / 'run')
    assert not list((tmp_path / 'run').iterdir())


def test_folder_that_cannot_be_made(tmp_path):
    (tmp_path / 'file').write_text('')
    with pytest.raises(BagError, match='cannot be made'):
        BagWriter(tmp_path / 'file' / 'run')


def test_metadata_stands_from_the_start(tmp_path):
    writer = BagWriter(tmp_path / 'run')
    assert information(tmp_path / 'run')['message_count'] == 0
    writer.close()
    writer.close()
    assert information(tmp_path / 'run')['topics_with_message_count'] == []
    with Reader(tmp_path / 'run') as reader:
        assert reader.message_count == 0
    with BagReader(tmp_path / 'run') as ours:
        assert ours.summary.topics == ()
        assert ours.summary.warnings == ()


def test_write_flushes_after_the_period(tmp_path, monkeypatch):
    now = [0]
    monkeypatch.setattr(time, 'monotonic_ns', lambda: now[0])
    writer = BagWriter(tmp_path / 'run')
    handle = writer.add_topic('/one', STRING, 'string data')
    sizes = []
    for tick in range(25):
        now[0] = tick * 100_000_000
        writer.write(handle, tick, tick, hello())
        sizes.append(writer.path.stat().st_size)
    grown = [tick for tick in range(1, 25) if sizes[tick] > sizes[tick - 1]]
    assert grown == [10, 20]
    assert information(tmp_path / 'run')['message_count'] == 21
    writer.flush()
    assert information(tmp_path / 'run')['message_count'] == 25
    with BagReader(tmp_path / 'run') as reader:
        assert reader.summary.message_count == 25
        assert 'cut off' in reader.summary.warnings[0]
    writer.close()


FLUSH_PERIOD = 0.2
KILLED = """
import sys, time
from racecar.bags.writer import BagWriter
writer = BagWriter(sys.argv[1], flush_period=float(sys.argv[2]))
handle = writer.add_topic('/one', 'std_msgs/msg/String', 'string data')
number = 0
while True:
    text = f'{number:08d}'.encode() + bytes(1)
    begun = time.monotonic()
    writer.write(handle, number, number, bytes([0, 1, 0, 0, 9, 0, 0, 0]) + text)
    number += 1
    print(begun, flush=True)
    time.sleep(0.001)
"""


def test_killed_recorder_leaves_all_but_the_last_period(tmp_path):
    with subprocess.Popen(
            [sys.executable, '-c', KILLED, str(tmp_path / 'run'), str(FLUSH_PERIOD)],
            stdout=subprocess.PIPE, text=True,
            env={**os.environ, 'PYTHONPATH': os.pathsep.join(path for path in sys.path if path)}
    ) as process:
        lines = [present(process.stdout).readline()]
        # Not before the second time that it wrote what waited in memory.
        counts = {0}
        while len(counts) < 3:
            lines.append(present(process.stdout).readline())
            assert lines[-1], 'it ended by itself'
            counts.add(information(tmp_path / 'run')['message_count'])
        process.kill()
        lines += present(process.stdout).readlines()
    begun = [float(line) for line in lines]
    with BagReader(tmp_path / 'run') as reader:
        texts = [row.message.data for row in reader.messages(['/one'])]
    assert texts == [f'{number:08d}' for number in range(len(texts))]
    lost = begun[len(texts):]
    assert lost == [] or lost[-1] - lost[0] < FLUSH_PERIOD
    # It may be killed between the file and its metadata.
    assert len(texts) >= information(tmp_path / 'run')['message_count'] >= max(counts)


def test_topic_declared_again(tmp_path):
    with BagWriter(tmp_path / 'run') as writer:
        handle = writer.add_topic('/one', STRING, 'string data')
        assert writer.add_topic('/one', STRING, 'string data') == handle
        with pytest.raises(BagError, match='/one.*Bool.*String'):
            writer.add_topic('/one', 'std_msgs/msg/Bool', 'bool data')


@pytest.mark.parametrize('qos', ['{', 'reliable', '- 3', '{depth: 1}'])
def test_bad_qos_is_refused(tmp_path, qos):
    with BagWriter(tmp_path / 'run') as writer, pytest.raises(BagError, match="'/one'.*QoS"):
        writer.add_topic('/one', STRING, 'string data', qos)


def test_bad_writes_leave_the_bag_whole(tmp_path):
    with BagWriter(tmp_path / 'run') as writer:
        handle = writer.add_topic('/one', STRING, 'string data')
        with pytest.raises(BagError, match='handle 99'):
            writer.write(99, 0, 0, hello())
        for times in ((-1, 0), (0, -1), (2**63, 0)):
            with pytest.raises(BagError, match='/one.*time'):
                writer.write(handle, *times, hello())
        writer.write(handle, 5, 5, hello())
    with Reader(tmp_path / 'run') as reader:
        assert reader.message_count == 1
    with pytest.raises(BagError, match='closed'):
        writer.write(handle, 6, 6, hello())
    with pytest.raises(BagError, match='closed'):
        writer.flush()


def test_unknown_compression(tmp_path):
    with pytest.raises(BagError, match="'gzip'.*zstd, lz4, none"):
        BagWriter(tmp_path / 'run', compression='gzip')
    assert not (tmp_path / 'run').exists()
