# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""Parameter tables: types, ranges, unknown keys; parameter files as ROS reads them."""

import math
import os
from unittest import mock

from hypothesis import given
from hypothesis import strategies as st
import numpy as np
import pytest
import yaml

from racecar.base.errors import ConfigurationError, ParameterError
from racecar.base.parameter_file import load_parameter_file, read_parameter_file
from racecar.base.parameters import Parameter, ParameterTable, suggest_near
from racecar.catalogue import TABLES

TABLE = ParameterTable([
    Parameter('gain', float, 1.0, 'A gain', '1/s', minimum=0.0, maximum=10.0),
    Parameter('length', float, 0.5, 'A length', 'm', above=0.0),
    Parameter('count', int, 3, 'A count', minimum=1, maximum=9),
    Parameter('active', bool, False, 'A flag'),
    Parameter('shape', str, 'line', 'A shape', choices=('line', 'circle', '0', '1')),
    Parameter('name', str, 'car', 'A name'),
    Parameter('topics', list, [], 'Topics'),
    Parameter('variance.position', float, 1e-6, 'A variance', 'm^2', above=0.0, maximum=1.0),
])


def test_defaults_stand_where_nothing_is_given():
    values = TABLE.resolve({})
    assert values == {row.name: row.default for row in TABLE}


def test_given_value_stands_in_the_place_of_the_default():
    assert TABLE.resolve({'variance.position': 0.5})['variance.position'] == 0.5


def test_integer_is_taken_for_a_number():
    value = TABLE.resolve({'gain': 3})['gain']
    assert (value, type(value)) == (3.0, float)


def test_integer_is_taken_for_a_choice_that_is_a_number():
    assert TABLE.resolve({'shape': 1})['shape'] == '1'


def test_tuple_is_taken_for_a_list():
    assert TABLE.resolve({'topics': ('a', 'b')})['topics'] == ['a', 'b']


@pytest.mark.parametrize(
    ('name', 'value', 'expected'),
    [('gain', '3', r'a number in \[0, 10\] \[1/s\]: A gain'),
     ('gain', True, r'a number in \[0, 10\]'),
     ('gain', math.nan, r'a number in \[0, 10\]'),
     ('gain', math.inf, r'a number in \[0, 10\]'),
     ('gain', -0.001, r'a number in \[0, 10\]'),
     ('gain', 10.001, r'a number in \[0, 10\]'),
     ('length', 0.0, r'a number in \(0, inf\) \[m\]: A length'),
     ('count', 2.0, r'an integer in \[1, 9\]: A count'),
     ('count', 0, r'an integer in \[1, 9\]'),
     ('count', True, r'an integer in \[1, 9\]'),
     ('active', 2, 'a boolean: A flag'),
     ('active', 1.0, 'a boolean: A flag'),
     ('active', 'true', 'a boolean: A flag'),
     ('shape', 'square', 'one of line, circle, 0, 1: A shape'),
     ('shape', 2, 'one of line, circle, 0, 1'),
     ('name', False, 'a string: A name'),
     ('topics', 'odom', 'a list: Topics')])
def test_value_of_another_type_or_out_of_range_is_refused(name, value, expected):
    with pytest.raises(ParameterError) as refused:
        TABLE.resolve({name: value})
    assert refused.match(rf"^parameter '{name}' is {value!r}, expected {expected}")


