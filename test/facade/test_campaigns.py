# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""Campaigns of faults: runs that follow from their numbers, repeated to the bit from one line."""

import copy
import importlib.util
import json
import shlex

import numpy as np
import pytest
import yaml

import racecar
from racecar.base.errors import ConfigurationError
from racecar.base.share import campaign_names, find_campaign
from racecar.cli.main import main
from racecar.facade.campaigns import CampaignResult
from racecar.facade.datasets import DatasetWriter, open_dataset, SweepRows
from racecar.facade.sweep_parts import run_part
from racecar.metrics.survival import Limits, severities, share_of
from racecar.stacks.campaign import load_campaign, make_campaign

pytestmark = pytest.mark.skipif(
    importlib.util.find_spec('pyarrow') is None, reason='PyArrow writes datasets')

FAULTS = [
    {'kind': 'drop', 'target': {'choice': ['odometry', 'command']}, 'onset': {'uniform': [0.2, 1]},
     'size': {'uniform': [0.5, 1.0]}},
    {'kind': 'friction', 'onset': {'normal': [0.5, 0.2]}, 'size': {'uniform': [0.01, 0.5]}},
    {'kind': 'freeze', 'target': 'odometry', 'onset': 0.5, 'duration': {'choice': [0.1, 1.0]}},
    {'together': [
        {'kind': 'noise', 'target': 'odometry.yaw', 'onset': 0.2, 'size': 0.3},
        {'kind': 'play', 'onset': 0.4, 'size': {'uniform': [0.0, 0.5]}}]}]
CONTENT = {
    'trajectory': 'circle', 'tyre_model': 'fiala', 'duration': 2.0, 'runs': 24, 'seed': 5,
    'set': {'trajectory_tracker.R': 1.0, 'trajectory_tracker.W': 1.5},
    'faults': FAULTS, 'survived': {'max_error': 0.3, 'final_speed': {'least': 0.5}}}


@pytest.fixture(scope='module')
def file(tmp_path_factory):
    path = tmp_path_factory.mktemp('campaign') / 'tried.yaml'
    path.write_text(yaml.safe_dump(CONTENT), encoding='utf-8')
    return path


@pytest.fixture(scope='module')
def result(file, tmp_path_factory):
    return racecar.campaign(file, tmp_path_factory.mktemp('runs') / 'tried', jobs=2)


def test_each_run_is_repeated_to_the_bit_by_its_command(result, capsys):
    commands = result.dataset.commands_of(range(len(result)))
    for run in (0, 1, 2, 3, 4, 5, 18, 23):
        words = shlex.split(commands[run])
        assert words[:3] == ['racecar', 'simulate', '--from']
        assert main([*words[1:], '--json']) == 0
        found = json.loads(capsys.readouterr().out)
        for name in ('rmse', 'max_error', 'max_cross_track_error', 'heading_rmse'):
            assert found[name] == result.columns[name][run], (run, name)


def test_runs_follow_from_their_numbers(result):
    sweep = make_campaign(CONTENT)
    points = sweep.points[:]
    assert points[7] == sweep.points[7:8][0]
    # As another process has them, which gets the state of the sweep, in any part.
    again = copy.deepcopy(sweep)
    part = run_part(again, 5, 3)
    for name in ('rmse', 'final_error', 'final_speed'):
        np.testing.assert_array_equal(part.metrics[name], result.columns[name][5:8])
    assert make_campaign({**CONTENT, 'seed': 6}).points[0] != points[0]
    assert [point[1] for point in points] == [1, 2, 3, 4] * 6
    assert all('seed' in str(point[0]) for point in points if 'drop' in str(point[0]))


def test_a_campaign_that_was_interrupted_goes_on(file, result, tmp_path):
    whole = load_campaign(file)[1]
    folder = tmp_path / 'parts'
    with DatasetWriter(folder, SweepRows(whole), '') as writer:
        writer.add(run_part(whole, 0, 9))
    assert len(open_dataset(folder)) == 9
    again = racecar.campaign(file, folder, resume=True)
    for name, column in result.columns.items():
        np.testing.assert_array_equal(again.columns[name], column)


