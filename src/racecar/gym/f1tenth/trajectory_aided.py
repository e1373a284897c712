# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""The interface of the environment inside github.com/BDEvan5/TrajectoryAidedLearning.

It is that of f1tenth_gym 0.2.1 with one agent, maps in `maps/NAME.yaml`, two more observations,
20 beams, close_rendering(), and an end after the first lap. There a car crashes when its middle
reaches a wall, here as in f1tenth_gym 0.2.1.
"""

from __future__ import annotations

from collections.abc import Sequence
import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

from racecar.gym.f1tenth import f110

Array = NDArray[np.float64]

_SHORTEST_LAP = 10.0  # [s]


class Observation(f110.F110Observation):
    """steering_deltas: angles [rad]; full_states: as of racecar.gym.f1tenth.model, (7,) each."""

    steering_deltas: list[float]
    full_states: list[Array]


class F110Env(f110.F110Env):
    """One car; action (1, 2): steering angle, then speed."""

    _laser = 20, math.pi

    def __init__(self, **kwargs: Any) -> None:
        """kwargs: as of racecar.gym.f1tenth.f110.F110Env, whose errors it raises."""
        super().__init__(**{'num_agents': 1, **kwargs})

    def step(self, action: Sequence[Sequence[float]] | Array) -> tuple[
            Observation, float, bool, f110.Info]:
        """Drive for a step: observation, reward, done after a lap or a contact, info."""
        seen, reward, _, info = super().step(action)
        states = [agent.state.copy() for agent in self.sim.agents]
        found: Observation = {
            **seen, 'steering_deltas': [float(state[2]) for state in states],
            'full_states': states}
        has_lap = self.current_time > _SHORTEST_LAP and bool((seen['lap_counts'] >= 1).all())
        return found, reward, has_lap or bool(seen['collisions'][self.ego_idx]), info

    def close_rendering(self) -> None:
        """Nothing is open."""
        self.close()
