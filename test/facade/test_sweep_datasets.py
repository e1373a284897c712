# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""Sweeps in parts: the same rows on any cores, after kills and interruptions; reports of them."""

import json
import os
from pathlib import Path
import shlex
import signal
import subprocess
import sys
import tracemalloc
from typing import Any

from full_disk import growing_no_further_than
from hypothesis import given
from hypothesis import strategies as st
import numpy as np
import pytest
import yaml

import racecar
from racecar.base.environment import present_environment
from racecar.base.errors import ConfigurationError, RunError
from racecar.cli.main import main
from racecar.facade.chunks import Cores, Lost, Plan
from racecar.facade.cluster import LOCAL, open_cores
from racecar.facade.datasets import DatasetWriter, open_dataset, run_into, SweepRows
from racecar.facade.local_workers import local_scheduler
from racecar.facade.sweep_parts import run_part, SweepTask
from racecar.facade.sweeps import SweepRun
from racecar.stacks.sweep import make_sweep

SAMPLE: dict[str, Any] = {
    'trajectory': 'circle', 'tyre_model': 'fiala', 'duration': 1.0, 'seed': 3, 'count': 90,
    'noise': {'x': 0.01},
    'sample': {'trajectory_tracker.Kp': {'uniform': [2.0, 6.0]},
               'single_track_simulator.vehicle.mass': {'normal': [5.0, 0.3]}}}
GRID: dict[str, Any] = {
    'trajectory': 'circle', 'tyre_model': 'fiala', 'duration': 1.0,
    'grid': {'trajectory_tracker.Kp': [2.0, 4.0, 6.0], 'vehicle.mass': [5.0, 6.0]}}
HANGING = Path(__file__).parents[1] / 'helpers' / 'hanging_controller.py'


def sweep_of(content=SAMPLE, **changes):
    return make_sweep('kinematic_ode', {**content, **changes})


def table_of(folder):
    return open_dataset(folder).table()


def stored(folder, sweep, cores, on_progress=lambda _: None, resume=False):
    """Run a sweep into a dataset."""
    writer = DatasetWriter(folder, SweepRows(sweep), 'racecar sweep', resume=resume)
    return run_into(writer, cores, sweep, on_progress)


@pytest.fixture(scope='module')
def scheduler():
    pytest.importorskip('distributed')
    with local_scheduler(2) as address:
        yield address


@pytest.fixture(scope='module')
def alone(tmp_path_factory):
    """Rows of SAMPLE without a scheduler."""
    pytest.importorskip('pyarrow')
    folder = tmp_path_factory.mktemp('alone') / 'dataset'
    stored(folder, sweep_of(), Cores(1))
    return table_of(folder)


@given(st.lists(st.integers(1, 400), max_size=5), st.integers(1, 8),
       st.lists(st.floats(0.0, 100.0), min_size=1, max_size=30))
def test_parts_are_all_points_once_however_long_they_take(counts, at_once, seconds):
    ranges, at = [], 0
    for count in counts:
        ranges.append((at, count))
        at += count + 7
    plan = Plan(ranges, at_once)
    taken: list[int] = []
    while (found := plan.take()) is not None:
        taken += range(found[0], sum(found))
        plan.learn(found[1], seconds[len(taken) % len(seconds)])
    assert taken == [point for first, count in ranges for point in range(first, first + count)]


def test_cars_of_a_part_are_those_of_the_whole_with_their_noise():
    sweep = sweep_of(count=12)
    whole, part = run_part(sweep, 0, 12), run_part(sweep, 5, 4)
    for name, values in part.metrics.items():
        np.testing.assert_array_equal(values, whole.metrics[name][5:9])
    assert part.first == 5
    assert len(set(whole.metrics['rmse'].tolist())) == 12


def test_points_of_a_sample_are_drawn_as_one_array_each_would_be():
    found = sweep_of(count=150_000).points
    generator = np.random.default_rng(3)
    drawn = [generator.uniform(2.0, 6.0, 150_000), generator.normal(5.0, 0.3, 150_000)]
    assert found[65_530:65_545] == tuple(
        zip(*(column[65_530:65_545].tolist() for column in drawn), strict=True))
    assert found[149_999] == tuple(column[-1] for column in drawn)
    assert found[-1] == found[149_999]


