# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""Our chunks against those of the mcap package's own writer."""

import dataclasses
import io
import struct

import lz4.frame
from mcap.data_stream import ReadDataStream
from mcap.reader import make_reader
from mcap.records import MessageIndex
from mcap.writer import CompressionType, Writer
import pytest
import zstandard

from racecar.bags.mcap_file import McapFile

CHUNK_SIZE = 2000
KINDS = {
    'zstd': (zstandard.compress, CompressionType.ZSTD),
    'lz4': (lz4.frame.compress, CompressionType.LZ4),
    '': (bytes, CompressionType.NONE),
}
TOPICS = ('/one', '/two', '/silent')


def rows():
    """Messages on two topics, not in the order of their times."""
    for number in range(300):
        topic = number % 3 % 2
        yield topic, 1000 + number * 7 % 50, 900 + number, bytes([number % 256]) * (5 + number)


def ours(stream, kind):
    file = McapFile(stream, profile='ros2', library='test', chunk_size=CHUNK_SIZE,
                    compression=kind, compress=KINDS[kind][0])
    schema = file.add_schema('a_msgs/msg/A', 'ros2msg', b'bool data')
    channels = [file.add_channel(topic, 'cdr', schema, {'key': 'value'}) for topic in TOPICS]
    for topic, log_time, publish_time, data in rows():
        file.write(channels[topic], log_time, publish_time, data)
    file.flush()
    file.add_metadata('notes', {'a': 'b'})
    file.finish()
    assert [file.count(channel) for channel in channels] == [200, 100, 0]


def theirs(stream, kind):
    writer = Writer(stream, chunk_size=CHUNK_SIZE, compression=KINDS[kind][1])
    writer.start(profile='ros2', library='test')
    schema = writer.register_schema('a_msgs/msg/A', 'ros2msg', b'bool data')
    channels = [writer.register_channel(topic, 'cdr', schema, {'key': 'value'})
                for topic in TOPICS]
    counts = dict.fromkeys(channels, 0)
    for topic, log_time, publish_time, data in rows():
        channel = channels[topic]
        writer.add_message(channel, log_time, data, publish_time, counts[channel])
        counts[channel] += 1
    writer.flush()
    writer.add_metadata('notes', {'a': 'b'})
    writer.finish()


def reader_of(stream):
    stream.seek(0)
    return make_reader(stream, validate_crcs=True)


def message_indexes(stream, chunk_index):
    """Return those of a chunk by channel; their order in the file is free."""
    found = {}
    for channel, offset in chunk_index.message_index_offsets.items():
        stream.seek(offset + struct.calcsize('<BQ'))
        found[channel] = MessageIndex.read(ReadDataStream(stream))
    return found


def content(write, kind):
    stream = io.BytesIO()
    write(stream, kind)
    reader = reader_of(stream)
    summary = reader.get_summary()
    chunk_indexes = [
        (dataclasses.replace(row, message_index_offsets={}), message_indexes(stream, row))
        for row in summary.chunk_indexes]
    found = (
        reader.get_header(), summary.statistics, summary.schemas, summary.channels,
        chunk_indexes, summary.metadata_indexes, list(reader.iter_metadata()),
        list(reader.iter_messages()), list(reader.iter_messages(['/two'])),
        list(reader.iter_messages(log_time_order=False)))
    assert len(chunk_indexes) > 10
    assert len(found[-1]) == 300
    return found


@pytest.mark.parametrize('kind', KINDS)
def test_readers_find_what_the_mcap_package_would_write(kind):
    for mine, other in zip(content(ours, kind), content(theirs, kind), strict=True):
        assert mine == other


def test_empty_file_can_be_read():
    stream = io.BytesIO()
    McapFile(stream, profile='ros2', library='test', chunk_size=CHUNK_SIZE).finish()
    reader = reader_of(stream)
    assert reader.get_summary().statistics.message_count == 0
    assert list(reader.iter_messages()) == []


def test_chunk_of_channels_without_messages_is_not_written():
    stream = io.BytesIO()
    file = McapFile(stream, profile='ros2', library='test', chunk_size=CHUNK_SIZE)
    file.add_channel('/one', 'cdr', file.add_schema('a', '', b''), {})
    size = len(stream.getvalue())
    file.flush()
    assert len(stream.getvalue()) == size
    file.finish()
    assert len(reader_of(stream).get_summary().channels) == 1