@pytest.mark.parametrize(('name', 'known', 'near'), [
    ('velocity_timout', ['velocity_timeout', 'position_timeout'], ['velocity_timeout']),
    ('TYRE_MODEL', ['tyre_model', 'trajectory'], ['tyre_model']),
    ('tire_model', ['tyre_model', 'trajectory'], ['tyre_model']),
    ('bmw', ['racecar', 'bmw_x5', 'report'], ['bmw_x5']),
    ('mass', ['vehicle.mass', 'axle.mass', 'vehicle.max_speed'], ['axle.mass', 'vehicle.mass']),
    ('prio', ['priority', 'name'], ['priority']),
    ('sub', ['saloon', 'suv'], ['suv']),
    ('tyre', ['vehicle.tyre_rate', 'tyre_model'], ['tyre_model', 'vehicle.tyre_rate']),
    ('kpp', ['Kp', 'Ki', 'Kd'], ['Kp']),
    ('--vehicel', ['--vehicle', '--version', '--world'], ['--vehicle']),
    ('/**/traker', ['/car/tracker', '/car/simulator'], ['/car/tracker']),
    ('wheel_radios', ['robot.wheel_radius', 'robot.track'], ['robot.wheel_radius']),
    ('racetrak.yaml', ['racetrack', 'empty'], ['racetrack']),
    ('vehicle.heat', ['vehicle.mass', 'vehicle.inertia'], []),
    ('vehicle.', ['step', 'mass'], []),
    # Nothing in common but some letters.
    ('banana', ['racecar', 'report', 'f1tenth', 'bmw_x5'], []),
    ('moon', ['room', 'empty', 'slalom', 'racetrack'], []),
    ('foo', ['from', 'course', 'report'], []),
    ('--foo', ['--from', '--output'], []),
    ('stop', ['topic', 'service'], []),
    ('speed', ['step', 'seed_of_noise'], []),
    ('radius', ['start', 'inertia', 'friction'], []),
    ('x', ['y', 'yaw', 'speed'], []),
    # Half of two letters suffices; three that a longer name contains, but not two.
    ('ab', ['ax'], ['ax']),
    ('mas', ['heat', 'name_with_massif_in_it'], ['name_with_massif_in_it']),
    ('mu', ['name_with_mu_in_it'], []),
    ('', ['y', 'speed'], [])])
def test_a_suggestion_names_what_is_spelled_alike_and_nothing_else(name, known, near):
    assert suggest_near(name, known) == (f"did you mean {' or '.join(near)}?" if near else '')


@pytest.mark.parametrize(('value', 'expected'), [(0, False), (1, True), (np.int64(1), True)])
def test_a_boolean_may_be_given_as_0_or_1(value, expected):
    assert TABLE.resolve({'active': value})['active'] is expected


def test_a_number_other_than_zero_may_have_either_sign():
    row = Parameter('length', float, 1.0, 'A length', 'm', minimum=-2.0, maximum=3.0, nonzero=True)
    assert (row.validate(-2), row.validate(3.0)) == (-2.0, 3.0)
    for value in (0.0, -0.0, 0, -2.5, 3.5):
        with pytest.raises(ParameterError, match=r'a number in \[-2, 3\] without 0 \[m\]'):
            row.validate(value)


def test_a_table_shows_its_first_names():
    assert repr(ParameterTable([Parameter('a', float, 1.0, '')])) == (
        '<ParameterTable: 1 parameters, a>')
    many = ParameterTable([Parameter(name, float, 1.0, '') for name in 'abcdefg'])
    assert repr(many) == '<ParameterTable: 7 parameters, a, b, c, d, e, ...>'


def test_unknown_key_is_refused_with_a_suggestion():
    with pytest.raises(ParameterError, match=r"'gian' is unknown here; did you mean gain\?"):
        TABLE.resolve({'gian': 1.0})


def test_unknown_key_without_likeness_is_refused_with_what_there_is():
    with pytest.raises(ParameterError, match=r"'xyzzy' is unknown here; known: gain, length, "):
        TABLE.resolve({'xyzzy': 1.0})


def test_missing_value_without_default_is_refused():
    table = ParameterTable([Parameter('folder', str, None, 'Folder of the bag')])
    with pytest.raises(ParameterError, match=r"'folder' is missing and has no default.*a string"):
        table.resolve({})


def test_name_cannot_stand_twice_in_a_table():
    with pytest.raises(ValueError, match="'gain' is declared twice"):
        TABLE + ParameterTable([Parameter('gain', float, 1.0, 'Another gain')])


