# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""Scenario files: what they say, what is refused, and what is held against a drive."""

import math
import xml.etree.ElementTree as ElementTree

from hypothesis import given
from hypothesis import strategies as st
import numpy as np
import pytest
import yaml

import racecar
from racecar.base.errors import ConfigurationError, RacecarError
from racecar.base.share import scenario_names
from racecar.base.types import NANOSECONDS, Odometry
from racecar.metrics.survival import Limits
from racecar.scenarios.drive_record import DriveRecord
from racecar.scenarios.expected import (
    Expected,
    ExpectedTraffic,
    findings,
    Observed,
    Place,
    Traffic,
)
from racecar.scenarios.outcome import Outcome, write_junit
from racecar.scenarios.scenario import KEYS, load_scenario, make_scenario, tracker_of
from racecar.stacks import describe_stack, StackOptions, STACKS

CONTENT = {'configuration': 'kinematic_ode', 'duration': 4.0, 'trajectory': 'circle',
           'expected': {'rmse': 0.1}}


@pytest.mark.parametrize('name', scenario_names())
def test_an_example_can_be_read(name):
    file, scenario = load_scenario(name)
    assert scenario.name == file.stem == name
    assert scenario.options.lockstep or scenario.options.real_time_factor
    assert scenario.expected.limits


def test_a_file_says_how_the_nodes_run(tmp_path):
    (tmp_path / 'mine.yaml').write_text('image: none\n')
    (tmp_path / 'law.py').write_text('')
    content = {
        'configuration': 'gap_ode', 'duration': 20, 'vehicle': 'f1tenth', 'sensors': ['laser'],
        'start': {'x': 1.0, 'yaw': 0.5, 'speed': 2}, 'real_time_factor': 1.0, 'lockstep': False,
        'set': {'gap_follower.speed': 2.0},
        'expected': {
            'collisions': 0, 'distance': {'least': 3}, 'ended': '/gap_follower',
            'final_position': {'x': 1, 'y': 2, 'within': 0.5},
            'topics': {'scan': {'messages': {'least': 10}}, '/other': {'silence': 1}}}}
    path = tmp_path / 'gap.yaml'
    path.write_text(yaml.safe_dump(content))
    found = load_scenario(path)[1]
    options = found.options
    assert (options.vehicle, options.sensors) == ('f1tenth', ('laser',))
    assert (options.lockstep, options.real_time_factor) == (False, 1.0)
    assert options.overrides == {
        'gap_follower': {'speed': 2.0},
        'single_track_simulator': {
            'initial_x': 1.0, 'initial_yaw': 0.5, 'initial_speed': 2.0}}
    assert found.driven().end_time == 20.0
    assert found.driven(ends=False, observers=1).observers == 1
    assert found.expected == Expected(
        {'distance': Limits(least=3.0), 'collisions': Limits(most=0.0)}, Place(1.0, 2.0, 0.5),
        ('gap_follower',), {
            'scan': ExpectedTraffic(Limits(least=10.0), Limits()),
            '/other': ExpectedTraffic(Limits(), Limits(most=1.0))})


def test_files_may_lie_beside_the_scenario(tmp_path, monkeypatch):
    folder = tmp_path / 'test'
    folder.mkdir()
    (folder / 'law.py').write_text('def drive(odometry, reference):\n    return 1.0, 0.0\n')
    (folder / 'path.csv').write_text('x_m,y_m\n0,0\n1,0\n2,0\n3,0\n')
    path = folder / 'own.yaml'
    path.write_text(yaml.safe_dump({
        'configuration': 'kinematic_ode', 'duration': 4.0, 'waypoints': 'path.csv',
        'controller': 'law.py:drive'}))
    monkeypatch.chdir(tmp_path)
    found = load_scenario(path)[1]
    assert found.options.waypoints == str(folder / 'path.csv')
    assert found.options.controller == f"{folder / 'law.py'}:drive"


