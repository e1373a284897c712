# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""`racecar course`: runs the programs of students through the cases of a lab and marks them."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from datetime import datetime
import json
import os
from pathlib import Path
import sys
from typing import TYPE_CHECKING

from racecar.base.errors import ConfigurationError
from racecar.base.share import lab_names
from racecar.cli.choices import Suggestions
from racecar.cli.output import print_table, ProgressBar
from racecar.signals import raising_on_signals

if TYPE_CHECKING:
    from racecar.courses.job import Result
    from racecar.courses.lab import Lab
    from racecar.courses.running import Settings, Student

NOT_PASSED = 3
"""Exit code where a student has not passed."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments of `racecar course`."""
    parser.description = (
        'Run the programs of students, unmodified, through the cases of a lab, and mark them:'
        ' ROS 2 packages in a folder each, or scripts of the RACECAR Neo course. Writes a page'
        f' with plots for each. Exit code 0 if all pass, {NOT_PASSED} if one does not. Programs of'
        ' students run within limits, which docs/courses.md tells, and what they do not stop.')
    parser.add_argument(
        'lab', metavar='LAB', choices=Suggestions(lab_names()),
        help=f"lab, by name or as a YAML file: {', '.join(lab_names())}")
    parser.add_argument(
        'students', metavar='DIR', type=Path, nargs='*',
        help='folder of a student, or a script; none: list the cases of the lab')
    parser.add_argument(
        '-o', '--output', type=Path, metavar='FOLDER',
        help='folder of the results, not there yet (default: <lab>_<time>, here)')
    parser.add_argument(
        '--case', action='append', default=[], metavar='NAME',
        help='only this case, by name or pattern; may be repeated')
    parser.add_argument(
        '--jobs', type=int, metavar='N',
        help='cases at a time, in real time each (default: a third of the cores, at least 1)')
    parser.add_argument(
        '--executable', action='append', default=[], metavar='NAME',
        help='executable of the first node, if it has none of the names in the lab; may be'
             ' repeated')
    parser.add_argument(
        '--python', default=sys.executable, metavar='FILE',
        help="Python that runs the students' code, with what it imports (default: this one)")
    parser.add_argument(
        '--real-time-factor', type=float, default=1.0, metavar='FACTOR',
        help='simulated seconds per second, less than 1 on a busy computer: nodes that count time'
             ' by their clock do not notice (default: 1)')
    parser.add_argument('--film', action='store_true', help='make a video of each case')
    parser.add_argument('--json', action='store_true', help='print the results as JSON')


def run(arguments: argparse.Namespace) -> int:
    """Run; returns 0, or NOT_PASSED. Raises RacecarError for what is no fault of a student's."""
    from racecar.courses.lab import NODES, read_lab
    from racecar.courses.report import (
        as_dict,
        by_student,
        INDEX,
        mark_of,
        write_results,
    )
    from racecar.courses.running import Settings, students_of

    lab = read_lab(arguments.lab).with_cases(tuple(arguments.case))
    if not arguments.students:
        print(f'{lab.name}: {lab.summary}')
        print_table(['case', 'time limit [s]', 'weight', 'world'], [
            [case.name, f'{case.time_limit:g}', f'{case.weight:g}', case.options.world or '']
            for case in lab.cases])
        return 0
    students = students_of(arguments.students)
    jobs = max(1, (os.cpu_count() or 1) // 3) if arguments.jobs is None else arguments.jobs
    if jobs < 1:
        raise ConfigurationError(f'--jobs is {jobs}, expected at least 1')
    if not 0.05 <= arguments.real_time_factor <= 1.0:
        raise ConfigurationError(
            f'--real-time-factor is {arguments.real_time_factor:g}, expected 0.05 to 1')
    output = arguments.output or Path(f'{lab.name}_{datetime.now():%Y-%m-%d_%H-%M-%S}')
    try:
        output.mkdir(parents=True)
    except OSError as error:
        raise ConfigurationError(
            f"folder '{output}' cannot be made: {error.strerror}; give another one with"
            ' --output') from error
    (output / 'lab.yaml').write_bytes(lab.path.read_bytes())
    if lab.programs == NODES:
        # So that missing ROS 2 is said once.
        import racecar.stacks.composing  # noqa: F401
    from racecar.ros.domains import claim_domain

    settings = Settings(output.resolve(), jobs, arguments.python, tuple(arguments.executable),
                        claim_domain, arguments.real_time_factor)
    results = _drive(lab, students, settings, quiet=arguments.json, film=arguments.film)
    write_results(lab, results, output)
    marks = {name: mark_of(lab, rows) for name, rows in by_student(results).items()}
    if arguments.json:
        print(json.dumps(as_dict(lab, results), indent=1))
    else:
        print()
        print_table(['student', 'mark [%]', 'cases passed'], [
            [name, f'{100.0 * marks[name]:.1f}',
             f'{sum(row.mark >= lab.pass_mark for row in rows)} of {len(rows)}']
            for name, rows in by_student(results).items()])
        print(f'Results: {output / INDEX}')
    return 0 if all(mark >= lab.pass_mark for mark in marks.values()) else NOT_PASSED


def _drive(
    lab: Lab, students: Sequence[Student], settings: Settings, *, quiet: bool, film: bool,
) -> list[Result]:
    """Run all cases with a progress bar; what has been driven is written if that is broken off."""
    from racecar.courses.report import INDEX, write_pictures, write_results
    from racecar.courses.running import run_lab

    cases = {case.name: case for case in lab.cases}
    total, output = len(students) * len(cases), settings.output
    driven: list[Result] = []
    with raising_on_signals(), ProgressBar(total, lab.name, 'cases') as show:
        def on_result(result: Result) -> None:
            driven.append(result)
            show(len(driven))
            write_pictures(
                cases[result.case], output / result.student / result.case, film=film)
            if not quiet:
                show.write(f'{result.student}  {result.case}  {100.0 * result.mark:.1f}'
                           f'  {result.text}')
                for note in result.notes:
                    show.write(f'    {note}')

        try:
            return run_lab(lab, students, settings, on_result)
        except BaseException:
            write_results(lab, driven, output)
            if not quiet:
                show.write(f'{len(driven)} of {total} cases were driven: {output / INDEX}')
            raise
