# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""`racecar sweep`: what it computes, writes, refuses and reports."""

import base64
import csv
import gzip
import json
from pathlib import Path
import re
from typing import Any

import matplotlib.image
import numpy as np
from presence import present
import pytest
import yaml

from racecar.analysis.sweep_figure import sweep_figure
from racecar.base.errors import ConfigurationError, ParameterError
from racecar.cli.main import main
from racecar.metrics.quantities import length_text
from racecar.metrics.quantities import shown as texts_of
from racecar.stacks.sweep import load_sweep

ROOT = Path(__file__).parents[2]
GRID = {
    'vehicle': 'racecar', 'trajectory': 'circle', 'tyre_model': 'fiala', 'duration': 3, 'skip': 1,
    'grid': {'trajectory_tracker.Kp': [2, 5.0], 'vehicle.friction_coefficient': [0.5, 1.0, 0.8]}}
SAMPLE: dict[str, Any] = {
    'trajectory': 'line', 'duration': 2, 'count': 5, 'seed': 3,
    'sample': {'trajectory_tracker.Kp': {'uniform': [2, 6]},
               'single_track_simulator.vehicle.mass': {'normal': [5.0, 0.5]}}}


def sweep_file(folder, content, **changes):
    path = folder / 'study.yaml'
    path.write_text(yaml.safe_dump({**content, **changes}, sort_keys=False))
    return str(path)


def sweep(folder, content, *options, **changes):
    output = folder / 'out'
    code = main(['sweep', 'kinematic_ode', sweep_file(folder, content, **changes),
                 '--output', str(output), *options])
    return code, output


def table(output):
    with open(output / 'results.csv', newline='') as stream:
        return list(csv.DictReader(stream))


def test_a_sweep_that_is_too_long_is_refused_in_one_line(tmp_path, capsys):
    code, output = sweep(tmp_path, GRID, duration=1e7)
    assert code == 1
    assert 'duration is 1e+07 s, which is 1000000000 ticks' in capsys.readouterr().err
    assert not output.exists()


def test_points_whose_reference_outruns_the_car_are_counted(tmp_path, capsys):
    code, _ = sweep(tmp_path, {
        'trajectory': 'line', 'duration': 1,
        'grid': {'trajectory_tracker.a_coeff': [1.0, 7.0, 9.0]}})
    assert code == 0
    warning, = (line for line in capsys.readouterr().err.splitlines() if 'cannot follow' in line)
    assert 'at 2 of 3 points' in warning
    assert '(trajectory_tracker.a_coeff=7)' in warning
    assert 'from 0 s on, by up to 7.07 m/s' in warning


def test_grid_gives_what_simulate_gives_for_each_point(tmp_path, capsys):
    code, output = sweep(tmp_path, GRID, '--jobs', '2')
    shown = capsys.readouterr()
    assert code == 0
    assert 'cars' in shown.out
    assert f'Table: {output}/results.csv' in shown.out
    rows = table(output)
    assert len(rows) == 6
    for row in (rows[0], rows[5]):
        friction = row['vehicle.friction_coefficient']
        assert main([
            'simulate', 'kinematic_ode', '--trajectory', 'circle', '--tyre-model', 'fiala',
            '--duration', '3', '--skip', '1', '--json',
            '--set', f"trajectory_tracker.Kp={row['trajectory_tracker.Kp']}",
            '--set', f'single_track_simulator.vehicle.friction_coefficient={friction}',
            '--set', f'kinematic_linearizer.vehicle.friction_coefficient={friction}']) == 0
        single = json.loads(capsys.readouterr().out)
        check_row(row, single)
    assert matplotlib.image.imread(output / 'sweep.png').shape[0] > 300


METRICS = ('rmse', 'ise', 'sum_squared_error', 'max_error', 'samples', 'duration',
           'cross_track_rmse', 'max_cross_track_error', 'heading_rmse', 'speed_rmse')
LAPS = ('laps', 'best_lap', 'mean_lap', 'lap_progress', 'wrong_ways')


