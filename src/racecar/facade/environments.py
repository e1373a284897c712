# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""racecar.make_env(): environments for reinforcement learning, where Gymnasium is installed."""

from __future__ import annotations

from typing import Any


def make_env(
    track: Any = 'racetrack', *, worlds: int | None = None, parallel: bool = False,
    render_mode: str | None = None, **options: Any,
) -> Any:
    """Environment in which cars learn to race: racecar.gym.make_env(), see docs/gym.md.

    - track: a world with a closed track, by name or as a file, `generated`, or a list of these.
    - worlds: None for one world, a gymnasium.Env; a number for a gymnasium.vector.VectorEnv.
    - parallel: a PettingZoo ParallelEnv, in which each car is an agent.
    - render_mode: rgb_array, or None.
    - options: see docs/gym.md.

    Raises ConfigurationError or ParameterError with the option, its value and what was expected,
    and ConfigurationError, with what installs it, if Gymnasium is not installed.
    """
    from racecar import gym

    return gym.make_env(
        track, worlds=worlds, parallel=parallel, render_mode=render_mode, **options)
