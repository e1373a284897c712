# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""The interface of the environment inside github.com/BDEvan5/TrajectoryAidedLearning.

It is that of f1tenth_gym 0.2.1 with one agent, maps in `maps/NAME.yaml`, two more observations and
close_rendering(). As there: Euler steps, 20 beams whose noise goes on from episode to episode, a
crash when the middle of the car is in a wall or off the map, which nothing tells the car before,
and an end after the first lap, whose finish is 0.1 m long and counts after 10 s.
"""

from __future__ import annotations

from collections.abc import Sequence
import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

from racecar.gym.f1tenth import f110
from racecar.gym.f1tenth.simulation import LapCounter

Array = NDArray[np.float64]

_SHORTEST_LAP = 10.0  # [s]
_NEAR = 0.01  # [m^2]


class Observation(f110.F110Observation):
    """steering_deltas: angles [rad]; full_states: as of racecar.gym.f1tenth.model, (7,) each."""

    steering_deltas: list[float]
    full_states: list[Array]


class F110Env(f110.F110Env):
    """One car; action (1, 2): steering angle, then speed."""

    _laser = 20, math.pi
    _stops, _renews = False, False

    def __init__(self, **kwargs: Any) -> None:
        """kwargs: as of racecar.gym.f1tenth.f110.F110Env, whose errors it raises."""
        super().__init__(**{
            'num_agents': 1, 'integrator': f110.Integrator.Euler, **kwargs})
        self.laps = LapCounter(self.num_agents, self.ego_idx, _NEAR, _SHORTEST_LAP)

    def step(self, action: Sequence[Sequence[float]] | Array) -> tuple[
            Observation, float, bool, f110.Info]:
        """Drive for a step: observation, reward, done after a lap or a contact, info."""
        seen, reward, _, info = super().step(action)
        agents, collisions = self.sim.agents, seen['collisions']
        x, y = agents[self.ego_idx].state[:2].tolist()
        grid = self.track.scene.grid
        if grid is not None and grid.is_wall(x, y):
            collisions[self.ego_idx] = 1.0
        states = [agent.state.copy() for agent in agents]
        found: Observation = {
            **seen, 'steering_deltas': [float(state[2]) for state in states],
            'full_states': states}
        has_lap = bool((seen['lap_counts'] >= 1).all())
        return found, reward, has_lap or bool(collisions[self.ego_idx]), info

    def close_rendering(self) -> None:
        """End the page."""
        self.close()
