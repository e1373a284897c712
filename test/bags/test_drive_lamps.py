# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""The lamps of a drive, from bags of this version and of earlier ones."""

from pathlib import Path

from bag_samples import ODOMETRY, START_NS, write_ours
import numpy as np
import pytest
from rosbags.typesys import get_types_from_msg

from racecar.bags import message_types
from racecar.bags.drive_log import read_drive_log
from racecar.base.types import Lamps

FOLDER = Path(__file__).resolve().parents[2] / 'racecar_interfaces' / 'msg'
# Of the simulated time, which the phase of the indicators counts from 0.
T0_NS = START_NS // 680_000_000 * 680_000_000


def message(messages, kind, stamp_ns, **values):
    """Return bytes of a message of our own with these fields; all others are 0 or empty."""
    name = kind.rpartition('/')[2]
    if kind not in messages.store.fielddefs:
        messages.store.register(get_types_from_msg((FOLDER / f'{name}.msg').read_text(), kind))
    made = messages.store.types[kind]
    fields = {field: np.zeros(4) if field in ('wheel_speeds', 'wheel_encoders') else 0
              for field in made.__dataclass_fields__ if not field.startswith('__')}
    built = made(**{**fields, **values, 'header': messages.header(stamp_ns)})
    return bytes(messages.store.serialize_cdr(built, kind))


@pytest.fixture
def drive_of(tmp_path, messages):
    def make(topic, kind, *rows):
        found = [('/vesc/odom', ODOMETRY, T0_NS + tick * 10**8,
                  messages.odometry(T0_NS + tick * 10**8, 0.1 * tick, 0.0)) for tick in range(30)]
        found += [(topic, kind, T0_NS + at, message(messages, kind, T0_NS + at, **values))
                  for at, values in rows]
        found.sort(key=lambda row: row[2])
        return read_drive_log(write_ours(tmp_path / 'run', found, messages)).drive
    return make


def lit(drive, *times):
    return [tuple(name for name, on in drive.lamps(time)._asdict().items() if on)
            for time in times]


def test_lamps_are_lit_from_their_switch_on_and_blink_by_simulated_time(drive_of):
    drive = drive_of(
        '/driver/lamps', message_types.LAMP_SWITCHES,
        (500_000_000, {'brake': 1, 'indicator_period': 0.34}),
        (1_000_000_000, {'left_indicator': 1, 'indicator_period': 0.34}))
    assert drive.lamps(0.0) == Lamps()
    left = ('left_indicator',)
    assert lit(drive, 0.49, 0.5, 0.99, 1.0, 1.01, 1.03, 1.35, 1.37) == [
        (), ('brake',), ('brake',), left, left, (), (), left]
    assert drive.sight(0.6, (), whole_path=False).robots[0].lamps.brake


def test_bags_without_the_switches_tell_them_by_the_state_of_the_driver(drive_of):
    drive = drive_of(
        '/driver/state', message_types.DRIVER_STATE,
        (0, {'indicator': 1, 'indicator_period': 0.34, 'front_lights_lit': 1}),
        (1_000_000_000, {'hazard_flashers': 1, 'indicator_period': 0.34, 'brake_lights_lit': 1}))
    assert lit(drive, 0.1, 0.4, 1.5, 1.1) == [
        ('right_indicator', 'front'), ('front',),
        ('left_indicator', 'right_indicator', 'brake'), ('brake',)]


def test_a_bag_without_a_driver_has_dark_lamps(tmp_path, messages, rows):
    assert read_drive_log(write_ours(tmp_path / 'run', rows, messages)).drive.lamps(1.0) == Lamps()
