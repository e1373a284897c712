# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""The stacks of the 3-D world: their nodes, PACEJKA, and how `racecar simulate` tracks in them."""

import json
import sys

import pytest

from racecar.base.errors import ConfigurationError, ParameterError
from racecar.cli.main import main
from racecar.description.vehicle_description import describe_vehicle
from racecar.stacks import describe_stack, StackOptions

WORLDS = ('kinematic_world', 'kinematic_world_pacejka', 'dynamic_world', 'driver_world')

# As in the report: the law believes in a wheelbase of 0.2 m, its tracker has no limits.
REPORT = ('--set', 'kinematic_linearizer.vehicle.cog_to_front_axle=0.1',
          '--set', 'kinematic_linearizer.vehicle.cog_to_rear_axle=0.1',
          '--set', 'trajectory_tracker.catch_up_speed=100.0',
          '--set', 'trajectory_tracker.exact_feed_forward=false')


@pytest.fixture(autouse=True)
def without_pacejka(monkeypatch):
    monkeypatch.delenv('PACEJKA', raising=False)


@pytest.fixture
def simulate(capsys):
    """Run `racecar simulate` and return its JSON object."""
    def run(name, *arguments):
        assert main(['simulate', name, '--json', *map(str, arguments)]) == 0
        return json.loads(capsys.readouterr().out)
    return run


def describe(name, **options):
    return {d.full_name: d for d in describe_stack(name, StackOptions(**options))}


def world_of(name, **options):
    return describe(name, **options)['world_simulator'].resolve()


@pytest.mark.parametrize(('name', 'contact', 'interface', 'point'), [
    ('kinematic_world', 'coulomb', 'ackermann', 'base_link'),
    ('kinematic_world_pacejka', 'pacejka', 'ackermann', 'base_link'),
    ('dynamic_world', 'pacejka', 'ackermann', 'cog'),
    ('driver_world', 'pacejka', 'wheel_torques', None)])
def test_stacks_have_the_world_in_the_place_of_the_planar_simulator(
        name, contact, interface, point):
    planar = {'dynamic_world': 'dynamic_ode', 'driver_world': 'driver'}.get(name, 'kinematic_ode')
    assert list(describe(name)) == [
        full.replace('single_track_simulator', 'world_simulator') for full in describe(planar)]
    found = world_of(name)
    assert (found['contact_model'], found['command_interface']) == (contact, interface)
    if point is not None:
        assert describe(name)['trajectory_tracker'].resolve()['tracked_point'] == point


@pytest.mark.parametrize('name', WORLDS)
def test_joint_states_have_the_name_of_the_original(name):
    nodes = describe(name, record='bag')
    assert ('joint_states', 'racecar/joint_states') in nodes['world_simulator'].remappings
    assert 'racecar/joint_states' in nodes['bag_recorder'].resolve()['topics']
    if name == 'driver_world':
        assert ('joint_states', 'racecar/joint_states') in nodes['driver_bridge'].remappings


@pytest.mark.parametrize(('text', 'contact'), [
    ('1', 'pacejka'), ('true', 'pacejka'), ('ON', 'pacejka'), ('', 'coulomb'), ('0', 'coulomb'),
    ('no', 'coulomb')])
def test_pacejka_in_the_environment_chooses_tyre_forces(monkeypatch, text, contact):
    monkeypatch.setenv('PACEJKA', text)
    assert world_of('kinematic_world')['contact_model'] == contact
    # What the user says goes over it.
    for chosen in ('coulomb', 'pacejka'):
        assert world_of('kinematic_world', overrides={
            'world_simulator': {'contact_model': chosen}})['contact_model'] == chosen


def test_pacejka_that_is_neither_yes_nor_no_is_refused_in_one_line(monkeypatch, capsys):
    monkeypatch.setenv('PACEJKA', 'perhaps')
    assert main(['simulate', 'kinematic_world', '--duration', '1']) == 1
    assert capsys.readouterr().err.splitlines()[-1] == (
        "racecar simulate: error: PACEJKA is 'perhaps' in the environment, expected one of 1,"
        ' true, yes, on, 0, false, no, off')
    # Nobody else is concerned.
    assert describe('kinematic_ode')


