# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""Regular expressions for names of entities, without those that take for ever to match."""

from __future__ import annotations

from collections.abc import Callable
import math
import re

from racecar.base.errors import excerpt
from racecar.entities.refusals import RefusedError

LONGEST_NAME = 200
"""Most characters of a name."""

_LONGEST_PATTERN = 200
# As many ways are tried in some tenths of a second.
_MOST_WAYS = 1e7
# Escape, set of characters, start of a group, repetition, or any other character.
_TOKEN = re.compile(
    r'\\.|\[\^?\]?(?:\\.|[^\]\\])*\]|\(\?:|\{\d*,?\d*\}[?+]?|[*+?][?+]?|.', re.DOTALL)


def name_filter(pattern: str) -> Callable[[str], bool]:
    """Give what tells whether all of a name matches a regular expression; an empty one: all do.

    Raises RefusedError for what is none, and for one that might take very long: above 200
    characters, with a repetition of what itself can match in several ways, or with more than three
    unlimited repetitions one after the other.
    """
    if not pattern:
        return lambda _: True
    if len(pattern) > _LONGEST_PATTERN:
        raise _refused(pattern, f'expected at most {_LONGEST_PATTERN} characters, not'
                       f' {len(pattern)}')
    if '[:' in pattern:
        raise _refused(pattern, 'expected sets of characters such as [0-9], not [[:digit:]]')
    if re.search(r'(?<!\\)\(\?(?!:)', pattern):
        raise _refused(pattern, 'expected no (? but (?:')
    try:
        compiled = re.compile(pattern)
    except (re.error, RecursionError, OverflowError) as error:
        raise _refused(pattern, f'expected a regular expression ({error})') from error
    if _most_ways(pattern) > _MOST_WAYS:
        raise _refused(
            pattern, 'expected no repetition of what itself repeats or has alternatives, and fewer'
            ' repetitions one after the other (three of *): it might take very long')
    return lambda name: compiled.fullmatch(name) is not None


def _refused(pattern: str, expected: str) -> RefusedError:
    return RefusedError('OPERATION_FAILED', f'filter is {excerpt(pattern)}, {expected}')


def _most_ways(pattern: str) -> float:
    """Bound of the ways in which a pattern can be tried against a name."""
    # Of each open group: ways of its alternatives that are complete; of the present one up to its
    # last item; and of that item.
    groups = [(0.0, 1.0, 1.0)]
    for part in _TOKEN.findall(pattern):
        complete, before, last = groups.pop()
        if part in ('(', '(?:'):
            groups += [(complete, before, last), (0.0, 1.0, 1.0)]
        elif part == ')':
            outer, ahead, previous = groups.pop()
            groups.append((outer, ahead * previous, complete + before * last))
        elif part == '|':
            groups.append((complete + before * last, 1.0, 1.0))
        elif part[0] in '*+?' or (part[0] == '{' and len(part) > 1):
            groups.append((complete, before, _repeated(last, part)))
        else:
            groups.append((complete, before * last, 1.0))
    complete, before, last = groups.pop()
    return complete + before * last


def _repeated(ways: float, part: str) -> float:
    """Ways of an item that is repeated as *, +, ? or {least,most} says."""
    if part[0] == '?':
        return ways + 1.0
    if ways > 1.0:
        return math.inf
    least, comma, most = part.strip('{}*+?').partition(',')
    if least and not comma:
        return 1.0
    return max(min(int(most or LONGEST_NAME), LONGEST_NAME) - int(least or 0), 0) + 1.0
