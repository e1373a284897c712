# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""Libraries that only some commands need, and how to install them."""

from __future__ import annotations

from importlib.util import find_spec
from typing import NamedTuple

from racecar.base.errors import ConfigurationError

DISTRIBUTION = 'racecar-stack'
"""Name of this package for pip."""


class _Library(NamedTuple):
    """What pip installs, and the extras of DISTRIBUTION that require it, the usual one first."""

    requirement: str
    extras: tuple[str, ...]


LIBRARIES = {
    'casadi': _Library('casadi', ('raceline',)),
    'dask': _Library('dask', ('cluster',)),
    'distributed': _Library('distributed', ('cluster',)),
    'foxglove': _Library('foxglove-sdk', ('foxglove',)),
    'gymnasium': _Library('gymnasium', ('gym',)),
    'imageio_ffmpeg': _Library('imageio-ffmpeg', ('video',)),
    'lz4': _Library('lz4', ('bags',)),
    'manifold3d': _Library('manifold3d', ('world',)),
    'matplotlib': _Library('matplotlib', ('plot',)),
    'mcap': _Library('mcap', ('bags',)),
    'mujoco': _Library('mujoco==4.0.0', ('world',)),
    'optuna': _Library('optuna', ('tune',)),
    'pandas': _Library('pandas', ('pandas',)),
    'pettingzoo': _Library('pettingzoo', ('gym',)),
    'pyarrow': _Library('pyarrow', ('cluster',)),
    'rosbags': _Library('rosbags', ('bags',)),
    'scipy': _Library('scipy', ('identify', 'world')),
    'trimesh': _Library('trimesh', ('world',)),
    'zstandard': _Library('zstandard', ('bags',)),
}
"""By the module that is imported; setup.py declares the same from requirements/extras.in."""


def installation(*modules: str) -> str:
    """Command that installs modules of LIBRARIES, for the way in which this package came."""
    # 8 of the 110 ms for all that a process that draws pictures imports.
    from importlib import metadata

    libraries = [LIBRARIES[module] for module in modules]
    try:
        metadata.distribution(DISTRIBUTION)
    except metadata.PackageNotFoundError:
        # With colcon or in a clone pip knows nothing of it.
        return f"pip install {' '.join(library.requirement for library in libraries)}"
    extras = ','.join(dict.fromkeys(library.extras[0] for library in libraries))
    return f"pip install '{DISTRIBUTION}[{extras}]'"


def not_installed(what: str, *modules: str) -> ConfigurationError:
    """Error for what cannot be done since one of these modules of LIBRARIES cannot be imported."""
    names = ' and '.join(LIBRARIES[module].requirement.partition('=')[0] for module in modules)
    verb = 'is' if len(modules) == 1 else 'are'
    return ConfigurationError(f'{what} needs {names}, which {verb} not installed:'
                              f' {installation(*modules)}')


def require(what: str, *modules: str) -> None:
    """Raise ConfigurationError if any module of LIBRARIES that it needs is not installed."""
    missing = [module for module in modules if find_spec(module) is None]
    if missing:
        raise not_installed(what, *missing)
