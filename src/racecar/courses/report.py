# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""Results of a lab as JSON, HTML pages, pictures and videos."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
import json
import math
from pathlib import Path

import numpy as np

from racecar.analysis.animation import AnimatedRun, TopView
from racecar.analysis.chart import Chart
from racecar.analysis.html_page import HtmlPage
from racecar.analysis.motion import Motion
from racecar.analysis.robot_profile import profile_of_file, usual_profile
from racecar.analysis.run_charts import path_chart, ShownRun
from racecar.base.columns import Array
from racecar.courses.checks import Sample
from racecar.courses.job import read_drive, Result
from racecar.courses.lab import Case, Lab
from racecar.courses.program import LOG_NAME
from racecar.rendering.film import Film, write_still
from racecar.scene.scene import EMPTY_SCENE, Scene
from racecar.scene.world_file import load_world

RESULTS, INDEX = 'results.json', 'index.html'
PICTURE, FILM = 'drive.png', 'drive.mp4'

_SIZE = 720, 540
_FILM_RATE = 15.0
_LONGEST_FILM = 12.0
_TAIL = 4000


def mark_of(lab: Lab, results: Sequence[Result]) -> float:
    """Mark of one student from 0 to 1: the mean of those of the cases by their weights."""
    weights = {case.name: case.weight for case in lab.cases}
    total = math.fsum(weights[result.case] for result in results)
    return math.fsum(
        weights[result.case] * result.mark for result in results) / total if total else 0.0


def by_student(results: Sequence[Result]) -> dict[str, list[Result]]:
    """Results of each student, in their order."""
    found: dict[str, list[Result]] = {}
    for result in results:
        found.setdefault(result.student, []).append(result)
    return found


def as_dict(lab: Lab, results: Sequence[Result]) -> dict[str, object]:
    """All results by names, for JSON.

    complete: whether all cases were driven; a student without one of them has no mark.
    """
    students = []
    for name, rows in by_student(results).items():
        complete = len(rows) == len(lab.cases)
        mark = mark_of(lab, rows) if complete else None
        students.append({
            'student': name, 'complete': complete, 'mark': mark,
            'passed': mark is not None and mark >= lab.pass_mark,
            'cases': [row.as_dict() for row in rows]})
    return {'lab': lab.name, 'summary': lab.summary, 'students': students}


def write_results(lab: Lab, results: Sequence[Result], output: Path) -> None:
    """Write RESULTS, the INDEX of all students, and a page with plots for each."""
    (output / RESULTS).write_text(json.dumps(as_dict(lab, results), indent=1) + '\n')
    students = by_student(results)
    page = HtmlPage(lab.name, lab.summary)
    names = [case.name for case in lab.cases]
    page.table(
        ['Student', 'Mark', *names],
        [[name, _shown_mark(lab, rows), *_marks(names, rows)] for name, rows in students.items()],
        numbers=range(1, len(names) + 2))
    page.paragraph(f'Marks are per cent; {100.0 * lab.pass_mark:g} pass. Each student has a folder'
                   f' with a page of its own, {INDEX}, and the output of the programs.')
    faults = [[row.student, row.case, row.text] for row in results
              if row.faults or row.mark < lab.pass_mark]
    if faults:
        page.heading('What went wrong')
        page.table(['Student', 'Case', 'What happened'], faults, remarks=[2])
    page.write(output / INDEX)
    for name, rows in students.items():
        _student_page(lab, name, rows, output / name).write(output / name / INDEX)


def _shown_mark(lab: Lab, rows: Sequence[Result]) -> str:
    return f'{100.0 * mark_of(lab, rows):.1f}' if len(rows) == len(lab.cases) else '-'


def _marks(names: Sequence[str], rows: Sequence[Result]) -> list[str]:
    marks = {row.case: f'{100.0 * row.mark:.1f}' for row in rows}
    return [marks.get(name, '-') for name in names]


def _student_page(lab: Lab, name: str, results: Sequence[Result], folder: Path) -> HtmlPage:
    page = HtmlPage(f'{name}: {lab.name}', f'{_shown_mark(lab, results)} %')
    cases = {case.name: case for case in lab.cases}
    page.table(['Case', 'Mark', 'Time', 'Way', 'What happened'], [
        [row.case, f'{100.0 * row.mark:.1f}', f'{row.duration:.1f} s', f'{row.distance:.1f} m',
         row.text] for row in results], numbers=[1, 2, 3], remarks=[4])
    for row in results:
        page.heading(row.case)
        for text in (*row.faults, *row.notes):
            page.warning(text)
        page.facts([(key, f'{value:.4g}') for key, value in row.figures.items()])
        samples, estimates = read_drive(folder / row.case)
        if len(samples) > 1:
            charts = list(_charts(cases[row.case], samples, estimates))
            page.charts(charts[:1])
            page.charts(charts[1:], over_time=True)
        for path in sorted((folder / row.case).glob(f'*_{LOG_NAME}')):
            text = path.read_text(errors='replace')
            page.details(f'Output of {path.name.removesuffix(f"_{LOG_NAME}")}',
                         text if len(text) <= _TAIL else f'...{text[-_TAIL:]}')
    return page


def _charts(case: Case, samples: Array, estimates: Array) -> Iterator[tuple[Chart, str]]:
    motion = _motion(samples)
    chart = path_chart(ShownRun(case.name, motion, None, scene=_scene(case)))
    if len(estimates):
        chart.line(estimates[:, 1], estimates[:, 2], 'estimated', series=1)
    yield chart, 'Path, coloured by speed'
    columns = dict(zip(Sample._fields, samples.T, strict=True))
    sides = [name for name in ('left', 'right') if np.isfinite(columns[name]).any()]
    over_time = Chart('time since the start [s]', [
        'speed [m/s]', *(['distance beside [m]'] if sides else [])])
    over_time.line(motion.t, columns['speed'], 'speed')
    for series, name in enumerate(sides):
        seen = np.isfinite(columns[name])
        over_time.line(motion.t[seen], columns[name][seen], name, panel=1, series=series)
    yield over_time, 'Speed, and mean distance of what the laser sees on each side'


def write_pictures(case: Case, folder: Path, *, film: bool) -> None:
    """Draw the drive of a case from above: PICTURE, and FILM if it is asked for.

    Raises ConfigurationError if they cannot be written.
    """
    samples, _ = read_drive(folder)
    if len(samples) < 2:
        return
    motion = _motion(samples)
    profile = profile_of_file(case.options.vehicle) if case.options.vehicle else usual_profile()
    shown = [AnimatedRun(case.name, motion, None, profile.footprint)]
    end = float(motion.t[-1])
    write_still(folder / PICTURE, TopView(shown, *_SIZE, scene=_scene(case)).picture(end))
    if film:
        speed = max(1.0, math.ceil(end / _LONGEST_FILM))
        view = TopView(shown, *_SIZE, rate=speed, scene=_scene(case))
        with Film(folder / FILM, _FILM_RATE) as video:
            for time in np.arange(0.0, end, speed / _FILM_RATE):
                video.add(view.picture(float(time)))


def _motion(samples: Array) -> Motion:
    columns = dict(zip(Sample._fields, samples.T, strict=True))
    zero = np.zeros(len(samples))
    return Motion(columns['time'], columns['x'], columns['y'], columns['yaw'], columns['speed'],
                  zero, zero)


def _scene(case: Case) -> Scene:
    return load_world(case.options.world) if case.options.world else EMPTY_SCENE
