# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""Marks of the checks of labs, against what can be computed by hand."""

import math

from hypothesis import given
from hypothesis import strategies as st
import numpy as np
import pytest

from racecar.base.errors import ConfigurationError
from racecar.base.fields import Fields
from racecar.base.share import find_track
from racecar.control.trajectories.waypoint_file import read_way_points
from racecar.courses.checks import (
    Estimate,
    is_leap,
    make_check,
    Sample,
    sides_of,
    wall_mark,
)


def check_of(**values):
    return make_check(Fields('case test', values))


def drive(check, samples):
    """Give samples until the case is over; returns how many it took, None if it is not over."""
    for number, sample in enumerate(samples, start=1):
        if check.add(sample):
            return number
    return None


def straight(speed, duration, rate=20.0, **more):
    return [Sample(k / rate, speed * k / rate, 0.0, 0.0, speed, **more)
            for k in range(round(duration * rate) + 1)]


@given(st.floats(0.0, 10.0), st.floats(0.1, 5.0))
def test_the_mark_of_a_wall_follower_falls_with_its_loss(loss, alpha):
    mark = wall_mark(loss, alpha)
    assert 0.0 < mark <= 1.0
    assert wall_mark(loss + 0.1, alpha) < mark
    assert wall_mark(1.0 / alpha, alpha) == pytest.approx(0.5)


def test_a_wall_follower_that_reaches_the_end_gets_the_mark_of_its_mean_error():
    check = check_of(kind='wall', side='right', distance=1.0, alpha=2.0, end=[4.0, 0.0])
    samples = straight(1.0, 10.0, left=7.0)
    # 0.2 m off, to either side in turn, where a scan came.
    samples = [sample._replace(right=1.2 if k % 4 else 0.8) if k % 2 else sample
               for k, sample in enumerate(samples)]
    assert drive(check, samples) == 62
    verdict = check.verdict()
    assert verdict.mark == pytest.approx(1.0 / (1.0 + 0.4**2))
    assert verdict.figures['loss [m]'] == pytest.approx(0.2)


def test_a_wall_follower_that_does_not_arrive_gets_nothing():
    check = check_of(kind='wall', side='left', distance=1.0, end=[10.0, 0.0], end_radius=0.5)
    assert drive(check, straight(1.0, 5.0, left=1.0)) is None
    verdict = check.verdict()
    assert verdict.mark == 0.0
    assert 'did not reach the end, 5.0 m away' in verdict.text


@given(st.floats(0.3, 1.4), st.floats(-0.5, 0.5))
def test_sides_are_the_mean_distances_up_to_a_metre_and_a_half_ahead(distance, shift):
    angles = np.linspace(-2.35, 2.35, 1081)
    with np.errstate(divide='ignore'):
        left = np.where(np.sin(angles) > 0.0, (distance + 1.0 + shift) / np.sin(angles), np.inf)
        right = np.where(np.sin(angles) < 0.0, -distance / np.sin(angles), np.inf)
    found_left, found_right, ahead = sides_of(angles, np.minimum(left, right))
    assert found_left == pytest.approx(distance + 1.0 + shift)
    assert found_right == pytest.approx(distance)
    # A ray of 0.2 rad at most meets the nearer wall there.
    assert ahead >= min(distance, distance + 1.0 + shift) / math.sin(0.2) - 0.01


def test_where_the_laser_sees_nothing_there_is_no_distance():
    assert all(map(math.isnan, sides_of(np.linspace(-1.0, 1.0, 9), np.full(9, np.inf))))


@pytest.mark.parametrize(('ahead', 'mark', 'text'), [
    (0.4, 1.0, 'stopped with 0.40 m'), (3.0, 0.0, 'expected 0.1 to 2 m'),
    (0.01, 0.0, 'expected 0.1 to 2 m')])
def test_a_stop_counts_within_the_clearance(ahead, mark, text):
    check = check_of(kind='stop', clearance=[0.1, 2.0])
    samples = straight(1.0, 2.0)
    last = samples[-1]
    rest = [last._replace(time=last.time + 0.1 * k, speed=0.0, ahead=ahead) for k in range(1, 30)]
    assert drive(check, samples + rest) == len(samples) + 11
    assert check.verdict().mark == mark
    assert text in check.verdict().text


def test_a_car_that_never_drove_or_never_stopped_has_not_stopped():
    still, fast = check_of(kind='stop'), check_of(kind='stop')
    assert drive(still, straight(0.0, 5.0, ahead=0.5)) is None
    assert drive(fast, straight(1.0, 5.0, ahead=0.5)) is None
    assert 'moved 0.00 m only' in still.verdict().text
    assert fast.verdict()[:2] == (0.0, 'did not stop')


def test_a_way_counts_by_its_share():
    check = check_of(kind='distance', metres=8.0)
    assert drive(check, straight(1.0, 2.0)) is None
    assert check.verdict().mark == pytest.approx(0.25)