def check_row(row, single):
    """Compare a row with what `simulate --json` gives for its point."""
    names = (*METRICS, *LAPS)
    assert tuple(row)[-len(names) - 1:] == (*names, 'diverged_at')
    for name in names:
        assert (float(row[name]) if row[name] else None) == single[name], name
    assert row['diverged_at'] == ''


@pytest.mark.parametrize('model', ['single_track', 'kinematic_bicycle'])
def test_cars_with_actuators_give_what_simulate_gives(tmp_path, capsys, model):
    # The kinematic bicycles run one by one, the others side by side.
    own = {'single_track_simulator.vehicle_model': model,
           'single_track_simulator.actuators.steering_lag': 0.05}
    varied = ('single_track_simulator.actuators.speed_delay', 'trajectory_tracker.Kp')
    code, output = sweep(tmp_path, GRID, '--json', set=own, grid=dict(
        zip(varied, ([0.0, 0.035], [2.0, 5.0]), strict=True)))
    assert code == 0
    best = json.loads(capsys.readouterr().out)['best']
    rows = table(output)
    for row in rows:
        assert main([
            'simulate', 'kinematic_ode', '--trajectory', 'circle', '--tyre-model', 'fiala',
            '--duration', '3', '--skip', '1', '--json',
            *(text for name, value in (*own.items(), *((name, row[name]) for name in varied))
              for text in ('--set', f'{name}={value}'))]) == 0
        check_row(row, json.loads(capsys.readouterr().out))
    assert {name: best[name] for name in METRICS} == pytest.approx(
        {name: float(rows[best['point']][name]) for name in METRICS})


def test_summary_has_the_metrics_against_the_path_of_the_best_car(tmp_path, capsys):
    code, output = sweep(tmp_path, GRID)
    assert code == 0
    best = min(table(output), key=lambda row: float(row['rmse']))
    shown = capsys.readouterr().out
    for name, si in (('cross_track_rmse', 'm'), ('max_cross_track_error', 'm'),
                     ('heading_rmse', 'rad'), ('speed_rmse', 'm/s')):
        (text,), unit = texts_of([float(best[name])], si)
        assert re.search(rf'  {re.escape(text)}  {re.escape(unit)}$', shown, re.MULTILINE)
    assert 'cross-track RMSE of the best' in shown


@pytest.mark.parametrize('content', [GRID, SAMPLE])
def test_report_and_picture_mark_the_best_point(content, tmp_path, capsys):
    code, output = sweep(tmp_path, content)
    assert code == 0
    assert f'Report: {output}/report.html' in capsys.readouterr().out
    best = min(table(output), key=lambda row: float(row['rmse']))
    found = length_text(float(best['rmse']))
    page = (output / 'report.html').read_text()
    packed = re.findall(r'-data">([^<]+)<', page)
    charts = [json.loads(gzip.decompress(base64.b64decode(text))) for text in packed]
    names = list(content.get('grid') or content['sample'])
    assert len(charts) == (1 if 'grid' in content else len(names))
    for chart, name in zip(charts, names, strict=False):
        star, = [trace for trace in chart['data'] if trace['name'] == f'best: {found}']
        assert float(star['x'][0]) == pytest.approx(float(best[name]), rel=1e-3)
    # The first row of the table of points is the best.
    first = page.partition('<th scope="col">Point</th>')[2].partition('<tbody>')[2]
    number, = re.findall(r'<th scope="row">(\d+)<', first.partition('</tr>')[0])
    assert table(output)[int(number) - 1] == best


def test_parameters_in_the_picture_have_their_units(tmp_path):
    sweep = load_sweep('kinematic_ode', sweep_file(tmp_path, GRID))
    assert sweep.units == ('1/s', '')
    figure = sweep_figure(
        'study', sweep.names, sweep.points, np.arange(1.0, 7.0), np.zeros(6, dtype=bool),
        units=sweep.units, is_grid=True)
    axes = figure.axes[0]
    assert axes.get_xlabel() == 'trajectory_tracker\nKp [1/s]'
    assert axes.get_ylabel() == 'vehicle\nfriction_coefficient'


