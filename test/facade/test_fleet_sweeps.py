# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""racecar.sweep(cars=...) and `racecar sweep --cars`: each point has the bits of simulate."""

import contextlib
import csv
import json

import pytest
import yaml

import racecar
from racecar.base.errors import ConfigurationError, ParameterError
from racecar.cli.main import main
from racecar.facade.chunks import Cores
from racecar.facade.datasets import DatasetWriter, open_dataset, run_into
from racecar.facade.fleet_datasets import FleetRows
from racecar.facade.fleet_sweeps import FleetSweepRun, result_of_cars
from racecar.stacks.fleet_sweep import make_fleet_sweep

FLEET = """
- {name: red, laser: {rays: 54}}
- {name: blue, vehicle: f1tenth, laser: {rays: 54}}
"""
SPEED, FRICTION = 'red/gap_follower.speed', 'vehicle.friction_coefficient'
GRID = {SPEED: [1.0, 3.0], FRICTION: [0.2]}
OF_ALL = {'single_track_simulator.vehicle_model': 'single_track', 'gap_follower.clearance': 0.25}


@pytest.fixture(scope='module')
def fleet(tmp_path_factory):
    path = tmp_path_factory.mktemp('fleet') / 'fleet.yaml'
    path.write_text(FLEET)
    return path


@pytest.fixture(scope='module')
def swept(fleet):
    return racecar.sweep('gap_ode', cars=fleet, world='racetrack', duration=1.5, skip=0.5,
                         set=OF_ALL, grid=GRID, jobs=2)


def test_each_point_has_the_bits_of_simulate(swept, fleet):
    columns = swept.columns()
    assert (columns[SPEED], columns[FRICTION]) == ([1.0, 3.0], [0.2, 0.2])
    for point in range(2):
        alone = racecar.simulate(
            'gap_ode', cars=fleet, world='racetrack', duration=1.5, skip=0.5,
            set={**OF_ALL, SPEED: columns[SPEED][point], FRICTION: 0.2}).metrics()
        assert {name: values[point] for name, values in columns.items()
                if '/' not in name and name != FRICTION and not name.endswith('.fault')} == {
                    f'{car}.{key}': value for car, figures in alone.items()
                    for key, value in figures.items()}
    assert columns['red.distance'][1] > 1.5 * columns['red.distance'][0]
    assert swept.best('red.distance') == 0
    assert swept.best('blue.max_speed') in (0, 1)
    assert 'red' in repr(swept)
    assert 'mean speed' in swept._repr_html_()


def test_the_command_writes_the_same_table(swept, fleet, tmp_path, capsys):
    file, output = tmp_path / 'study.yaml', tmp_path / 'out'
    file.write_text(yaml.safe_dump({
        'world': 'racetrack', 'duration': 1.5, 'skip': 0.5, 'set': OF_ALL, 'grid': GRID}))
    assert main(['sweep', 'gap_ode', str(file), '--cars', str(fleet), '--json', '-o',
                 str(output)]) == 0
    assert json.loads(capsys.readouterr().out)['columns'] == swept.columns()
    with open(output / 'results.csv', newline='') as stream:
        rows = [*csv.DictReader(stream)]
    for name, values in swept.columns().items():
        assert [row[name] for row in rows] == [
            '' if value is None else str(value) for value in values]
    assert (output / 'sweep.png').is_file()
    assert 'mean speed' in (output / 'report.html').read_text()
    # The folder is there now.
    assert main(['sweep', 'gap_ode', str(file), '--cars', '2', '-o', str(output)]) == 1
    assert main(['sweep', 'gap_ode', str(file), '--cars', '2', '--controller', 'gap']) == 1
    assert '--controller is for sweeps of one car' in capsys.readouterr().err


def test_a_scheduler_makes_a_dataset_as_for_one_car(swept, fleet, tmp_path, capsys, monkeypatch):
    asked = []

    def here(_, scheduler, *others):
        asked.append(scheduler)
        return contextlib.nullcontext(Cores(1))

    monkeypatch.setattr('racecar.cli.dataset.open_runners', here)
    file, output = tmp_path / 'study.yaml', tmp_path / 'out'
    file.write_text(yaml.safe_dump({
        'world': 'racetrack', 'duration': 1.5, 'skip': 0.5, 'set': OF_ALL, 'grid': GRID}))
    assert main(['sweep', 'gap_ode', str(file), '--cars', str(fleet), '--json', '-o', str(output),
                 '--scheduler', 'tcp://somewhere:8786']) == 0
    assert asked == ['tcp://somewhere:8786']
    assert json.loads(capsys.readouterr().out)['columns'] == swept.columns()
    assert (output / 'run.yaml').is_file()
    rows = FleetRows(make_fleet_sweep('gap_ode', {
        **yaml.safe_load(file.read_text()), 'cars': [str(fleet)]}))
    assert len(rows.outcomes(output)) == len(swept)


def test_a_sample_is_drawn_and_a_number_stands_for_names():
    made = make_fleet_sweep('gap_ode', {
        'cars': 2, 'count': 3, 'seed': 1, 'sample': {'car2/gap_follower.speed': {
            'uniform': [1.0, 2.0]}}})
    assert made.cars == ('car1', 'car2')
    speeds = [made.options_at(point).overrides['car2/gap_follower']['speed'] for point in range(3)]
    assert len({*speeds}) == 3
    assert all(1.0 <= float(str(speed)) <= 2.0 for speed in speeds)
    assert made.units == ('m/s',)


