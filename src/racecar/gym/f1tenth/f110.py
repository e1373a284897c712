# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""The interface of f1tenth_gym 0.2.1, that of gym before 0.26: f110.make('f110-v0', map=...).

reset(poses) and step(action) give observation, reward, done, info.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from enum import Enum
from typing import TypedDict, Unpack

import numpy as np
from numpy.typing import NDArray

from racecar.base.errors import ConfigurationError, excerpt
from racecar.base.parameters import suggest
from racecar.gym.f1tenth.canvas import CallbackCanvas
from racecar.gym.f1tenth.maps import GymTrack
from racecar.gym.f1tenth.model import FORMER, PARAMETERS
from racecar.gym.f1tenth.pictures import GymRendering, MODES
from racecar.gym.f1tenth.simulation import (
    BEAMS,
    checked_actions,
    FIELD_OF_VIEW,
    GymOptions,
    GymSimulation,
    LapCounter,
)
from racecar.gym.pictures import Picture

Array = NDArray[np.float64]

_KINDS = 'speed', 'steering_angle'

class Integrator(Enum):
    """Its methods."""

    RK4 = 1
    Euler = 2


class F110Options(TypedDict, total=False):
    """Arguments of F110Env; lidar_dist: laser ahead of the centre of mass [m], timestep [s]."""

    seed: int
    map: str
    map_ext: str
    params: Mapping[str, float]
    num_agents: int
    timestep: float
    ego_idx: int
    integrator: Integrator | int | None
    lidar_dist: float


class F110Observation(TypedDict):
    """What step() and reset() give: of all agents, angles [rad], ranges and places [m], [s]."""

    ego_idx: int
    scans: list[Array]
    poses_x: list[float]
    poses_y: list[float]
    poses_theta: list[float]
    linear_vels_x: list[float]
    linear_vels_y: list[float]
    ang_vels_z: list[float]
    collisions: Array
    lap_times: Array
    lap_counts: Array


Info = dict[str, NDArray[np.bool_]]

_DEFAULTS: F110Options = {
    'seed': 12345, 'map': 'vegas', 'map_ext': '.png', 'params': dict(PARAMETERS), 'num_agents': 2,
    'timestep': 0.01, 'ego_idx': 0, 'integrator': None, 'lidar_dist': 0.0}


class F110Env:
    """Cars of f1tenth_gym; action (agents, 2): steering angle, then speed."""

    metadata = {'render.modes': list(MODES)}
    # Beams and field of view [rad].
    _laser = BEAMS, FIELD_OF_VIEW
    # As GymOptions has them.
    _stops, _renews = True, True

    def __init__(self, **kwargs: Unpack[F110Options]) -> None:
        """kwargs: as there. Raises ConfigurationError for one that there is not."""
        for name in kwargs:
            if name not in _DEFAULTS:
                raise ConfigurationError(
                    f'F110Env has no argument {excerpt(name)}; {suggest(name, list(_DEFAULTS))}')
        given: F110Options = {**_DEFAULTS, **kwargs}
        self.params = given['params']
        self.num_agents, self.ego_idx = given['num_agents'], given['ego_idx']
        self.timestep, self.seed, self.map_name = given['timestep'], given['seed'], given['map']
        method = given['integrator'] or Integrator.RK4
        self.track = GymTrack(self.map_name)
        self.sim = GymSimulation(self.track.scene, self.params, GymOptions(
            self.num_agents, self.seed, self.timestep, Integrator(method).name.lower(), FORMER,
            _KINDS, self.ego_idx, given['lidar_dist'], *self._laser,
            self._stops, self._renews))
        self.laps = LapCounter(self.num_agents, self.ego_idx)
        self.current_time = 0.0
        self._rendering = GymRendering(self)

    def step(self, action: Sequence[Sequence[float]] | Array) -> tuple[
            F110Observation, float, bool, Info]:
        """Drive for a step: observation, reward, done, info."""
        sim = self.sim
        sim.step(checked_actions(action, self.num_agents))
        states = [agent.state for agent in sim.agents]
        observation: F110Observation = {
            'ego_idx': self.ego_idx, 'scans': [scan.copy() for scan in sim.agent_scans],
            'poses_x': [state[0] for state in states],
            'poses_y': [state[1] for state in states],
            'poses_theta': [state[4] for state in states],
            'linear_vels_x': [state[3] for state in states],
            'linear_vels_y': [0.0] * len(states), 'ang_vels_z': [state[5] for state in states],
            'collisions': sim.collisions, 'lap_times': self.laps.lap_times,
            'lap_counts': self.laps.lap_counts}
        self.current_time += self.timestep
        laps = self.laps.add(sim.agent_poses, self.current_time)
        done = bool(sim.collisions[self.ego_idx]) or bool(laps.all())
        return observation, self.timestep, done, {'checkpoint_done': laps}

    def reset(self, poses: Sequence[Sequence[float]] | Array) -> tuple[
            F110Observation, float, bool, Info]:
        """Begin at poses, (agents, 3), and drive one step."""
        at = checked_poses(poses, self.num_agents)
        self.current_time = 0.0
        self.laps.begin(at)
        self.sim.reset(at)
        return self.step(np.zeros((self.num_agents, 2)))

    def update_map(self, map_path: str, map_ext: str = '.png') -> None:
        """Take another map."""
        self.track = GymTrack(map_path)
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
        """Picture, (height, width, 3), in the mode rgb_array; else show the page.

        human_fast does not wait for the wall clock. Raises ConfigurationError for another mode.
        """
        return self._rendering.render(mode)

    def close(self) -> None:
        """End the page."""
        self._rendering.close()


def checked_poses(poses: Sequence[Sequence[float]] | Array, agents: int) -> Array:
    """Poses as an array. Raises ConfigurationError for another shape."""
    found = np.asarray(poses, dtype=float)
    if found.shape != (agents, 3) or not np.isfinite(found).all():
        raise ConfigurationError(
            f'poses is {excerpt(poses)}, expected finite numbers x, y [m], yaw [rad] of the shape'
            f' ({agents}, 3)')
    return found


def make(name: str, **kwargs: Unpack[F110Options]) -> F110Env:
    """Environment of its name, f110-v0 or f110_gym:f110-v0. Raises ConfigurationError."""
    if name.rpartition(':')[2] != 'f110-v0':
        raise ConfigurationError(f'there is no environment {excerpt(name)}, expected f110-v0')
    return F110Env(**kwargs)
