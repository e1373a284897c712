# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""Vehicles, control laws, trajectories, simulation and analysis, as plain Python and NumPy.

`from racecar.core import Simulator` gives any name of racecar.core.api, which lists them.
"""

from __future__ import annotations

import importlib
import importlib.util
from typing import Any, TYPE_CHECKING

if TYPE_CHECKING:
    from racecar.core.api import *  # noqa: F403
else:
    def __getattr__(name: str) -> Any:
        # At the first use of a name: who needs a part does not wait for Numba and all others.
        is_public = name == '__all__' or not (
            name.startswith('_') or importlib.util.find_spec(f'{__name__}.{name}'))
        api = importlib.import_module(f'{__name__}.api') if is_public else None
        if api is None or name not in ('__all__', *api.__all__):
            raise AttributeError(f'module {__name__!r} has no attribute {name!r}')
        return getattr(api, name)

    def __dir__() -> list[str]:
        return [*globals(), *importlib.import_module(f'{__name__}.api').__all__]
