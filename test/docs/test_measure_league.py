# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""The published table of docs/league.md from files of laps, and from the table before."""

import json

import pytest
from scripts import load_script

BEFORE = """| | AUT | ESP | GBR | MCO |
|---|---|---|---|---|
| race line and pure pursuit, published | 16.788 | 35.920 | 31.244 | 28.080 |
| the same planner, here | kept | - | - | - |
| MPCC, published | 16.868 | 39.128 | 35.400 | 31.533 |
| the same planner, here | replaced | - | - | - |
| follow the gap, published | 19.097 | 45.784 | 39.336 | 34.987 |
| the same planner, here | kept too | - | - | - |
| our `old` on their race lines | - | - | - | - |
"""


@pytest.fixture
def table():
    """Return what makes the table of a folder."""
    return load_script('docs/measure_league.py').published_table


def laps_file(path, *times):
    path.parent.mkdir(exist_ok=True)
    path.write_text(json.dumps({'aut': [
        {'start': 0.0, 'time': time, 'progress': 1.0, 'is_complete': time < 20.0}
        for time in times]}), encoding='utf-8')


def test_rows_of_the_authors_without_a_file_are_kept(table, tmp_path):
    laps_file(tmp_path / 'their_mpcc.json', 16.0, 18.0, 30.0)
    laps_file(tmp_path / 'lqr.json', 17.5)
    laps_file(tmp_path / 'own_lines' / 'lqr.json', 16.5)
    laps_file(tmp_path / 'smoothed' / 'lqr.json', 17.0)
    assert table(tmp_path, BEFORE).splitlines()[2:] == [
        *BEFORE.splitlines()[2:5],
        '| the same planner, here | 17.000, 2/3, +0.78 % | - | - | - |',
        *BEFORE.splitlines()[6:8],
        '| our `lqr` on their race lines | 17.500, 1/1 | - | - | - |',
        '| our `lqr` on their race lines, smoothed | 17.000, 1/1 | - | - | - |',
        '| our `lqr` on our race lines | 16.500, 1/1 | - | - | - |']


def test_a_planner_of_the_authors_without_file_and_row_is_an_error(table, tmp_path):
    with pytest.raises(SystemExit, match='follow the gap'):
        table(tmp_path, BEFORE.replace('| follow the gap, published', '| other'))
