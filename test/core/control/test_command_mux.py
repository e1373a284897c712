# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""Priorities and timeouts of the command multiplexer, and the files that set them."""

from pathlib import Path

from hypothesis import given
from hypothesis import strategies as st
import pytest

from racecar.core.control.command_mux import CommandMux, load_mux_configuration, Source
from racecar.core.errors import ConfigurationError

CONFIG = Path(__file__).parents[3] / 'config' / 'mux'

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
    mux, now, heard = CommandMux(SOURCES), 0, {}
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


def test_original_high_level_priorities_and_timeouts():
    configuration = load_mux_configuration(CONFIG / 'high_level.yaml')
    assert [(s.name, s.topics[0], s.timeout, s.priority) for s in configuration.sources] == [
        ('Nav_0', 'input/nav_0', 0.2, 20), ('Nav_1', 'input/nav_1', 0.2, 15),
        ('Nav_2', 'input/nav_2', 0.2, 10), ('Nav_3', 'input/nav_3', 0.2, 5),
        ('Default', 'input/default', 1.0, 0)]
    assert configuration.output == 'output'


def test_low_level_priorities_and_timeouts_are_the_original_ones_and_those_of_the_driver():
    configuration = load_mux_configuration(CONFIG / 'low_level.yaml')
    assert [(s.name, s.topics[0], s.timeout, s.priority) for s in configuration.sources] == [
        ('Teleoperation', 'input/teleop', 0.2, 10), ('Safety', 'input/safety', 0.2, 5),
        ('Driver', 'input/driver', 0.2, 3), ('Navigation', 'input/navigation', 0.2, 0)]
    assert [s.holds for s in configuration.sources] == [(), (), ('driver_hold',), ()]
    assert configuration.output == 'output'


def entry(**changes):
    fields = {'name': 'Nav', 'topic': 'input/nav', 'timeout': 0.2, 'priority': 1, **changes}
    return {key: value for key, value in fields.items() if value is not ...}


def load(tmp_path, *entries, **top):
    import yaml

    path = tmp_path / 'mux.yaml'
    path.write_text(yaml.safe_dump({'subscribers': list(entries), **top}))
    return load_mux_configuration(path)


def test_sources_come_highest_priority_first(tmp_path):
    low, high = entry(name='low', priority=-3), entry(name='high', priority=7)
    assert [s.name for s in load(tmp_path, low, high).sources] == ['high', 'low']


def test_output_is_named_output_unless_the_file_says_otherwise(tmp_path):
    assert load(tmp_path, entry()).output == 'output'
    assert load(tmp_path, entry(), publisher='output/command').output == 'output/command'


def test_aliases_are_further_topics_of_the_source(tmp_path):
    source = load(tmp_path, entry(aliases=['navigation', 'other'], short_desc='text')).sources[0]
    assert source.topics == ('input/nav', 'navigation', 'other')


def test_topics_that_only_hold_the_mux_are_listed_apart(tmp_path):
    source = load(tmp_path, entry(holds=['hold'])).sources[0]
    assert (source.topics, source.holds) == (('input/nav',), ('hold',))


@pytest.mark.parametrize(
    ('changes', 'message'),
    [({'holds': 'hold'}, r"holds of subscriber 0 \('Nav'\) is 'hold', expected a list of topic"),
     ({'name': ...}, r"name of subscriber 0 \('without a name'\) is None, expected a non-empty"),
     ({'name': 'idle'}, r"name of .* is 'idle', expected another name"),
     ({'topic': 3}, r"topic of subscriber 0 \('Nav'\) is 3, expected a non-empty string"),
     ({'topic': ''}, r"topic of .* is '', expected a non-empty string"),
     ({'timeout': 0}, r"timeout of .*'Nav'.* is 0, expected a number of seconds above 0"),
     ({'timeout': float('inf')}, r'timeout of .* is inf, expected a number of seconds above 0'),
     ({'timeout': 1e300}, r'timeout of .* is 1e\+300, expected .* above 0, at most 3600'),
     ({'timeout': 10**400}, r"timeout of .* is '?10+\.\.\.0+'?, expected a number of seconds"),
     ({'timeout': float('nan')}, r'timeout of .* is nan, expected a number of seconds above 0'),
     ({'name': 'a\nb'}, r"name of subscriber 0 \('a\\nb'\) is 'a\\nb', expected a non-empty"),
     ({'topic': '\0'}, r"topic of .* is '\\x00', expected a non-empty string of printable"),
     ({'aliases': ['']}, r"aliases of .* is \[''\], expected a list of topic names"),
     ({'timeout': True}, r'timeout of .* is True, expected a number of seconds above 0'),
     ({'timeout': ...}, r'timeout of .* is None, expected a number of seconds above 0'),
     ({'priority': 1.5}, r'priority of .* is 1\.5, expected an integer; higher wins'),
     ({'priority': ...}, r'priority of .* is None, expected an integer; higher wins'),
     ({'aliases': 'navigation'}, r"aliases of .* is 'navigation', expected a list of topic names"),
     ({'prio': 3}, r"unknown key 'prio' in subscriber 0 \('Nav'\); did you mean 'priority'\?")])
def test_faulty_source_is_refused_with_file_entry_value_and_expectation(
        tmp_path, changes, message):
    with pytest.raises(ConfigurationError, match=r"mux file '.*mux\.yaml': " + message):
        load(tmp_path, entry(**changes))


@pytest.mark.parametrize(
    ('second', 'message'),
    [({'name': 'Nav', 'priority': 2}, "name 'Nav' stands more than once"),
     ({'name': 'Other', 'priority': 1}, 'priority 1 stands more than once')])
def test_names_and_priorities_must_differ(tmp_path, second, message):
    with pytest.raises(ConfigurationError, match=message):
        load(tmp_path, entry(), entry(**second))


@pytest.mark.parametrize(
    ('text', 'message'),
    [('', "has no list 'subscribers'"), ('subscribers: []', "has no list 'subscribers'"),
     ('subscribers: {name: Nav}', "has no list 'subscribers'"), ('a: [', 'is not YAML'),
     ('subscribers: [Nav]', "subscriber 0 is 'Nav', expected name, topic, timeout, priority"),
     ('subscribers: [{name: N, topic: t, timeout: 1, priority: 1}]\npublisher: 7',
      'publisher is 7, expected a topic name'),
     ('subscribers: [{name: N, topic: t, timeout: 1, priority: 1}]\npublishers: out',
      "unknown key 'publishers' in the file; did you mean 'publisher'")])
def test_file_of_another_form_is_refused(tmp_path, text, message):
    path = tmp_path / 'mux.yaml'
    path.write_text(text)
    with pytest.raises(ConfigurationError, match=message):
        load_mux_configuration(path)


def test_missing_file_is_refused_with_its_path(tmp_path):
    with pytest.raises(ConfigurationError, match=r"mux file '.*none\.yaml' cannot be read: No su"):
        load_mux_configuration(tmp_path / 'none.yaml')
