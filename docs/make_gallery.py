#!/usr/bin/env python3
# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""Make the pictures of docs/gallery.md with the commands that stand there.

./run python docs/make_gallery.py              # all
./run python docs/make_gallery.py race.gif     # those of these names, and what they need
"""

from __future__ import annotations

from collections.abc import Sequence
import contextlib
from pathlib import Path
import re
import shlex
import shutil
import sys
import tempfile

from racecar.cli.main import main

DOCS = Path(__file__).resolve().parent
PAGE = DOCS / 'gallery.md'


def commands() -> list[list[str]]:
    """Arguments of racecar, of each command of the page."""
    lines = re.findall(r'^    \./run racecar (.*)$', PAGE.read_text(encoding='utf-8'), re.M)
    return [shlex.split(line) for line in lines]


def pictures() -> list[Path]:
    """Files of all pictures of the page."""
    text = PAGE.read_text(encoding='utf-8')
    return [DOCS / name for name in re.findall(r'!\[[^]]*\]\((pictures/[^)]*)\)', text)]


def output(words: Sequence[str]) -> str:
    """Name of the file that a command writes."""
    return words[[*words].index('--csv' if words[0] == 'simulate' else '-o') + 1]


def needed(names: Sequence[str]) -> list[list[str]]:
    """Commands that make files of these names, and what those read; all without names."""
    found: list[list[str]] = []
    wanted = set(names)
    for words in reversed(commands()):
        if not names or output(words) in wanted:
            found.insert(0, words)
            wanted.update(words[1:])
    return found


def make(names: Sequence[str]) -> None:
    """Make pictures; exits with a message if there is none of a name, or a command fails."""
    known = {output(words) for words in commands()}
    unknown = [name for name in names if name not in known]
    if unknown:
        sys.exit(f"{unknown[0]!r} is no picture, expected one of {', '.join(sorted(known))}")
    targets = {path.name: path for path in pictures()}
    with tempfile.TemporaryDirectory() as folder, contextlib.chdir(folder):
        Path('docs').symlink_to(DOCS)
        for words in needed(names):
            if main(words):
                sys.exit(f"failed: racecar {' '.join(words)}")
            if output(words) in targets:
                target = targets[output(words)]
                target.parent.mkdir(exist_ok=True)
                shutil.copyfile(output(words), target)


if __name__ == '__main__':
    make(sys.argv[1:])
