# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""Bags that ask for all memory or time are refused in one line, before they get any of it."""

import io
import time
import tracemalloc

from bag_samples import messages_in, NUMBER, ODOMETRY, START_NS, write_ours
import lz4.frame
import pytest
from rosbags.typesys import get_types_from_msg
import zstandard

from racecar.bags.limits import check_types, TooLargeError, unpack, unpack_file
from racecar.bags.mcap_file import McapFile
from racecar.bags.runs import read_run
from racecar.base.errors import BagError

MIB = 1 << 20
COMPRESS = {'zstd': zstandard.compress, 'lz4': lz4.frame.compress}


def mcap_file(path, messages, compression, content, is_cut=False):
    """Write an MCAP file whose chunk holds, compressed, what content makes of its records."""
    with open(path, 'wb') as stream:
        file = McapFile(stream, profile='ros2', library='', chunk_size=1 << 40,
                        compression=compression,
                        compress=lambda chunk: COMPRESS[compression](content(bytes(chunk))))
        schema = file.add_schema(NUMBER, 'ros2msg', messages.definition(NUMBER).encode())
        channel = file.add_channel('/number', 'cdr', schema, {})
        file.write(channel, START_NS, START_NS, messages.number(1.0))
        if not is_cut:
            file.finish()
        else:
            file.flush()
    return path


def refused(path):
    """Return the one line with which a bag is refused, which takes little memory."""
    tracemalloc.start()
    try:
        with pytest.raises(BagError) as raised:
            messages_in(path, ['/number'])
        assert tracemalloc.get_traced_memory()[1] < 48 * MIB
    finally:
        tracemalloc.stop()
    text = str(raised.value)
    assert str(path) in text
    assert text.isprintable()
    return text


@pytest.mark.parametrize('is_cut', [False, True])
@pytest.mark.parametrize('compression', COMPRESS)
def test_chunk_that_holds_more_than_it_says_is_refused(tmp_path, messages, compression, is_cut):
    path = mcap_file(tmp_path / 'a.mcap', messages, compression,
                     lambda chunk: chunk + bytes(128 * MIB), is_cut)
    assert 'compressed bytes hold more than' in refused(path)


@pytest.mark.parametrize('compression', COMPRESS)
def test_whole_chunks_are_unpacked(tmp_path, messages, compression):
    for is_cut in (False, True):
        path = mcap_file(tmp_path / f'{is_cut}.mcap', messages, compression, bytes, is_cut)
        assert [row.message.data for row in messages_in(path, ['/number'])] == [1.0]


def test_what_is_large_for_its_packed_size_is_refused():
    bomb = zstandard.compress(bytes(20 * MIB))
    for expected in (None, 20 * MIB):
        with pytest.raises(TooLargeError, match=f'{len(bomb)} compressed bytes hold more than'):
            unpack(bomb, 'zstd', expected)
    # A flat picture is small, too.
    assert unpack(zstandard.compress(bytes(10 * MIB)), 'zstd') == bytes(10 * MIB)


def test_compressed_file_is_unpacked_within_a_bound(tmp_path, messages, monkeypatch):
    whole = mcap_file(tmp_path / 'a.mcap', messages, 'zstd', bytes).read_bytes()
    bag = tmp_path / 'bag'
    bag.mkdir()
    (bag / 'a.mcap.zstd').write_bytes(zstandard.compress(whole))
    assert [row.message.data for row in messages_in(bag, ['/number'])] == [1.0]
    monkeypatch.setattr('racecar.bags.limits._SMALL_FILE', MIB)
    (bag / 'a.mcap.zstd').write_bytes(zstandard.compress(whole + bytes(20 * MIB)))
    assert 'compressed bytes hold more than' in refused(bag)
    with pytest.raises(TooLargeError):
        unpack_file(bag / 'a.mcap.zstd', tmp_path)


def test_messages_that_are_compressed_by_themselves_are_bounded(tmp_path, messages):
    from rosbags.rosbag2 import CompressionFormat, CompressionMode, Writer

    for name, data in (('good', messages.number(1.0)), ('bad', bytes(20 * MIB))):
        writer = Writer(tmp_path / name, version=9)
        writer.set_compression(CompressionMode.MESSAGE, CompressionFormat.ZSTD)
        with writer:
            connection = writer.add_connection('/number', NUMBER, typestore=messages.store)
            writer.write(connection, START_NS, data)
    assert [row.message.data for row in messages_in(tmp_path / 'good', ['/number'])] == [1.0]
    assert 'compressed bytes hold more than' in refused(tmp_path / 'bad')


class Defined:
    """Messages of which all types have one definition."""

    def __init__(self, text):
        self._text = text

    def definition(self, _):
        return self._text


RULE = '=' * 80


@pytest.mark.parametrize('text', [
    f'A[100000000] a\nfloat64 b\n{RULE}\nMSG: x/A\nint8 c\n', 'string[100000000] a\n',
    ''.join(f'int8 a{number}\n' for number in range(200_000)),
    ''.join(f'int8 a{number}\n' for number in range(6_000)),
    # Of an array of nothing any length fits into a message.
    f'x/A[] a\n{RULE}\nMSG: x/A\nint8 C=1\n',
    f'x/A[] a\n{RULE}\nMSG: x/A\nx/B b\n{RULE}\nMSG: x/B\nint8 C=1\n'])
def test_definitions_that_ask_for_much_are_refused_at_once(tmp_path, rows, text):
    path = write_ours(tmp_path / 'run', rows[:2], Defined(text))
    begin = time.monotonic()
    with pytest.raises(BagError, match='definition of nav_msgs/msg/Odometry in') as found:
        read_run(path)
    assert time.monotonic() - begin < 20.0
    assert str(found.value).isprintable()


def test_large_arrays_of_numbers_and_bounds_of_sequences_are_no_fault():
    check_types(get_types_from_msg('float64[100000] a\nstring[<=100000000] b\n', 'x/msg/A'))


@pytest.mark.parametrize('constant', [
    '1 << 8000000000', '1 << (8 * 1000000000)', '1 << A', '1 << 10 * 100000000'])
def test_constants_of_idl_that_are_shifted_far_are_refused(tmp_path, constant):
    text = (f'{RULE}\nIDL: x/msg/A\nmodule x {{ module msg {{ module A_Constants {{'
            f' const long A = {constant}; }};\nstruct A {{ double data; }};\n}}; }};\n')
    stream = io.BytesIO()
    file = McapFile(stream, profile='ros2', library='', chunk_size=1 << 20)
    schema = file.add_schema('x/msg/A', 'ros2idl', text.encode())
    file.write(file.add_channel('/number', 'cdr', schema, {}), 1, 1, bytes(12))
    file.finish()
    (tmp_path / 'a.mcap').write_bytes(stream.getvalue())
    assert 'a constant in it is shifted far' in refused(tmp_path / 'a.mcap')


def test_empty_messages_are_left_out_with_a_warning(write_bag, rows, caplog):
    path = write_bag([*rows[:50], ('/vesc/odom', ODOMETRY, rows[50][2], b''),
                      ('/vesc/odom', ODOMETRY, rows[50][2], b'\0\1\0\0'), *rows[50:]])
    assert read_run(path).motion.t.size == 40
    assert 'left out 2 empty messages on /vesc/odom' in caplog.text


def test_other_messages_that_are_too_short_still_refuse_the_bag(write_bag, rows):
    path = write_bag([*rows, ('/vesc/odom', ODOMETRY, rows[-1][2], bytes(12))])
    with pytest.raises(BagError, match='is not a valid nav_msgs/msg/Odometry'):
        read_run(path)
