#!/usr/bin/env python3
# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""Write the tables of docs/league.md from the folder of a league.

Run `./run racecar league small --output build/league`, then this with `build/league`.
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
    """Median lap, mean RMS and largest error of runs, and how many stayed inside."""
    if not rows:
        return '-'
    inside = sum(row['outcome'] == 'inside' for row in rows)
    laps = [float(row['lap']) for row in rows if row['lap']]
    if not laps:
        return 'out'
    rms = 100.0 * statistics.fmean(float(row['rmse']) for row in rows if row['rmse'])
    largest = 100.0 * max(float(row['max_error']) for row in rows if row['max_error'])
    text = f'{statistics.median(laps):.2f} s, {rms:.1f}/{largest:.0f}'
    return text if inside == len(rows) else f'{text}, {inside} of {len(rows)} inside'


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


def main(folder: Path) -> int:
    """Replace the blocks; the page says which table they are from."""
    text = (folder / 'table.csv').read_text(encoding='utf-8')
    rows = list(csv.DictReader(text.splitlines()))
    digest = hashlib.sha256(text.encode()).hexdigest()
    line = 'racetrack_f1tenth_curvature'
    blocks = {
        'published': _published(rows),
        'plants': _table(rows, 'plant', line=line, condition='none', share='0.9'),
        'conditions': _table(rows, 'condition', line=line, plant='double_track', share='0.7'),
        'limits': _table(rows, 'condition', line=line, plant='double_track', share='0.9'),
        'tracks': _table(rows, 'line', plant='double_track', condition='localisation',
                         share='0.7'),
        'hash': f'{len(rows)} runs; SHA-256 of `table.csv`: `{digest}`.'}
    page = DOCS / 'league.md'
    page.write_text(_BLOCK.sub(
        lambda match: f'{match[1]}{blocks[match[2]]}\n{match[3]}',
        page.read_text(encoding='utf-8')), encoding='utf-8')
    return 0


if __name__ == '__main__':
    sys.exit(main(Path(sys.argv[1])))
