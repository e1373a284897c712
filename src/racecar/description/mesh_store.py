# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""Where generated meshes lie: a folder of files that are named by their content."""

from __future__ import annotations

import hashlib
import os
from pathlib import Path
import tempfile

from racecar.base.errors import ConfigurationError
from racecar.base.share import resource_file
from racecar.description.triangles import is_stl, stl, Triangles

CACHE_VARIABLE = 'XDG_CACHE_HOME'

_DIGITS = 12


def stored_mesh(name: str, triangles: Triangles) -> str:
    """Write a mesh as an STL file, unless it is there already, and return its URI.

    name: of the file, which also has a part that follows from the content, so that equal meshes
    are one file and a file never changes. It lies below $XDG_CACHE_HOME or ~/.cache, or where
    neither can be written in the folder for temporary files. Raises ConfigurationError if no
    folder can be written.
    """
    data = stl(triangles, f'{name}, metres; made by racecar')
    file = f'{name}-{hashlib.sha256(data).hexdigest()[:_DIGITS]}.stl'
    reasons = []
    for folder in _folders():
        path = folder / file
        try:
            if not path.is_file() or path.stat().st_size != len(data):
                _write(path, data)
        except OSError as error:
            reasons.append(str(error))
        else:
            return path.as_uri()
    raise ConfigurationError(
        f"mesh {file} cannot be written ({'; '.join(reasons)}), expected a folder that can be:"
        f' set {CACHE_VARIABLE}')


def local_mesh(name: str, folder: Path | None = None) -> str:
    """URI of a mesh that a user's file names; relative paths are below the folder.

    Raises ConfigurationError unless it is a whole binary STL file.
    """
    uri = name
    if '://' not in name:
        path = Path(name).expanduser()
        uri = (path if folder is None else folder / path).absolute().as_uri()
    path = resource_file(uri)
    if not is_stl(path.read_bytes()):
        raise ConfigurationError(f'mesh {path} is not a binary STL file, expected one, in metres')
    return uri


def _folders() -> list[Path]:
    own = Path('racecar') / 'meshes'
    caches = os.environ.get(CACHE_VARIABLE) or os.path.expanduser('~/.cache')
    # Windows knows no numbers of users; its folder is each user's own.
    user = getattr(os, 'getuid', int)()
    folders = [Path(tempfile.gettempdir()) / f'racecar-{user}' / 'meshes']
    # It stays ~ for a user without HOME whom the system does not know.
    return folders if caches.startswith('~') else [Path(caches).absolute() / own, *folders]


def _write(path: Path, data: bytes) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    # Whole at once: others may be reading it.
    handle, draft = tempfile.mkstemp(dir=path.parent, prefix=path.stem, suffix='.part')
    try:
        with os.fdopen(handle, 'wb') as file:
            file.write(data)
        os.chmod(draft, 0o644)
        os.replace(draft, path)
    except BaseException:
        os.unlink(draft)
        raise
