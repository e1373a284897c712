# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
import argparse
import json
import subprocess
import sys

from bag_samples import ODOMETRY
from compilation import without_compilation
import pytest

from racecar.base.errors import BagError, ConfigurationError, RacecarError
from racecar.cli import analyze

FILES = {'path.png', 'x.png', 'y.png', 'error.png', 'report.html'}


def run(*words):
    parser = argparse.ArgumentParser()
    analyze.add_arguments(parser)
    return analyze.run(parser.parse_args([str(word) for word in words]))


@pytest.mark.parametrize('bag', ['ours zstd', 'sqlite3'], indirect=True)
def test_table_and_files(bag, capsys):
    assert run(bag) == 0
    captured = capsys.readouterr()
    lines = captured.out.splitlines()
    assert lines[0] == '/vesc/odom against /reference_trajectory'
    assert lines[1].split() == ['RMSE', '0.1000', 'm']
    assert lines[5].split() == ['samples', '40']
    assert lines[-2] == f'Report: {bag / "analysis" / "report.html"}'
    assert without_compilation(captured.err) == ''
    assert {path.name for path in (bag / 'analysis').iterdir()} == FILES
    # A second analysis reads the same bag and replaces the first.
    assert run(bag, '--skip', 1) == 0
    assert capsys.readouterr().out.splitlines()[5].split() == ['samples', '20']


@pytest.mark.parametrize('bag', ['mcap zstd chunks'], indirect=True)
def test_json_is_one_object(bag, tmp_path, capsys):
    assert run(bag, '--json', '--output', tmp_path / 'out') == 0
    captured = capsys.readouterr()
    values = json.loads(captured.out)
    assert list(values) == [
        'rmse', 'ise', 'sum_squared_error', 'max_error', 'samples', 'duration',
        'cross_track_rmse', 'max_cross_track_error', 'heading_rmse', 'speed_rmse', 'lost_ticks',
        'lost_share', 'late_start', 'warnings']
    assert [values[name] for name in ('lost_ticks', 'lost_share', 'late_start', 'warnings')] == [
        0, 0.0, 0.0, []]
    assert values['rmse'] == pytest.approx(0.1)
    assert values['samples'] == 40
    assert 'report.html' in captured.err
    assert {path.name for path in (tmp_path / 'out').iterdir()} == FILES
    assert not (bag / 'analysis').exists()


def test_what_the_recording_lost_is_said_in_text_json_and_report(
        write_bag, messages, tmp_path, capsys):
    stamps = [tick * 10**7 for tick in range(101) if tick < 40 or tick >= 60]
    bag = write_bag([
        ('/reference_path', 'nav_msgs/msg/Path', 0, messages.path(0)),
        *((topic, ODOMETRY, stamp, messages.odometry(stamp, 1.0, 2.0))
          for topic in ('/vesc/odom', '/reference_trajectory')
          for stamp in stamps if stamp >= 20 * 10**7)])
    assert run(bag, '--json') == 0
    captured = capsys.readouterr()
    values = json.loads(captured.out)
    assert (values['lost_ticks'], values['lost_share']) == (20, pytest.approx(20 / 81))
    assert values['late_start'] == pytest.approx(0.2)
    lost, late = values['warnings']
    assert lost.startswith(
        '/vesc/odom has lost 20 of 81 ticks (24.7%): its stamps step by 0.01 s, at 0.190 s by'
        ' 0.21 s;')
    assert 'record:= or --record' in lost
    assert late.startswith(
        'the recording begins late, 0.2 s after the start of /reference_trajectory;')
    assert captured.err.startswith(f'warning: {lost}\nwarning: {late}\n')
    report = (bag / 'analysis' / 'report.html').read_text(encoding='utf-8')
    assert report.count('<p class="warning">') == 2
    assert '20 of 81 ticks (24.7%)' in report
    assert run(bag) == 0
    assert capsys.readouterr().err == f'warning: {lost}\nwarning: {late}\n'


def test_bare_file_gets_a_folder_beside_it(write_bag, rows, capsys):
    file = write_bag(rows) / 'run_0.mcap'
    assert run(file) == 0
    assert (file.parent / 'run_0_analysis' / 'report.html').exists()


def test_named_topics(write_bag, rows, capsys):
    names = {'/vesc/odom': '/car1/state', '/reference_trajectory': '/car1/wish'}
    path = write_bag([(names.get(row[0], row[0]), *row[1:]) for row in rows])
    with pytest.raises(BagError, match='/car1/state'):
        run(path)
    assert run(path, '--odometry-topic', 'state', '--reference-topic', '/car1/wish') == 0
    assert capsys.readouterr().out.startswith('/car1/state against /car1/wish\n')


def test_cut_bag(write_bag, rows, capsys, caplog):
    file = write_bag(rows) / 'run_0.mcap'
    file.write_bytes(file.read_bytes()[:-30])
    assert run(file, '--json') == 0
    assert json.loads(capsys.readouterr().out)['samples'] == 40
    assert 'last complete chunk' in caplog.text
    assert 'last complete chunk' in (
        file.parent / 'run_0_analysis' / 'report.html').read_text(encoding='utf-8')


@pytest.mark.parametrize(('words', 'error'), [
    (['--skip', '-1'], ConfigurationError),
    (['--skip', 'nan'], ConfigurationError),
    (['--skip', '1000'], ConfigurationError),
    (['--odometry-topic', '/nothing'], BagError),
    (['--odometry-topic', '/command'], BagError),
])
def test_errors_are_one_line_and_write_nothing(write_bag, rows, words, error, capsys):
    path = write_bag(rows)
    with pytest.raises(error) as caught:
        run(path, *words)
    assert isinstance(caught.value, RacecarError)
    assert '\n' not in str(caught.value)
    assert capsys.readouterr().out == ''
    assert not (path / 'analysis').exists()


def test_output_that_is_a_file(write_bag, rows, tmp_path):
    (tmp_path / 'file').write_text('')
    with pytest.raises(ConfigurationError, match="'.*file' is a file"):
        run(write_bag(rows), '--output', tmp_path / 'file')


def test_help_loads_no_library():
    code = (
        'import argparse, sys; from racecar.cli import analyze;'
        ' analyze.add_arguments(argparse.ArgumentParser());'
        ' print([name for name in sys.modules if name.split(".")[0] in'
        ' ("matplotlib", "rosbags", "numpy", "mcap")])')
    done = subprocess.run(
        [sys.executable, '-c', code], capture_output=True, text=True, check=True,
        env={'PYTHONPATH': ':'.join(path for path in sys.path if path)})
    assert done.stdout.strip() == '[]'
