# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""A drive of the past as something that can be looked at, at any time of it."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from racecar.core.analysis.run_table import COLUMNS, RunTable
from racecar.core.rendering.sight import Dots, Line, RobotSight, Sight
from racecar.core.types import (
    HINGE_JOINTS,
    Lamps,
    LampSwitches,
    NANOSECONDS,
    Pose3,
    WHEEL_JOINTS,
    yaw_to_quaternion,
)
from racecar.core.vehicles.parameters import VehicleParameters
from racecar.core.world.scene import Colour

FloatArray = NDArray[np.float64]

DRIVEN: Colour = (1.0, 0.45, 0.05)
REFERENCE: Colour = (0.05, 0.75, 0.35)
SEEN: Colour = (0.95, 0.1, 0.25)

# Lines lie so high [m], that of the reference lower than the one that shall be on top.
_HEIGHTS = {REFERENCE: 0.008, DRIVEN: 0.014}
_RADIUS, _DOT = 0.012, 0.03
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

    t: FloatArray
    poses: FloatArray
    joints: tuple[str, ...]
    joint_t: FloatArray
    positions: FloatArray
    reference: FloatArray
    scan_t: FloatArray
    scans: Sequence[FloatArray] = ()
    start_ns: int = 0
    lamp_t: FloatArray = field(default_factory=lambda: np.empty(0))
    switches: Sequence[LampSwitches] = ()

    @property
    def duration(self) -> float:
        """Time of the last pose [s]."""
        return float(self.t[-1])

    def pose(self, time: float) -> Pose3:
        """Return the pose at a time [s]; before and after the drive, where it began and ended."""
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
        """Return which lamps were lit at a time [s]."""
        newest = bisect_right(self.lamp_t, time) - 1
        if newest < 0:
            return Lamps()
        return self.switches[newest].lit(self.start_ns + round(time * NANOSECONDS))

    def sight(
        self, time: float, cones: Sequence[Pose3], *, whole_path: bool, scale: float = 1.0,
    ) -> Sight:
        """Return what is seen at a time [s].

        whole_path: also where the robot went later. scale: of the size of lines and dots [-].
        """
        positions = tuple(
            float(np.interp(time, self.joint_t, column)) for column in self.positions.T)
        end = len(self.t) if whole_path else bisect_right(self.t, time)
        lines = [_line(points, colour, scale) for points, colour in (
            (self.reference, REFERENCE), (self.poses[:end, :2], DRIVEN)) if len(points) > 1]
        newest = bisect_right(self.scan_t, time) - 1
        dots = [Dots(self.scans[newest], SEEN, _DOT * scale)] if newest >= 0 else []
        robot = RobotSight(self.pose(time), positions, self.lamps(time))
        return Sight([robot], cones, lines, dots)

    @property
    def bounds(self) -> tuple[float, float, float, float]:
        """Least x and y, largest x and y of path and reference [m]."""
        points = np.concatenate([self.poses[:, :2], self.reference])
        return (*points.min(axis=0).tolist(), *points.max(axis=0).tolist())


def _line(points: FloatArray, colour: Colour, scale: float) -> Line:
    """Return a line through as many of the points as can be seen."""
    way = np.concatenate([[0.0], np.cumsum(np.hypot(*np.diff(points, axis=0).T))])
    spacing = max(_SPACING, way[-1] / _MOST_POINTS)
    marks = np.floor(way / spacing)
    kept = points[np.concatenate([[True], np.diff(marks) > 0])]
    kept = np.concatenate([kept, points[-1:]])
    # So low that a robot stands out of the widest.
    height = np.full(len(kept), _HEIGHTS[colour])
    return Line(np.column_stack([kept, height]), colour, _RADIUS * scale)


def rolling_joints(
    x: FloatArray, y: FloatArray, yaw: FloatArray, speed: FloatArray, t: FloatArray,
    vehicle: VehicleParameters,
) -> FloatArray:
    """Return positions (n, joints) of WHEEL_JOINTS and HINGE_JOINTS of a car that only rolls.

    For runs that do not have them: from the way of base_link, x and y [m], yaw [rad], speed
    [m/s] at t [s].
    """
    steps = np.hypot(np.diff(x), np.diff(y)) * np.sign(speed[1:])
    way = np.concatenate([[0.0], np.cumsum(steps)])
    turn = np.gradient(np.unwrap(yaw), t) if len(t) > 1 else np.zeros_like(yaw)
    fast = np.abs(speed) > 0.05
    steering = np.where(fast, np.arctan2(
        vehicle.wheelbase * turn * np.sign(speed), np.where(fast, np.abs(speed), 1.0)), 0.0)
    front, rear = vehicle.wheel_radii
    wheels = [way / (rear if 'rear' in name else front) for name in WHEEL_JOINTS]
    steering = np.clip(steering, *vehicle.steering_range)
    return np.column_stack([*wheels, *([steering] * len(HINGE_JOINTS))])


def drive_of_table(table: RunTable, vehicle: VehicleParameters) -> Drive:
    """Return the drive of a run whose car only rolls, as its CSV file tells it."""
    t, x, y, yaw, vx = (table.column(name) for name in COLUMNS[:5])
    t = t - t[0]
    zero = np.zeros_like(x)
    reference = np.column_stack([table.column('x_reference'), table.column('y_reference')])
    return Drive(
        t, np.column_stack([x, y, zero, zero, zero, *_quaternions(yaw)]),
        WHEEL_JOINTS + HINGE_JOINTS, t, rolling_joints(x, y, yaw, vx, t, vehicle),
        reference[np.isfinite(reference).all(axis=1)], np.empty(0))


def _quaternions(yaw: FloatArray) -> FloatArray:
    return np.array([yaw_to_quaternion(angle) for angle in yaw.tolist()]).T
