# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""racecar.sweep(): what the command gives, as arrays, figures and for notebooks."""

import csv
import inspect
import math
import re
import sys
from typing import Any

import numpy as np
from presence import present
import pytest
import yaml

import racecar
from racecar.base.errors import ConfigurationError, ParameterError, RunError
from racecar.cli.main import main
from racecar.facade.sweeps import SweepOptions
from racecar.stacks.fleet_sweep import KEYS as FLEET_KEYS
from racecar.stacks.sweep import KEYS

GRID = {'trajectory_tracker.Kp': [2.0, 5.0], 'vehicle.friction_coefficient': [0.5, 1.0, 0.8]}
CONTENT: dict[str, Any] = {
    'trajectory': 'circle', 'tyre_model': 'fiala', 'duration': 3.0, 'skip': 1.0, 'grid': GRID}


@pytest.fixture(scope='module')
def result():
    return racecar.sweep(**CONTENT)


def written(path):
    with open(path, newline='', encoding='utf-8') as stream:
        return list(csv.DictReader(stream))


def test_its_arguments_are_the_keys_of_a_file():
    known = inspect.signature(racecar.sweep).parameters
    # A policy file is a controller.
    assert {*KEYS, *FLEET_KEYS} - {'policy'} | {
        'configuration', 'file', 'law', 'jobs', 'scheduler', 'progress'} == known.keys()
    assert {*SweepOptions.__annotations__, 'configuration', 'file', 'cars'} == known.keys()
    assert {row.default for name, row in known.items() if name in KEYS} == {None}
    described = present(inspect.getdoc(racecar.sweep))
    assert [name for name in known if f'\n- {name}: ' not in described] == []


def test_a_file_a_dictionary_and_arguments_mean_the_same_as_the_command(result, tmp_path):
    file = tmp_path / 'study.yaml'
    file.write_text(yaml.safe_dump(CONTENT))
    assert main(['sweep', 'kinematic_ode', str(file), '-o', str(tmp_path / 'out')]) == 0
    expected = (tmp_path / 'out' / 'results.csv').read_bytes()
    for other in (result, racecar.sweep('kinematic_ode', file),
                  racecar.sweep('kinematic_ode', CONTENT),
                  racecar.sweep('kinematic_ode', {**CONTENT, 'duration': 9.0}, duration=3.0,
                                jobs=1)):
        other.write_csv(tmp_path / 'other.csv')
        assert (tmp_path / 'other.csv').read_bytes() == expected


def test_rows_have_parameters_and_metrics_by_name(result, tmp_path):
    result.write_csv(tmp_path / 'table.csv')
    lines = written(tmp_path / 'table.csv')
    assert result.rows.dtype.names == tuple(lines[0])
    assert len(result) == len(result.rows) == 6
    for row, line in zip(result.rows, lines, strict=True):
        for name, text in line.items():
            value = row[name]
            assert math.isnan(value) if text == '' else value == float(text)


def test_each_point_is_a_simulation(result):
    for point in range(len(result)):
        found = result.point(point)
        assert racecar.simulate(
            trajectory='circle', tyre_model='fiala', duration=3.0, skip=1.0,
            set=found.parameters).metrics() == found.metrics


@pytest.mark.parametrize('metric', ['rmse', 'max_error', 'cross_track_rmse'])
def test_the_best_point_has_the_least_value(result, metric):
    best = result.best(metric)
    assert result.rows[metric][best.point] == result.rows[metric].min()
    assert best.parameters == {name: result.rows[name][best.point] for name in GRID}


def test_a_car_that_diverged_is_never_the_best():
    rear = 'single_track_simulator.vehicle.rear.cornering_stiffness'
    # One block: that of an older pytest keeps what it does not expect from an outer one.
    with pytest.warns(UserWarning, match='1 of 2 cars diverged') as caught:
        result = racecar.sweep(
            trajectory='circle', tyre_model='linear', duration=10.0,
            set={'trajectory_tracker.W': 2.0}, grid={rear: [1.0, 244.0]})
    said = '; '.join(str(row.message) for row in caught)
    assert 'the car cannot follow the reference' in said
    assert result.has_diverged.tolist() == [True, False]
    assert result.best().parameters == {rear: 244.0}
    assert np.isinf(result.ranked[0])


def test_a_sample_takes_arrays_and_a_seed():
    def drawn(seed):
        result = racecar.sweep(
            trajectory='line', duration=1.0, count=4, seed=seed,
            sample={'trajectory_tracker.Kp': {'uniform': np.array([2.0, 6.0])}})
        return result.rows['trajectory_tracker.Kp']

    assert drawn(3).tolist() == drawn(3).tolist() != drawn(4).tolist()
    assert np.all((drawn(3) >= 2.0) & (drawn(3) <= 6.0))


