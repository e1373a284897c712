# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""Commands and workers as processes of their own: interrupted, left alone, started anew."""

import contextlib
import multiprocessing
import re
import shlex
import signal
import sqlite3
import subprocess
import sys
import time

import pytest
import yaml

from racecar.base.errors import RunError
from racecar.facade.chunks import Cores
from racecar.facade.cluster import open_cores
from racecar.facade.datasets import DatasetWriter, open_dataset, run_into, SweepRows
from racecar.facade.local_workers import local_scheduler
from racecar.facade.sweep_parts import SweepTask
from racecar.stacks.sweep import make_sweep

distributed = pytest.importorskip('distributed')
pytest.importorskip('pyarrow')

COMMAND = (sys.executable, '-c', 'import sys; from racecar.executables import command;'
           ' sys.argv[0] = "racecar"; sys.exit(command())')
PLAIN = """
class Plain:
    def __init__(self, vehicle, gain=1.0):
        self.gain = gain

    def command(self, odometry, reference):
        return 0.5, 0.01 * self.gain * (reference.y - odometry.y)
"""
SWEEP = {'trajectory': 'circle', 'tyre_model': 'fiala', 'duration': 1.0,
         'grid': {'trajectory_tracker.Kp': [float(gain) for gain in range(1, 61)]}}


def stored(folder, cores, on_progress=lambda _: None):
    sweep = make_sweep('kinematic_ode', SWEEP)
    return run_into(DatasetWriter(folder, SweepRows(sweep), ''), cores, sweep, on_progress)


