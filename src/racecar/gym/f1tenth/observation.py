# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""Observations of f1tenth_gym 1.0.0."""

from __future__ import annotations

from collections.abc import Callable, Sequence
import math
from typing import Protocol

from gymnasium import spaces
import numpy as np

from racecar.base.columns import Array
from racecar.base.errors import ConfigurationError, excerpt
from racecar.base.parameters import suggest
from racecar.gym.f1tenth.simulation import BEAMS, GymSimulation, RANGE_MAX

# Its bounds: where there is none, and what noise adds to the longest range [m].
_FAR, _MORE = 1e30, 0.5


class ObservedEnv(Protocol):
    """What observations ask of an environment."""

    num_agents: int
    agent_ids: list[str]
    sim: GymSimulation

    @property
    def lap_times(self) -> Array:
        """Time of each agent until its second lap is complete [s]."""

    @property
    def lap_counts(self) -> Array:
        """Laps of each agent."""


class Observation(Protocol):
    """What an agent or all agents see."""

    def space(self) -> spaces.Dict:
        """Space of the observations."""

    def observe(self) -> dict[str, object]:
        """Observation of now."""


class UnknownTypeError(ConfigurationError, ValueError):
    """An observation that there is not; f1tenth_gym raises ValueError."""


class OriginalObservation:
    """Arrays of all agents, by name."""

    def __init__(self, env: ObservedEnv) -> None:
        self._env = env

    def space(self) -> spaces.Dict:
        """Space of the observations."""
        agents = self._env.num_agents
        far = {name: spaces.Box(-_FAR, _FAR, (agents,), np.float32) for name in (
            'poses_x', 'poses_y', 'poses_theta', 'linear_vels_x', 'linear_vels_y', 'ang_vels_z')}
        return spaces.Dict({
            'ego_idx': spaces.Discrete(agents),
            'scans': spaces.Box(-_MORE, RANGE_MAX + _MORE, (agents, BEAMS), np.float32), **far,
            'collisions': spaces.Box(0.0, 1.0, (agents,), np.float32),
            'lap_times': spaces.Box(0.0, _FAR, (agents,), np.float32),
            'lap_counts': spaces.Box(0.0, _FAR, (agents,), np.float32)})

    def observe(self) -> dict[str, object]:
        """Observation of now."""
        sim = self._env.sim
        states = np.array([agent.state for agent in sim.agents])
        rows = {
            'scans': sim.agent_scans, 'poses_x': states[:, 0], 'poses_y': states[:, 1],
            'poses_theta': states[:, 4], 'linear_vels_x': states[:, 3],
            'linear_vels_y': np.zeros(len(states)),
            'ang_vels_z': states[:, 5] if states.shape[1] > 5 else np.zeros(len(states)),
            'collisions': sim.collisions, 'lap_times': self._env.lap_times,
            'lap_counts': self._env.lap_counts}
        return {'ego_idx': sim.ego_idx, **{
            name: np.array(row, dtype=np.float32) for name, row in rows.items()}}


FEATURES = ('scan', 'pose_x', 'pose_y', 'pose_theta', 'linear_vel_x', 'linear_vel_y', 'ang_vel_z',
            'delta', 'beta', 'collision', 'lap_time', 'lap_count')
"""Names of single features."""

_STATE = ('pose_x', 'pose_y', 'delta', 'linear_vel_x')
SETS: dict[str, tuple[str, ...]] = {
    'kinematic_state': (*_STATE, 'pose_theta'),
    'dynamic_state': (*_STATE, 'pose_theta', 'ang_vel_z', 'beta'),
    'frenet_dynamic_state': (*_STATE, 'linear_vel_y', 'pose_theta', 'ang_vel_z', 'beta')}
"""Features by the name of their set."""


class FeaturesObservation:
    """Some features of each agent."""

    def __init__(self, env: ObservedEnv, features: Sequence[str]) -> None:
        """Raise UnknownTypeError for a feature that there is not."""
        for name in features:
            if name not in FEATURES:
                raise UnknownTypeError(
                    f'there is no feature {excerpt(name)}; {suggest(str(name), FEATURES)}')
        self._env, self.features = env, tuple(features)

    def space(self) -> spaces.Dict:
        """Space of the observations."""
        known: dict[str, spaces.Box] = {
            'scan': spaces.Box(-_MORE, RANGE_MAX + _MORE, (BEAMS,), np.float32),
            'collision': spaces.Box(0.0, 1.0, (), np.float32),
            'lap_time': spaces.Box(0.0, _FAR, (), np.float32),
            'lap_count': spaces.Box(0.0, _FAR, (), np.float32)}
        far = spaces.Box(-_FAR, _FAR, (), np.float32)
        return spaces.Dict({agent: spaces.Dict({
            name: known.get(name, far) for name in self.features})
            for agent in self._env.agent_ids})

    def observe(self) -> dict[str, object]:
        """Observation of now."""
        return {agent: self._features(k) for k, agent in enumerate(self._env.agent_ids)}

    def _features(self, k: int) -> dict[str, object]:
        sim = self._env.sim
        x, y, delta, speed, theta, *more = sim.agents[k].state.tolist()
        rate, beta = more or (0.0, 0.0)
        values: dict[str, Callable[[], object]] = {
            'scan': lambda: sim.agent_scans[k], 'pose_x': lambda: x, 'pose_y': lambda: y,
            'pose_theta': lambda: theta, 'linear_vel_x': lambda: speed * math.cos(beta),
            'linear_vel_y': lambda: speed * math.sin(beta), 'ang_vel_z': lambda: rate,
            'delta': lambda: delta, 'beta': lambda: beta,
            'collision': lambda: float(sim.agents[k].in_collision),
            'lap_time': lambda: self._env.lap_times[k],
            'lap_count': lambda: self._env.lap_counts[k]}
        return {name: np.asarray(values[name](), dtype=np.float32)[()] for name in self.features}


def observation_factory(
    env: ObservedEnv, type: str | None = None, features: Sequence[str] = (), **others: object,
) -> Observation:
    """Observation of a type: original, features or one of SETS. Raises UnknownTypeError."""
    if type in (None, 'original'):
        return OriginalObservation(env)
    if type == 'features':
        return FeaturesObservation(env, features)
    if type not in SETS:
        raise UnknownTypeError(
            f'there is no observation of the type {excerpt(type)};'
            f" {suggest(str(type), ['original', 'features', *SETS])}")
    return FeaturesObservation(env, SETS[type])
