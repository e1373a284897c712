# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""Rows of state: what counts at which time, and errors against a formula of their own."""

import math

import numpy as np
import pytest

from racecar.base.types import (
    AckermannCommand,
    BodyState,
    HINGE_JOINTS,
    JointStates,
    Odometry,
    Pose3,
    Twist3,
)
from racecar.cockpit.columns import columns, units
from racecar.cockpit.samples import MOST_WAITING, Samples

TICK = 10_000_000
NAMES = columns((*HINGE_JOINTS, 'wheel'), driver=True)


def state(x, y=0.0, yaw=0.0, speed=1.0):
    return BodyState(
        Pose3(x, y, 0.0, 0.0, 0.0, math.sin(0.5 * yaw), math.cos(0.5 * yaw)),
        Twist3(speed, 0.0, 0.0, 0.0, 0.0, 0.0))


def reference(time_ns, x, y, yaw, speed):
    return Odometry(time_ns, x, y, math.sin(0.5 * yaw), math.cos(0.5 * yaw), speed, 0.0, 0.0)


def taken(samples):
    times, rows = samples.take()
    return times, dict(zip(NAMES, rows.T, strict=True))


def test_each_odometry_makes_a_row_with_what_counts_then():
    samples = Samples(NAMES)
    for tick in range(4):
        samples.add_odometry(tick * TICK, state(0.1 * tick))
    samples.add_command(AckermannCommand(1.0, 0.1), TICK)
    samples.add_command(AckermannCommand(2.0, 0.2), 3 * TICK)
    samples.add_joints(JointStates((*HINGE_JOINTS, 'wheel'), (0.3, 0.3, 7.0), ()), 2 * TICK)
    samples.add_driver((2, 900.0, 0.5, 0.0), 2 * TICK - 1)
    times, rows = taken(samples)
    assert times == pytest.approx([0.0, 0.01, 0.02, 0.03])
    assert rows['x'] == pytest.approx([0.0, 0.1, 0.2, 0.3])
    assert rows['command_speed'] == pytest.approx([math.nan, 1.0, 1.0, 2.0], nan_ok=True)
    assert rows['joint:wheel'] == pytest.approx([math.nan, math.nan, 7.0, 7.0], nan_ok=True)
    assert rows['steering'][2:] == pytest.approx([0.3, 0.3])
    assert rows['gear'][2:] == pytest.approx([2.0, 2.0])
    assert np.isnan(rows['error']).all()
    assert samples.take() is None
    # What came last still counts for the next row.
    samples.add_odometry(4 * TICK, state(0.4))
    assert taken(samples)[1]['command_speed'] == pytest.approx([2.0])


def test_many_at_once_make_the_rows_that_they_make_one_by_one():
    one_by_one, at_once = Samples(NAMES), Samples(NAMES)
    joints = [(JointStates((*HINGE_JOINTS, 'wheel'), (0.1, 0.2, 0.01 * tick), ()), tick * TICK)
              for tick in range(9)]
    for first, last in ((0, 4), (4, 5), (5, 9)):
        states = {tick * TICK: state(0.1 * tick, -0.2, 0.3, 1.0 + tick)
                  for tick in range(first, last)}
        references = [reference(time_ns, 0.1, 0.2, 0.4, 1.5) for time_ns in states]
        commands = [(time_ns + 1, 0.5, 1e-9 * time_ns) for time_ns in states]
        for time_ns, found in states.items():
            one_by_one.add_odometry(time_ns, found)
        for found in references:
            one_by_one.add_reference(found)
        for time_ns, *numbers in commands:
            one_by_one.add_command(AckermannCommand(*numbers), time_ns)
        for found in joints[first:last]:
            one_by_one.add_joints(*found)
        at_once.extend_odometry(np.array([(time_ns, *pose, *twist)
                                          for time_ns, (pose, twist) in states.items()]))
        at_once.extend_references(np.array(references))
        at_once.extend_commands(np.array(commands))
        at_once.extend_joints(joints[first:last])
        assert at_once.last_ns == one_by_one.last_ns == (last - 1) * TICK
        taken, expected_ones = at_once.take(), one_by_one.take()
        assert taken is not None
        assert expected_ones is not None
        for found, expected in zip(taken, expected_ones, strict=True):
            np.testing.assert_array_equal(found, expected)


