# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""A path that wanders is brought back by an accelerometer, whatever that sensor's own faults."""

import numpy as np
import pytest
from scipy.ndimage import gaussian_filter1d
from scipy.signal import lfilter

from racecar.identification.drive import Channel, RawLog
from racecar.identification.fusion import fuse_path, Motion
from racecar.identification.preparing import prepare

PERIOD = 0.02
SCALE, BIAS, AHEAD, DELAY = 0.85, 0.25, 0.16, 0.03


def drive_of(seconds, wander, generator):
    """Return true (x, y, vx) and Motion of a drive along waves; wander: error of its path [m]."""
    t = PERIOD * np.arange(round(seconds / PERIOD))

    def state(t):
        speed = 2.5 + 0.8 * np.sin(0.9 * t)
        yaw = 0.9 * np.sin(0.7 * t) + 0.4 * np.sin(1.9 * t)
        rate = 0.63 * np.cos(0.7 * t) + 0.76 * np.cos(1.9 * t)
        turn = -0.441 * np.sin(0.7 * t) - 1.444 * np.sin(1.9 * t)
        return speed, 0.72 * np.cos(0.9 * t), yaw, rate, turn

    # Fine steps, so that the truth owes nothing to the integration of what is tested.
    fine = np.arange(0.0, seconds, 1e-3)
    speed, _, yaw, _, _ = state(fine)
    x, y = (np.interp(t, fine, np.cumsum(speed * turn(yaw)) * 1e-3) for turn in (np.cos, np.sin))
    speed, _, yaw, rate, _ = state(t)
    late_speed, late_along, _, late_rate, late_turn = state(t - DELAY)
    force_x = (late_along - AHEAD * late_rate**2 + BIAS) / SCALE
    force_y = late_speed * late_rate + AHEAD * late_turn
    # Correlated over 0.3 s, and as smooth as filters of a localisation leave it.
    stays = np.exp(-PERIOD / 0.3)
    errors = [gaussian_filter1d(lfilter([1.0], [1.0, -stays], row), 3.0)
              for row in generator.standard_normal((2, t.size))]
    errors = [wander / np.std(row) * row for row in errors]
    noise = 0.1 * generator.standard_normal((2, t.size))
    motion = Motion(x + errors[0], y + errors[1], yaw, rate, force_x + noise[0],
                    force_y + noise[1])
    return x, y, speed, motion


def test_a_wandering_path_is_brought_back_and_the_sensor_found():
    x, y, speed, motion = drive_of(100.0, 0.06, np.random.default_rng(1))
    everywhere = np.ones(x.size, dtype=bool)
    fused = fuse_path(motion, everywhere, everywhere, PERIOD)
    ahead = round(0.5 / PERIOD)
    inner = slice(100, -100)

    def moved(values):
        return values[ahead:] - values[:-ahead]

    assert fused is not None
    before, after = (np.sqrt(np.mean(moved(own - x)[inner]**2)) for own in (motion.x, fused.x))
    assert after < 0.5 * before
    assert fused is not None
    assert np.sqrt(np.mean((fused.vx - speed)[inner]**2)) < 0.06
    assert np.sqrt(np.mean(fused.vy[inner]**2)) < 0.06
    assert fused.path_error == pytest.approx(0.06, rel=0.3)
    assert fused.sensor.scale_x == pytest.approx(SCALE, abs=0.05)
    assert fused.sensor.bias_x == pytest.approx(BIAS, abs=0.05)
    assert fused.sensor.delay == pytest.approx(DELAY, abs=0.01)


def test_a_path_in_parts_is_fused_part_by_part():
    x, _, _, motion = drive_of(60.0, 0.05, np.random.default_rng(2))
    # The localisation finds itself anew, 3 m away.
    jump = 1500
    motion.x[jump:] += 3.0
    usable = np.ones(x.size, dtype=bool)
    usable[jump - 5:jump + 5] = False
    fused = fuse_path(motion, usable, usable, PERIOD)
    assert fused is not None
    assert np.isnan(fused.vx[jump])
    assert fused.x[jump] == motion.x[jump]
    assert np.abs((fused.x - x)[jump - 55:jump - 5]).max() < 0.2
    assert np.abs((fused.x - x)[jump + 5:jump + 55] - 3.0).max() < 0.2


@pytest.mark.parametrize(('seconds', 'wander', 'force'), [
    (3.0, 0.05, 1.0), (40.0, 1e-4, 1.0), (40.0, 0.05, 1e300)])
def test_a_short_drive_a_good_path_and_a_broken_sensor_are_left_alone(seconds, wander, force):
    x, _, _, motion = drive_of(seconds, wander, np.random.default_rng(3))
    everywhere = np.ones(x.size, dtype=bool)
    motion = motion._replace(ax=force * motion.ax)
    assert fuse_path(motion, everywhere, everywhere, PERIOD) is None


@pytest.mark.parametrize(('wheels', 'said'), [
    (lambda speed, path: speed, '; fused'),
    (lambda speed, path: path, 'not fused')])
def test_it_is_fused_only_where_the_wheels_agree(wheels, said):
    x, y, speed, motion = drive_of(60.0, 0.04, np.random.default_rng(4))
    t = PERIOD * np.arange(x.size)
    of_path = np.gradient(motion.x, PERIOD) * np.cos(motion.yaw) + np.gradient(
        motion.y, PERIOD) * np.sin(motion.yaw)
    columns = {
        'steering_command': np.arctan(0.33 * motion.yaw_rate / speed),
        'wheel_speed': wheels(speed, of_path), 'x': motion.x, 'y': motion.y, 'yaw': motion.yaw,
        'yaw_rate': motion.yaw_rate, 'ax': motion.ax, 'ay': motion.ay, 'vx': of_path,
        'vy': 0.0 * speed}
    drive = prepare(RawLog('log', {key: Channel(t, value) for key, value in columns.items()}, ''))
    assert any(said in note for note in drive.notes), drive.notes
    assert np.array_equal(drive.path_x, motion.x)
    assert np.array_equal(drive.x, motion.x) == (said == 'not fused')
