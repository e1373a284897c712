# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""Hashes of what was prepared from what, so that only what changed is prepared again."""

import contextlib
import hashlib
import json
from pathlib import Path
import shutil
from typing import Any, Dict, Iterable, List

from . import paths

# Raise it when things are prepared differently, so that old state is rebuilt.
RECIPE = '1'


def digest(parts: Iterable[str]) -> str:
    """Return one hash over texts, unambiguous about where each ends."""
    total = hashlib.sha256()
    for part in parts:
        data = part.encode('utf-8', 'surrogateescape')
        total.update(b'%d:' % len(data) + data)
    return total.hexdigest()


def tree_parts(folder: Path, contents: bool = True) -> List[str]:
    """Return the relative names below a folder, each with its text if asked."""
    parts: List[str] = []
    for path in sorted(folder.rglob('*')):
        if path.is_file() and '__pycache__' not in path.parts:
            parts.append(path.relative_to(folder).as_posix())
            if contents:
                parts.append(path.read_bytes().hex())
    return parts


def read_stamp(path: Path) -> Dict[str, Any]:
    """Return a stamp, empty where it is absent or damaged."""
    try:
        stamp = json.loads(path.read_text())
    except (OSError, ValueError):
        return {}
    return stamp if isinstance(stamp, dict) else {}


def write_stamp(path: Path, stamp: Dict[str, Any]) -> None:
    """Write a stamp so that a reader sees all of it or nothing."""
    draft = path.with_suffix('.new')
    draft.write_text(json.dumps(stamp, indent=1, sort_keys=True))
    draft.replace(path)


def remove(path: Path) -> None:
    """Remove a file or folder that may be absent."""
    if path.is_dir() and not path.is_symlink():
        shutil.rmtree(str(path))
    else:
        with contextlib.suppress(FileNotFoundError):
            path.unlink()


def interface_key(packages: Iterable[Path], base: str) -> str:
    """Return the hash of all that the generated message code depends on."""
    parts = [RECIPE, str(paths.ROOT), base]
    for package in packages:
        parts += [package.name, *tree_parts(package)]
    return digest(parts)


def package_key(root: Path = paths.ROOT) -> str:
    """Return the hash of all that needs a new install of the Python package.

    Modules and data files are linked, so their text does not count, but a new
    data file needs a new link.
    """
    parts = [RECIPE]
    for name in ('package.xml', 'setup.py', 'setup.cfg'):
        parts += [name, (root / name).read_text()]
    for name in paths.DATA_FOLDERS:
        parts += [name, *tree_parts(root / name, contents=False)]
    return digest(parts)
