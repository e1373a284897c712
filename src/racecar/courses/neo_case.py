# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""The process of one case with a script of the RACECAR Neo course, which needs no ROS.

`python -m racecar.courses.neo_case JOB` drives the case of a job file and writes its result beside
it. The simulation waits for the script at each frame: a drive depends on the script alone.
"""

from __future__ import annotations

import contextlib
from dataclasses import replace
import math
from pathlib import Path
import sys
import time

import numpy as np

from racecar.base.errors import RacecarError
from racecar.base.types import quaternion_to_yaw
from racecar.courses.checks import Sample, sides_of
from racecar.courses.job import conclude, Job, Result, write_drive
from racecar.courses.lab import Case
from racecar.courses.program import Program
from racecar.neo.car import neo_options, NeoCar
from racecar.neo.controller import Controller, read_press
from racecar.neo.protocol import LIDAR_SAMPLES
from racecar.neo.server import NeoServer
from racecar.neo.session import NeoSession
from racecar.signals import end_process, end_with_launch, raising_on_signals
from racecar.stacks.stepped.stepped_stack import SteppedStack

# Clockwise from straight ahead, within half a turn to either side.
_ANGLES = np.remainder(
    math.pi - np.arange(LIDAR_SAMPLES) * math.tau / LIDAR_SAMPLES, math.tau) - math.pi


class _Watch:
    """Samples a car frame by frame."""

    def __init__(self, car: NeoCar, server: NeoServer, case: Case) -> None:
        self._car, self._server, self._case = car, server, case
        self.check = case.make_check()
        self.samples: list[Sample] = []
        self.is_over = False

    def add(self, now: float) -> None:
        """Take a sample, and end the program once the case is over."""
        robot = self._car.stack.first.robot
        pose = robot.output.read().pose
        found = robot.collisions()
        ranges = np.asarray(self._car.ranges(), dtype=np.float64)
        seen = np.where(ranges > 0.0, ranges, math.inf)
        before = self.samples[-1] if self.samples else None
        speed = 0.0 if before is None or now <= before.time else math.dist(
            (pose.x, pose.y), (before.x, before.y)) / (now - before.time)
        sample = Sample(
            now, pose.x, pose.y, quaternion_to_yaw(*pose[3:]), speed, *sides_of(_ANGLES, seen),
            0 if found is None else found.contacts)
        self.samples.append(sample)
        if self.is_over:
            return
        self.is_over = self.check.add(sample) or (
            sample.collisions > 0 and self._case.collision_cost >= 1.0)
        if self.is_over:
            self._server.end_program('the case is over')


def drive(job: Job) -> Result:
    """Drive the case of a job. Raises RacecarError for what is no fault of the student's."""
    lab, case = job.load()
    folder = Path(job.folder)
    notes: list[str] = []

    def log(level: str, text: str, _: str = '') -> None:
        print(f'{level}: {text}', file=sys.stderr)
        if level != 'info':
            notes.append(text)

    controller = Controller([read_press(text) for text in case.presses])
    car = NeoCar(SteppedStack(
        lab.configuration, neo_options(lab.configuration, replace(case.options, end_time=None)),
        log))
    task, = job.tasks
    started = time.monotonic()
    with contextlib.ExitStack() as ending:
        server = ending.enter_context(NeoServer(car, controller, log))
        watch = _Watch(car, server, case)
        session = NeoSession(car, server, controller)
        program = Program(task.name, task.command, job.home, job.limits(lab, case),
                          Path(task.folder))
        ending.callback(program.end)
        faults = _wait(session, program, case, started)
        if not faults:
            session.run(case.time_limit, 0.0, watch.add)
            faults = _failure(program, watch.is_over or session.time >= case.time_limit)
        reason = '' if watch.is_over or faults else f'time limit of {case.time_limit:g} s'
        result = conclude(
            job, case, watch.check.verdict(), watch.samples, faults=faults,
            notes=list(dict.fromkeys(notes)), reason=reason)
        write_drive(folder, watch.samples, [])
    return result


def _wait(session: NeoSession, program: Program, case: Case, started: float) -> list[str]:
    """Wait for the script to connect; why it does not, if so."""
    while not session.wait():
        if program.code is not None:
            return [program.why()]
        if time.monotonic() - started > case.start_limit:
            return [f'did not call rc.go() within {case.start_limit:g} s after the start']
    return []


def _failure(program: Program, was_told: bool) -> list[str]:
    """What a script that has ended, or that says nothing any more, did wrong."""
    if was_told:
        return []
    deadline = time.monotonic() + 1.0
    while program.code is None and time.monotonic() < deadline:
        time.sleep(0.02)
    if program.code is None:
        return [f'{program.name} answers no more: it hangs']
    return [program.why()] if program.code else []


def main() -> int:
    """Drive the case of the job file on the command line; returns 0, or 1 after an error."""
    end_with_launch()
    job = Job.read(Path(sys.argv[1]))
    try:
        # So that what the script has started ends with it.
        with raising_on_signals():
            result = drive(job)
    except RacecarError as error:
        print(f'racecar course: error: {error}', file=sys.stderr)
        return 1
    result.write(Path(job.folder))
    return 0


if __name__ == '__main__':
    end_process(main())