def test_what_was_survived_follows_from_the_columns(result):
    columns = result.columns
    wanted = (columns['max_error'] <= 0.3) & (columns['final_speed'] >= 0.5)
    np.testing.assert_array_equal(result.survived, wanted)
    assert 0 < wanted.sum() < len(wanted)
    shares = result.shares()
    assert {*shares} == {'drop odometry', 'drop command', 'friction', 'freeze odometry',
                         'noise odometry.yaw + play steering'}
    assert sum(share.runs for share in shares.values()) == len(result)
    assert sum(share.survived for share in shares.values()) == wanted.sum()
    bands = [band for band in result.bands() if band.fault == 'friction']
    assert sum(band.share.runs for band in bands) == 6
    sizes = columns['fault_size'][columns['fault_kind'] == 'friction']
    assert (bands[0].low, bands[-1].high) == (sizes.min(), sizes.max())
    lasting = [band for band in result.bands() if band.fault == 'freeze odometry']
    assert [(band.over, band.low) for band in lasting][0] == ('duration [s]', 0.1)
    worst = result.worst()
    assert all(not wanted[one.run] for one in worst)
    assert [one.severity for one in worst] == sorted(
        (one.severity for one in worst), reverse=True)


def test_the_command_writes_table_page_and_dataset(file, result, tmp_path, capsys):
    folder = tmp_path / 'made'
    assert main(['campaign', str(file), '-o', str(folder), '--json']) == 0
    found = json.loads(capsys.readouterr().out)
    assert (found['runs'], found['survived']) == (24, int(result.survived.sum()))
    assert found['worst'][0]['command'].startswith(f'racecar simulate --from {folder} --fault')
    page = (folder / 'report.html').read_text(encoding='utf-8')
    assert 'final_speed of at least 0.5 m/s; max_error of at most 0.3 m' in page
    lines = (folder / 'survival.csv').read_text(encoding='utf-8').splitlines()
    assert lines[0] == 'fault,over,low,high,runs,survived,share,share_low,share_high'
    assert main(['campaign', str(file), '-o', str(folder)]) == 1
    assert 'exists already, not overwriting it; name another folder, or go on with its' in (
        capsys.readouterr().err)
    # It is a dataset like that of a sweep.
    assert main(['analyze', str(folder), '--metric', 'max_error']) == 0
    # A run.yaml of a campaign is that of its car without faults.
    assert main(['simulate', '--from', str(folder), '--json']) == 0


def test_a_sweep_has_faults_too(tmp_path):
    content = {'duration': 1.0, 'tyre_model': 'fiala', 'trajectory': 'circle',
               'grid': {'trajectory_tracker.Kp': [2.0, 5.0]}}
    faults = 'kind: bias, target: odometry.y, onset: 0.0, size: 0.1'
    found = racecar.sweep('kinematic_ode', content, faults=faults)
    healthy = racecar.sweep('kinematic_ode', content)
    for point, gain in enumerate((2.0, 5.0)):
        alone = racecar.simulate(
            'kinematic_ode', duration=1.0, tyre_model='fiala', trajectory='circle',
            set={'trajectory_tracker.Kp': gain}, faults=faults)
        assert alone.metrics().rmse == found.result.rmse[point] != healthy.result.rmse[point]
    with pytest.raises(ConfigurationError, match='campaign'):
        CampaignResult(open_dataset(_sweep_dataset(tmp_path)))


def _sweep_dataset(tmp_path):
    path = tmp_path / 'sweep.yaml'
    path.write_text('duration: 0.1\ngrid: {trajectory_tracker.Kp: [2.0]}\n', encoding='utf-8')
    assert main(['sweep', 'kinematic_ode', str(path), '--dataset', '-o', str(tmp_path / 's')]) == 0
    return tmp_path / 's'


