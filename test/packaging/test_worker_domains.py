# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""That tests at the same time, in workers of one run or in several, do not hear each other."""

import contextlib
import os
from pathlib import Path
import subprocess
import sys

from domains import claim_domain

HOLD = """
import contextlib, sys
from domains import claim_domain
with contextlib.ExitStack() as stack:
    print(claim_domain(stack), flush=True)
    sys.stdin.read()
"""
FOLDERS = [Path(__file__).parents[1] / 'helpers', Path(__file__).parents[2] / 'src']


def line_of(process):
    assert process.stdout is not None
    return process.stdout.readline()


def test_processes_have_domains_of_their_own_until_they_end():
    with contextlib.ExitStack() as stack:
        holders = [
            stack.enter_context(subprocess.Popen(
                [sys.executable, '-c', HOLD], text=True, stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                env={**os.environ, 'PYTHONPATH': os.pathsep.join(map(str, FOLDERS))}))
            for _ in range(4)]
        domains = [claim_domain(stack), *(int(line_of(holder)) for holder in holders)]
        assert len(set(domains)) == len(domains)
        for holder in holders:
            assert holder.stdin is not None
            holder.stdin.close()
