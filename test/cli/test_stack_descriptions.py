# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""Which nodes a configuration has, what they are given, and --set."""

import pytest

from racecar.base.errors import BagError, ConfigurationError, ParameterError
from racecar.cli.main import main
from racecar.control.custom_controller import read_settings
from racecar.stacks import commands_of, describe_stack, parse_overrides, StackOptions
from racecar.stacks.options import from_texts, parse_names

FULL_NAMES = ['trajectory_tracker', 'kinematic_linearizer',
              'vesc/high_level/ackermann_cmd_mux', 'vesc/low_level/ackermann_cmd_mux',
              'single_track_simulator']


def describe(**options):
    return {d.full_name: d for d in describe_stack('kinematic_ode', StackOptions(**options))}


def test_kinematic_ode_has_the_nodes_of_the_report():
    assert list(describe()) == FULL_NAMES


def test_wheels_are_recorded_for_those_who_ask():
    usual = describe(record='bag')['bag_recorder'].resolve()['topics']
    more = describe(record='bag', tyre_data=True)['bag_recorder'].resolve()['topics']
    assert not [topic for topic in usual if '_pub/' in topic]
    assert set(more) > set(usual)
    assert len(more) == len(usual) + 16
    assert more[-1] == 'vesc/odom'
    with pytest.raises(ConfigurationError, match='name a folder with record'):
        describe(tyre_data=True)


def test_recorder_comes_first_so_that_it_misses_nothing(tmp_path):
    nodes = describe(record=str(tmp_path / 'bag'))
    assert list(nodes) == ['bag_recorder', *FULL_NAMES]
    assert nodes['bag_recorder'].resolve()['folder'] == str(tmp_path / 'bag')


def test_all_but_the_simulator_use_simulated_time():
    assert [name for name, d in describe().items() if not d.use_sim_time] == [
        'single_track_simulator']


@pytest.mark.parametrize('lockstep', [False, True])
def test_lockstep_reaches_every_node_of_the_loop(lockstep):
    assert {d.resolve()['lockstep'] for d in describe(lockstep=lockstep).values()} == {lockstep}


@pytest.mark.parametrize(
    ('options', 'awaited'),
    [({}, 0), ({'lockstep': True}, 2), ({'lockstep': True, 'record': 'bag'}, 3),
     ({'observers': 1}, 1), ({'lockstep': True, 'record': 'bag', 'observers': 2}, 5)])
def test_simulator_waits_for_everybody_who_must_hear_the_first_tick(options, awaited):
    values = describe(**options)['single_track_simulator'].resolve()
    assert values['wait_for_subscribers'] == awaited


def test_vehicle_is_the_same_for_linearizer_and_simulator():
    nodes = describe(vehicle='report')
    for name in ('kinematic_linearizer', 'single_track_simulator'):
        assert nodes[name].resolve()['vehicle.name'] == 'report'


def test_vehicle_may_be_a_file(tmp_path):
    path = tmp_path / 'mine.yaml'
    text = describe()['kinematic_linearizer'].parameter_files[-1].read_text(encoding='utf-8')
    path.write_text(text.replace('name: racecar', 'name: mine'))
    nodes = describe(vehicle=str(path))
    assert nodes['single_track_simulator'].resolve()['vehicle.name'] == 'mine'


def test_namespace_stands_before_nodes_and_joined_topics():
    nodes = describe(namespace='/car1/')
    assert list(nodes) == [f'car1/{name}' for name in FULL_NAMES]
    assert dict(nodes['car1/vesc/high_level/ackermann_cmd_mux'].remappings) == {
        '~/navigation': '/car1/vesc/ackermann_cmd_mux/input/navigation',
        '~/cmd_vel': '/car1/cmd_vel'}


def test_muxes_are_joined_as_the_relays_of_the_original():
    nodes = describe()
    assert dict(nodes['vesc/high_level/ackermann_cmd_mux'].remappings) == {
        '~/navigation': '/vesc/ackermann_cmd_mux/input/navigation', '~/cmd_vel': '/cmd_vel'}
    assert dict(nodes['vesc/low_level/ackermann_cmd_mux'].remappings) == {
        '~/teleop': '/vesc/ackermann_cmd_mux/input/teleop',
        '~/safety': '/vesc/ackermann_cmd_mux/input/safety',
        '~/safety_clear': '/vesc/ackermann_cmd_mux/input/safety_clear',
        '~/driver': '/vesc/ackermann_cmd_mux/input/driver',
        '~/driver_hold': '/vesc/ackermann_cmd_mux/input/driver_hold',
        '~/input/navigation': '/vesc/high_level/ackermann_cmd_mux/output'}


