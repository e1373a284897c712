# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""`racecar sweep` with custom controllers: what varies, what fails, what is told."""

import csv
import json
from pathlib import Path
import time

import numpy as np
import pytest
import swept_controllers
import yaml

from racecar.analysis.sweep_figure import sweep_figure
from racecar.base.compiled import has_compiler
from racecar.base.errors import ConfigurationError, ParameterError
from racecar.cli.main import main
from racecar.simulation.batch import BatchSimulation
from racecar.stacks.sweep import load_sweep

ROOT = Path(__file__).parents[2]

@pytest.fixture
def sweep(tmp_path, capsys):
    """Run a sweep of a class of swept_controllers; return exit code, table, JSON and stderr."""
    def run(name, grid, *options, set_values=None, output='out', **changes):
        output = tmp_path / output
        code = main(['sweep', 'kinematic_ode', file(
            tmp_path, name, grid=grid, set=set_values or {}, **changes), '--output', str(output),
            '--json', *options])
        shown = capsys.readouterr()
        rows = []
        if output.exists():
            with open(output / 'results.csv', newline='') as stream:
                rows = list(csv.DictReader(stream))
        return code, rows, json.loads(shown.out or 'null'), shown.err

    return run


def file(folder, name, **content):
    path = folder / 'study.yaml'
    path.write_text(yaml.safe_dump({
        'controller': f'swept_controllers:{name}', 'duration': 3, 'skip': 0.5, **content},
        sort_keys=False))
    return str(path)


@pytest.mark.parametrize('name', ['Compiled', 'Plain'])
def test_each_car_gives_what_simulate_gives_to_the_bit(sweep, capsys, name):
    code, rows, outcome, said = sweep(
        name, {'controller.gain': [0.5, 2], 'vehicle.mass': [4.0, 6.0]}, '--jobs', '2',
        set_values={'controller.speed': 1.5}, tyre_model='fiala')
    assert (code, outcome['cars'], outcome['failed']) == (0, 4, 0)
    assert said.count(f'swept_controllers:{name}: ') == 1
    assert ('tick by tick' in said) == (name == 'Plain' or not has_compiler())
    for row in rows:
        mass = row['vehicle.mass']
        assert main([
            'simulate', 'kinematic_ode', '--controller', f'swept_controllers:{name}',
            '--tyre-model', 'fiala', '--duration', '3', '--skip', '0.5', '--json',
            '--set', 'controller.speed=1.5', '--set', f"controller.gain={row['controller.gain']}",
            '--set', f'trajectory_tracker.vehicle.mass={mass}',
            '--set', f'single_track_simulator.vehicle.mass={mass}']) == 0
        alone = json.loads(capsys.readouterr().out)
        del alone['real_time_factor']
        assert len(alone) > 6
        # What the run has not, such as the time of a lap, is left empty.
        assert {name: float(row[name]) if row[name] else None for name in alone} == alone
        assert (row['diverged_at'], row['failure']) == ('', '')
    assert outcome['best']['rmse'] == min(float(row['rmse']) for row in rows)
    assert len({row['rmse'] for row in rows}) == 4


@pytest.mark.skipif(not has_compiler(), reason='Numba is not installed, or switched off')
@pytest.mark.parametrize('name', ['Compiled', 'Uncompilable'])
def test_a_class_is_compiled_once_for_all_points(tmp_path, name):
    event = pytest.importorskip('numba.core.event')

    class Listener(event.Listener):  # type: ignore[name-defined] # not with every Numba
        compiled = 0

        def on_start(self, event):
            self.compiled += 1

        def on_end(self, event):
            pass

    # A step that no run before has left in the cache.
    text = Path(swept_controllers.__file__).read_text(encoding='utf-8')
    assert text.count('0.1 * integral') == 1
    (tmp_path / 'mine.py').write_text(
        text.replace('0.1 * integral', f'{0.1 + 1e-12 * (time.time_ns() % 10**9)!r} * integral'),
        encoding='utf-8')
    found = load_sweep('kinematic_ode', file(
        tmp_path, name, controller=f'{tmp_path}/mine.py:{name}',
        grid={'controller.gain': [0.5, 1.0, 2.0]}))
    fleets, listener = found.custom_fleets(), Listener()
    with event.install_listener('numba:compile', listener):
        made = [next(fleets)]
        at_first = listener.compiled
        made += fleets
    assert at_first > 0
    assert listener.compiled == at_first
    assert [fleet.loop.is_compilable for fleet in made] == [name == 'Compiled'] * 3