def test_sample_is_reproducible_and_json_is_one_object(tmp_path, capsys):
    tables = []
    for name, jobs in (('a', '1'), ('b', '2')):
        folder = tmp_path / name
        folder.mkdir()
        code, output = sweep(folder, SAMPLE, '--json', '--jobs', jobs, noise={'x': 0.01})
        assert code == 0
        outcome = json.loads(capsys.readouterr().out)
        assert (outcome['cars'], outcome['diverged']) == (5, 0)
        assert outcome['best']['rmse'] == min(float(row['rmse']) for row in table(output))
        assert set(outcome['best']['parameters']) == set(SAMPLE['sample'])
        tables.append((output / 'results.csv').read_text())
    assert tables[0] == tables[1]
    kp = [float(row['trajectory_tracker.Kp']) for row in table(output)]
    assert len(set(kp)) == 5
    assert all(2.0 <= value <= 6.0 for value in kp)


def test_cars_that_diverge_are_reported_and_do_not_end_the_sweep(tmp_path, capsys):
    code, output = sweep(
        tmp_path, GRID, '--json', trajectory='circle', skip=0, duration=10, tyre_model='linear',
        set={'trajectory_tracker.W': 2.0}, grid={
            'single_track_simulator.vehicle.rear.cornering_stiffness': [1.0, 244.0]})
    shown = capsys.readouterr()
    outcome = json.loads(shown.out)
    assert code == 0
    rows = table(output)
    diverged = [row for row in rows if row['diverged_at']]
    assert outcome['diverged'] == len(diverged) > 0
    assert f'warning: {len(diverged)} of 2 cars diverged, the first (single_track' in shown.err
    assert all(float(row['diverged_at']) < 10.0 for row in diverged)


def test_output_is_not_overwritten(tmp_path, capsys):
    (tmp_path / 'out').mkdir()
    code, _ = sweep(tmp_path, GRID)
    assert code == 1
    # It holds nothing to go on with.
    assert capsys.readouterr().err.endswith(
        'exists already, not overwriting it; name another folder\n')


def test_table_and_figures_outlast_a_report_that_cannot_be_written(
        tmp_path, capsys, monkeypatch):
    def refuse(*_):
        raise ConfigurationError('no space left')

    monkeypatch.setattr('racecar.facade.sweeps.SweepResult.report', refuse)
    code, output = sweep(tmp_path, GRID)
    assert code == 1
    told = capsys.readouterr()
    assert 'no space left' in told.err
    assert 'best RMSE' in told.out
    assert len(table(output)) == 6


def test_vehicle_stands_for_every_node_that_knows_it(tmp_path):
    found = load_sweep('kinematic_ode', sweep_file(
        tmp_path, GRID, set={'vehicle.mass': 7.0}, grid={'vehicle.yaw_inertia': [0.1]}))
    for node in ('kinematic_linearizer', 'single_track_simulator'):
        assert found.base[node]['vehicle.mass'] == 7.0
        assert found.values_at(0)[node]['vehicle.yaw_inertia'] == 0.1
    fleet, = found.fleets()
    assert present(fleet.loop.simulator.compiled).model.vehicle.yaw_inertia == 0.1


@pytest.mark.parametrize('path', sorted(
    path.name for path in (ROOT / 'config' / 'sweeps').glob('*.yaml')))
def test_examples_are_valid(path):
    found = load_sweep('kinematic_ode', ROOT / 'config' / 'sweeps' / path)
    assert len(found.points) > 50
    assert next(found.fleets()).loop.is_compilable


