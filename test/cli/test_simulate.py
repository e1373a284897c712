# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""`racecar simulate`: what it prints and writes, how it fails, and the accuracy it must show."""

import csv
import json
import math
import re

from compilation import without_compilation
from presence import present
import pytest

from racecar.base.share import vehicle_names
from racecar.cli.main import main
from racecar.dynamics.vehicles import SingleTrack
from racecar.metrics.run_table import COLUMNS

KEYS = ['rmse', 'ise', 'sum_squared_error', 'max_error', 'samples', 'duration',
        'cross_track_rmse', 'max_cross_track_error', 'heading_rmse', 'speed_rmse',
        'laps', 'best_lap', 'mean_lap', 'lap_progress', 'wrong_ways', 'real_time_factor']


@pytest.fixture
def simulate(capsys):
    """Run `racecar simulate kinematic_ode` and return its JSON object."""
    def run(*arguments):
        assert main(['simulate', 'kinematic_ode', '--json', *map(str, arguments)]) == 0
        return json.loads(capsys.readouterr().out)
    return run


@pytest.fixture
def table(simulate, tmp_path):
    """Run it and return the CSV's columns by name."""
    def run(*arguments):
        path = tmp_path / 'run.csv'
        simulate('--csv', path, *arguments)
        with open(path, newline='', encoding='utf-8') as stream:
            header, *rows = csv.reader(stream)
        columns = zip(*([float(cell) for cell in row] for row in rows), strict=True)
        return dict(zip(header, columns, strict=True))
    return run


def test_json_has_exactly_the_documented_keys(simulate):
    assert list(simulate('--duration', 1)) == KEYS


def test_stdout_holds_one_json_object_and_nothing_else(capsys, tmp_path):
    main(['simulate', 'kinematic_ode', '--duration', '1', '--json',
          '--csv', str(tmp_path / 'run.csv')])
    out = capsys.readouterr().out
    assert out.count('\n') == 1
    assert isinstance(json.loads(out), dict)


def test_a_reference_that_outruns_the_car_is_told(capsys):
    # Its speed is 2 a sqrt(1 + t^2), the car's at most 5 m/s.
    assert main(['simulate', 'kinematic_ode', '--trajectory', 'parabola', '--duration', '10',
                 '--json']) == 0
    shown = capsys.readouterr()
    json.loads(shown.out)
    warning, = (line for line in shown.err.splitlines() if line.startswith('warning'))
    start = float(present(re.search(r'from (\S+) s on', warning))[1])
    assert start == pytest.approx(math.sqrt(2.5**2 - 1.0), abs=0.02)
    assert 'by up to 20.1 m/s where vehicle.speed_max allows 5 m/s' in warning
    assert 'focal_length' in warning


@pytest.mark.parametrize('words', [
    ['kinematic_ode', '--trajectory', 'parabola', '--duration', '2.2'],
    ['kinematic_ode', '--trajectory', 'parking', '--duration', '9'],
    ['kinematic_ode', '--trajectory', 'parabola', '--vehicle', 'bmw_x5', '--duration', '6',
     '--set', 'trajectory_tracker.focal_length=1.5'],
    ['differential_wheels', '--trajectory', 'circle', '--set', 'trajectory_tracker.R=0.5',
     '--duration', '1']])
def test_a_reference_that_the_car_can_follow_is_not(words, capsys):
    assert main(['simulate', *words]) == 0
    assert 'warning' not in capsys.readouterr().err


def test_the_limit_of_a_robot_is_that_of_its_wheels(capsys):
    assert main(['simulate', 'differential_wheels', '--trajectory', 'line', '--duration', '1',
                 '--set', 'trajectory_tracker.a_coeff=5']) == 0
    assert 'where robot.max_speed allows' in capsys.readouterr().err


def test_a_run_that_is_too_long_to_keep_is_refused_in_one_line(capsys):
    assert main(['simulate', 'kinematic_ode', '--duration', '1e7']) == 1
    assert without_compilation(capsys.readouterr().err) == (
        'racecar simulate: error: duration is 1e+07 s, which is 1000000000 ticks of 0.01 s,'
        ' expected at most 10000000: shorten the run, lower the rate of the simulator, or use'
        ' `racecar up`, which keeps no rows\n')


def test_metrics_agree_with_each_other(simulate):
    found = simulate('--duration', 2)
    assert (found['samples'], found['duration']) == (201, pytest.approx(2.0))
    assert found['rmse'] == pytest.approx(math.sqrt(found['sum_squared_error'] / 201))
    assert found['rmse'] <= found['max_error']
    assert found['cross_track_rmse'] <= found['max_cross_track_error'] <= found['max_error']


