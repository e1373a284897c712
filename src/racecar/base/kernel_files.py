# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""Files of machine code in the folders of Numba's cache: of which sources, and until when.

Numba neither knows the modules that a function calls nor removes a file.
"""

from __future__ import annotations

import contextlib
import os
from pathlib import Path
import re
import time

from racecar.base.kernel_sources import sources_of

_tidied: set[Path] = set()
_HOUR = 3600.0
# A user's code changes often, and nothing says when it is given up.
_UNUSED = 7 * 24 * _HOUR


class _Keeping:
    """Whether this process keeps kernels, and the code of what they call."""

    kernels = True
    parts = True


def keep_nothing() -> None:
    """Say that no folder is writable."""
    _Keeping.kernels = False


def is_anything_kept() -> bool:
    """Whether kernels are kept on disk."""
    return _Keeping.kernels


def keep_no_parts() -> None:
    """Keep the code of what kernels call no more: where there is no room, beside a user's code.

    Numba takes unions of types for the same whose names are, so that a file could name a type of
    the user's, which no other process has.
    """
    _Keeping.parts = False


def are_parts_kept() -> bool:
    """Whether the code of what kernels call is kept on disk."""
    return _Keeping.parts


def is_kept(folder: Path, name: str) -> bool:
    """Whether the code of a function of this name is in a folder of the cache."""
    return any(folder.glob(f'*.{name}-*.nbc'))


def note_use(folder: Path, name: str) -> None:
    """Let the files of a kernel be as new as if they were made now."""
    for path in folder.glob(f'*{name}-*'):
        with contextlib.suppress(OSError):
            os.utime(path)


def note_sources(folder: Path, modules: frozenset[str]) -> None:
    """Note in a folder of the cache of which modules a kernel is, and tidy the folder once."""
    note = folder / f'kernels_s{sources_of(modules).digest}.txt'
    # A full disk, or another process that does the same.
    with contextlib.suppress(OSError):
        if not note.exists():
            part = note.with_suffix(f'.{os.getpid()}')
            part.write_text('\n'.join(sorted(modules)))
            part.replace(note)
    if folder not in _tidied:
        _tidied.add(folder)
        _drop_outdated(folder)


def _drop_outdated(folder: Path) -> None:
    """Remove from a folder of the cache the code of sources that are no longer so."""
    current: dict[str, bool] = {}
    for note in folder.glob('kernels_s*.txt'):
        digest = note.stem.removeprefix('kernels_s')
        with contextlib.suppress(OSError):
            current[digest] = sources_of(frozenset(note.read_text().split())).digest == digest
            if not current[digest]:
                note.unlink()
    for path in folder.glob('*_s*.nb?'):
        found = re.search(r'_s([0-9a-f]{10})_[0-9a-f]{12}(u?)-', path.name)
        if not found:
            continue
        sources, users = found.groups()
        with contextlib.suppress(OSError):
            age = time.time() - path.stat().st_mtime
            # What has no note may be so new that its process has yet to write one.
            is_current = current.get(sources, age < _HOUR)
            if not is_current or (users and age > _UNUSED):
                path.unlink()
