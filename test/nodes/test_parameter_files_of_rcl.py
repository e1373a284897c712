# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""Parameter files as racecar reads them, against what a node of rclpy gets from them."""

import array
import contextlib
import os
from pathlib import Path
import tempfile
from typing import Any

from hypothesis import example, given, settings
from hypothesis import strategies as st
import pytest
import rclpy
from rclpy.context import Context
from rclpy.node import Node

from racecar.base.errors import ConfigurationError
from racecar.base.parameter_file import load_parameter_file, read_parameter_file
from racecar.base.parameters import Parameter, ParameterTable
from racecar.ros.node import TableNode

pytestmark = pytest.mark.ros

NODES = ('tracker', 'mux', 'car1/tracker', 'a/b/tracker')
REFUSED = 'refused'


@contextlib.contextmanager
def context_with(path):
    """Initialise rclpy with a parameter file, apart from what other tests have initialised."""
    context = Context()
    rclpy.init(args=['--ros-args', '--params-file', str(path)], context=context)
    try:
        yield context
    finally:
        context.shutdown()


@contextlib.contextmanager
def node_of(full_name, context):
    namespace, _, name = full_name.rpartition('/')
    node = Node(
        name, namespace=namespace, context=context, enable_rosout=False,
        start_parameter_services=False, automatically_declare_parameters_from_overrides=True)
    try:
        yield node
    finally:
        node.destroy_node()


def values_of(node):
    return {name: list(parameter.value) if isinstance(parameter.value, array.array)
            else parameter.value for name, parameter in node.get_parameters_by_prefix('').items()
            if name not in ('use_sim_time', 'start_type_description_service')}


def by_rcl(path):
    try:
        # With the last node of a context its DDS participant ends, which takes longest.
        with context_with(path) as context, contextlib.ExitStack() as stack:
            nodes = {name: stack.enter_context(node_of(name, context)) for name in NODES}
            return {name: values_of(node) for name, node in nodes.items()}
    except RuntimeError as error:
        assert 'params file' in str(error)
        return REFUSED


def by_racecar(path):
    try:
        file = read_parameter_file(path)
    except ConfigurationError:
        return REFUSED
    return {node: file.of_node(node) for node in NODES}


def exact(found):
    """Return what tells 1 from 1.0 and True, 0.0 from -0.0, and takes one nan for another."""
    if found == REFUSED:
        return found
    return {node: {name: repr(value) for name, value in values.items()}
            for node, values in found.items()}


