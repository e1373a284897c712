# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""Runs the cases of a lab for several students, each case in a process of its own."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import as_completed, ThreadPoolExecutor
import contextlib
import itertools
import json
import os
from pathlib import Path
import signal
import subprocess
import sys
import threading
import time
from typing import NamedTuple

import yaml

from racecar.base.errors import ConfigurationError
from racecar.base.yaml_file import load_yaml
from racecar.courses.job import Job, Result, RESULT_NAME, Task
from racecar.courses.lab import Case, Lab, NEO, NodeChoice, PACKAGES
from racecar.courses.packages import prepare, Prepared
from racecar.courses.program import adopt_orphans, Command, end_descendants
from racecar.courses.scripts import script_task
from racecar.signals import LAUNCHED_BY

_CASES = {'nodes': 'racecar.courses.node_case', NEO: 'racecar.courses.neo_case'}
LOG_NAME = 'grader.txt'
_PARAMETERS = 'ros__parameters'
_TAIL = 2000
# Beyond what a case may take by the computer's time, for the start and the end of its process [s].
_EXTRA = 90.0
_SLOWEST = 3.0

Claim = Callable[[contextlib.ExitStack], int]
"""Gives a ROS domain that is free until the stack ends."""


class Settings(NamedTuple):
    """How a lab is run.

    output: folder of the results. jobs: cases at a time. python: that the students' code runs in.
    executables: that go before those of the lab. claim: of racecar.ros.domains.
    real_time_factor: simulated seconds per second.
    """

    output: Path
    jobs: int
    python: str
    executables: tuple[str, ...]
    claim: Claim
    real_time_factor: float = 1.0


class Student(NamedTuple):
    """Somebody whose programs are run: a name, unique in a run, and a folder or a script."""

    name: str
    path: Path


def students_of(paths: Sequence[Path]) -> list[Student]:
    """Students of these folders or scripts, named by them. Raises ConfigurationError."""
    found: list[Student] = []
    for path in paths:
        if not path.exists():
            raise ConfigurationError(f"'{path}' is not there, expected the folder of a student")
        whole = path.resolve()
        name = whole.stem if whole.is_file() else whole.name
        # As many parent folders as tell them apart.
        if any(other.name == name for other in found):
            name = f'{whole.parent.name}_{name}'
        taken = {other.name for other in found}
        numbered = (f'{name}_{number}' for number in itertools.count(2))
        found.append(Student(next(
            free for free in itertools.chain([name], numbered) if free not in taken), whole))
    return found


def run_lab(
    lab: Lab, students: Sequence[Student], settings: Settings,
    on_result: Callable[[Result], object] = lambda _: None,
) -> list[Result]:
    """Run all cases of all students; the results in their order.

    on_result: called with each as it comes, from this thread. Whatever a student's programs do
    costs only the marks of their own cases. Raises RacecarError where the lab cannot be run.
    """
    stop = threading.Event()
    # The ports of the protocol of RACECAR Neo are the same for all.
    workers = 1 if lab.programs == NEO else settings.jobs
    results: dict[tuple[str, str], Result] = {}
    with _ending_orphans(), ThreadPoolExecutor(workers) as pool:
        try:
            # Before any case runs: it ends what this process has started meanwhile.
            jobs = [job for student in students for job in _jobs_of(lab, student, settings)]
            waiting = []
            for job in jobs:
                if isinstance(job, Result):
                    results[job.student, job.case] = job
                    on_result(job)
                else:
                    waiting.append(pool.submit(_run, lab, job, settings, stop))
            for done in as_completed(waiting):
                result = done.result()
                results[result.student, result.case] = result
                on_result(result)
        except BaseException:
            stop.set()
            pool.shutdown(cancel_futures=True)
            raise
    return [results[student.name, case.name] for student in students for case in lab.cases]


@contextlib.contextmanager
def _ending_orphans() -> Iterator[None]:
    """Leave nothing behind of a case whose process was killed, by whomever."""
    others = adopt_orphans()
    try:
        yield
    finally:
        end_descendants(others)


def _jobs_of(lab: Lab, student: Student, settings: Settings) -> Sequence[Job | Result]:
    """Jobs of a student, or what says why there are none."""
    folder = settings.output / student.name
    blank = [Job(str(lab.path), case.name, student.name, str(folder / case.name), (),
                 settings.real_time_factor)
             for case in lab.cases]
    try:
        if lab.programs == NEO:
            return [job._replace(tasks=(
                script_task(student.path, job.home, settings.python),))
                for job in blank]
        prepared = prepare(
            student.path, folder / PACKAGES, settings.python, lab.memory,
            dynamic_parameters=lab.dynamic_parameters)
        for job in blank:
            prepared.lay_out(job.home)
        return [job._replace(tasks=_tasks(lab, case, prepared, settings, Path(job.folder)),
                             unmade=prepared.faults)
                for job, case in zip(blank, lab.cases, strict=True)]
    except ConfigurationError as error:
        return [Result.failed(job, str(error)) for job in blank]
    except (OSError, RecursionError, ValueError) as error:
        # Of files that a setup.py has made, or a full disk: the next student may have more luck.
        return [Result.failed(
            job, f"folder '{student.path}' cannot be made ready: {error}") for job in blank]


