# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""Programs of students as processes: what they may do, and that nothing of them remains."""

import os
from pathlib import Path
import subprocess
import sys
import time

import pytest

from racecar.courses.confine import UNCONFINED
from racecar.courses.program import (
    adopt_orphans,
    Command,
    end_descendants,
    Limits,
    MOST_OUTPUT,
    Program,
    run_confined,
)

LIMITS = Limits(memory=1000.0, processor_time=20.0)


def run(tmp_path, text, limits=LIMITS, patience=60.0):
    """Run a Python text; returns why it failed, and its output."""
    home = tmp_path / 'home'
    fault = run_confined('mine', Command((sys.executable, '-c', text)), home, limits, tmp_path,
                         patience)
    return fault, (tmp_path / 'mine_output.txt').read_text()


def needs_landlock(output):
    if UNCONFINED in output:
        pytest.skip('this kernel has no Landlock')


def test_a_program_writes_into_its_home_and_nowhere_else(tmp_path):
    _, output = run(tmp_path, 'pass')
    needs_landlock(output)
    fault, _ = run(tmp_path, 'import pathlib; pathlib.Path.home().joinpath("log").write_text("x")')
    assert fault == ''
    assert (tmp_path / 'home' / 'log').read_text() == 'x'
    place = tmp_path / 'elsewhere'
    fault, _ = run(tmp_path, f'open({str(place)!r}, "w")')
    assert fault == (f'mine ended with exit code 1: PermissionError: [Errno 13] Permission denied:'
                     f" '{place}'")
    assert not place.exists()
    kept = tmp_path / 'kept'
    kept.write_text('marks')
    for act in (f'os.remove({str(kept)!r})', f'os.truncate({str(kept)!r}, 0)',
                f'os.rename({str(kept)!r}, os.path.expanduser("~/mine"))'):
        fault, _ = run(tmp_path, f'import os; {act}')
        assert 'PermissionError' in fault or 'OSError' in fault, act
    assert kept.read_text() == 'marks'


def test_a_program_cannot_end_the_grader(tmp_path):
    _, output = run(tmp_path, 'pass')
    needs_landlock(output)
    fault, _ = run(tmp_path, f'import os; os.kill({os.getpid()}, 0)')
    # Before Linux 6.12 Landlock knows no scope of signals.
    assert 'PermissionError' in fault or os.uname().release < '6.12'


def test_a_program_does_not_see_the_secrets_of_whoever_runs_it(tmp_path, monkeypatch):
    monkeypatch.setenv('SECRET_TOKEN', 'abc')
    _, output = run(tmp_path, 'import os; print(sorted(os.environ)); print(os.environ["HOME"])')
    assert 'SECRET_TOKEN' not in output
    assert "'PATH'" in output
    assert output.splitlines()[-1] == str(tmp_path / 'home')
    needs_landlock(output)
    fault, _ = run(tmp_path, f'open("/proc/{os.getpid()}/environ").read()')
    # Root may read the memory of all processes by CAP_PERFMON.
    assert 'PermissionError' in fault or os.geteuid() == 0


@pytest.mark.parametrize(('text', 'limits', 'named'), [
    ('bytearray(2_000_000_000)', LIMITS, 'MemoryError'),
    ('while True: pass', LIMITS._replace(processor_time=1.0), 'SIGKILL|processor time'),
    ('import sys; sys.exit("no scan")', LIMITS, 'mine ended with exit code 1: no scan'),
    ('import os; os.abort()', LIMITS, 'mine was ended by SIGABRT'),
    ('1 / 0', LIMITS, 'mine ended with exit code 1: ZeroDivisionError: division by zero')])
def test_why_a_program_ended_is_said_in_a_line(tmp_path, text, limits, named):
    fault, _ = run(tmp_path, text, limits)
    assert any(part in fault for part in named.split('|')), fault
    assert '\n' not in fault


def test_a_program_that_hangs_is_ended(tmp_path):
    fault, _ = run(tmp_path, 'import time; time.sleep(1000)', patience=0.5)
    assert fault == 'mine took more than 0.5 s'


def test_what_a_program_prints_without_end_is_cut(tmp_path):
    _, output = run(tmp_path, 'import sys\nfor _ in range(3000): sys.stdout.write("x" * 1000)')
    assert len(output) <= MOST_OUTPUT


def test_what_a_program_starts_is_ended_with_it_wherever_it_hides(tmp_path):
    # In a session of its own, and orphaned.
    text = (
        'import os, subprocess, sys, time\n'
        'if os.fork() == 0:\n'
        '    os.setsid()\n'
        '    if os.fork() == 0:\n'
        '        print(os.getpid(), flush=True)\n'
        '        time.sleep(1000)\n'
        '    os._exit(0)\n'
        'time.sleep(1000)\n')
    program = Program('mine', Command((sys.executable, '-c', text)), tmp_path / 'home', LIMITS)
    log = tmp_path / 'mine_output.txt'
    deadline = time.monotonic() + 60.0
    while not (log.exists() and log.read_text().endswith('\n')
               and log.read_text().split()[-1].isdigit()):
        assert time.monotonic() < deadline
        time.sleep(0.01)
    hidden = int(log.read_text().split()[-1])
    assert Path(f'/proc/{hidden}').exists()
    program.end()
    assert not Path(f'/proc/{hidden}').exists()


def test_what_a_killed_case_leaves_behind_is_ended(tmp_path):
    # Its process dies before it can end what the program has started.
    others = adopt_orphans()
    case = subprocess.Popen([sys.executable, '-c', (
        'import os, subprocess, sys\n'
        'print(subprocess.Popen([sys.executable, "-c", "import time; time.sleep(1000)"],'
        ' start_new_session=True, stdout=subprocess.DEVNULL).pid, flush=True)\n'
        'os.kill(os.getpid(), 9)\n')], stdout=subprocess.PIPE)
    hidden = int(case.communicate()[0])
    assert Path(f'/proc/{hidden}').exists()
    end_descendants(others)
    assert not Path(f'/proc/{hidden}').exists()


def test_an_output_cannot_steer_the_terminal_or_lead_elsewhere(tmp_path):
    kept = tmp_path / 'kept'
    kept.write_text('marks')
    text = ('import os, sys\n'
            f'os.symlink({str(kept)!r}, os.path.expanduser("~/mine_output.txt"))\n'
            'sys.exit("\\x1b[2Jno scan")')
    for _ in range(2):
        fault, _ = run(tmp_path, text.replace('os.symlink', 'os.path.lexists(os.path.expanduser('
                                              '"~/mine_output.txt")) or os.symlink'))
        assert fault == 'mine ended with exit code 1:  [2Jno scan'
    assert kept.read_text() == 'marks'
