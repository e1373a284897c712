# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""Tasks on the workers of Dask (https://distributed.dask.org), here or elsewhere.

Dask schedules, ships, and repeats what a worker that died had taken; here stands what is asked of
it, and what its errors mean for a task.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterable, Iterator, Mapping
import contextlib
import logging
import os
import queue
import threading
import time
from typing import Any, NamedTuple, Protocol
import warnings

from racecar.base.environment import differences, hash_of_file, present_environment
from racecar.base.errors import ConfigurationError, excerpt, RacecarError, RunError
from racecar.base.extras import not_installed
from racecar.facade.chunks import C, Cores, Lost, Plan, Range, Task
from racecar.facade.local_workers import local_scheduler

LOCAL = 'local'
"""The scheduler that this process starts with workers on this machine."""

TIMEOUT = 600.0
"""Time that a worker may take for a chunk before it counts as hung [s]."""

_DECISIVE = ('racecar', 'sources', 'Python', 'numpy', 'numba', 'llvmlite', 'mujoco', 'compiled',
             'architecture')
_ANSWER = 10.0  # of a scheduler [s]
_WORKERS = 60.0  # for the first one [s]
_FAREWELL = 3.0  # of a worker with a chunk that hangs [s]
_ALONE = 600.0  # without any worker, before the work ends: some wait in a queue [s]
_LOOK = 3.0  # from one look whether there are workers at all to the next [s]


class _Job(NamedTuple):
    """What a worker needs for the chunks of a task; files: SHA-256 by path."""

    task: Task[Any]
    environment: Mapping[str, str]
    files: Mapping[str, str]
    timeout: float


class _Future(Protocol):
    """What becomes of points, as distributed has it."""

    def result(self) -> Any:
        """What the work gave. Raises what ended it."""

    def add_done_callback(self, done: Callable[[_Future], object]) -> None:
        """Call done at the end."""

    def release(self) -> None:
        """Forget the result."""

    def cancel(self) -> None:
        """Give up the work."""


class Cluster:
    """Workers of a scheduler."""

    def __init__(
        self, client: Any, timeout: float = TIMEOUT,
        announce: Callable[[str], object] = warnings.warn,
    ) -> None:
        """client: of distributed, whose workers have what this process has.

        timeout: for a chunk [s]; announce: is told what keeps the work waiting.
        """
        self._client = client
        self._timeout = timeout
        self._announce = announce
        self._check()

    @property
    def _cores(self) -> int:
        threads: dict[str, int] = self._client.nthreads()
        return sum(threads.values())

    def _check(self) -> None:
        """Raise ConfigurationError for a worker with other versions than this process."""
        for worker, found in self._client.run(present_environment, on_error='return').items():
            if isinstance(found, OSError):
                # It has left since; whoever comes in its place is asked with its first chunk.
                continue
            if isinstance(found, Exception):
                raise ConfigurationError(
                    f'a worker cannot run this package: {_line(found)}; install on the workers'
                    ' what is installed here') from found
            _check_environment(worker, found, present_environment())

    def run(self, task: Task[C], ranges: Iterable[Range]) -> Iterator[C | Lost]:
        """Run the points of some ranges; yields chunks in any order, and what is lost.

        Raises ConfigurationError for a worker that lacks what the task needs, RunError if the
        scheduler is gone, or all workers for ten minutes.
        """
        try:
            yield from self._run(task, ranges)
        except OSError as error:
            # Of the connection: what fails on a worker is a RunError.
            raise _gone(error) from error

    def _run(self, task: Task[C], ranges: Iterable[Range]) -> Iterator[C | Lost]:
        from distributed.protocol.pickle import dumps

        # As bytes: the scheduler looks into all else that it passes on, and would import what a
        # task is made of, with Numba, before any worker has it.
        job = self._client.submit(_received, dumps(_Job(
            task, present_environment(), task.files, self._timeout)), pure=False)
        cores = max(self._cores, 1)
        plan = Plan(ranges, 2 * cores, one_by_one=task.is_heavy)
        under_way: dict[_Future, Range] = {}
        ended: queue.SimpleQueue[_Future] = queue.SimpleQueue()
        try:
            while True:
                # One that runs and one that waits for each core: memory does not grow with points.
                while len(under_way) < 2 * cores and (taken := plan.take()) is not None:
                    future: _Future = self._client.submit(_work, job, *taken, pure=False)
                    under_way[future] = taken
                    future.add_done_callback(ended.put)
                if not under_way:
                    return
                future = self._next(ended)
                cores = max(self._cores, 1)
                taken = under_way.pop(future)
                found = _outcome(future, *taken)
                future.release()
                if not isinstance(found, Lost):
                    plan.learn(found.points, found.seconds)
                    yield found
                elif found.points > 1:
                    # The halves tell which point it is.
                    plan.halve(*taken)
                else:
                    yield found
        finally:
            for future in under_way:
                with contextlib.suppress(Exception):
                    future.cancel()

    def _next(self, ended: queue.SimpleQueue[_Future]) -> _Future:
        """The next future that has ended. Raises RunError if there are no workers any more."""
        alone_since: float | None = None
        while True:
            with contextlib.suppress(queue.Empty):
                return ended.get(timeout=_LOOK)
            if self._cores:
                alone_since = None
            elif alone_since is None:
                alone_since = time.monotonic()
                self._announce(
                    f'all workers have left the scheduler; waiting {_ALONE:g} s for another,'
                    f' `dask worker {self._client.scheduler.address}` starts one')
            elif time.monotonic() - alone_since > _ALONE:
                raise RunError(
                    f'all workers have left the scheduler, and none has come for {_ALONE:g} s;'
                    f' start some with `dask worker {self._client.scheduler.address}`, and go on')


