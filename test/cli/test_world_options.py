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


TWO_LASERS = """
/**:
  ros__parameters:
    sensors: [laser, laser:rear]
    rear: {x: -0.1, z: 0.14, yaw: 3.14159}
"""


def simulator_values(tmp_path, text=TWO_LASERS, **options):
    file = tmp_path / 'mine.yaml'
    file.write_text(text)
    return part('single_track_simulator', params_file=str(file), **options).resolve()


@pytest.mark.parametrize('text', [
    TWO_LASERS, TWO_LASERS.replace('/**:', 'single_track_simulator:')])
def test_a_second_laser_is_two_lines_of_a_parameter_file(tmp_path, text):
    values = simulator_values(tmp_path, text)
    assert values['sensors'] == ['laser', 'laser:rear']
    assert (values['rear.x'], values['rear.yaw'], values['rear.rate']) == (-0.1, 3.14159, 40.0)


def test_a_second_laser_may_come_from_options_alone(tmp_path):
    values = part('single_track_simulator', sensors=('laser', 'laser:rear'), overrides={
        'single_track_simulator': {'rear.x': -0.2}}).resolve()
    assert (values['sensors'], values['rear.x']) == (['laser', 'laser:rear'], -0.2)
    options = from_texts(LAUNCH, {'sensors': 'laser laser:rear'})
    assert options.sensors == ('laser', 'laser:rear')


def test_sensors_that_an_option_chooses_replace_those_of_a_file(tmp_path):
    values = simulator_values(tmp_path, sensors=('imu',))
    assert values['sensors'] == ['imu']
    assert 'rear.x' not in values
    assert simulator_values(tmp_path, sensors=('imu', 'laser:rear'))['rear.x'] == -0.1


def test_each_of_several_sensors_is_recorded(tmp_path):
    recorded = part('bag_recorder', record=str(tmp_path / 'a'), lockstep=True, sensors=(
        'laser:front', 'laser:rear', 'camera:left', 'imu:nose')).parameters
    wanted = ['front/scan', 'rear/scan', 'left/image_rect_color', 'left/camera_info', 'nose/data']
    assert recorded['topics'][:5] == wanted
    assert set(wanted) <= set(recorded['awaited'])


@pytest.mark.parametrize(('text', 'message'), [
    (TWO_LASERS.replace('laser:rear', 'laser:back'),
     r"line 5: parameter 'rear\.x' is unknown to what .* stands for"),
    (TWO_LASERS.replace('z:', 'height:'), r"parameter 'rear\.height' is unknown"),
    (TWO_LASERS.replace('laser:rear', 'lasr:rear'),
     "'lasr:rear', which is unknown; did you mean laser"),
    (TWO_LASERS.replace('-0.1', '-1000.0'), r"'rear\.x' is -1000\.0, expected a number in")])
def test_what_is_wrong_with_a_second_laser_in_a_file_is_told(tmp_path, text, message):
    with pytest.raises((ConfigurationError, ParameterError), match=message):
        simulator_values(tmp_path, text)


def test_the_gap_follower_needs_the_laser_that_is_called_so(tmp_path):
    with pytest.raises(ConfigurationError, match="'laser:rear'.*, expected laser among them"):
        describe_stack('gap_ode', StackOptions(sensors=('laser:rear',)))
    describe_stack('gap_ode', StackOptions(sensors=('laser:rear', 'laser')))
