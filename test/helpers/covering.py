# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""Rows of options in which each two of different lists meet, instead of all combinations.

A fault that takes one option, or two of them together, shows as in the full product; the rows are
as many as the two longest lists make.
"""

from collections.abc import Iterable
import itertools
from typing import TypeVar

T = TypeVar('T')


def every_pair(*options: Iterable[T]) -> list[tuple[T, ...]]:
    """Rows with one of each list, so that any two options of different lists stand in one.

    The same for the same lists; chosen one by one, each with the most pairs that are new.
    """
    lists = [list(choices) for choices in options]
    rows = list(itertools.product(*(range(len(choices)) for choices in lists)))

    def pairs(row: tuple[int, ...]) -> set[tuple[tuple[int, int], ...]]:
        return set(itertools.combinations(enumerate(row), min(2, len(lists))))

    missing = set[tuple[tuple[int, int], ...]]().union(*map(pairs, rows))
    found = []
    while missing:
        best = max(rows, key=lambda row: len(pairs(row) & missing))
        missing -= pairs(best)
        found.append(best)
    return [tuple(choices[k] for choices, k in zip(lists, row, strict=True))
            for row in sorted(found)]