def _outcome(future: _Future, first: int, count: int) -> Any:
    """What became of points. Raises RacecarError for what would happen to all of them."""
    from distributed import CancelledError, KilledWorker
    from distributed.comm import CommClosedError

    try:
        return future.result()
    except _HungError as error:
        return Lost(first, count, str(error))
    except KilledWorker as error:
        return Lost(first, count, f'{error.allowed_failures + 1} workers that ran it died')
    except (CancelledError, CommClosedError) as error:
        raise _gone(error) from error
    except RacecarError:
        raise
    except Exception as error:
        raise RunError(f'a worker failed: {_line(error)}') from error


def _gone(error: BaseException) -> RunError:
    return RunError(f'the scheduler is gone: {_line(error)}')


@contextlib.contextmanager
def open_cores(
    scheduler: str | None, jobs: int | None = None, timeout: float = TIMEOUT,
    announce: Callable[[str], object] = warnings.warn,
) -> Iterator[Cores | Cluster]:
    """What runs the chunks of a task.

    scheduler: address of one, LOCAL for one of this process with so many workers as jobs, by
    default one for each core, or None for the threads of this process. timeout: for a chunk [s];
    announce: is told what keeps the workers waiting.
    Raises ConfigurationError without Dask, and for a scheduler that does not answer, has no worker
    or one with other versions.
    """
    if scheduler is None:
        yield Cores(jobs)
        return
    try:
        import dask
        import distributed
    except ImportError as error:
        raise not_installed('a scheduler', 'dask', 'distributed') from error
    for name in ('distributed', 'distributed.client'):
        # The client has a level of its own, and would print why it does not connect again.
        logging.getLogger(name).setLevel(logging.CRITICAL)
    with contextlib.ExitStack() as stack, dask.config.set(
            {'distributed.comm.timeouts.connect': _ANSWER,
             'logging.distributed': 'critical'}):
        if scheduler == LOCAL:
            scheduler = stack.enter_context(
                local_scheduler(jobs or len(os.sched_getaffinity(0))))
        elif jobs is not None:
            raise ConfigurationError(
                f'jobs is {jobs}, which is for the cores of this machine; scheduler'
                f' {excerpt(scheduler)} uses all of its workers: leave it out')
        try:
            # A client that fails would try to take its leave, too.
            asyncio.run(_greet(scheduler))
            client = stack.enter_context(
                distributed.Client(scheduler, timeout=_ANSWER, set_as_default=False))
        except (OSError, ValueError, TypeError) as error:
            raise ConfigurationError(
                f'scheduler {excerpt(scheduler)} does not answer within {_ANSWER:g} s, expected'
                f" '{LOCAL}' or an address such as tcp://HOST:8786; start one there with `dask"
                ' scheduler`') from error
        try:
            client.wait_for_workers(1, timeout=_WORKERS)
        except TimeoutError as error:
            raise ConfigurationError(
                f'scheduler {excerpt(scheduler)} has had no worker for {_WORKERS:g} s; start some'
                f' with `dask worker {scheduler}`') from error
        yield Cluster(client, timeout, announce)


