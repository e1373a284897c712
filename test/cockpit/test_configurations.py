# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""What a page may start."""

import sys

import pytest

from racecar.base.errors import ConfigurationError
from racecar.catalogue import titles
from racecar.cli.main import main
from racecar.cockpit.configurations import command_words, configurations, stack_options
from racecar.stacks import StackOptions, STACKS

ROWS = configurations(with_nodes=True)


def test_every_choice_that_a_page_is_offered_names_no_file_and_no_code():
    names = {option['name'] for row in ROWS for option in row['options']}
    assert not names & {'params_file', 'overrides', 'controller', 'record', 'without', 'teleop'}
    for row in ROWS:
        for option in row['options']:
            assert option['kind'] in ('choice', 'number', 'count', 'flag', 'names')
            assert (option['kind'] in ('choice', 'names')) == ('choices' in option)


def test_a_page_is_told_of_no_file_where_it_offers_names():
    helps = {option['help'] for one in ROWS for option in one['options']
             if option['kind'] in ('choice', 'names')}
    assert 'what stands around the car' in helps
    assert not [text for text in helps if 'file' in text or 'by name' in text]


def test_a_page_is_offered_each_choice_once_by_its_name():
    for row in ROWS:
        for option in row['options']:
            choices = option.get('choices', [])
            assert not [name for name in choices if name.isdecimal()]
            assert len(set(choices)) == len(choices)


def test_configurations_say_whether_they_follow_a_trajectory_and_have_a_driver():
    rows = {row['name']: row for row in ROWS}
    assert rows['kinematic_ode']['follows_trajectory']
    assert not rows['kinematic_ode']['is_driver']
    assert rows['driver']['is_driver']
    assert 'trajectory' not in [option['name'] for option in rows['teleop']['options']]


def test_everything_that_can_be_chosen_has_a_name_for_people_of_its_own():
    rows = configurations(with_nodes=True)
    assert len({row['title'] for row in rows}) == len(rows)
    for row in rows:
        for option in row['options']:
            if option['name'] in ('vehicle', 'trajectory', 'waypoints', 'tyre_model', 'world',
                                  'sensors'):
                assert set(option['titles']) == set(option['choices'])
                assert len(set(option['titles'].values())) == len(option['choices'])


def test_names_for_people_are_of_what_there_is():
    offered = {
        'vehicle': titles.VEHICLES, 'trajectory': titles.TRAJECTORIES, 'world': titles.WORLDS,
        'waypoints': titles.WAYPOINTS, 'tyre_model': titles.TYRE_MODELS,
        'sensors': titles.SENSORS}
    for name, known in offered.items():
        found = {choice for row in configurations(with_nodes=True) for option in row['options']
                 if option['name'] == name for choice in option['choices']}
        assert set(known) == found
    assert set(titles.CONFIGURATIONS) == set(STACKS)


def test_a_default_is_what_the_files_of_the_configuration_say():
    usual = {row['name']: {option['name']: option['usual'] for option in row['options']}
             for row in configurations(with_nodes=True)}
    assert usual['kinematic_ode']['vehicle'] == 'racecar'
    assert usual['kinematic_ode']['trajectory'] == 'figure_eight'
    assert usual['differential_wheels']['vehicle'] == 'pioneer'
    assert (usual['gap_ode']['world'], usual['gap_ode']['sensors']) == ('tunnel', ['laser'])


def test_what_needs_a_library_that_is_not_installed_says_how_to_get_it(monkeypatch):
    monkeypatch.setitem(sys.modules, 'mujoco', None)
    rows = {row['name']: row['unavailable'] for row in configurations(with_nodes=False)}
    assert [name for name, text in rows.items() if text] == [
        'kinematic_world', 'kinematic_world_pacejka', 'dynamic_world', 'driver_world',
        'gap_world', 'teleop_world']
    assert rows['driver_world'].startswith('needs mujoco: pip install ')
    assert {row['unavailable'] for row in ROWS} == {''}


def test_options_become_words_of_up():
    assert command_words('teleop', {
        'vehicle': 'f1tenth', 'sensors': ['laser', 'imu'], 'real_time_factor': 2,
        'world': None, 'lockstep': False}) == [
            'up', 'teleop', '--vehicle', 'f1tenth', '--sensors', 'laser imu',
            '--real-time-factor', '2.0', '--teleop', 'none']
    assert command_words('kinematic_ode', {'lockstep': True, 'active': False}) == [
        'up', 'kinematic_ode', '--lockstep', '--inactive']


@pytest.mark.parametrize(('name', 'options', 'reason'), [
    ('kinematic_od', {}, 'did you mean kinematic_ode'),
    (3, {}, 'configuration is 3'),
    ('plant', {}, "configuration is 'plant'"),
    ('kinematic_ode', [], 'expected an object'),
    ('kinematic_ode', {'record': '/tmp/x'}, "option 'record' is unknown"),
    ('kinematic_ode', {'controller': 'evil.py:Law'}, "option 'controller' is unknown"),
    ('kinematic_ode', {'vehicle': '/etc/passwd'}, 'option vehicle is'),
    ('kinematic_ode', {'world': '--help'}, 'option world is'),
    ('kinematic_ode', {'waypoints': '../x.csv'}, 'option waypoints is'),
    ('kinematic_ode', {'real_time_factor': 'fast'}, 'expected a number'),
    ('kinematic_ode', {'real_time_factor': -1}, 'expected a number'),
    ('kinematic_ode', {'sensors': 'laser'}, 'expected a list'),
    ('kinematic_ode', {'sensors': [['laser']]}, 'expected a list'),
    ('kinematic_ode', {'active': 1.5}, 'expected true or false'),
    ('teleop', {'trajectory': 'circle'}, "option 'trajectory' is unknown"),
])
def test_what_is_not_offered_is_refused(name, options, reason):
    for check in (command_words, stack_options):
        with pytest.raises(ConfigurationError, match=reason):
            check(name, options)


def test_lockstep_is_an_option_of_nodes_only():
    assert 'lockstep' in [option['name'] for option in ROWS[0]['options']]
    without, *_ = configurations(with_nodes=False)
    assert 'lockstep' not in [option['name'] for option in without['options']]
    assert stack_options('teleop', {'world': 'tunnel', 'end_time': 3}) == StackOptions(
        world='tunnel', end_time=3.0)


@pytest.mark.parametrize('option', ['--ros', '--attach'])
def test_where_there_is_no_ros_what_needs_it_is_refused_with_the_remedy(
        monkeypatch, capsys, option):
    monkeypatch.setitem(sys.modules, 'rclpy', None)
    assert main(['cockpit', option]) == 1
    error = capsys.readouterr().err
    assert error.startswith(f'racecar cockpit: error: {option} needs ROS 2')
    assert 'leave the option out' in error


def test_a_namespace_that_no_robot_can_have_is_refused_instead_of_waited_for(capsys):
    assert main(['cockpit', '--attach', '--namespace', 'a b']) == 1
    error = capsys.readouterr().err
    assert error.startswith("racecar cockpit: error: namespace 'a b' is no name, expected letters")
    assert error.count('\n') == 1
