# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""The environment of f1tenth_gym 1.0.0: its configuration, observations, rewards and ends."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import gymnasium
from gymnasium import spaces
import numpy as np
from numpy.typing import NDArray

from racecar.base.errors import ConfigurationError, excerpt
from racecar.base.parameters import suggest
from racecar.base.values import Values
from racecar.gym.f1tenth.canvas import CallbackCanvas
from racecar.gym.f1tenth.maps import GymTrack
from racecar.gym.f1tenth.model import PARAMETERS
from racecar.gym.f1tenth.observation import Observation, observation_factory
from racecar.gym.f1tenth.pictures import GymRendering, MODES
from racecar.gym.f1tenth.resets import sample_poses
from racecar.gym.f1tenth.simulation import checked_actions, GymOptions, GymSimulation, LapCounter
from racecar.gym.pictures import Picture
from racecar.gym.spaces import Info, poses_of

Array = NDArray[np.float64]
Floats = NDArray[np.float32]
Seen = dict[str, Any]

Config = dict[str, Any]
"""A configuration of f1tenth_gym: values of many types by name."""

_LONGITUDINAL = {'speed': ('v_min', 'v_max'), 'accl': ('', 'a_max')}
_STEERING = {'steering_angle': ('s_min', 's_max'), 'steering_speed': ('sv_min', 'sv_max')}
# What goes with one that is named alone.
_PARTNERS = {'speed': 'steering_angle', 'accl': 'steering_speed', 'steering_angle': 'speed',
             'steering_speed': 'accl'}


def deep_update(mapping: Values, *changes: Values) -> Config:
    """Mapping with changes; those of inner mappings are changes of these."""
    found = dict(mapping)
    for change in changes:
        for key, value in change.items():
            inner = found.get(key)
            found[key] = deep_update(inner, value) if isinstance(
                inner, Mapping) and isinstance(value, Mapping) else value
    return found


