# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""CSV files of waypoints: x, y, optionally a speed, and the widths of a track."""

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

COLUMNS = ('x', 'y', 'speed', 'w_right', 'w_left')
_POINT, _SPEED, _WIDTHS = slice(0, 2), 2, slice(3, 5)
CENTRE_LINE = ('x', 'y', 'w_right', 'w_left')
"""Columns of a centre line, as those of f1tenth_racetracks, which stand in a comment."""
_OTHER_NAMES = {'x_m': 'x', 'y_m': 'y', 'w_tr_right_m': 'w_right', 'w_tr_left_m': 'w_left'}
_SETS = (('x', 'y'), ('x', 'y', 'speed'), CENTRE_LINE, COLUMNS)
_NAMES = 'x,y or x,y,speed or x,y,w_right,w_left or x,y,speed,w_right,w_left'

# Closer waypoints than this have no direction between them [m].
MIN_SPACING = 1e-6
_MAX_POINTS = 2_000_000
# Coordinates beyond [m] are no place on Earth, or not in metres.
_COORDINATE_LIMIT = 1e7


class WayPoints(NamedTuple):
    """Waypoints of a file: points (n, 2) [m]; speeds (n,) [m/s], inf where none is given.

    lines (n,): where they stand in the file, for messages. widths: (n, 2) from there to the
    borders of the track on the right and on the left [m], None where the file has none.
    """

    points: Array
    speeds: Array
    lines: tuple[int, ...]
    widths: Array | None = None


def read_way_points(path: Path | str) -> WayPoints:
    """Read x, y [m] and optionally speed [m/s], one waypoint a line, separated by commas.

    Empty lines and those that start with # are skipped. A first line of names, `x,y` or
    `x,y,speed` in any order, is optional. An empty speed sets no limit there. A centre line has
    the widths of the track to the right and to the left [m] as well: `w_right` and `w_left`, also
    by the names of f1tenth_racetracks; without names four columns are x, y and the widths. It is
    closed, with the first waypoint again at its end, if its ends are no farther apart than two
    others.
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
    if not np.isfinite(table[:, _WIDTHS]).all():
        return WayPoints(table[:, _POINT], table[:, _SPEED], tuple(lines))
    chords = np.hypot(*np.diff(table[:, _POINT], axis=0).T)
    gap = float(np.hypot(*(table[0, _POINT] - table[-1, _POINT])))
    if MIN_SPACING <= gap <= 1.5 * chords.max():
        table, lines = np.vstack([table, table[:1]]), [*lines, lines[0]]
    return WayPoints(table[:, _POINT], table[:, _SPEED], tuple(lines), table[:, _WIDTHS])


def write_centre_line(path: Path | str, points: Array, widths: Array, comment: str) -> None:
    """Write a centre line as read_way_points() takes it; points, widths: (n, 2) [m].

    Raises ConfigurationError if the file cannot be written.
    """
    rows = '\n'.join(','.join(f'{number:.3f}' for number in row)
                     for row in np.hstack([points, widths]) + 0.0)
    try:
        Path(path).write_text(f'# {comment}\n{",".join(CENTRE_LINE)}\n{rows}\n', encoding='utf-8')
    except OSError as error:
        raise ConfigurationError(
            f'waypoint file {excerpt(str(path))} cannot be written: {error.strerror}') from error


def _table(
        lines: list[int], rows: list[list[str]], fail: Callable[[int, str], ConfigurationError],
) -> Array:
    """The rows as numbers (n, 5) in the order of COLUMNS, inf for none; without one of names."""
    order = CENTRE_LINE if rows and len(rows[0]) == len(CENTRE_LINE) else COLUMNS[:_SPEED + 1]
    if rows and not any(_is_number(cell) for cell in rows[0]):
        order = tuple(_OTHER_NAMES.get(cell.strip(), cell.strip()) for cell in rows.pop(0))
        line = lines.pop(0)
        if sorted(order) not in map(sorted, _SETS):
            raise fail(line, f'the names of the columns are not {_NAMES}')
    least = len(order) - ('speed' in order)
    for line, cells in zip(lines, rows, strict=True):
        if not least <= len(cells) <= len(order):
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
    far = np.abs(table[:, _POINT]) > _COORDINATE_LIMIT
    slow = ~(table[:, _SPEED] > 0.0)
    narrow = table[:, _WIDTHS].min(axis=1, initial=math.inf) <= 0.0
    again = np.concatenate(
        [[False], np.hypot(*np.diff(table[:, _POINT], axis=0).T) < MIN_SPACING])
    wrong = np.flatnonzero(far.any(axis=1) | slow | narrow | again[:len(table)])
    if not wrong.size:
        return
    index = int(wrong[0])
    x, y, speed, *widths = table[index].tolist()
    if far[index].any():
        column = int(np.argmax(far[index]))
        raise fail(lines[index], f'{COLUMNS[column]} is {(x, y)[column]:g} m, expected at most'
                                 f' {_COORDINATE_LIMIT:g} m to either side')
    if slow[index]:
        raise fail(lines[index], f'speed is {speed:g} m/s, expected more than 0')
    if narrow[index]:
        raise fail(lines[index], f'the widths are {widths[0]:g} m and {widths[1]:g} m, expected'
                                 ' more than 0')
    raise fail(lines[index], f'({x:g}, {y:g}) m repeats the waypoint of line {lines[index - 1]}')


def _is_number(text: str) -> bool:
    try:
        return math.isfinite(float(text))
    except ValueError:
        return False
