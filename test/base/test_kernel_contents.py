# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""The content of a user's function changes with all that its machine code can depend on."""

import sys
from types import ModuleType

import pytest

from racecar.base.kernel_contents import content_of

LIBRARY = """
def doubled(x):
    return 2.0 * x
"""
USER = """
import math
from typing import NamedTuple
import numpy as np
from racecar.base.elementary import sine_cosine
from content_library import doubled
GAIN = 1.5
TABLE = np.array([1.0, 2.0])
PAIR = (1, (2.0, 'text'))
class State(NamedTuple):
    number: float
    other: float = 0.5
START = State(1.0)
def inner(x):
    return x + 1.0
def step(state, x, rate=0.25, *, limit=2.0):
    late = [math.sin(inner(x)) + number for number in PAIR[:1]]
    more = lambda y: y + 3.0
    sine, _ = sine_cosine(doubled(x) * GAIN * TABLE[0] + START.number + more(late[0]))
    return State(min(sine, limit), rate)
"""


@pytest.fixture
def read():
    """Give a function that makes a module of a text; it is there until the test ends."""
    made = []

    def module(name, text):
        found = ModuleType(name)
        sys.modules[name] = found
        made.append(name)
        exec(text, vars(found))
        return found

    yield module
    for name in made:
        sys.modules.pop(name, None)


def content(read, text=USER, library=LIBRARY):
    read('content_library', library)
    return content_of(read('content_user', text).step)


def test_it_is_that_of_the_text_and_names_the_modules_of_this_package(read):
    found = content(read)
    assert found is not None
    assert found.modules == {'racecar.base.elementary'}
    assert content(read, f'# A remark.\n\n{USER}') == found


@pytest.mark.parametrize(('old', 'new'), [
    ('GAIN = 1.5', 'GAIN = 1.25'), ('GAIN = 1.5', 'GAIN = 1'), ('[1.0, 2.0]', '[1.0, 2.5]'),
    ('[1.0, 2.0]', '[1, 2]'), ("'text'", "'Text'"), ('(1, (2.0', '(1.0, (2.0'),
    ('x + 1.0', 'x + 1.5'), ('rate=0.25', 'rate=0.5'), ('limit=2.0', 'limit=2.5'),
    ('y + 3.0', 'y + 3.5'), ('min(', 'max('), ('math.sin', 'math.cos'),
    ('State(1.0)', 'State(2.0)'),
    ('other: float = 0.5', 'other: float = 0.75'), ('other: float', 'another: float'),
    ('GAIN = 1.5', 'GAIN = 1.5\ndef min(a, b):\n    return a')])
def test_it_changes_with_whatever_the_code_names(read, old, new):
    assert old in USER
    changed = content(read, USER.replace(old, new))
    assert changed is not None
    assert changed.digest != content(read).digest


def test_it_changes_with_a_function_of_another_file(read):
    changed = content(read, library=LIBRARY.replace('2.0', '3.0'))
    assert changed is not None
    assert changed.digest != content(read).digest


@pytest.mark.parametrize(('old', 'new'), [
    ('GAIN = 1.5', 'GAIN = [1.5]'), ('GAIN = 1.5', 'import random as GAIN'),
    ('GAIN = 1.5', 'GAIN = np.array([None])'), ('GAIN = 1.5', 'GAIN = (1.5, {})'),
    ('GAIN = 1.5', 'GAIN = (lambda: 1.0)'),
    ('START = State(1.0)', 'class START:\n    number = 1.0')])
def test_what_may_be_something_else_in_another_process_is_not_known(read, old, new):
    assert old in USER
    assert content(read, USER.replace(old, new)) is None


def test_code_that_its_module_no_longer_has_is_not_known(read):
    read('content_library', LIBRARY)
    old = read('content_user', USER).step
    new = read('content_user', USER).step
    assert content_of(old) is None
    assert content_of(new) is not None
    new.__module__ = '__main__'
    assert content_of(new) is None
