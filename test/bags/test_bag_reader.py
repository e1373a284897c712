# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
import contextlib
import shutil
import sqlite3

from bag_samples import ACKERMANN, messages_in, ODOMETRY, START_NS, write_ours, WRITERS
from hypothesis import given, HealthCheck, settings
from hypothesis import strategies as st
from mcap.reader import make_reader
from mcap.stream_reader import breakup_chunk
from mcap.writer import Writer as McapWriter
from presence import present
import pytest

from racecar.bags import sources
from racecar.bags.reader import BagReader
from racecar.bags.writer import BagWriter
from racecar.base.errors import BagError


def storage_file(folder):
    return next(file for file in folder.iterdir() if file.name != 'metadata.yaml')


def test_every_kind_of_bag_gives_the_same(bag):
    found = messages_in(bag, ['/vesc/odom', '/command'])
    assert len(found) == 80
    odometry = [row for row in found if row.topic == '/vesc/odom']
    assert [row.log_time_ns for row in odometry] == [
        START_NS + tick * 50_000_000 for tick in range(40)]
    stamp = odometry[3].message.header.stamp
    assert stamp.sec * 10**9 + stamp.nanosec == odometry[3].log_time_ns
    assert odometry[3].message.pose.pose.position.x == 0.15
    commands = [row for row in found if row.topic == '/command']
    assert {(row.message.drive.speed, row.message.drive.steering_angle)
            for row in commands} == {(0.5, -0.125)}


def test_summary(bag):
    with BagReader(bag) as reader:
        summary = reader.summary
    assert summary.topics == (
        ('/command', ACKERMANN, 40), ('/reference_trajectory', ODOMETRY, 200),
        ('/vesc/odom', ODOMETRY, 40))
    assert summary.message_count == 280
    assert summary.storage in ('mcap', 'sqlite3')
    assert summary.size == storage_file(bag).stat().st_size
    assert summary.warnings == ()


@pytest.mark.parametrize('kind', ['ours zstd', 'mcap zstd chunks', 'sqlite3'])
def test_bare_file(tmp_path, rows, messages, kind):
    file = storage_file(WRITERS[kind](tmp_path / 'run', rows, messages))
    assert len(messages_in(file, ['/vesc/odom'])) == 40
    (file.parent / 'metadata.yaml').unlink()
    with BagReader(file.parent) as reader:
        assert 'no metadata.yaml' in reader.summary.warnings[0]
        assert len(list(reader.messages([ODOMETRY]))) == 240


def test_several_files_of_one_bag(tmp_path, rows, messages):
    for number in (10, 2, 1):
        part = write_ours(tmp_path / f'part{number}', rows[:number], messages)
        (tmp_path / 'run').mkdir(exist_ok=True)
        shutil.copy(storage_file(part), tmp_path / 'run' / f'run_{number}.mcap')
    with BagReader(tmp_path / 'run') as reader:
        assert [file.name for file in reader.summary.files] == [
            'run_1.mcap', 'run_2.mcap', 'run_10.mcap']
        assert reader.summary.message_count == 13


def test_progress_counts_to_the_total(bag):
    seen = []
    messages_in(bag, ['/vesc/odom'], progress=lambda done, total: seen.append((done, total)))
    assert seen == [(done, 40) for done in range(1, 41)]


def test_missing_topics_and_present_ones_are_named(bag):
    with BagReader(bag) as reader, pytest.raises(BagError) as caught:
        reader.messages(['/vesc/odom', '/scan', 'sensor_msgs/msg/Image'])
    text = str(caught.value)
    assert '/scan, sensor_msgs/msg/Image are missing' in text
    for topic in ('/command', '/reference_trajectory', f'/vesc/odom ({ODOMETRY}, 40)'):
        assert topic in text
    assert '\n' not in text


def test_other_topics_are_not_touched(tmp_path, messages):
    with BagWriter(tmp_path / 'run') as writer:
        odometry = writer.add_topic('/vesc/odom', ODOMETRY, messages.definition(ODOMETRY))
        broken = writer.add_topic('/broken', 'a_msgs/msg/A', '%% not a definition %%')
        unknown = writer.add_topic('/unknown', 'a_msgs/msg/B', '')
        writer.write(broken, 1, 1, bytes(8))
        writer.write(odometry, 2, 2, messages.odometry(2, 0.0, 0.0))
        writer.write(unknown, 3, 3, bytes(8))
    assert len(messages_in(tmp_path / 'run', ['/vesc/odom'])) == 1
    with pytest.raises(BagError, match=r'definition of a_msgs/msg/A'):
        messages_in(tmp_path / 'run', ['/broken'])
    with pytest.raises(BagError, match=r'/unknown has type a_msgs/msg/B, which is neither'):
        messages_in(tmp_path / 'run', ['/unknown'])


def test_common_types_need_no_definition(tmp_path, messages):
    with BagWriter(tmp_path / 'run') as writer:
        handle = writer.add_topic('/vesc/odom', ODOMETRY, '')
        writer.write(handle, 2, 2, messages.odometry(2, 1.5, 0.0))
    (row,) = messages_in(tmp_path / 'run', ['/vesc/odom'])
    assert row.message.pose.pose.position.x == 1.5