def test_f1tenth_names_are_remapped_at_both_ends():
    nodes = describe(topic_names='f1tenth')
    assert ('vesc/odom', 'odom') in nodes['single_track_simulator'].remappings
    assert ('vesc/odom', 'odom') in nodes['trajectory_tracker'].remappings
    assert ('vesc/ackermann_cmd_mux/input/navigation', 'drive') in \
        nodes['kinematic_linearizer'].remappings
    assert ('~/navigation', '/drive') in nodes['vesc/high_level/ackermann_cmd_mux'].remappings
    assert ('~/teleop', '/teleop') in nodes['vesc/low_level/ackermann_cmd_mux'].remappings


def test_options_left_out_leave_the_parameters_of_the_files():
    simulator = describe()['single_track_simulator'].resolve()
    assert (simulator['real_time_factor'], simulator['tyre_model']) == (1.0, 'linear')


def test_options_go_over_the_files():
    nodes = describe(real_time_factor=0.0, tyre_model='fiala', end_time=3.0, trajectory='line',
                     active=False)
    simulator = nodes['single_track_simulator'].resolve()
    assert (simulator['real_time_factor'], simulator['tyre_model'], simulator['end_time']) == (
        0.0, 'fiala', 3.0)
    tracker = nodes['trajectory_tracker'].resolve()
    assert (tracker['trajectory'], tracker['active']) == ('line', False)


def test_override_goes_over_everything(tmp_path):
    path = tmp_path / 'mine.yaml'
    path.write_text('/**: {ros__parameters: {trajectory: parabola, Kp: 2.0}}\n')
    nodes = [d for d in describe_stack('kinematic_ode', StackOptions(
        trajectory='line', params_file=str(path),
        overrides={'trajectory_tracker': {'trajectory': 'circle'}}))
        if d.name == 'trajectory_tracker']
    assert nodes[0].parameters['trajectory'] == 'circle'


def test_override_of_a_name_that_several_nodes_have_is_refused():
    with pytest.raises(ConfigurationError, match=(
            r"node 'ackermann_cmd_mux' stands for several, give vesc/high_level/\S+ or vesc/low")):
        describe(overrides={'ackermann_cmd_mux': {'lockstep': True}})


def test_override_by_the_full_name_reaches_one_node():
    nodes = describe(overrides={'vesc/low_level/ackermann_cmd_mux': {'lockstep': True}})
    assert nodes['vesc/low_level/ackermann_cmd_mux'].resolve()['lockstep'] is True
    assert nodes['vesc/high_level/ackermann_cmd_mux'].resolve()['lockstep'] is False


def test_override_of_a_node_that_is_not_there_is_refused():
    with pytest.raises(ConfigurationError, match=(
            "node 'tracker' is not part of kinematic_ode, expected one of kinematic_linearizer")):
        describe(overrides={'tracker': {'Kp': 1.0}})


def test_bad_value_is_refused_with_the_name_of_the_node():
    nodes = describe(overrides={'trajectory_tracker': {'Kp': -1.0}})
    with pytest.raises(ParameterError, match="node trajectory_tracker: parameter 'Kp' is -1"):
        nodes['trajectory_tracker'].resolve()


@pytest.mark.parametrize(
    ('options', 'message'),
    [({'topic_names': 'autoware'}, "topic names 'autoware' is neither a file nor .* racecar"),
     ({'namespace': 'car 1'}, "namespace 'car 1' is no name, expected letters"),
     ({'namespace': 'a//b'}, "namespace 'a//b' is no name, expected letters"),
     ({'namespace': '1st'}, "namespace '1st' is no name, expected letters"),
     ({'vehicle': 'tank'}, "vehicle 'tank' is neither a file nor one of bmw_x5, car_2014")])
def test_unknown_choice_is_refused_with_what_there_is(options, message):
    with pytest.raises(ConfigurationError, match=message):
        describe(**options)


def test_unknown_configuration_is_refused_with_what_there_is():
    with pytest.raises(ConfigurationError, match="'flying' is unknown, expected one of kinematic"):
        describe_stack('flying', StackOptions())


