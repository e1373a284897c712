# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""Thousands of worlds as one Gymnasium vector environment, driven by one compiled call."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from gymnasium.vector import AutoresetMode, VectorEnv
from gymnasium.vector.utils import batch_space
import numpy as np
from numpy.typing import NDArray

from racecar.base.errors import ConfigurationError, excerpt
from racecar.control.policy.contract import PolicyContract
from racecar.gym.options import resolve_options
from racecar.gym.pictures import Picture
from racecar.gym.racing import Racing
from racecar.gym.randomisation import world_seeds
from racecar.gym.rendering import RENDER_MODES, Rendering, RGB_ARRAY
from racecar.gym.seeing import Seeing
from racecar.gym.spaces import (
    action_space,
    Info,
    numbers_of,
    observation_space,
    poses_of,
    Seen,
)

Array = NDArray[np.float64]
Floats = NDArray[np.float32]
Flags = NDArray[np.bool_]


class RaceVectorEnv(VectorEnv[Seen, Floats, Array | Flags]):
    """Worlds side by side, each with one car that learns; options as of RaceEnv.

    World k of seed s has the bits of RaceEnv with seed s + k. copy: whether each call gives arrays
    of its own; without, the next call overwrites them. info has arrays contact, laps, lap_time,
    progress; in the mode SAME_STEP also final_obs and final_info where an episode ended.
    """

    metadata = {'render_modes': list(RENDER_MODES), 'autoreset_mode': AutoresetMode.NEXT_STEP}

    def __init__(
        self, num_envs: int = 1, *, autoreset_mode: AutoresetMode | str = AutoresetMode.NEXT_STEP,
        render_mode: str | None = None, threads: int | None = None, copy: bool = True,
        **options: object,
    ) -> None:
        """threads: cores to use, all by default.

        Raises ConfigurationError or ParameterError for options that cannot be.
        """
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
        self._seeing = Seeing(self.racing, copies=copy)
        self._rendering = Rendering(self.racing, render_mode)
        self.render_mode = render_mode
        self._is_seeded = np.zeros(num_envs, dtype=bool)
        self._waiting = np.zeros(num_envs, dtype=bool)
        self._all = np.ones(num_envs, dtype=bool)

    @property
    def contract(self) -> PolicyContract:
        """What the numbers of observations and actions mean."""
        return self._seeing.contract

    def reset(
        self, *, seed: int | Sequence[int | None] | None = None,
        options: Info | None = None,
    ) -> tuple[Seen, Info]:
        """Begin an episode in each world, or in those of options['reset_mask'], (num_envs,).

        seed: of the first world, the others have the next ones, or one of each; a world without
        one goes on to its next episode. options['poses']: (num_envs, cars, 3) or (cars, 3).
        """
        mask, poses = self._all, None
        if options is not None:
            mask, poses = self._checked(options.get('reset_mask')), poses_of(options)
        seeds, seeded = self._seeds(seed)
        self.racing.begin(mask, seeds, poses, seeded=seeded)
        self._is_seeded |= mask
        self._waiting[mask] = False
        self._rendering.follow()
        return self._seeing.all(), self._info()

    def step(
        self, actions: Floats,
    ) -> tuple[Seen, Array, Flags, Flags, Info]:
        """Drive all worlds for a period."""
        racing = self.racing
        given = numbers_of('actions', actions, self.num_envs, 2)
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
            final = self._final(over, info)
            racing.begin(over)
            info = {**self._info(), **final}
        else:
            self._waiting = over
        self._rendering.follow()
        return self._seeing.all(), rewards, ended, truncated, info

    def render(self) -> tuple[Picture, ...] | None:
        """Pictures of the worlds from above, a tuple, in the mode rgb_array."""
        if self.render_mode != RGB_ARRAY:
            return None
        found = (self._rendering.picture(world) for world in range(self.num_envs))
        return tuple(picture for picture in found if picture is not None)

    def close_extras(self, **kwargs: object) -> None:
        """End the page of the mode human, and what draws for cameras."""
        self._rendering.close()
        self._seeing.close()

    def _final(self, over: Flags, info: Info) -> Info:
        """Info with the last observations of episodes that end, as Gymnasium gives them."""
        observations = np.full(self.num_envs, None, dtype=object)
        for world in np.flatnonzero(over):
            observations[world] = self._seeing.one(int(world))
        facts = {name: over.copy() if name.startswith('_') else values
                 for name, values in info.items()}
        return {'final_obs': observations, '_final_obs': over.copy(), 'final_info': facts,
                '_final_info': over.copy()}

    def _info(self) -> Info:
        found: Info = {}
        for name, values in self.racing.facts().items():
            found[name], found[f'_{name}'] = values[:, 0], self._all.copy()
        return found

    def _seeds(
        self, seed: int | Sequence[int | None] | None,
    ) -> tuple[NDArray[np.int64], Flags]:
        """Seeds of all worlds, and of which worlds they count: not of those that go on."""
        if seed is not None and not isinstance(seed, Iterable):
            return world_seeds(seed, self.num_envs), self._all
        given = [None] * self.num_envs if seed is None else seed
        if len(given) != self.num_envs:
            raise ConfigurationError(
                f'there are {len(given)} seeds, expected one for each of {self.num_envs} worlds')
        # Worlds that have never had a seed get one that nobody knows.
        found = world_seeds(
            int(np.random.SeedSequence().generate_state(1)[0]), self.num_envs)
        seeded = ~self._is_seeded
        for world, own in enumerate(given):
            if own is not None:
                found[world], seeded[world] = world_seeds(own, 1)[0], True
        return found, seeded

    def _checked(self, mask: object) -> Flags:
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