def test_a_point_at_which_the_controller_fails_does_not_end_the_others(sweep):
    code, rows, outcome, said = sweep('Plain', {'controller.gain': [0.0, 1.0, 2.0]})
    assert (code, outcome['cars'], outcome['failed'], outcome['diverged']) == (0, 3, 1, 0)
    assert ('warning: the controller fails at 1 of 3 points, the first (controller.gain=0): the'
            ' controller fails at 0 s: ZeroDivisionError') in said
    assert 'ZeroDivisionError' in rows[0]['failure']
    assert (rows[0]['rmse'], rows[0]['samples'], rows[0]['diverged_at']) == ('', '0', '')
    assert all(float(row['rmse']) > 0.0 and row['failure'] == '' for row in rows[1:])
    assert outcome['best']['parameters']['controller.gain'] in (1.0, 2.0)


def test_a_controller_that_fails_everywhere_is_an_error(sweep):
    code, rows, outcome, said = sweep(
        'Plain', {'controller.speed': [1.0, 2.0]}, set_values={'controller.gain': 0.0})
    assert (code, rows, outcome) == (1, [], None)
    assert 'error: the controller fails at 2 of 2 points, the first (controller.speed=1)' in said


def test_a_command_that_is_not_finite_is_a_failure_compiled_too(sweep):
    code, rows, outcome, said = sweep('NotFinite', {'controller.gain': [0.5, 99.0]})
    assert (code, outcome['failed'], outcome['diverged']) == (0, 1, 0)
    assert 'steering_angle=nan' in rows[0]['failure']
    assert 'expected finite numbers' in rows[0]['failure']


def test_cars_that_diverge_are_told_apart(sweep):
    code, rows, outcome, said = sweep(
        'Compiled', {'single_track_simulator.vehicle.rear.cornering_stiffness': [1.0, 244.0]},
        set_values={'controller.speed': 4.0, 'controller.gain': 3.0}, duration=8, skip=0,
        trajectory='circle', tyre_model='linear')
    assert code == 0
    assert (outcome['diverged'], outcome['failed']) == (1, 0)
    assert 0.0 < float(rows[0]['diverged_at']) < 8.0
    assert rows[1]['diverged_at'] == ''
    assert float(rows[0]['duration']) < float(rows[1]['duration'])
    assert 'warning: 1 of 2 cars diverged' in said


def test_settings_that_the_constructor_refuses_end_the_sweep_with_the_point(sweep):
    code, rows, _, said = sweep('Plain', {'controller.gain': [1.0, -1.0]})
    assert (code, rows) == (1, [])
    assert 'point 2 of 2 (controller.gain=-1): controller' in said
    assert 'ValueError: a negative gain' in said


def test_the_command_line_goes_over_the_file(sweep):
    code, _, _, said = sweep('Plain', {'controller.gain': [1.0]}, '--controller',
                             'swept_controllers:Compiled')
    assert code == 0
    assert 'swept_controllers:Compiled: ' in said


def test_parameters_of_the_law_are_accepted_although_it_does_not_run(tmp_path):
    found = load_sweep('dynamic_ode', file(
        tmp_path, 'Plain', trajectory='parking', set={'dynamic_linearizer.epsilon': 0.3},
        grid={'dynamic_linearizer.vehicle.mass': [4.0, 5.0]}))
    assert len(list(found.custom_fleets())) == 2


def test_settings_can_be_drawn(tmp_path):
    found = load_sweep('kinematic_ode', file(
        tmp_path, 'Needs', count=4, sample={
            'controller.gain': {'uniform': [1.0, 2.0]}, 'controller.any': {'normal': [0.0, 1.0]},
            'trajectory_tracker.Kp': {'uniform': [1.0, 2.0]}},
        set={'controller.path': 'a.csv'}))
    assert found.names == ('controller.gain', 'controller.any', 'trajectory_tracker.Kp')
    assert found.units == ('', '', '1/s')
    for values, _ in zip(found.points, found.custom_fleets(), strict=True):
        command = swept_controllers.Needs.last
        assert (command.gain, command.more, command.path) == (
            values[0], {'any': values[1]}, 'a.csv')
        assert type(command.gain) is float


def test_stock_sweeps_have_no_column_for_failures(tmp_path, capsys):
    output = tmp_path / 'out'
    assert main(['sweep', 'kinematic_ode', file(
        tmp_path, 'Plain', controller=None, grid={'trajectory_tracker.Kp': [1.0]}),
        '--output', str(output)]) == 0
    assert (output / 'results.csv').read_text().splitlines()[0].endswith(',diverged_at')


@pytest.mark.parametrize(('grid', 'marks'), [
    ({'controller.gain': [0.0, 1.0], 'controller.preview': [0.1, 0.3]}, 2),
    ({'controller.gain': [0.0, 1.0, 2.0]}, 1)])
