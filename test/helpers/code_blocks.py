# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""Code blocks of Markdown pages, and the commands in them."""

from pathlib import Path
import re
import shlex
from typing import NamedTuple

ROOT = Path(__file__).resolve().parents[2]
PAGES = sorted(str(path.relative_to(ROOT)) for path in [
    ROOT / 'README.md', ROOT / 'CONTRIBUTING.md', ROOT / 'benchmarks' / 'README.md',
    *(ROOT / 'docs').rglob('*.md')])
_PROGRAMS = ('./run', 'racecar', 'ros2')


class Block(NamedTuple):
    """A block of code; language is '' where none is given."""

    language: str
    text: str


def blocks_of(page):
    """Return the fenced and indented code blocks of a page in order."""
    found: list[Block] = []
    lines: list[str] = []
    fence, language = False, ''
    before = ''
    for line in (ROOT / page).read_text(encoding='utf-8').splitlines():
        if line.startswith('```'):
            if fence:
                found.append(Block(language, '\n'.join(lines)))
            language, lines, fence = line[3:].strip(), [], not fence
        elif fence:
            lines.append(line)
        elif line.startswith('    ') and (lines or not before.strip()):
            lines.append(line[4:])
        elif lines and not line.strip():
            lines.append('')
        elif lines:
            found.append(Block('', '\n'.join(lines).strip()))
            lines = []
        before = line
    if lines:
        found.append(Block('', '\n'.join(lines).strip()))
    return found


def commands_of(page):
    """Return the words of each call of ./run, racecar and ros2 in the code blocks of a page."""
    found = []
    for block in blocks_of(page):
        text = re.sub(r' *\\\n *', ' ', block.text)
        for line in text.splitlines():
            words = shlex.split(line, comments=True) if line.startswith(_PROGRAMS) else []
            # Not an error, which starts with the name of a command.
            if words and words[0] in _PROGRAMS and not words[1:2][0].endswith(':'):
                found.append(tuple(words))
    return found
