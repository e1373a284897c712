# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""One drive to be done and what came of it: what grader and process of a case exchange."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
import json
import math
from pathlib import Path
from typing import NamedTuple

import numpy as np

from racecar.base.columns import Array
from racecar.courses.checks import Estimate, Sample, Verdict
from racecar.courses.lab import Case, Lab, read_lab
from racecar.courses.program import Command, Limits

JOB_NAME, RESULT_NAME, DRIVE_NAME = 'job.json', 'result.json', 'drive.csv'
_COLUMNS = Sample._fields
_ESTIMATES = 'estimates.csv'


def _printable(text: str) -> str:
    """The same without what terminals obey and files cannot hold: a student has chosen names."""
    return ''.join(sign if sign.isprintable() else '?' for sign in text)


class Task(NamedTuple):
    """A program of a case: its name for people and its command; folder: where it starts."""

    name: str
    command: Command
    folder: str = ''


class Job(NamedTuple):
    """One case of one student.

    folder: of the results. real_time_factor: simulated seconds per second. unmade: what could not
    be made ready of the student's packages, a line each.
    """

    lab: str
    case: str
    student: str
    folder: str
    tasks: tuple[Task, ...]
    real_time_factor: float = 1.0
    unmade: tuple[str, ...] = ()

    @property
    def home(self) -> Path:
        """Folder that the programs may write in, and where they start."""
        return Path(self.folder) / 'home'

    def write(self) -> Path:
        """Write it into its folder; gives the file."""
        path = Path(self.folder) / JOB_NAME
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(json.dumps(self))
        return path

    @classmethod
    def read(cls, path: Path) -> Job:
        """Job of a file that write() has made."""
        lab, case, student, folder, tasks, factor, unmade = json.loads(path.read_text())
        return cls(lab, case, student, folder, tuple(
            Task(name, Command(*(tuple(part) for part in command)), place)
            for name, command, place in tasks), factor, tuple(unmade))

    def load(self) -> tuple[Lab, Case]:
        """The lab and the case. Raises ConfigurationError."""
        lab = read_lab(self.lab)
        return lab, next(case for case in lab.cases if case.name == self.case)

    def limits(self, lab: Lab, case: Case) -> Limits:
        """Limits of each program: twice what a core gives while the case lasts."""
        return Limits(lab.memory, 2.0 * (
            case.start_limit + 2.0 * case.time_limit / self.real_time_factor))


class Result(NamedTuple):
    """What came of a job.

    mark: from 0 to 1. faults: what went wrong in the student's programs, a line each; notes: what
    else there is to know. figures: by name, NaN for none. duration: simulated time [s], distance:
    driven [m]; real_time_factor: simulated seconds per second.
    """

    student: str
    case: str
    mark: float
    text: str
    faults: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    figures: Mapping[str, float] = {}
    duration: float = 0.0
    distance: float = 0.0
    collisions: int = 0
    real_time_factor: float = math.nan

    @classmethod
    def failed(cls, job: Job, fault: str) -> Result:
        """Result of what could not be driven."""
        line = _printable(fault)
        return cls(job.student, job.case, 0.0, line, (line,))

    def as_dict(self) -> dict[str, object]:
        """By names, for JSON: None for what is not known."""
        def known(value: float) -> float | None:
            return value if math.isfinite(value) else None

        return {**self._asdict(), 'mark': self.mark, 'faults': list(self.faults),
                'notes': list(self.notes), 'real_time_factor': known(self.real_time_factor),
                'figures': {name: known(value) for name, value in self.figures.items()}}

    @classmethod
    def from_dict(cls, values: Mapping[str, object]) -> Result:
        """Result of what as_dict() gives."""
        def number(value: object) -> float:
            return float(value) if isinstance(value, int | float) else math.nan

        def lines(value: object) -> tuple[str, ...]:
            return tuple(map(str, value)) if isinstance(value, list) else ()

        figures = values['figures']
        assert isinstance(figures, dict)
        return cls(
            str(values['student']), str(values['case']), number(values['mark']),
            str(values['text']), lines(values['faults']), lines(values['notes']),
            {name: number(value) for name, value in figures.items()},
            number(values['duration']), number(values['distance']),
            int(number(values['collisions'])), number(values['real_time_factor']))

    def write(self, folder: Path) -> None:
        """Write it into a folder."""
        (folder / RESULT_NAME).write_text(json.dumps(self.as_dict(), indent=1) + '\n')


def conclude(
    job: Job, case: Case, verdict: Verdict, samples: Sequence[Sample], *,
    faults: Sequence[str] = (), notes: Sequence[str] = (), reason: str = '',
    real_time_factor: float = math.nan,
) -> Result:
    """Result of a drive: the verdict less what collisions cost.

    reason: why it ended before the check said so.
    """
    table = np.array(samples, dtype=np.float64).reshape(-1, len(_COLUMNS))
    collisions = int(table[-1, -1]) if len(table) else 0
    mark = verdict.mark * max(0.0, 1.0 - case.collision_cost * collisions)
    faults = [_printable(fault) for fault in faults]
    if faults:
        # As an extension that was not built, which a program then misses.
        notes = [*map(_printable, job.unmade), *notes]
    parts = [*faults[:1], *([verdict.text] if samples else []), *([reason] if reason else []), *(
        [f'{collisions} collision{"s" * (collisions > 1)}'] if collisions else [])]
    return Result(
        job.student, job.case, mark, '; '.join(parts), tuple(faults), tuple(notes),
        verdict.figures, float(table[-1, 0]) if len(table) else 0.0,
        float(np.hypot(np.diff(table[:, 1]), np.diff(table[:, 2])).sum()), collisions,
        real_time_factor)


def write_drive(folder: Path, samples: Sequence[Sample], estimates: Sequence[Estimate]) -> None:
    """Write the samples of a drive, and what a localisation said."""
    if samples:
        np.savetxt(folder / DRIVE_NAME, np.array(samples), fmt='%.6g', delimiter=',',
                   header=','.join(_COLUMNS), comments='')
    if estimates:
        np.savetxt(folder / _ESTIMATES, np.array(estimates), fmt='%.6g', delimiter=',',
                   header=','.join(Estimate._fields), comments='')


def read_drive(folder: Path) -> tuple[Array, Array]:
    """Samples (n, len(Sample._fields)) and estimates (m, 4) that write_drive() has written."""
    def table(name: str, width: int) -> Array:
        path = folder / name
        if not path.is_file():
            return np.empty((0, width))
        return np.loadtxt(path, delimiter=',', skiprows=1, ndmin=2).reshape(-1, width)

    return table(DRIVE_NAME, len(_COLUMNS)), table(_ESTIMATES, len(Estimate._fields))
