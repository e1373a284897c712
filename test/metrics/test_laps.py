# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""Lap times of cars whose progress is a known function of time."""

import math

from hypothesis import given, settings
from hypothesis import strategies as st
import numpy as np
from presence import present
import pytest
from scipy.optimize import brentq

from racecar.base.errors import ConfigurationError
from racecar.metrics.lap_progress import courses_of, line_of
from racecar.metrics.laps import anywhere, Course, lap_times, LapRule, LapTimer

ANGLES = np.linspace(0.0, 2.0 * math.pi, 401)
CIRCLE = 5.0 * np.column_stack([np.cos(ANGLES), np.sin(ANGLES)])
EIGHT = np.column_stack([5.0 * np.sin(ANGLES), 2.5 * np.sin(2.0 * ANGLES)])


def times_of(timer):
    return [lap.time for lap in timer.laps]


def driven(timer, times, angles, radius=5.0):
    timer.add(times, radius * np.cos(angles), radius * np.sin(angles))
    return timer


@settings(deadline=None, max_examples=30)
@given(st.floats(-2.5, -0.2), st.floats(0.3, 2.0), st.floats(0.0, 0.25), st.floats(4.7, 5.3),
       st.integers(1, 40))
def test_laps_last_from_crossing_to_crossing(start, rate, sway, radius, batch):
    def angle(time):
        return start + rate * time + sway * np.sin(time)

    times = np.arange(0.0, (2.5 * 2.0 * math.pi - start) / rate, 0.02)
    timer = LapTimer(Course.along(CIRCLE))
    for first in range(0, len(times), batch):
        some = times[first:first + batch]
        driven(timer, some, angle(some), radius)
    crossings = [brentq(lambda time, turn=turn: angle(time) - turn * 2.0 * math.pi,
                        0.0, times[-1]) for turn in range(3)]
    assert times_of(timer) == pytest.approx(np.diff(crossings), abs=0.01)
    assert timer.begun == pytest.approx(crossings[-1], abs=0.01)
    assert timer.best == min(times_of(timer))


def assert_nearest(points, x, y, heading):
    """What anywhere() finds for a car on a closed line is what all segments together say."""
    course = Course.along(points)
    steps, way = np.diff(points, axis=0), (math.cos(heading), math.sin(heading))
    shares = np.clip(np.sum(((x, y) - points[:-1]) * steps, axis=1)
                     / np.sum(steps * steps, axis=1), 0.0, 1.0)
    distances = np.hypot(*(points[:-1] + shares[:, None] * steps - (x, y)).T)
    along = distances[steps @ way > 0.0].min(initial=math.inf)
    least = distances.min()
    found = anywhere(line_of(courses_of([course]), 0), x, y, *way)
    expected = along if along <= least + 0.01 * course.length else least
    assert found.distance == pytest.approx(expected, abs=1e-9)
    assert distances[found.segment] == pytest.approx(expected, abs=1e-9)


@settings(deadline=None, max_examples=60)
@given(st.integers(0, 10**6), st.integers(4, 60), st.integers(1, 50), st.floats(-30.0, 30.0),
       st.floats(-30.0, 30.0), st.floats(-3.2, 3.2))
def test_the_nearest_place_is_that_of_all_segments(seed, count, parts, x, y, heading):
    """Of few long segments and of many short ones, near the course and far from it."""
    corners = np.random.default_rng(seed).normal(0.0, 4.0, (count, 2))
    ends = np.arange(0.0, count + 0.5 / parts, 1.0 / parts)
    assert_nearest(np.column_stack([
        np.interp(ends, np.arange(count + 1.0), np.append(column, column[0]))
        for column in corners.T]), x, y, heading)


@settings(deadline=None, max_examples=100)
@given(st.integers(3, 200), st.floats(0.0, 9.0), st.floats(-3.2, 3.2), st.floats(-3.2, 3.2))
def test_the_nearest_of_segments_of_one_length_is_found(count, away, angle, heading):
    """None is missed where it is at the end of those that are looked at together."""
    angles = np.linspace(0.0, 2.0 * math.pi, count + 1)
    points = 5.0 * np.column_stack([np.cos(angles), np.sin(angles)])
    points[-1] = points[0]
    assert_nearest(points, away * math.cos(angle), away * math.sin(angle), heading)


