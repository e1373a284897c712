#!/usr/bin/env python3
# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""Write the tables of docs/league.md from the folders of leagues and of laps.

Run `./run racecar league small --output build/league`, the same with fastest, hour, limits,
pursuit and survival, and benchmarks/planner_laps.py as the page says, and then this with the
folders; tables of folders that are not given stay as they are.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterable, Mapping, Sequence
import csv
import hashlib
import json
from pathlib import Path
import re
import statistics
import sys

DOCS = Path(__file__).resolve().parent
_BLOCK = re.compile(r'(<!-- league (\w+): measured -->\n).*?(<!-- end -->)', re.DOTALL)

_MAPS = ('aut', 'esp', 'gbr', 'mco')
# Evans et al., arXiv 2402.18558, mean lap times on these maps [s], by the file of our repetition.
_PUBLISHED = {
    'their_pure_pursuit': ('race line and pure pursuit', (16.7880, 35.9200, 31.2440, 28.0800)),
    'their_mpcc': ('MPCC', (16.8680, 39.1280, 35.4000, 31.5333)),
    'their_gap': ('follow the gap', (19.0971, 45.7840, 39.3360, 34.9867))}

Row = Mapping[str, str]


def _cell(rows: Sequence[Row]) -> str:
    """Median lap, mean RMS and largest error of runs, and how many stayed inside if not all."""
    if not rows:
        return '-'
    laps = [float(row['lap']) for row in rows if row['lap']]
    if not laps:
        return 'out'
    text = f'{statistics.median(laps):.2f} s, {_errors(rows)}'
    inside = _inside(rows)
    return text if inside == f'{len(rows)}/{len(rows)}' else f'{text}, {inside} inside'


def _errors(rows: Sequence[Row]) -> str:
    """Mean RMS and largest error [cm]."""
    rms = 100.0 * statistics.fmean(float(row['rmse']) for row in rows if row['rmse'])
    largest = 100.0 * max(float(row['max_error']) for row in rows if row['max_error'])
    return f'{rms:.1f}/{largest:.0f}'


def _inside(rows: Sequence[Row]) -> str:
    return f"{sum(row['outcome'] == 'inside' for row in rows)}/{len(rows)}"


def _table(rows: Iterable[Row], columns: str, **chosen: str) -> str:
    """Controllers against the values of a column, of the rows that have what is chosen."""
    some = [row for row in rows if all(row[name] == value for name, value in chosen.items())]
    heads = list(dict.fromkeys(row[columns] for row in some))
    lines = [f"| controller | {' | '.join(heads)} |", f"|---|{'---|' * len(heads)}"]
    for name in dict.fromkeys(row['controller'] for row in some):
        cells = [_cell([row for row in some if (row['controller'], row[columns]) == (name, head)])
                 for head in heads]
        lines.append(f"| {name} | {' | '.join(cells)} |")
    return '\n'.join(lines)


def published_table(folder: Path, before: str) -> str:
    """Published lap times, those of the same planners here, and of our controllers.

    folder: with a file of `planner_laps.py --json` for each controller of ours on the race lines
    of the authors, in its folders `smoothed` and `own_lines` for each on these smoothed and on
    lines of ours, and for planners of the authors; rows of those without a file are taken from
    `before`, the table that is replaced.
    """
    lines = [f"| | {' | '.join(name.upper() for name in _MAPS)} |", f"|---|{'---|' * len(_MAPS)}"]
    for stem, (title, times) in _PUBLISHED.items():
        published = _row(f'{title}, published', [f'{time:.3f}' for time in times])
        file = folder / f'{stem}.json'
        lines += [published, _here(file, times) if file.is_file() else _row_after(
            published, before)]
    for where, files in (('their race lines', folder.glob('*.json')),
                         ('their race lines, smoothed', folder.glob('smoothed/*.json')),
                         ('our race lines', folder.glob('own_lines/*.json'))):
        for file in sorted(files):
            if file.stem not in _PUBLISHED:
                laps = _laps(file)
                lines.append(_row(f'our `{file.stem}` on {where}', [
                    _lap(laps.get(name)) for name in _MAPS]))
    return '\n'.join(lines)


def _here(file: Path, times: Sequence[float]) -> str:
    """Row of a planner of others with its published times [s]."""
    laps = _laps(file)
    return _row('the same planner, here', [
        _lap(laps.get(name), time) for name, time in zip(_MAPS, times, strict=True)])


def _row_after(row: str, table: str) -> str:
    rows = table.splitlines()
    if row not in rows[:-1]:
        sys.exit(f'the published table has no row after {row!r}, expected one: give a file of'
                 ' that planner with --laps')
    return rows[rows.index(row) + 1]


Laps = Sequence[Mapping[str, float]]


def _laps(file: Path) -> dict[str, Laps]:
    return dict(json.loads(file.read_text(encoding='utf-8')))


def _lap(laps: Laps | None, published: float | None = None) -> str:
    """Mean time of the complete laps, how many they are, and the difference to another [s]."""
    if laps is None:
        return '-'
    times = [lap['time'] for lap in laps if lap['is_complete']]
    count = f'{len(times)}/{len(laps)}'
    if not times:
        return count
    mean = statistics.fmean(times)
    more = '' if published is None else f', {100.0 * (mean / published - 1.0):+.2f} %'
    return f'{mean:.3f}, {count}{more}'