def test_row_is_found_by_name():
    assert TABLE['gain'].unit == '1/s'
    with pytest.raises(ParameterError, match='did you mean length'):
        TABLE['lenght']


ALL_NUMBERS = [(node, row) for node, table in TABLES.items() for row in table
               if row.type is float and row.range]


def bounds(row):
    low = row.minimum if row.minimum is not None else row.above
    return -1e9 if low is None else low, 1e9 if row.maximum is None else row.maximum


@given(st.sampled_from(ALL_NUMBERS), st.data())
def test_any_number_inside_its_range_is_taken_by_every_table(node_and_row, data):
    node, row = node_and_row
    low, high = bounds(row)
    value = data.draw(st.floats(low, high, exclude_min=row.above is not None))
    table = TABLES[node]
    required: dict[str, object] = {other.name: 'text' for other in table if other.default is None}
    required.update({other.name: 1.0 for other in table
                     if other.default is None and other.type is float})
    required.update({other.name: -1.0 for other in table if other.name.endswith('speed_min')})
    assert table.resolve({**required, row.name: value})[row.name] == value


@given(st.sampled_from(ALL_NUMBERS), st.booleans(), st.data())
def test_any_number_outside_its_range_is_refused_by_name_and_range(node_and_row, under, data):
    _, row = node_and_row
    low, high = bounds(row)
    if row.maximum is None:
        under = True
    elif row.minimum is None and row.above is None:
        under = False
    value = data.draw(
        st.floats(max_value=low, exclude_max=row.above is None, allow_infinity=False) if under
        else st.floats(min_value=high, exclude_min=True, allow_infinity=False))
    with pytest.raises(ParameterError) as refused:
        row.validate(value)
    assert f"parameter '{row.name}' is {value!r}" in str(refused.value)
    assert row.range in str(refused.value)


@given(st.sampled_from([row for table in TABLES.values() for row in table]))
def test_every_default_is_inside_its_own_range(row):
    if row.default is not None:
        assert row.validate(row.default) == row.default


FILE = """
/**:
  ros__parameters:
    gain: 1.0
    shape: line
/**/tracker:
  ros__parameters: {gain: 2.0, variance: {position: 0.25}}
tracker:
  ros__parameters: {gain: 3.0}
/car1/tracker:
  ros__parameters: {gain: 4.0}
"""


@pytest.fixture
def file(tmp_path):
    path = tmp_path / 'parameters.yaml'

    def write(text):
        path.write_text(text)
        return path
    return write


def test_section_of_the_node_goes_over_the_wildcards(file):
    assert load_parameter_file(file(FILE), 'tracker') == {
        'gain': 3.0, 'shape': 'line', 'variance.position': 0.25}


def test_section_with_the_namespace_goes_over_the_others(file):
    assert load_parameter_file(file(FILE), 'tracker', 'car1')['gain'] == 4.0


def test_wildcard_of_the_node_goes_over_the_wildcard_of_all(file):
    text = FILE.split('\ntracker:')[0]
    assert load_parameter_file(file(text), 'tracker', 'car2')['gain'] == 2.0


def test_other_node_gets_only_the_wildcard_of_all(file):
    assert load_parameter_file(file(FILE), 'linearizer') == {'gain': 1.0, 'shape': 'line'}


def test_section_in_another_namespace_is_not_read(file):
    text = '/car1/tracker: {ros__parameters: {gain: 4.0}}'
    assert load_parameter_file(file(text), 'tracker', 'car2') == {}


