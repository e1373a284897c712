# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""Differential-drive robots in a block: how they move, from twists, and their noise."""

from __future__ import annotations

from collections.abc import Callable
import math
from typing import cast, NamedTuple

import numpy as np

from racecar.base.compiled import importable, pure
from racecar.base.rows import load, Part, store, with_pose
from racecar.base.types import BodyTwist, WheelSpeeds
from racecar.base.vectors import as_vector, Flat, Vector
from racecar.differential.kernels import (
    AT_REST,
    DRAWS,
    mode_example,
    no_draws,
    PLANAR_MODES,
    robot_steps,
    RobotParts,
)
from racecar.differential.kinematics import Kinematics
from racecar.differential.parameters import RobotParameters
from racecar.differential.physics import Physics
from racecar.differential.state import (
    Draws,
    NO_DRAWS,
    twist_speeds,
    WheelBase,
    WheelsState,
)
from racecar.simulation.dead_reckoning import rolling_as_driven
from racecar.simulation.lanes import Before, DrivenTick, MovingParts
from racecar.simulation.layout import Layout, Loop

# Random numbers that are drawn at a time, 1 MB.
_MOST_DRAWS = 1 << 17


class LaneParameters(NamedTuple):
    """What robots of a block may differ in."""

    mode: Kinematics | Physics
    base: WheelBase


def lane_parameters(robot: RobotParameters, mode: str) -> LaneParameters:
    """Parameters of a robot, or of one with columns, in a mode of PLANAR_MODES."""
    return LaneParameters(PLANAR_MODES[mode].of(robot), robot.wheel_base)


class Stream(NamedTuple):
    """Which of the generators of a block a robot has its random numbers from."""

    number: float


@pure
def twist(speed: float, yaw_rate: float) -> BodyTwist:
    """Command of a robot for what its law answers."""
    return BodyTwist(speed, yaw_rate)


@pure
def _observed(
    state: WheelsState, inputs: WheelSpeeds, parameters: LaneParameters,
) -> tuple[float, ...]:
    half = 0.5 * state.yaw
    return (state.x, state.y, math.sin(half), math.cos(half), state.vx, state.vy, state.yaw_rate)


class NoiseLines:
    """Random numbers of the robots of a block, each from a generator with its seed.

    They are those that a robot alone draws; robots of one seed have the same.
    """

    def __init__(self, *, noisy: bool) -> None:
        """noisy: whether there is noise, without which nothing is drawn."""
        self._is_noisy = noisy
        self._seeds: dict[int, int] = {}
        self._generators: list[np.random.Generator] = []
        self.depth = 0

    def most_ticks(self, steps: int) -> int:
        """As many as the random numbers take 1 MB."""
        return max(1, _MOST_DRAWS // (DRAWS * steps * max(1, len(self._seeds))))

    def add(self, line: int) -> Stream:
        """Take in a seed."""
        index = self._seeds.setdefault(line, len(self._seeds))
        if index == len(self._generators):
            self._generators.append(np.random.default_rng(line))
        return Stream(float(index))

    def numbers(self, first: int, ticks: int, steps: int) -> Flat:
        """Draws of each tick, generator and step: (depth, generators, steps, DRAWS), flat."""
        if not (self._is_noisy and ticks):
            return as_vector(np.empty(0))
        self.depth = ticks
        drawn = np.stack([
            generator.uniform(-1.0, 1.0, (ticks, steps, DRAWS))
            for generator in self._generators], axis=1)
        return as_vector(np.roll(drawn, first % ticks, axis=0).ravel())


class RobotMotion(NamedTuple):
    """A planar mode, and whether there is noise. See LaneMotion."""

    mode: str
    is_noisy: bool

    @property
    def name(self) -> str:
        """Mode of the robots."""
        return f'of a differential-drive robot, mode {self.mode}'

    @property
    def state(self) -> WheelsState:
        """State of a robot."""
        return AT_REST

    @property
    def inputs(self) -> WheelSpeeds:
        """Speeds that the wheels shall have."""
        return WheelSpeeds(0.0, 0.0)

    @property
    def parameters(self) -> LaneParameters:
        """Parameters of a robot."""
        return LaneParameters(mode_example(self.mode), WheelBase(0.0, 0.0, 0.0))

    @property
    def command(self) -> BodyTwist:
        """Twist."""
        return BodyTwist(0.0, 0.0)

    @property
    def line(self) -> Stream:
        """Stream of random numbers."""
        return Stream(0.0)

    @property
    def observe(self) -> Callable[..., tuple[float, ...]]:
        """Pose and twist of the middle of the axle."""
        return _observed

    @property
    def rolling(self) -> Callable[..., float]:
        """Forward velocity."""
        return rolling_as_driven

    @property
    def pushed(self) -> tuple[None, None]:
        """Nothing: the velocities of the state are those of the step before."""
        return None, None

    def place(self, layout: Layout) -> tuple[Part[WheelsState], None]:
        """Place the state."""
        return layout.part(self.state), None

    def drive(self, parts: MovingParts) -> Loop:
        """Function that advances by a tick."""
        return _driving(self, parts)

    def lines(self) -> NoiseLines:
        """Random numbers."""
        return NoiseLines(noisy=self.is_noisy)


def _driving(motion: RobotMotion, parts: MovingParts) -> Loop:
    state_part, before_part = cast(Part[WheelsState], parts.state), parts.before
    inputs_part = cast(Part[WheelSpeeds], parts.inputs)
    command_part = cast(Part[BodyTwist], parts.command)
    parameters_part = cast(Part[LaneParameters], parts.parameters)
    stream_part = cast(Part[Stream], parts.line)
    robots = RobotParts(
        0, state_part, inputs_part,
        Part(mode_example(motion.mode), parameters_part.first, parameters_part.lanes))
    draws_part = Part(NO_DRAWS)

    @importable
    def drawn(rows: Flat, draws: Vector, steps: int, k: int, i: int) -> Draws:
        found: Draws = load(
            draws, draws_part, DRAWS * (int(load(rows, stream_part, i).number) * steps + k))
        return found

    move = robot_steps(robots, drawn if motion.is_noisy else no_draws)

    @importable
    def drive_all(rows: Flat, lines: Flat, count: int, tick: DrivenTick) -> None:
        for i in range(count):
            command, state = load(rows, command_part, i), load(rows, state_part, i)
            speeds = twist_speeds(command, load(rows, parameters_part, i).base)
            store(rows, before_part, i, Before(state, speeds))
            store(rows, inputs_part, i, speeds)
            # What is not finite is a divergence.
            if not (math.isfinite(command.speed) and math.isfinite(command.yaw_rate)):
                store(rows, state_part, i, with_pose(state, math.nan, state.y, state.yaw))
        size = len(lines) // tick.depth if tick.depth > 0 else 0
        first = size * (tick.number % tick.depth) if tick.depth > 0 else 0
        move(rows, count, lines[first:first + size], tick.dt, tick.steps)

    return drive_all