@pytest.mark.parametrize(
    ('changes', 'message'),
    [({'grids': {}}, "'grids' is unknown; did you mean grid"),
     ({'grid': {}}, r'expected either grid: or sample:'),
     ({'sample': SAMPLE['sample']}, r'expected either grid: or sample:'),
     ({'count': 3}, r"'count' is for sample:"),
     ({'duration': 0}, r"'duration' is 0, expected seconds above 0"),
     ({'skip': 'long'}, r"'skip' is 'long', expected seconds"),
     ({'duration': 2, 'skip': 2}, r"'skip' is 2 s, expected less than the duration of 2 s"),
     ({'vehicle': 'tank'}, r"vehicle 'tank' is neither a file nor one of"),
     ({'noise': {'z': 1.0}}, "noise: 'z' is unknown"),
     ({'noise': {'x': -1.0}}, r"noise 'x' is -1\.0"),
     ({'set': {'trajectory_tracker.kp': 1.0}}, r"parameter 'kp' is unknown here; did you mean Kp"),
     ({'grid': {'Kp': [1.0]}}, r"'Kp' is not a parameter of the loop, expected node\.parameter"),
     ({'grid': {'ackermann_mux.config_file': ['a']}}, r'is not a parameter of the loop'),
     ({'grid': {'vehicle.mas': [1.0]}}, r"'vehicle\.mas' is unknown here; did you mean"),
     ({'grid': {'trajectory_tracker.Kp': 5.0}}, r'is 5\.0, expected a list of values'),
     ({'grid': {'trajectory_tracker.Kp': [-1.0]}}, r"'Kp' is -1\.0, expected a number in \[0"),
     ({'grid': {'vehicle.mass': [5.0], 'single_track_simulator.vehicle.mass': [6.0]}},
      r"'single_track_simulator\.vehicle\.mass' and 'vehicle\.mass' vary the same"),
     ({'grid': {'trajectory_tracker.W': [0.1 * i for i in range(200)],
                'trajectory_tracker.Kp': list(range(1000)),
                'trajectory_tracker.Ki': list(range(1000))}}, r'expected at most 10000000')])
def test_faulty_grid_is_refused_with_the_reason(tmp_path, changes, message):
    with pytest.raises((ConfigurationError, ParameterError), match=message) as refused:
        load_sweep('kinematic_ode', sweep_file(tmp_path, GRID, **changes))
    assert 'study.yaml' in str(refused.value)


@pytest.mark.parametrize(
    ('changes', 'message'),
    [({'count': None}, 'count is None, expected a whole number from 1'),
     ({'count': 0}, 'count is 0'),
     ({'seed': -1}, 'seed is -1'),
     ({'sample': {'trajectory_tracker.Kp': [1, 2]}}, r'expected \{uniform: \[lowest, highest\]\}'),
     ({'sample': {'trajectory_tracker.Kp': {'uniform': [2, 1]}}}, r'with lowest <= highest'),
     ({'sample': {'trajectory_tracker.Kp': {'normal': [2, -1]}}}, r'a deviation of at least 0'),
     ({'sample': {'trajectory_tracker.Kp': {'gamma': [2, 1]}}}, r'or \{normal: \[mean'),
     ({'sample': {'trajectory_tracker.FFWD': {'uniform': [0, 1]}}}, r'only numbers can be drawn'),
     ({'sample': {'trajectory_tracker.Kp': {'normal': [0.0, 1.0]}}}, r'expected a number in \[0')])
def test_faulty_sample_is_refused_with_the_reason(tmp_path, changes, message):
    with pytest.raises((ConfigurationError, ParameterError), match=message):
        load_sweep('kinematic_ode', sweep_file(tmp_path, SAMPLE, **changes))


def test_point_whose_values_contradict_each_other_is_named(tmp_path, capsys):
    code, output = sweep(tmp_path, GRID, trajectory='cycloid', grid={
        'trajectory_tracker.cycloid_distance': [0.5, 1.5]})
    assert code == 1
    assert 'point 2 of 2 (trajectory_tracker.cycloid_distance=1.5)' in capsys.readouterr().err
    assert not output.exists()


@pytest.mark.parametrize('text', ['', '- 1', '{', 'a: ['])
def test_file_that_is_no_mapping_is_refused(tmp_path, text):
    path = tmp_path / 'bad.yaml'
    path.write_text(text)
    with pytest.raises(ConfigurationError, match=r'bad\.yaml'):
        load_sweep('kinematic_ode', path)
    with pytest.raises(ConfigurationError, match='cannot be read'):
        load_sweep('kinematic_ode', tmp_path / 'absent.yaml')