class F110Env(gymnasium.Env[Seen, Floats]):
    """Cars of f1tenth_gym; action (agents, 2): steering, then speed or acceleration.

    render() gives pictures in the render_mode rgb_array, and shows the cars on a page of the
    cockpit in the others, human in real time.
    """

    metadata = {'render_modes': list(MODES), 'render_fps': 100}

    def __init__(
        self, config: Values | None = None, render_mode: str | None = None,
        **kwargs: object,
    ) -> None:
        """Raise ConfigurationError or ParameterError for a configuration that cannot be."""
        self.config = deep_update(self.default_config(), _checked(config))
        self.render_mode = render_mode
        self.params = self.config['params']
        self.num_agents, self.ego_idx = self.config['num_agents'], self.config['ego_idx']
        self.timestep, self.seed = self.config['timestep'], self.config['seed']
        self.agent_ids = [f'agent_{k}' for k in range(self.num_agents)]
        self.kinds = control_kinds(self.config['control_input'])
        given = self.config['map']
        self.track = given if isinstance(given, GymTrack) else GymTrack(given)
        self.map = given
        self.sim = GymSimulation(self.track.scene, self.params, GymOptions(
            self.num_agents, self.seed, self.timestep, self.config['integrator'],
            self.config['model'], self.kinds, self.ego_idx))
        self.laps = LapCounter(self.num_agents, self.ego_idx)
        self.current_time = 0.0
        self.observation_type: Observation = observation_factory(
            self, **self.config['observation_config'])
        self.observation_space = self.observation_type.space()
        self.action_space = self._action_space()
        self.metadata = {**self.metadata, 'render_fps': int(1.0 / self.timestep)}
        self._rendering = GymRendering(self)
        self._reset_config = self.config['reset_config']

    @classmethod
    def default_config(cls) -> Config:
        """Configuration of f1tenth_gym; berlin in the place of its map Spielberg."""
        return {
            'seed': 12345, 'map': 'berlin', 'params': dict(PARAMETERS), 'num_agents': 2,
            'timestep': 0.01, 'ego_idx': 0, 'integrator': 'rk4', 'model': 'st',
            'control_input': ['speed', 'steering_angle'], 'observation_config': {'type': None},
            'reset_config': {'type': None}}

    @property
    def lap_times(self) -> Array:
        """Time of each agent until its second lap is complete [s]."""
        return self.laps.lap_times

    @property
    def lap_counts(self) -> Array:
        """Laps of each agent."""
        return self.laps.lap_counts

    def configure(self, config: Values) -> None:
        """Change parameters of the car, and with them the space of actions."""
        if config:
            self.config = deep_update(self.config, _checked(config))
            self.params = self.config['params']
            self.sim.update_params(self.params)
            self.action_space = self._action_space()

    def step(self, action: Array | Floats) -> tuple[Seen, float, bool, bool, Info]:
        """Drive for a step."""
        self.sim.step(checked_actions(action, self.num_agents))
        observation = self.observation_type.observe()
        self.current_time += self.timestep
        done = self.laps.add(self.sim.agent_poses, self.current_time)
        ended = bool(self.sim.collisions[self.ego_idx]) or bool(done.all())
        return observation, self.timestep, ended, False, {'checkpoint_done': done}

    def reset(
        self, *, seed: int | None = None, options: Info | None = None,
    ) -> tuple[Seen, Info]:
        """Begin at options['poses'], (agents, 3), or where reset_config says; drives one step."""
        super().reset(seed=seed)
        poses = poses_of(options)
        if poses is None:
            poses = sample_poses(
                self.track, self.num_agents, self.np_random, **self._reset_config)
        if poses.shape != (self.num_agents, 3):
            raise ConfigurationError(
                f"options['poses'] have the shape {poses.shape}, expected"
                f' ({self.num_agents}, 3)')
        self.current_time = 0.0
        self.laps.begin(poses)
        self.sim.reset(poses)
        observation, _, _, _, info = self.step(np.zeros((self.num_agents, 2)))
        return observation, info

    def update_map(self, map_name: str) -> None:
        """Take another map."""
        self.track = GymTrack(map_name)
        self.sim.set_scene(self.track.scene)

    def update_params(self, params: Mapping[str, float], index: int = -1) -> None:
        """Take other parameters, of all agents or of one."""
        self.sim.update_params(params, agent_idx=index)

    def add_render_callback(
        self, callback_func: Callable[[CallbackCanvas], object],
    ) -> None:
        """Let a function draw with each render(); it is given the renderer."""
        self._rendering.add(callback_func)

    def render(self, mode: str = 'human') -> Picture | None:
        """Picture, (height, width, 3), in the render_mode rgb_array; else show the page.

        Raises ConfigurationError for a render_mode that there is not; None renders nothing.
        """
        return None if self.render_mode is None else self._rendering.render(self.render_mode)

    def close(self) -> None:
        """End the page."""
        self._rendering.close()

    def _action_space(self) -> spaces.Box[np.float32]:
        limits = [_limits(self.params, kind, _STEERING if kind in _STEERING else _LONGITUDINAL)
                  for kind in (self.kinds[1], self.kinds[0])]
        low, high = np.array(limits, np.float32).T
        return spaces.Box(np.tile(low, (self.num_agents, 1)), np.tile(high, (self.num_agents, 1)),
                          dtype=np.float32)


def _limits(
    params: Mapping[str, float], kind: str, table: Mapping[str, tuple[str, str]],
) -> tuple[float, float]:
    low, high = table[kind]
    return params[low] if low else -params[high], params[high]


def control_kinds(given: object) -> tuple[str, str]:
    """Longitudinal and steering kind of control_input: a pair, or one of the two.

    Raises ConfigurationError for others.
    """
    names = [given] if isinstance(given, str) else given
    if isinstance(names, (list, tuple)):
        kinds = [str(name) for name in names]
        if len(kinds) == 1 and kinds[0] in _PARTNERS:
            kinds.append(_PARTNERS[kinds[0]])
        longitudinal = [kind for kind in kinds if kind in _LONGITUDINAL]
        steering = [kind for kind in kinds if kind in _STEERING]
        if len(kinds) == 2 and len(longitudinal) == len(steering) == 1:
            return longitudinal[0], steering[0]
    raise ConfigurationError(
        f'control_input is {excerpt(given)}, expected one of {", ".join(_LONGITUDINAL)} and one of'
        f' {", ".join(_STEERING)}')


def _checked(config: Values | None) -> Values:
    known = F110Env.default_config()
    for name in config or {}:
        if name not in known:
            raise ConfigurationError(
                f'config has no {excerpt(name)}; {suggest(str(name), list(known))}')
    params = (config or {}).get('params')
    for name in params if isinstance(params, Mapping) else ():
        if name not in PARAMETERS:
            raise ConfigurationError(
                f"config['params'] has no {excerpt(name)}; {suggest(str(name), list(PARAMETERS))}")
    return config or {}
