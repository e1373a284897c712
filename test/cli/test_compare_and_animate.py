# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""`racecar compare` and `racecar animate`: runs of any kind, side by side and in one picture."""

import csv
import json
import re
from typing import Any

import numpy as np
from PIL import Image, ImageSequence
import pytest

from racecar.base.compiled import has_compiler
from racecar.cli.main import main
from racecar.metrics.run_table import RunTable


@pytest.fixture(scope='module')
def runs(tmp_path_factory):
    """Two simulated runs in folders."""
    folder = tmp_path_factory.mktemp('runs')
    for name, gain in (('soft', 0.5), ('hard', 5.0)):
        assert main(['simulate', 'kinematic_ode', '--duration', '3', '--set',
                     f'trajectory_tracker.Kp={gain}', '--output', str(folder / name)]) == 0
    return folder / 'soft', folder / 'hard'


@pytest.fixture
def racecar(capsys):
    def run(*words):
        capsys.readouterr()
        code = main([str(word) for word in words])
        captured = capsys.readouterr()
        return code, captured.out, captured.err
    return run


def test_compare_prints_a_column_for_each_run_and_writes_a_report(racecar, runs, tmp_path):
    code, out, _ = racecar('compare', *runs, '--output', tmp_path / 'both')
    assert code == 0
    header, first, *_, place = out.splitlines()
    assert header.split() == ['soft', 'hard']
    assert first.split()[0] == 'RMSE'
    soft, hard = map(float, first.split()[1:3])
    assert hard < soft
    assert place == f'Report: {tmp_path}/both/report.html'
    text = (tmp_path / 'both' / 'report.html').read_text()
    assert '<th scope="row">trajectory_tracker.Kp</th><td>0.5</td><td>5.0</td>' in text


def test_compare_leaves_out_what_the_runs_themselves_did(racecar, tmp_path):
    printed = []
    for name, gain in (('soft', 0.5), ('hard', 5.0)):
        _, out, _ = racecar('simulate', 'kinematic_ode', '--duration', 3, '--skip', 2, '--set',
                            f'trajectory_tracker.Kp={gain}', '--json', '-o', tmp_path / name)
        printed.append(json.loads(out)['rmse'])
    runs = tmp_path / 'soft', tmp_path / 'hard'
    _, out, err = racecar('compare', *runs, '--json', '-o', tmp_path / 'both')
    assert [run['rmse'] for run in json.loads(out)['runs']] == pytest.approx(printed, rel=1e-9)
    assert '2 s of soft, 2 s of hard' in err
    _, out, err = racecar('compare', *runs, '--json', '--skip', 0, '-o', tmp_path / 'all')
    assert all(run['rmse'] > 1.5 * rmse for run, rmse in zip(
        json.loads(out)['runs'], printed, strict=True))
    assert 'left out' not in err
    _, out, _ = racecar('simulate', '--from', runs[0], '--json')
    assert json.loads(out)['rmse'] == printed[0]
    _, out, _ = racecar('analyze', runs[0], '--json')
    assert json.loads(out)['rmse'] == pytest.approx(printed[0], rel=1e-9)


def test_compare_takes_bags_and_csv_files_together(racecar, runs, write_bag, rows, tmp_path):
    bag = write_bag(rows)
    drive = tmp_path / 'drive.csv'
    t = np.arange(5.0)
    zero = np.zeros_like(t)
    RunTable(np.column_stack(
        [t, t, zero, zero, zero + 1.0, zero, zero, *[zero + np.nan] * 4])).write_csv(drive)
    code, out, err = racecar('compare', runs[0] / 'run.csv', bag, drive, '--json', '--output',
                             tmp_path / 'out')
    assert code == 0
    found = json.loads(out)
    first, second, third = found['runs']
    assert (first['name'], second['name'], third['name']) == (
        'soft/run', f'{tmp_path.name}/run', 'drive')
    assert second['rmse'] == pytest.approx(0.1)
    assert 'rmse' not in third
    assert third['distance'] == pytest.approx(4.0)
    assert first['samples'] == 301
    assert 'warning: drive: it has no reference' in err
    assert found['report'] == str(tmp_path / 'out' / 'report.html')


def test_compare_leaves_out_the_start(racecar, runs, tmp_path):
    _, out, _ = racecar('compare', *runs, '--json', '--skip', 1, '--output', tmp_path / 'out')
    assert {row['samples'] for row in json.loads(out)['runs']} == {201}


