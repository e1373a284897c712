# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""What the benchmarks share: the machine in words, and tables."""

from __future__ import annotations

from collections.abc import Sequence
import datetime
import importlib.metadata
import os
from pathlib import Path
import platform


def machine() -> str:
    """Return date, processor, cores and versions in one line."""
    try:
        lines = Path('/proc/cpuinfo').read_text(encoding='utf-8').splitlines()
    except OSError:
        lines = []
    facts = {key.strip(): value.strip() for key, _, value in (
        line.partition(':') for line in lines if ':' in line)}
    processor = facts.get('model name', platform.processor())
    family = f" family {facts['cpu family']} model {facts['model']}" if 'model' in facts else ''
    versions = ', '.join(
        f'{name} {importlib.metadata.version(name)}' for name in ('numba', 'numpy')
        if _has(name))
    return (f'{datetime.date.today()}: {processor}{family}, {len(os.sched_getaffinity(0))} cores,'
            f' load {os.getloadavg()[0]:.1f}, Python {platform.python_version()}, {versions}')


def print_table(head: Sequence[str], lines: Sequence[Sequence[str]]) -> None:
    """Print aligned columns, the first to the left."""
    widths = [max(len(line[i]) for line in (head, *lines)) for i in range(len(head))]
    for line in (head, *lines):
        first, *others = (
            text.ljust(width) if i == 0 else text.rjust(width)
            for i, (text, width) in enumerate(zip(line, widths, strict=True)))
        print('  '.join([first, *others]))


def _has(name: str) -> bool:
    try:
        importlib.metadata.version(name)
    except importlib.metadata.PackageNotFoundError:
        return False
    return True
