# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""One world as a PettingZoo parallel environment: every car is an agent."""

from __future__ import annotations

from collections.abc import Mapping

from gymnasium import spaces
import numpy as np
from numpy.typing import NDArray
from pettingzoo import ParallelEnv

from racecar.base.errors import ConfigurationError, excerpt
from racecar.base.parameters import suggest
from racecar.control.policy.contract import PolicyContract
from racecar.gym.options import OPPONENTS, resolve_options
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


class RaceParallelEnv(ParallelEnv[str, Seen, Floats]):
    """Cars car_0, car_1, ... that see and hit each other; options as of RaceEnv.

    A car whose episode ends stands where it is, and the others drive on.
    """

    metadata: Info = {'render_modes': list(RENDER_MODES), 'name': 'racecar_v0'}

    def __init__(self, render_mode: str | None = None, **options: object) -> None:
        """Raise ConfigurationError or ParameterError for options that cannot be."""
        drawn = options.get('randomise')
        for given in (options, drawn if isinstance(drawn, Mapping) else {}):
            if given.get(OPPONENTS) is not None:
                raise ConfigurationError(
                    f'opponents is {excerpt(given[OPPONENTS])}, expected none: in a parallel'
                    ' environment each car is an agent; without parallel the first car learns'
                    ' among opponents')
        self.options = resolve_options({'cars': 2, **options})
        cars = self.options.settings.cars
        self.racing = Racing(self.options, 1, learners=cars, threads=1)
        self.possible_agents = [f'car_{k}' for k in range(cars)]
        self.agents: list[str] = []
        self.observation_spaces = {
            agent: observation_space(self.options) for agent in self.possible_agents}
        self.action_spaces = {agent: action_space(self.options) for agent in self.possible_agents}
        self.metadata = {**self.metadata, 'render_fps': round(self.options.settings.rate)}
        self._seeing = Seeing(self.racing)
        self._rendering = Rendering(self.racing, render_mode)
        self.render_mode = render_mode
        self._is_seeded = False

    @property
    def contract(self) -> PolicyContract:
        """What the numbers of observations and actions mean."""
        return self._seeing.contract

    def observation_space(self, agent: str) -> spaces.Space[Seen]:
        """Space of an agent, always the same object."""
        return self.observation_spaces[agent]

    def action_space(self, agent: str) -> spaces.Box[np.float32]:
        """Space of an agent, always the same object."""
        return self.action_spaces[agent]

    def reset(
        self, seed: int | None = None, options: Info | None = None,
    ) -> tuple[dict[str, Seen], dict[str, Info]]:
        """Begin an episode; without a seed the next one of the last seed."""
        if seed is None and not self._is_seeded:
            seed = int(np.random.SeedSequence().generate_state(1)[0])
        self._is_seeded = True
        self.agents = list(self.possible_agents)
        self.racing.begin(np.ones(1, dtype=bool), None if seed is None else world_seeds(seed, 1),
                          poses=poses_of(options))
        self._rendering.follow()
        return self._seen(self.agents), self._infos(self.agents)

    def step(self, actions: dict[str, Floats]) -> tuple[
            dict[str, Seen], dict[str, float], dict[str, bool], dict[str, bool],
            dict[str, Info]]:
        """Drive all cars for a period; agents without an action stand."""
        given = np.zeros((1, len(self.possible_agents), 2))
        driven = np.zeros((1, len(self.possible_agents)), dtype=bool)
        for agent, action in actions.items():
            if agent not in self.possible_agents:
                raise ConfigurationError(
                    f'there is no agent {excerpt(agent)};'
                    f' {suggest(str(agent), self.possible_agents)}')
            if agent in self.agents:
                k = self.possible_agents.index(agent)
                given[0, k] = numbers_of(f'action of {agent}', action, 2)
                driven[0, k] = True
        self.racing.drive(given, driven)
        self._rendering.follow()
        acting, racing = self.agents, self.racing
        places = {agent: self.possible_agents.index(agent) for agent in acting}
        ended = {agent: bool(racing.ended[0, k]) for agent, k in places.items()}
        truncated = dict.fromkeys(acting, bool(racing.truncated[0]))
        rewards = {agent: float(racing.rewards[0, k]) for agent, k in places.items()}
        self.agents = [agent for agent in acting if not (ended[agent] or truncated[agent])]
        return self._seen(acting), rewards, ended, truncated, self._infos(acting)

    def render(self) -> Picture | None:
        """Picture from above, (height, width, 3), in the mode rgb_array."""
        return self._rendering.picture()

    def close(self) -> None:
        """End the page of the mode human, and what draws for cameras."""
        self._rendering.close()
        self._seeing.close()

    def _seen(self, agents: list[str]) -> dict[str, Seen]:
        return {agent: self._seeing.one(0, self.possible_agents.index(agent))
                for agent in agents}

    def _infos(self, agents: list[str]) -> dict[str, Info]:
        facts = self.racing.facts()
        return {agent: {name: float(values[0, self.possible_agents.index(agent)])
                        for name, values in facts.items()} for agent in agents}