def test_values_that_are_no_numbers_are_a_column_of_objects():
    result = racecar.sweep(
        duration=1.0, grid={'trajectory_tracker.trajectory': ('circle', 'line')})
    assert result.rows['trajectory_tracker.trajectory'].tolist() == ['circle', 'line']
    assert result.rows['rmse'].dtype == np.float64
    assert result.rows['samples'].dtype.kind == 'i'
    result.plot()


class Pursuit:
    def __init__(self, vehicle, gain=2.0):
        self.gain = gain

    def command(self, odometry, reference):
        if self.gain > 5.0:
            raise ValueError('too much')
        return self.gain, 0.1


def test_a_class_drives_with_settings_that_vary_and_may_fail_at_some_points():
    with pytest.warns(UserWarning, match='the controller fails at 1 of 3 points'):
        result = racecar.sweep(
            'single_track', {'controller': Pursuit},
            trajectory='circle', duration=1.0, grid={'controller.gain': [1.0, 2.0, 9.0]})
    assert [bool(text) for text in result.rows['failure']] == [False, False, True]
    assert result.best().point in (0, 1)
    with pytest.raises(RunError, match='the controller fails at 1 of 1 points'):
        racecar.sweep(controller=Pursuit, duration=1.0, grid={'controller.gain': [9.0]})


def test_a_changed_vehicle_drives(result):
    heavy = racecar.Vehicle('racecar').replace(friction_coefficient=0.5)
    other = racecar.sweep(
        trajectory='circle', tyre_model='fiala', duration=3.0, skip=1.0, vehicle=heavy,
        grid={'trajectory_tracker.Kp': [2.0]})
    assert other.point(0).metrics == result.point(0).metrics


def test_it_says_in_one_line_which_point_is_the_best(result):
    assert re.fullmatch(
        r'<SweepResult kinematic_ode: 6 points of trajectory_tracker.Kp,'
        r' vehicle.friction_coefficient, 0 diverged; best RMSE [\d.]+ mm at .*>', repr(result))


def test_a_notebook_shows_the_best_points_first(result):
    html = result._repr_html_()
    shown = re.findall(r'<tr>(?:<td[^>]*>[^<]*</td>)+</tr>', html)
    first = re.findall(r'<td[^>]*>([^<]*)</td>', shown[0])
    assert [float(text) for text in first[:2]] == list(result.best().parameters.values())
    assert len(shown) == 6
    assert 'data:image/png;base64,' in html


def test_progress_is_shown_if_it_is_asked_for(capsys):
    racecar.sweep(duration=1.0, grid={'trajectory_tracker.Kp': [2.0]}, progress=True)
    assert 'simulating' in capsys.readouterr().err


@pytest.mark.parametrize(('arguments', 'kind', 'message'), [
    ({'gird': {}}, ConfigurationError, r"sweep\(\) has no argument 'gird'; did you mean grid"),
    ({}, ConfigurationError, 'expected either grid: or sample:'),
    ({'grid': {'trajectory_tracker.Kp': 3.0}}, ConfigurationError, 'expected a list of values'),
    ({'grid': {'trajectory_tracker.Kpp': [3.0]}}, ParameterError, 'did you mean Kp'),
    ({'file': {'gird': {}}}, ConfigurationError, "'gird' is unknown; did you mean grid"),
    ({'file': 'nothing.yaml'}, ConfigurationError, "sweep file 'nothing.yaml' cannot be read"),
    ({'file': 3}, ConfigurationError, 'sweep file is 3, expected a path or a dictionary'),
    ({'grid': GRID, 'jobs': 0}, ConfigurationError, 'jobs is 0, expected a whole number from 1'),
    ({'grid': GRID, 'duration': -1.0}, ConfigurationError, "'duration' is -1.0, expected second"),
])
def test_what_cannot_be_run_is_refused_with_value_and_remedy(arguments, kind, message):
    with pytest.raises(kind, match=message):
        racecar.sweep('kinematic_ode', **arguments)


def test_a_metric_that_is_none_is_refused(result):
    with pytest.raises(ConfigurationError, match="metric is 'rmsee', .*did you mean rmse"):
        result.best('rmsee')
    with pytest.raises(ConfigurationError, match="metric is 'trajectory_tracker.Kp'"):
        result.best('trajectory_tracker.Kp')


def test_without_pandas_it_is_said_what_to_install(result, monkeypatch):
    monkeypatch.setitem(sys.modules, 'pandas', None)
    with pytest.raises(ConfigurationError, match='pip install'):
        result.to_pandas()


def test_a_data_frame_has_the_columns_of_the_rows(result):
    pytest.importorskip('pandas', reason='pandas is not installed')
    frame = result.to_pandas()
    assert tuple(frame.columns) == result.rows.dtype.names
    assert frame['rmse'].tolist() == result.rows['rmse'].tolist()