def test_millions_of_points_take_no_memory():
    tracemalloc.start()
    try:
        sweep = sweep_of(count=3_000_000)
        assert sweep.part(2_999_000, 1000).points
        assert tracemalloc.get_traced_memory()[1] < 10_000_000
    finally:
        tracemalloc.stop()


@pytest.mark.parametrize('workers', [1, 3])
def test_rows_are_the_same_on_any_number_of_workers(alone, tmp_path, workers):
    pytest.importorskip('distributed')
    with open_cores(LOCAL, workers) as cores:
        outcome = stored(tmp_path / 'dataset', sweep_of(), cores)
    assert outcome == (90, 0, (), '')
    assert table_of(tmp_path / 'dataset').equals(alone)


def test_result_in_python_is_that_without_a_scheduler(scheduler):
    asked: dict[str, Any] = {'configuration': 'kinematic_ode', 'file': GRID}
    here, there = racecar.sweep(**asked), racecar.sweep(**asked, scheduler=scheduler)
    # NaN, too.
    assert repr(there.columns()) == repr(here.columns())
    assert there.as_rows() == here.as_rows()


def test_a_scheduler_passes_on_what_only_the_workers_load(scheduler):
    import distributed

    racecar.sweep('kinematic_ode', GRID, scheduler=scheduler)
    with distributed.Client(scheduler, set_as_default=False) as client:
        assert client.run_on_scheduler(lambda: [
            name for name in ('racecar.simulation.block', 'numba')
            if name in sys.modules]) == []


def test_rows_are_those_of_the_result(tmp_path):
    pytest.importorskip('pyarrow')
    stored(tmp_path / 'dataset', sweep_of(GRID), Cores(1))
    rows, result = table_of(tmp_path / 'dataset'), racecar.sweep('kinematic_ode', GRID)
    for name, values in result.columns().items():
        assert rows[name].to_pylist() == [None if value != value else value for value in values]
    assert rows['point'].to_pylist() == [*range(6)]
    assert rows.schema.field('rmse').metadata == {b'unit': b'm'}


def test_a_worker_that_is_killed_three_times_costs_no_row(scheduler, alone, tmp_path):
    import distributed

    with distributed.Client(scheduler, set_as_default=False) as client:
        killed: list[int] = []

        def kill(done):
            if len(killed) < 3:
                # The one of before is still asked until the scheduler has missed it.
                while not (alive := client.run(os.getpid, on_error='ignore')):
                    client.wait_for_workers(1)
                killed.append(next(iter(alive.values())))
                os.kill(killed[-1], signal.SIGKILL)

        with open_cores(scheduler) as cores:
            outcome = stored(tmp_path / 'dataset', sweep_of(), cores, kill)
    assert len(killed) == 3
    assert outcome.lost == ()
    assert table_of(tmp_path / 'dataset').equals(alone)


KILLED = """
import os, pathlib, signal, sys
from racecar.facade.chunks import Cores, Lost, Plan
from racecar.facade.cluster import LOCAL, open_cores
from racecar.facade.datasets import DatasetWriter, run_into, SweepRows
from racecar.stacks.sweep import make_sweep
sweep = make_sweep('kinematic_ode', {content!r})
with open_cores(LOCAL, 2) as cores:
    writer = DatasetWriter(pathlib.Path({folder!r}), SweepRows(sweep), '')
    def kill(done):
        writer.write()
        os.kill(os.getpid(), signal.SIGKILL)
    run_into(writer, cores, sweep, kill)
"""


def test_a_process_that_is_killed_leaves_what_another_goes_on_with(alone, tmp_path):
    pytest.importorskip('distributed')
    folder = tmp_path / 'dataset'
    ended = subprocess.run(
        [sys.executable, '-c', KILLED.format(content=SAMPLE, folder=str(folder))], check=False)
    assert ended.returncode == -signal.SIGKILL
    assert 0 < len(open_dataset(folder)) < 90
    stored(folder, sweep_of(), Cores(1), resume=True)
    assert table_of(folder).equals(alone)