@pytest.mark.parametrize(('change', 'wanted'), [
    ({'configuration': 'kinematic'}, "configuration 'kinematic' is unknown"),
    ({'configuration': None}, 'configuration is None'),
    ({'duration': 0}, 'seconds above 0'), ({'duration': '4'}, "duration is '4'"),
    ({'skip': 4}, 'less than the duration'), ({'dura': 1}, 'duration'),
    ({'start': {'z': 1}}, "start: 'z' is unknown"), ({'start': {'x': 'a'}}, 'start: x is'),
    ({'set': {'Kp': 1}}, 'node.parameter=value'),
    ({'set': {'tracker.Kp': 1}}, 'trajectory_tracker'),
    ({'set': {'trajectory_tracker.Kp': -1}}, 'Kp'),
    ({'faults': {'kind': 'dead'}}, 'list of faults'),
    ({'faults': [{'kind': 'bend'}]}, 'fault 1: kind is'),
    ({'faults': [{'kind': 'dead', 'onset': 4}]}, 'fault 1: onset is 4 s'),
    ({'lockstep': 1}, 'lockstep is 1'), ({'vehicle': ['a']}, 'vehicle is'),
    ({'cars': 2}, "'cars' is unknown"), ({'expected': {'rms': 1}}, 'rmse'),
    ({'expected': {'rmse': {'least': 2, 'most': 1}}}, 'at most the most'),
    ({'expected': {'ended': 'mux'}}, "ended has 'mux'"),
    ({'expected': {'topics': {'scan': {}}}}, 'messages: or silence:'),
    ({'expected': {'topics': {'scan': {'rate': 1}}}}, "'rate' is unknown"),
    ({'expected': {'final_position': {'x': 1, 'y': 2}}}, 'within is missing'),
    ({'without': ['single_track_simulator']}, 'the time'),
    ({'configuration': 'gap_ode', 'trajectory': 'circle'}, 'follows no reference'),
    ({'teleop': 'keyboard'}, "'teleop' is unknown")])
def test_a_bad_file_says_what_is_wrong(change, wanted):
    with pytest.raises(RacecarError, match=wanted):
        make_scenario('bad', {**CONTENT, **change})


def test_a_reference_that_is_not_there_has_no_errors():
    content = {'configuration': 'gap_ode', 'duration': 1.0, 'expected': {'rmse': 1.0}}
    with pytest.raises(ConfigurationError, match='gap_ode follows none here'):
        make_scenario('gap', content)


values = st.recursive(
    st.none() | st.booleans() | st.floats() | st.integers(-5, 5) | st.text(max_size=5)
    | st.sampled_from(sorted(STACKS)),
    lambda inner: st.lists(inner, max_size=3)
    | st.dictionaries(st.sampled_from([*KEYS, 'x', 'within', 'kind', 'scan', 'least']), inner,
                      max_size=3), max_leaves=6)


@given(content=st.dictionaries(st.sampled_from(KEYS), values, max_size=6))
def test_any_content_is_a_scenario_or_a_clear_error(content):
    for base in ({}, CONTENT):
        try:
            make_scenario('any', {**base, **content})
        except RacecarError as error:
            assert str(error)
            assert '\n' not in str(error)


OBSERVED = Observed(
    {'distance': 12.0, 'collisions': math.nan, 'final_speed': 0.0}, (1.0, 1.0),
    {'ns/law': 'has ended'}, {'scan': Traffic(5, 0.5)})


@pytest.mark.parametrize(('expected', 'wanted'), [
    (Expected({}), {'drive': False}),
    (Expected({}, ended=('law',)), {'drive': True}),
    (Expected({}, ended=('ns/law',)), {'drive': True}),
    (Expected({}, ended=('law', 'simulator')), {'drive': False}),
    (Expected({'distance': Limits(12.0, 12.0)}, ended=('law',)),
     {'drive': True, 'distance': True}),
    (Expected({'distance': Limits(12.1)}, ended=('law',)), {'drive': True, 'distance': False}),
    # What is not known does not hold.
    (Expected({'collisions': Limits(most=0.0)}, ended=('law',)),
     {'drive': True, 'collisions': False}),
    (Expected({'rmse': Limits()}, ended=('law',)), {'drive': True, 'rmse': False}),
    (Expected({}, Place(1.0, 2.0, 1.0), ('law',)), {'drive': True, 'final_position': True}),
    (Expected({}, Place(1.0, 2.0, 0.9), ('law',)), {'drive': True, 'final_position': False}),
    (Expected({}, None, ('law',), {'scan': ExpectedTraffic(Limits(5.0), Limits(most=0.4))}),
     {'drive': True, 'messages on scan': True, 'silence on scan': False}),
    (Expected({}, None, ('law',), {'imu': ExpectedTraffic(Limits(1.0), Limits())}),
     {'drive': True, 'messages on imu': False})])
def test_each_expectation_is_held_against_the_drive(expected, wanted):
    assert {one.name: one.holds for one in findings(expected, OBSERVED)} == wanted


def test_a_drive_that_broke_off_does_not_hold():
    found = [*findings(Expected({}), OBSERVED._replace(failure='diverged', gone={}))]
    assert [(one.holds, one.found) for one in found] == [(False, 'diverged')]


