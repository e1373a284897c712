# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""What a planner is told and how long the time waits for it, by times that the tests give."""

import pytest

from racecar.courses.planning import Planning, Tell

HERE, THERE = (1.0, 2.0), (3.0, 4.0)


def asked(limit, goal=HERE):
    """A planning that has told pose and goal; the goal at 0.5 s of the computer's time."""
    planning = Planning(limit)
    assert planning.next(goal, 0.0, 0.0, stands=True) is Tell.POSE
    assert planning.next(goal, 0.0, 0.1, stands=True) is Tell.NOTHING
    assert planning.is_waiting(0.1)
    assert planning.next(goal, 0.0, 0.5, stands=True) is Tell.GOAL
    return planning


def test_the_time_stands_from_the_pose_until_the_path_has_come():
    planning = asked(10.0)
    assert planning.next(HERE, 0.0, 1.0, stands=True) is Tell.NOTHING
    assert planning.is_waiting(1.0)
    planning.planned(3.5)
    assert not planning.is_waiting(3.5)
    assert planning.took == [pytest.approx(3.0)]
    # A path that nobody has asked for.
    planning.planned(4.0)
    assert len(planning.took) == 1


def test_a_path_is_awaited_no_longer_than_the_limit_and_asked_for_again():
    planning = asked(10.0)
    assert planning.is_waiting(10.4)
    assert not planning.is_waiting(10.6)
    # Simulated time goes on; the car stands.
    assert planning.next(HERE, 4.9, 12.0, stands=True) is Tell.NOTHING
    assert planning.next(HERE, 5.1, 12.0, stands=False) is Tell.NOTHING
    assert planning.next(HERE, 5.1, 12.0, stands=True) is Tell.POSE


def test_a_planner_that_is_still_computing_is_not_asked_again():
    planning = asked(100.0)
    assert planning.next(HERE, 50.0, 50.0, stands=True) is Tell.NOTHING


def test_the_next_goal_is_told_while_the_car_drives():
    planning = asked(10.0)
    planning.planned(1.0)
    assert planning.next(THERE, 7.0, 8.0, stands=False) is Tell.POSE
    assert planning.next(THERE, 7.0, 8.5, stands=False) is Tell.GOAL
    assert planning.is_waiting(9.0)
    assert planning.next(None, 8.0, 9.0, stands=False) is Tell.NOTHING
    assert not planning.is_waiting(9.0)


def test_after_quick_paths_another_one_is_not_awaited_for_long():
    planning = asked(90.0)
    planning.planned(3.5)
    assert planning.next(THERE, 7.0, 10.0, stands=True) is Tell.POSE
    assert planning.next(THERE, 7.0, 10.5, stands=True) is Tell.GOAL
    # Five times 3 s.
    assert planning.is_waiting(25.0)
    assert not planning.is_waiting(26.0)


def test_without_a_limit_nothing_waits_for_a_path():
    planning = asked(0.0)
    assert not planning.is_waiting(0.6)
    planning.planned(0.7)
    assert planning.took == []