def test_a_scheduler_that_dies_is_named_and_its_rows_stay(alone, tmp_path):
    distributed = pytest.importorskip('distributed')
    folder = tmp_path / 'dataset'
    with local_scheduler(1) as address, distributed.Client(
            address, set_as_default=False) as client, open_cores(address) as cores:
        process = client.run_on_scheduler(os.getpid)

        def kill(done):
            os.kill(process, signal.SIGKILL)

        with pytest.raises(RunError, match='the scheduler is gone') as info:
            stored(folder, sweep_of(), cores, kill)
    assert '\n' not in str(info.value)
    assert 0 < len(open_dataset(folder)) < 90
    stored(folder, sweep_of(), Cores(1), resume=True)
    assert table_of(folder).equals(alone)


@pytest.mark.parametrize('address', [None, 'of workers'])
def test_what_was_interrupted_goes_on(request, alone, tmp_path, address):
    folder = tmp_path / 'dataset'

    def interrupt(done):
        raise KeyboardInterrupt

    with open_cores(address and request.getfixturevalue('scheduler')) as cores:
        with pytest.raises(KeyboardInterrupt):
            stored(folder, sweep_of(), cores, interrupt)
        assert 0 < len(open_dataset(folder)) < 90
        # As somebody leaves it who is killed while writing.
        (folder / 'points-00000080-00000089.unfinished').write_bytes(b'PAR1')
        seen: list[int] = []
        stored(folder, sweep_of(), cores, seen.append, resume=True)
    assert seen[-1] == 90
    assert table_of(folder).equals(alone)


def test_another_sweep_or_version_does_not_go_on_there(monkeypatch, tmp_path):
    pytest.importorskip('pyarrow')
    stored(tmp_path / 'dataset', sweep_of(GRID), Cores(1))
    for changes in ({'duration': 2.0}, {'grid': {'vehicle.mass': [5.0, 6.5]}}):
        with pytest.raises(ConfigurationError, match='is of another sweep'):
            DatasetWriter(
                tmp_path / 'dataset', SweepRows(sweep_of(GRID, **changes)), '', resume=True)
    with pytest.raises(ConfigurationError, match='File exists'):
        DatasetWriter(tmp_path / 'dataset', SweepRows(sweep_of(GRID)), '')
    present = {**present_environment(), 'numpy': '1.0'}
    monkeypatch.setattr('racecar.facade.cluster.present_environment', lambda: present)
    with pytest.raises(ConfigurationError, match=r'was made with numpy \d.*, here is 1\.0'):
        DatasetWriter(tmp_path / 'dataset', SweepRows(sweep_of(GRID)), '', resume=True)


def test_a_folder_without_a_dataset_is_not_gone_on_with(tmp_path):
    pytest.importorskip('pyarrow')
    with pytest.raises(ConfigurationError, match='holds no dataset to go on with; name'):
        DatasetWriter(tmp_path, SweepRows(sweep_of(GRID)), '', resume=True)


def test_a_worker_with_another_version_is_refused_by_name(scheduler, monkeypatch):
    present = {**present_environment(), 'racecar': '9.9'}
    monkeypatch.setattr('racecar.facade.cluster.present_environment', lambda: present)
    with pytest.raises(ConfigurationError, match=r'worker tcp://.* has racecar .*, expected 9\.9'):
        racecar.sweep('kinematic_ode', GRID, scheduler=scheduler)


@pytest.mark.parametrize('address', ['tcp://127.0.0.1:1', 'nonsense', ''])
def test_a_scheduler_that_is_not_there_is_named(address):
    pytest.importorskip('distributed')
    with pytest.raises(ConfigurationError, match=f"scheduler '{address}' does not answer") as info:
        racecar.sweep('kinematic_ode', GRID, scheduler=address)
    assert '\n' not in str(info.value)


def test_a_full_disk_loses_nothing_that_was_written(tmp_path):
    pytest.importorskip('pyarrow')
    sweep, folder = sweep_of(GRID), tmp_path / 'dataset'
    writer = DatasetWriter(folder, SweepRows(sweep), '')
    writer.add(run_part(sweep, 0, 2))
    writer.write()
    with growing_no_further_than(1000), pytest.raises(
            ConfigurationError, match='cannot be written: .*too large.*--resume'):
        run_into(writer, Cores(1), sweep)
    assert [*folder.glob('*.unfinished')] == []
    assert len(open_dataset(folder)) == 2
    assert stored(folder, sweep, Cores(1), resume=True).done == 6


