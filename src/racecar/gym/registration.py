# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""Names of environments for gymnasium.make(); gymnasium finds them as a plugin.

From a clone, `import racecar.gym` registers them.
"""

from __future__ import annotations

NAMESPACE = 'racecar'

IDS: dict[str, dict[str, object]] = {
    'Race-v0': {},
    'RaceScan-v0': {'observation': ('scan', 'velocity', 'command')},
    'RaceHeadToHead-v0': {
        'observation': ('scan', 'velocity', 'command', 'frenet', 'line'), 'cars': 2,
        'start': 'grid'},
    'RaceTal-v0': {'observation': ('scan', 'velocity', 'command'), 'reward': 'tal', 'track': 'gbr',
                   'vehicle': 'f1tenth', 'end.laps': 1},
}
"""Options by what follows the namespace and a slash."""


def register_envs() -> None:
    """Register the environments, once."""
    import gymnasium

    for name, options in IDS.items():
        if f'{NAMESPACE}/{name}' not in gymnasium.registry:
            gymnasium.register(
                id=f'{NAMESPACE}/{name}', entry_point='racecar.gym.single:RaceEnv',
                vector_entry_point='racecar.gym.vector:RaceVectorEnv', kwargs=options)
