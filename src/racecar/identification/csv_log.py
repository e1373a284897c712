# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""Logs as CSV files: one row a sample, a header with units, as t[s],x[m],yaw_rate[deg/s]."""

from __future__ import annotations

from collections.abc import Mapping
import csv
from pathlib import Path

import numpy as np

from racecar.base.errors import excerpt, RunError
from racecar.base.parameters import suggest_near
from racecar.identification.drive import Array, Channel, QUANTITIES, RawLog
from racecar.identification.units import factor_to_si, split_header

MOST_ROWS = 5_000_000
# Nanoseconds of a clock are no more; what squares numbers does not overflow.
_LARGEST = 1e20


def read_csv_log(path: Path | str, columns: Mapping[str, str] | None = None) -> RawLog:
    """Read a log. columns: name in the file by the quantity it stands for, where they differ.

    A column without a unit is in the SI unit. Lines that start with # are skipped. Raises RunError
    naming file, line and value.
    """
    name = f'log {excerpt(str(path))}'
    try:
        with open(path, newline='', encoding='utf-8-sig') as stream:
            rows = ((number, row) for number, row in enumerate(csv.reader(stream), start=1)
                    if row and not row[0].lstrip().startswith('#'))
            first = next(rows, None)
            if first is None:
                raise RunError(f'{name} is empty, expected a header such as t[s],x[m],y[m]')
            places = _places(name, first[1], columns or {})
            table, lines = _table(name, rows, places, first[1])
    except OSError as error:
        raise RunError(f'{name} cannot be read: {error.strerror}; check the path') from error
    except (UnicodeDecodeError, csv.Error) as error:
        raise RunError(f'{name} is not CSV text: {error}') from error
    except ValueError as error:  # a NUL in the path
        raise RunError(f'{name} cannot be read: {error}') from error
    if len(table) < 2:
        raise RunError(f'{name} has {len(table)} rows, expected at least 2')
    if 't' not in places:
        raise RunError(f'{name} has no column t (time); its columns are {_listed(first[1])}')
    values = {quantity: table[:, index] * factor
              for index, (quantity, (_, factor)) in enumerate(places.items())}
    t = values.pop('t')
    back = np.flatnonzero(np.diff(t) <= 0.0)
    if back.size:
        at = int(back[0])
        raise RunError(
            f'{name}, line {lines[at + 1]}: the clock jumps from {t[at]:.6g} s to'
            f' {t[at + 1]:.6g} s, expected times that grow; cut the log there')
    return RawLog(Path(path).stem, {
        quantity: Channel(t, column) for quantity, column in values.items()}, str(path))


def _places(
    name: str, header: list[str], columns: Mapping[str, str],
) -> dict[str, tuple[int, float]]:
    """Return the place and the factor to SI of each quantity that the header names."""
    found = {}
    for place, text in enumerate(header):
        column, unit = split_header(text)
        if column in found:
            raise RunError(f'{name} has two columns {column}; rename one')
        found[column] = place, unit
    for quantity, column in columns.items():
        if column not in found:
            raise RunError(
                f'{name} has no column {column}, which is to be {quantity};'
                f' its columns are {_listed(header)}')
    places = {}
    for quantity, (si, required, meaning) in QUANTITIES.items():
        column = columns.get(quantity, quantity)
        if column not in found:
            if required:
                near = suggest_near(quantity, found)
                raise RunError(
                    f'{name} has no column {quantity}[{si}] ({meaning}); its columns are'
                    f" {_listed(header)}{f' ({near})' if near else ''}; --column {quantity}=NAME"
                    ' names another')
            continue
        place, unit = found[column]
        try:
            places[quantity] = place, 1.0 if unit is None else factor_to_si(unit, si, column)
        except RunError as error:
            raise RunError(f'{name}: {error}') from None
    return places


def _table(
    name: str, rows: object, places: Mapping[str, tuple[int, float]], header: list[str],
) -> tuple[Array, list[int]]:
    numbers: list[list[float]] = []
    lines: list[int] = []
    wanted = [place for place, _ in places.values()]
    for number, row in rows:  # type: ignore[attr-defined]
        try:
            numbers.append([float(row[place]) for place in wanted])
        except IndexError:
            raise RunError(f'{name}, line {number}: {len(row)} values, expected {len(header)}'
                           ) from None
        except ValueError:
            wrong = next(p for p in wanted if not _is_number(row[p]))
            raise RunError(f'{name}, line {number}: {header[wrong]} is {excerpt(row[wrong])},'
                           ' expected a number') from None
        lines.append(number)
        if len(lines) > MOST_ROWS:
            raise RunError(f'{name} has more than {MOST_ROWS} rows; cut it into drives')
    table = np.array(numbers, dtype=np.float64).reshape(len(numbers), len(wanted))
    holes = np.argwhere(~(np.abs(table) <= _LARGEST))
    if holes.size:
        row, column = (int(index) for index in holes[0])
        raise RunError(
            f'{name}, line {lines[row]}: {header[wanted[column]]} is {table[row, column]},'
            f' expected a finite number up to {_LARGEST:g}; leave the row out')
    return table, lines


def _is_number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True


def _listed(header: list[str]) -> str:
    return excerpt(', '.join(cell.strip() for cell in header))[1:-1]