def test_without_json_a_table_for_people_is_printed(capsys):
    assert main(['simulate', 'kinematic_ode', '--duration', '1']) == 0
    out = capsys.readouterr().out
    assert out.startswith('RMSE')
    assert 'real-time factor' in out
    for name in ('cross-track RMSE', 'maximum cross-track error', 'heading RMSE', 'speed RMSE'):
        assert f'\n{name} ' in out


def test_csv_has_a_header_and_a_row_per_odometry_message(table):
    columns = table('--duration', 1)
    assert tuple(columns) == COLUMNS
    assert columns['time'] == pytest.approx([0.01 * i for i in range(101)])


def test_a_folder_as_csv_is_refused_before_the_run(capsys, tmp_path):
    assert main(['simulate', 'kinematic_ode', '--duration', '1', '--csv', str(tmp_path)]) == 1
    said = capsys.readouterr()
    assert said.out == ''
    assert said.err == (f"racecar simulate: error: --csv '{tmp_path}' is a folder, expected a"
                        ' file; add a name\n')


def test_csv_that_cannot_be_written_is_an_error_of_one_line(capsys, tmp_path):
    path = tmp_path / 'absent' / 'run.csv'
    assert main(['simulate', 'kinematic_ode', '--duration', '1', '--csv', str(path)]) == 1
    out, error = capsys.readouterr()
    assert out == ''
    assert error == (f"racecar simulate: error: --csv '{path}': the folder '{path.parent}' does"
                     ' not exist; make it or name another\n')


def test_skip_leaves_the_start_out_of_the_metrics(simulate):
    assert simulate('--duration', 2, '--skip', 0.5)['samples'] == 151


def test_two_runs_are_equal(table):
    assert table('--duration', 3) == table('--duration', 3)


@pytest.mark.parametrize(
    ('arguments', 'message'),
    [(['kinematik'], "configuration 'kinematik' is unknown, expected one of kinematic_ode"),
     (['kinematic_ode', '--vehicle', 'tank'],
      "vehicle 'tank' is neither a file nor one of bmw_x5, car_2014, citroen_czero, course,"),
     (['kinematic_ode', '--trajectory', 'spiral'],
      "parameter 'trajectory' is 'spiral', expected one of line, parabola, circle"),
     (['kinematic_ode', '--tyre-model', '7'],
      "parameter 'tyre_model' is '7', expected one of linear, fiala"),
     (['kinematic_ode', '--set', 'trajectory_tracker.Kp=-1'],
      "parameter 'Kp' is -1, expected a number in [0, 1000]"),
     (['kinematic_ode', '--set', 'trajectory_tracker.Kq=1'],
      "parameter 'Kq' is unknown here; did you mean"),
     (['kinematic_ode', '--set', 'tracker.Kp=1'], "node 'tracker' is not part of kinematic_ode"),
     (['kinematic_ode', '--set', 'trajectory_tracker.Kp'], 'expected node.parameter=value'),
     (['kinematic_ode', '--params-file', 'none.yaml'], "'none.yaml' cannot be read: No such file"),
     (['kinematic_ode', '--set', 'single_track_simulator.step=0.02'],
      'rate of 100 Hz: its period of 0.01 s is not a whole number'),
     (['kinematic_ode', '--duration', '1', '--skip', '5'],
     '--skip is 5 s, expected less than the duration')])
def test_error_is_one_line_with_the_value_and_what_was_expected(arguments, message, capsys):
    assert main(['simulate', *arguments]) == 1
    printed = capsys.readouterr()
    assert printed.out == ''
    said = without_compilation(printed.err)
    assert said.startswith('racecar simulate: error: ')
    assert message in said
    assert said.count('\n') == 1


@pytest.mark.parametrize('duration', ['0', '-1', 'nan', 'inf', 'long', '1e8'])
def test_bad_duration_is_a_usage_error(duration, capsys):
    with pytest.raises(SystemExit) as ended:
        main(['simulate', 'kinematic_ode', '--duration', duration])
    assert ended.value.code == 2
    assert '--duration' in capsys.readouterr().err


@pytest.mark.parametrize(('words', 'message'), [
    (['--vehicel', 'report'],
     'unrecognized arguments: --vehicel report; did you mean --vehicle?'),
    (['--tire-model=fiala'],
     'unrecognized arguments: --tire-model=fiala; did you mean --tyre-model'),
    (['circle'], 'unrecognized arguments: circle')])
