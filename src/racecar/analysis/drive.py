# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""A drive of the past as something that can be looked at, at any time of it."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from racecar.analysis.robot_profile import RobotProfile
from racecar.base.columns import Array
from racecar.base.types import Lamps, LampSwitches, NANOSECONDS, Pose3, yaw_to_quaternion
from racecar.metrics.run_table import COLUMNS, RunTable
from racecar.rendering.sight import Dots, Line, RobotSight, Sight
from racecar.scene.scene import Colour

DRIVEN: Colour = (0.0, 0.447, 0.698)
REFERENCE: Colour = (0.0, 0.584, 0.427)
SEEN: Colour = (0.761, 0.094, 0.357)

# Lines lie so high [m], that of the reference lower than the one that shall be on top.
_REFERENCE_HEIGHT, _DRIVEN_HEIGHT = 0.008, 0.014
_RADIUS, _DOT = 0.012, 0.022
_SPACING = 0.04
_MOST_POINTS = 3000


@dataclass(frozen=True)
class Drive:
    """Where a robot was.

    t (n,) [s] from 0 on, ascending; poses (n, 7): x, y, z [m] and quaternion x, y, z, w of the
    base frame in that of the scene. joints: names; joint_t (m,), positions (m, joints) [rad or m].
    reference (k, 2) [m]: empty if there is none. scan_t; scans: points (p, 3) of each [m].
    start_ns: simulated time at which t is 0 [ns]. lamp_t; switches: how the lamps were switched
    from each of these times on; before, all were off.
    """

    t: Array
    poses: Array
    joints: tuple[str, ...]
    joint_t: Array
    positions: Array
    reference: Array
    scan_t: Array
    scans: Sequence[Array] = ()
    start_ns: int = 0
    lamp_t: Array = field(default_factory=lambda: np.empty(0))
    switches: Sequence[LampSwitches] = ()

    @property
    def duration(self) -> float:
        """Time of the last pose [s]."""
        return float(self.t[-1])

    def pose(self, time: float) -> Pose3:
        """Pose at a time [s]; before and after the drive, where it began and ended."""
        index = min(max(bisect_right(self.t, time), 1), len(self.t) - 1)
        before, after = self.poses[index - 1], self.poses[index]
        span = self.t[index] - self.t[index - 1]
        share = min(max((time - self.t[index - 1]) / span, 0.0), 1.0) if span > 0.0 else 1.0
        # q and -q are one rotation.
        sign = 1.0 if before[3:] @ after[3:] >= 0.0 else -1.0
        turn = (1.0 - share) * before[3:] + share * sign * after[3:]
        turn /= np.linalg.norm(turn)
        place = (1.0 - share) * before[:3] + share * after[:3]
        return Pose3(*place.tolist(), *turn.tolist())

    def lamps(self, time: float) -> Lamps:
        """Which lamps were lit at a time [s]."""
        newest = bisect_right(self.lamp_t, time) - 1
        if newest < 0:
            return Lamps()
        return self.switches[newest].lit(self.time_ns(time))

    def time_ns(self, time: float) -> int:
        """Simulated time [ns] at a time [s]."""
        return self.start_ns + round(time * NANOSECONDS)

    def sight(
        self, time: float, cones: Sequence[Pose3], *, whole_path: bool, scale: float = 1.0,
        colour: Colour = DRIVEN,
    ) -> Sight:
        """Sight of the drive at a time [s].

        whole_path: also where the robot went later. scale: of the size of lines and dots [-].
        colour: of the path.
        """
        positions = tuple(
            float(np.interp(time, self.joint_t, column)) for column in self.positions.T)
        end = len(self.t) if whole_path else bisect_right(self.t, time)
        lines = [_line(points, of_line, height, scale) for points, of_line, height in (
            (self.reference, REFERENCE, _REFERENCE_HEIGHT),
            (self.poses[:end, :2], colour, _DRIVEN_HEIGHT)) if len(points) > 1]
        newest = bisect_right(self.scan_t, time) - 1
        dots = [Dots(self.scans[newest], SEEN, _DOT * scale)] if newest >= 0 else []
        robot = RobotSight(self.pose(time), positions, self.lamps(time))
        return Sight([robot], cones, lines, dots)

    @property
    def bounds(self) -> tuple[float, float, float, float]:
        """Least x and y, largest x and y of path and reference [m]."""
        points = np.concatenate([self.poses[:, :2], self.reference])
        return (*points.min(axis=0).tolist(), *points.max(axis=0).tolist())


def _line(points: Array, colour: Colour, height: float, scale: float) -> Line:
    """Line through as many of the points as can be seen."""
    way = np.concatenate([[0.0], np.cumsum(np.hypot(*np.diff(points, axis=0).T))])
    spacing = max(_SPACING, way[-1] / _MOST_POINTS)
    marks = np.floor(way / spacing)
    kept = points[np.concatenate([[True], np.diff(marks) > 0])]
    kept = np.concatenate([kept, points[-1:]])
    # So low that a robot stands out of the widest.
    heights = np.full(len(kept), height * min(1.0, scale))
    return Line(np.column_stack([kept, heights]), colour, _RADIUS * scale)


def drive_of_table(table: RunTable, robot: RobotProfile) -> Drive:
    """Drive of a run whose robot only rolls, as its CSV file tells it."""
    t, x, y, yaw, vx = (table.column(name) for name in COLUMNS[:5])
    t = t - t[0]
    zero = np.zeros_like(x)
    reference = np.column_stack([table.column('x_reference'), table.column('y_reference')])
    quaternions = np.array([yaw_to_quaternion(angle) for angle in yaw.tolist()]).T
    return Drive(
        t, np.column_stack([x, y, zero, zero, zero, *quaternions]),
        robot.joints, t, robot.rolling(x, y, yaw, vx, t),
        reference[np.isfinite(reference).all(axis=1)], np.empty(0))
