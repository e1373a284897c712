# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""`racecar demo driver` with real nodes: it drives by services, and its bag says so."""

import math

import numpy as np
import pytest

from racecar.bags.driver_log import read_driver_log
from racecar.base.errors import BagError
from racecar.cli.main import main

pytestmark = pytest.mark.ros

@pytest.fixture(scope='module')
def drive(tmp_path_factory):
    """Drive the BMW once; returns the folder."""
    folder = tmp_path_factory.mktemp('demo') / 'drive'
    assert main(['demo', 'driver', '--output', str(folder)]) == 0
    return folder


@pytest.fixture(scope='module')
def log(drive):
    return read_driver_log(drive / 'bag')


def test_every_gear_comes_in_turn_then_reverse_and_neutral(log):
    gears = log.columns['gear']
    engaged = gears[np.flatnonzero(np.diff(gears, prepend=math.nan))]
    # Neutral at first, if the bag begins before the first service answered.
    assert engaged.tolist()[-7:] == [1.0, 2.0, 3.0, 4.0, 5.0, -1.0, 0.0]
    assert (engaged[:-7] == 0.0).all()


def test_car_goes_fast_stops_reverses_and_parks(log):
    speed = log.columns['speed']
    assert speed.max() > 20.0
    assert speed.min() < -1.0
    assert abs(speed[-1]) < 0.01
    backwards = log.columns['backwards_lights_lit'] != 0.0
    assert speed[~backwards].min() > -0.01
    assert log.columns['steering_angle'].max() > 0.1


def test_lamps_tell_what_the_car_does(log):
    assert len(log.lit('brake_lights_lit')) == 3
    assert len(log.lit('front_lights_lit')) == 1
    left, right = log.lit('left_indicator_lit'), log.lit('right_indicator_lit')
    # Before the turn on the left alone; after the stop both, as hazard flashers.
    assert len(left) > len(right) >= 3
    lengths = [length for _, length in left[1:-1]]
    assert np.median(lengths) == pytest.approx(0.34, abs=0.03)
    assert not log.columns['antifog_lights_lit'].any()


def test_engine_has_speed_and_torque_only_where_it_drives(log):
    cruising = log.columns['control_mode'] == 0.0
    assert cruising.any()
    assert np.isnan(log.columns['rpm'][cruising]).all()
    driving = log.columns['control_mode'] == 1.0
    assert log.columns['engine_torque'][driving].max() > 200.0
    assert (log.columns['engine_torque'][driving & (log.columns['throttle'] == 0.0)] == 0.0).all()


def test_picture_is_drawn_and_analyze_draws_it_again(drive, tmp_path, capfd):
    assert (drive / 'driver.png').read_bytes()[:4] == b'\x89PNG'
    assert main(['analyze', str(drive / 'bag'), '--output', str(tmp_path)]) == 0
    assert f'Figure: {tmp_path / "driver.png"}' in capfd.readouterr().out
    assert (tmp_path / 'driver.png').stat().st_size > 20_000


def test_small_car_can_do_it_too(tmp_path, capfd):
    assert main(['demo', 'driver', '--vehicle', 'racecar', '--output', str(tmp_path / 'run')]) == 0
    told = capfd.readouterr().out
    places = [told.index(f's  {phase}') for phase in (
        'pull away', 'shift up', 'turn left', 'brake to a stop', 'reverse', 'park')]
    assert places == sorted(places)


def test_too_short_a_drive_says_so(tmp_path, capfd):
    assert main(['demo', 'driver', '--duration', '3', '--output', str(tmp_path / 'run')]) == 1
    assert 'when its 3 s are over; give it more with --duration' in capfd.readouterr().err


def test_bag_without_a_driver_is_named(tmp_path):
    from racecar.bags.writer import BagWriter

    with BagWriter(tmp_path / 'empty'):
        pass
    with pytest.raises(BagError, match=r'/driver/state is missing; it has no topics'):
        read_driver_log(tmp_path / 'empty')