def test_idl_definition(tmp_path):
    text = (
        '=' * 80 + '\nIDL: a_msgs/msg/A\nmodule a_msgs { module msg { struct A { int32 value; };'
        ' }; };\n')
    with BagWriter(tmp_path / 'run') as writer:
        handle = writer.add_topic('/a', 'a_msgs/msg/A', text)
        writer.write(handle, 2, 2, b'\0\1\0\0\7\0\0\0')
    (row,) = messages_in(tmp_path / 'run', ['/a'])
    assert row.message.value == 7


def test_bytes_that_do_not_fit_the_type(tmp_path, messages):
    with BagWriter(tmp_path / 'run') as writer:
        handle = writer.add_topic('/vesc/odom', ODOMETRY, messages.definition(ODOMETRY))
        writer.write(handle, 2, 2, b'\0\1\0\0\1')
    with pytest.raises(BagError, match=r'/vesc/odom at 2 ns is not a valid nav_msgs'):
        messages_in(tmp_path / 'run', ['/vesc/odom'])


def make_empty_folder(path):
    path.mkdir()


def make_broken_metadata(path):
    path.mkdir()
    (path / 'metadata.yaml').write_text('rosbag2_bagfile_information: [')
    sqlite3.connect(path / 'run_0.db3').close()


@pytest.mark.parametrize(('name', 'make', 'expected'), [
    ('missing', None, 'does not exist'),
    ('folder', make_empty_folder, 'no .mcap or .db3'),
    ('folder', make_broken_metadata, 'cannot be read'),
    ('run.txt', lambda path: path.write_text('hello'), 'is not a bag'),
    ('run.mcap', lambda path: path.write_bytes(b''), 'is not MCAP|is empty'),
    ('run.mcap', lambda path: path.write_text('some other text'), 'is not MCAP'),
    ('run.mcap', lambda path: path.write_bytes(b'\x89MCAP0\r\n'), 'no complete chunk'),
    ('run.db3', lambda path: path.write_bytes(b''), 'is empty'),
    ('run.db3', lambda path: path.write_text('some other text'), 'cannot be read'),
])
def test_what_is_no_bag(tmp_path, name, make, expected):
    path = tmp_path / name
    if make is not None:
        make(path)
    with pytest.raises(BagError, match=expected) as caught:
        BagReader(path)
    assert name in str(caught.value)
    assert '\n' not in str(caught.value)


@pytest.mark.parametrize('chunked', [False, True])
def test_file_without_index_and_order(tmp_path, messages, chunked):
    # As `ros2 bag record --storage-preset-profile fastwrite` leaves it, but worse ordered.
    path = tmp_path / 'run.mcap'
    with open(path, 'wb') as stream:
        writer = McapWriter(
            stream, use_chunking=chunked, repeat_channels=False, repeat_schemas=False,
            use_statistics=False, use_summary_offsets=False)
        writer.start('ros2', 'test')
        schema = writer.register_schema(
            ODOMETRY, 'ros2msg', messages.definition(ODOMETRY).encode())
        channel = writer.register_channel('/vesc/odom', 'cdr', schema)
        for time_ns in (3, 1, 2):
            writer.add_message(channel, time_ns, messages.odometry(time_ns, 1.0, 2.0), time_ns)
        writer.finish()
    found = [row.log_time_ns for row in messages_in(path, ['/vesc/odom'])]
    assert sorted(found) == [1, 2, 3]


@settings(max_examples=8, deadline=None, suppress_health_check=[
    HealthCheck.function_scoped_fixture])
@given(bounds=st.tuples(st.integers(-10, 2100), st.integers(-10, 2100)))
def test_a_window_of_time_holds_just_the_messages_of_it(bag, rows, bounds):
    start, stop = (START_NS + bound * 1_000_000 for bound in sorted(bounds))
    expected = sorted(row[2] for row in rows if row[0] != '/command' and start <= row[2] < stop)
    with BagReader(bag) as reader:
        found = [row.log_time_ns for row in reader.messages(
            [ODOMETRY], start_ns=start, stop_ns=stop)]
        assert reader.span_ns == (rows[0][2], rows[-1][2])
    assert sorted(found) == expected


def test_a_window_of_a_file_without_index_is_read_without_the_rest(
        recorded, rows, monkeypatch):
    recorded.path.write_bytes(recorded.data[:-1])
    read = []

    def counted(chunk, **options):
        read.append(chunk)
        return breakup_chunk(chunk, **options)

    with BagReader(recorded.path) as reader:
        monkeypatch.setattr(sources, 'breakup_chunk', counted)
        times = [row.log_time_ns for row in reader.messages(
            [ODOMETRY], start_ns=rows[85][2], stop_ns=rows[115][2])]
    assert times == [row[2] for row in rows if row[0] != '/command'
                     and rows[85][2] <= row[2] < rows[115][2]]
    assert len(read) == 1


