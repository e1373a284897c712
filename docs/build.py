#!/usr/bin/env python3
# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""Build the documentation site, offline: `./run python docs/build.py [FOLDER]`.

The site is written to build/site unless a folder is given; index.html there is its start. A link
that leads nowhere within the site, or a docstring that cannot be read, ends it with exit code 1.
"""

from __future__ import annotations

from pathlib import Path
import sys

ROOT = Path(__file__).resolve().parents[1]
_START = '<meta http-equiv="refresh" content="0; url=docs/index.html"><a href="docs/">racecar</a>\n'


def build(folder: Path) -> int:
    """Write the site to a folder; returns the exit code."""
    try:
        from sphinx.cmd.build import build_main
    except ImportError as error:
        print(f'{error}: the site is made with Sphinx; `pip install -r requirements/docs.in`'
              ' installs it', file=sys.stderr)
        return 1
    code = build_main([
        '-q', '-W', '--keep-going', '-b', 'html', '-c', str(ROOT / 'docs'),
        '-d', str(folder.with_name(f'{folder.name}.doctrees')), str(ROOT), str(folder)])
    if code == 0:
        (folder / 'index.html').write_text(_START, encoding='utf-8')
        print(f'Site: {folder / "index.html"}')
    return code


if __name__ == '__main__':
    sys.exit(build(Path(sys.argv[1] if len(sys.argv) > 1 else ROOT / 'build' / 'site').resolve()))
