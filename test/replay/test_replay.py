# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""Bags and runs replayed: what comes out against what the bag holds."""

import dataclasses
import io
import itertools
import json
import struct

from bag_samples import ACKERMANN, ODOMETRY, START_NS, write_ours
from hypothesis import example, given, HealthCheck, settings
from hypothesis import strategies as st
import numpy as np
from PIL import Image
import pytest
from replay_bench import (
    CHUNK,
    full_drive,
    is_close,
    message,
    SECONDS,
    serialised,
    state_rows,
    STEP_NS,
    watch,
    write_drive,
    x_at,
)
import rosbags.rosbag2.storage_mcap as storage

from racecar.bags.reader import BagReader
from racecar.bags.writer import BagWriter
from racecar.base.errors import BagError, RacecarError
from racecar.base.share import find_config
from racecar.base.types import NANOSECONDS
from racecar.cli.main import main
from racecar.cockpit.frames import read_states, SCAN, STATE
from racecar.cockpit.replay import feed as replay
from racecar.cockpit.replay.bag_recording import BagRecording
from racecar.cockpit.replay.feed import ReplayFeed
from racecar.cockpit.replay.opening import open_recording
from racecar.cockpit.replay.recording import BLOCK
from racecar.metrics.run_table import COLUMNS

END = SECONDS - 0.01


@pytest.fixture(scope='module')
def drive_rows(messages):
    return full_drive(messages)


@pytest.fixture(scope='module')
def drive(tmp_path_factory, messages, drive_rows):
    """Return the bag of a drive with everything in it."""
    return write_drive(tmp_path_factory.mktemp('drive') / 'bag', messages, drive_rows)


@pytest.fixture
def recording(drive):
    with_bag = BagRecording(drive)
    yield with_bag
    with_bag.close()


@pytest.fixture(autouse=True)
def at_once(monkeypatch):
    monkeypatch.setattr(replay, '_SETTLED', 0.0)


