# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""How the environments of f1tenth_gym are rendered: pictures, or the page of the cockpit."""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol, TYPE_CHECKING

import numpy as np

from racecar.base.errors import ConfigurationError, excerpt
from racecar.base.share import find_vehicle
from racecar.dynamics.vehicles.parameters import Footprint, VehicleParameters
from racecar.gym.f1tenth.canvas import CallbackCanvas
from racecar.gym.f1tenth.maps import GymTrack
from racecar.gym.f1tenth.simulation import GymSimulation
from racecar.gym.pictures import Picture, TrackPicture
from racecar.gym.rendering import HUMAN, made_page, RGB_ARRAY

if TYPE_CHECKING:
    from racecar.gym.live_page import LivePage

HUMAN_FAST = 'human_fast'
MODES = (HUMAN, HUMAN_FAST, RGB_ARRAY)
"""Modes of rendering: on a page in real time or as fast as steps are made, and as pictures."""

_AROUND = 10.0  # of a map without a line [m]
_VEHICLE = 'f1tenth'


class Pictured(Protocol):
    """What is drawn."""

    track: GymTrack
    sim: GymSimulation
    current_time: float


class GymRendering:
    """Rendering of an environment, with the callbacks of its user.

    What callbacks draw is on pictures; a page shows the line of the track by itself.
    """

    def __init__(self, env: Pictured) -> None:
        self._env = env
        self._drawn: tuple[GymTrack, TrackPicture] | None = None
        self._shown: tuple[GymTrack, LivePage] | None = None
        self._canvas = CallbackCanvas()
        self._callbacks: list[Callable[[CallbackCanvas], object]] = []

    def add(self, callback: Callable[[CallbackCanvas], object]) -> None:
        """Let a callback draw with each picture."""
        self._callbacks.append(callback)

    def render(self, mode: str) -> Picture | None:
        """Picture of now, (height, width, 3), in the mode rgb_array; else show it on a page.

        Raises ConfigurationError for a mode that there is not.
        """
        if mode not in MODES:
            raise ConfigurationError(
                f"mode is {excerpt(mode)}, expected one of {', '.join(MODES)}")
        env = self._env
        sim, params = env.sim, env.sim.params
        marks = self._canvas.drawn(
            self._callbacks, sim.agent_poses, params['length'], params['width'])
        if mode == RGB_ARRAY:
            return self._picture().picture(
                sim.agent_poses.tolist(), f'{env.current_time:6.2f} s', marks)
        self._show(is_paced=mode == HUMAN)
        return None

    def close(self) -> None:
        """End the page; closing twice is allowed."""
        if self._shown is not None:
            self._shown[1].close()

    def _picture(self) -> TrackPicture:
        env = self._env
        if self._drawn is None or self._drawn[0] is not env.track:
            line, (x, y, _) = env.track.raceline, env.sim.agent_poses[0]
            points = np.array([[x - _AROUND, y - _AROUND], [x + _AROUND, y + _AROUND]]) \
                if line is None else line.points
            half = 0.5 * env.sim.params['length']
            self._drawn = env.track, TrackPicture(
                env.track.scene, points, env.sim.num_agents,
                Footprint(half, half, 0.5 * env.sim.params['width']))
        return self._drawn[1]

    def _show(self, *, is_paced: bool) -> None:
        env = self._env
        if self._shown is None or self._shown[0] is not env.track:
            self.close()
            line = env.track.raceline
            self._shown = env.track, made_page(
                env.track.name, env.track.scene, None if line is None else line.closed,
                VehicleParameters.from_file(find_vehicle(_VEHICLE)), env.sim.num_agents)
        from racecar.gym.live_page import ShownCar

        sim, cars = env.sim, []
        for agent, hit in zip(sim.agents, sim.collisions.tolist(), strict=True):
            x, y, steering, speed, yaw, *more = agent.state.tolist()
            behind = agent.params['lr']
            cars.append(ShownCar(
                x - behind * np.cos(yaw), y - behind * np.sin(yaw), yaw, speed,
                more[0] if more else 0.0, np.nan, np.nan, steering, int(hit), hit > 0.0))
        page = self._shown[1]
        page.is_paced = is_paced
        page.show(env.current_time, cars)
