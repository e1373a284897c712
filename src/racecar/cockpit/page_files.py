# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""The files that the server gives to browsers: this list and nothing else."""

from __future__ import annotations

from pathlib import Path

FOLDER = Path(__file__).with_name('page')

INDEX = 'index.html'

CONTENT_TYPES = {
    '.html': 'text/html', '.js': 'text/javascript', '.css': 'text/css', '.svg': 'image/svg+xml',
    '.png': 'image/png', '.json': 'application/json'}
"""By suffix."""

PAGE_FILES = frozenset(
    path.name for path in FOLDER.iterdir() if path.suffix in CONTENT_TYPES)
"""Names in the folder when the server starts; the page asks for them as /static/NAME."""

POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' blob: data:;"
    " connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'")
"""What browsers may load: the page asks nobody else for anything."""


REPORT_POLICY = (
    "default-src 'none'; script-src 'unsafe-inline'; style-src 'unsafe-inline';"
    " img-src data: blob:; base-uri 'none'; form-action 'none'; frame-ancestors 'none';"
    ' sandbox allow-scripts allow-downloads allow-modals')
"""Of the HTML report of a run, which is one file; as an origin of its own it cannot reach the
WebSocket."""


def page_file(name: str) -> Path | None:
    """File of a name of the list; None for any other."""
    return FOLDER / name if name in PAGE_FILES else None
