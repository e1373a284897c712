# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""Many robots with two wheels side by side, each with its own numbers and commands."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from racecar.base.errors import ParameterError
from racecar.base.packing import as_vector
from racecar.base.types import NANOSECONDS, Pose2
from racecar.differential.kernels import block_kernel, CHANCES, LANES
from racecar.differential.kinematics import Kinematics
from racecar.differential.parameters import RobotParameters
from racecar.differential.state import WheelsState
from racecar.simulation.ports import whole_nanoseconds
from racecar.simulation.simulator import DEFAULT_STEP

Array = NDArray[np.float64]

_STATES = len(WheelsState._fields)
_NUMBERS = len(Kinematics._fields)
# Steps whose random numbers are drawn at a time.
_CHUNK = 64


class RobotBatch:
    """Robots in mode kinematics with nothing around them; a robot has the bits of one alone.

    That holds without noise. With it, the random numbers of the block are drawn together, from one
    generator.
    """

    def __init__(
        self, robots: Sequence[RobotParameters], poses: Sequence[Pose2] | None = None, *,
        step: float = DEFAULT_STEP, generator: np.random.Generator | None = None,
    ) -> None:
        """Start at rest at poses of the axle, the origin if None.

        step [s]; generator: of the noise, which robots with noise need. Raises ParameterError for
        another number of poses and for noise without a generator, ConfigurationError for a step
        that is no whole number of nanoseconds.
        """
        poses = poses or [Pose2(0.0, 0.0, 0.0)] * len(robots)
        if len(poses) != len(robots):
            raise ParameterError(
                f'there are {len(poses)} poses, expected one for each of {len(robots)} robots')
        self._count = len(robots)
        self._step = whole_nanoseconds('step', step) / NANOSECONDS
        numbers = [Kinematics.of(robot) for robot in robots]
        self._is_noisy = any(n.slip_noise > 0.0 or n.encoder_noise > 0.0 for n in numbers)
        if self._is_noisy and generator is None:
            raise ParameterError(
                'robots have noise but there is no generator, expected'
                ' generator=numpy.random.default_rng(seed)')
        self._generator = generator
        blocks = -(-self._count // LANES)
        self._states = np.zeros((blocks, _STATES, LANES))
        self._robots = np.ones((blocks, _NUMBERS, LANES))
        self._commands = np.zeros((blocks, 2, LANES))
        for index, (pose, number) in enumerate(zip(poses, numbers, strict=True)):
            block, lane = divmod(index, LANES)
            self._states[block, :3, lane] = pose
            self._robots[block, :, lane] = number
        self._valid = np.ones((blocks, LANES), dtype=bool)
        self._kernel: Any = block_kernel(Kinematics)
        # Compiles.
        self.advance(0)

    def __len__(self) -> int:
        return self._count

    @property
    def states(self) -> Array:
        """States in the order of the fields of WheelsState, (robots, fields)."""
        rows: Array = self._states.transpose(0, 2, 1).reshape(-1, _STATES)[:self._count].copy()
        return rows

    @property
    def valid(self) -> NDArray[np.bool_]:
        """Whether the motion of each robot has stayed finite, (robots,)."""
        found: NDArray[np.bool_] = self._valid.reshape(-1)[:self._count].copy()
        return found

    def command(self, left: Array, right: Array) -> None:
        """Turn the wheels of each robot at speeds (robots,) [rad/s] from now on.

        Raises ParameterError, and keeps the old ones, if one is not finite or their number is
        wrong.
        """
        given = np.array(np.broadcast_arrays(left, right, np.empty(self._count))[:2])
        if given.shape != (2, self._count) or not np.isfinite(given).all():
            raise ParameterError(
                f'speeds have the shape {given.shape[1:]} or are not all finite, expected finite'
                f' numbers for {self._count} robots [rad/s]')
        for block in range(len(self._commands)):
            part = given[:, block * LANES:(block + 1) * LANES]
            self._commands[block, :, :part.shape[1]] = part

    def advance(self, steps: int) -> None:
        """Advance all robots by so many steps.

        A robot whose motion is not finite stands where it was before, for good; `valid` tells.
        """
        before = self._states.copy()
        self._move(steps)
        self._valid &= np.isfinite(self._states).all(axis=1)
        if not self._valid.all():
            self._states = np.where(self._valid[:, None, :], self._states, before)

    def _move(self, steps: int) -> None:
        nothing = as_vector(np.empty(0))
        for block in range(len(self._states)):
            arrays = [as_vector(rows[block].reshape(-1)) for rows in (
                self._states, self._robots, self._commands)]
            count = min(LANES, self._count - block * LANES)
            if not self._is_noisy or not steps:
                self._kernel(*arrays, nothing, self._step, steps, count)
                continue
            assert self._generator is not None
            for first in range(0, steps, _CHUNK):
                part = min(_CHUNK, steps - first)
                chances = self._generator.random(part * CHANCES * LANES)
                chances *= 2.0
                chances -= 1.0
                self._kernel(*arrays, as_vector(chances), self._step, part, count)
