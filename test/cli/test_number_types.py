# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""Numbers as arguments: what is taken, and what is refused with what was expected."""

import argparse
import math

from hypothesis import given
from hypothesis import strategies as st
import pytest

from racecar.cli.number_types import number, whole


@given(st.floats(), st.booleans())
def test_a_number_is_taken_exactly_if_it_is_in_its_range(value, above):
    parse = number(-2.0, 5.0, above=above)
    if -2.0 < value <= 5.0 or (value == -2.0 and not above):
        assert parse(repr(value)) == value
    else:
        with pytest.raises(argparse.ArgumentTypeError, match='expected a number'):
            parse(repr(value))


@pytest.mark.parametrize(('text', 'expected'), [
    ('fast', "'fast', expected a number of at least 0$"), ('nan', 'at least 0'),
    ('inf', 'at least 0'), ('-1e-9', 'at least 0'), ('', "'', expected")])
def test_what_is_no_number_without_an_upper_end_is_refused(text, expected):
    with pytest.raises(argparse.ArgumentTypeError, match=expected):
        number(0.0)(text)
    assert number(0.0)('1e300') == 1e300
    assert math.copysign(1.0, number(0.0)('0')) == 1.0


@given(st.integers(-10, 20))
def test_a_whole_number_is_taken_exactly_if_it_is_in_its_range(value):
    parse = whole(range(1, 11), 'port')
    if 1 <= value <= 10:
        assert parse(str(value)) == value
    else:
        with pytest.raises(argparse.ArgumentTypeError, match='is no port, expected .* 1 to 10'):
            parse(str(value))


@pytest.mark.parametrize('text', ['1.0', 'one', '', '+1', '1e1'])
def test_what_is_no_whole_number_is_refused(text):
    with pytest.raises(argparse.ArgumentTypeError, match=r'expected a whole number from 1 to 10'):
        whole(range(1, 11))(text)