@pytest.mark.parametrize(
    ('text', 'value'),
    [('3', 3), ('3.5', 3.5), ('true', True), ('line', 'line'), ("'3'", '3'),
     ('[a, b]', ['a', 'b']),
     ('a=b', 'a=b'), ('', None)])
def test_value_of_set_is_read_as_yaml(text, value):
    assert parse_overrides([f'node.key={text}']) == {'node': {'key': value}}


def test_parameter_of_set_may_have_dots_and_the_node_slashes():
    assert parse_overrides(['/vesc/low/mux.a.b=1', 'node.c=2', 'node.d=3']) == {
        'vesc/low/mux': {'a.b': 1}, 'node': {'c': 2, 'd': 3}}


@pytest.mark.parametrize('text', ['', 'node', 'node.key', 'node=3', '.key=3', 'node.=3', '=3'])
def test_set_of_another_form_is_refused_with_an_example(text):
    with pytest.raises(ConfigurationError, match=r'expected node\.parameter=value, for example'):
        parse_overrides([text])


def test_value_of_set_that_is_not_yaml_is_refused():
    with pytest.raises(ConfigurationError, match='the value is not YAML'):
        parse_overrides(['node.key=[1'])


# The configuration driver

DRIVER_NAMES = ['driver_bridge', 'vesc/high_level/ackermann_cmd_mux',
                'vesc/low_level/ackermann_cmd_mux', 'single_track_simulator']


def describe_driver(**options):
    return {d.full_name: d for d in describe_stack('driver', StackOptions(**options))}


def test_driver_has_bridge_muxes_and_a_car_with_four_wheels():
    nodes = describe_driver()
    assert list(nodes) == DRIVER_NAMES
    values = nodes['single_track_simulator'].resolve()
    assert (values['vehicle_model'], values['tyre_model']) == ('double_track', 'fiala')


@pytest.mark.parametrize('vehicle', [
    'racecar', 'bmw_x5', 'car_2014', 'citroen_czero', 'tesla_model3', 'toyota_prius'])
def test_driver_and_car_are_of_one_vehicle(vehicle):
    nodes = describe_driver(vehicle=vehicle)
    for name in ('driver_bridge', 'single_track_simulator'):
        assert nodes[name].resolve()['vehicle.name'] == vehicle


def test_a_vehicle_without_engine_and_gears_is_refused():
    with pytest.raises(ParameterError, match=r'report.yaml. has no parameters car\.\*'):
        describe_driver(vehicle='report')


def test_engine_and_gears_may_come_from_the_user(tmp_path):
    path = tmp_path / 'mine.yaml'
    path.write_text('driver_bridge: {ros__parameters: {car: {type: 4x4, gear_ratio: [-1, 2.5]}}}')
    nodes = describe_driver(vehicle='report', params_file=str(path))
    # Whole numbers too: a list of ROS has one type.
    assert [repr(ratio) for ratio in nodes['driver_bridge'].explicit_parameters()[
        'car.gear_ratio']] == ['-1.0', '2.5']


@pytest.mark.parametrize(
    ('options', 'awaited'),
    [({}, 0), ({'lockstep': True}, 1), ({'lockstep': True, 'record': 'bag'}, 2)])
def test_car_waits_for_the_bridge_in_lockstep(options, awaited):
    nodes = describe_driver(**options)
    assert nodes['single_track_simulator'].resolve()['wait_for_subscribers'] == awaited
    assert nodes['driver_bridge'].resolve()['lockstep'] is options.get('lockstep', False)


def test_driver_records_what_the_driver_does():
    nodes = describe_driver(record='bag')
    assert list(nodes) == ['bag_recorder', *DRIVER_NAMES]
    topics = nodes['bag_recorder'].resolve()['topics']
    assert {'driver/state', 'vesc/wheel_command'} < set(topics)
    assert 'virtual_velocities' not in topics
    assert topics[-1] == 'vesc/odom'


def test_driver_follows_no_trajectory():
    with pytest.raises(ConfigurationError, match="trajectory is 'line', but the configur"):
        describe_driver(trajectory='line')


@pytest.mark.parametrize(('names', 'odometry'), [
    ('racecar', '/vesc/odom'), ('f1tenth', '/odom'), ('f1tenth_gym', '/ego_racecar/odom'),
    ('f1tenth_pf', '/pf/pose/odom')])
