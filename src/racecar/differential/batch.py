# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""Many robots with two wheels side by side, each with its own numbers and commands."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike, NDArray

from racecar.base.errors import ParameterError
from racecar.base.types import NANOSECONDS, Pose2
from racecar.base.vectors import as_vector
from racecar.differential.kernels import DRAWS, robot_kernel, robot_parts
from racecar.differential.kinematics import Kinematics
from racecar.differential.motion import KINEMATICS
from racecar.differential.parameters import RobotParameters
from racecar.differential.state import WheelsState
from racecar.simulation.layout import LANES
from racecar.simulation.ports import whole_nanoseconds
from racecar.simulation.simulator import DEFAULT_STEP

Array = NDArray[np.float64]

_PARTS = robot_parts(KINEMATICS, LANES)
_STATES, _COMMANDS, _ROBOTS = (
    slice(part.first, part.after) for part in (_PARTS.state, _PARTS.command, _PARTS.robot))
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
        self._rows = np.zeros((blocks, _PARTS.rows, LANES))
        self._states = self._rows[:, _STATES]
        self._states[:, :3] = _by_blocks(np.array(poses, float).reshape(-1, 3))
        self._rows[:, _ROBOTS] = _by_blocks(np.array(numbers).reshape(-1, len(Kinematics._fields)))
        self._valid = np.ones((blocks, LANES), dtype=bool)
        self._kernel = robot_kernel(KINEMATICS, LANES)

    def __len__(self) -> int:
        return self._count

    @property
    def states(self) -> Array:
        """States in the order of the fields of WheelsState, (robots, fields)."""
        rows: Array = self._states.transpose(0, 2, 1).reshape(
            -1, len(WheelsState._fields))[:self._count].copy()
        return rows

    @property
    def valid(self) -> NDArray[np.bool_]:
        """Whether the motion of each robot has stayed finite, (robots,)."""
        found: NDArray[np.bool_] = self._valid.reshape(-1)[:self._count].copy()
        return found

    def command(self, left: ArrayLike, right: ArrayLike) -> None:
        """Turn the wheels of each robot at speeds (robots,) [rad/s] from now on.

        Raises ParameterError, and keeps the old ones, if one is not finite or their number is
        wrong.
        """
        given = np.array(np.broadcast_arrays(left, right, np.empty(self._count))[:2])
        if given.shape != (2, self._count) or not np.isfinite(given).all():
            raise ParameterError(
                f'speeds have the shape {given.shape[1:]} or are not all finite, expected finite'
                f' numbers for {self._count} robots [rad/s]')
        self._rows[:, _COMMANDS] = _by_blocks(given.T)

    def advance(self, steps: int) -> None:
        """Advance all robots by so many steps.

        A robot whose motion is not finite stands where it was before, for good; `valid` tells.
        """
        before = self._states.copy()
        self._move(steps)
        self._valid &= np.isfinite(self._states).all(axis=1)
        if not self._valid.all():
            np.copyto(self._states, before, where=~self._valid[:, None, :])

    def _move(self, steps: int) -> None:
        nothing = as_vector(np.empty(0))
        for block, numbers in enumerate(self._rows):
            rows = as_vector(numbers.reshape(-1))
            count = min(LANES, self._count - block * LANES)
            if not self._is_noisy or not steps:
                self._kernel(rows, count, nothing, self._step, steps)
                continue
            assert self._generator is not None
            for first in range(0, steps, _CHUNK):
                part = min(_CHUNK, steps - first)
                draws = self._generator.random(part * DRAWS * LANES)
                draws *= 2.0
                draws -= 1.0
                self._kernel(rows, count, as_vector(draws), self._step, part)


def _by_blocks(values: Array) -> Array:
    """Rows of blocks of LANES robots, (blocks, numbers, LANES), of rows of robots."""
    count, numbers = values.shape
    blocks = -(-count // LANES)
    filled = np.zeros((blocks * LANES, numbers))
    filled[:count] = values
    return filled.reshape(blocks, LANES, numbers).transpose(0, 2, 1)
