# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""Thousands of worlds as one Gymnasium vector environment, driven by one compiled call."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from gymnasium.vector import AutoresetMode, VectorEnv
from gymnasium.vector.utils import batch_space
import numpy as np
from numpy.typing import NDArray

from racecar.base.errors import ConfigurationError, excerpt
from racecar.control.policy.contract import PolicyContract
from racecar.gym.options import resolve_options
from racecar.gym.pictures import Pictures
from racecar.gym.racing import Racing
from racecar.gym.randomisation import world_seeds
from racecar.gym.single import checked_render_mode, RENDER_MODES
from racecar.gym.spaces import action_space, observation_space

Floats = NDArray[np.float32]
Flags = NDArray[np.bool_]


class RaceVectorEnv(VectorEnv[Any, Any, Any]):
    """Worlds side by side, each with one car that learns; options as of RaceEnv.

    World k of seed s has the bits of RaceEnv with seed s + k. copy: whether each call gives arrays
    of its own; without, the next call overwrites them. info has arrays contact, laps, lap_time,
    progress; in the mode SAME_STEP also final_obs and final_info where an episode ended.
    """

    metadata = {'render_modes': list(RENDER_MODES), 'autoreset_mode': AutoresetMode.NEXT_STEP}

    def __init__(
        self, num_envs: int = 1, *, autoreset_mode: AutoresetMode | str = AutoresetMode.NEXT_STEP,
        render_mode: str | None = None, threads: int | None = None, copy: bool = True,
        **options: Any,
    ) -> None:
        """threads: cores to use, all by default.

        Raises ConfigurationError or ParameterError for options that cannot be.
        """
        self.render_mode = checked_render_mode(render_mode)
        self.mode = _mode(autoreset_mode)
        self.options = resolve_options(options)
        self.racing = Racing(self.options, num_envs, threads=threads)
        self.num_envs = num_envs
        self.single_observation_space = observation_space(self.options)
        self.single_action_space = action_space(self.options)
        self.observation_space = batch_space(self.single_observation_space, num_envs)
        self.action_space = batch_space(self.single_action_space, num_envs)
        self.metadata = {**self.metadata, 'autoreset_mode': self.mode,
                         'render_fps': round(self.options.settings.rate)}
        self._pictures = Pictures(self.racing, self.render_mode)
        self._copies = copy
        self._is_seeded = False
        self._waiting = np.zeros(num_envs, dtype=bool)
        self._all = np.ones(num_envs, dtype=bool)

    @property
    def contract(self) -> PolicyContract:
        """What the numbers of observations and actions mean."""
        return self.racing.contract

    def reset(
        self, *, seed: int | Sequence[int | None] | None = None,
        options: dict[str, Any] | None = None,
    ) -> tuple[Floats, dict[str, Any]]:
        """Begin an episode in each world, or in those of options['reset_mask'], (num_envs,).

        seed: of the first world, the others have the next ones, or one of each; None: each world
        goes on to its next episode. options['poses']: (num_envs, cars, 3) or (cars, 3).
        """
        mask, poses = self._all, None
        if options is not None:
            mask, poses = self._checked(options.get('reset_mask')), options.get('poses')
        seeds = None
        if seed is None and not self._is_seeded:
            seed = int(np.random.SeedSequence().generate_state(1)[0])
        if seed is not None:
            seeds = self._seeds(seed)
        self._is_seeded = True
        self.racing.begin(mask, seeds, poses=poses)
        self._waiting[mask] = False
        return self._given(self.racing.observations[:, 0]), self._info()

    def step(
        self, actions: Floats,
    ) -> tuple[Floats, NDArray[np.float64], Flags, Flags, dict[str, Any]]:
        """Drive all worlds for a period."""
        racing = self.racing
        given = np.asarray(actions, dtype=float)
        if given.shape != (self.num_envs, 2):
            raise ConfigurationError(
                f'actions have the shape {given.shape}, expected ({self.num_envs}, 2)')
        waiting = self._waiting.copy() if self.mode is AutoresetMode.NEXT_STEP else None
        if waiting is not None and not waiting.any():
            waiting = None
        if self.mode is AutoresetMode.DISABLED and self._waiting.any():
            raise ConfigurationError(
                f'world {int(np.argmax(self._waiting))} has ended its episode, expected a reset'
                " of it, reset(options={'reset_mask': ended}), or another autoreset_mode")
        racing.drive(given[:, None], None if waiting is None else np.repeat(
            ~waiting[:, None], racing.cars, axis=1))
        if waiting is not None:
            # They begin in this step, whose action does not count.
            racing.begin(waiting)
        rewards, ended = racing.rewards[:, 0].copy(), racing.ended[:, 0].copy()
        truncated = racing.truncated.copy()
        over = ended | truncated
        info = self._info()
        if self.mode is AutoresetMode.SAME_STEP and over.any():
            info = {**self._final(over, info)}
            racing.begin(over)
        else:
            self._waiting = over
        return self._given(racing.observations[:, 0]), rewards, ended, truncated, info

    def render(self) -> Any:
        """Pictures of the worlds from above, a tuple, in the mode rgb_array."""
        return None if self.render_mode is None else tuple(
            self._pictures.picture(world) for world in range(self.num_envs))

    def _final(self, over: Flags, info: dict[str, Any]) -> dict[str, Any]:
        """Info with the last observations of episodes that end, as Gymnasium gives them."""
        observations = np.full(self.num_envs, None, dtype=object)
        for world in np.flatnonzero(over):
            observations[world] = self.racing.observations[world, 0].copy()
        return {**info, 'final_obs': observations, '_final_obs': over.copy(),
                'final_info': {name: values.copy() for name, values in info.items()},
                '_final_info': over.copy()}

    def _info(self) -> dict[str, Any]:
        found: dict[str, Any] = {}
        for name, values in self.racing.facts().items():
            found[name], found[f'_{name}'] = values[:, 0].copy(), self._all
        return found

    def _given(self, observations: Floats) -> Floats:
        return observations.copy() if self._copies else observations

    def _seeds(self, seed: int | Sequence[int | None]) -> NDArray[np.int64]:
        if isinstance(seed, (int, np.integer)):
            return world_seeds(int(seed), self.num_envs)
        if len(seed) != self.num_envs:
            raise ConfigurationError(
                f'there are {len(seed)} seeds, expected one for each of {self.num_envs} worlds')
        return np.array([known if given is None else given for given, known in zip(
            seed, self.racing.seeds.tolist(), strict=True)], dtype=np.int64)

    def _checked(self, mask: Any) -> Flags:
        if mask is None:
            return self._all
        found = np.asarray(mask)
        if found.shape != (self.num_envs,) or found.dtype != bool:
            raise ConfigurationError(
                f'reset_mask has the shape {found.shape} and the type {found.dtype}, expected'
                f' truth values of the shape ({self.num_envs},)')
        return found


def _mode(given: AutoresetMode | str) -> AutoresetMode:
    try:
        return given if isinstance(given, AutoresetMode) else AutoresetMode[given.upper()]
    except (KeyError, AttributeError):
        raise ConfigurationError(
            f'autoreset_mode is {excerpt(given)}, expected one of'
            f' {", ".join(mode.name for mode in AutoresetMode)}') from None