def test_unknown_argument_shows_the_usage_of_the_command(words, message, capsys):
    with pytest.raises(SystemExit) as ended:
        main(['simulate', 'kinematic_ode', *words])
    assert ended.value.code == 2
    printed = capsys.readouterr().err
    assert printed.startswith('usage: racecar simulate ')
    assert printed.splitlines()[-1].startswith(f'racecar simulate: error: {message}')


def test_parameter_file_goes_over_the_defaults(simulate, tmp_path):
    path = tmp_path / 'mine.yaml'
    path.write_text('/**/single_track_simulator: {ros__parameters: {rate: 50.0}}\n')
    assert simulate('--duration', 1, '--params-file', path)['samples'] == 51


def test_set_goes_over_the_parameter_file(simulate, tmp_path):
    path = tmp_path / 'mine.yaml'
    path.write_text('/**/single_track_simulator: {ros__parameters: {rate: 50.0}}\n')
    found = simulate('--duration', 1, '--params-file', path,
                     '--set', 'single_track_simulator.rate=20.0')
    assert found['samples'] == 21


def test_divergence_is_an_error_that_names_state_and_remedy(capsys, monkeypatch):
    # With a rear axle this soft the car oversteers and spins; the model itself stays bounded.
    monkeypatch.setattr(SingleTrack, 'state_limits', (1.0, 1e3, 1e9, 1e9, 1e9))
    assert main(['simulate', 'kinematic_ode', '--trajectory', 'circle',
                 '--set', 'trajectory_tracker.W=0.9', '--set',
                 'single_track_simulator.vehicle.rear.cornering_stiffness=10.0']) == 1
    error = capsys.readouterr().err
    assert 'last good state' in error
    assert without_compilation(error).count('\n') == 1


def test_figure_eight_of_the_report_is_tracked_as_the_report_says(simulate):
    # Report: 0.0072 m on its ODE simulator.
    found = simulate('--vehicle', 'report', '--tyre-model', 'linear', '--trajectory',
                     'figure_eight', '--set', 'single_track_simulator.formulation=report',
                     '--set', 'trajectory_tracker.exact_feed_forward=false',
                     '--duration', 80)
    assert found['samples'] == 8001
    assert 0.0045 <= found['rmse'] <= 0.0072


@pytest.mark.parametrize(
    ('trajectory', 'settings', 'duration'),
    [('line', {}, 20), ('parabola', {'focal_length': 0.1}, 7), ('circle', {'W': 0.28}, 25),
     ('figure_eight', {}, 63), ('cycloid', {'cycloid_distance': 0.4}, 20)])
def test_each_trajectory_is_tracked_within_two_centimetres(
        trajectory, settings, duration, table, simulate):
    arguments = ['--trajectory', trajectory, '--duration', duration, *(
        word for key, value in settings.items()
        for word in ('--set', f'trajectory_tracker.{key}={value}'))]
    columns = table(*arguments)
    points = list(zip(columns['x_reference'], columns['y_reference'], strict=True))
    speeds = [math.dist(a, b) / 0.01 for a, b in zip(points, points[1:], strict=False)]
    assert 0.1 < max(speeds) < 1.5
    assert simulate('--skip', 4, *arguments)['rmse'] < 0.02


ROAD_CARS = ('bmw_x5', 'car_2014', 'citroen_czero', 'tesla_model3', 'toyota_prius')


@pytest.mark.parametrize('vehicle', sorted({*vehicle_names()} - {*ROAD_CARS}))
def test_every_small_vehicle_drives_the_eight(vehicle, simulate):
    found = simulate('--vehicle', vehicle, '--duration', 63, '--skip', 4)
    assert found['samples'] == 5901
    assert found['rmse'] < 0.02


@pytest.mark.parametrize('vehicle', ROAD_CARS)
def test_every_road_car_drives_a_circle(vehicle, simulate):
    found = simulate(
        '--vehicle', vehicle, '--trajectory', 'circle', '--set', 'trajectory_tracker.R=40.0',
        '--set', 'trajectory_tracker.W=0.2', '--duration', 40, '--skip', 8)
    assert found['rmse'] < 0.1


@pytest.mark.parametrize('tyre_model', ['linear', 'fiala', 'fiala_unsaturated', '0', '1', '2'])
def test_every_tyre_model_drives_the_eight(tyre_model, simulate):
    assert simulate('--tyre-model', tyre_model, '--duration', 10, '--skip', 4)['rmse'] < 0.02