def test_joints_are_commanded_by_servo_commands():
    nodes = describe('kinematic_world', overrides={'world_simulator': {
        'command_interface': 'wheel_controllers', 'speed_to_wheel_rate': 10.0}})
    servo = nodes['servo_commands'].resolve()
    assert servo['speed_to_wheel_rate'] == 10.0
    assert servo['vehicle.name'] == 'racecar'
    assert 'servo_commands' not in describe('kinematic_world')


def test_a_world_that_does_not_resolve_is_told_by_its_node():
    world = describe('kinematic_world', overrides={
        'world_simulator': {'contact_model': 'ice'}})['world_simulator']
    with pytest.raises(ParameterError, match="node world_simulator: parameter 'contact_model' is"):
        world.explicit_parameters()


@pytest.mark.parametrize('name', ['kinematic_world', 'dynamic_world'])
def test_tyres_and_world_are_chosen_as_everywhere(name):
    found = world_of(name, tyre_model='fiala', world='cones', sensors=('laser',))
    assert (found['tyre_model'], found['world'], found['sensors']) == ('fiala', 'cones', ['laser'])


# How it tracks

# Each of the report's runs with both tyres is in test_reproduce.py; these go through the command.
@pytest.mark.parametrize(('name', 'scale', 'trajectory', 'duration', 'lowest', 'highest'), [
    ('kinematic_world', 10.0, 'figure_eight', 80, 0.086, 0.098),
    ('kinematic_world_pacejka', 20.0, 'line', 60, 0.0, 0.045)])
def test_the_report_s_gazebo_runs(simulate, name, scale, trajectory, duration, lowest, highest):
    # Tracker and law at their 100 Hz, odometry at 20 Hz, as nodes in real time.
    found = simulate(
        name, *REPORT, '--trajectory', trajectory, '--duration', duration, '--control-rate', 100,
        '--set', f'world_simulator.speed_to_wheel_rate={scale}',
        '--set', 'world_simulator.wheel_drive=servos')
    assert lowest <= found['rmse'] <= highest
    assert found['samples'] == 20 * duration + 1


def test_control_at_each_odometry_tracks_too(simulate):
    found = simulate('kinematic_world_pacejka', '--duration', 30)
    assert found['samples'] == 601
    assert found['rmse'] < 0.02


def test_the_dynamic_law_tracks_a_fast_circle(simulate):
    found = simulate('dynamic_world', '--trajectory', 'circle', '--duration', 20, '--skip', 5,
                     '--set', 'world_simulator.rate=100.0')
    assert found['rmse'] < 0.02


def test_control_rate_holds_the_odometry_of_the_planar_simulator_too(simulate):
    usual = simulate('kinematic_ode', '--duration', 5)
    same = simulate('kinematic_ode', '--duration', 5, '--control-rate', 100)
    held = simulate('kinematic_ode', '--duration', 5, '--control-rate', 100,
                    '--set', 'single_track_simulator.rate=20.0')
    assert {**same, 'real_time_factor': 0} == {**usual, 'real_time_factor': 0}
    assert held['samples'] == 101
    assert held['rmse'] != usual['rmse']


@pytest.mark.parametrize(('arguments', 'message'), [
    (('--control-rate', '30'), 'control rate is 30 Hz, expected a whole number times the rate of'
     ' the odometry, 20 Hz'),
    (('--control-rate', '10'), 'control rate is 10 Hz, expected a whole number times'),
    (('--controller', 'own.py:Own', '--control-rate', '100'), 'control_rate is of tracker and'),
    (('--set', 'world_simulator.step=0.003'), 'rate of odometry of 20 Hz: its period'),
    (('--world', 'nowhere'), "'nowhere' is neither a file nor one of"),
    (('--set', 'world_simulator.command_interface=wheel_controllers'),
     'takes speed and steering angle; `racecar up` runs it')])
