# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""When the time of a case waits for the programs, by times of the computer that the tests give."""

from racecar.courses.pacing import Pacing


def answered_now(pacing, now):
    """A scan that is answered at once."""
    pacing.sent(now)
    pacing.answered(now)


def begun(limit=1.0):
    """A pacing past what had piled up before the first answer, and the time then."""
    pacing = Pacing(limit)
    pacing.begin(0.0)
    assert pacing.is_waiting(0.4) == (limit > 0.0)
    assert not pacing.is_waiting(0.6)
    return pacing, 0.6


def test_nothing_waits_before_the_first_answer():
    pacing = Pacing(1.0)
    pacing.sent(0.0)
    assert not pacing.is_waiting(0.0)


def test_what_has_piled_up_is_awaited_but_not_for_ever():
    pacing = Pacing(1.0)
    pacing.begin(0.0)
    for tenth in range(1, 80):
        pacing.answered(0.1 * tenth)
        pacing.begin(0.1 * tenth)
        assert pacing.is_waiting(0.1 * tenth) == (tenth < 50)


def test_a_scan_waits_for_its_answer_up_to_the_limit():
    pacing, now = begun()
    pacing.sent(now)
    assert pacing.is_waiting(now)
    assert pacing.is_waiting(now + 0.9)
    pacing.answered(now + 0.95)
    assert not pacing.is_waiting(now + 0.95)
    pacing.sent(now + 1.0)
    assert pacing.is_waiting(now + 1.9)
    assert not pacing.is_waiting(now + 2.1)


def test_an_answer_that_comes_too_late_is_not_that_to_the_next_scan():
    pacing, now = begun()
    pacing.sent(now)
    assert not pacing.is_waiting(now + 1.1)
    pacing.sent(now + 1.1)
    pacing.answered(now + 1.2)
    assert pacing.is_waiting(now + 1.2)
    pacing.answered(now + 1.3)
    assert not pacing.is_waiting(now + 1.3)
    answered_now(pacing, now + 1.4)
    assert not pacing.is_waiting(now + 1.4)


def test_a_scan_that_was_lost_is_awaited_once_more_only():
    pacing, now = begun()
    pacing.sent(now)
    answered_now(pacing, now + 1.1)
    assert pacing.is_waiting(now + 2.0)
    assert not pacing.is_waiting(now + 2.2)
    for scan in range(30):
        answered_now(pacing, now + 3.0 + scan)
        assert not pacing.is_waiting(now + 3.0 + scan)
    assert pacing.is_customary


def test_programs_that_do_not_answer_each_scan_are_not_awaited_until_they_do():
    pacing, now = begun()
    for _ in range(6):
        now += 1.1
        pacing.sent(now)
    assert not pacing.is_customary
    now += 1.1
    pacing.sent(now)
    assert not pacing.is_waiting(now)
    for _ in range(20):
        now += 0.02
        answered_now(pacing, now)
    pacing.sent(now)
    assert pacing.is_customary
    assert pacing.is_waiting(now)


def test_a_scan_that_needs_no_answer_is_no_miss_and_the_next_one_is_awaited():
    pacing, now = begun()
    for _ in range(6):
        pacing.sent(now, is_answered=True)
        assert not pacing.is_waiting(now)
    assert pacing.is_customary
    pacing.sent(now)
    assert pacing.is_waiting(now)


def test_with_a_limit_of_zero_nothing_waits():
    pacing, now = begun(limit=0.0)
    pacing.sent(now)
    assert not pacing.is_waiting(now)
