# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""Logs that do not mean what they say are corrected, or refused in one line that says why."""

import contextlib
from dataclasses import replace
from pathlib import Path

from hypothesis import given, settings
from hypothesis import strategies as st
import numpy as np
import pytest
from scripts import load_script

from racecar.base.errors import RacecarError, RunError
from racecar.dynamics.vehicles import VehicleParameters
from racecar.dynamics.vehicles.parameters import GRAVITY
from racecar.identification.checks import check_columns
from racecar.identification.csv_log import read_csv_log
from racecar.identification.drive import Channel, RawLog
from racecar.identification.prediction import cut_windows
from racecar.identification.preparing import prepare

SYNTHETIC = load_script('benchmarks/synthetic_log.py')
F1TENTH = VehicleParameters.from_file(
    Path(__file__).parents[2] / 'config' / 'vehicles' / 'f1tenth.yaml')


@pytest.fixture(scope='module')
def good():
    """Return a synthetic log of 20 s, with accelerations as an accelerometer has them."""
    log = SYNTHETIC.synthetic_log(F1TENTH, np.random.default_rng(1), duration=20.0, top_speed=3.0)
    drive = prepare(log)
    t = log.channels['x'].t[: drive.x.size]
    return RawLog(log.name, {
        **log.channels,
        'ax': Channel(t, np.gradient(drive.vx, drive.period) - drive.vy * drive.yaw_rate),
        'ay': Channel(t, np.gradient(drive.vy, drive.period) + drive.vx * drive.yaw_rate)},
        log.source)


def altered(log, **changes):
    """Return a log with some channels mapped, or with None left out."""
    channels = dict(log.channels)
    for name, change in changes.items():
        if change is None:
            del channels[name]
        else:
            channels[name] = Channel(channels[name].t, change(channels[name].values))
    return RawLog(log.name, channels, log.source)


def test_a_good_log_is_left_alone(good):
    drive = prepare(good)
    assert [note for note in drive.notes if 'gyroscope' not in note] == []
    assert drive.valid.all()


@pytest.mark.parametrize(('changes', 'words'), [
    ({'yaw_rate': np.degrees}, ('yaw_rate', 'degrees')),
    ({'yaw_rate': np.negative}, ('yaw_rate', 'clockwise')),
    ({'yaw': np.degrees}, ('yaw', 'degrees', 'yaw[deg]')),
    ({'yaw': lambda yaw: yaw - 0.5 * np.pi}, ('90 degrees',)),
    ({'steering_command': np.degrees}, ('steering_command', 'degrees')),
    ({'steering_command': np.negative}, ('steering_command', 'right')),
    ({'wheel_speed': lambda speed: 3.6 * speed}, ('wheel_speed', 'km/h')),
    ({'ax': lambda a: a / GRAVITY, 'ay': lambda a: a / GRAVITY}, ('in g',)),
])
def test_an_unmistakable_slip_is_corrected_and_told(good, changes, words):
    right, drive = prepare(good), prepare(altered(good, **changes))
    told = ' '.join(set(drive.notes) - set(right.notes))
    assert all(word in told for word in words), told
    for name in ('yaw', 'yaw_rate', 'steering', 'wheel_speed', 'ax', 'ay'):
        difference = getattr(drive, name) - getattr(right, name)
        # A frame that is turned by whole turns is the same.
        difference -= 2.0 * np.pi * np.round(difference[0] / (2.0 * np.pi)) * (name == 'yaw')
        assert np.abs(difference).max() < 1e-3, name


def test_exchanged_axes_of_the_accelerometer_are_changed_back(good):
    ax, ay = good.channels['ax'], good.channels['ay']
    drive = prepare(RawLog('log', {**good.channels, 'ax': ay, 'ay': ax}, ''))
    assert any('exchanged' in note for note in drive.notes)
    assert drive.ay == pytest.approx(prepare(good).ay)


def test_exchanged_x_and_y_are_changed_back(good):
    x, y = good.channels['x'], good.channels['y']
    drive = prepare(RawLog('log', {**good.channels, 'x': y, 'y': x}, ''))
    assert any('x and y are exchanged' in note for note in drive.notes)
    assert drive.x == pytest.approx(prepare(good).x)


@pytest.mark.parametrize(('changes', 'words'), [
    ({'x': np.zeros_like, 'y': np.zeros_like, 'wheel_speed': np.zeros_like},
     ('the car stands', '0 m/s')),
    ({'yaw_rate': lambda rate: np.random.default_rng(0).standard_normal(rate.size)},
     ('yaw_rate', 'correlation')),
    ({'yaw_rate': lambda rate: 5.0 * rate}, ('yaw_rate', '5')),
    ({'wheel_speed': lambda speed: 30.0 * speed}, ('wheel_speed', 'times')),
    ({'steering_command': np.zeros_like}, ('steering_command', 'never steers')),
    ({'steering_command': lambda angle: 1000.0 * angle}, ('steering_command', 'servo')),
    ({'wheel_speed': None}, ('wheel_speed', 'missing')),
])
def test_what_cannot_be_right_is_refused_in_one_line(good, changes, words):
    with pytest.raises(RunError) as raised:
        prepare(altered(good, **changes))
    assert all(word in str(raised.value) for word in words), raised.value
    assert '\n' not in str(raised.value)


