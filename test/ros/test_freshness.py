# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""When a stamped message is too old, with unstamped, future and clockless cases."""

from hypothesis import given
from hypothesis import strategies as st

from racecar.base.last_stamp import effective_stamp
from racecar.ros.freshness import staleness

SECOND = 1_000_000_000
stamps = st.integers(1, 10**12)


@given(stamps, stamps)
def test_past_stamp_counts_as_it_is(stamp, age):
    assert effective_stamp(stamp, stamp + age) == stamp


@given(stamps, stamps)
def test_future_stamp_counts_as_now(now, ahead):
    assert effective_stamp(now + ahead, now) == now


@given(stamps)
def test_unstamped_message_counts_as_now(now):
    assert effective_stamp(0, now) == now


@given(st.integers(0, 10**12))
def test_before_the_clock_runs_the_stamp_counts_as_it_is(stamp):
    assert effective_stamp(stamp, 0) == stamp


def test_message_as_old_as_the_timeout_is_fresh():
    assert staleness(10 * SECOND, 10 * SECOND + SECOND // 2, 0.5) is None


def test_message_older_than_the_timeout_is_stale_with_age_and_timeout():
    message = staleness(10 * SECOND, 10 * SECOND + SECOND // 2 + 1_000_000, 0.5)
    assert message is not None
    assert message.startswith('its stamp is 0.501 s old, more than the timeout of 0.5 s')


@given(stamps)
def test_unstamped_message_is_never_stale(now):
    assert staleness(0, now, 0.001) is None


@given(stamps, stamps)
def test_message_from_the_future_is_not_stale(now, ahead):
    assert staleness(now + ahead, now, 0.001) is None


@given(st.integers(0, 10**12))
def test_nothing_is_stale_before_the_clock_runs(stamp):
    assert staleness(stamp, 0, 0.001) is None
