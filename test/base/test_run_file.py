# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""run.yaml: what it holds reads back as it was; what is no such file is refused in one line."""

import math
from pathlib import Path
import subprocess
import tempfile

from hypothesis import given, settings
from hypothesis import strategies as st
import pytest
import yaml

from racecar.base.environment import differences, present_environment
from racecar.base.errors import ConfigurationError
from racecar.base.run_file import parameter_differences, read_run_file, RecordedNode, RunFile

# The middleware takes a tiny number for a text.
FLOATS = st.floats(allow_nan=False, allow_infinity=False, allow_subnormal=False)
# What parameters may be, all of it as YAML could mistake it for something else.
VALUES = st.one_of(
    st.booleans(), st.integers(-2**63, 2**63 - 1), FLOATS,
    st.text(st.characters(exclude_categories=['Cs', 'Cc']), max_size=12),
    st.sampled_from(['3', 'on', 'yes', 'null', '~', '1e3', '0x1f', '010', '1:30', '.nan', '']),
    st.lists(FLOATS, max_size=3))


def run_file(parameters=None, **more):
    return RunFile('simulate', 'kinematic_ode', {'end_time': 3.0}, {
        'tracker': RecordedNode('trajectory_tracker', parameters or {'Kp': 1.0})}, **more)


@given(st.dictionaries(st.text('abc._', min_size=1, max_size=6), VALUES, max_size=6))
@settings(max_examples=60)
def test_every_value_reads_back_to_the_bit(parameters):
    written = run_file(parameters, command='racecar simulate', made='2026-01-01',
                       environment={'racecar': '1.0'}, files={'a: b': '00'}, skip=2.5)
    with tempfile.TemporaryDirectory() as folder:
        written.write(Path(folder) / 'run.yaml')
        found = read_run_file(folder)
    assert found == written
    for name, value in found.nodes['tracker'].parameters.items():
        assert type(value) is type(written.nodes['tracker'].parameters[name])


def test_seeds_are_named():
    file = run_file({'Kp': 1.0, 'laser.seed': 7})
    assert file.seeds == {'tracker.laser.seed': 7}
    assert yaml.safe_load(file.to_yaml())['seeds'] == {'tracker.laser.seed': 7}


@pytest.mark.parametrize(('text', 'message'), [
    ('', 'tells of no run'), ('a: 1', 'tells of no run'), ('- 1', 'tells of no run'),
    ('nodes: {}\nformat: 2', 'has the format 2, expected 1'),
    ('nodes: 3\nformat: 1', 'nodes is 3, expected a mapping'),
    ('nodes: {}\nformat: 1\ncommand: [a]', r"command is \['a'\], expected a text"),
    ('nodes: {a: {executable: 3}}\nformat: 1', "node 'a' is .*, expected executable and"),
    ('nodes: {}\nformat: 1\nskip: -1', 'skip is -1, expected seconds'),
    ('nodes: {a: }\nformat: 1', "node 'a' is None"), ('nodes: {', 'is not YAML')])
def test_what_is_no_run_file_is_refused_in_one_line(tmp_path, text, message):
    path = tmp_path / 'run.yaml'
    path.write_text(text)
    with pytest.raises(ConfigurationError, match=message) as caught:
        read_run_file(path)
    assert '\n' not in str(caught.value)
    assert str(path) in str(caught.value)


def test_a_folder_without_one_is_refused_with_the_remedy(tmp_path):
    with pytest.raises(ConfigurationError, match='cannot be read: .*give a run.yaml, or'):
        read_run_file(tmp_path)


@given(st.text(max_size=80) | st.binary(max_size=80).map(repr))
@settings(max_examples=60)
def test_whatever_stands_in_the_file_it_is_read_or_refused(text):
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / 'run.yaml'
        path.write_text(f'format: 1\nnodes: {{}}\noptions: {text}', encoding='utf-8')
        try:
            assert isinstance(read_run_file(path), RunFile)
        except ConfigurationError as error:
            assert '\n' not in str(error)


def test_the_environment_names_what_numbers_depend_on():
    found = present_environment()
    assert {'racecar', 'sources', 'Python', 'numpy', 'architecture'} <= set(found)
    assert all(found.values())
    assert found == present_environment()


def test_the_commit_is_that_of_the_sources():
    root = Path(__file__).resolve().parents[2]
    answer = subprocess.run(
        ['git', '-C', root, 'rev-parse', 'HEAD'], capture_output=True, text=True)
    if answer.returncode or not (root / '.git').exists():
        pytest.skip('the sources are in no git repository')
    assert present_environment()['git commit'] == answer.stdout.strip()


def test_environments_differ_where_one_has_what_the_other_has_not():
    assert differences({'a': '1', 'b': '2'}, {'a': '1', 'b': '3', 'c': '4'}) == [
        ('b', '2', '3'), ('c', 'none', '4')]


def test_parameters_that_only_join_the_nodes_are_no_difference():
    one = run_file({'Kp': 1.0, 'Ki': 0.5, 'lockstep': True})
    other = run_file({'Kp': math.pi, 'Ki': 0.5, 'lockstep': False, 'Kd': 0.0})
    assert parameter_differences({'a': one, 'b': None, 'c': other}) == [
        ('tracker.Kp', ['1.0', '', str(math.pi)]), ('tracker.Kd', ['', '', '0.0'])]


def test_of_a_node_that_one_run_has_there_is_its_name():
    one = run_file({'Kp': 1.0})
    other = RunFile('simulate', 'kinematic_ode', {}, {
        **one.nodes, 'law': RecordedNode('kinematic_linearizer', {'epsilon': 0.1, 'fade': 1})})
    assert parameter_differences({'a': one, 'b': other}) == [('law', ['', 'kinematic_linearizer'])]
