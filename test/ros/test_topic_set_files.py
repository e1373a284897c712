# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""Sets of topic names are files, also of one's own, and what is wrong in one is named."""

import pytest

from racecar.base.errors import ConfigurationError, ParameterError
from racecar.base.share import topic_set_names
from racecar.ros.topics.robots import find_robots, odometry_beside
from racecar.ros.topics.sets import names_in_all_sets, topic_set, topic_sets
from racecar.stacks import describe_stack, StackOptions

MINE = """
summary: mine
topics: {vesc/odom: state/odom, rear/scan: back, joint_states: joints}
parameters: {laser.rays: 7, sensors: [laser], rate: 50.0}
"""


def described(**options):
    return {row.name: row for row in describe_stack('plant', StackOptions(**options))}


@pytest.fixture
def mine(tmp_path):
    path = tmp_path / 'mine.yaml'
    path.write_text(MINE, encoding='utf-8')
    return path


def test_a_file_is_a_set(mine):
    nodes = described(topic_names=str(mine))
    assert ('vesc/odom', 'state/odom') in nodes['single_track_simulator'].remappings
    values = nodes['single_track_simulator'].resolve()
    assert (values['laser.rays'], values['sensors'], values['rate']) == (7, ['laser'], 50.0)


def test_a_set_in_a_folder_of_the_user_is_known_by_name_to_readers(mine, monkeypatch):
    monkeypatch.setenv('RACECAR_TOPIC_NAMES', f'{mine.parent}:/nowhere')
    assert 'mine' in topic_set_names()
    assert topic_set('mine').summary == 'mine'
    robot, = find_robots(['/car1/state/odom'], lambda _: False)
    assert (robot.namespace, robot.names) == ('/car1', 'mine')
    assert 'state/odom' in names_in_all_sets('vesc/odom')


def test_values_of_a_set_give_way_to_those_of_the_user(mine, tmp_path):
    file = tmp_path / 'own.yaml'
    file.write_text('/**:\n  ros__parameters: {laser.rays: 9}\n', encoding='utf-8')
    for more, expected in (({'params_file': str(file)}, 9),
                           ({'overrides': {'single_track_simulator': {'laser.rays': 11}}}, 11),
                           ({'sensors': ('laser', 'imu')}, 7)):
        values = described(topic_names=str(mine), **more)['single_track_simulator'].resolve()
        assert values['laser.rays'] == expected
        assert values['sensors'] == [*more.get('sensors', ['laser'])]


def test_muxes_steer_twists_by_the_wheelbase_of_the_vehicle():
    muxes = [row for row in describe_stack('plant', StackOptions(
        vehicle='bmw_x5', overrides={'vehicle': {'cog_to_rear_axle': 2.0}}))
        if row.executable == 'ackermann_mux']
    assert len(muxes) == 2
    wheelbase = muxes[0].resolve()['wheelbase']
    assert wheelbase == pytest.approx(1.6862 + 2.0)
    chosen, = {row.resolve()['wheelbase'] for row in describe_stack('plant', StackOptions(
        overrides={'vesc/high_level/ackermann_cmd_mux': {'wheelbase': 0.5}}))
        if row.name == 'ackermann_cmd_mux' and 'high' in row.namespace}
    assert chosen == 0.5


@pytest.mark.parametrize(('text', 'message'), [
    ('[]', 'the file is .*expected a mapping with summary'),
    ('topic: {}', "a key is 'topic', expected another one; did you mean topics"),
    ('rank: first', "rank is 'first', expected a value of type int"),
    ('topics: {vesc/odim: odom}', "a topic is 'vesc/odim', .*did you mean vesc/odom"),
    ('topics: {vesc/odom: /odom}', "the name of vesc/odom is '/odom', expected a relative"),
    ('topics: {vesc/odom: 3}', 'the name of vesc/odom is 3, expected a relative'),
    ('shared: [drive]', "an item of shared is 'drive', expected one of"),
    ('muxes: {mux: mux/low_level}', "an item of muxes is 'mux', expected one of vesc/high"),
    ('muxes: {vesc/high_level/ackermann_cmd_mux: 1}', 'the file of .* is 1, expected the name'),
    ('parameters: {laser.ray: 3}', "parameter 'laser.ray' .*unknown to all nodes; .*laser.rays"),
    ('parameters: {laser.rays: many}', "laser.rays.* is 'many', expected"),
])
def test_what_is_wrong_in_a_file_is_named(tmp_path, text, message):
    path = tmp_path / 'wrong.yaml'
    path.write_text(text, encoding='utf-8')
    with pytest.raises((ConfigurationError, ParameterError), match=message):
        described(topic_names=str(path))['single_track_simulator'].resolve()


def test_every_shipped_set_has_a_summary_and_a_rank_of_its_own():
    sets = topic_sets()
    assert next(iter(sets)) == 'racecar'
    assert all(row.summary for row in sets.values())
    assert len({row.rank for row in sets.values()}) == len(sets)


def test_odometry_beside_that_of_a_car_is_called_alike_and_one_level_beside():
    published = ['/lab/red/vesc/odom', '/lab/blue/vesc/odom', '/lab/vesc/odom', '/vesc/odom',
                 '/lab/green/ground_truth/odom', '/lab/a/b/vesc/odom', '/other/red/vesc/odom']
    assert odometry_beside('/lab/red/vesc/odom', '/lab/red', published) == {
        '/lab/blue': '/lab/blue/vesc/odom'}
    assert odometry_beside('/blue/vesc/odom', '/blue', ['/red/vesc/odom', '/vesc/odom']) == {
        '/red': '/red/vesc/odom'}
    assert odometry_beside('/vesc/odom', '', published) == {}
