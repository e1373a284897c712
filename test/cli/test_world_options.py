# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""World and sensors as run options: who gets them, what is recorded, what is told."""

import json

import pytest

from racecar.base.errors import ConfigurationError, ParameterError
from racecar.cli.main import main
from racecar.stacks import describe_stack, StackOptions
from racecar.stacks.options import from_texts, LAUNCH, run_options, SIMULATE, SWEEP, UP

WALL = 'walls: [{points: [[1, -9], [1, 9]]}]\n'


def part(executable, **options):
    return next(d for d in describe_stack('kinematic_ode', StackOptions(**options))
                if d.executable == executable)


@pytest.fixture
def wall(tmp_path):
    path = tmp_path / 'wall.yaml'
    path.write_text(WALL)
    return str(path)


def test_the_simulator_gets_world_and_sensors():
    values = part('single_track_simulator', world='tunnel', sensors=('laser', 'imu')).resolve()
    assert (values['world'], values['sensors']) == ('tunnel', ['laser', 'imu'])
    values = part('single_track_simulator').resolve()
    assert (values['world'], values['sensors']) == ('empty', [])


@pytest.mark.parametrize('way', [LAUNCH, UP, SIMULATE, SWEEP])
def test_every_way_to_run_takes_a_world(way):
    names = [row.name for row in run_options(way)]
    assert 'world' in names
    # Who has no topics has nobody to listen to a sensor.
    assert ('sensors' in names) == (way in (LAUNCH, UP))


def test_launch_arguments_are_the_same_options():
    options = from_texts(LAUNCH, {'world': 'room', 'sensors': 'laser, imu'})
    assert (options.world, options.sensors) == ('room', ('laser', 'imu'))


def test_a_bag_holds_what_the_sensors_send_and_the_world(tmp_path):
    recorded = part('bag_recorder', record=str(tmp_path / 'a'), world='room', sensors=('laser',),
                    lockstep=True).parameters
    assert recorded['topics'][:4] == ['map', 'collisions', 'in_collision', 'scan']
    assert recorded['topics'][-1] == 'vesc/odom'
    assert 'scan' in recorded['awaited']
    plain = part('bag_recorder', record=str(tmp_path / 'b')).parameters
    assert not {'map', 'collisions', 'scan', 'imu/data'} & set(plain['topics'])


def test_sensors_of_a_parameter_file_are_recorded_too(tmp_path):
    file = tmp_path / 'mine.yaml'
    file.write_text('single_track_simulator: {ros__parameters: {sensors: [imu]}}')
    recorded = part('bag_recorder', record=str(tmp_path / 'a'), params_file=str(file)).parameters
    assert 'imu/data' in recorded['topics']


@pytest.mark.parametrize(('options', 'error', 'message'), [
    ({'world': 'moon'}, ConfigurationError, "world 'moon' is neither a file nor one of ar,"),
    ({'sensors': ('radar',)}, ParameterError, "'sensors' names 'radar', which is unknown")])
def test_what_cannot_be_recorded_is_refused_before_anything_starts(
        options, error, message, tmp_path):
    with pytest.raises(error, match=message):
        describe_stack('kinematic_ode', StackOptions(record=str(tmp_path / 'a'), **options))


def test_simulate_tells_the_collisions_where_there_is_a_world(wall, capsys):
    arguments = ['simulate', 'kinematic_ode', '--duration', '5', '--json']
    assert main([*arguments, '--world', wall]) == 0
    assert json.loads(capsys.readouterr().out)['collisions'] >= 1
    assert main(arguments) == 0
    assert 'collisions' not in json.loads(capsys.readouterr().out)
    assert main([*arguments[:-1], '--world', wall]) == 0
    assert 'collisions' in capsys.readouterr().out


def test_simulate_refuses_an_unknown_world_in_one_line(capsys):
    assert main(['simulate', 'kinematic_ode', '--world', 'tunel']) != 0
    error = capsys.readouterr().err
    assert "world 'tunel' is neither a file nor one of" in error
    assert error.count('\n') == 1


def test_a_sweep_tells_the_collisions_of_each_point(wall, tmp_path, capsys):
    file = tmp_path / 'sweep.yaml'
    file.write_text(f'duration: 5\nworld: {wall}\ngrid:\n  trajectory_tracker.Kp: [2.0, 3.0]\n')
    assert main(['sweep', 'kinematic_ode', str(file), '--output', str(tmp_path / 'out')]) == 0
    assert 'collided' in capsys.readouterr().out
    table = next((tmp_path / 'out').glob('*.csv')).read_text().splitlines()
    column = table[0].split(',').index('collisions')
    assert all(int(line.split(',')[column]) >= 1 for line in table[1:])
    assert len(table) == 3
