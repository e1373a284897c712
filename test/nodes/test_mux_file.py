# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""Files that set priorities and timeouts of the command multiplexer."""

from dataclasses import replace
from pathlib import Path

import pytest
import yaml

from racecar.base.errors import ConfigurationError
from racecar.control.mux_file import load_mux_configuration

CONFIG = Path(__file__).parents[2] / 'config' / 'mux'


def test_original_high_level_priorities_and_timeouts():
    configuration = load_mux_configuration(CONFIG / 'high_level.yaml')
    assert [(s.name, s.forwarded[0], s.timeout, s.priority) for s in configuration.sources] == [
        ('Twist', 'cmd_vel', 0.5, 25),
        ('Nav_0', 'input/nav_0', 0.2, 20), ('Nav_1', 'input/nav_1', 0.2, 15),
        ('Nav_2', 'input/nav_2', 0.2, 10), ('Nav_3', 'input/nav_3', 0.2, 5),
        ('Default', 'input/default', 1.0, 0)]
    assert configuration.output == 'output'


def test_low_level_priorities_and_timeouts_are_the_original_ones_and_those_of_the_driver():
    configuration = load_mux_configuration(CONFIG / 'low_level.yaml')
    assert [(s.name, s.forwarded[0], s.timeout, s.priority) for s in configuration.sources] == [
        ('Teleoperation', 'input/teleop', 0.2, 10), ('Safety', 'input/safety', 0.2, 5),
        ('Driver', 'input/driver', 0.2, 3), ('Navigation', 'input/navigation', 0.2, 0)]
    assert [s.holds for s in configuration.sources] == [(), (), ('driver_hold',), ()]
    assert configuration.output == 'output'


def test_file_for_classes_differs_by_its_timeouts_only():
    usual, slow = (load_mux_configuration(CONFIG / name) for name in (
        'low_level.yaml', 'low_level_slow.yaml'))
    assert [replace(source, timeout=0.5) for source in usual.sources] == [*slow.sources]
    assert usual.output == slow.output


def entry(**changes):
    fields = {'name': 'Nav', 'topic': 'input/nav', 'timeout': 0.2, 'priority': 1, **changes}
    return {key: value for key, value in fields.items() if value is not ...}


def load(tmp_path, *entries, **top):
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
    assert source.forwarded == ('input/nav', 'navigation', 'other')


def test_topics_that_only_hold_the_mux_are_listed_apart(tmp_path):
    source = load(tmp_path, entry(holds=['hold'], yields=['clear'])).sources[0]
    assert (source.forwarded, source.holds) == (('input/nav',), ('hold',))
    assert source.yields == ('clear',)
    assert source.inputs == ('input/nav', 'hold', 'clear')


@pytest.mark.parametrize(
    ('changes', 'message'),
    [({'yields': 'clear'}, r"yields of subscriber 0 \('Nav'\) is 'clear', expected a list of"),
     ({'holds': 'hold'}, r"holds of subscriber 0 \('Nav'\) is 'hold', expected a list of topic"),
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
     ({'prio': 3}, r"unknown key 'prio' in subscriber 0 \('Nav'\); did you mean priority\?")])
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
      r"unknown key 'publishers' in the file; did you mean publisher\?")])
def test_file_of_another_form_is_refused(tmp_path, text, message):
    path = tmp_path / 'mux.yaml'
    path.write_text(text)
    with pytest.raises(ConfigurationError, match=message):
        load_mux_configuration(path)


def test_missing_file_is_refused_with_its_path(tmp_path):
    with pytest.raises(ConfigurationError, match=r"mux file '.*none\.yaml' cannot be read: No su"):
        load_mux_configuration(tmp_path / 'none.yaml')
