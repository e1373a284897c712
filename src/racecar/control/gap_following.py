# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""Follow the gap: drive by a laser scan alone, towards the middle of the widest open way.

After V. Sezer, M. Gokasan, "A novel obstacle avoidance algorithm: Follow the Gap Method", Robotics
and Autonomous Systems 60 (2012), with obstacles widened at the jumps of the scan, as is usual on
small race cars, and the pursuit of a point (R. C. Coulter, CMU-RI-TR-92-01) for the steering.
"""

from __future__ import annotations

import math
from typing import Annotated, NamedTuple

import numpy as np
from numpy.typing import NDArray

from racecar.base.parameter_fields import made_of, Row, table_of
from racecar.base.readings import LaserScan
from racecar.base.types import AckermannCommand
from racecar.base.values import Values
from racecar.dynamics.vehicles.parameters import VehicleParameters


class GapSettings(NamedTuple):
    """Settings of the law."""

    speed: Annotated[float, Row(
        'Speed where nothing asks for less', 'm/s', above=0.0, maximum=100.0)] = 2.0
    look_ahead: Annotated[float, Row(
        'Ranges beyond this count as free', 'm', above=0.0, maximum=100.0)] = 4.0
    pursuit_distance: Annotated[float, Row(
        'Distance at which it aims, at most, for a point of the open way; a smaller one turns more'
        ' sharply', 'm', above=0.0, maximum=100.0)] = 2.0
    field_of_view: Annotated[float, Row(
        'Maximum angle to either side at which a way is looked for', 'rad', above=0.0,
        maximum=math.pi)] = 1.6
    clearance: Annotated[float, Row(
        'Distance to keep between obstacles and the middle of the car', 'm', minimum=0.0,
        maximum=10.0)] = 0.3
    lateral_acceleration: Annotated[float, Row(
        'Maximum lateral acceleration in a turn', 'm/s^2', above=0.0, maximum=100.0)] = 3.0
    deceleration: Annotated[float, Row(
        'Deceleration with which it comes to a stop before an obstacle', 'm/s^2', above=0.0,
        maximum=100.0)] = 2.0
    stop_distance: Annotated[float, Row(
        'Way straight ahead at which it stands', 'm', minimum=0.0, maximum=10.0)] = 0.3


GAP_PARAMETERS = table_of(GapSettings, '', read_only=False)

# A gap is what is nearly as deep as the deepest ray.
_DEPTH = 0.9


class GapFollower:
    """The law; without memory, so that a scan alone makes the command.

    The laser points ahead, in the middle of the car.
    """

    def __init__(self, values: Values, vehicle: VehicleParameters) -> None:
        """values: of GAP_PARAMETERS."""
        self._vehicle = vehicle
        self.tune(values)

    def tune(self, values: Values) -> None:
        """Take over other values."""
        self._settings = made_of(GapSettings, '', values)

    def command(self, scan: LaserScan) -> AckermannCommand:
        """Return speed and steering for a scan; a stop for one without rays ahead."""
        angles = scan.angle_min + scan.angle_increment * np.arange(len(scan.ranges))
        # Also one that another makes, the other way round or of no width.
        seen = np.abs(angles) <= self._settings.field_of_view
        if not seen.any():
            return AckermannCommand(0.0, 0.0)
        angles = angles[seen]
        depths = self._widened(_depths(scan.ranges[seen], self._settings.look_ahead),
                               abs(scan.angle_increment))
        first, last = _widest(depths >= _DEPTH * depths.max())
        target = 0.5 * (angles[first] + angles[last])
        depth = depths[(first + last) // 2]
        # Of the arc through a point in this direction.
        curvature = 2.0 * math.sin(target) / max(min(depth, self._settings.pursuit_distance), 1e-3)
        steering = math.atan(self._vehicle.wheelbase * curvature)
        lowest, highest = self._vehicle.steering_range
        steering = max(lowest, min(highest, steering))
        return AckermannCommand.in_single_precision(self._speed_for(steering, depth), steering)

    def _speed_for(self, steering: float, way: float) -> float:
        """Return the speed [m/s] for a steering angle [rad] and an open way [m]."""
        curvature = abs(math.tan(steering)) / self._vehicle.wheelbase
        settings = self._settings
        stopping = math.sqrt(2.0 * settings.deceleration * max(0.0, way - settings.stop_distance))
        turning = math.sqrt(settings.lateral_acceleration / curvature) if curvature else math.inf
        return float(min(settings.speed, stopping, turning))

    def _widened(self, depths: NDArray[np.float64], increment: float) -> NDArray[np.float64]:
        """Let each edge of an obstacle reach further, by the clearance, over what is behind it."""
        widened = depths.copy()
        for i in np.flatnonzero(np.abs(np.diff(depths)) > self._settings.clearance):
            near = min(depths[i], depths[i + 1])
            reach = math.atan2(self._settings.clearance, near)
            count = math.ceil(reach / increment) if increment else 0
            # Over the side that is further away.
            covered = slice(i + 1, i + 1 + count) if depths[i] < depths[i + 1] else \
                slice(max(0, i + 1 - count), i + 1)
            np.minimum(widened[covered], near, out=widened[covered])
        return widened


def _depths(ranges: NDArray[np.floating], limit: float) -> NDArray[np.float64]:
    """Return the open way of each ray up to a limit [m]; none where nothing was measured."""
    # REP 117: +inf is beyond the longest range, -inf nearer than the shortest, NaN an error.
    return np.clip(np.nan_to_num(ranges.astype(np.float64), nan=0.0, posinf=limit, neginf=0.0),
                   0.0, limit)


def _widest(open_rays: NDArray[np.bool_]) -> tuple[int, int]:
    """Return first and last index of the longest run of True; there is at least one."""
    edges = np.flatnonzero(np.diff(np.concatenate(([0], open_rays.astype(np.int8), [0]))))
    starts, ends = edges[::2], edges[1::2]
    longest = int(np.argmax(ends - starts))
    return int(starts[longest]), int(ends[longest]) - 1
