# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""One world as a Gymnasium environment: one car learns, others are opponents."""

from __future__ import annotations

from typing import SupportsFloat

import gymnasium
import numpy as np
from numpy.typing import NDArray

from racecar.control.policy.contract import PolicyContract
from racecar.gym.options import resolve_options
from racecar.gym.pictures import Picture
from racecar.gym.racing import Racing
from racecar.gym.randomisation import world_seeds
from racecar.gym.rendering import RENDER_MODES, Rendering
from racecar.gym.seeing import Seeing
from racecar.gym.spaces import (
    action_space,
    Info,
    numbers_of,
    observation_space,
    poses_of,
    Seen,
)

Floats = NDArray[np.float32]

class RaceEnv(gymnasium.Env[Seen, Floats]):
    """A car that learns to race.

    Options: racecar.gym.options.OPTION_PARAMETERS and docs/gym.md. reset(options={'poses': (cars,
    3)}) starts at poses of base_link. info has contact, laps, lap_time, progress.
    """

    metadata = {'render_modes': list(RENDER_MODES), 'render_fps': 20}

    def __init__(self, render_mode: str | None = None, **options: object) -> None:
        """Raise ConfigurationError or ParameterError for options that cannot be."""
        self.options = resolve_options(options)
        self.racing = Racing(self.options, 1, threads=1)
        self.observation_space = observation_space(self.options)
        self.action_space = action_space(self.options)
        self.metadata = {**self.metadata, 'render_fps': round(self.options.settings.rate)}
        self._seeing = Seeing(self.racing)
        self._rendering = Rendering(self.racing, render_mode)
        self.render_mode = render_mode
        self._is_seeded = False

    @property
    def contract(self) -> PolicyContract:
        """What the numbers of observations and actions mean."""
        return self._seeing.contract

    def reset(
        self, *, seed: int | None = None, options: Info | None = None,
    ) -> tuple[Seen, Info]:
        """Begin an episode; without a seed the next one of the last seed."""
        super().reset(seed=seed)
        if seed is None and not self._is_seeded:
            seed = int(self.np_random.integers(1 << 31))
        self._is_seeded = True
        self.racing.begin(
            np.ones(1, dtype=bool), None if seed is None else world_seeds(seed, 1),
            poses=poses_of(options))
        self._rendering.follow()
        return self._seeing.one(), self._info()

    def step(
        self, action: Floats,
    ) -> tuple[Seen, SupportsFloat, bool, bool, Info]:
        """Drive for a period. Raises ConfigurationError for what are no two numbers."""
        self.racing.drive(numbers_of('action', action, 2)[None, None])
        self._rendering.follow()
        racing = self.racing
        return (self._seeing.one(), float(racing.rewards[0, 0]), bool(racing.ended[0, 0]),
                bool(racing.truncated[0]), self._info())

    def render(self) -> Picture | None:
        """Picture from above, (height, width, 3), in the mode rgb_array."""
        return self._rendering.picture()

    def close(self) -> None:
        """End the page of the mode human, and what draws for cameras."""
        self._rendering.close()
        self._seeing.close()

    def _info(self) -> Info:
        return {name: float(values[0, 0]) for name, values in self.racing.facts().items()}
