# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""Filters of names: what they let through, and that none takes for ever."""

import re

from hypothesis import given
from hypothesis import strategies as st
import pytest

from racecar.entities.name_filter import name_filter
from racecar.entities.refusals import RefusedError

NAMES = 'robot', 'cone_0', 'cone_12', 'box_0', 'crate', 'a' * 200


@pytest.mark.parametrize('pattern', [
    'robot', 'cone', 'cone_.', '.*', '.*one.*', 'cone_[0-9]+', '(cone|box)_[0-9]{1,2}', 'cone_12?',
    'a+', '|'.join(f'cone_{index}' for index in range(20)), '[^]c]+', r'\w*_\d', '(?:cone|crate)',
    '(_?[a-z])e.*', '[a-z(*+]+', r'cone\(', '.*c.*_.*',
])
def test_a_filter_is_that_regular_expression_for_whole_names(pattern):
    fits = name_filter(pattern)
    assert [fits(name) for name in NAMES] == [
        re.fullmatch(pattern, name) is not None for name in NAMES]


def test_an_empty_filter_lets_all_through():
    assert all(map(name_filter(''), NAMES))


@pytest.mark.parametrize('pattern', [
    '(a+)+b', '(a*)*b', '(a|a)*b', '(a|aa)+b', '(.*)*x', '((a{1,50}){1,50}){1,50}b',
    'a?' * 40 + 'b', '(a|a)' * 30 + 'b', '.*' * 6 + 'x', '(?:a+){2,}b', '(a+)+?b',
    '([a-z]+)*[0-9]',
])
def test_what_may_take_for_ever_is_refused(pattern):
    with pytest.raises(RefusedError, match='very long') as refused:
        name_filter(pattern)
    assert refused.value.code == 'OPERATION_FAILED'


@pytest.mark.parametrize('pattern', [
    '(', '*', '[a', 'a' * 201, '[[:alpha:]]+', '(?=a)a', '(?i)A', 'a{99999999999999999999}', '\\',
])
def test_what_is_no_filter_is_refused_by_its_text(pattern):
    with pytest.raises(RefusedError, match='filter is .*expected'):
        name_filter(pattern)


@given(st.text(alphabet='ab.*+?{1,2}()|[]^\\_', max_size=30))
def test_a_filter_is_refused_or_answers_soon(pattern):
    try:
        fits = name_filter(pattern)
    except RefusedError:
        return
    # Hypothesis has a deadline for each example.
    assert fits('a' * 60) == (not pattern or re.fullmatch(pattern, 'a' * 60) is not None)
