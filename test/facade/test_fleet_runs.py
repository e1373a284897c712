# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""racecar.simulate(cars=...): a run of each car, what is kept of them, and what is refused."""

import json

import numpy as np
from PIL import Image
from presence import present
import pytest

import racecar
from racecar.base.errors import ConfigurationError, RunError
from racecar.cli.main import main
from racecar.cockpit.replay.opening import open_recording

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


def test_a_folder_that_cannot_be_made_is_told_before_the_run(tmp_path, capsys):
    (tmp_path / 'file').touch()
    place = tmp_path / 'file' / 'run'
    assert main(['simulate', 'gap_ode', '--cars', '2', '--duration', '0.1', '-o',
                 str(place)]) == 1
    told = capsys.readouterr()
    assert f"--output '{place}' cannot be made: Not a directory; name another" in told.err
    assert not told.out


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


@pytest.fixture(scope='module')
def kept(run, tmp_path_factory):
    return run.save(tmp_path_factory.mktemp('kept') / 'both')


def test_a_fleet_that_was_kept_is_loaded_as_one(run, kept):
    again = racecar.load(kept)
    assert isinstance(again, racecar.FleetRun)
    assert [*again.cars] == ['red', 'blue']
    assert again.skip == run.skip
    for name, one in run.cars.items():
        np.testing.assert_array_equal(again.cars[name].table.rows, one.table.rows)
        # Of the vehicle of this car, by the fleet file.
        assert again.cars[name].motion.steering_range == one.motion.steering_range
        expected = {key: value for key, value in run.metrics()[name].items()
                    if key != 'collisions'}
        assert again.metrics()[name] == expected
    assert again.cars['red'].motion.steering_range != again.cars['blue'].motion.steering_range
    np.testing.assert_array_equal(
        racecar.load(kept, car='blue').table.rows, run.cars['blue'].table.rows)


def test_commands_take_all_cars_or_the_one_that_is_named(run, kept, tmp_path, capsys):
    assert main(['compare', str(kept), '--json', '-o', str(tmp_path / 'all')]) == 0
    found = json.loads(capsys.readouterr().out)['runs']
    assert [one['name'] for one in found] == ['red', 'blue']
    assert [one['distance'] for one in found] == pytest.approx(
        [run.metrics()[name]['distance'] for name in run.cars], rel=1e-9)
    assert main(['compare', str(kept), str(kept / 'red'), '--car', 'blue', '--json', '-o',
                 str(tmp_path / 'one')]) == 0
    assert [one['name'] for one in json.loads(capsys.readouterr().out)['runs']] == [
        'both/blue', 'red']
    page = (tmp_path / 'all' / 'report.html').read_text()
    assert 'red and blue' in page
    for name, words in (('all', ()), ('one', ('--car', 'blue'))):
        assert main(['animate', str(kept), '-o', str(tmp_path / f'{name}.png'), *words]) == 0
    reds = {name: int((np.asarray(Image.open(tmp_path / f'{name}.png').convert('RGB'))
                       == (211, 47, 47)).all(axis=2).sum()) for name in ('all', 'one')}
    assert reds['all'] > 50
    assert reds['one'] == 0


@pytest.mark.parametrize(('words', 'message'), [
    (('compare', '{}', '--car', 'rod'), 'expected one of red, blue; did you mean red?'),
    (('compare', '{}', '--car', 'red'), 'expected at least two runs'),
    (('compare', '{}/red', '{}/blue', '--car', 'red'), 'expected none, as no run has several'),
    (('analyze', '{}'), 'expected the choice of one: red, blue'),
    (('animate', '{}', '--car', 'rod'), 'expected one of red, blue'),
    (('render', 'run', '{}', '--car', 'rod'), 'expected one of red, blue; did you mean red?'),
    (('render', 'run', '{}/red', '--car', 'red'), 'it has a single robot: leave it out'),
    (('render', 'world', 'racetrack', '--car', 'red'), '--car is not for a world')])
def test_a_car_that_is_not_there_is_refused_and_the_cars_are_named(
        kept, words, message, capsys, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert main([word.format(kept) for word in words]) == 1
    assert message in capsys.readouterr().err
    with pytest.raises(RunError, match='is of a single car'):
        racecar.load(kept / 'red', car='red')


def test_a_folder_of_several_cars_is_replayed_with_all_of_them(run, tmp_path):
    recording = open_recording(run.save(tmp_path / 'two'))
    messages = [json.loads(frame) for frame in recording.opening if frame[:1] == b'{']
    robots = {message['car']: message for message in messages if message['type'] == 'robot'}
    assert [*robots] == ['red', 'blue']
    assert recording.end == pytest.approx(2.0)
    for (car, robot), rows in zip(robots.items(), recording.block(0).robots, strict=True):
        x = rows.values[:, robot['columns'].index('x')]
        assert x.tolist() == run.cars[car].table['x'][:len(x)].tolist()