def test_topic_names_reach_the_loop_and_the_recorder(names, odometry):
    nodes = describe(topic_names=names, record='bag')
    for name in ('trajectory_tracker', 'kinematic_linearizer', 'single_track_simulator'):
        renamed = dict(nodes[name].remappings)
        assert f"/{renamed.get('vesc/odom', 'vesc/odom')}" == odometry
        assert (renamed.get('vesc/ackermann_cmd_mux/input/navigation') == 'drive') == (
            names != 'racecar')
    assert nodes['bag_recorder'].resolve()['topics'][-1] == odometry[1:]


@pytest.mark.parametrize('names', ['', 'racecar', 'f1tenth', 'cmd_vel'])
def test_a_set_of_names_that_is_chosen_is_not_replaced(names):
    nodes = describe_stack('differential_wheels', StackOptions(topic_names=names))
    renamed = dict(next(node for node in nodes if node.executable == 'trajectory_tracker')
                   .remappings)
    assert renamed.get('vesc/odom', 'vesc/odom') == (
        'vesc/odom' if names == 'racecar' else 'odom')
    assert ('vesc/ackermann_cmd_mux/input/navigation' in renamed) == (names == 'f1tenth')


def test_overrides_are_refused_in_the_words_of_the_user():
    with pytest.raises(ConfigurationError, match=r"^--set 'Kp': expected node\.parameter=value"):
        parse_overrides(['Kp'])
    with pytest.raises(ConfigurationError, match=r"^set 'Kp': expected node\.parameter=value"):
        parse_overrides(['Kp'], 'set')
    with pytest.raises(ConfigurationError, match=r"^set: node 'tracker' is not part of"):
        describe(overrides={'tracker': {'Kp': 1}}, overrides_option='set')
    with pytest.raises(ConfigurationError, match=r"^--set: node 'ackermann_cmd_mux' stands for"):
        describe(overrides={'ackermann_cmd_mux': {}})


@pytest.mark.parametrize(('place', 'reason'), [
    ('/proc/bag', 'cannot be made: No such file or directory'),
    ('/proc/1/status/bag', 'cannot be made: Not a directory'),
    ('.', 'exists already'), ('x' * 5000, 'cannot be made: File name too long')])
def test_bag_that_cannot_be_made_stops_before_the_drive(place, reason):
    with pytest.raises(BagError, match=f"bag folder '{place}' {reason}"):
        describe(record=place)


def test_bag_that_can_be_made_is_not_made_yet(tmp_path):
    describe(record=str(tmp_path / 'above' / 'bag'))
    assert list(tmp_path.iterdir()) == []


def test_bag_on_a_full_disk_stops_before_the_drive(tmp_path, monkeypatch):
    def refuse(*_):
        raise OSError(28, 'No space left on device')

    monkeypatch.setattr('pathlib.Path.write_text', refuse)
    with pytest.raises(BagError, match='cannot be made: No space left on device'):
        describe(record=str(tmp_path / 'bag'))
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize('lockstep', [False, True])
def test_recorder_awaits_the_tracked_point_before_the_odometry(tmp_path, lockstep):
    nodes = describe(record=str(tmp_path / 'bag'), lockstep=lockstep)
    assert nodes['bag_recorder'].resolve()['awaited'][0] == 'tracked_point'


# Nodes and custom controllers


def describe_plant(**options):
    return {d.full_name: d for d in describe_stack('plant', StackOptions(**options))}


def test_plant_has_the_reference_but_no_law():
    assert list(describe_plant()) == [name for name in FULL_NAMES if 'linearizer' not in name]


@pytest.mark.parametrize('name', ['plant', 'kinematic_ode'])
@pytest.mark.parametrize(('options', 'listeners', 'topics'), [
    ({}, 0, []), ({'lockstep': True}, 2, ['vesc/ackermann_cmd_mux/input/navigation']),
    ({'lockstep': True, 'record': 'bag', 'observers': 1}, 4,
     ['vesc/ackermann_cmd_mux/input/navigation'])])
def test_lockstep_waits_for_the_node_of_the_user(name, options, listeners, topics):
    without = () if name == 'plant' else ('kinematic_linearizer',)
    nodes = {d.full_name: d for d in describe_stack(
        name, StackOptions(**options, without=without))}
    assert 'kinematic_linearizer' not in nodes
    values = nodes['single_track_simulator'].resolve()
    assert (values['wait_for_subscribers'], values['wait_for_publishers']) == (listeners, topics)


