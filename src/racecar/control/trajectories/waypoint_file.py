# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""CSV files of waypoints: x, y and optionally a speed."""

from __future__ import annotations

from collections.abc import Callable
import csv
import math
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from racecar.base.errors import ConfigurationError, excerpt

Array = NDArray[np.float64]

COLUMNS = ('x', 'y', 'speed')

# Closer waypoints than this have no direction between them [m].
MIN_SPACING = 1e-6
_MAX_POINTS = 2_000_000
# Coordinates beyond [m] are no place on Earth, or not in metres.
_COORDINATE_LIMIT = 1e7


class WayPoints(NamedTuple):
    """Waypoints of a file: points (n, 2) [m]; speeds (n,) [m/s], inf where none is given.

    lines (n,): where they stand in the file, for messages.
    """

    points: Array
    speeds: Array
    lines: tuple[int, ...]


def read_way_points(path: Path | str) -> WayPoints:
    """Read x, y [m] and optionally speed [m/s], one waypoint a line, separated by commas.

    Empty lines and those that start with # are skipped. A first line of names, `x,y` or
    `x,y,speed` in any order, is optional. An empty speed sets no limit there.
    Raises ConfigurationError naming file and line. It quotes no text of the file: whoever may name
    one, by a parameter for example, must not read by messages what another file has.
    """
    def fail(line: int, problem: str) -> ConfigurationError:
        return ConfigurationError(f'{name}, line {line}: {problem}')

    name = f'waypoint file {excerpt(str(path))}'
    try:
        lines, rows = _read_rows(path)
    except OSError as error:
        raise ConfigurationError(f'{name} cannot be read: {error.strerror}') from error
    except (UnicodeDecodeError, csv.Error) as error:
        what = 'not encoded in UTF-8' if isinstance(error, UnicodeDecodeError) else str(error)
        raise ConfigurationError(f'{name} is not CSV text: {what}') from error
    except ValueError as error:  # a NUL in the path
        raise ConfigurationError(f'{name} cannot be read: {error}') from error

    table = _table(lines, rows, fail)
    _check_points(table, lines, fail)
    if len(table) < 3:
        raise ConfigurationError(f'{name} has {len(table)} waypoints, expected at least 3')
    return WayPoints(table[:, :2], table[:, 2], tuple(lines))


def _table(
        lines: list[int], rows: list[list[str]], fail: Callable[[int, str], ConfigurationError],
) -> Array:
    """Return the rows as numbers (n, 3) in the order of COLUMNS, without one of names."""
    order = list(COLUMNS)
    if rows and not any(_is_number(cell) for cell in rows[0]):
        order = [cell.strip() for cell in rows.pop(0)]
        line = lines.pop(0)
        if sorted(order) not in (['x', 'y'], ['speed', 'x', 'y']):
            raise fail(line, 'the names of the columns are not x,y or x,y,speed')
    for line, cells in zip(lines, rows, strict=True):
        if not 2 <= len(cells) <= len(order):
            raise fail(line, f"{len(cells)} values, expected {','.join(order)}")
    table = np.full((len(rows), len(COLUMNS)), math.inf)
    for place, column in enumerate(order):
        given = [i for i, cells in enumerate(rows)
                 if column != 'speed' or (place < len(cells) and cells[place].strip())]
        numbers = _numbers([rows[i][place] if place < len(rows[i]) else '' for i in given])
        wrong = np.flatnonzero(~np.isfinite(numbers))
        if wrong.size:
            raise fail(lines[given[wrong[0]]], f'{column} is no finite number')
        table[given, COLUMNS.index(column)] = numbers
    return table


def _read_rows(path: Path | str) -> tuple[list[int], list[list[str]]]:
    """Return the cells of the lines that are neither empty nor comments, and their numbers."""
    lines: list[int] = []
    rows: list[list[str]] = []
    with open(path, newline='', encoding='utf-8-sig') as stream:
        for number, row in enumerate(csv.reader(stream), start=1):
            if row and not row[0].lstrip().startswith('#') and any(map(str.strip, row)):
                lines.append(number)
                rows.append(row)
                if len(rows) > _MAX_POINTS + 1:
                    raise csv.Error(f'more than {_MAX_POINTS} waypoints; leave some out')
    return lines, rows


def _numbers(texts: list[str]) -> Array:
    """Return the texts as numbers, nan for what is none."""
    try:
        return np.array(list(map(float, texts)))
    except ValueError:
        return np.array([float(text) if _is_number(text) else math.nan for text in texts])


def _check_points(
        table: Array, lines: list[int], fail: Callable[[int, str], ConfigurationError],
) -> None:
    """Raise for the first waypoint that is out of range or repeats the one before."""
    far = np.abs(table[:, :2]) > _COORDINATE_LIMIT
    slow = ~(table[:, 2] > 0.0)
    again = np.concatenate([[False], np.hypot(*np.diff(table[:, :2], axis=0).T) < MIN_SPACING])
    wrong = np.flatnonzero(far.any(axis=1) | slow | again[:len(table)])
    if not wrong.size:
        return
    index = int(wrong[0])
    x, y, speed = table[index].tolist()
    if far[index].any():
        column = int(np.argmax(far[index]))
        raise fail(lines[index], f'{COLUMNS[column]} is {(x, y)[column]:g} m, expected at most'
                                 f' {_COORDINATE_LIMIT:g} m to either side')
    if slow[index]:
        raise fail(lines[index], f'speed is {speed:g} m/s, expected more than 0')
    raise fail(lines[index], f'({x:g}, {y:g}) m repeats the waypoint of line {lines[index - 1]}')


def _is_number(text: str) -> bool:
    try:
        return math.isfinite(float(text))
    except ValueError:
        return False
