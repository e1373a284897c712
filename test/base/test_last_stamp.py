# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""How old the newest message is, also when its stamp is of another clock."""

from hypothesis import given
from hypothesis import strategies as st

from racecar.base.last_stamp import LastStamp

times = st.integers(1, 10**19)


@given(times, times)
def test_age_counts_from_the_stamp(stamp, age):
    assert LastStamp(stamp).age_ns(stamp + age) == age


@given(times, times, times)
def test_stamp_ahead_of_the_clock_counts_from_the_first_time_that_the_clock_shows(
        start, lead, age):
    heard = LastStamp(start + lead)
    assert heard.age_ns(0) < 0
    assert heard.age_ns(start) == 0
    assert heard.age_ns(start + age) == age


@given(times, times)
def test_time_that_goes_back_begins_a_new_age(now, age):
    heard = LastStamp(now + age)
    heard.age_ns(now + age)
    assert heard.age_ns(now) == 0
    assert heard.age_ns(now + age) == age