def blocks_of(recording):
    return [recording.block(index) for index in range(int(recording.end // BLOCK) + 1)]


def shown(recording, time):
    """Return what a viewer has after a seek in a pause: frames, and the rows of the last show."""
    async def script(watcher, until):
        await feed.ask(1, {'type': 'pause'})
        await until(lambda: watcher.of('replay'), 'the first time')
        seen = len(watcher.frames)
        await feed.ask(1, {'type': 'seek', 'time': time})
        await until(lambda: watcher.of('replay')[-1]['time'] == time, 'the time')
        await until(lambda: feed.is_settled, 'the history')
        found.extend(watcher.frames[seen:])

    found: list[bytes] = []
    feed = ReplayFeed(recording)
    watcher = watch(feed, script)
    return watcher, found


def newest_rows(frames):
    """Return what the last frame of state holds."""
    return state_rows([frame for frame in frames if frame[0] == 1][-1:])


def test_every_sample_is_played_once_and_in_order(recording):
    async def script(watcher, until):
        await until(lambda: watcher.of('replay') and feed.is_settled, 'the beginning')
        # What it begins with is the first sample.
        assert watcher.rows()[0].tolist() == [0.0]
        feed.joined(1)
        await feed.ask(1, {'type': 'rate', 'value': 40.0})
        await until(lambda: watcher.of('replay')
                    and watcher.of('replay')[-1]['time'] == recording.end
                    and not watcher.of('replay')[-1]['playing'], 'the end')

    feed = ReplayFeed(recording)
    watcher = watch(feed, script)
    times, values = watcher.rows()
    assert np.allclose(times, 0.01 * np.arange(100 * SECONDS), atol=1e-9)
    row = dict(zip(watcher.columns, values[523], strict=True))
    assert is_close(row['x'], x_at(523))
    assert is_close(row['speed'], 2.0)
    assert is_close(row['command_steering'], 0.52)
    assert is_close(row['joint:left_steering_hinge_joint'], 0.52)
    assert is_close(row['steering'], 0.52)
    # The reference leads by what the tracked point lies ahead: what is left is to the side.
    assert np.allclose([row['error'], row['longitudinal_error'], row['lateral_error']],
                       [0.5, 0.0, -0.5], atol=1e-5)
    assert (row['gear'], row['rpm']) == (2.0, 1520.0)
    assert [text['text'] for text in watcher.of('log')] == [
        f'tick {tick}' for tick in range(120, 100 * SECONDS, 200)]
    assert [text['lamps']['brake'] for text in watcher.of('lamps')][-1] is True
    assert len(watcher.of('path')) == 1
    assert watcher.of('muxes')[-1]['muxes'] == [{
        'name': '/vesc/low_level/ackermann_cmd_mux', 'active': 'navigation', 'inputs': [
            {'name': 'navigation', 'priority': 0, 'alive': True},
            {'name': 'teleop', 'priority': 0, 'alive': False}]}]
    assert watcher.of('car')[-1]['gears'] == [-1, 0, 1, 2, 3]


@settings(max_examples=12, deadline=None, suppress_health_check=[
    HealthCheck.function_scoped_fixture])
@given(time=st.floats(0.0, END))
@example(time=0.19999999999954043)
@example(time=0.2)
def test_a_seek_shows_just_what_was_recorded_until_then(recording, time):
    watcher, frames = shown(recording, time)
    times, values = newest_rows(frames)
    # The last sample that is not later, to the bit.
    expected = np.searchsorted(np.arange(100 * SECONDS) / 100.0, time, side='right') - 1
    assert abs(times[-1] - time) < 0.01 + 1e-9
    assert times[-1] <= time
    assert is_close(times[-1], 0.01 * expected)
    assert is_close(values[-1][0], x_at(expected))
    # The samples before it follow each other without a gap.
    assert np.allclose(np.diff(times), 0.01)
    assert times[0] == max(0.0, BLOCK * ((time - replay.HISTORY) // BLOCK))
    scans = [frame for frame in frames if frame[0] == 2]
    tick = int(expected) // 5 * 5
    assert is_close(struct.unpack_from('<d', scans[-1], 8)[0], 0.01 * tick)
    assert np.array_equal(np.frombuffer(scans[-1], '<f4', offset=24), np.array(
        [1.0 + 0.01 * tick, np.inf, np.inf], np.float32))
    lamps = [json.loads(frame) for frame in frames if frame.startswith(b'{"type":"lamps"')]
    assert lamps[-1]['lamps']['brake'] is (time >= 6.0)


def test_the_picture_is_that_of_the_time(recording):
    async def script(watcher, until):
        await feed.ask(1, {'type': 'pause'})
        feed.want_pictures(True)
        await feed.ask(1, {'type': 'seek', 'time': 5.3})
        await until(lambda: any(struct.unpack_from('<d', frame, 8)[0] == 5.2
                                for frame in watcher.binary(3)), 'the picture')

    feed = ReplayFeed(recording)
    picture = watch(feed, script).binary(3)[-1]
    pixels = np.asarray(Image.open(io.BytesIO(picture[16:])))
    assert pixels.shape == (8, 8, 3)
    assert abs(float(pixels.mean()) - 26 * 5) < 3.0


def test_robot_and_map_are_those_of_the_bag(recording):
    watcher, _ = shown(recording, 0.0)
    robot = watcher.of('robot')[-1]
    assert robot['name'] == 'cart'
    assert robot['laser_frame'] == 'laser'
    grid, = set(watcher.binary(4))
    assert struct.unpack_from('<ddd', grid, 8) == (0.0, 0.0, 0.5)
    # The upper row of the picture is the last of the map.
    assert np.asarray(Image.open(io.BytesIO(grid[32:]))).tolist()[1][:2] == [255, 0]


def test_all_cars_of_a_world_are_replayed(tmp_path, messages, drive_rows):
    odometry = [row for row in drive_rows if row[0] == '/vesc/odom']
    kind = 'std_msgs/msg/UInt32'
    rows = [(f'/red{topic}', *row) for topic, *row in drive_rows]
    # Of the other one every second odometry is there.
    rows += [('/blue/vesc/odom', *row[1:]) for row in odometry[::2]]
    rows.append(('/blue/collisions', kind, odometry[300][2], serialised(messages, kind, data=2)))
    recording = BagRecording(write_drive(
        tmp_path / 'bag', messages, sorted(rows, key=lambda row: row[2])))
    watcher, frames = shown(recording, 4.0)
    recording.close()
    assert {row['robot']: row['car'] for row in watcher.of('robot')} == {0: 'red', 1: 'blue'}
    states = {found.robot: found for frame in frames if frame[0] == STATE
              for found in [read_states(frame)]}
    assert {*states} == {0, 1}
    assert np.allclose(states[0].times, 0.01 * np.arange(401), atol=1e-9)
    assert np.allclose(states[1].times, 0.02 * np.arange(201), atol=1e-9)
    assert np.array_equal(states[1].values[:, :3], states[0].values[::2, :3])
    hits = watcher.of('collisions')[-1]
    assert (hits['robot'], hits['count']) == (1, 2)
    assert {frame[1] for frame in watcher.frames if frame[0] == SCAN} == {0}


def test_a_map_that_is_published_again_and_again_is_kept_once(tmp_path, messages, drive_rows):
    rows = []
    kind, = {row[1] for row in drive_rows if row[0] == '/map'}
    again, = (row[3] for row in drive_rows if row[0] == '/map')
    other = serialised(messages, kind, info=message(
        messages, 'nav_msgs/msg/MapMetaData', resolution=0.5, width=2, height=1),
        data=np.array([0, 100], np.int8))
    for number, row in enumerate(drive_rows):
        rows.append(row)
        if number % 100 == 99:
            rows.append(('/map', kind, row[2], other if number == 999 else again))
    recording = BagRecording(write_drive(tmp_path / 'bag', messages, rows))
    recording.close()
    maps = [row.frame for row in recording.latched if row.key == 'map']
    # The first, the other one, and the first again.
    assert len(maps) == 3
    assert maps[0] is maps[2] != maps[1]


def test_collisions_of_a_bag_are_shown_from_their_time_on(tmp_path, messages, drive_rows):
    kind = 'std_msgs/msg/UInt32'
    middle = drive_rows[len(drive_rows) // 2][2]
    rows = [*drive_rows, *(('/collisions', kind, time, serialised(messages, kind, data=count))
                           for count, time in ((0, drive_rows[0][2]), (1, middle)))]
    recording = BagRecording(write_drive(
        tmp_path / 'bag', messages, sorted(rows, key=lambda row: row[2])))
    recording.close()
    before, after = (json.loads(row.frame) for row in recording.latched
                     if row.key == 'collisions')
    assert (before['count'], after['count']) == (0, 1)
    assert 0.4 * recording.end < after['time'] < 0.6 * recording.end


def test_a_seek_reads_little_of_a_long_bag(drive, drive_rows, monkeypatch):
    read = []
    decompress = storage.decompress

    def counted(*given):
        read.append(1)
        return decompress(*given)

    monkeypatch.setattr(storage, 'decompress', counted)
    recording = BagRecording(drive)
    read.clear()
    recording.block(3)
    count = len(read)
    recording.close()
    # Of those two seconds, one before and a tenth after them.
    messages = sum(START_NS + 5 * 10**9 <= row[2] < START_NS + 8.1 * 10**9
                   for row in drive_rows)
    assert messages / CHUNK <= count <= messages / CHUNK + 2


def test_every_kind_of_bag_replays_the_same(bag, rows):
    recording = BagRecording(bag)
    blocks = blocks_of(recording)
    recording.close()
    times = np.concatenate([block.times for block in blocks])
    assert np.allclose(times, 0.05 * np.arange(40))
    values = np.concatenate([block.values for block in blocks])
    assert np.allclose(values[:, 0], 0.05 * np.arange(40))
    # What these bags do not have is said in one line.
    assert recording.notes[0].startswith('not in the bag: joints')
    assert 'laser scans' in recording.notes[0]


def test_what_is_missing_is_said_and_the_rest_shown(tmp_path, messages, drive_rows):
    rows = [row for row in drive_rows if row[0] == '/scan']
    recording = BagRecording(write_drive(tmp_path / 'bag', messages, rows))
    block = recording.block(1)
    recording.close()
    assert 'not in the bag: odometry, reference' in recording.notes[0]
    assert 'without odometry the robot stands at the origin' in recording.notes
    assert block.values[:, :7].tolist() == [[0.0] * 6 + [1.0]] * 40
    assert len(block.frames) == 40


def test_a_bag_with_nothing_to_show_is_refused_in_one_line(
        tmp_path, messages, drive_rows, capsys):
    rows = [row for row in drive_rows if row[1] == ACKERMANN]
    path = write_drive(tmp_path / 'bag', messages, rows)
    empty = tmp_path / 'empty'
    empty.mkdir()
    assert main(['replay', str(path)]) == 1
    line = capsys.readouterr().err
    assert line.count('\n') == 1
    assert 'has nothing that the cockpit can show, expected odometry' in line
    for words, expected in (
            (['nowhere'], "run 'nowhere' does not exist"),
            ([str(empty)], 'holds no run'),
            ([str(path), '--world', 'moon'], "world 'moon' is neither a file nor one of")):
        assert main(['replay', *words]) == 1
        line = capsys.readouterr().err
        assert line.count('\n') == 1
        assert expected in line


def test_a_start_after_the_end_is_refused(drive, capsys):
    assert main(['replay', str(drive), '--start', '10']) == 1
    assert '--start is 10 s, but the recording ends at 8.990 s' in capsys.readouterr().err


def test_a_vehicle_is_a_name_or_a_file_of_the_users(
        drive, tmp_path, monkeypatch, capsys):
    assert main(['replay', str(drive), '--vehicle', 'moon']) == 1
    assert "vehicle 'moon' is neither a file nor one of bmw_x5, car_2014" in (
        capsys.readouterr().err)
    mine = tmp_path / 'mine.yaml'
    mine.write_bytes(find_config('vehicles/bmw_x5').read_bytes())
    monkeypatch.chdir(tmp_path)
    open_recording(drive, vehicle=mine.name).close()


@pytest.mark.parametrize('host', ['192.0.2.1', 'no such host'])
def test_a_host_that_is_not_this_machine_is_named(drive, capsys, host):
    assert main(['replay', str(drive), '--host', host]) == 1
    line = capsys.readouterr().err
    assert line.count('\n') == 1
    assert f"--host '{host}' is no address of this machine" in line


def test_numbers_that_are_none_and_empty_stamps_do_no_harm(tmp_path, messages):
    rows = []
    for tick in range(40):
        now = START_NS + tick * STEP_NS
        x = np.nan if tick == 7 else 0.1 * tick
        rows.append(('/odom', ODOMETRY, now, messages.odometry(0, x, 1.0, 0.0, 1.0)))
        rows.append(('/drive', ACKERMANN, now, messages.ackermann(0, 0.1 * tick, np.nan)))
        rows.append(('/joint_states', 'sensor_msgs/msg/JointState', now, serialised(
            messages, 'sensor_msgs/msg/JointState', name=['a', 'b'],
            position=np.array([np.inf, 1.0][:1 + tick % 2]))))
    recording = BagRecording(write_drive(tmp_path / 'bag', messages, rows))
    block = recording.block(0)
    recording.close()
    assert np.allclose(block.values[:, 0], [0.1 * tick for tick in range(40) if tick != 7])
    # Without stamps they are joined as they were recorded.
    command = block.values[:, 9]
    assert np.allclose(command[1:], [0.1 * tick for tick in range(1, 40) if tick != 7])


def test_a_message_with_other_fields_than_its_name_promises_is_left_out(tmp_path, messages):
    kind = 'racecar_interfaces/msg/DriverState'
    with BagWriter(tmp_path / 'bag') as writer:
        odometry = writer.add_topic('/odom', ODOMETRY, messages.definition(ODOMETRY))
        driver = writer.add_topic('/driver/state', kind, 'float64 speed\n')
        info = writer.add_topic('/driver/car_info', 'racecar_interfaces/msg/CarInfo',
                                'float64 a\n')
        point = writer.add_topic('/tracked_point', 'geometry_msgs/msg/PointStamped',
                                 'float64 a\n')
        for tick in range(9):
            now = START_NS + tick * STEP_NS
            writer.write(odometry, now, now, messages.odometry(now, 1.0, 2.0))
            for handle in (driver, info, point):
                writer.write(handle, now, now, b'\0\1\0\0' + bytes(8))
    recording = BagRecording(tmp_path / 'bag')
    block = recording.block(0)
    recording.close()
    assert len(block.times) == 9
    assert any(note.startswith('messages on /tracked_point') for note in recording.notes)
    assert [json.loads(row.frame)['text'].split(' cannot')[0] for row in block.frames] == [
        'messages on /driver/state']


@settings(max_examples=60, deadline=None, suppress_health_check=[
    HealthCheck.function_scoped_fixture])
@given(position=st.floats(0, 1, exclude_max=True), value=st.integers(0, 255),
       cut=st.booleans())
def test_a_damaged_bag_is_replayed_or_refused_in_one_line(small, position, value, cut):
    folder, data = small
    changed = bytearray(data)
    place = int(position * len(data))
    changed[place] = value
    path = folder / 'damaged.mcap'
    path.write_bytes(changed[:place] if cut else changed)
    try:
        recording = open_recording(path)
    except RacecarError as error:
        assert '\n' not in str(error)
        return
    for index in (0, 1, int(min(recording.end, 1e6) // BLOCK)):
        block = recording.block(index)
        assert block.times.shape == block.values.shape[:1]
        recording.picture(0.0, 1.0)
    recording.close()


def with_leaf(whole, number, value):
    """Return a message with one of its fields, as they lie in it, replaced; None past the last."""
    count = itertools.count()

    def changed(part):
        if next(count) == number:
            return value
        if dataclasses.is_dataclass(part) and not isinstance(part, type):
            return dataclasses.replace(part, **{
                field.name: changed(getattr(part, field.name))
                for field in dataclasses.fields(part) if field.init})
        return part

    copy = changed(whole)
    return copy if next(count) > number else None


@settings(max_examples=50, deadline=None, suppress_health_check=[
    HealthCheck.function_scoped_fixture])
@given(data=st.data())
def test_no_field_of_another_kind_than_is_common_stops_a_replay(small, monkeypatch, data):
    folder, _ = small
    with BagReader(folder / 'bag') as reader:
        topics = sorted(row.name for row in reader.summary.topics if row.name != '/vesc/odom')
    odd = data.draw(st.sampled_from(topics))
    number = data.draw(st.integers(1, 12))
    value = data.draw(st.sampled_from(
        ['text', None, np.array([]), np.array([1.0]), -2, 10**300, 1e300, {}]))
    read = BagReader.messages

    def messages(*given, **options):
        for row in read(*given, **options):
            yield row._replace(message=with_leaf(row.message, number, value) or row.message) \
                if row.topic == odd else row

    with monkeypatch.context() as patched:
        patched.setattr(BagReader, 'messages', messages)
        recording = BagRecording(folder / 'bag')
        assert len(recording.block(0).times) == 25
        recording.picture(0.0, 1.0)
        recording.close()


@pytest.fixture(scope='module')
def small(tmp_path_factory, messages, drive_rows):
    """Return a folder and the bytes of a bag that is not compressed, so that all of it counts."""
    folder = tmp_path_factory.mktemp('small')
    rows = [row for row in drive_rows if row[2] < START_NS + 10**9 // 4]
    write_ours(folder / 'bag', rows, messages, compression='none')
    return folder, (folder / 'bag' / 'bag_0.mcap').read_bytes()


def test_the_csv_file_of_a_run_is_replayed(tmp_path):
    t = np.arange(300) / 100.0
    table = np.full((300, len(COLUMNS)), np.nan)
    table[:, :7] = np.column_stack([t + 5.0, 2.0 * t, 0 * t, 0 * t, 2.0 + 0 * t, 0 * t, 0 * t])
    table[:, 7:9] = np.column_stack([2.0 * t, 0.5 + 0 * t])
    table[:, 9] = 2.0
    path = tmp_path / 'run.csv'
    with open(path, 'w', encoding='utf-8') as stream:
        print(','.join(COLUMNS), file=stream)
        for numbers in table:
            print(','.join('' if np.isnan(x) else repr(float(x)) for x in numbers), file=stream)
    recording = open_recording(path)
    watcher, frames = shown(recording, 2.5)
    row = dict(zip(watcher.columns, newest_rows(frames)[1][-1], strict=True))
    assert is_close(row['x'], 5.0)
    assert is_close(row['reference_speed'], 2.0)
    assert np.allclose([row['error'], row['longitudinal_error'], row['lateral_error']],
                       [0.5, 0.0, -0.5], atol=1e-5)
    assert np.isnan(row['command_steering'])
    assert row['joint:left_front_wheel_joint'] > 50.0
    assert 'not in a CSV file' in recording.notes[-1]


def test_a_bag_that_is_gone_while_it_plays_says_so(tmp_path, messages, drive_rows):
    recording = BagRecording(write_drive(tmp_path / 'bag', messages, drive_rows[:300]))
    recording.close()
    block = recording.block(0)
    assert json.loads(block.frames[0].frame)['level'] == 'warn'
    with pytest.raises(BagError, match='does not exist'):
        BagRecording(tmp_path / 'other')


def write_rows(folder, messages, rows):
    return write_drive(folder, messages, sorted(rows, key=lambda row: row[2]))


def test_rows_of_stamps_that_step_back_are_shown_when_they_were_recorded(tmp_path, messages):
    # Two publishers, one of them 30 ms late; the simulation begins anew after 1 s.
    rows, expected = [], {}
    for tick in range(180):
        now, phase = START_NS + tick * STEP_NS, 100 + tick % 100
        late = phase - 3 * (tick % 2)
        rows.append(('/vesc/odom', ODOMETRY, now,
                     messages.odometry(late * STEP_NS, 0.5 * late, 0.0)))
        for number in range(phase - 3, phase + 1) if phase == 100 else [phase]:
            rows.append(('/reference_trajectory', ODOMETRY, now + 1,
                         messages.odometry(number * STEP_NS, 0.5 * number + 0.25, 0.0)))
        expected[round(0.01 * tick, 6)] = 0.5 * late
    recording = BagRecording(write_rows(tmp_path / 'bag', messages, rows))
    block = recording.block(0)
    recording.close()
    names = json.loads(recording.opening[-1])['columns']
    columns = dict(zip(names, block.values.T, strict=True))
    found = dict(zip(block.times.round(6).tolist(), columns['x'].tolist(), strict=True))
    assert found == pytest.approx(expected)
    # Also behind the reset the reference is that of the same stamp.
    assert columns['error'] == pytest.approx(0.25, abs=1e-6)


def test_all_rows_of_a_fast_odometry_are_shown(tmp_path, messages):
    step = NANOSECONDS // 4000
    with BagWriter(tmp_path / 'bag') as writer:
        handle = writer.add_topic('/vesc/odom', ODOMETRY, messages.definition(ODOMETRY))
        data = bytearray(messages.odometry(START_NS, 1.0, 0.0))
        for tick in range(8100):
            now = START_NS + tick * step
            struct.pack_into('<iI', data, 4, now // NANOSECONDS, now % NANOSECONDS)
            writer.write(handle, now, now, bytes(data))
    recording = BagRecording(tmp_path / 'bag')
    times = recording.block(0).times
    recording.close()
    assert times == pytest.approx(0.00025 * np.arange(8000), abs=1e-9)


def test_a_drive_in_real_time_is_whole_from_its_first_row_on(tmp_path, messages):
    # The stamps are simulated time from 0 on, the recorder has the time of the day.
    rows = []
    for tick in range(30):
        now, stamp = START_NS + tick * STEP_NS, tick * STEP_NS
        rows += [('/reference_trajectory', ODOMETRY, now - 2, messages.odometry(stamp, 2.0, 0.0)),
                 ('/vesc/low_level/ackermann_cmd_mux/output', ACKERMANN, now - 1,
                  messages.ackermann(stamp, 3.0, 0.1)),
                 ('/vesc/odom', ODOMETRY, now, messages.odometry(stamp, 1.0, 0.0))]
    recording = BagRecording(write_rows(tmp_path / 'bag', messages, rows))
    block = recording.block(0)
    recording.close()
    names = json.loads(recording.opening[-1])['columns']
    assert len(block.times) == 30
    for name, value in (('reference_x', 2.0), ('error', 1.0), ('command_speed', 3.0)):
        assert block.values[:, names.index(name)] == pytest.approx(value), name
