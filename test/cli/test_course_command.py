# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""`racecar course`: what it lists and refuses, without running anything."""

import argparse
import json

import pytest

from racecar.cli.course import add_arguments, run
from racecar.cli.main import main
from racecar.courses.job import Job, Result


def test_it_lists_the_cases_of_a_lab(capsys):
    assert main(['course', 'rss_wall_following']) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[0].startswith('rss_wall_following: MIT RSS lab 2')
    assert [line.split()[0] for line in lines[2:]][:2] == ['short_right_close', 'short_left_far']


@pytest.mark.parametrize(('words', 'named'), [
    (['wall'], "lab 'wall' is neither a file nor one of"),
    (['rss_wall_following', 'nobody'], "'nobody' is not there, expected the folder of a student"),
    (['rss_wall_following', '.', '--jobs', '0'], '--jobs is 0, expected at least 1'),
    (['rss_wall_following', '.', '--real-time-factor', '3'], 'expected 0.05 to 1'),
    (['rss_wall_following', '.', '--case', 'long'], "case 'long' is none of rss_wall_following"),
    (['rss_wall_following', '.', '-o', '.'], "folder '.' cannot be made: File exists")])
def test_what_it_cannot_do_is_said_in_a_line(words, named, capsys):
    assert main(['course', *words]) == 1
    assert named in capsys.readouterr().err


def test_what_was_driven_is_written_when_it_is_broken_off(tmp_path, monkeypatch):
    def broken_off(lab, students, settings, on_result):
        job = Job(str(lab.path), lab.cases[0].name, students[0].name, str(tmp_path), ())
        on_result(Result.failed(job, 'no wall'))
        raise KeyboardInterrupt

    monkeypatch.setattr('racecar.courses.running.run_lab', broken_off)
    parser = argparse.ArgumentParser()
    add_arguments(parser)
    output = tmp_path / 'results'
    student = tmp_path / 'team_1'
    student.mkdir()
    with pytest.raises(KeyboardInterrupt):
        run(parser.parse_args(['neo_driving', str(student), '-o', str(output)]))
    found, = json.loads((output / 'results.json').read_text())['students']
    assert (found['complete'], found['mark'], found['passed']) == (False, None, False)
    assert [case['case'] for case in found['cases']] == ['trigger']
    assert '>-</td>' in (output / 'index.html').read_text()
