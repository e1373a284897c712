# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""The interface of f1tenth_gym 1.0.0: gymnasium.make('racecar.gym.f1tenth:f1tenth-v0', config={}).

racecar.gym.f1tenth.f110 has that of 0.2.1.
"""

import gymnasium

if 'f1tenth-v0' not in gymnasium.registry:
    gymnasium.register(id='f1tenth-v0', entry_point='racecar.gym.f1tenth.env:F110Env')
