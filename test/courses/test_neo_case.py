# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""A lab with scripts of the RACECAR Neo course, on a library that speaks its protocol."""

import json
from pathlib import Path

import pytest

from racecar.cli.course import NOT_PASSED
from racecar.cli.main import main
from racecar.courses.scripts import LIBRARY_VARIABLE

HELPER = Path(__file__).resolve().parents[1] / 'helpers' / 'neo_program.py'

# As small as a library can be: go() serves, and what it logs lies beside it as in the course's.
LIBRARY = """
import pathlib, sys
sys.path.insert(0, str(pathlib.Path(__file__).parent))
from neo_program import Program

def go(update):
    assert sys.argv[1:] == ['-s', '-h'], sys.argv
    pathlib.Path(__file__).parents[1].joinpath('labs', 'log.csv').write_text('time')
    with Program((5065, 5064)) as program:
        program.connect()
        try:
            program.serve(lambda _: None, update)
        except Exception as error:
            print('ended', type(error).__name__)
"""
LAB = """
programs: neo
configuration: teleop
time_limit: 6
collision_cost: 0
check: {kind: distance, metres: 1}
cases:
  ahead: {world: room}
"""


@pytest.fixture
def library(tmp_path, monkeypatch):
    folder = tmp_path / 'neo' / 'library'
    folder.mkdir(parents=True)
    (folder / 'racecar_core.py').write_text(LIBRARY)
    (folder / 'neo_program.py').write_text(HELPER.read_text())
    monkeypatch.setenv(LIBRARY_VARIABLE, str(folder.parent))


def run(tmp_path, capsys, scripts):
    paths = []
    for name, text in scripts.items():
        path = tmp_path / 'handed_in' / name / f'{name}.py'
        path.parent.mkdir(parents=True)
        path.write_text(f"import sys\nsys.path.insert(1, '../../library')\n"
                        f'import racecar_core\n{text}\n')
        paths.append(str(path))
    (tmp_path / 'neo.yaml').write_text(LAB)
    code = main(['course', str(tmp_path / 'neo.yaml'), *paths, '-o', str(tmp_path / 'results'),
                 '--json'])
    found = json.loads(capsys.readouterr().out)
    return code, {row['student']: row['cases'][0] for row in found['students']}


@pytest.mark.usefixtures('library')
def test_scripts_drive_and_one_that_fails_costs_only_its_own_mark(tmp_path, capsys):
    drives = 'racecar_core.go(lambda program: program.drive(1.0, 0.0))'
    code, found = run(tmp_path, capsys, {
        'drives': drives, 'stands': drives.replace('1.0', '0.0'), 'fails': 'raise KeyError(3)',
        'stops': 'racecar_core.go(lambda program: 1 / 0)'})
    assert code == NOT_PASSED
    assert found['drives']['mark'] == 1.0
    assert found['drives']['text'] == 'drove 1.0 of 1 m'
    assert found['stands']['text'] == 'drove 0.0 of 1 m; time limit of 6 s'
    assert found['fails']['text'] == 'fails ended with exit code 1: KeyError: 3'
    assert found['stops']['mark'] == 0.0
    assert (tmp_path / 'results/drives/ahead/home/labs/log.csv').exists()


def test_without_the_library_it_is_said_where_to_get_it(tmp_path, capsys, monkeypatch):
    monkeypatch.delenv(LIBRARY_VARIABLE, raising=False)
    _, found = run(tmp_path, capsys, {'drives': ''})
    assert LIBRARY_VARIABLE in found['drives']['text']
