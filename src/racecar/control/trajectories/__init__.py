# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""Reference trajectories, chosen by name or by the report's number."""

from __future__ import annotations

import math

from racecar.base.parameters import Parameter, ParameterTable
from racecar.base.types import Pose2
from racecar.base.values import text_of, Values
from racecar.control.trajectories.base import Attitude, Motion, ReferencePoint, Trajectory
from racecar.control.trajectories.circle import Circle
from racecar.control.trajectories.cycloid import Cycloid
from racecar.control.trajectories.figure_eight import FigureEight
from racecar.control.trajectories.line import Line
from racecar.control.trajectories.manoeuvres import (
    CircleToSlip,
    CoastDown,
    RampSteer,
    Skidpad,
    StepSteer,
)
from racecar.control.trajectories.parabola import Parabola
from racecar.control.trajectories.parking import Parking
from racecar.control.trajectories.race_line import RaceLine
from racecar.control.trajectories.waypoints import WayPointPath

__all__ = ['CHOICES_WITH_PARAMETER', 'TRAJECTORIES', 'TRAJECTORY_PARAMETERS', 'Attitude', 'Motion',
           'ReferencePoint', 'Trajectory', 'make_trajectory', 'sample_path', 'trajectory_type']

_OF_THE_REPORT: tuple[type[Trajectory], ...] = (Line, Parabola, Circle, FigureEight, Cycloid)

# The order gives the report's numbers 0 to 4; the others have names only.
_ALL: tuple[type[Trajectory], ...] = (
    *_OF_THE_REPORT, WayPointPath, Parking, Skidpad, CircleToSlip, StepSteer, RampSteer, CoastDown,
    RaceLine)
TRAJECTORIES: dict[str, type[Trajectory]] = {
    trajectory.name: trajectory for trajectory in _ALL
}

TRAJECTORY_PARAMETERS = ParameterTable([
    Parameter('trajectory', str, 'figure_eight', 'Shape of the reference, by name or number',
              choices=(*TRAJECTORIES, *(str(i) for i in range(len(_OF_THE_REPORT))))),
    *(parameter for trajectory in TRAJECTORIES.values() for parameter in trajectory.parameters),
])

def trajectory_type(choice: str) -> type[Trajectory]:
    """Return the trajectory of a name or of one of the report's numbers."""
    return TRAJECTORIES[list(TRAJECTORIES)[int(choice)] if choice.isdigit() else choice]


CHOICES_WITH_PARAMETER = {
    parameter.name: [choice for choice in map(str, TRAJECTORY_PARAMETERS['trajectory'].choices)
                     if trajectory_type(choice) is trajectory]
    for trajectory in _ALL for parameter in trajectory.parameters}
"""Values of the parameter `trajectory` with which a parameter of a shape counts, by its name."""


def make_trajectory(values: Values) -> Trajectory:
    """Build the trajectory that resolved TRAJECTORY_PARAMETERS values select.

    Raises ParameterError if its parameters do not fit together.
    """
    return trajectory_type(text_of(values, 'trajectory')).from_values(values)


def sample_path(
        trajectory: Trajectory, duration: float = 60.0, points: int | None = None,
) -> list[Pose2]:
    """Poses along the path once, or for the duration [s] where it has no end.

    points: how many, by default ten a second and at least 601.

    The yaw is the heading of a car on the path, also in reverse; where the reference stands
    still and nothing else says it, the one before, or at the start the one after.
    """
    end = trajectory.duration or duration
    points = points or max(601, math.ceil(10.0 * end) + 1)
    motions = [trajectory.motion(end * i / (points - 1)) for i in range(points)]
    headings = [_heading(motion) for motion in motions]
    heading = next((known for known in headings if known is not None), 0.0)
    poses = []
    for motion, known in zip(motions, headings, strict=True):
        heading = heading if known is None else known
        poses.append(Pose2(motion.x, motion.y, heading))
    return poses


def _heading(motion: Motion) -> float | None:
    """Heading of a car [rad]; None where the motion does not say it."""
    if motion.direction:
        return motion.heading
    return math.atan2(motion.vy, motion.vx) if motion.vx or motion.vy else None
