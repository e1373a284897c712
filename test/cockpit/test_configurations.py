# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""What a page may start."""

import pytest

from racecar.base.errors import ConfigurationError
from racecar.cli.main import main
from racecar.cockpit.configurations import command_words, configurations


def test_every_choice_that_a_page_is_offered_names_no_file_and_no_code():
    names = {option['name'] for row in configurations() for option in row['options']}
    assert not names & {'params_file', 'overrides', 'controller', 'record', 'without', 'teleop'}
    for row in configurations():
        for option in row['options']:
            assert option['kind'] in ('choice', 'number', 'flag', 'names')
            assert (option['kind'] in ('choice', 'names')) == ('choices' in option)


def test_a_page_is_told_of_no_file_where_it_offers_names():
    helps = {option['help'] for one in configurations() for option in one['options']
             if option['kind'] in ('choice', 'names')}
    assert 'what stands around the car' in helps
    assert not [text for text in helps if 'file' in text or 'by name' in text]


def test_a_page_is_offered_each_choice_once_by_its_name():
    for row in configurations():
        for option in row['options']:
            choices = option.get('choices', [])
            assert not [name for name in choices if name.isdecimal()]
            assert len(set(choices)) == len(choices)


def test_configurations_say_whether_they_follow_a_trajectory_and_have_a_driver():
    rows = {row['name']: row for row in configurations()}
    assert rows['kinematic_ode']['follows_trajectory']
    assert not rows['kinematic_ode']['is_driver']
    assert rows['driver']['is_driver']
    assert 'trajectory' not in [option['name'] for option in rows['teleop']['options']]


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
    ('kinematic_ode', {'lockstep': 1.5}, 'expected true or false'),
    ('teleop', {'trajectory': 'circle'}, "option 'trajectory' is unknown"),
])
def test_what_is_not_offered_is_refused(name, options, reason):
    with pytest.raises(ConfigurationError, match=reason):
        command_words(name, options)


def test_a_namespace_that_no_robot_can_have_is_refused_instead_of_waited_for(capsys):
    assert main(['cockpit', '--attach', '--namespace', 'a b']) == 1
    error = capsys.readouterr().err
    assert error.startswith("racecar cockpit: error: namespace 'a b' is no name, expected letters")
    assert error.count('\n') == 1
