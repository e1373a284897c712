#!/usr/bin/env python3
# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""Write the tables of docs/league.md from the folder of a league.

Run `./run racecar league small --output build/league`, the same with limits and survival, and then
this with the three folders.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
import csv
import hashlib
from pathlib import Path
import re
import statistics
import sys

DOCS = Path(__file__).resolve().parent
_BLOCK = re.compile(r'(<!-- league (\w+): measured -->\n).*?(<!-- end -->)', re.DOTALL)

# Evans et al., arXiv 2402.18558, mean lap times on AUT: of the map-based methods.
_PUBLISHED = (('pure pursuit, their race line', 16.788), ('MPCC', 16.868))

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


def _published(rows: Sequence[Row]) -> str:
    lines = ['| controller on AUT | lap [s]: mean, or here the fastest | where |', '|---|---|---|',
             *(f'| {name} | {lap:.3f} | published |' for name, lap in _PUBLISHED)]
    for row in rows:
        if (row['line'], row['plant'], row['condition']) == (
                'aut_f1tenth_curvature', 'gym', 'none') and row['lap']:
            lines.append(f"| {row['controller']}, share {row['share']}, {row['outcome']} |"
                         f" {float(row['lap']):.3f} | here |")
    return '\n'.join(lines)


_LIMITS = (('none', '0.9'), ('localisation', '0.9'), ('localisation', '0.95'),
           ('slippery_heavy', '0.9'), ('slippery_heavy', '0.95'))
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


def _rows(folder: Path) -> tuple[list[Row], str]:
    """Of a league's table, and a sentence on it."""
    text = (folder / 'table.csv').read_text(encoding='utf-8')
    rows = list(csv.DictReader(text.splitlines()))
    digest = hashlib.sha256(text.encode()).hexdigest()
    return [*rows], f'{len(rows)} runs; SHA-256 of `table.csv`: `{digest}`.'


def main(folder: Path, limits: Path, survival: Path) -> int:
    """Replace the blocks; the page says which table they are from."""
    rows, table = _rows(folder)
    hardest, limits_table = _rows(limits)
    survivors, survival_table = _rows(survival)
    line = 'racetrack_f1tenth_curvature'
    blocks = {
        'published': _published(rows),
        'plants': _table(rows, 'plant', line=line, condition='none', share='0.9'),
        'conditions': _table(rows, 'condition', line=line, plant='double_track', share='0.7'),
        'faster': _table(rows, 'condition', line=line, plant='double_track', share='0.9'),
        'tracks': _table(rows, 'line', plant='double_track', condition='localisation',
                         share='0.7'),
        'limits': _limits(hardest, _LIMITS), 'hash': table, 'limits_hash': limits_table,
        'survival': _limits(survivors, _SURVIVAL), 'survival_hash': survival_table}
    page = DOCS / 'league.md'
    page.write_text(_BLOCK.sub(
        lambda match: f'{match[1]}{blocks[match[2]]}\n{match[3]}',
        page.read_text(encoding='utf-8')), encoding='utf-8')
    return 0


if __name__ == '__main__':
    sys.exit(main(*map(Path, sys.argv[1:])))
