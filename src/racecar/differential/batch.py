# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""Many differential-drive robots side by side, each with its own numbers and commands."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike

from racecar.base.errors import ParameterError
from racecar.base.types import NANOSECONDS, ORIGIN, Pose2
from racecar.base.vectors import as_vector
from racecar.differential.kernels import AT_REST, block_kernel, DRAWS, FINITE
from racecar.differential.kinematics import Kinematics
from racecar.differential.motion import KINEMATICS
from racecar.differential.parameters import RobotParameters
from racecar.differential.state import WheelsState
from racecar.simulation.lane_batch import CarBlock, LaneBatch
from racecar.simulation.layout import LANES
from racecar.simulation.ports import DEFAULT_STEP, whole_nanoseconds

# Steps whose random numbers are drawn at a time.
_CHUNK = 64


class RobotBatch(LaneBatch):
    """Robots in mode kinematics with nothing around them; a robot has the bits of one alone.

    That holds without noise. With it, the random numbers of a block are drawn together, from one
    generator, and on one core. States have the order of the fields of WheelsState.
    """

    def __init__(
        self, robots: Sequence[RobotParameters], poses: Sequence[Pose2] | None = None, *,
        step: float = DEFAULT_STEP, generator: np.random.Generator | None = None,
        threads: int | None = None,
    ) -> None:
        """Start at rest at poses of the axle, the origin if None.

        step [s]; generator: of the noise, which robots with noise need; threads: how many cores to
        use, by default all that this process may use. Raises ParameterError for another number of
        poses and for noise without a generator, ConfigurationError for no thread and for a step
        that is no whole number of nanoseconds.
        """
        super().__init__(len(robots), WheelsState._fields, threads)
        poses = poses or [ORIGIN] * len(robots)
        if len(poses) != len(robots):
            raise ParameterError(
                f'there are {len(poses)} poses, expected one for each of {len(robots)} robots')
        self._step = whole_nanoseconds('step', step) / NANOSECONDS
        numbers = [Kinematics.of(robot) for robot in robots]
        self._is_noisy = any(n.slip_noise > 0.0 or n.encoder_noise > 0.0 for n in numbers)
        if self._is_noisy and generator is None:
            raise ParameterError(
                'robots have noise but there is no generator, expected'
                ' generator=numpy.random.default_rng(seed)')
        self._generator = generator
        kernel = block_kernel(KINEMATICS)
        for first in range(0, len(robots), LANES):
            own = range(first, min(first + LANES, len(robots)))
            self._pack(
                kernel, own,
                np.array([AT_REST._replace(**poses[robot]._asdict()) for robot in own]),
                np.array([numbers[robot] for robot in own], float),
                np.array([FINITE] * len(own)))

    def command(self, left: ArrayLike, right: ArrayLike) -> None:
        """Turn the wheels of each robot at speeds (robots,) [rad/s] from now on.

        Raises ParameterError, and keeps the old ones, if one is not finite or their number is
        wrong.
        """
        given = np.array(np.broadcast_arrays(left, right, np.empty(len(self)))[:2])
        if given.shape != (2, len(self)) or not np.isfinite(given).all():
            raise ParameterError(
                f'speeds have the shape {given.shape[1:]} or are not all finite, expected finite'
                f' numbers for {len(self)} robots [rad/s]')
        self._write_inputs(0, given)

    def reset(self, mask: ArrayLike | None = None, states: ArrayLike | None = None) -> None:
        """Let robots start anew, at rest under no command; see LaneBatch.reset()."""
        super().reset(mask, states)
        for block, lanes in self._lanes(self._chosen(mask)):
            block.put(block.parts.inputs, lanes, np.zeros((2, len(lanes))))

    def advance(self, steps: int) -> None:
        """Advance all robots by so many steps.

        A robot whose motion is not finite stands where it was before, for good; `valid` tells.
        """
        if not self._is_noisy:
            nothing = as_vector(np.empty(0))
            self._each_block(lambda block: block.drive(
                block.rows, len(block.cars), nothing, self._step, steps))
            return
        for block in self._blocks:
            block.begin()
            self._advance_noisy(block, steps)

    def _advance_noisy(self, block: CarBlock, steps: int) -> None:
        assert self._generator is not None
        for first in range(0, steps, _CHUNK):
            part = min(_CHUNK, steps - first)
            draws = self._generator.random(part * DRAWS * LANES)
            draws *= 2.0
            draws -= 1.0
            block.drive(block.rows, len(block.cars), as_vector(draws), self._step, part)
