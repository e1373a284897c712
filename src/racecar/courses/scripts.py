# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""Scripts of the RACECAR Neo course in a student's folder."""

from __future__ import annotations

import os
from pathlib import Path

from racecar.base.errors import ConfigurationError
from racecar.courses.job import Task
from racecar.courses.program import Command
from racecar.courses.sources import copy_sources, text_of

LIBRARY_VARIABLE = 'RACECAR_NEO_LIBRARY'
"""In the environment: folder of racecar-neo-library, with racecar_core.py or library/ in it."""

_MODULE = 'racecar_core'
_IGNORED = '.git', '__pycache__'


def script_task(path: Path, home: Path, python: str) -> Task:
    """Program of a script, or of the only script in a folder that imports the library.

    home: where it may write. There it has copies of its folder and of the library, as they lie on
    the computers of the course: scripts import ../../library, and that writes beside itself.
    Raises ConfigurationError if there is no such script, or no library.
    """
    script = path if path.is_file() else _only_script(path)
    library, copy = home / 'library', home / 'labs' / script.parent.name
    copy_sources(_library(), library, _IGNORED)
    copy_sources(script.parent, copy, _IGNORED)
    return Task(script.stem, Command(
        (python, script.name, '-s', '-h'), (str(library), str(copy))), str(copy))


def _only_script(folder: Path) -> Path:
    found = [path for path in sorted(folder.rglob('*.py'))
             if path.name.isprintable() and f'import {_MODULE}' in text_of(path)]
    if len(found) != 1:
        names = ', '.join(str(path.relative_to(folder)) for path in found) or 'none'
        raise ConfigurationError(
            f'scripts that import {_MODULE} are {names}, expected one; give its file in place of'
            ' the folder')
    return found[0]


def _library() -> Path:
    given = os.environ.get(LIBRARY_VARIABLE, '')
    for folder in (Path(given), Path(given) / 'library'):
        if given and (folder / f'{_MODULE}.py').is_file():
            return folder.resolve()
    raise ConfigurationError(
        f'{_MODULE}.py is not found in {given or "no folder"}; get racecar-neo-library from the'
        f' course and name its folder in the environment variable {LIBRARY_VARIABLE}')