def test_laps_of_a_track_are_timed_and_count_by_progress():
    points = read_way_points(find_track('racetrack')).points
    length = np.concatenate([[0.0], np.cumsum(np.hypot(*np.diff(points, axis=0).T))])
    times = np.arange(0.0, 1.3 * length[-1] / 5.0, 0.02)
    x, y = (np.interp((5.0 * times) % length[-1], length, column) for column in points.T)
    samples = [Sample(*row, 0.0, 5.0) for row in zip(times, x, y, strict=True)]
    one, two = (check_of(kind='laps', track='racetrack', laps=laps) for laps in (1, 2))
    assert drive(one, samples) == pytest.approx(length[-1] / 5.0 / 0.02, abs=2.0)
    assert one.verdict().mark == 1.0
    assert one.verdict().figures['best lap [s]'] == pytest.approx(length[-1] / 5.0, abs=0.05)
    assert drive(two, samples) is None
    assert two.verdict().mark == pytest.approx(0.65, abs=0.01)


def test_goals_are_reached_one_after_the_other_or_given_up():
    check = check_of(kind='goals', goals=[[2.0, 0.0], [0.0, 9.0], [6.0, 0.0]], tolerance=0.5,
                     goal_time=2.0)
    samples = straight(1.0, 9.0)
    assert check.goal == (2.0, 0.0)
    assert not drive(check, samples[:40])
    assert check.goal == (0.0, 9.0)
    assert drive(check, samples[40:]) is not None
    assert check.goal is None
    assert check.verdict()[:2] == (pytest.approx(2 / 3), 'reached 2 of 3 goals')


@pytest.mark.parametrize(('error', 'mark'), [(0.1, 1.0), (0.2, 0.75), (0.6, 0.0)])
def test_a_localisation_is_marked_by_its_median_error(error, mark):
    check = check_of(kind='localisation', good=0.1, bad=0.5, settle=1.0)
    for sample in straight(1.0, 5.0):
        assert not check.add(sample)
        wrong = 9.0 if sample.time < 1.0 or 2.0 < sample.time < 3.0 else error
        check.estimate(Estimate(sample.time, sample.x, wrong, 2.0 * math.pi + 0.1))
    verdict = check.verdict()
    assert verdict.mark == pytest.approx(mark)
    assert verdict.figures['median error [m]'] == pytest.approx(error)
    assert verdict.figures['median heading error [deg]'] == pytest.approx(math.degrees(0.1))


def test_a_localisation_that_falls_silent_is_marked_for_the_time_that_it_spoke():
    check = check_of(kind='localisation', good=0.1, bad=0.5, settle=1.0)
    for sample in straight(1.0, 11.0):
        check.add(sample)
        if sample.time < 4.0:
            check.estimate(Estimate(sample.time, sample.x, sample.y, 0.0))
    assert check.verdict().mark == pytest.approx(0.3)
    assert check.verdict().text.endswith(', in 3 of 10 s')


def test_a_localisation_that_says_nothing_gets_nothing():
    check = check_of(kind='localisation', topic='/where')
    drive(check, straight(1.0, 5.0))
    assert check.verdict().mark == 0.0
    assert 'published no pose on /where' in check.verdict().text


@pytest.mark.parametrize(('values', 'named'), [
    ({'kind': 'race'}, "kind is 'race', expected one of wall, stop"),
    ({}, 'kind is missing'),
    ({'kind': 'wall', 'side': 'up', 'distance': 1.0, 'end': [0, 0]}, "side is 'up'"),
    ({'kind': 'wall', 'side': 'left', 'distance': -1.0, 'end': [0, 0]}, 'at least 0'),
    ({'kind': 'wall', 'side': 'left', 'distance': 1.0, 'end': [0]}, 'a list of 2 numbers'),
    ({'kind': 'stop', 'clearance': [2.0, 1.0]}, 'the lesser one first'),
    ({'kind': 'stop', 'clearence': [0.1, 1.0]}, "'clearence' is unknown; did you mean"),
    ({'kind': 'laps', 'track': 'nowhere'}, "waypoint file 'nowhere'"),
    ({'kind': 'laps', 'track': 'racetrack', 'laps': 0}, 'a whole number of at least 1'),
    ({'kind': 'laps', 'track': 'racetrack', 'completion': 0.2}, 'a share of 0.5 to 1'),
    ({'kind': 'goals', 'goals': []}, 'a list of points'),
    ({'kind': 'goals', 'goals': [[0, 0]], 'path_type': 'Pose'}, "path_type is 'Pose'"),
    ({'kind': 'distance', 'metres': math.inf}, 'metres is inf, expected a number'),
    ({'kind': 'localisation', 'type': 'Pose'}, "type is 'Pose'")])
def test_a_check_that_cannot_be_made_is_refused_by_name(values, named):
    with pytest.raises(ConfigurationError) as error:
        check_of(**values)
    assert named in str(error.value)


@pytest.mark.parametrize(('way', 'speed', 'leaps'), [
    (0.06, 3.0, False), (0.05, 0.0, False), (0.5, 3.0, True), (0.12, 0.0, True)])
def test_a_car_that_was_put_elsewhere_has_not_driven_there(way, speed, leaps):
    before = Sample(1.0, 0.0, 0.0, 0.0, speed)
    assert is_leap(before, Sample(1.02, 0.6 * way, 0.8 * way, 0.0, 0.0)) == leaps