def both(text):
    """Return what racecar and rcl read."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / 'parameters.yaml'
        path.write_text(text, encoding='utf-8')
        return by_racecar(path), by_rcl(path)


def one(value):
    return f'tracker:\n  ros__parameters:\n    p: {value}\n'


VALUES = [
    '1', '1.0', '1e1', '1E5', '-1', '+1', '-0', '00', '010', '08', '0x1F', '-0x10', '0x1.8p3',
    '0b1', '0o17', '1_000', '1:30', '2026-01-01', '.5', '-.5', '5.', '.', '1e', '1e+', '+.5e1',
    '. 5', '.inf', '-.inf', '+.INF', '.iNf', 'inf', '-inf', 'Infinity', '.nan', 'NaN', '-.nan',
    'nan(1)', '-NAN()', 'nan(-)', '1e400', '1e-400', '5e-324', '2.2250738585072014e-308',
    '0e-400', '1 2', '9223372036854775807', '9223372036854775808', '-9223372036854775808',
    '-9223372036854775809', 'true', 'True', 'TRUE', 'tRUE', 'yes', 'Yes', 'YES', 'y', 'Y', 'on',
    'On', 'ON', 'oN', 'false', 'no', 'n', 'N', 'off', 'OFF', '~', 'null', 'Null', 'none', '',
    '-', '=', '<<', '? a', '""', "''", '"1"', "'1e1'", '"true"', "'yes'", '"~"', 'word',
    'two words', 'ä', '"a\\nb"', '!!str 3', '!!str yes', '!!str', '!!int "3"', '!!int x',
    '!!float 3', '!!bool y', '!!null ~', '!!null', '! 3', '[1]', '[1, -2]', '[1.5]',
    '[1e1, 2e1]', '[0x10, 010]', '[yes, false]', '[y, n]', '[a, b]', '[a, "1"]', '["1", "2"]',
    '[~]', '[null, a]', '[~, ""]', '[1, ]', '[1, "2"]', '[1, true]', '[a, 1]', '[1, ""]',
    '\n      - 1\n      -', '|-\n      3', '|\n      3', '|', '>-\n      yes',
    '>-\n      1\n      2', '!!str |-\n      3', '&x 3', '[&x 3, *x]', '- 1']


@pytest.mark.parametrize('value', VALUES)
def test_value_is_what_rcl_takes_it_for(value):
    ours, theirs = both(one(value))
    assert exact(ours) == exact(theirs)


def file_of(*sections):
    """Return the text of a file; P stands for ros__parameters."""
    return '\n'.join(sections).replace('P:', 'ros__parameters:')


FILES = [
    # Order, not precision, says which section counts.
    ('/**: {P: {p: 1}}', 'tracker: {P: {p: 2}}'),
    ('tracker: {P: {p: 2}}', '/**: {P: {p: 1}}'),
    ('/car1/tracker: {P: {p: 1}}', '/**/tracker: {P: {p: 2}}', '/car1/**: {P: {p: 3}}',
     '/*/tracker: {P: {p: 4}}'),
    ('/*/tracker: {P: {p: 4}}', '/car1/**: {P: {p: 3}}', '/**/tracker: {P: {p: 2}}',
     '/car1/tracker: {P: {p: 1}}'),
    ('/**: {P: {p: 0, q: 1}}', '/*/tracker: {P: {p: 4}}', '/car1/tracker: {P: {r: 1}}'),
    ('/**: {P: {p: [1, 2]}}', 'tracker: {P: {p: [3.0]}}'),
    ('/**/tracker: {P: {p: {q: 1}}}', 'tracker: {P: {p: {r: 1}}}'),
    # Namespaces.
    ('car1: {tracker: {P: {p: 1}}}',), ('/car1: {tracker: {P: {p: 1}}}',),
    ('car1/: {tracker: {P: {p: 1}}}',), ('car1: {/tracker: {P: {p: 1}}}',),
    ('a: {b: {tracker: {P: {p: 1}}}}',), ('a/b: {tracker: {P: {p: 1}}}',),
    ('a: {b/tracker: {P: {p: 1}}}',), ('/: {tracker: {P: {p: 1}}}',),
    ('/: {/tracker: {P: {p: 1}}}',), ('/a: {"*": {tracker: {P: {p: 1}}}}',),
    ('/**: {tracker: {P: {p: 1}}}',), ('a: {/: {tracker: {P: {p: 1}}}}',),
    ('a/b//: {tracker: {P: {p: 1}}}',), ('tracker/: {P: {p: 1}}',), ('a/: {b/: {P: {p: 1}}}',),
    ('/car1:', '  tracker: {P: {p: 1}}', '  mux: {P: {p: 2}}', '/a:',
     '  b: {tracker: {P: {p: 3}}}'),
    # Names.
    ('"*": {P: {p: 1}}',), ('"**": {P: {p: 1}}',), ('tr*: {P: {p: 1}}',), ('"***": {P: {p: 1}}',),
    ('/**tracker: {P: {p: 1}}',), ('//tracker: {P: {p: 1}}',), ('/: {P: {p: 1}}',),
    ('"": {P: {p: 1}}',), ('a: {"": {P: {p: 1}}}',), ('my car: {P: {p: 1}}',), ('3: {P: {p: 1}}',),
    ('a.b: {P: {p: 1}}',), ('Tracker: {P: {p: 1}}',), ('_a__b: {P: {p: 1}}',), ('~: {P: {p: 1}}',),
    ('/~/a: {P: {p: 1}}',), ('räder: {P: {p: 1}}',),
    # Forms.
    ('tracker: {P: {}}',), ('tracker: {P: }',), ('tracker:',), ('tracker: 3',), ('P: {p: 1}',),
    ('tracker: {P: [1]}',), ('[tracker]',), ('tracker: {P: {p: 1}, more: {q: 2}}',),
    ('tracker: {P: {p: {P: {q: 1}}}}',),
    ('tracker: {P: {p: {q: {r: 1}, s: 2}, t: 3}}',), ('tracker: {P: {p.q: 1, p: {r: 2}}}',),
    ('tracker: {P: {p..q: 1, .r: 2, 9b: 3, s-t: 4, ü: 5, "u v": 6, "w\\nx": 7}}',),
    ('tracker: {P: {1: 2, true: 3, p: {2: 4}}}',), ('tracker: {P: {"": 1}}',),
    ('tracker: {P: {p: {"": 1}}}',), ('tracker: {P: {<<: {p: 1}, q: 2}}',),
    ('tracker: {P: {? p : 1}}',), ('tracker: {P: {[p]: 1}}',), ('tracker: {P: {p: !!set {q}}}',),
    ('tracker: !!map {P: {p: !!seq [1]}}',), ('tracker: {P: {p: !!str [q]}}',),
    ('"tracker": {"ros__parameters": {"p": 1}}',), ('---', 'mux: {P: {p: 1}}'),
    ('mux: {P: {p: 1}}', '...'), ('\ufeffmux: {P: {p: 1}}',), ('&x mux: {P: &y {p: &z 1}}',),
    ('mux: &x {P: {p: 1}}', 'tracker: *x'), ('mux: {P: {p: &x [1], q: *x}}',),
    ('&t tracker: {P: {p: 1}}', 'mux: {P: {p: *t}}')]


@pytest.mark.parametrize('sections', FILES, ids=' '.join)
def test_node_gets_what_rclpy_gets(sections):
    ours, theirs = both(file_of(*sections))
    assert exact(ours) == exact(theirs)


def test_a_node_in_the_section_of_another_is_refused_as_jazzy_does():
    ours, theirs = both(file_of('car1: {P: {q: 2}, tracker: {P: {p: 1}}}'))
    assert ours == 'refused'
    # Kilted takes it.
    assert theirs == 'refused' or os.environ['ROS_DISTRO'] == 'kilted'


PARTS = ['tracker', 'mux', 'car1', 'a', 'b', '*', '**']


@pytest.mark.parametrize('last', PARTS)
def test_section_matches_the_nodes_that_rcl_matches(last):
    # Each pattern sets a parameter of its own: all in one file.
    patterns = {'/'.join(['', *outer, last]) for outer in
                [(), *((x,) for x in PARTS), *((x, y) for x in PARTS for y in PARTS)]}
    ours, theirs = both(''.join(
        f'{pattern}: {{ros__parameters: {{p{number}: 1}}}}\n'
        for number, pattern in enumerate(sorted(patterns))))
    assert theirs != REFUSED
    assert ours == theirs


def quoted(text):
    return "'" + text.replace("'", "''") + "'"


scalars = st.one_of(
    st.sampled_from([value for value in VALUES if '\n' not in value and '*' not in value]),
    st.integers().map(str), st.floats().map(repr), st.floats().map(float.hex),
    st.integers(0, 2**70).map(hex), st.integers(0, 2**70).map('0{:o}'.format),
    st.text('0123456789.+-eExXpPinfaNyosABC_()', min_size=1, max_size=7),
    st.text(st.characters(min_codepoint=32, codec='utf-8', exclude_characters='\x7f\ufeff'),
            max_size=7).map(quoted))
# Of one type, but for the last kind.
lists = st.one_of([
    st.lists(items, min_size=1, max_size=3).map(lambda words: f"[{', '.join(words)}]")
    for items in (st.integers(-2**63, 2**63 - 1).map(str), st.floats(-1e300, 1e300).map(repr),
                  st.sampled_from(['yes', 'n', 'true', 'OFF']),
                  st.sampled_from(['1', '"1"', 'true', 'word', '~']))])


@settings(max_examples=300)
@given(value=scalars | lists)
@example(value='0x.p1')
@example(value='0x1p-1074')
@example(value='-0x3.8p-1075')
@example(value='0x1p-1075')
@example(value='0x1p')
@example(value='nan(a(b))')
def test_any_value_is_what_rcl_takes_it_for(value):
    ours, theirs = both(one(value))
    assert exact(ours) == exact(theirs)


@st.composite
def sections(draw):
    """Return the text of a section, its first key and its pattern."""
    parts = draw(st.lists(st.sampled_from(PARTS), min_size=1, max_size=4))
    cut = draw(st.integers(0, len(parts) - 1))
    slash = draw(st.sampled_from(['', '/']))
    outer, inner = '/'.join(parts[:cut]), '/'.join(parts[cut:])
    values = draw(st.dictionaries(
        st.sampled_from(['p', 'q', 'r.s', 'r.t']), scalars | lists, min_size=1, max_size=3))
    keys = [f'{slash}{outer}', inner] if outer else [f'{slash}{inner}']
    # Not in braces: there some versions of libyaml know no 1:30.
    lines = [f'"{key}":' for key in keys] + ['ros__parameters:']
    lines = [' ' * depth + line for depth, line in enumerate(lines)]
    lines += [f'    {name}: {value}' for name, value in values.items()]
    return '\n'.join(lines) + '\n', keys[0].lstrip('/'), '/'.join(parts)


files = st.lists(
    sections(), min_size=1, max_size=5, unique_by=(lambda found: found[1], lambda found: found[2])
).map(lambda found: ''.join(text for text, _, _ in found))


@settings(max_examples=200)
@given(text=files)
def test_any_sections_give_a_node_what_rclpy_gives_it(text):
    ours, theirs = both(text)
    assert exact(ours) == exact(theirs)


# Where the two differ, and are meant to


@pytest.mark.parametrize(
    ('value', 'read'), [('[1, 2.5]', [1, 2.5]), ('[-1, 2.5]', [-1, 2.5]), ('[1.0, 2]', [1.0, 2])])
def test_whole_numbers_among_others_are_refused_by_rcl_only(value, read):
    ours, theirs = both(one(value))
    assert (ours['tracker'], theirs) == ({'p': read}, REFUSED)


@pytest.mark.parametrize(
    ('text', 'silence'),
    [('tracker: {P: {p: 1, p: 2}}', {'p': 2}), ('tracker: {P: {p: {q: 1}, p.q: 2}}', {'p.q': 2}),
     ('tracker: {P: {p: 1}}\ntracker: {P: {p: 2}}', {'p': 2}),
     ('tracker: {P: {p: 1}}\n/tracker: {P: {p: 2}}', {'p': 2}),
     ('tracker: {P: {p: {q: {}, r: 1}}}', {'p.q.r': 1}),
     ('tracker: {P: {p: !degrees 3}}', {'p': 3}), ('tracker: {P: {p: [[1]]}}', {'p': [1]}),
     ('tracker: {P: {p: [q: 1]}}', {'p.q': [1]}),
     ('tracker: {P: {p: "a\\0b"}}', {'p': 'a'}), ('tracker: {P: {"p\\0q": 1}}', {'p': 1}),
     ('tracker: {P: {p: 1}}\n---\ntracker: {P: {p: 2}}', {'p': 2}),
     ('tracker: {}\nmux: {P: {p: 1}}', {}), ('', {}), ('# nothing', {}), ('tracker', {})])
def test_what_nobody_can_mean_is_refused_where_rcl_says_nothing(text, silence):
    ours, theirs = both(file_of(text))
    assert ours == REFUSED
    assert theirs['tracker'] == silence


@pytest.mark.parametrize(
    ('value', 'type_', 'read'),
    [('[]', list, []), ('[a]', list, ['a']), ('1e1', float, 10.0), ('3', float, 3.0),
     ('on', bool, True), ('"1"', str, '1')])
def test_node_of_ours_reads_with_rcl_what_the_stack_reads_without(tmp_path, value, type_, read):
    default: Any = {list: ['x'], float: 0.5, bool: False, str: 'x'}[type_]
    table = ParameterTable([Parameter('p', type_, default, 'Anything')])
    path = tmp_path / 'parameters.yaml'
    path.write_text(one(value))
    with context_with(path) as context:
        node = TableNode('tracker', table, context=context)
        try:
            found = node.values['p']
        finally:
            node.destroy_node()
    assert repr(found) == repr(read)
    assert table.resolve(load_parameter_file(path, 'tracker')) == node.values
