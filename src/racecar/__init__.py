# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""Simulation and control of car-like robots: `racecar.simulate()` is where to begin.

racecar.facade has what most need, racecar.api what extends it; `racecar.NAME` is either.
docs/python.md shows all names at work.
"""

from __future__ import annotations

import importlib
import importlib.util
import sys
from typing import Any, TYPE_CHECKING

if TYPE_CHECKING:
    from racecar.api import *  # noqa: F403
    from racecar.facade import *  # noqa: F403

    __version__: str
else:
    # So Python calls a program that it is about to import: `python -m racecar.nodes NODE`.
    if sys.argv[:1] == ['-m'] and any(
            word.startswith(f'{__name__}.') for word in sys.orig_argv):
        from racecar.base.starting import begin_process

        begin_process()
        del begin_process

    # The first goes first, which loads nothing before it is asked for one of its names.
    _HOMES = 'facade', 'api'

    def __getattr__(name: str) -> Any:
        # At the first use of a name: who needs a part does not wait for Numba and all others.
        if name == '__version__':
            from racecar.base.share import version

            return version()
        if name == '__all__':
            return _names()
        if not name.startswith('_') and not importlib.util.find_spec(f'{__name__}.{name}'):
            for home in map(_home, _HOMES):
                if name in home.__all__:
                    return getattr(home, name)
        raise AttributeError(f'module {__name__!r} has no attribute {name!r}')

    def __dir__() -> list[str]:
        return [*globals(), *_names()]

    def _names() -> list[str]:
        return [name for home in map(_home, _HOMES) for name in home.__all__]

    def _home(name: str) -> object:
        return importlib.import_module(f'{__name__}.{name}')
