# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""Runs of campaigns with nodes, each process in a ROS domain of its own, many runs one by one.

Here is nothing of ROS: the processes run racecar.scenarios.worker.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
import contextlib
import importlib.util
import math
from multiprocessing.connection import Connection
import os
from queue import SimpleQueue
import socket
import subprocess
import sys
import time
import warnings

import numpy as np

from racecar.base.errors import ConfigurationError, excerpt, RacecarError, RunError
from racecar.base.starting import child_code
from racecar.facade.chunks import Cores, Lost, Plan, Range
from racecar.facade.cluster import Cluster, open_cores, TIMEOUT
from racecar.facade.sweep_parts import METRICS, Part, SweepTask
from racecar.stacks.campaign import END_UNITS
from racecar.stacks.node_run import NodeAnswer, NodeRun
from racecar.stacks.options import UP
from racecar.stacks.run_files import options_of
from racecar.stacks.sweep import NamedPoints

_ATTEMPTS = 2
"""How often a run is tried whose process ends."""
_FAREWELL = 1.0
"""Time in which a process ends that has nothing more to do [s]."""


@contextlib.contextmanager
def open_runners(
    sweep: NamedPoints, scheduler: str | None, jobs: int | None, timeout: float = TIMEOUT,
    announce: Callable[[str], object] = warnings.warn,
) -> Iterator[Cores | Cluster | NodeProcesses]:
    """What runs the points of a sweep; arguments and errors as of open_cores().

    Points with nodes run on the cores of this machine: ConfigurationError with a scheduler.
    """
    if not sweep.with_nodes:
        with open_cores(scheduler, jobs, timeout, announce) as cores:
            yield cores
        return
    if scheduler is not None:
        raise ConfigurationError(
            f'scheduler is {excerpt(scheduler)}, but nodes run on the cores of this machine: leave'
            ' it out')
    yield NodeProcesses(jobs, timeout)


class NodeProcesses:
    """Runs points of a sweep with nodes; in the place of Cores."""

    def __init__(self, jobs: int | None = None, timeout: float = TIMEOUT) -> None:
        """jobs: processes, by default one for each core; timeout: for a run [s]."""
        self._jobs = jobs or len(os.sched_getaffinity(0))
        self._timeout = timeout

    def run(self, task: SweepTask, ranges: Iterable[Range]) -> Iterator[Part | Lost]:
        """Run the points of some ranges; yields parts of one point each in any order.

        Raises ConfigurationError where no node can run.
        """
        check_ros()
        plan = Plan(ranges, self._jobs, one_by_one=True)
        idle: SimpleQueue[_Process] = SimpleQueue()
        under_way: set[Future[Part | Lost]] = set()
        with contextlib.ExitStack() as processes, ThreadPoolExecutor(self._jobs) as pool:
            for _ in range(self._jobs):
                process = _Process(self._timeout)
                processes.callback(process.end)
                idle.put(process)
            try:
                while True:
                    while len(under_way) < self._jobs and (taken := plan.take()) is not None:
                        under_way.add(pool.submit(_run, idle, task, taken[0]))
                    if not under_way:
                        return
                    ended, under_way = wait(under_way, return_when=FIRST_COMPLETED)
                    for job in ended:
                        yield job.result()
            except BaseException:
                # Who waits for a process has its end then.
                processes.close()
                raise


def check_ros() -> None:
    """Raise ConfigurationError where rclpy is not there."""
    if importlib.util.find_spec('rclpy') is None:
        raise ConfigurationError(
            'runs with nodes need ROS 2, and rclpy is not there: source an installation, or leave'
            ' out nodes: the compiled engine needs none')


def _run(idle: SimpleQueue[_Process], task: SweepTask, point: int) -> Part | Lost:
    """Run one point by the next process that is idle."""
    process, begun, sweep = idle.get(), time.perf_counter(), task.sweep
    try:
        answer = process.ask(NodeRun(
            sweep.stack.name, options_of(sweep.run_file('', point), UP), sweep.skip))
    except RunError as error:
        return Lost(point, 1, str(error))
    except RacecarError as error:
        answer = NodeAnswer({}, '', str(error), math.nan)
    finally:
        idle.put(process)
    if answer.lost:
        return Lost(point, 1, answer.lost)
    if answer.unmade:
        answer = answer._replace(unmade=f'{sweep.name_of(point)}: {answer.unmade}')
    return _part(point, answer, time.perf_counter() - begun)


def _part(point: int, answer: NodeAnswer, seconds: float) -> Part:
    metrics = {name: np.full(1, np.nan) for name in (*METRICS, *END_UNITS)}
    metrics['samples'] = np.zeros(1)
    metrics |= {name: np.array([value], dtype=np.float64)
                for name, value in answer.metrics.items()
                if name in metrics and value is not None}
    metrics['diverged_at'] = np.array([answer.diverged_at])
    return Part(point, metrics, {point: answer.failure} if answer.failure else {},
                {point: answer.unmade} if answer.unmade else {}, {}, seconds)


class _Process:
    """One process, which starts with its first run, and anew after one that ended it."""

    def __init__(self, timeout: float) -> None:
        self._timeout = timeout
        self._process: subprocess.Popen[bytes] | None = None
        self._connection: Connection | None = None
        self._is_over = False

    def ask(self, request: NodeRun) -> NodeAnswer:
        """Run it, once more where the process ends. Raises RunError if it hangs or ends again."""
        code = 0
        for _ in range(_ATTEMPTS):
            with contextlib.suppress(OSError, EOFError):
                return self._answer(request)
            code = self._clear()
            if self._is_over:
                break
        raise RunError(f'the process of its nodes ended with exit code {code}')

    def _answer(self, request: NodeRun) -> NodeAnswer:
        connection = self._connection or self._start()
        connection.send(request)
        if not connection.poll(self._timeout):
            self._clear()
            raise RunError(f'it took longer than {self._timeout:g} s')
        found: NodeAnswer = connection.recv()
        return found

    def _start(self) -> Connection:
        own, other = socket.socketpair()
        with other:
            code = child_code('racecar.scenarios.worker', 'serve', other.fileno())
            self._process = subprocess.Popen(
                [sys.executable, '-c', code], pass_fds=[other.fileno()],
                stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
                # Ctrl-C is for this process, which ends it.
                start_new_session=True)
        self._connection = Connection(own.detach())
        return self._connection

    def end(self) -> None:
        """End it for good; whoever waits for an answer then has none."""
        self._is_over = True
        if self._process is not None:
            self._process.kill()
        self._clear()

    def _clear(self) -> int:
        """End what there is; its exit code, 0 without any."""
        process, connection = self._process, self._connection
        self._process = self._connection = None
        if process is None:
            return 0
        try:
            code = process.wait(_FAREWELL)
        except subprocess.TimeoutExpired:
            process.kill()
            code = process.wait()
        # Now, as its end wakes who waits for it.
        if connection is not None:
            connection.close()
        return code