def test_a_car_on_the_line_begins_its_first_lap_where_it_stands():
    times = np.arange(0.0, 12.0, 0.01)
    timer = driven(LapTimer(Course.along(CIRCLE)), 3.0 + times, times)
    assert times_of(timer) == [pytest.approx(2.0 * math.pi, abs=0.01)]


def test_a_course_that_crosses_itself_is_followed_along_its_way():
    times = np.arange(0.0, 14.0, 0.01)
    timer = LapTimer(Course.along(EIGHT))
    timer.add(times, 5.0 * np.sin(times), 2.5 * np.sin(2.0 * times))
    assert times_of(timer) == [pytest.approx(2.0 * math.pi, abs=0.01)] * 2


def test_a_line_crossed_backwards_and_again_is_no_lap():
    times = np.arange(0.0, 30.0, 0.01)
    # To 0.6 rad, back to -0.6 rad and so on.
    timer = driven(LapTimer(Course.along(CIRCLE)), times, 0.6 * np.sin(times - 1.5))
    assert timer.laps == ()


def test_cutting_across_the_course_is_no_lap():
    timer = LapTimer(Course.along(CIRCLE))
    times = np.arange(0.0, 1.0, 0.01)
    driven(timer, times, times)
    x = np.linspace(5.0 * math.cos(1.0), 5.0 * math.cos(6.0), 100)
    y = np.linspace(5.0 * math.sin(1.0), 5.0 * math.sin(6.0), 100)
    timer.add(1.0 + times, x, y)
    driven(timer, 2.0 + times, 6.0 + times)
    assert timer.laps == ()


def test_a_car_that_is_put_back_or_begins_anew_has_no_lap_for_it():
    timer = LapTimer(Course.along(CIRCLE))
    times = np.arange(0.0, 3.0, 0.01)
    driven(timer, times, times)
    driven(timer, 3.0 + times, times + 0.5)
    assert timer.laps == ()
    long = np.arange(0.0, 7.0, 0.01)
    driven(timer, 6.0 + long, long)
    assert driven(timer, 0.0 + times, times).laps == ()
    assert timer.begun == 0.0


@pytest.mark.parametrize('course', [CIRCLE[:300], np.zeros((0, 2)), np.zeros((5, 2)),
                                    CIRCLE[:1]])
def test_what_is_no_closed_course_has_no_laps(course):
    timer = LapTimer(Course.along(course))
    times = np.arange(0.0, 20.0, 0.01)
    assert not timer.add(times, 5.0 * np.cos(times), 5.0 * np.sin(times))
    assert not timer.course.is_closed
    assert timer.best is None


@pytest.mark.parametrize(('completion', 'sectors'), [(1.0, 1), (1.0, 4), (0.995, 3), (0.6, 10)])
def test_a_lap_ends_at_the_share_that_the_rule_names_and_its_sectors_add_up(completion, sectors):
    rate = 0.7
    times = np.arange(0.0, 2.3 * 2.0 * math.pi / rate, 0.013)
    timer = driven(LapTimer(Course.along(CIRCLE), LapRule(completion, sectors)),
                   times, rate * times - 0.4)
    # The angle grows evenly, so that each part takes its share of a turn.
    lap = completion * 2.0 * math.pi / rate
    assert times_of(timer) == pytest.approx([lap, lap], abs=2e-4)
    assert [one.begun for one in timer.laps] == pytest.approx(
        [0.4 / rate, (0.4 + 2.0 * math.pi) / rate], abs=2e-4)
    for one in timer.laps:
        assert one.sectors == pytest.approx([lap / sectors] * sectors, abs=3e-4)
        assert sum(one.sectors) == pytest.approx(one.time)


