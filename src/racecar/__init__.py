# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""A car-like robot stack for ROS 2 after the MIT RACECAR simulation.

`from racecar import Simulator` gives any name of racecar.api, which lists them.
"""

from __future__ import annotations

import importlib
import importlib.util
from typing import Any, TYPE_CHECKING

if TYPE_CHECKING:
    from racecar.api import *  # noqa: F403

    __version__: str
else:
    def __getattr__(name: str) -> Any:
        # At the first use of a name: who needs a part does not wait for Numba and all others.
        if name == '__version__':
            from racecar.base.share import version

            return version()
        is_public = name == '__all__' or not (
            name.startswith('_') or importlib.util.find_spec(f'{__name__}.{name}'))
        api = importlib.import_module(f'{__name__}.api') if is_public else None
        if api is None or name not in ('__all__', *api.__all__):
            raise AttributeError(f'module {__name__!r} has no attribute {name!r}')
        return getattr(api, name)

    def __dir__() -> list[str]:
        return [*globals(), *importlib.import_module(f'{__name__}.api').__all__]
