# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""Numbers as arguments of the command line, each with the values that are allowed."""

from __future__ import annotations

import argparse
from collections.abc import Callable, Sequence
import math

from racecar.base.parameters import suggestion


def number(low: float, high: float = math.inf, *, above: bool = False) -> Callable[[str], float]:
    """Type for argparse of finite numbers from low to high; above: low itself is refused."""
    expected = f"{'above' if above else 'of at least'} {low:g}"
    if high < math.inf:
        expected += f' and at most {high:g}'

    def parse(text: str) -> float:
        try:
            value = float(text)
        except ValueError:
            value = math.nan
        if not (low <= value <= high and math.isfinite(value)) or (above and value == low):
            raise argparse.ArgumentTypeError(f'{text!r}, expected a number {expected}')
        return value

    return parse


def whole(allowed: range, what: str = 'such number') -> Callable[[str], int]:
    """Type for argparse of whole numbers in a range; what: they are, for the message."""
    def parse(text: str) -> int:
        if not text.isdecimal() or int(text) not in allowed:
            raise argparse.ArgumentTypeError(
                f'{text!r} is no {what}, expected a whole number from {allowed[0]} to'
                f' {allowed[-1]}')
        return int(text)

    return parse


def named_numbers(names: Sequence[str]) -> Callable[[str], dict[str, float]]:
    """Type for argparse of NAME=NUMBER,...: numbers of at least 0 by some of the names."""
    parse_number = number(0.0)

    def parse(text: str) -> dict[str, float]:
        found: dict[str, float] = {}
        for item in text.split(','):
            name, equals, value = item.strip().partition('=')
            if not equals or name not in names:
                raise argparse.ArgumentTypeError(
                    f'{item.strip()!r}, expected NAME=NUMBER with a name among'
                    f" {', '.join(names)}{suggestion(name, names)}")
            found[name] = parse_number(value)
        return found

    return parse
