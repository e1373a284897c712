# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""The interface of f1tenth_gym 1.0.0: `import racecar.gym.f1tenth as gym` in place of gymnasium.

gym.make('f1tenth_gym:f1tenth-v0', config={...}) makes its environment then; Gymnasium itself makes
it by the id racecar.gym.f1tenth:f1tenth-v0. racecar.gym.f1tenth.f110 has the interface of 0.2.1.
"""

from __future__ import annotations

from typing import Any

import gymnasium

ENV_ID = 'f1tenth-v0'
_PREFIX = 'f1tenth_gym:'

if ENV_ID not in gymnasium.registry:
    gymnasium.register(id=ENV_ID, entry_point='racecar.gym.f1tenth.env:F110Env')


def make(id: str, **kwargs: Any) -> gymnasium.Env[Any, Any]:
    """Environment of an id, f1tenth_gym:f1tenth-v0 or any other; kwargs: of gymnasium.make()."""
    return gymnasium.make(id.removeprefix(_PREFIX), **kwargs)


def __getattr__(name: str) -> object:
    # What else a program calls by `gym.` is Gymnasium's.
    return getattr(gymnasium, name)
