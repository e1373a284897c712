# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""Scenarios and campaigns with the real nodes: what is expected, and the same bits each time."""

import importlib.util
import json
from pathlib import Path
import shlex
import xml.etree.ElementTree as ElementTree

import numpy as np
import pytest
import yaml

import racecar
from racecar.cli.main import main
from racecar.facade.chunks import Lost
from racecar.facade.datasets import DatasetWriter, SweepRows
from racecar.facade.node_processes import NodeProcesses
from racecar.facade.sweep_parts import Part, SweepTask
from racecar.stacks.campaign import make_campaign

pytestmark = pytest.mark.ros

HANGING = Path(__file__).parents[1] / 'helpers' / 'hanging_controller.py'
OPTIONS = {'trajectory': 'figure_eight', 'tyre_model': 'fiala'}


def write(tmp_path, name='tried', **content):
    path = tmp_path / f'{name}.yaml'
    path.write_text(yaml.safe_dump({
        'configuration': 'kinematic_ode', 'duration': 2.0, **content}))
    return str(path)


def outcomes(capsys, *words):
    code = main(['scenario', *words, '--json'])
    found = json.loads(capsys.readouterr().out)
    assert code == (0 if found['holds'] else 1)
    return found['scenarios']


def test_a_scenario_has_the_bits_of_the_engine_each_time(tmp_path, capsys):
    file = write(tmp_path, **OPTIONS, expected={
        'max_error': 1.0, 'topics': {'vesc/odom': {'silence': 0.0}, 'nobody': {'messages': 0}}})
    one, other = outcomes(capsys, file, file)
    assert one['holds']
    assert {**one, 'wall_time': 0} == {**other, 'wall_time': 0}
    run = racecar.simulate(
        'kinematic_ode', duration=2.0, trajectory='figure_eight', tyre_model='fiala')
    metrics = run.metrics().as_dict()
    for name in ('rmse', 'max_error', 'cross_track_rmse', 'max_cross_track_error',
                 'heading_rmse', 'speed_rmse'):
        assert one['measures'][name] == metrics[name], name
    assert one['position'] == [run.table['x'][-1], run.table['y'][-1]]
    assert one['topics']['vesc/odom']['messages'] == len(run.table)


def test_what_does_not_come_as_expected_is_told_with_value_and_limit(tmp_path, capsys):
    file = write(
        tmp_path, configuration='gap_ode', world='tunnel', duration=3.0, expected={
            'collisions': 0, 'distance': {'least': 1000}, 'ended': ['gap_follower'],
            'topics': {'scan': {'messages': {'least': 10}, 'silence': 0.1}}})
    junit, bag = tmp_path / 'out.xml', tmp_path / 'bag'
    assert main(['scenario', file, '--junit', str(junit), '--record', str(bag)]) == 1
    lines = capsys.readouterr().out.splitlines()
    assert lines[0] == ('FAIL  drive: gap_follower is alive, expected the end, with all nodes but'
                        ' gap_follower')
    assert lines[1].startswith('FAIL  distance: ')
    assert lines[1].endswith(' m, expected at least 1000 m')
    assert lines[2:5] == ['pass  collisions: 0, expected at most 0',
                          lines[3], lines[4]]
    assert lines[3].startswith('pass  messages on scan: ')
    assert lines[5].startswith('tried: 3 of 5 as expected, 3 s in ')
    assert lines[6] == f'Bag: {bag}'
    assert [*bag.glob('*.mcap')]
    root = ElementTree.parse(junit).getroot()
    assert (root.get('tests'), root.get('failures')) == ('5', '2')


def test_the_start_is_that_of_the_file(tmp_path, capsys):
    start = {'x': 3.0, 'y': -2.0, 'yaw': 0.3, 'speed': 1.0}
    file = write(tmp_path, duration=0.1, start=start, trajectory='line', expected={
        'final_position': {'x': 3.0, 'y': -2.0, 'within': 0.2}, 'top_speed': {'least': 0.99}})
    found, = outcomes(capsys, file)
    assert found['holds']


def test_a_controller_that_fails_ends_the_drive(tmp_path, capsys):
    (tmp_path / 'law.py').write_text(
        'def drive(odometry, reference):\n'
        "    if odometry.x > 0.2:\n        raise ValueError('no idea')\n"
        '    return 1.0, 0.0\n')
    file = write(tmp_path, controller='law.py:drive', expected={'max_error': 100})
    found, = outcomes(capsys, file)
    assert not found['holds']
    assert 'no idea' in found['failure']


CAMPAIGN = {
    'trajectory': 'circle', 'tyre_model': 'fiala', 'duration': 1.5, 'runs': 6, 'seed': 5,
    'set': {'trajectory_tracker.R': 1.0, 'trajectory_tracker.W': 1.5},
    'faults': [
        {'kind': 'friction', 'onset': 0.5, 'size': {'uniform': [0.01, 0.5]}},
        {'kind': 'drop', 'target': 'odometry', 'onset': {'uniform': [0.2, 1]},
         'size': {'uniform': [0.5, 1.0]}},
        {'kind': 'bias', 'target': 'odometry.yaw', 'onset': 0.4, 'size': {'normal': [0, 0.3]}}],
    'survived': {'max_error': 0.3, 'final_speed': {'least': 0.5}}}
PYARROW = pytest.mark.skipif(
    importlib.util.find_spec('pyarrow') is None, reason='PyArrow writes datasets')


@PYARROW
def test_a_campaign_with_nodes_has_the_rows_of_the_engine(tmp_path, capsys):
    nodes = racecar.campaign(CAMPAIGN, tmp_path / 'nodes', nodes=True, jobs=2)
    engine = racecar.campaign(CAMPAIGN, tmp_path / 'engine')
    for name, column in engine.columns.items():
        if column.dtype == object:
            assert nodes.columns[name].tolist() == column.tolist(), name
        else:
            np.testing.assert_array_equal(nodes.columns[name], column, name)
    np.testing.assert_array_equal(nodes.survived, engine.survived)
    commands = nodes.dataset.commands_of(range(6))
    for run in (1, 5):
        words = shlex.split(commands[run])
        assert words[:3] == ['racecar', 'scenario', str(tmp_path / 'nodes')]
        found, = outcomes(capsys, *words[2:])
        assert found['holds'] == nodes.survived[run]
        for name in ('rmse', 'max_error', 'final_error', 'final_speed'):
            assert found['measures'][name] == nodes.columns[name][run], (run, name)


@PYARROW
def test_a_campaign_with_nodes_goes_on_where_it_was_stopped(tmp_path):
    sweep = make_campaign({**CAMPAIGN, 'nodes': True, 'runs': 3, 'duration': 1.2})
    with DatasetWriter(tmp_path / 'parts', SweepRows(sweep), '') as writer:
        part, = NodeProcesses(1).run(SweepTask(sweep), [(1, 1)])
        assert isinstance(part, Part)
        writer.add(part)
    content = {**CAMPAIGN, 'nodes': True, 'runs': 3, 'duration': 1.2}
    again = racecar.campaign(content, tmp_path / 'parts', resume=True)
    assert len(again) == 3
    assert again.columns['rmse'][1] == part.metrics['rmse'][0]


def test_a_run_that_hangs_is_lost():
    sweep = make_campaign({
        **CAMPAIGN, 'nodes': True, 'controller': f'{HANGING}:Hanging',
        'set': {'controller.gain': -1.0}})
    found, = NodeProcesses(1, timeout=8.0).run(SweepTask(sweep), [(0, 1)])
    assert isinstance(found, Lost)
    assert found.why == 'it took longer than 8 s'
