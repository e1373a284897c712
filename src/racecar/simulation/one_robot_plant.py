# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""What plants of a single robot have in common: one thing moves, and it owns the time."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from racecar.base.errors import ParameterError
from racecar.base.types import Pose2, Pose3, quaternion_to_yaw, Twist3
from racecar.simulation.ports import Entity, Scenery


class Mover(Protocol):
    """What moves by whole steps and counts them, as a Plant does, but shows nothing."""

    @property
    def step_ns(self) -> int:
        """Length of an integration step [ns]."""

    @property
    def time_ns(self) -> int:
        """Simulated time since the start [ns]."""

    def warm_up(self) -> None:
        """Do what would hold up the first step, such as to compile; the state stays."""

    def advance(self, steps: int) -> None:
        """Move on by whole steps. Raises DivergenceError; state and time are then as before."""

    def restart(self) -> None:
        """Let the time begin at 0 again, and random numbers with it; the rest stays."""


class OneRobotPlant:
    """A Plant of one robot.

    A subclass gives the robot to _show() when it is made and when it has other outputs, and what
    stands around it, where that can be replaced.
    """

    def __init__(self, mover: Mover) -> None:
        """Take over what moves, which is then moved by this plant only."""
        self._mover = mover
        self._entities: tuple[Entity, ...] = ()
        self._scenery: Scenery | None = None

    def _show(self, entity: Entity, scenery: Scenery | None = None) -> None:
        self._entities, self._scenery = (entity,), scenery

    @property
    def step_ns(self) -> int:
        """Length of an integration step [ns]."""
        return self._mover.step_ns

    @property
    def time_ns(self) -> int:
        """Simulated time since the start [ns]."""
        return self._mover.time_ns

    @property
    def entities(self) -> Sequence[Entity]:
        """The robot."""
        return self._entities

    @property
    def scenery(self) -> Scenery | None:
        """What stands around the robot, where it can be replaced."""
        return self._scenery

    def restart(self) -> None:
        """Let the time begin at 0 again, and random numbers with it; the robot stays."""
        self._mover.restart()

    def warm_up(self) -> None:
        """Compile all that a step and the outputs call."""
        self._mover.warm_up()

    def advance(self, steps: int) -> None:
        """Move on by whole steps. Raises DivergenceError; state and time are then as before."""
        self._mover.advance(steps)


def check_planar(twist: Twist3) -> None:
    """Raise ParameterError for a twist that leaves the plane."""
    if twist.vz or twist.wx or twist.wy:
        raise ParameterError(
            f'twist has vz {twist.vz:g} m/s, wx {twist.wx:g} and wy {twist.wy:g} rad/s, expected 0'
            ' of each for a robot that moves in the plane')


def planar_part(pose: Pose3 | None) -> Pose2 | None:
    """Position and heading of a pose, for what moves in the plane; None of None."""
    return None if pose is None else Pose2(pose.x, pose.y, quaternion_to_yaw(*pose[3:]))
