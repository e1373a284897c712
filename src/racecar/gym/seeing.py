# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""Observations of environments as their users get them: numbers, pictures of a camera, or both."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from racecar.base.errors import ConfigurationError
from racecar.control.policy.contract import PolicyContract
from racecar.gym.cameras import CAMERA, Cameras
from racecar.gym.racing import Racing
from racecar.gym.spaces import NUMBERS, Seen


class Seeing:
    """What the cars of some worlds see."""

    def __init__(self, racing: Racing, *, copies: bool = True) -> None:
        """copies: whether numbers are the caller's own, or written anew by the next period."""
        self._racing, self._copies = racing, copies
        options = racing.options
        self._cameras = None if options.camera is None else Cameras(
            options.camera, [track.scene for track in options.tracks], options.vehicle,
            racing.cars)

    @property
    def contract(self) -> PolicyContract:
        """What the numbers mean. Raises ConfigurationError if there is a camera beside them."""
        if self._cameras is not None:
            raise ConfigurationError(
                'observation has the part camera, of which a policy file says nothing: leave it'
                ' out to save a policy')
        return self._racing.contract

    def one(self, world: int = 0, car: int = 0) -> Seen:
        """What a car of a world sees."""
        return self._given(
            self._racing.observations[world, car].copy(), np.array([world]), car, single=True)

    def all(self) -> Seen:
        """What the first car of each world sees."""
        numbers = self._racing.observations[:, 0]
        return self._given(numbers.copy() if self._copies else numbers,
                           np.arange(self._racing.worlds), 0)

    def close(self) -> None:
        """End the processes that draw pictures."""
        if self._cameras is not None:
            self._cameras.close()

    def _given(
        self, numbers: NDArray[np.float32], worlds: NDArray[np.int64], car: int, *,
        single: bool = False,
    ) -> Seen:
        if self._cameras is None:
            return numbers
        batch = self._racing.batch
        found = self._cameras.pictures(
            batch.readings.cars[worlds, :, :3], batch.scene_of[worlds].tolist(), car,
            [batch.moving_at(world) for world in worlds.tolist()])
        picture = found[0] if single else found
        return {NUMBERS: numbers, CAMERA: picture} if self._racing.options.has_numbers \
            else picture