async def _greet(address: str) -> None:
    """Raise OSError or ValueError for an address at which nobody answers."""
    import distributed

    comm = await distributed.core.connect(
        address, timeout=_ANSWER, **distributed.Security().get_connection_args('client'))
    await comm.close()


class _HungError(Exception):
    """A chunk takes too long."""


def _received(packed: bytes) -> _Job:
    """A job, which all chunks take from here, and which is made again where it is lost."""
    from distributed.protocol.pickle import loads

    job: _Job = loads(packed)
    return job


def _work(job: _Job, first: int, count: int) -> Any:
    """Run points on a worker; one that hangs is left to end with its process."""
    from distributed import get_worker

    worker = get_worker()
    _check_environment(worker.address, present_environment(), job.environment)
    _check_files(worker.address, job.files)
    found: list[object] = []

    def run() -> None:
        try:
            found.append(job.task.run(first, count, 1))
        except BaseException as error:
            found.append(error)

    thread = threading.Thread(target=run, daemon=True)
    thread.start()
    thread.join(job.timeout)
    if not found:
        # Nothing else ends what runs; Dask starts another process. By then it knows why.
        threading.Timer(_FAREWELL, os._exit, (1,)).start()
        raise _HungError(f'it took longer than {job.timeout:g} s')
    if isinstance(found[0], BaseException):
        raise found[0]
    return found[0]


def _check_environment(
    worker: object, theirs: Mapping[str, str], ours: Mapping[str, str],
) -> None:
    for name, other, own in differences(theirs, ours):
        if name in _DECISIVE:
            raise ConfigurationError(
                f'worker {worker} has {name} {other}, expected {own}: install on it what is'
                ' installed here')


def check_same_versions(what: str, environment: Mapping[str, str]) -> None:
    """Raise ConfigurationError for results that would not have the bits of those of before."""
    for name, then, now in differences(environment, present_environment()):
        if name in _DECISIVE:
            raise ConfigurationError(
                f'{what} was made with {name} {then}, here is {now}: go on with the versions of'
                ' then, or begin anew in another folder')


def _check_files(worker: object, files: Mapping[str, str]) -> None:
    for name, digest in files.items():
        path = name.rpartition(':')[0] if '.py:' in name else name
        if not os.path.isabs(path):
            # Of the package, whose sources are the same.
            continue
        try:
            same = hash_of_file(path) == digest
        except OSError as error:
            raise ConfigurationError(
                f"worker {worker} cannot read '{path}': {error.strerror}; put it into a folder"
                ' that all workers share') from error
        if not same:
            raise ConfigurationError(
                f"worker {worker} has another file '{path}' than this process; make them the same")


def _line(error: BaseException) -> str:
    """First line of an error, with its cause where it has one."""
    cause = error.__cause__ or error
    return f'{type(cause).__name__}: {str(cause).splitlines()[0] if str(cause) else error!r}'
