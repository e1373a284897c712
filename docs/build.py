#!/usr/bin/env python3
# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""Build the documentation site, offline: `./run python docs/build.py [FOLDER]`.

The site is written to build/site unless a folder is given; index.html there is its start. A link
that leads nowhere within the site, a part that would come from the network, or a docstring that
cannot be read ends it with exit code 1.
"""

from __future__ import annotations

import html
from pathlib import Path
import re
import sys
from urllib.parse import unquote, urlsplit

ROOT = Path(__file__).resolve().parents[1]
_START = ('<meta http-equiv="refresh" content="0; url=docs/index.html">'
          '<a href="docs/index.html">racecar</a>\n')


def build(folder: Path) -> int:
    """Write the site to a folder; returns the exit code."""
    try:
        from sphinx.cmd.build import build_main
    except ImportError as error:
        print(f'{error}: the site is made with Sphinx; `pip install -r requirements/docs.in`'
              ' installs it', file=sys.stderr)
        return 1
    code: int = build_main([
        '-q', '-W', '--keep-going', '-E', '-a', '-b', 'html', '-c', str(ROOT / 'docs'),
        '-d', str(folder.with_name(f'{folder.name}.doctrees')), str(ROOT), str(folder)])
    if code:
        return code
    (folder / 'index.html').write_text(_START, encoding='utf-8')
    found = faults(folder)
    print('\n'.join(found) or f'Site: {folder / "index.html"}', file=sys.stderr if found else None)
    return 1 if found else 0


def faults(folder: Path) -> list[str]:
    """Return a line for each link that leads nowhere and each part that comes from the network."""
    texts = {path: path.read_text(encoding='utf-8') for path in sorted(folder.rglob('*.html'))}
    names = {path: {html.unescape(name) for name in re.findall(r'\bid="([^"]+)"', text)}
             for path, text in texts.items()}
    found = []
    for path, text in texts.items():
        for kind, target in re.findall(r'\b(href|src)="([^"]+)"', text):
            parts = urlsplit(html.unescape(target))
            where = f'{path.relative_to(folder)}: {target}'
            if parts.scheme or parts.netloc:
                if kind == 'src' and parts.scheme != 'data':
                    found.append(f'{where} comes from the network')
                continue
            file = (path.parent / unquote(parts.path)).resolve() if parts.path else path
            name = unquote(parts.fragment)
            if not file.exists() or (name and name not in names.get(file, {name})):
                found.append(f'{where} is not there')
    return found


if __name__ == '__main__':
    sys.exit(build(Path(sys.argv[1] if len(sys.argv) > 1 else ROOT / 'build' / 'site').resolve()))