def test_compare_refuses_one_run_and_a_folder_that_is_there(racecar, runs, tmp_path):
    code, _, err = racecar('compare', runs[0])
    assert (code, 'expected at least two runs' in err) == (1, True)
    code, _, err = racecar('compare', *runs, '--output', tmp_path)
    assert (code, 'exists already' in err) == (1, True)
    code, _, err = racecar('compare', *runs, tmp_path / 'absent', '--output', tmp_path / 'x')
    assert (code, 'does not exist' in err) == (1, True)
    assert not (tmp_path / 'x').exists()


def test_compare_writes_its_table_for_programs_and_papers(racecar, runs, tmp_path):
    _, out, _ = racecar('compare', *runs, '--json', '-o', tmp_path / 'out',
                        '--csv', tmp_path / 'a.csv', '--latex', tmp_path / 'a.tex')
    found = json.loads(out)['runs']
    with open(tmp_path / 'a.csv', newline='') as stream:
        rows = {row['quantity']: row for row in csv.DictReader(stream)}
    for name, key, unit in (('RMSE', 'rmse', 'm'), ('heading RMSE', 'heading_rmse', 'rad'),
                            ('RMSE when settled', 'settled_rmse', 'm'),
                            ('control effort', 'control_effort', 'rad^2 s')):
        assert rows[name]['unit'] == unit
        values = [rows[name][run] for run in ('soft', 'hard')]
        assert values == [repr(run[key]) if key in run else '' for run in found]
    lines = (tmp_path / 'a.tex').read_text().splitlines()
    assert lines[1] == r'\begin{tabular}{lrrl}'
    assert re.fullmatch(r'RMSE & [\d.]+ & [\d.]+ & mm \\\\', lines[5])
    assert any(line.startswith('control effort') and line.endswith(r'rad$^2$ s \\')
               for line in lines)
    code, _, err = racecar('compare', *runs, '-o', tmp_path / 'x', '--csv', tmp_path / 'no' / 'a')
    assert (code, '--csv' in err, 'name another file' in err) == (1, True, True)


def test_compare_tells_how_long_a_controller_took(racecar, tmp_path):
    for name, controller in (('plain', 'PurePursuit'), ('compiled', 'CompiledPurePursuit')):
        assert racecar('simulate', 'kinematic_ode', '--duration', 3, '-o', tmp_path / name,
                       '--controller', f'docs/examples/pure_pursuit.py:{controller}')[0] == 0
    runs = tmp_path / 'plain', tmp_path / 'compiled'
    _, out, _ = racecar('compare', *runs, '--json', '-o', tmp_path / 'out')
    plain, compiled = json.loads(out)['runs']
    assert 0.0 < plain['controller_time_p50'] <= plain['controller_time_p99'] < 3.0
    assert 'loop_time_p50' not in plain
    assert 'controller_time_p50' not in compiled
    if has_compiler():
        assert 0.0 < compiled['loop_time_p50'] < 0.1
        # Of one piece of ticks there is no 99th percentile.
        assert 'loop_time_p99' not in compiled


def test_compare_repeats_runs_in_pairs(racecar, runs, tmp_path):
    words = ['--seeds', 6, '--start', 'y=0.1,yaw=0.2', '--noise', 'x=0.002,y=0.002']
    code, out, _ = racecar('compare', runs[0], runs[1] / 'run.yaml', *words, '--json',
                           '-o', tmp_path / 'out', '--csv', tmp_path / 'a.csv')
    assert code == 0
    rows = {(row['quantity'], row['run']): row for row in json.loads(out)['rows']}
    soft, hard = rows['RMSE', 'soft'], rows['RMSE', 'hard']
    assert soft['count'] == 6
    assert soft['low'] < soft['mean'] < soft['high']
    assert hard['difference'] == pytest.approx(hard['mean'] - soft['mean'])
    # In pairs, the start tells nothing.
    assert hard['difference_high'] < 0.0
    assert hard['difference_high'] - hard['difference_low'] < hard['high'] - hard['low'] + (
        soft['high'] - soft['low'])
    text = (tmp_path / 'out' / 'report.html').read_text()
    assert 'Comparison over 6 repetitions of each' in text
    assert 'hard − soft' in text
    _, out, _ = racecar('compare', *runs, *words, '-o', tmp_path / 'again', '--csv',
                        tmp_path / 'b.csv')
    assert out.splitlines()[1].startswith('RMSE')
    assert (tmp_path / 'a.csv').read_text() == (tmp_path / 'b.csv').read_text()