@pytest.mark.parametrize(('without', 'awaited'), [
    ((), []), (('trajectory_tracker',), ['virtual_velocities']),
    (('trajectory_tracker', 'kinematic_linearizer'), ['vesc/ackermann_cmd_mux/input/navigation']),
    (('vesc/high_level/ackermann_cmd_mux',), ['vesc/high_level/ackermann_cmd_mux/output']),
    (('vesc/low_level/ackermann_cmd_mux',), ['vesc/low_level/ackermann_cmd_mux/output']),
    (('kinematic_linearizer', 'vesc/high_level/ackermann_cmd_mux',
      'vesc/low_level/ackermann_cmd_mux'), ['vesc/low_level/ackermann_cmd_mux/output'])])
def test_what_nobody_publishes_any_more_is_waited_for(without, awaited):
    nodes = describe(lockstep=True, without=without)
    assert not {*without} & {*nodes}
    assert nodes['single_track_simulator'].resolve()['wait_for_publishers'] == awaited


def test_driver_without_its_bridge_waits_for_another_driver():
    nodes = describe_driver(lockstep=True, without=('driver_bridge',))
    assert nodes['single_track_simulator'].resolve()['wait_for_publishers'] == [
        'vesc/ackermann_cmd_mux/input/driver']


@pytest.mark.parametrize(('name', 'high', 'low'), [
    ('kinematic_ode', 'navigation', 'input/navigation'),
    ('driver', '', 'driver,driver_hold,input/navigation')])
def test_muxes_know_which_inputs_lockstep_waits_for(name, high, low):
    nodes = {d.full_name: d for d in describe_stack(name, StackOptions(lockstep=True))}
    for level, awaited in (('high', high), ('low', low)):
        values = nodes[f'vesc/{level}_level/ackermann_cmd_mux'].resolve()
        assert values['awaited'] == awaited


def test_node_to_leave_out_may_have_a_namespace_before_it():
    for name in ('kinematic_linearizer', 'car1/kinematic_linearizer'):
        nodes = describe(namespace='car1', without=(name,))
        assert list(nodes) == [f'car1/{n}' for n in FULL_NAMES if 'linearizer' not in n]


@pytest.mark.parametrize(('without', 'message'), [
    ('kinematic_linerizer', r"without: node 'kinematic_linerizer' is not part of kinematic_ode,"
                            r' expected one of .*; did you mean kinematic_linearizer\?$'),
    ('ackermann_cmd_mux', "without: node 'ackermann_cmd_mux' stands for several, give vesc/high"),
    ('bag_recorder', "without: node 'bag_recorder' is not part of kinematic_ode")])
def test_node_to_leave_out_that_is_not_there_is_refused(without, message):
    with pytest.raises(ConfigurationError, match=message):
        describe(without=(without,))


def test_names_to_leave_out_come_one_by_one_or_in_a_list():
    assert parse_names(['a,b/c', '/d e']) == ('a', 'b/c', 'd', 'e')
    assert from_texts('launch', {'without': 'a, b'}).without == ('a', 'b')
    assert from_texts('launch', {'without': ''}).without == ()


def test_values_for_nodes_that_are_left_out_are_accepted(tmp_path):
    path = tmp_path / 'mine.yaml'
    path.write_text('kinematic_linearizer: {ros__parameters: {epsilon: 0.2}}\n')
    left = {'without': ('kinematic_linearizer',), 'params_file': str(path)}
    describe(**left, overrides={'kinematic_linearizer': {'minimum_speed': 0.02}})
    path.write_text('kinematic_linearizer: {ros__parameters: {epsilonn: 0.2}}\n')
    with pytest.raises(ConfigurationError, match='did you mean epsilon'):
        describe(**left)
    with pytest.raises(ParameterError, match=r"node kinematic_linearizer: .*'epsilon' is -1"):
        describe(without=('kinematic_linearizer',), overrides={
            'kinematic_linearizer': {'epsilon': -1.0}})


def test_points_of_a_law_that_is_left_out_are_not_checked():
    override = {'trajectory_tracker': {'tracked_point': 'cog'}}
    describe(without=('kinematic_linearizer',), overrides=override)
    with pytest.raises(ConfigurationError, match='tracked_point of trajectory_tracker'):
        describe(overrides=override)