def _tasks(
    lab: Lab, case: Case, prepared: Prepared, settings: Settings, folder: Path,
) -> tuple[Task, ...]:
    tasks = []
    for number, node in enumerate(lab.nodes):
        wanted = (*settings.executables, *node.executables) if not number else node.executables
        try:
            name, command = prepared.find(wanted)
        except ConfigurationError:
            if node.optional:
                continue
            raise
        words = [*command.words, '--ros-args', *_ros_arguments(lab, node)]
        given = prepared.find_file(node.params_file) if node.params_file else None
        parameters = {**node.parameters, **case.parameters}
        if parameters or given is not None:
            folder.mkdir(parents=True, exist_ok=True)
            path = folder / f'{name}_parameters.yaml'
            path.write_text(_parameter_file(given, parameters))
            words += ['--params-file', str(path)]
        tasks.append(Task(name, Command(tuple(words), command.python_path, command.prefixes)))
    return tuple(tasks)


def _parameter_file(given: Path | None, parameters: Mapping[str, object]) -> str:
    """Text of a parameter file with parameters over those of a student's.

    In that file they stand under each name of a node, which counts more than /**.
    """
    try:
        found = {} if given is None else load_yaml('parameters', given)
    except ConfigurationError:
        # The node says what is wrong with it.
        assert given is not None
        return given.read_text(errors='replace')
    sections = _with_parameters(found, parameters)
    rows = sections if isinstance(sections, dict) else {}
    return yaml.safe_dump({'/**': {_PARAMETERS: dict(parameters)}, **rows})


def _with_parameters(section: object, parameters: Mapping[str, object]) -> object:
    if not isinstance(section, dict):
        return section
    return {
        key: {**value, **parameters} if key == _PARAMETERS and isinstance(value, dict)
        else _with_parameters(value, parameters) for key, value in section.items()}


def _ros_arguments(lab: Lab, node: NodeChoice) -> list[str]:
    words = ['-p', f'use_sim_time:={str(lab.use_sim_time).lower()}']
    for source, target in node.remappings.items():
        words += ['-r', f'{source}:={target}']
    return words


def _run(lab: Lab, job: Job, settings: Settings, stop: threading.Event) -> Result:
    """Run one job in a process of its own."""
    if stop.is_set():
        return Result.failed(job, 'broken off')
    case = next(case for case in lab.cases if case.name == job.case)
    path = job.write()
    with contextlib.ExitStack() as stack:
        own = {LAUNCHED_BY: str(os.getpid())}
        if lab.programs != NEO:
            own['ROS_DOMAIN_ID'] = str(settings.claim(stack))
        log = stack.enter_context(open(Path(job.folder) / LOG_NAME, 'wb'))
        process = subprocess.Popen(
            [sys.executable, '-m', _CASES[lab.programs], str(path)],
            env={**os.environ, **own}, stdin=subprocess.DEVNULL, stdout=log, stderr=log)
        deadline = time.monotonic() + _EXTRA + case.start_limit + (
            _SLOWEST * case.time_limit / job.real_time_factor)
        while process.poll() is None:
            if stop.wait(0.05) or time.monotonic() > deadline:
                process.send_signal(signal.SIGKILL)
                process.wait()
                return Result.failed(job, 'broken off' if stop.is_set() else
                                     'the case did not end in time: this computer is too slow for'
                                     ' it, or it hangs; fewer --jobs or a lower'
                                     ' --real-time-factor help')
    return _result_of(job)


def _result_of(job: Job) -> Result:
    """Result that the process of a case has written, or what says that it has failed."""
    folder = Path(job.folder)
    try:
        return Result.from_dict(json.loads((folder / RESULT_NAME).read_text()))
    except (OSError, ValueError, KeyError):
        log = folder / LOG_NAME
        lines = log.read_text(errors='replace')[-_TAIL:].strip().splitlines()
        last = next((line for line in reversed(lines) if 'error: ' in line), '') or (
            lines[-1] if lines else 'it printed nothing')
        return Result.failed(
            job, f"the grader failed, see '{log}': {last}")