@pytest.mark.parametrize(('rule', 'named'), [
    (LapRule(0.2), '0.2'), (LapRule(1.1), '1.1'), (LapRule(math.nan), 'nan'),
    (LapRule(1.0, 0), '0'), (LapRule(1.0, 11), '11')])
def test_a_rule_that_is_none_is_refused(rule, named):
    with pytest.raises(ConfigurationError, match=named):
        LapTimer(Course.along(CIRCLE), rule)


def test_turning_round_is_the_wrong_way_until_the_car_turns_again():
    timer = LapTimer(Course.along(CIRCLE))
    times = np.linspace(0.0, 1.0, 200)
    driven(timer, times, times)
    assert timer.state.turns.is_wrong == 0.0
    assert driven(timer, 1.0 + times, 1.0 - times).state.turns.is_wrong == 1.0
    driven(timer, 2.0 + times, times)
    assert timer.state.turns.is_wrong == 0.0
    assert present(timer.result()).wrong_ways == 1
    assert present(timer.result()).progress == pytest.approx(1.0 / (2.0 * math.pi), abs=1e-3)


def test_a_lap_the_wrong_way_round_is_none_even_beside_a_straight_that_runs_back():
    # Two straights of 20 m, 2 m apart: nearer than the distance at which a car is off the course.
    hairpin = np.array([(0.0, 0.0), (10.0, 0.0), (20.0, 0.0), (20.0, 2.0), (10.0, 2.0), (0.0, 2.0),
                        (0.0, 0.0)])
    timer = LapTimer(Course.along(hairpin))
    times = np.linspace(0.0, 10.0, 1000)
    timer.add(times, 15.0 - times, np.zeros(1000))
    assert timer.state.turns.is_wrong == 1.0
    assert timer.state.place.progress == pytest.approx(5.0)
    assert timer.laps == ()


@settings(deadline=None, max_examples=30)
@given(st.floats(0.1, 1.0), st.floats(0.1, 1.0), st.floats(0.5, 1.4))
def test_the_time_off_the_track_is_that_beyond_its_borders(right, left, sway):
    widths = np.tile([right, left], (len(CIRCLE), 1))
    timer = LapTimer(Course.along(CIRCLE, widths))
    angles = np.arange(0.0, 4.0 * math.pi, 2e-3)
    # The centre line is a polygon of 401 corners, inside its circle by less than a millimetre.
    beyond = sway * np.sin(5.0 * angles)
    timer.add(angles, *((5.0 + beyond) * [np.cos(angles), np.sin(angles)]))
    off = (beyond > right) | (-beyond > left)
    result = present(timer.result())
    assert result.off_time == pytest.approx(2e-3 * off.sum(), abs=0.1)
    if not any(abs(sway - width) < 2e-3 for width in (right, left)):
        assert result.exits == 10 * (sway > right) + 10 * (sway > left)


def test_without_borders_nobody_is_off_the_track():
    times = np.arange(0.0, 7.0, 0.01)
    result = driven(LapTimer(Course.along(CIRCLE)), times, times, radius=6.0).result()
    assert result is not None
    assert result.exits is None
    assert set(result.as_dict()) == {'laps', 'best_lap', 'mean_lap', 'lap_progress', 'wrong_ways'}


def test_a_crossing_is_interpolated_within_a_tick():
    # Ten samples a lap on the corners of a course: exact, as the speed is constant.
    square = np.array([(0.0, 0.0), (4.0, 0.0), (4.0, 4.0), (0.0, 4.0), (0.0, 0.0)])
    way = np.arange(-0.5, 35.0, 0.7)
    x = np.interp(way % 16.0, [0, 4, 8, 12, 16], square[:, 0])
    y = np.interp(way % 16.0, [0, 4, 8, 12, 16], square[:, 1])
    laps = lap_times(Course.along(square), way / 2.0, x, y)
    assert laps is not None
    assert [lap.time for lap in laps.laps] == pytest.approx([8.0, 8.0])
    assert laps.laps[0].begun == pytest.approx(0.0)