def test_a_dataset_is_written_by_one_process_at_a_time(tmp_path):
    pytest.importorskip('pyarrow')
    sweep, folder = sweep_of(GRID), tmp_path / 'dataset'
    with DatasetWriter(folder, SweepRows(sweep), '') as writer:
        writer.add(run_part(sweep, 0, 2))
        with pytest.raises(ConfigurationError, match='is being written by another process'):
            stored(folder, sweep, Cores(1), resume=True)
    assert len(open_dataset(folder)) == 2
    assert stored(folder, sweep, Cores(1), resume=True).done == 6


def test_files_with_the_same_points_are_told(tmp_path):
    pytest.importorskip('pyarrow')
    sweep, folder = sweep_of(GRID), tmp_path / 'dataset'
    stored(folder, sweep, Cores(1))
    (folder / 'points-00000003-00000007.parquet').write_bytes(b'')
    message = r'points from 3 on both in points-00000000-00000005.* and in points-00000003'
    with pytest.raises(ConfigurationError, match=message):
        len(open_dataset(folder))
    with pytest.raises(ConfigurationError, match=message):
        stored(folder, sweep, Cores(1), resume=True)


def test_points_that_cannot_be_run_say_why_in_their_row(tmp_path):
    pytest.importorskip('pyarrow')
    sweep = make_sweep('dynamic_ode', {
        'duration': 1.0, 'grid': {'dynamic_linearizer.kinematic_speed': [0.1, 0.9, 0.2]}})
    outcome = stored(tmp_path / 'dataset', sweep, Cores(1))
    assert outcome.unmade == 1
    assert outcome.warning.startswith('point 2 of 3 (dynamic_linearizer.kinematic_speed=0.9)')
    rows = table_of(tmp_path / 'dataset')
    assert rows['failure'].to_pylist() == [None, outcome.warning, None]
    assert [value is None for value in rows['rmse'].to_pylist()] == [False, True, False]


def test_a_sweep_of_which_nothing_can_be_run_ends_with_the_reason(tmp_path):
    pytest.importorskip('pyarrow')
    sweep = make_sweep('dynamic_ode', {
        'duration': 1.0, 'grid': {'dynamic_linearizer.kinematic_speed': [0.9, 0.8]}})
    with pytest.raises(ConfigurationError, match='point 1 of 2'):
        stored(tmp_path / 'dataset', sweep, Cores(1))


def test_a_point_that_hangs_is_named_and_costs_no_other(scheduler, tmp_path):
    sweep = make_sweep('kinematic_ode', {
        'duration': 0.5, 'controller': f'{HANGING}:Hanging', 'trajectory': 'circle',
        'grid': {'controller.gain': [1.0, 2.0, 3.0, -1.0, 4.0]}})
    with open_cores(scheduler, timeout=25.0) as cores:
        outcome = stored(tmp_path / 'dataset', sweep, cores)
    assert outcome.done == 4
    assert outcome.lost == (Lost(3, 1, 'it took longer than 25 s'),)
    assert table_of(tmp_path / 'dataset')['point'].to_pylist() == [0, 1, 2, 4]


def test_a_file_that_workers_do_not_have_is_named(scheduler, tmp_path):
    file = tmp_path / 'controller.py'
    file.write_text(HANGING.read_text())
    sweep = make_sweep('kinematic_ode', {
        'duration': 0.5, 'controller': f'{file}:Hanging', 'grid': {'controller.gain': [1.0]}})
    made = sweep.run_file('')
    assert f'{file}:Hanging' in made.files
    file.write_text(f'{HANGING.read_text()}\n# Changed since.\n')
    monkey = pytest.MonkeyPatch()
    with monkey.context() as patch, open_cores(scheduler) as cores:
        patch.setattr(type(sweep), 'run_file', lambda *_: made)
        with pytest.raises(ConfigurationError, match="has another file '.*controller.py'"):
            [*cores.run(SweepTask(sweep), [(0, 1)])]


@pytest.fixture
def sweep_file(tmp_path):
    def write(content):
        path = tmp_path / 'study.yaml'
        path.write_text(yaml.safe_dump(content, sort_keys=False))
        return str(path)
    return write


