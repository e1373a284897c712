# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""Values are read by their types, and another type is named."""

import numpy as np
import pytest

from racecar.base.values import flag_of, integer_of, number_of, numbers_of, text_of, texts_of

VALUES = {'rate': 2.5, 'count': 3, 'on': True, 'name': 'fiala', 'size': [1, 2.0],
          'words': ['a', 'b'], 'column': np.array([1.0, 2.0])}


def test_values_of_each_type():
    assert number_of(VALUES, 'rate') == 2.5
    assert isinstance(number_of(VALUES, 'count'), float)
    assert integer_of(VALUES, 'count') == 3
    assert flag_of(VALUES, 'on') is True
    assert text_of(VALUES, 'name') == 'fiala'
    assert numbers_of(VALUES, 'size') == (1.0, 2.0)
    assert texts_of(VALUES, 'words') == ('a', 'b')


def test_default_stands_for_a_value_that_is_not_given():
    assert (number_of({}, 'rate', 1.5), integer_of({}, 'count', 2), flag_of({}, 'on', False),
            text_of({}, 'name', '')) == (1.5, 2, False, '')
    assert number_of({'rate': 0.0}, 'rate', 1.5) == 0.0


@pytest.mark.parametrize('read', [flag_of, integer_of, number_of, numbers_of, text_of, texts_of])
def test_name_without_a_value(read):
    with pytest.raises(KeyError, match='rate'):
        read({}, 'rate')


@pytest.mark.parametrize(('read', 'name', 'problem'), [
    (number_of, 'name', "name is 'fiala', expected a number"),
    (number_of, 'column', r'column is array\(\[1., 2.\]\), expected a number'),
    (integer_of, 'rate', 'rate is 2.5, expected a value of type int'),
    (flag_of, 'count', 'count is 3, expected a value of type bool'),
    (text_of, 'rate', 'rate is 2.5, expected a value of type str'),
    (numbers_of, 'words', "words is 'a', expected a number"),
    (texts_of, 'size', 'size is 1, expected a value of type str'),
    (texts_of, 'name', "name is 'fiala', expected a list"),
])
def test_another_type_raises_type_error(read, name, problem):
    with pytest.raises(TypeError, match=problem):
        read(VALUES, name)