@contextlib.contextmanager
def worker_of(address):
    """A worker without anybody who starts it again."""
    with subprocess.Popen(
            [sys.executable, '-m', 'dask', 'worker', address, '--no-nanny', '--nthreads', '1',
             '--no-dashboard'],
            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as process:
        try:
            yield process
        finally:
            process.kill()


@pytest.mark.parametrize('where', ['', 'local', 'tcp'])
def test_interrupted_command_says_how_to_go_on_and_does(tmp_path, where):
    (tmp_path / 'plain.py').write_text(PLAIN)
    file = tmp_path / 'study.yaml'
    file.write_text(yaml.safe_dump({
        'controller': f"{tmp_path / 'plain.py'}:Plain", 'trajectory': 'circle', 'duration': 1.0,
        'grid': {'controller.gain': [0.01 * number for number in range(200)]}}))
    with contextlib.ExitStack() as stack:
        scheduler = stack.enter_context(local_scheduler(2)) if where == 'tcp' else where
        words = ['sweep', 'kinematic_ode', str(file), '--dataset',
                 *(['--scheduler', scheduler] if scheduler else [])]
        with subprocess.Popen(
                [*COMMAND, *words, '-o', 'found'], cwd=tmp_path,
                stderr=subprocess.PIPE, stdout=subprocess.DEVNULL, text=True) as process:
            assert process.stderr is not None
            # Told when the first chunk has come.
            line = next(text for text in process.stderr if 'plain.py' in text)
            assert 'Python' in line
            process.send_signal(signal.SIGINT)
            said = process.stderr.read()
        assert process.returncode == 130
        told = re.search(r'racecar sweep: (\d+) of 200 points are kept; go on with (.*)', said)
        assert told is not None
        assert 'Traceback' not in said
        kept = int(told[1])
        assert 0 < kept < 200
        folder = tmp_path / 'found'
        assert len(open_dataset(folder)) == kept
        first = open_dataset(folder).table()
        subprocess.run([*COMMAND, *shlex.split(told[2])[1:]], cwd=tmp_path, check=True,
                       stdout=subprocess.DEVNULL)
    rows = open_dataset(folder).table()
    assert rows['point'].to_pylist() == [*range(200)]
    # Those that were there are those that are there.
    was = first['point'].to_pylist()
    assert rows.take(was).equals(first)


TUNED = {'trajectory': 'circle', 'duration': 4.0, 'trials': 100_000,
         'tune': {'trajectory_tracker.Kp': {'range': [0.3, 30.0]}}}
RACED = {'lines': ['berlin_f1tenth_curvature'], 'shares': [0.3], 'laps': 1, 'seeds': 40,
         'plants': {'plane': {'set': {'single_track_simulator.vehicle_model': 'single_track'}}},
         'conditions': {f'noise_{number}': {'controller': {'pose_noise': 0.01 * number}}
                        for number in range(1, 21)},
         'controllers': {'pursuit': {'controller': 'pure_pursuit'}}}


def complete_trials(folder):
    with contextlib.suppress(sqlite3.Error), contextlib.closing(
            sqlite3.connect(f"file:{folder / 'study.db'}?mode=ro", uri=True)) as database:
        return database.execute(
            "SELECT count(*) FROM trials WHERE state = 'COMPLETE'").fetchone()[0]
    return 0


def complete_cells(folder):
    file = folder / 'cells.jsonl'
    return len(file.read_text().splitlines()) if file.exists() else 0


# On workers, how a search or a league ends does not depend on which of them it is.
@pytest.mark.parametrize(('command', 'content', 'complete', 'what', 'scheduler'), [
    (['tune', 'kinematic_ode'], TUNED, complete_trials, 'trials', 'local'),
    (['league', '--no-cpu'], RACED, complete_cells, 'runs', '')])
def test_interrupted_search_or_league_keeps_what_has_ended(
        tmp_path, command, content, complete, what, scheduler):
    file, folder = tmp_path / 'file.yaml', tmp_path / 'found'
    file.write_text(yaml.safe_dump(content))
    words = [*command, str(file), '-o', str(folder),
             *(['--scheduler', scheduler] if scheduler else [])]
    with subprocess.Popen([*COMMAND, *words], cwd=tmp_path, text=True,
                          stderr=subprocess.PIPE, stdout=subprocess.DEVNULL) as process:
        assert process.stderr is not None
        while not complete(folder):
            assert process.poll() is None, process.stderr.read()
            time.sleep(0.05)
        process.send_signal(signal.SIGINT)
        said = process.stderr.read()
    assert process.returncode == 130
    told = re.search(rf'racecar {command[0]}: (\d+) of (\d+) {what} are kept; go on with'
                     r' racecar (.*)', said)
    assert told is not None
    assert 'Traceback' not in said
    assert 0 < int(told[1]) < int(told[2])
    goes_on = shlex.split(told[3])
    assert goes_on[0] == command[0]
    assert str(folder) in goes_on


def test_sweep_goes_on_with_another_worker_when_all_have_left(tmp_path):
    stored(tmp_path / 'alone', Cores(1))
    told: list[str] = []
    with contextlib.ExitStack() as stack:
        address = stack.enter_context(local_scheduler(0))
        first = stack.enter_context(worker_of(address))

        def announce(text):
            told.append(text)
            stack.enter_context(worker_of(address))

        with open_cores(address, announce=announce) as cores:
            outcome = stored(tmp_path / 'dataset', cores, lambda _: first.kill())
    assert told == [f'all workers have left the scheduler; waiting 600 s for another,'
                    f' `dask worker {address}` starts one']
    assert outcome == (60, 0, (), '')
    assert open_dataset(tmp_path / 'dataset').table().equals(
        open_dataset(tmp_path / 'alone').table())


def test_sweep_without_any_worker_ends_and_keeps_its_rows(tmp_path, monkeypatch):
    monkeypatch.setattr('racecar.facade.cluster._ALONE', 0.5)
    told: list[str] = []
    with local_scheduler(0) as address, worker_of(address) as first, open_cores(
            address, announce=told.append) as cores, pytest.raises(
                RunError, match='all workers have left .* and go on') as info:
        stored(tmp_path / 'dataset', cores, lambda _: first.kill())
    assert '\n' not in str(info.value)
    assert len(told) == 1
    assert 0 < len(open_dataset(tmp_path / 'dataset')) < 60


def test_a_new_worker_loads_the_code_that_another_has_compiled(tmp_path):
    sweep = make_sweep('kinematic_ode', SWEEP)

    with local_scheduler(1) as address, distributed.Client(
            address, set_as_default=False) as client:
        def compilations(dask_worker):
            from numba.core import event

            if not hasattr(dask_worker, 'seen'):
                dask_worker.seen = event.RecordingListener()
                event.register('numba:compile', dask_worker.seen)
            return len(dask_worker.seen.buffer)

        with open_cores(address) as cores:
            # Here or by another worker before.
            [*cores.run(SweepTask(sweep), [(0, 2)])]
            client.restart()
            assert [*client.run(compilations).values()] == [0]
            found = [*cores.run(SweepTask(sweep), [(0, 2)])]
            assert sum(part.points for part in found) == 2
            assert [*client.run(compilations).values()] == [0]


@pytest.mark.skipif('forkserver' not in multiprocessing.get_all_start_methods(),
                    reason='workers of this system are no forks')
def test_a_worker_begins_with_the_modules_of_all_tasks():
    tasks = [f'racecar.facade.{name}'
             for name in ('evaluation', 'fleet_sweeps', 'league', 'sweep_parts')]

    def missing():
        return [name for name in tasks if name not in sys.modules]

    with local_scheduler(1) as address, distributed.Client(
            address, set_as_default=False) as client:
        assert [*client.run(missing).values()] == [[]]
