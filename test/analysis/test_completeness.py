# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""Ticks and starts that a recording has missed, from stamps."""

from __future__ import annotations

import numpy as np
import pytest

from racecar.analysis.completeness import late_start, lost_ticks

TICKS = 0.01 * np.arange(1001, dtype=np.float64)


def test_nothing_is_lost_of_a_regular_topic():
    assert lost_ticks(TICKS) is None
    # Duplicates and disorder are other complaints.
    assert lost_ticks(np.concatenate([TICKS[::-1], TICKS[:30]])) is None
    assert lost_ticks(TICKS[:1]) is None
    assert lost_ticks(TICKS[:2]) is None


@pytest.mark.parametrize('kept', [0.8, 0.3])
def test_lost_ticks_are_counted_whatever_share_is_lost(kept):
    random = np.random.default_rng(4)
    there = random.random(TICKS.size) < kept
    there[[0, -1]] = True
    found = lost_ticks(random.permutation(TICKS[there]))
    assert found is not None
    assert found.ticks == np.sum(~there)
    assert found.share == pytest.approx(np.mean(~there))
    assert found.period == pytest.approx(0.01)
    runs = np.diff(np.flatnonzero(there))
    assert found.longest == pytest.approx(0.01 * runs.max())
    assert found.longest_at == pytest.approx(0.01 * np.flatnonzero(there)[np.argmax(runs)])


def test_jitter_is_no_loss_but_a_gap_within_it_is():
    random = np.random.default_rng(5)
    t = TICKS + random.uniform(-0.002, 0.002, TICKS.size)
    assert lost_ticks(t) is None
    # Stamps of whole milliseconds, two of them one apart.
    rounded = np.append(np.round(5.0 * t, 3), 25.001)
    assert lost_ticks(rounded) is None
    found = lost_ticks(np.delete(t, [500, 501, 502]))
    assert found is not None
    assert (found.ticks, found.longest_at) == (3, t[499])


def late(t, reference_t, speed=0.0, **more):
    return late_start(t, np.full(t.size, speed), reference_t, **more)


def test_the_path_tells_when_the_reference_started():
    assert late(TICKS, TICKS, 0.5, path_stamps=[0.0]) is None
    found = late(TICKS[300:], TICKS[250:], path_stamps=[0.0])
    assert found == (pytest.approx(3.0), False)
    # Activated twice before and once after the recording had begun.
    found = late(TICKS[300:], TICKS[300:], 0.5, path_stamps=[0.0, 1.0, 5.0])
    assert found == (pytest.approx(2.0), False)


@pytest.mark.parametrize('time_zero', [0.0, None])
def test_a_start_that_is_in_the_recording_is_not_late(time_zero):
    # The car stands until it is activated while the recording runs.
    speed = np.where(TICKS[100:] > 3.0, 0.5, 0.0)
    assert late_start(TICKS[100:], speed, TICKS[300:], time_zero=time_zero) is None
    assert late(TICKS[300:], TICKS[300:], time_zero=time_zero) is None


def test_a_simulation_that_is_recorded_from_its_beginning_is_not_late():
    assert late(TICKS, TICKS[1:], 0.5, time_zero=0.0) is None
    assert late(TICKS[2:], TICKS[2:], 0.5, time_zero=0.0) is None


def test_odometry_that_comes_after_the_reference_is_late():
    assert late(TICKS[120:], TICKS) == (pytest.approx(1.2), False)
    assert late(TICKS[2:], TICKS) is None


@pytest.mark.parametrize('first_reference', [320, 321, 400])
def test_a_car_that_rolls_at_the_first_reference_was_under_way(first_reference):
    found = late(TICKS[320:], TICKS[first_reference:], 0.5, time_zero=0.0)
    assert found == (pytest.approx(TICKS[first_reference]), True)
    assert late(TICKS[320:], TICKS[first_reference:], 0.5) == (None, False)
    # In any order.
    assert late(TICKS[:319:-1], TICKS[:first_reference - 1:-1], 0.5, time_zero=0.0) == found
