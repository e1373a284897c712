# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""Values are read by their types, and another type is named."""

import numpy as np
import pytest

from racecar.base.values import flag, number, numbers, text, texts, whole

VALUES = {'rate': 2.5, 'count': 3, 'on': True, 'name': 'fiala', 'size': [1, 2.0],
          'words': ['a', 'b'], 'column': np.array([1.0, 2.0])}


def test_values_of_each_type():
    assert number(VALUES, 'rate') == 2.5
    assert isinstance(number(VALUES, 'count'), float)
    assert whole(VALUES, 'count') == 3
    assert flag(VALUES, 'on') is True
    assert text(VALUES, 'name') == 'fiala'
    assert numbers(VALUES, 'size') == (1.0, 2.0)
    assert texts(VALUES, 'words') == ('a', 'b')


def test_default_stands_for_a_value_that_is_not_given():
    assert (number({}, 'rate', 1.5), whole({}, 'count', 2), flag({}, 'on', False),
            text({}, 'name', '')) == (1.5, 2, False, '')
    assert number({'rate': 0.0}, 'rate', 1.5) == 0.0


@pytest.mark.parametrize('read', [flag, whole, number, numbers, text, texts])
def test_name_without_a_value(read):
    with pytest.raises(KeyError, match='rate'):
        read({}, 'rate')


@pytest.mark.parametrize(('read', 'name', 'problem'), [
    (number, 'name', "name is 'fiala', expected a number"),
    (number, 'column', r'column is array\(\[1., 2.\]\), expected a number'),
    (whole, 'rate', 'rate is 2.5, expected a value of type int'),
    (flag, 'count', 'count is 3, expected a value of type bool'),
    (text, 'rate', 'rate is 2.5, expected a value of type str'),
    (numbers, 'words', "words is 'a', expected a number"),
    (texts, 'size', 'size is 1, expected a value of type str'),
    (texts, 'name', "name is 'fiala', expected a list"),
])
def test_another_type_raises_type_error(read, name, problem):
    with pytest.raises(TypeError, match=problem):
        read(VALUES, name)
