# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""The interface of the environment inside github.com/BDEvan5/TrajectoryAidedLearning.

It is that of f1tenth_gym 0.2.1 with one agent, maps in `maps/NAME.yaml`, and close_rendering().
"""

from __future__ import annotations

from typing import Any

from racecar.gym.f1tenth import f110


class F110Env(f110.F110Env):
    """One car; action (1, 2): steering angle, then speed."""

    def __init__(self, **kwargs: Any) -> None:
        """kwargs: as of racecar.gym.f1tenth.f110.F110Env, whose errors it raises."""
        super().__init__(**{'num_agents': 1, **kwargs})

    def close_rendering(self) -> None:
        """Nothing is open."""
        self.close()
