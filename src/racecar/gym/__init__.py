# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""Environments for reinforcement learning: Gymnasium, native vectors of them, PettingZoo.

`import racecar.gym` registers the ids of racecar.gym.registration. docs/gym.md shows all at work.
"""

from __future__ import annotations

import contextlib
import importlib
from typing import TYPE_CHECKING

from racecar.base.extras import not_installed
from racecar.gym.registration import register_envs

if TYPE_CHECKING:
    from racecar.control.policy.contract import load_policy, PolicyContract
    from racecar.control.policy.network import multilayer, Network
    from racecar.gym.making import make_env, save_policy
    from racecar.gym.parallel import RaceParallelEnv
    from racecar.gym.single import RaceEnv
    from racecar.gym.vector import RaceVectorEnv

__all__ = [
    'Network', 'PolicyContract', 'RaceEnv', 'RaceParallelEnv', 'RaceVectorEnv', 'load_policy',
    'make_env', 'multilayer', 'register_envs', 'save_policy',
]

_HOMES = {
    'load_policy': 'racecar.control.policy.contract',
    'PolicyContract': 'racecar.control.policy.contract',
    'multilayer': 'racecar.control.policy.network', 'Network': 'racecar.control.policy.network',
    'make_env': 'racecar.gym.making', 'save_policy': 'racecar.gym.making',
    'RaceParallelEnv': 'racecar.gym.parallel', 'RaceEnv': 'racecar.gym.single',
    'RaceVectorEnv': 'racecar.gym.vector'}

# Without Gymnasium what needs it says so.
with contextlib.suppress(ImportError):
    register_envs()


def __getattr__(name: str) -> object:
    # At the first use: gymnasium.make() of another environment does not wait for kernels.
    if name not in _HOMES:
        raise AttributeError(f'module {__name__!r} has no attribute {name!r}')
    try:
        home = importlib.import_module(_HOMES[name])
    except ImportError as error:
        missing = str(error.name).partition('.')[0]
        if missing not in ('gymnasium', 'pettingzoo'):
            raise
        raise not_installed(f'racecar.gym.{name}', missing) from error
    return getattr(home, name)
