# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""Priorities and timeouts of the command multiplexer."""

from hypothesis import given
from hypothesis import strategies as st
import pytest

from racecar.control.command_mux import CommandMux, HELD, Source

TELEOP = Source('Teleoperation', ('input/teleop',), 0.2, 10)
SAFETY = Source('Safety', ('input/safety',), 0.5, 5)
NAVIGATION = Source('Navigation', ('input/navigation',), 0.2, 0)
SOURCES = (TELEOP, SAFETY, NAVIGATION)


def ms(number):
    return number * 1_000_000


def say(mux, source, at):
    """Let a source speak at a time [ms], as the node does; True if it is forwarded."""
    mux.expire(ms(at))
    return mux.receive(source.name, ms(at))


def test_vacant_mux_is_idle():
    mux = CommandMux(SOURCES)
    assert (mux.active, mux.expires_at) == ('idle', None)


@pytest.mark.parametrize('source', SOURCES, ids=lambda source: source.name)
def test_any_source_takes_a_vacant_mux(source):
    mux = CommandMux(SOURCES)
    assert say(mux, source, 100)
    assert mux.active == source.name


def test_holder_is_forwarded_again_and_again():
    mux = CommandMux(SOURCES)
    assert all(say(mux, NAVIGATION, at) for at in range(0, 1000, 100))


def test_higher_priority_takes_the_mux_over_at_once():
    mux = CommandMux(SOURCES)
    say(mux, NAVIGATION, 0)
    assert say(mux, TELEOP, 1)
    assert mux.active == 'Teleoperation'


def test_lower_priority_is_refused_while_the_holder_is_fresh():
    mux = CommandMux(SOURCES)
    say(mux, TELEOP, 0)
    assert not say(mux, NAVIGATION, 199)
    assert mux.active == 'Teleoperation'


def test_refused_source_does_not_keep_the_holder_alive():
    mux = CommandMux(SOURCES)
    say(mux, TELEOP, 0)
    say(mux, NAVIGATION, 150)
    assert mux.expires_at == ms(200)


def test_each_command_of_the_holder_renews_its_timeout():
    mux = CommandMux(SOURCES)
    say(mux, TELEOP, 0)
    say(mux, TELEOP, 150)
    assert mux.expires_at == ms(350)


def test_timeout_counts_from_the_stamp_of_the_command():
    mux = CommandMux(SOURCES)
    mux.receive('Teleoperation', ms(1000))
    assert not mux.expire(ms(1199))
    assert mux.expire(ms(1200))


def test_a_held_command_stays_until_somebody_speaks():
    mux = CommandMux(SOURCES, HELD)
    say(mux, TELEOP, 0)
    assert not mux.expire(ms(100_000))
    assert (mux.active, mux.expires_at) == ('Teleoperation', None)
    # Whatever their priorities.
    assert say(mux, NAVIGATION, 100_001)
    assert mux.active == 'Navigation'


def test_each_source_has_its_own_timeout():
    mux = CommandMux(SOURCES)
    say(mux, SAFETY, 0)
    assert not mux.expire(ms(499))
    assert mux.expire(ms(500))


def test_mux_falls_vacant_once():
    mux = CommandMux(SOURCES)
    say(mux, TELEOP, 0)
    assert mux.expire(ms(200))
    assert not mux.expire(ms(300))
    assert mux.active == 'idle'


def test_a_source_that_still_speaks_follows_a_silent_holder_without_a_stop():
    mux = CommandMux(SOURCES)
    say(mux, TELEOP, 0)
    say(mux, NAVIGATION, 100)
    assert not mux.expire(ms(200))
    assert mux.active == 'Navigation'
    assert say(mux, NAVIGATION, 210)


def test_the_follower_falls_silent_in_its_turn():
    mux = CommandMux(SOURCES)
    say(mux, TELEOP, 0)
    say(mux, NAVIGATION, 100)
    mux.expire(ms(200))
    assert mux.expires_at == ms(300)
    assert mux.expire(ms(300))
    assert mux.active == 'idle'


def test_lowest_source_waits_for_one_between_that_still_speaks():
    # The original let one command of the lowest source through here.
    mux = CommandMux(SOURCES)
    say(mux, TELEOP, 0)
    assert not say(mux, SAFETY, 150)
    assert not say(mux, NAVIGATION, 210)
    assert say(mux, SAFETY, 250)
    assert mux.active == 'Safety'


@given(st.lists(st.tuples(st.integers(0, 2), st.integers(0, 400)), max_size=60))
def test_no_command_is_forwarded_while_a_higher_source_is_fresh(events):
    mux, now = CommandMux(SOURCES), 0
    heard: dict[Source, int] = {}
    for index, wait in events:
        now += wait
        source = SOURCES[index]
        fresh = {s for s, at in heard.items() if ms(now) - ms(at) < s.timeout_ns}
        outranked = any(other.priority > source.priority for other in fresh)
        heard[source] = now
        assert say(mux, source, now) is not outranked


@given(st.lists(st.tuples(st.integers(0, 2), st.integers(0, 400)), min_size=1, max_size=60))
def test_source_holds_the_mux_exactly_if_its_last_command_was_forwarded(events):
    mux, now = CommandMux(SOURCES), 0
    for index, wait in events:
        now += wait
        assert say(mux, SOURCES[index], now) is (mux.active == SOURCES[index].name)
