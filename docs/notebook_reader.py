# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""Runs the notebooks that are kept as Python files; docs/conf.py names it to MyST-NB.

What a notebook gave is kept in build/notebooks and taken from there until the notebook, a file of
the package or its data, or a library changes: the site and the tests run each notebook once.
"""

from __future__ import annotations

import hashlib
from importlib import metadata
from pathlib import Path
import sys
import tempfile
from typing import Any

import nbclient
import nbformat

from racecar.base.environment import hash_of_file
from racecar.cli.examples import copy_examples, notebook_of

ROOT = Path(__file__).resolve().parents[1]
_FOLDERS = 'src/racecar', 'config', 'docs/examples', 'urdf', 'worlds'
_TIMEOUT = 300  # [s], of a cell


def read(text: str) -> Any:
    """Notebook of a Python file with cells, with what its cells give.

    Raises nbclient.exceptions.CellExecutionError with the cell and its error.
    """
    return executed(nbformat.from_dict(notebook_of(text)))


def executed(notebook: Any, root: Path = ROOT) -> Any:
    """A notebook with its outputs, as it runs among the copied examples.

    root: of the repository, whose state decides whether what is kept holds.
    """
    state = _state(root)
    content = hashlib.sha256(nbformat.writes(notebook).encode()).hexdigest()
    kept = root / 'build' / 'notebooks' / f'{state}-{content[:16]}.ipynb'
    if kept.is_file():
        return nbformat.read(kept, as_version=4)
    with tempfile.TemporaryDirectory() as folder:
        copy_examples(Path(folder))
        nbclient.NotebookClient(
            notebook, timeout=_TIMEOUT, kernel_name='python3',
            resources={'metadata': {'path': f'{folder}/notebooks'}}).execute()
    kept.parent.mkdir(parents=True, exist_ok=True)
    for old in kept.parent.glob('*.ipynb'):
        if not old.name.startswith(state):
            old.unlink(missing_ok=True)
    # As a whole or not at all, for those who read meanwhile.
    draft = kept.with_suffix('.new')
    nbformat.write(notebook, draft)
    draft.replace(kept)
    return notebook


def _state(root: Path) -> str:
    """Hash of all that decides what a notebook gives."""
    libraries = sorted(f'{found.name} {found.version}' for found in metadata.distributions())
    files = sorted(path for folder in _FOLDERS for path in (root / folder).rglob('*')
                   if path.is_file() and '__pycache__' not in path.parts)
    rows = [sys.version, *libraries,
            *(f'{path.relative_to(root)} {hash_of_file(path)}' for path in files)]
    return hashlib.sha256('\n'.join(rows).encode()).hexdigest()[:16]