@pytest.mark.parametrize(('changes', 'error', 'message'), [
    ({'noise': {'x': 0.1}}, ConfigurationError, "'noise' is unknown"),
    ({'trajectory': 'circle'}, ConfigurationError, "'trajectory' is unknown"),
    ({'cars': []}, ConfigurationError, "'cars' is .* expected names, their number"),
    ({'grid': {}}, ConfigurationError, 'either grid: or sample:'),
    ({'grid': {'speed': [1.0]}}, ConfigurationError, 'expected node.parameter, or car/node'),
    ({'grid': {'green/gap_follower.speed': [1.0]}}, ConfigurationError, 'is of no node'),
    ({'grid': {'red/gap_follower.sped': [1.0]}}, ParameterError, 'did you mean speed'),
    ({'grid': {'red/gap_follower.speed': [-1.0]}}, ParameterError, 'speed'),
    ({'grid': {'vehicle.mass': [4.0], 'single_track_simulator.vehicle.mass': [5.0]}},
     ConfigurationError, r"'single_track_simulator\.vehicle\.mass' and 'vehicle\.mass' vary the"),
    ({'grid': {'gap_follower.speed': [1.0], 'red/gap_follower.speed': [2.0]}},
     ConfigurationError, "'red/gap_follower.speed' and 'gap_follower.speed' vary the same"),
    ({'duration': 0}, ConfigurationError, "'duration' is 0")])
def test_what_a_sweep_of_cars_cannot_have_is_refused(changes, error, message):
    with pytest.raises(error, match=message):
        make_fleet_sweep('gap_ode', {
            'cars': ['red', 'blue'], 'grid': {'red/gap_follower.speed': [1.0]}, **changes})


def test_configurations_with_one_car_or_nodes_of_others_are_refused():
    for name, message in (('kinematic_ode', 'follow one reference'),
                          ('plant', 'leaves the driving to nodes')):
        with pytest.raises(ConfigurationError, match=message):
            racecar.sweep(name, cars=2, grid={'vehicle.mass': [4.0]}, duration=0.1)


def keep(sweep, folder, *, most=None, resume=False):
    """Run a sweep into a dataset, until so many points have a row."""
    def stop(done):
        if done == most:
            raise KeyboardInterrupt

    rows = FleetRows(sweep)
    writer = DatasetWriter(folder, rows, '', resume=resume)
    return run_into(writer, Cores(1), sweep, stop), rows


def test_a_dataset_that_was_interrupted_is_gone_on_with_to_the_same_table(
        swept, fleet, tmp_path, capsys):
    content = {'cars': [str(fleet)], 'world': 'racetrack', 'duration': 1.5, 'skip': 0.5,
               'set': OF_ALL, 'grid': GRID}
    file, output = tmp_path / 'study.yaml', tmp_path / 'out'
    file.write_text(yaml.safe_dump(content))
    with pytest.raises(KeyboardInterrupt):
        keep(make_fleet_sweep('gap_ode', content), output, most=1)
    before = [path.name for path in output.glob('*.parquet')]
    assert before == ['points-00000000-00000000.parquet']
    with pytest.raises(ConfigurationError, match='is of several cars'):
        open_dataset(output)
    command = ['sweep', 'gap_ode', str(file), '-o', str(output), '--json']
    assert main(command) == 1
    assert 'go on with its dataset by --resume' in capsys.readouterr().err
    assert main([*command, '--resume']) == 0
    assert json.loads(capsys.readouterr().out)['columns'] == swept.columns()
    assert sorted(path.name for path in output.glob('*.parquet')) == [
        'points-00000000-00000000.parquet', 'points-00000001-00000001.parquet']
    swept.write_csv(tmp_path / 'table.csv')
    assert (output / 'results.csv').read_bytes() == (tmp_path / 'table.csv').read_bytes()
    assert (output / 'report.html').is_file()
    # Nothing is left to do, and of another file nothing can be done.
    assert main([*command, '--resume']) == 0
    file.write_text(yaml.safe_dump({**content, 'skip': 0.4}))
    assert main([*command, '--resume']) == 1
    assert 'is of another sweep' in capsys.readouterr().err


def test_one_point_of_a_file_is_run_alone(swept, fleet, tmp_path, capsys):
    file = tmp_path / 'study.yaml'
    file.write_text(yaml.safe_dump({
        'world': 'racetrack', 'duration': 1.5, 'skip': 0.5, 'set': OF_ALL, 'grid': GRID}))
    command = ['sweep', 'gap_ode', str(file), '--cars', str(fleet), '--json', '-o',
               str(tmp_path / 'out'), '--point']
    assert main([*command, '2']) == 0
    assert json.loads(capsys.readouterr().out)['columns'] == {
        name: values[1:] for name, values in swept.columns().items()}
    assert main([*command, '3']) == 1
    assert '--point 3 is not in the file, expected 1 to 2' in capsys.readouterr().err
    assert main([*command, '1', '--dataset']) == 1
    assert 'leave out the dataset' in capsys.readouterr().err


def test_a_point_that_cannot_be_run_has_a_row_that_says_so(fleet, tmp_path):
    sweep = make_fleet_sweep('gap_ode', {
        'cars': [str(fleet)], 'duration': 0.1, 'world': 'racetrack', 'set': OF_ALL,
        'grid': {'single_track_simulator.laser.range_min': [0.1, 50.0]}})
    outcome, rows = keep(sweep, tmp_path / 'out')
    assert (outcome.done, outcome.unmade) == (2, 1)
    assert 'point 2 of 2' in outcome.warning
    columns = result_of_cars('study', sweep, rows.outcomes(tmp_path / 'out')).columns()
    assert columns['red.distance'][1] is None
    assert columns['red.fault'][0] == ''
    assert 'range_min' in str(columns['red.fault'][1])
    with pytest.raises(ConfigurationError, match='point 2 of 2'):
        FleetSweepRun('study', sweep, Cores(1)).run()
