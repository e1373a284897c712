# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""racecar.simulate(cars=...): a run of each car, what is kept of them, and what is refused."""

import json

import numpy as np
from presence import present
import pytest

import racecar
from racecar.base.errors import ConfigurationError
from racecar.cli.main import main

FLEET = """
- {name: red, laser: {rays: 54}, set: {gap_follower: {speed: 2.5}}}
- {name: blue, vehicle: f1tenth, laser: {rays: 54}}
"""


@pytest.fixture(scope='module')
def fleet(tmp_path_factory):
    path = tmp_path_factory.mktemp('fleet') / 'fleet.yaml'
    path.write_text(FLEET)
    return path


@pytest.fixture(scope='module')
def run(fleet):
    return racecar.simulate('gap_ode', cars=fleet, world='racetrack', duration=2.0, skip=1.0)


def test_each_car_has_a_run_of_its_own(run):
    assert [*run.cars] == ['red', 'blue']
    assert len(run.cars['red'].table) == 201
    for name, speed in (('red', 2.5), ('blue', 2.0)):
        one, figures = run.cars[name], run.metrics()[name]
        assert one.table['speed_command'][-1] == pytest.approx(speed)
        assert np.isnan(one.table['x_reference']).all()
        x, y = (one.table[axis][one.table['time'] >= 1.0] for axis in 'xy')
        assert figures['distance'] == pytest.approx(np.hypot(np.diff(x), np.diff(y)).sum())
        assert (figures['collisions'], one.collisions) == (0, 0)
        assert figures['lap_progress'] == present(one.laps()).progress > 0.0
    assert 'red' in repr(run)
    assert 'blue' in run._repr_html_()


def test_another_car_is_seen_but_its_settings_are_its_own(run, fleet):
    slow = racecar.simulate('gap_ode', cars=fleet, world='racetrack', duration=2.0,
                            set={'red/gap_follower.speed': 1.0})
    assert slow.cars['red'].table['speed_command'][-1] == 1.0
    # It has its way blocked.
    assert (slow.cars['blue'].table['steering_command']
            != run.cars['blue'].table['steering_command']).any()


def test_the_command_makes_the_same_and_makes_it_again(run, fleet, tmp_path, capsys):
    first, again = tmp_path / 'first', tmp_path / 'again'
    assert main(['simulate', 'gap_ode', '--cars', str(fleet), '--world', 'racetrack', '--skip',
                 '1', '--duration', '2', '--json', '-o', str(first)]) == 0
    shown = json.loads(capsys.readouterr().out)
    assert shown['cars'] == run.metrics()
    assert (first / 'report.html').is_file()
    assert (first / 'blue' / 'report.html').is_file()
    assert main(['simulate', '--from', str(first), '-o', str(again)]) == 0
    for name, one in run.cars.items():
        for folder in (first, again):
            found = racecar.load(folder / name)
            np.testing.assert_array_equal(found.table.rows, one.table.rows)


def test_a_number_stands_for_names_and_the_figure_shows_them_all(run, tmp_path):
    two = racecar.simulate('gap_ode', cars=2, duration=0.1)
    assert [*two.cars] == ['car1', 'car2']
    assert present(two.provenance).options['cars'] == ['car1', 'car2']
    path, speeds = run.plot().axes
    assert [text.get_text() for text in present(path.get_legend()).get_texts()] == ['red', 'blue']
    assert len(speeds.lines) == 2
    assert [file.name for file in run.write(tmp_path / 'a.csv')] == ['a-red.csv', 'a-blue.csv']


@pytest.mark.parametrize(('arguments', 'message'), [
    (('kinematic_ode', {'cars': 2}), 'would all follow one reference'),
    (('plant', {'cars': 2}), 'leaves the driving to nodes of your own'),
    (('gap_ode', {}), 'racecar simulate gap_ode --cars N'),
    (('gap_ode', {'cars': []}), 'expected names, their number, or a fleet file'),
    (('gap_ode', {'cars': 2, 'waypoints': 'racetrack'}), 'waypoints is .* follows no reference'),
    (('gap_ode', {'cars': 2, 'control_rate': 100.0}), 'control_rate is 100'),
    (('gap_ode', {'cars': 2, 'flying_start': True}), 'flying_start is True'),
    (('gap_ode', {'cars': 2, 'faults': 'kind: dead, target: scan, onset: 1.0, car: car1'}),
     'expected none with several cars')])
def test_what_several_cars_cannot_have_is_refused(arguments, message):
    name, given = arguments
    with pytest.raises(ConfigurationError, match=message):
        racecar.simulate(name, duration=0.1, **given)


def test_a_car_for_nodes_from_outside_is_refused(tmp_path):
    path = tmp_path / 'fleet.yaml'
    path.write_text('[{name: red}, {name: guest, stack: outside}]')
    with pytest.raises(ConfigurationError, match="car guest: stack is 'outside', expected"):
        racecar.simulate('gap_ode', cars=path, duration=0.1)


def test_a_car_that_diverges_is_warned_of_once_and_the_others_go_on(tmp_path):
    path = tmp_path / 'fleet.yaml'
    # Its rear slides away, faster and faster.
    path.write_text("""
- {name: red, laser: {rays: 54}}
- {name: wild, laser: {rays: 54}, start: [8.0, 0.0, 0.0], set: {gap_follower: {speed: 5.0}},
   simulator: {tyre_model: linear, vehicle.rear.cornering_stiffness: 0.5}}
""")
    with pytest.warns(UserWarning, match='wild: the car stands still from'):
        run = racecar.simulate('gap_ode', cars=path, world='racetrack', duration=6.0)
    assert [text[:28] for text in run.warnings] == ['wild: the car stands still f']
    assert run.cars['wild'].table['vx'][-1] == 0.0
    assert run.cars['red'].table['vx'][-1] == pytest.approx(2.0, abs=0.01)
