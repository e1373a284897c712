# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""Lab files: those of the package, and what is wrong in a teacher's."""

import math

import pytest
import yaml

from racecar.base.errors import ConfigurationError
from racecar.base.share import lab_names
from racecar.courses.lab import read_lab

GOOD = {
    'summary': 'a lab', 'world': 'empty',
    'nodes': [{'executables': ['mine'], 'parameters': {'speed': 1.0}}],
    'parameters': {'side': 1}, 'check': {'kind': 'distance', 'metres': 5.0},
    'cases': {'one': {}, 'two': {'start': [1.0, 2.0, 0.5], 'check': {'metres': 7.0},
                                 'parameters': {'gain': 2.0}, 'world': 'room'}}}


def write(tmp_path, **changes):
    values = {key: value for key, value in {**GOOD, **changes}.items() if value is not None}
    path = tmp_path / 'lab.yaml'
    path.write_text(yaml.safe_dump(values))
    return path


@pytest.mark.parametrize('name', lab_names())
def test_the_labs_of_the_package_can_be_run(name):
    lab = read_lab(name)
    assert lab.summary
    assert lab.cases
    assert all(case.weight > 0.0 for case in lab.cases)


def test_the_wall_following_lab_has_the_six_cases_of_mit_rss():
    cases = {case.name: case for case in read_lab('rss_wall_following').cases}
    assert list(cases) == ['short_right_close', 'short_left_far', 'short_right_angled',
                           'short_left_far_angled', 'long_right', 'long_left']
    assert {case.options.world for case in cases.values()} == {'building_31'}
    for case in cases.values():
        assert case.set_parameters['side'] == {'left': 1, 'right': -1}[case.check.text('side')]
        assert case.check.number('distance') == case.set_parameters['desired_distance']
        # Nodes declare a double.
        assert isinstance(case.set_parameters['velocity'], float)
    assert cases['long_left'].set_parameters['velocity'] == 3.0
    assert cases['short_left_far'].start[2] == pytest.approx(math.pi, abs=0.01)


def test_cases_take_what_the_lab_says_for_all_and_go_over_it(tmp_path):
    lab = read_lab(write(tmp_path))
    one, two = lab.cases
    assert (one.options.world, two.options.world) == ('empty', 'room')
    assert one.parameters == {'side': 1}
    assert two.parameters == {'side': 1, 'gain': 2.0}
    assert two.check.number('metres') == 7.0
    assert two.options.overrides['single_track_simulator'] == {
        'initial_x': 1.0, 'initial_y': 2.0, 'initial_yaw': 0.5}
    assert [case.name for case in lab.with_cases(('t*',)).cases] == ['two']


@pytest.mark.parametrize(('changes', 'named'), [
    ({'nodes': None}, 'nodes is missing'),
    ({'nodes': []}, 'nodes is [], expected a list of nodes'),
    ({'nodes': [{'executable': ['x']}]}, "node 1: 'executable' is unknown; did you mean"),
    ({'nodes': [{'executables': []}]}, 'expected names of executables'),
    ({'nodes': [{'executables': ['x'], 'optional': 1}]}, 'optional is 1, expected true or false'),
    ({'cases': {}}, 'expected at least one case'),
    ({'cases': {'../one': {}}}, "name '../one', expected letters"),
    ({'cases': {'package': {}}}, "name 'package', expected letters"),
    ({'cases': {'one': {'strat': [0, 0, 0]}}}, "'strat' is unknown; did you mean start?"),
    ({'cases': {'one': {'start': [0, 0]}}}, 'case one: start is [0, 0], expected a list of 3'),
    ({'cases': {'one': {'time_limit': 0}}}, 'case one: time_limit is 0'),
    ({'cases': {'one': {'world': 'nowhere'}}}, "case one: world 'nowhere' is neither a file"),
    ({'cases': {'one': {'set': {'rate': 1.0}}}}, "set is 'rate', expected node.parameter"),
    ({'cases': {'one': {'set': {'single_track_simulators.rate': 1.0}}}},
     "node 'single_track_simulators' is not part"),
    ({'cases': {'one': {'drive': {'speed': 'fast'}}}}, "speed is 'fast', expected a number"),
    ({'configuration': 'plants'}, "configuration 'plants' is unknown"),
    ({'programs': 'apps'}, "programs is 'apps', expected one of nodes, neo"),
    ({'programs': 'neo', 'configuration': 'plant'}, 'one of teleop_world, teleop'),
    ({'pass_mark': 50}, 'pass_mark is 50.0, expected a share from 0 to 1'),
    ({'topic_names': 'rsss'}, "'rsss'"),
    ({'check': None, 'cases': {'one': {}}}, 'check is missing'),
    ({'set_parameters': {'speed': 1.0}, 'check': {'kind': 'stop'}, 'cases': {'one': {}}},
     "set_parameters is {'speed': 1.0}, expected none for a check"),
    ({'wrold': 'room'}, "'wrold' is unknown; did you mean world?")])
def test_what_is_wrong_in_a_file_is_said_with_its_place(tmp_path, changes, named):
    path = write(tmp_path, **changes)
    with pytest.raises(ConfigurationError) as error:
        read_lab(path)
    text = str(error.value)
    assert named in text
    assert '\n' not in text


def test_an_unknown_case_is_refused(tmp_path):
    with pytest.raises(ConfigurationError, match="case 'tow' is none of lab; did you mean two"):
        read_lab(write(tmp_path)).with_cases(('tow',))
