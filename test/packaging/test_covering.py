# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""The rows of options that tests are run with: every two meet, and few more than that takes."""

import itertools

from covering import every_pair
from hypothesis import given
from hypothesis import strategies as st


@given(st.lists(st.integers(1, 5), min_size=2, max_size=4))
def test_any_two_options_of_different_lists_stand_in_one_row(sizes):
    # Options of two lists may be equal.
    rows = every_pair(*map(range, sizes))
    assert rows == every_pair(*map(range, sizes))
    assert len(rows) == len(set(rows))
    for first, second in itertools.combinations(range(len(sizes)), 2):
        assert {(row[first], row[second]) for row in rows} == set(
            itertools.product(range(sizes[first]), range(sizes[second])))
    *_, less, most = sorted(sizes)
    assert less * most <= len(rows) <= 2 * less * most


def test_of_two_lists_it_is_the_product_in_order():
    assert every_pair('ab', 'xyz') == list(itertools.product('ab', 'xyz'))
    assert every_pair('ab') == [('a',), ('b',)]
