#!/usr/bin/env python3
# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""Write everything that is made from the parameter tables: README tables and config files.

Run it with `./run python docs/generate.py`; with --check it only says what is out of date.
"""

from __future__ import annotations

from pathlib import Path
import re
import sys

from racecar.catalogue import TABLES
from racecar.cli.parameters import markdown_table, parameter_file

ROOT = Path(__file__).resolve().parents[1]
_BLOCK = re.compile(r'(<!-- parameters (\w+) -->\n).*?(<!-- end -->)', re.DOTALL)


def generated_files() -> dict[Path, str]:
    """Return path and right content of every file that holds generated text."""
    readme = ROOT / 'README.md'
    text = _BLOCK.sub(
        lambda match: f'{match[1]}\n{markdown_table(match[2])}\n{match[3]}',
        readme.read_text(encoding='utf-8'))
    files = {readme: text}
    files.update({ROOT / 'config' / f'{node}.yaml': parameter_file(node) for node in TABLES})
    return files


def outdated() -> list[Path]:
    """Return the files whose content differs from what the tables give."""
    return [path for path, text in generated_files().items()
            if not path.is_file() or path.read_text(encoding='utf-8') != text]


def main() -> int:
    """Write the files, or with --check only name the outdated ones and return 1."""
    files = outdated()
    for path in files:
        print(f'{path.relative_to(ROOT)} is out of date' if '--check' in sys.argv
              else f'{path.relative_to(ROOT)} written')
    if '--check' in sys.argv:
        return 1 if files else 0
    contents = generated_files()
    for path in files:
        path.write_text(contents[path], encoding='utf-8')
    return 0


if __name__ == '__main__':
    sys.exit(main())