def test_what_cannot_be_is_refused_in_one_line(capsys, tmp_path, monkeypatch, arguments, message):
    monkeypatch.chdir(tmp_path)
    (tmp_path / 'own.py').write_text(
        'class Own:\n    def __init__(self, vehicle): pass\n'
        '    def command(self, o, r): return (1.0, 0.0)\n')
    assert main(['simulate', 'kinematic_world', '--duration', '1', *arguments]) == 1
    last = capsys.readouterr().err.splitlines()[-1]
    assert last.startswith('racecar simulate: error: ')
    assert message in last


def test_a_run_against_a_wall_counts_the_collisions(simulate, tmp_path):
    world = tmp_path / 'wall.yaml'
    world.write_text('walls:\n  - {points: [[2, -5], [2, 5]], thickness: 0.2}\n')
    found = simulate('kinematic_world', '--trajectory', 'line', '--duration', 5,
                     '--world', world)
    assert found['collisions'] >= 1


def test_a_sweep_varies_the_world(tmp_path, capsys):
    path = tmp_path / 'sweep.yaml'
    path.write_text(
        'duration: 4.0\nset: {trajectory_tracker.trajectory: circle}\n'
        'grid:\n  world_simulator.speed_to_wheel_rate: [10.0, 20.0]\n'
        '  world_simulator.contact_model: [coulomb, pacejka]\n')
    assert main(['sweep', 'kinematic_world', str(path), '--json', '--output',
                 str(tmp_path / 'out')]) == 0
    found = json.loads(capsys.readouterr().out)
    assert found['cars'] == 4
    assert found['best']['parameters']['world_simulator.speed_to_wheel_rate'] == 20.0


def test_a_controller_of_one_s_own_drives_in_the_world(tmp_path, capsys):
    path = tmp_path / 'own.py'
    path.write_text(
        'import math\n\n\nclass Own:\n    def __init__(self, vehicle): pass\n'
        '    def command(self, odometry, reference):\n'
        '        dx, dy = reference.x - odometry.x, reference.y - odometry.y\n'
        '        turn = math.remainder(math.atan2(dy, dx) - odometry.yaw, math.tau)\n'
        '        return math.hypot(reference.vx, reference.vy) + math.hypot(dx, dy), turn\n')
    assert main(['simulate', 'kinematic_world', '--duration', '20', '--json',
                 '--controller', f'{path}:Own']) == 0
    captured = capsys.readouterr()
    assert json.loads(captured.out)['rmse'] < 0.5


def test_driver_world_follows_no_trajectory():
    with pytest.raises(ConfigurationError, match='the configuration driver_world follows none'):
        describe('driver_world', trajectory='circle')


@pytest.mark.parametrize(('rate', 'joints', 'fits'), [
    (100.0, 100.0, True), (50.0, 100.0, True), (20.0, 50.0, False), (100.0, 50.0, False)])
def test_the_driver_gets_the_wheels_with_each_odometry(rate, joints, fits):
    overrides = {'world_simulator': {'rate': rate, 'joint_states_rate': joints}}
    describe('driver_world', overrides=overrides)
    if fits:
        describe('driver_world', lockstep=True, overrides=overrides)
    else:
        with pytest.raises(ConfigurationError, match='joint_states_rate of world_simulator is'):
            describe('driver_world', lockstep=True, overrides=overrides)


@pytest.mark.parametrize(('module', 'message'), [
    ('mujoco', 'the 3-D world needs mujoco, which is not installed: pip install'),
    ('xacro', 'xacro is not installed')])
def test_what_is_not_installed_is_named_in_one_line(capsys, monkeypatch, module, message):
    monkeypatch.setitem(sys.modules, module, None)
    describe_vehicle.cache_clear()
    assert main(['simulate', 'kinematic_world', '--duration', '1']) == 1
    assert message in capsys.readouterr().err.splitlines()[-1]
    # Everything else works.
    assert main(['simulate', 'kinematic_ode', '--duration', '1']) == 0
