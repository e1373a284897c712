# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""`racecar examples` copies what the pages use, and each command that it prints can be typed."""

import errno
from pathlib import Path
import re
import runpy
import shlex

import pytest

from racecar.cli.examples import EXAMPLES, notebook_of
from racecar.cli.main import COMMANDS, main, make_parsers
from racecar.stacks.sweep import load_sweep

ROOT = Path(__file__).resolve().parents[2]
# A variant of a map for drives by laser, whose picture lies elsewhere.
LEFT_OUT = {'docs/examples/low_racetrack.yaml'}
COMMAND_LINES = [example.command for example in EXAMPLES if example.command]


@pytest.fixture
def folder(tmp_path, monkeypatch, capsys):
    assert main(['examples', str(tmp_path / 'mine')]) == 0
    monkeypatch.chdir(tmp_path / 'mine')
    return tmp_path / 'mine'


def test_every_example_is_copied_and_listed(tmp_path, capsys):
    assert main(['examples', str(tmp_path / 'mine')]) == 0
    said = capsys.readouterr().out
    for example in EXAMPLES:
        assert (tmp_path / 'mine' / example.target).stat().st_size
        assert f'  {example.target}\n' in said
        assert example.command in said
    shipped = {str(path.relative_to(ROOT)) for name in (
        'config/sweeps', 'docs/examples', 'docs/notebooks')
        for path in (ROOT / name).iterdir() if path.is_file()}
    assert shipped - LEFT_OUT <= {example.source for example in EXAMPLES}


def test_nothing_is_overwritten_or_half_written(tmp_path, capsys):
    kept = tmp_path / EXAMPLES[-1].target
    kept.parent.mkdir()
    kept.write_text('mine')
    assert main(['examples', str(tmp_path)]) == 1
    assert re.search(r"racecar examples: error: '.*' is there already, .*name another folder",
                     capsys.readouterr().err)
    assert [path for path in tmp_path.rglob('*') if path.is_file()] == [kept]
    assert kept.read_text() == 'mine'


def test_a_full_disk_is_told_with_the_file_and_leaves_none(tmp_path, capsys, monkeypatch):
    write = Path.write_bytes

    def write_bytes(path, data):
        if path.name == 'plant.yaml':
            write(path, data[:10])
            raise OSError(errno.ENOSPC, 'No space left on device')
        return write(path, data)

    monkeypatch.setattr(Path, 'write_bytes', write_bytes)
    assert main(['examples', str(tmp_path)]) == 1
    place = tmp_path / 'sweeps' / 'plant.yaml'
    assert f"'{place}' cannot be written: No space left on device" in capsys.readouterr().err
    assert not [path for path in tmp_path.rglob('*') if path.is_file()]


def test_no_file_names_places_of_the_repository(folder):
    for path in folder.rglob('*'):
        if path.is_file() and path.suffix != '.png':
            assert not re.search(r'(docs|config)/\w', path.read_text()), path


def test_the_sweeps_can_be_read(folder):
    for path in (*folder.glob('sweeps/*.yaml'), *folder.glob('controllers/*.yaml')):
        load_sweep('kinematic_ode', path)


@pytest.mark.parametrize('line', COMMAND_LINES)
def test_a_command_can_be_typed(line, folder):
    words = shlex.split(line, comments=True)
    for word in words:
        if '/' in word:
            assert (folder / word.partition(':')[0]).is_file()
    if words[0] == 'racecar':
        parsed, unknown = make_parsers(COMMANDS).whole.parse_known_args(words[1:])
        assert not unknown
        if parsed.command == 'simulate':
            assert main([*words[1:], '--duration', '1', '--skip', '0']) == 0


def test_a_notebook_has_the_cells_of_its_file():
    for path in sorted((ROOT / 'docs' / 'notebooks').glob('*.py')):
        cells = notebook_of(path.read_text())['cells']
        assert cells[0]['source'].startswith('# ')
        assert {cell['cell_type'] for cell in cells} == {'markdown', 'code'}
        lines = [line.strip('# ') for cell in cells for line in cell['source'].splitlines()]
        written = [line.strip('# ') for line in path.read_text().splitlines()[2:]  # licence
                   if not line.startswith('# %%')]
        assert [line for line in lines if line] == [line for line in written if line]


def test_the_programs_run(folder, capsys):
    for program in ('lane_change', 'obstacle_avoidance'):
        runpy.run_path(str(folder / 'programs' / f'{program}.py'))
    assert capsys.readouterr().out