def test_a_clock_that_jumps_back_or_ahead_is_refused(good):
    def shifted(by):
        channels = {}
        for name, (t, values) in good.channels.items():
            later = t.copy()
            later[t.size // 2:] += by
            channels[name] = Channel(later, values)
        return RawLog('log', channels, '')

    for by in (-5.0, 100.0):
        with pytest.raises(RunError, match='the clock .*jumps from'):
            prepare(shifted(by))


def test_a_gap_is_left_out(good):
    channels = {name: Channel(np.delete(t, slice(400, 450)), np.delete(values, slice(400, 450)))
                for name, (t, values) in good.channels.items()}
    drive = prepare(RawLog('log', channels, ''))
    assert not drive.valid[395:455].any()
    assert drive.valid[:385].all()
    assert any('gaps' in note for note in drive.notes)


def stopped(log, shift):
    """Return a log whose car stands for 4 s at the end, found shift [m] ahead within 0.7 s."""
    t, yaw = log.channels['x'].t, log.channels['yaw'].values[-1]
    more = t[-1] + 0.02 * np.arange(1, 201)
    leap = shift * (0.5 - 0.5 * np.cos(np.pi * np.clip((more - t[-1] - 1.5) / 0.7, 0.0, 1.0)))
    ahead = {'x': np.cos(yaw) * leap, 'y': np.sin(yaw) * leap}
    ends = {**dict.fromkeys(log.channels, 0.0), **{
        name: log.channels[name].values[-1] for name in ('x', 'y', 'yaw', 'steering_command')}}
    return RawLog(log.name, {name: Channel(
        np.append(t, more), np.append(channel.values, ends[name] + ahead.get(name, 0.0 * more)))
        for name, channel in log.channels.items()}, log.source), t[-1]


def test_a_standing_car_that_is_found_anew_is_not_driving(good):
    log, stop = stopped(altered(good, ax=None, ay=None), 1.2)
    drive = prepare(log)
    leaping = (drive.t > stop + 1.5) & (drive.t < stop + 2.2)
    # Seen alone, the path looks like half a second of driving.
    assert (drive.vx[leaping] > 0.5).sum() * drive.period > 0.5
    assert not drive.valid[leaping].any()
    unaware = replace(drive, valid=np.ones_like(drive.valid))
    for one in (drive, unaware):
        windows = cut_windows(one, length=0.5, every=0.1, horizons=1)
        assert len(windows.starts) > 100
        assert drive.t[windows.starts].max() < stop
    still, _ = stopped(altered(good, ax=None, ay=None), 0.0)
    assert prepare(still).valid.all()


def test_wheels_that_lock_for_a_moment_are_no_leap(good):
    def lock(values):
        return np.where(np.arange(values.size) // 20 == 25, 0.0, values)

    assert prepare(altered(good, wheel_speed=lock)).valid.all()


def test_the_steering_may_come_as_late_in_a_log_of_another_rate():
    period, rng = 0.01, np.random.default_rng(0)
    steering = np.repeat(rng.uniform(-0.3, 0.3, 300), 10)
    rate = 6.0 * np.roll(steering, 27)
    yaw = period * np.cumsum(rate)
    columns = {
        'steering_command': steering, 'yaw': yaw, 'wheel_speed': np.full(yaw.size, 2.0),
        'x': 2.0 * period * np.cumsum(np.cos(yaw)), 'y': 2.0 * period * np.cumsum(np.sin(yaw))}
    assert check_columns('log', columns, period).notes == []


def test_a_csv_log_is_read_with_its_units(good, tmp_path):
    path = tmp_path / 'drive.csv'
    SYNTHETIC.write_csv_log(good, path)
    plain = prepare(read_csv_log(path))
    text = path.read_text(encoding='utf-8').splitlines()
    header = text[0].replace('yaw_rate[rad/s]', 'gyro[deg/s]').split(',')
    at = header.index('gyro[deg/s]')
    rows = [line.split(',') for line in text[1:]]
    for row in rows:
        row[at] = f'{np.degrees(float(row[at])):.9g}'
    path.write_text('\n'.join(map(','.join, [header, *rows])), encoding='utf-8')
    drive = prepare(read_csv_log(path, {'yaw_rate': 'gyro'}))
    assert drive.yaw_rate == pytest.approx(plain.yaw_rate, abs=1e-6)


@pytest.mark.parametrize(('text', 'words'), [
    ('', ('empty',)),
    ('x[m],y[m]\n1,2\n', ('no column t',)),
    ('t[s],x[m],y[m],yaw[rad],steering_command[rad]\n0,0,0,0,0\n', ('wheel_speed', '--column')),
    ('t[s],x[inch],y[m],yaw,steering_command,wheel_speed\n0,0,0,0,0,0\n',
     ('[inch]', 'expected one of [m]')),
    ('t,x,y,yaw,steering_command,wheel_speed\n0,0,0,0,0,0\n0,0,0,0,0,0\n',
     ('line 3', 'clock jumps')),
    ('t,x,y,yaw,steering_command,wheel_speed\n0,0,0,0,0,much\n', ('line 2', "'much'")),
    ('t,x,y,yaw,steering_command,wheel_speed\n0,0,0,0,0,nan\n1,0,0,0,0,0\n', ('line 2', 'nan')),
    ('t,x,y,yaw,steering_command,wheel_speed\n0,0\n', ('line 2', '2 values')),
])
def test_a_csv_file_that_cannot_be_used_names_line_and_value(tmp_path, text, words):
    path = tmp_path / 'log.csv'
    path.write_text(text, encoding='utf-8')
    with pytest.raises(RunError) as raised:
        prepare(read_csv_log(path))
    assert all(word in str(raised.value) for word in words), raised.value


@given(data=st.binary(max_size=300))
@settings(max_examples=60, deadline=None)
def test_no_bytes_make_the_reader_fail_otherwise(tmp_path_factory, data):
    path = tmp_path_factory.mktemp('log') / 'log.csv'
    path.write_bytes(b't,x,y,yaw,steering_command,wheel_speed\n' + data)
    with contextlib.suppress(RacecarError):
        prepare(read_csv_log(path))
