# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""Pictures of the environments of f1tenth_gym."""

from __future__ import annotations

from typing import Protocol

import numpy as np

from racecar.dynamics.vehicles.parameters import Footprint
from racecar.gym.f1tenth.maps import GymTrack
from racecar.gym.f1tenth.simulation import GymSimulation
from racecar.gym.pictures import Picture, TrackPicture

_AROUND = 10.0  # of a map without a line [m]


class Pictured(Protocol):
    """What is drawn."""

    track: GymTrack
    sim: GymSimulation
    current_time: float


class GymPictures:
    """Pictures of an environment, whose track is drawn at the first."""

    def __init__(self, env: Pictured) -> None:
        self._env = env
        self._drawn: tuple[GymTrack, TrackPicture] | None = None

    def picture(self) -> Picture:
        """Picture of now, (height, width, 3)."""
        env = self._env
        if self._drawn is None or self._drawn[0] is not env.track:
            line, (x, y, _) = env.track.raceline, env.sim.agent_poses[0]
            points = np.array([[x - _AROUND, y - _AROUND], [x + _AROUND, y + _AROUND]]) \
                if line is None else np.column_stack([line.xs, line.ys])
            half = 0.5 * env.sim.params['length']
            self._drawn = env.track, TrackPicture(
                env.track.scene, points, env.sim.num_agents,
                Footprint(half, half, 0.5 * env.sim.params['width']))
        return self._drawn[1].picture(
            env.sim.agent_poses.tolist(), f'{env.current_time:6.2f} s')