@pytest.mark.parametrize('name', ['kinematic_ode', 'dynamic_ode', 'plant'])
def test_controller_takes_the_place_of_the_law(name):
    nodes = {d.full_name: d for d in describe_stack(
        name, StackOptions(controller='my:Own', lockstep=True))}
    assert list(nodes) == [n for n in FULL_NAMES if 'linearizer' not in n]
    assert nodes['trajectory_tracker'].resolve()['controller'] == 'my:Own'
    assert nodes['trajectory_tracker'].resolve()['controller_settings'] == ''
    # The tracker answers: nobody else is waited for.
    values = nodes['single_track_simulator'].resolve()
    assert (values['wait_for_subscribers'], values['wait_for_publishers']) == (1, [])


def test_settings_of_a_controller_go_to_the_tracker():
    settings = {'gain': 1e-07, 'name': 'it: {', 'on': True, 'many': [1, 2.5]}
    nodes = describe(controller='my:Own', overrides={'controller': settings})
    text = nodes['trajectory_tracker'].resolve()['controller_settings']
    assert read_settings(text) == settings
    with pytest.raises(
            ConfigurationError, match=r'controller\.gain is a setting of a custom controller'):
        describe(overrides={'controller': settings})


@pytest.mark.parametrize('text', ['gain', '[1]', '{', '3'])
def test_settings_that_are_no_mapping_are_refused(text):
    with pytest.raises(ConfigurationError, match='settings of the controller'):
        read_settings(text)


def test_controller_needs_the_tracker_and_a_reference():
    with pytest.raises(ConfigurationError, match='without trajectory_tracker there is nobody to'):
        describe(controller='my:Own', without=('trajectory_tracker',))
    with pytest.raises(ConfigurationError, match="controller is 'my:Own', but the configuration"):
        describe_driver(controller='my:Own')


@pytest.mark.parametrize(('options', 'topic'), [
    ({}, 'vesc/ackermann_cmd_mux/input/navigation'),
    ({'controller': 'my:Own'}, 'vesc/ackermann_cmd_mux/input/navigation'),
    ({'without': ('kinematic_linearizer',)}, 'vesc/high_level/ackermann_cmd_mux/output'),
    ({'without': ('kinematic_linearizer', 'vesc/high_level/ackermann_cmd_mux')},
     'vesc/low_level/ackermann_cmd_mux/output')])
def test_commands_are_heard_where_a_node_of_the_stack_gives_them(options, topic):
    assert commands_of([*describe(**options).values()]) == topic


@pytest.mark.parametrize('name', ['kinematic_ode', 'plant'])
def test_controller_that_is_set_past_its_option_is_refused(name):
    with pytest.raises(ConfigurationError, match="is 'my:Own': give it as --controller"):
        describe_stack(name, StackOptions(
            overrides={'trajectory_tracker': {'controller': 'my:Own'}}))


@pytest.mark.parametrize(('options', 'awaited'), [
    ({}, {'tracked_point', 'reference_trajectory', 'virtual_velocities'}),
    ({'without': ('kinematic_linearizer',)},
     {'tracked_point', 'reference_trajectory', 'virtual_velocities'}),
    ({'controller': 'my:Own'}, {'tracked_point', 'reference_trajectory'}),
    ({'without': ('trajectory_tracker',)}, {'virtual_velocities'})])
def test_recorder_waits_for_no_topic_that_nobody_has(options, awaited):
    nodes = describe(record='bag', lockstep=True, **options)
    assert {*nodes['bag_recorder'].resolve()['awaited']} == awaited | {
        'tf_static', 'vesc/ackermann_cmd_mux/input/navigation',
        'vesc/low_level/ackermann_cmd_mux/output'}


@pytest.mark.parametrize('command', ['simulate', 'sweep'])
def test_plant_cannot_be_simulated_without_a_node(capsys, command):
    assert main([command, 'plant', *(['absent.yaml'] if command == 'sweep' else [])]) == 1
    assert ("configuration 'plant' has no control law, expected one of kinematic_ode, dynamic_ode,"
            ' kinematic_world, kinematic_world_pacejka, dynamic_world, differential_wheels;'
            ' `racecar up plant` runs it') in capsys.readouterr().err


def test_lists_of_values_belong_to_whoever_asks():
    recorder = describe(record='bag', lockstep=True)['bag_recorder']
    for ask in (recorder.explicit_parameters, recorder.resolve):
        before = [*ask()['awaited']]
        ask()['awaited'].append('mine')
        assert ask()['awaited'] == before
