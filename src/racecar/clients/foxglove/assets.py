# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""The files that a robot description names, such as meshes."""

from __future__ import annotations

import importlib.util
from pathlib import Path

from racecar.base.share import share_folder

_SCHEME = 'package://'
_OWN = 'racecar'
# Of meshes and what they are covered with: no other files are given away.
_SUFFIXES = frozenset((
    '.bin', '.bmp', '.dae', '.glb', '.gltf', '.jpeg', '.jpg', '.mtl', '.obj', '.png', '.stl',
    '.tga', '.tif', '.tiff', '.urdf', '.webp'))


def read_asset(uri: str) -> bytes | None:
    """File of a mesh or texture that a URI as package://racecar/urdf/... names.

    None for what is no such file, or lies outside the share folder of its package.
    """
    package, _, name = uri.removeprefix(_SCHEME).partition('/')
    if not uri.startswith(_SCHEME) or Path(name).suffix.lower() not in _SUFFIXES:
        return None
    try:
        folder = _share_of(package)
        path = None if folder is None else (folder / name).resolve(strict=True)
        # Sources may be links of an installation, so the folder counts before and after.
        if path is None or not _is_below(folder, name) or not path.is_file():
            return None
        return path.read_bytes()
    except (OSError, ValueError):
        return None


def _is_below(folder: Path | None, name: str) -> bool:
    return folder is not None and '..' not in Path(name).parts and not Path(name).is_absolute()


def _share_of(package: str) -> Path | None:
    if package == _OWN:
        return share_folder()
    if not package.isidentifier() or importlib.util.find_spec('ament_index_python') is None:
        return None
    from ament_index_python.packages import get_package_share_directory, PackageNotFoundError

    try:
        return Path(get_package_share_directory(package))
    except PackageNotFoundError:
        return None