def test_lines_and_junit_say_value_and_limit(tmp_path):
    scenario = make_scenario('tried', {**CONTENT, 'expected': {
        'distance': 10, 'final_speed': 0.01, 'ended': ['trajectory_tracker']}})
    outcome = Outcome(
        scenario, OBSERVED._replace(gone={'trajectory_tracker': 'has ended'}), bag='/tmp/bag')
    assert not outcome.holds
    assert [*outcome.lines()][:3] == [
        'pass  drive: the end, expected the end, with all nodes but trajectory_tracker',
        'pass  final_speed: 0 m/s, expected at most 0.01 m/s',
        'FAIL  distance: 12 m, expected at most 10 m']
    assert outcome.failures() == 'distance: 12 m, expected at most 10 m\nBag: /tmp/bag'
    path = tmp_path / 'junit.xml'
    broken = Outcome(scenario, OBSERVED._replace(failure='died & <left>\x07'))
    write_junit(path, [outcome, broken])
    root = ElementTree.parse(path).getroot()
    assert (root.tag, root.get('tests'), root.get('failures')) == ('testsuites', '6', '3')
    cases = root.findall('./testsuite[@name="tried"]/testcase')
    assert [case.get('name') for case in cases] == ['drive', 'final_speed', 'distance'] * 2
    failed = root.findall('./testsuite/testcase/failure')
    assert failed[0].get('message') == 'distance: 12 m, expected at most 10 m'
    assert f'{failed[0].text}'.endswith('Bag: /tmp/bag')
    assert f"{failed[1].get('message')}".startswith('drive: died & <left>?')


def test_a_record_has_the_measures_of_the_engine():
    """A drive whose odometry all comes has what the simulation without nodes says of it."""
    run = racecar.simulate(
        'kinematic_ode', duration=3.0, trajectory='figure_eight', tyre_model='fiala')
    stack = STACKS['kinematic_ode']
    tracker = tracker_of(stack, describe_stack(
        stack.name, StackOptions(trajectory='figure_eight', tyre_model='fiala')))
    record = DriveRecord(3 * NANOSECONDS, tracker)
    for time, x, y, yaw, vx, vy, rate, *_ in run.table.rows.tolist():
        odometry = Odometry(
            round(time * NANOSECONDS), x, y, math.sin(0.5 * yaw), math.cos(0.5 * yaw), vx, vy,
            rate)
        record.add_seen(odometry)
        record.add_motion(odometry)
    record.add_motion(odometry._replace(time_ns=4 * NANOSECONDS))
    assert record.missing(round(NANOSECONDS * float(np.diff(run.table['time'])[0]))) == ''
    found = record.measures()
    assert found['rmse'] == pytest.approx(run.metrics().rmse, rel=1e-12)
    rows = run.table
    error = np.hypot(rows['x'] - rows['x_reference'], rows['y'] - rows['y_reference'])
    assert found['final_error'] == pytest.approx(error[-1], rel=1e-9)
    assert found['max_error'] == pytest.approx(error.max(), rel=1e-9)
    assert found['distance'] == pytest.approx(
        np.hypot(np.diff(rows['x']), np.diff(rows['y'])).sum())
    assert found['top_speed'] == np.hypot(rows['vx'], rows['vy']).max()
    assert math.isnan(found['collisions'])


def test_a_message_that_is_sent_again_in_lockstep_counts_once():
    record = DriveRecord(2 * NANOSECONDS)
    for data, is_stamped in ((b'1', True), (b'1', True), (b'2', True), (b'2', False)):
        record.note_message('scan', data, is_stamped=is_stamped)
    assert record.traffic('scan').messages == 3
    record.note_time(NANOSECONDS)
    # One that is frozen is sent at its time.
    record.note_message('scan', b'2', is_stamped=True)
    assert record.traffic('scan').messages == 4


def test_a_record_counts_messages_until_the_end():
    record = DriveRecord(2 * NANOSECONDS)
    for seconds in (0.5, 1.0, 1.5, 2.0, 2.5):
        record.note_time(round(seconds * NANOSECONDS))
        if seconds < 1.2 or seconds > 2.0:
            record.note_message('scan', b'', is_stamped=False)
    assert record.traffic('scan') == Traffic(2, 1.0)
    assert record.traffic('imu') == Traffic(0, 2.0)
    assert record.missing(NANOSECONDS) == '3 of 3 odometry messages did not come'
    assert math.isnan(record.position[0])
    assert record.metrics() is None