def test_a_repetition_is_a_run_with_that_start(racecar, runs, tmp_path):
    _, out, _ = racecar('compare', *runs, '--seeds', 2, '--start', 'y=0.1', '--json',
                        '-o', tmp_path / 'out')
    mean = next(row['mean'] for row in json.loads(out)['rows']
                if (row['quantity'], row['run']) == ('RMSE', 'hard'))
    # The columns are drawn in turn: x, then y.
    offsets = np.random.default_rng(0).normal(0.0, [[0.0], [0.1]], (2, 2))[1]
    found = []
    for y in offsets.tolist():
        _, out, _ = racecar('simulate', '--from', runs[1], '--json', '--set',
                            f'single_track_simulator.initial_y={y!r}')
        found.append(json.loads(out)['rmse'])
    assert mean == pytest.approx(np.mean(found), rel=1e-9)


@pytest.mark.parametrize(('words', 'said'), [
    (['--seeds', '3'], 'gives the same run again and again'),
    (['--start', 'y=0.1'], '--start is for runs that are simulated again: give --seeds N'),
    (['--seeds', '3', '--start', 'z=1'], "'z=1', expected NAME=NUMBER with a name among x, y"),
    (['--seeds', '3', '--noise', 'x=-1'], "'-1', expected a number of at least 0"),
    (['--seeds', '3', '--noise', 'x=1', '--settled-from', '1'], '--settled-from is for runs as'),
])
def test_compare_says_what_is_wrong_with_repetitions(racecar, runs, words, said, capsys):
    try:
        code, _, err = racecar('compare', *runs, *words)
    except SystemExit as error:
        code, err = error.code, capsys.readouterr().err
    assert (code != 0, said in err) == (True, True), err


def test_analyze_takes_a_csv_file(racecar, runs, tmp_path):
    code, out, _ = racecar('analyze', runs[0] / 'run.csv', '--output', tmp_path / 'out')
    assert code == 0
    assert out.startswith('RMSE')
    assert {path.name for path in (tmp_path / 'out').iterdir()} == {
        'path.png', 'x.png', 'y.png', 'error.png', 'report.html'}


def test_analyze_of_a_run_without_a_reference_shows_the_drive(
        racecar, write_bag, rows, tmp_path):
    bag = write_bag([row for row in rows if row[0] == '/vesc/odom'])
    code, out, _ = racecar('analyze', bag, '--output', tmp_path / 'out')
    assert code == 0
    assert out.splitlines()[0].split()[0] == 'distance'
    assert 'Drive without a reference: ' in (tmp_path / 'out' / 'report.html').read_text()
    code, _, err = racecar('analyze', bag, '--json')
    assert (code, '/reference_trajectory is missing' in err) == (1, True)


def test_animate_writes_a_gif_of_the_length_that_was_asked_for(racecar, runs, tmp_path):
    path = tmp_path / 'a.gif'
    code, out, _ = racecar('animate', *runs, '-o', path, '--size', '200x150', '--fps', 10,
                           '--start', 1, '--duration', 1, '--speed', 2)
    assert (code, out) == (0, f'Video, 0.5 s, 200x150: {path}\n')
    with Image.open(path) as film:
        assert film.size == (200, 150)
        assert len(list(ImageSequence.Iterator(film))) == 5


def test_animate_draws_one_picture_of_a_bag(racecar, write_bag, rows, tmp_path):
    path = tmp_path / 'a.png'
    code, out, _ = racecar('animate', write_bag(rows), '-o', path, '--size', '300x200')
    assert (code, out) == (0, f'Picture, 300x200: {path}\n')
    with Image.open(path) as picture:
        colours: Any = picture.convert('RGB').getcolors(10**6)
        assert len(colours) > 20


def test_animate_refuses_what_cannot_be_drawn(racecar, runs, tmp_path):
    for words, message in (
            (('-o', tmp_path / 'a.txt'), "ends with '.txt', expected one of"),
            (('-o', tmp_path / 'a.gif', '--start', 5), '--start is 5 s, expected at most 3 s'),
            (('-o', tmp_path / 'a.gif', '--world', 'nowhere'), "world 'nowhere' is neither"),
            (('-o', tmp_path / 'a.gif', '--fps', 100), 'expected at most 50 Hz')):
        code, _, err = racecar('animate', runs[0], *words)
        assert (code, message in err) == (1, True), err
    assert list(tmp_path.iterdir()) == []