def test_points_that_failed_are_crosses_in_the_picture(tmp_path, grid, marks):
    found = load_sweep('kinematic_ode', file(tmp_path, 'Plain', grid=grid))
    result = BatchSimulation(fleets=found.custom_fleets(), threads=1).run(1.0)
    figure = sweep_figure(
        'study', found.names, found.points, result.rmse, ~np.isnan(result.diverged_at),
        units=found.units, is_grid=True, failed=list(result.failures))
    crosses = [line for line in figure.axes[0].lines if line.get_marker() == 'x']
    assert sum(len(np.atleast_1d(line.get_xdata())) for line in crosses) == marks
    (title,) = figure.texts
    assert f'0 diverged, {marks} failed' in title.get_text()


def test_values_of_several_types_are_drawn(tmp_path):
    found = load_sweep('kinematic_ode', file(tmp_path, 'Needs', grid={
        'controller.gain': [2.0, 1.0], 'controller.path': ['b', 2.0, True]}))
    assert [point[1] for point in found.points] == ['b', 2.0, True] * 2
    figure = sweep_figure(
        'study', found.names, found.points, np.arange(1.0, 7.0), np.zeros(6, dtype=bool),
        units=found.units, is_grid=True)
    shown = [[label.get_text() for label in labels] for labels in (
        figure.axes[0].get_xticklabels(), figure.axes[0].get_yticklabels())]
    assert shown == [['1', '2'], ['b', '2', 'True']]


@pytest.mark.parametrize(('name', 'content', 'message'), [
    ('Plain', {'grid': {'controller.gian': [1.0]}},
     r"no setting 'gian': it takes gain, speed, preview; did you mean gain\?"),
    ('Plain', {'set': {'controller.gain': 'high'}, 'grid': {'controller.speed': [1.0]}},
     r"'gain' is 'high', expected a number"),
    ('Plain', {'grid': {'controller.speed': [True]}}, r"'speed' is True, expected a number"),
    ('Plain', {'sample': {'controller.any': {'uniform': [0, 1]}}, 'count': 2},
     r"has no setting 'any'"),
    ('Needs', {'grid': {'controller.gain': [1.0, [2.0]]}},
     r"grid 'controller\.gain' has \[2\.0\] among its values, expected single ones"),
    ('Missing', {'grid': {'controller.gain': [1.0]}}, r"there is no class 'Missing'"),
    ('Needs', {'grid': {'controller.path': ['a']}}, r'needs gain; give controller\.gain')])
def test_faulty_settings_are_refused_with_the_reason(tmp_path, name, content, message):
    with pytest.raises((ConfigurationError, ParameterError), match=message):
        list(load_sweep('kinematic_ode', file(tmp_path, name, **content)).custom_fleets())


@pytest.mark.skipif(not has_compiler(), reason='Numba is not installed, or switched off')
def test_noise_disturbs_compiled_controllers(sweep):
    grid = {'controller.gain': [0.5, 1.0, 2.0]}
    code, noisy, outcome, _ = sweep('Compiled', grid, noise={'x': 0.01}, seed=3)
    assert (code, outcome['failed'], outcome['diverged']) == (0, 0, 0)
    _, quiet, _, _ = sweep('Compiled', grid, output='quiet')
    for row, other in zip(noisy, quiet, strict=True):
        difference = abs(float(row['rmse']) - float(other['rmse']))
        assert 0.0 < difference < 0.1 * float(other['rmse'])


def test_noise_disturbs_controllers_in_plain_python(sweep):
    grid = {'controller.gain': [1.0]}
    code, (noisy,), _, _ = sweep('Plain', grid, noise={'x': 0.01}, seed=3)
    assert code == 0
    _, (quiet,), _, _ = sweep('Plain', grid, output='quiet')
    difference = abs(float(noisy['rmse']) - float(quiet['rmse']))
    assert 0.0 < difference < 0.1 * float(quiet['rmse'])


def test_a_setting_without_a_controller_is_refused(tmp_path):
    path = file(tmp_path, 'Plain', controller=None, grid={'controller.gain': [1.0]})
    with pytest.raises(ConfigurationError, match=r'is a setting of a custom controller'):
        load_sweep('kinematic_ode', path)


def test_the_example_is_tuned(monkeypatch, tmp_path, capsys):
    monkeypatch.chdir(ROOT)
    code = main(['sweep', 'kinematic_ode', 'docs/examples/tuned_pursuit_sweep.yaml', '--json',
                 '--output', str(tmp_path / 'out')])
    shown = capsys.readouterr()
    outcome = json.loads(shown.out)
    assert (code, outcome['cars'], outcome['failed']) == (0, 42, 0)
    # As docs/own_controller.md tells.
    assert outcome['best']['parameters'] == {'controller.preview': 0.3, 'controller.gain': 2.0}
    assert round(outcome['best']['rmse'], 5) == 0.00023