def test_odometry_of_dead_reckoning_has_faults_too():
    settings = {'single_track_simulator.odometry.source': 'gyro',
                'single_track_simulator.odometry.delay': 0.02}
    content = {**CONTENT, 'duration': 1.5, 'runs': 2, 'set': settings, 'faults': FAULTS[::2][:2]}
    together = run_part(make_campaign(content), 0, 2)
    for run in range(2):
        alone = run_part(make_campaign(content), run, 1)
        assert alone.metrics['rmse'][0] == together.metrics['rmse'][run]
        one = racecar.simulate(
            'kinematic_ode', trajectory='circle', tyre_model='fiala', duration=1.5,
            set=settings, faults=str(make_campaign(content).points[run][0]))
        assert one.metrics().rmse == together.metrics['rmse'][run]


def test_examples_can_be_read():
    assert 'faults' in campaign_names()
    for name in campaign_names():
        path, sweep = load_campaign(name)
        assert path == find_campaign(name)
        assert len(sweep.points[:20]) == 20


@pytest.mark.parametrize(('change', 'wanted'), [
    ({'faults': []}, 'expected a list of faults'), ({'runs': 0}, 'runs is 0'),
    ({'faults': [{'kind': 'friction', 'size': {'uniform': [0.5, 0.1]}}]}, 'the lower one first'),
    ({'faults': [{'kind': 'friction', 'size': {'uniform': [0.0, 0.1]}}]}, r'\[0.001, 10\]'),
    ({'faults': [{'kind': 'friction', 'size': {'gauss': [0.5, 0.1]}}]}, 'uniform'),
    ({'faults': [{'kind': 'friction', 'onset': {'choice': []}, 'size': 0.1}]}, 'choice'),
    ({'faults': [{'kind': 'drop', 'target': {'choice': ['gps']}, 'size': 0.1}]}, 'target is'),
    ({'faults': [{'together': []}]}, 'fault 1: together'),
    ({'faults': [{'kind': 'node_kill'}]}, 'fault 1: kind is .*is of nodes'),
    ({'faults': [{'together': [{'kind': 'delay', 'size': 0.1}] * 2}]}, 'at most one'),
    ({'faults': [{'kind': 'dead', 'onset': {'uniform': [1.0, 2.5]}}]}, 'onset is up to 2.5'),
    ({'survived': {'max_erorr': 1}}, 'max_error'),
    ({'survived': {'rmse': {'least': 2, 'most': 1}}}, 'at most the most'),
    ({'survived': {'rmse': -1}}, 'at least 0'), ({'noise': {'x': 1}}, 'noise'),
    ({'configuration': 'plant'}, 'plant'), ({'grid': {}}, 'grid')])
def test_a_bad_file_says_what_is_wrong(change, wanted):
    with pytest.raises(ConfigurationError, match=wanted):
        make_campaign({**CONTENT, **change})


def test_a_fault_that_no_car_can_have_is_told_before_the_others_run(tmp_path):
    with pytest.raises(ConfigurationError, match='changes nothing'):
        racecar.campaign({**CONTENT, 'tyre_model': 'linear', 'faults': FAULTS[1:2]},
                         tmp_path / 'none')


def test_a_share_has_the_interval_of_wilson():
    stats = pytest.importorskip('scipy.stats')
    for survived, runs in ((0, 5), (5, 5), (3, 10), (900, 1000)):
        found = share_of(np.arange(runs) < survived)
        wanted = stats.binomtest(survived, runs).proportion_ci(method='wilson')
        assert found[:3] == (runs, survived, survived / runs)
        np.testing.assert_allclose(found[3:], (wanted.low, wanted.high), atol=1e-12)


def test_severity_is_the_largest_share_of_a_limit():
    found = severities(
        {'a': np.array([0.5, 2.0, 1.0, np.nan, 0.1]), 'b': np.array([3.0, 3.0, 1.0, 3.0, 3.0])},
        {'a': Limits(most=1.0), 'b': Limits(least=2.0)},
        np.array([False, False, False, False, True]))
    assert found.tolist() == [0.5, 2.0, 2.0, np.inf, np.inf]