def test_the_worst_points_come_with_a_command_that_repeats_them(sweep_file, tmp_path, capsys):
    pytest.importorskip('pyarrow')
    output = tmp_path / 'out'
    assert main(['sweep', 'kinematic_ode', sweep_file(GRID), '--dataset', '--json',
                 '-o', str(output)]) == 0
    said = json.loads(capsys.readouterr().out)
    rmse = open_dataset(output).column('rmse')
    assert [row['point'] for row in said['worst']] == np.argsort(-rmse).tolist()
    assert said['quantiles']['rmse']['median'] == np.median(rmse)
    for row in said['worst'][:2]:
        assert main([*shlex.split(row['command'])[1:], '--json']) == 0
        assert json.loads(capsys.readouterr().out)['rmse'] == rmse[row['point']]
    assert main(['analyze', str(output), '--json', '--metric', 'max_error']) == 0
    worst = json.loads(capsys.readouterr().out)['worst'][0]['point']
    assert worst == np.argmax(open_dataset(output).column('max_error'))
    assert 'Median rmse over' in (output / 'report.html').read_text()


def test_a_point_with_noise_is_repeated_by_the_sweep(alone, sweep_file, tmp_path, capsys):
    output = tmp_path / 'out'
    assert main(['sweep', 'kinematic_ode', sweep_file(SAMPLE), '--dataset', '--json',
                 '-o', str(output)]) == 0
    worst = json.loads(capsys.readouterr().out)['worst'][0]
    assert main([*shlex.split(worst['command'])[1:], '-o', str(tmp_path / 'one'), '--json']) == 0
    found = json.loads(capsys.readouterr().out)['best']['rmse']
    assert found == alone['rmse'].to_pylist()[worst['point']]


def test_datasets_are_compared_by_their_quantiles(sweep_file, tmp_path, capsys):
    pytest.importorskip('pyarrow')
    for name, mass in (('light', 5.0), ('heavy', 7.0)):
        assert main(['sweep', 'kinematic_ode', sweep_file(
            {**GRID, 'set': {'vehicle.mass': mass}, 'grid': {
                'trajectory_tracker.Kp': [2.0, 4.0, 6.0]}}), '--dataset',
            '-o', str(tmp_path / name)]) == 0
    capsys.readouterr()
    assert main(['compare', str(tmp_path / 'light'), str(tmp_path / 'heavy'), '--json',
                 '-o', str(tmp_path / 'compared')]) == 0
    light, heavy = json.loads(capsys.readouterr().out)['datasets']
    assert (light['name'], light['points']) == ('light', 3)
    for said, name in ((light, 'light'), (heavy, 'heavy')):
        rmse = open_dataset(tmp_path / name).column('rmse')
        assert said['rmse, median'] == np.median(rmse)
        assert said['rmse, maximum'] == rmse.max()
    assert main(['compare', str(tmp_path / 'light'), str(tmp_path / 'heavy'), '--skip', '1']) == 1
    assert '--skip is for runs' in capsys.readouterr().err


@pytest.mark.parametrize(('options', 'message'), [
    (('--resume',), '--resume needs --output'),
    (('--point', '7'), '--point 7 is not in the file, expected 1 to 6'),
    (('--point', '2', '--dataset'), 'leave out the dataset'),
])
def test_options_that_do_not_fit_are_refused(sweep_file, capsys, options, message):
    assert main(['sweep', 'kinematic_ode', sweep_file(GRID), *options]) == 1
    assert message in capsys.readouterr().err


def test_tuning_finds_the_same_on_workers(scheduler):
    pytest.importorskip('optuna')
    asked: dict[str, Any] = {
        'tune': {'trajectory_tracker.Kp': {'range': [0.3, 30.0], 'log': True}}, 'trials': 12,
        'trajectory': 'circle', 'duration': 1.0}
    here = racecar.tune('kinematic_ode', **asked)
    assert racecar.tune('kinematic_ode', **asked, scheduler=scheduler).trials == here.trials


def test_a_lost_point_ends_a_sweep_in_python(scheduler):
    sweep = make_sweep('kinematic_ode', {
        'duration': 0.5, 'controller': f'{HANGING}:Hanging',
        'grid': {'controller.gain': [-1.0]}})
    with open_cores(scheduler, timeout=5.0) as cores:
        made = SweepRun('hanging', sweep, cluster=cores)
        with pytest.raises(RunError, match=r'point 1 of 1 .*gain=-1.*longer than 5 s'):
            made.run()
