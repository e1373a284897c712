# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""racecar.make_env(): environments for reinforcement learning, where Gymnasium is installed."""

from __future__ import annotations

from typing import Any


def make_env(
    track: Any = 'racetrack', *, worlds: int | None = None, parallel: bool = False,
    render_mode: str | None = None, **options: Any,
) -> Any:
    """Environment in which cars learn to race: see racecar.gym.make_env() and docs/gym.md.

    Raises ConfigurationError, with what installs it, if Gymnasium is not installed.
    """
    from racecar import gym

    return gym.make_env(
        track, worlds=worlds, parallel=parallel, render_mode=render_mode, **options)
