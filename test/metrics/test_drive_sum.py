# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""Distance, time and laps of a drive."""

import math

import pytest

from racecar.metrics.drive_sum import drive_text, DriveSum


def circle(laps, radius=8.0, speed=4.0, rate=50.0, start=0.3):
    """Sums of a drive on a circle that begins somewhere on it."""
    drive = DriveSum()
    for tick in range(int(laps * math.tau * radius / speed * rate) + 1):
        angle = start + speed / radius * tick / rate
        drive.add(7.0 + tick / rate, radius * math.cos(angle), radius * math.sin(angle),
                  angle + 0.5 * math.pi)
    return drive


@pytest.mark.parametrize('laps', [0.9, 1.02, 3.5])
def test_laps_of_a_circle_take_as_long_as_its_length(laps):
    drive = circle(laps)
    assert drive.distance == pytest.approx(laps * math.tau * 8.0, rel=2e-3)
    assert drive.duration == pytest.approx(drive.distance / 4.0, rel=2e-3)
    assert drive.laps == pytest.approx([math.tau * 8.0 / 4.0] * int(laps), abs=1e-3)


def test_there_is_no_lap_for_whoever_turns_at_the_start_or_comes_back_the_other_way():
    assert circle(5.0, radius=1.0).laps == []
    drive = DriveSum()
    for tick in range(400):
        # Ahead, and back in reverse.
        drive.add(0.1 * tick, 10.0 * math.sin(0.0157 * tick), 0.0, 0.0)
    assert drive.laps == []
    assert drive.distance == pytest.approx(40.0, rel=0.01)


def drive_with_a_leap(leap):
    """Sums of a drive of 2.4 circles that is put to an angle [rad] after half of one."""
    drive, angle, elapsed = DriveSum(), 0.0, 0.0
    while elapsed < 2.4 * math.tau:
        drive.add(elapsed, 8.0 * math.cos(angle), 8.0 * math.sin(angle), 0.5 * math.pi)
        if abs(elapsed - 0.5 * math.tau) < 0.005:
            angle = leap - 0.01
        elapsed, angle = elapsed + 0.01, angle + 0.01
    return drive


@pytest.mark.parametrize('leap', [-0.1, 0.0, 0.1])
def test_who_is_put_back_to_the_start_has_driven_no_lap_but_begins_one(leap):
    drive = drive_with_a_leap(leap)
    assert drive.laps == pytest.approx([math.tau - leap], abs=0.03)
    assert drive.distance == pytest.approx(2.4 * math.tau * 8.0, rel=0.01)


@pytest.mark.parametrize('leap', [1.5, 0.75 * math.tau])
def test_who_is_put_elsewhere_begins_a_lap_at_the_line(leap):
    assert drive_with_a_leap(leap).laps == pytest.approx([math.tau], abs=0.03)


@pytest.mark.parametrize(('given', 'text'), [
    ((30.0, 15.0, None, []), '30.0 m in 15.0 s'),
    ((30.0, 15.0, 0, [14.2]), '30.0 m in 15.0 s, 1 lap in 14.20 s, no collisions'),
    ((9.0, 5.0, 1, []), '9.0 m in 5.0 s, 1 collision'),
    ((99.0, 50.0, 3, [25.0, 24.5]),
     '99.0 m in 50.0 s, 2 laps, the best in 24.50 s, 3 collisions')])
def test_a_drive_is_told_in_one_line(given, text):
    assert drive_text(*given) == text