def test_no_more_than_so_many_samples_wait():
    samples = Samples(NAMES)
    rows = np.zeros((MOST_WAITING - 1, 14))
    rows[:, 0] = np.arange(len(rows))
    samples.extend_odometry(rows)
    samples.extend_odometry(rows[:5] + len(rows))
    samples.add_odometry(2 * MOST_WAITING, state(0.0))
    taken = samples.take()
    assert taken is not None
    assert len(taken[0]) == MOST_WAITING


def test_errors_are_those_of_the_tracked_point_in_the_frame_of_the_reference():
    samples = Samples(NAMES)
    samples.tracked_ahead = 0.2
    samples.add_odometry(2 * TICK, state(1.0, 2.0, 0.5))
    samples.add_reference(reference(TICK, 0.9, 2.2, 0.7, 3.0))
    assert samples.take() is None
    _, rows = taken(samples)
    # The reference goes on for a tick; then turned into its own axes.
    along = np.array([math.cos(0.7), math.sin(0.7)])
    goal = np.array([0.9, 2.2]) + 3.0 * 0.01 * along
    error = np.array([1.0 + 0.2 * math.cos(0.5), 2.0 + 0.2 * math.sin(0.5)]) - goal
    assert [rows['reference_x'][0], rows['reference_y'][0]] == pytest.approx(list(goal))
    assert rows['reference_speed'][0] == 3.0
    assert rows['error'][0] == pytest.approx(np.linalg.norm(error))
    assert rows['longitudinal_error'][0] == pytest.approx(error @ along)
    assert rows['lateral_error'][0] == pytest.approx(error @ np.array([-along[1], along[0]]))


def test_a_row_waits_once_for_the_reference_of_its_own_time():
    samples = Samples(NAMES)
    samples.add_reference(reference(0, 0.0, 0.0, 0.0, 1.0))
    samples.add_odometry(TICK, state(0.0))
    assert samples.take() is None
    samples.add_reference(reference(TICK, 5.0, 0.0, 0.0, 1.0))
    assert taken(samples)[1]['reference_x'] == pytest.approx([5.0])


def test_an_old_reference_is_none_any_more():
    samples = Samples(NAMES)
    samples.add_reference(reference(0, 0.0, 0.0, 0.0, 1.0))
    samples.add_odometry(60 * TICK, state(0.0))
    assert np.isnan(taken(samples)[1]['reference_x']).all()


def test_a_simulation_that_begins_anew_forgets_the_one_before():
    samples = Samples(NAMES)
    samples.add_command(AckermannCommand(1.0, 0.0), 0)
    for time_ns in (80 * TICK, 81 * TICK, 0, TICK):
        samples.add_odometry(time_ns, state(0.0))
    times, rows = taken(samples)
    assert times == pytest.approx([0.8, 0.81])
    assert rows['command_speed'] == pytest.approx([1.0, 1.0])
    times, rows = taken(samples)
    assert times == pytest.approx([0.0, 0.01])
    assert np.isnan(rows['command_speed']).all()


def test_a_command_with_the_time_of_another_clock_counts_at_once():
    samples = Samples(NAMES)
    samples.add_command(AckermannCommand(1.0, 0.0), 1_700_000_000_000_000_000)
    samples.add_odometry(TICK, state(0.0))
    assert taken(samples)[1]['command_speed'] == pytest.approx([1.0])


def test_units_are_those_of_the_columns():
    assert units(NAMES).keys() <= {*NAMES}
    assert (units(NAMES)['x'], units(NAMES)['joint:wheel']) == ('m', 'rad')


def test_small_steps_back_are_sorted_and_forget_nothing():
    samples = Samples(NAMES)
    samples.add_command(AckermannCommand(1.0, 0.1), 0)
    samples.add_command(AckermannCommand(2.0, 0.2), 3 * TICK)
    for tick in (0, 2, 1, 4, 3):
        samples.add_odometry(tick * TICK, state(float(tick)), 100.0 + tick)
    times, rows = taken(samples)
    assert times.tolist() == [100.0, 101.0, 102.0, 103.0, 104.0]
    assert rows['x'].tolist() == [0.0, 1.0, 2.0, 3.0, 4.0]
    assert rows['command_speed'].tolist() == [1.0, 1.0, 1.0, 2.0, 2.0]