class Recorded:
    """A bag of several chunks and how many messages each byte length of it must give."""

    def __init__(self, folder, rows, messages):
        with BagWriter(folder) as writer:
            for number, (topic, kind, time_ns, data) in enumerate(rows):
                handle = writer.add_topic(topic, kind, messages.definition(kind))
                writer.write(handle, time_ns, time_ns, data)
                if number % 40 == 39:
                    writer.flush()
        self.folder = folder
        self.data = writer.path.read_bytes()
        with open(writer.path, 'rb') as stream:
            chunks = present(make_reader(stream).get_summary()).chunk_indexes
        self.chunk_ends = sorted(row.chunk_start_offset + row.chunk_length for row in chunks)
        self.path = folder.parent / 'cut.mcap'
        self.in_folder = folder.parent / 'cut'
        self.in_folder.mkdir()
        shutil.copy(folder / 'metadata.yaml', self.in_folder)

    def expected(self, length):
        return 40 * sum(end <= length for end in self.chunk_ends)


@pytest.fixture(scope='module')
def recorded(tmp_path_factory, rows, messages):
    found = Recorded(tmp_path_factory.mktemp('cut') / 'run', rows[:240], messages)
    assert len(found.chunk_ends) == 6
    return found


def read_cut(path):
    with BagReader(path) as reader:
        known = [row.name for row in reader.summary.topics]
        return len(list(reader.messages(known))), reader.summary


def check_cut(recorded, length):
    recorded.path.write_bytes(recorded.data[:length])
    (recorded.in_folder / 'run_0.mcap').write_bytes(recorded.data[:length])
    expected = recorded.expected(length)
    for path in (recorded.path, recorded.in_folder):
        if not expected:
            with pytest.raises(BagError, match='no complete chunk|is empty|is not MCAP'):
                read_cut(path)
            continue
        count, summary = read_cut(path)
        assert count == expected == summary.message_count
        assert 'cut off' in summary.warnings[0]


@settings(max_examples=150, deadline=None)
@given(st.data())
def test_file_cut_anywhere_gives_its_whole_chunks(recorded, data):
    check_cut(recorded, data.draw(st.integers(0, len(recorded.data) - 1)))


def test_file_cut_around_every_chunk(recorded):
    for end in recorded.chunk_ends:
        for length in (end - 1, end, end + 1):
            check_cut(recorded, length)
    for length in (0, 1, 7, 8, 9, 15, 16, 17, len(recorded.data) - 8, len(recorded.data) - 1):
        check_cut(recorded, length)


def test_cut_bag_is_reported_once_however_often_it_is_opened(recorded, tmp_path, caplog):
    path = tmp_path / 'cut.mcap'
    path.write_bytes(recorded.data[:-1])
    read_cut(path)
    read_cut(path)
    assert len(caplog.records) == 1
    assert 'last complete chunk' in caplog.text


def test_zeros_at_the_end_are_cut_off(recorded):
    # What a file system may leave after the power failed.
    recorded.path.write_bytes(recorded.data[:recorded.chunk_ends[3]] + bytes(5000))
    assert read_cut(recorded.path)[0] == recorded.expected(recorded.chunk_ends[3])


@settings(max_examples=150, deadline=None)
@given(position=st.floats(0, 1, exclude_max=True), value=st.integers(0, 255),
       cut=st.booleans())
def test_changed_byte_gives_messages_or_a_bag_error(recorded, position, value, cut):
    data = bytearray(recorded.data)
    data[int(position * len(data))] = value
    recorded.path.write_bytes(data[:-20] if cut else data)
    try:
        read_cut(recorded.path)
    except BagError as error:
        assert '\n' not in str(error)


@settings(max_examples=60, deadline=None,
          suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(position=st.floats(0, 1, exclude_max=True), length=st.integers(0, 4000))
def test_damaged_sqlite3(position, length, tmp_path_factory, messages, rows, sqlite_data):
    start = int(position * len(sqlite_data))
    path = tmp_path_factory.mktemp('damaged') / 'damaged.db3'
    path.write_bytes(sqlite_data[:start] + b'\xa5' * length + sqlite_data[start + length:])
    try:
        read_cut(path)
    except BagError as error:
        assert '\n' not in str(error)


def test_name_of_a_topic_that_is_no_text(tmp_path, sqlite_data):
    path = tmp_path / 'damaged.db3'
    path.write_bytes(sqlite_data)
    with contextlib.closing(sqlite3.connect(path)) as database, database:
        database.execute("UPDATE topics SET name = x'2f61' WHERE id = 1")
    with pytest.raises(BagError, match=r"damaged\.db3' cannot be read: .*bytes"):
        read_cut(path)


@pytest.fixture(scope='module')
def sqlite_data(tmp_path_factory, rows, messages):
    folder = WRITERS['sqlite3'](tmp_path_factory.mktemp('sqlite') / 'run', rows[:60], messages)
    return storage_file(folder).read_bytes()
