# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""Priorities and timeouts of the command multiplexer."""

from functools import partial
import itertools

from hypothesis import given
from hypothesis import strategies as st
import pytest

from racecar.control.command_mux import CommandMux, HELD, Moment, Source

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


DRIVER = Source('Driver', ('input/driver',), 0.2, 3)
PEOPLE = (TELEOP, SAFETY, DRIVER, NAVIGATION)


@pytest.mark.parametrize('order', list(itertools.permutations(PEOPLE)), ids=lambda order: '-'.join(
    source.name for source in order))
def test_person_and_safety_win_over_autonomy_in_any_order(order):
    mux = CommandMux(PEOPLE)
    forwarded = [source.name for source in order if say(mux, source, 0)]
    assert forwarded[-1] == mux.active == 'Teleoperation'
    # Those that were forwarded before were each the highest of those that had spoken.
    assert [PEOPLE.index(source) for source in order if source.name in forwarded] == sorted(
        (PEOPLE.index(source) for source in order if source.name in forwarded), reverse=True)
    for at in (50, 100, 150):
        assert not any(say(mux, source, at) for source in order if source is not TELEOP)
        say(mux, TELEOP, at)
    # Whoever falls silent is followed by the next, and autonomy comes last.
    for silent, follower in itertools.pairwise(PEOPLE):
        mux.release(silent.name)
        assert mux.active == follower.name
        assert not any(mux.receive(lower.name, ms(150))
                       for lower in PEOPLE[PEOPLE.index(follower) + 1:])


def test_a_source_that_yields_lets_the_next_speak_at_once():
    mux = CommandMux(SOURCES)
    say(mux, SAFETY, 0)
    assert not say(mux, NAVIGATION, 1)
    mux.release('Safety')
    assert mux.active == 'Navigation'
    assert say(mux, NAVIGATION, 2)
    mux.release('Safety')
    mux.release('Navigation')
    assert (mux.active, mux.expires_at) == ('idle', None)


@given(st.lists(st.sampled_from(['Safety', '']), max_size=12))
def test_a_moment_of_lockstep_waits_for_all_and_takes_the_judge_first(order):
    moment, stamps = Moment(('Safety', '')), {'Safety': 0, '': 0}
    done: list[tuple[str, int]] = []
    for name in order:
        stamps[name] += 1
        acts = moment.note(name, stamps[name], partial(done.append, (name, stamps[name])))
        # One that is ahead waits, and one that is behind is of no use any more.
        assert acts == (stamps['Safety'] == stamps[''])
        if acts:
            assert done[-2:] == [('Safety', stamps['']), ('', stamps[''])]
    assert len(done) % 2 == 0


def test_a_moment_that_comes_again_is_taken_again():
    moment, done = Moment(('Safety', '')), []
    for _ in range(2):
        assert not moment.note('', 5, lambda: done.append('loop'))
        assert moment.note('Safety', 5, lambda: done.append('safety'))
    assert done == ['safety', 'loop'] * 2