@pytest.mark.parametrize(
    ('text', 'message'),
    [('tracker: [', 'is not YAML'), ('3', 'holds 3, expected node names with ros__parameters'),
     ('', 'holds nothing, expected node names'),
     ('tracker: {gain: 1.0}', "line 1: 'gain' is 1.0, expected a node name with ros__parameters"),
     ('tracker: {}', "line 1: 'tracker' has no ros__parameters below it"),
     ('tracker: {ros__parameters: 3}',
      "line 1: ros__parameters of 'tracker' is 3, expected parameters below it"),
     ('tracker: {ros__parameters: }', "ros__parameters of 'tracker' is empty, expected"),
     ('tracker: {ros__parameters: {a: 1}, gain: 1}',
      "line 1: 'gain' stands beside ros__parameters of 'tracker', expected it below"),
     ('my car: {ros__parameters: {a: 1}}', "line 1: 'my car' in 'my car' is no part of a node"),
     ('/a//b: {ros__parameters: {a: 1}}', "line 1: '' in '/a//b' is no part of a node name"),
     ('a: {/b: {ros__parameters: {a: 1}}}', "'' in '/b' is no part of a node name"),
     ('a: {ros__parameters: {b: [[1]]}}', "parameter 'b' holds a list or mapping within a list"),
     ('a: {ros__parameters: {b: [1, x]}}', r"parameter 'b' is \[1, 'x'\], expected one type"),
     ('a: {ros__parameters: {b: !thing 3}}', "tag '!thing' has no meaning here"),
     ('a: {ros__parameters: {[b]: 1}}', 'a list or mapping stands as a key, expected a name'),
     ('a:\n  ros__parameters:\n    b: 1\n    c: 2\n    b: 3\n',
      "line 5, column 5: key 'b' stands twice, first in line 3"),
     ('a:\n  ros__parameters:\n    b: {c: 1}\n    b.c: 3\n',
      r"line 4: parameter 'b\.c' stands twice, first in line 3"),
     ('/a: {ros__parameters: {b: 1}}\na: {ros__parameters: {b: 2}}\n',
      "line 2: section '/a' stands twice, first in line 1"),
     ('a:\n  ros__parameters:\n    b:\n', "line 3: parameter 'b' has no value; give it one"),
     ('a:\n  ros__parameters:\n    b: {}\n', "line 3: parameter 'b' has no value; give it one"),
     ('a:\n  ros__parameters:\n    b: !!int\n', "line 3: parameter 'b' has no value; give"),
     ('a:\n  ros__parameters:\n    b: |\n', "line 3: parameter 'b' has no value; give it one"),
     ('a: {ros__parameters: {"": 1}}', "line 1: '' is no name of a parameter"),
     ('a: {ros__parameters: {b: "\\0"}}', r"'b' is '\\x00', expected a text without \\0"),
     ('a/: {ros__parameters: {b: 1}}', "'a/' has ros__parameters below it but no node name at"),
     ('/: {/a: {ros__parameters: {b: 1}}}', "'' in '/a' is no part of a node name"),
     ('a: {ros__parameters: {b: &x 3, c: *x}}',
      "line 1, column [0-9]+: alias 'x' cannot stand here: the middleware knows none; write out"),
     ('a: {ros__parameters: {b: [1, ]}}\n---\nc: {}', 'is not YAML: line 2')])
def test_file_of_another_form_is_refused(file, text, message):
    with pytest.raises(ConfigurationError, match=message):
        load_parameter_file(file(text), 'tracker')


def test_missing_file_is_refused_with_its_path(tmp_path):
    with pytest.raises(ConfigurationError, match=r"'.*none\.yaml' cannot be read: No such file"):
        load_parameter_file(tmp_path / 'none.yaml', 'tracker')


@pytest.mark.parametrize(('pattern', 'matched'), [
    ('tracker', ['/tracker']), ('/tracker', ['/tracker']), ('/*', ['/tracker']),
    ('/**', ['/tracker', '/car1/tracker', '/a/b/tracker']),
    ('/*/tracker', ['/car1/tracker']), ('/*/*', ['/car1/tracker']),
    ('/**/tracker', ['/tracker', '/car1/tracker', '/a/b/tracker']),
    ('/car1/**', ['/car1/tracker']), ('/a/*/tracker', ['/a/b/tracker']),
    ('/**/**/tracker', ['/tracker', '/car1/tracker', '/a/b/tracker']),
    ('car1/tracker', ['/car1/tracker']), ('/**/b/*', ['/a/b/tracker'])])
