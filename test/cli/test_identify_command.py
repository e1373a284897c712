# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""`racecar identify` from the command line: results, evaluation, plan, errors in one line."""

import json
import os
from pathlib import Path
import subprocess
import sys

import numpy as np
import pytest

from racecar.base.parameter_file import load_parameter_file
from racecar.base.types import AckermannCommand
from racecar.cli.main import main
from racecar.dynamics.vehicles import VEHICLE_PARAMETERS
from racecar.simulation.car_parameters import SIMULATOR_PARAMETERS
from racecar.simulation.make_simulator import make_simulator

ROOT = Path(__file__).parents[2]
FAST, SLOW = (ROOT / 'docs' / 'examples' / f'identify_{name}.csv' for name in ('fast', 'slow'))


@pytest.fixture(scope='module')
def folder(tmp_path_factory):
    output = tmp_path_factory.mktemp('identified')
    assert main(['identify', str(FAST), '--name', 'mine', '--output', str(output)]) == 0
    return output


def test_it_writes_vehicle_json_and_report(folder):
    result = json.loads((folder / 'mine.json').read_text(encoding='utf-8'))
    rows = {row['name']: row for row in result['estimates']}
    assert rows['steering_gain']['value'] == pytest.approx(1.1, rel=0.03)
    assert rows['friction_coefficient']['value'] == pytest.approx(0.8, rel=0.05)
    assert all(row['verdict'] for row in rows.values())
    report = (folder / 'report.html').read_text(encoding='utf-8')
    for word in ('Profiles', 'constant velocity', 'residuals', 'steering_gain', 'identified'):
        assert word in report


@pytest.mark.skipif(not Path('/proc/self/task').is_dir(), reason='threads are listed by Linux')
def test_it_needs_one_core_only():
    environment = {key: value for key, value in os.environ.items() if 'NUM_THREADS' not in key}
    done = subprocess.run(
        [sys.executable, '-c',
         'import os, sys\nfrom racecar.executables import command\n'
         'sys.argv[1:] = ["identify", "--plan"]\ncommand()\n'
         'print("threads", len(os.listdir("/proc/self/task")))'],
        env=environment, capture_output=True, text=True, timeout=120, check=True)
    assert done.stdout.endswith('threads 1\n')


def test_the_vehicle_drives_in_the_simulator(folder):
    values = load_parameter_file(folder / 'mine.yaml', 'single_track_simulator')
    simulator = make_simulator((VEHICLE_PARAMETERS + SIMULATOR_PARAMETERS).resolve(values))
    simulator.set_command(AckermannCommand(1.0, 0.0))
    for _ in range(100):
        simulator.tick()
    # Its steering is not straight where none is commanded.
    assert simulator.steering_angles[0] == pytest.approx(-0.012, abs=0.002)
    assert simulator.odometry().yaw_rate < 0.0


def test_a_vehicle_is_judged_by_another_drive(folder, capsys):
    assert main(['identify', str(SLOW), '--vehicle', str(folder / 'mine.yaml'), '--evaluate',
                 '--adapt', '10', '--json']) == 0
    row, = json.loads(capsys.readouterr().out)
    assert row['adaptation'] == 10.0
    scores = row['scores']
    assert scores['mine']['heading'] < 0.35 * scores['unfitted f1tenth, Fiala']['heading']
    assert scores['mine']['scale'] == pytest.approx(0.95, abs=0.005)


def test_a_vehicle_file_without_its_json_is_judged_with_a_warning(folder, tmp_path, capsys):
    for name, warned in ((folder / 'mine.yaml', False), (tmp_path / 'alone.yaml', True)):
        name.write_text((folder / 'mine.yaml').read_text(encoding='utf-8'), encoding='utf-8')
        assert main(['identify', str(SLOW), '--vehicle', str(name), '--evaluate']) == 0
        shown = capsys.readouterr()
        assert ('there is no alone.json beside it' in shown.err) == warned
        # What a few windows do not move stands beside what they do.
        assert '(median ' in shown.out


def test_the_plan_says_what_is_missing(capsys):
    assert main(['identify', '--plan', '--json']) == 0
    rows = json.loads(capsys.readouterr().out)
    assert [row['drive'] for row in rows if row['missing']] == [
        'skidpad', 'ramp_steer', 'coast_down', 'step_steer', 'circle_to_slip']
    assert main(['identify', '--plan', str(FAST)]) == 0
    assert 'coast_down' in capsys.readouterr().out


def test_every_manoeuvre_of_the_plan_is_a_trajectory():
    from racecar.control.trajectories import TRAJECTORIES
    from racecar.identification.plan import MANOEUVRES

    assert {row.name for row in MANOEUVRES} <= set(TRAJECTORIES)


@pytest.mark.parametrize(('arguments', 'words'), [
    ([], ('no log is given',)),
    (['nowhere.csv'], ('nowhere.csv', 'cannot be read')),
    (['nowhere.mcap'], ('nowhere.mcap', 'does not exist')),
    ([str(FAST), '--column', 'speed=v'], ('speed=v', 'yaw_rate')),
    ([str(FAST), '--column', 'yaw=heading'], ('no column heading',)),
    ([str(FAST), '--free', 'pacejka.shape'], ('is refused',)),
    ([str(FAST), '--vehicle', 'nobody'], ('nobody',)),
    ([str(FAST), '--name', 'a b'], ("'a b'",)),
    ([str(FAST), '--evaluate', '--adapt', '-1'], ('--adapt',)),
    ([str(FAST), str(FAST)], ('two drives',)),
])
def test_what_cannot_be_done_is_said_in_one_line(arguments, words, capsys, tmp_path):
    assert main(['identify', *arguments, '--output', str(tmp_path)]) == 1
    error, = (line for line in capsys.readouterr().err.splitlines()
              if not line.startswith('warning:'))
    assert all(word in error for word in words), error


def test_a_folder_that_cannot_be_made_is_told_before_the_fit(capsys, tmp_path):
    (tmp_path / 'file').touch()
    assert main(['identify', str(FAST), '--output', str(tmp_path / 'file' / 'out')]) == 1
    assert "out' cannot be made: Not a directory; name another place" in capsys.readouterr().err


def test_the_shipped_logs_are_synthetic():
    header, *rows = FAST.read_text(encoding='utf-8').splitlines()
    assert header.startswith('t[s],steering_command[rad]')
    assert np.isfinite([float(cell) for cell in rows[-1].split(',')]).all()