def _row(title: str, cells: Iterable[str]) -> str:
    return f"| {title} | {' | '.join(cells)} |"


_LIMITS = (('none', '0.9'), ('none', '1.0'), ('localisation', '0.9'), ('localisation', '0.95'),
           ('localisation', '1.0'), ('slippery_heavy', '0.9'), ('slippery_heavy', '0.95'))
_FASTEST = (('none', '1.0'), ('localisation', '1.0'))
_PURSUIT = (('none', '0.7'), ('none', '0.8'), ('none', '0.9'))
_SURVIVAL = (('localisation', '0.95'), ('slippery', '0.95'), ('slippery_heavy', '0.95'))


def _limits(rows: Sequence[Row], chosen: Sequence[tuple[str, str]]) -> str:
    """Lap over bound, errors and who stays inside, by line and controller.

    chosen: conditions and shares of the columns.
    """
    heads = [f'{condition} {share}' for condition, share in chosen]
    lines = [f"| line | controller | {' | '.join(heads)} |", f"|---|---|{'---|' * len(heads)}"]
    for line, name in dict.fromkeys((row['line'], row['controller']) for row in rows):
        cells = []
        for condition, share in chosen:
            some = [row for row in rows if (row['line'], row['controller'], row['condition'],
                                            row['share']) == (line, name, condition, share)]
            over = [float(row['lap_over_bound']) for row in some if row['lap_over_bound']]
            cells.append(f'{statistics.median(over):.3f}, {_errors(some)}, {_inside(some)}'
                         if over else 'out' if some else '-')
        lines.append(f"| {line} | {name} | {' | '.join(cells)} |")
    return '\n'.join(lines)


_KNOWING = '_delay'
"""End of the name of a controller that knows the delays, whose runs are of the one without."""


def _shares(rows: Sequence[Row]) -> str:
    """Lap over bound and who stays inside, by controller and condition, over all lines."""
    shares = list(dict.fromkeys(row['share'] for row in rows))
    lines = [f"| controller | condition | {' | '.join(shares)} |",
             f"|---|---|{'---|' * len(shares)}"]
    names = dict.fromkeys((row['controller'].removesuffix(_KNOWING), row['condition'])
                          for row in rows)
    for name, condition in names:
        cells = []
        for share in shares:
            some = [row for row in rows if (row['condition'], row['share']) == (condition, share)
                    and row['controller'].removesuffix(_KNOWING) == name]
            over = [float(row['lap_over_bound']) for row in some if row['outcome'] == 'inside']
            cells.append(f'{statistics.median(over):.3f}, {_inside(some)}' if over
                         else _inside(some))
        lines.append(f"| {name} | {condition} | {' | '.join(cells)} |")
    return '\n'.join(lines)


def _rows(folder: Path) -> tuple[list[Row], str]:
    """Of a league's table, and a sentence on it."""
    text = (folder / 'table.csv').read_text(encoding='utf-8')
    rows = list(csv.DictReader(text.splitlines()))
    digest = hashlib.sha256(text.encode()).hexdigest()
    return [*rows], f'{len(rows)} runs; SHA-256 of `table.csv`: `{digest}`.'


def main() -> int:
    """Replace the blocks; the page says which table they are from."""
    parser = argparse.ArgumentParser(description=__doc__)
    for name in ('league', 'fastest', 'hour', 'limits', 'pursuit', 'survival', 'laps'):
        parser.add_argument(f'--{name}', type=Path, metavar='FOLDER')
    given = parser.parse_args()
    blocks: dict[str, str] = {}
    line = 'racetrack_f1tenth_curvature'
    if given.league:
        rows, blocks['hash'] = _rows(given.league)
        blocks |= {
            'plants': _table(rows, 'plant', line=line, condition='none', share='0.9'),
            'conditions': _table(rows, 'condition', line=line, plant='double_track', share='0.7'),
            'faster': _table(rows, 'condition', line=line, plant='double_track', share='0.9'),
            'tracks': _table(rows, 'line', plant='double_track', condition='localisation',
                             share='0.7')}
    if given.fastest:
        rows, blocks['fastest_hash'] = _rows(given.fastest)
        blocks['fastest'] = _limits(rows, _FASTEST)
    if given.hour:
        rows, blocks['hour_hash'] = _rows(given.hour)
        blocks['hour'] = _shares(rows)
    if given.limits:
        rows, blocks['limits_hash'] = _rows(given.limits)
        blocks['limits'] = _limits(rows, _LIMITS)
    if given.pursuit:
        rows, blocks['pursuit_hash'] = _rows(given.pursuit)
        blocks['pursuit'] = _limits(rows, _PURSUIT)
    if given.survival:
        rows, blocks['survival_hash'] = _rows(given.survival)
        blocks['survival'] = _limits(rows, _SURVIVAL)
    page = DOCS / 'league.md'
    text = page.read_text(encoding='utf-8')
    if given.laps:
        before = {match[2]: match[0] for match in _BLOCK.finditer(text)}
        blocks['published'] = published_table(given.laps, before['published'])
    page.write_text(_BLOCK.sub(
        lambda match: f'{match[1]}{blocks[match[2]]}\n{match[3]}' if match[2] in blocks
        else match[0], text), encoding='utf-8')
    return 0


if __name__ == '__main__':
    sys.exit(main())