def test_section_matches_the_nodes_that_rclpy_matches(pattern, matched, file):
    section, = read_parameter_file(file(f'{pattern}: {{ros__parameters: {{a: 1}}}}')).sections
    nodes = ['/tracker', '/car1/tracker', '/a/b/tracker']
    assert [node for node in nodes if section.matches(node)] == matched


def test_nested_namespaces_are_joined(file):
    text = 'car1: {tracker: {ros__parameters: {a: 1}}}'
    assert load_parameter_file(file(text), 'tracker', 'car1') == {'a': 1}
    assert load_parameter_file(file(text), 'tracker') == {}


def test_later_section_goes_over_earlier_ones_however_general(file):
    text = '/car1/tracker: {ros__parameters: {a: 1}}\n/**: {ros__parameters: {a: 2}}\n'
    assert load_parameter_file(file(text), 'tracker', 'car1') == {'a': 2}


@pytest.mark.parametrize(('text', 'value'), [
    ('1e1', 10.0), ('010', 8), ('0x1F', 31), ('08', 8.0), ('1:30', '1:30'), ('1_000', '1_000'),
    ('yes', True), ('N', False), ('"N"', 'N'), ('null', 'null'), ('.inf', math.inf), ('5.', 5.0),
    ('-.5', -0.5), ('2026-01-01', '2026-01-01'), ('9223372036854775807', 2**63 - 1),
    ('9223372036854775808', 2.0**63), ('1e400', '1e400'), ('!!str 3', '3'), ('[1, 2.5]', [1, 2.5]),
    ('[]', []), ('|-\n   3', 3), ('>-\n   yes', True), ('!!str |-\n   3', '3'), ('!!null ~', '~'),
    ('!!int "3"', '3')])
def test_values_are_those_of_rcl(text, value, file):
    found = load_parameter_file(file(f'a:\n ros__parameters:\n  b: {text}'), 'a')['b']
    assert (found, type(found)) == (value, type(value))


def test_section_and_name_that_nobody_knows_are_refused_with_line_and_nearest_name(file):
    nodes = {'car1/tracker': ['gain', 'shape'], 'car1/simulator': ['step']}
    for text, message in (
            ('\n/**/traker: {ros__parameters: {gain: 1}}',
             r"line 2: section '/\*\*/traker' matches no node of here; did you mean /car1/tra"),
            ('/**:\n  ros__parameters:\n    gian: 1\n',
             r"line 3: parameter 'gian' is unknown to what '/\*\*' stands for; did you mean gain"),
            ('/**/tracker: {ros__parameters: {step: 1}}', "parameter 'step' is unknown to")):
        with pytest.raises(ConfigurationError, match=message):
            read_parameter_file(file(text)).check(nodes, 'here')
    read_parameter_file(file(
        '/**: {ros__parameters: {gain: 1, step: 2, use_sim_time: true}}')).check(nodes, 'here')


def test_a_file_is_read_anew_where_its_text_has_changed(file):
    path = file('a: {ros__parameters: {b: [1, 2]}}')
    first = load_parameter_file(path, 'a')['b']
    assert isinstance(first, list)
    first.append(3)
    assert load_parameter_file(path, 'a') == {'b': [1, 2]}
    stat = path.stat()
    path.write_text('a: {ros__parameters: {b: [1, 5]}}')
    os.utime(path, ns=(stat.st_atime_ns, stat.st_mtime_ns))
    assert load_parameter_file(path, 'a') == {'b': [1, 5]}


def test_nodes_that_share_a_file_read_its_yaml_once(file, tmp_path, monkeypatch):
    # A text that nobody has read before.
    path = file(f'a: {{ros__parameters: {{b: 1}}}}  # {tmp_path}')
    composed = mock.Mock(wraps=yaml.compose)
    monkeypatch.setattr(yaml, 'compose', composed)
    for _ in range(3):
        assert load_parameter_file(path, 'a') == {'b': 1}
    assert composed.call_count == 1
