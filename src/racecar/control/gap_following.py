# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""Follow the gap: drive by a laser scan alone, towards the middle of the widest open way.

After V. Sezer, M. Gokasan, "A novel obstacle avoidance algorithm: Follow the Gap Method", Robotics
and Autonomous Systems 60 (2012), with obstacles widened at the jumps of the scan, as is usual on
small race cars, and the pursuit of a point (R. C. Coulter, CMU-RI-TR-92-01) for the steering.
"""

from __future__ import annotations

from collections.abc import Mapping
import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

from racecar.base.parameters import Parameter, ParameterTable
from racecar.base.readings import LaserScan
from racecar.base.types import AckermannCommand
from racecar.dynamics.vehicles.parameters import VehicleParameters

GAP_PARAMETERS = ParameterTable([
    Parameter('speed', float, 2.0, 'Speed where nothing asks for less', 'm/s', above=0.0,
              maximum=100.0),
    Parameter('look_ahead', float, 4.0, 'What is further away counts as open', 'm', above=0.0,
              maximum=100.0),
    Parameter('pursuit_distance', float, 2.0, 'Distance at which it aims, at most, for a point of'
              ' the open way; a smaller one turns more sharply', 'm', above=0.0, maximum=100.0),
    Parameter('field_of_view', float, 1.6, 'Largest angle to either side at which a way is looked'
              ' for', 'rad', above=0.0, maximum=math.pi),
    Parameter('clearance', float, 0.3, 'Distance to keep between obstacles and the middle of the'
              ' car', 'm', minimum=0.0, maximum=10.0),
    Parameter('lateral_acceleration', float, 3.0, 'Largest one in a turn', 'm/s^2', above=0.0,
              maximum=100.0),
    Parameter('deceleration', float, 2.0, 'With which it comes to a stop before an obstacle',
              'm/s^2', above=0.0, maximum=100.0),
    Parameter('stop_distance', float, 0.3, 'Way straight ahead at which it stands', 'm',
              minimum=0.0, maximum=10.0),
])

# A gap is what is nearly as deep as the deepest ray.
_DEPTH = 0.9


class GapFollower:
    """The law; without memory, so that a scan alone makes the command.

    The laser points ahead, in the middle of the car.
    """

    def __init__(self, values: Mapping[str, Any], vehicle: VehicleParameters) -> None:
        """values: of GAP_PARAMETERS."""
        self._vehicle = vehicle
        self.tune(values)

    def tune(self, values: Mapping[str, Any]) -> None:
        """Take over other values."""
        self._speed = values['speed']
        self._look_ahead = values['look_ahead']
        self._pursuit_distance = values['pursuit_distance']
        self._field_of_view = values['field_of_view']
        self._clearance = values['clearance']
        self._lateral_acceleration = values['lateral_acceleration']
        self._deceleration = values['deceleration']
        self._stop_distance = values['stop_distance']

    def command(self, scan: LaserScan) -> AckermannCommand:
        """Return speed and steering for a scan; a stop for one without rays ahead."""
        angles = scan.angle_min + scan.angle_increment * np.arange(len(scan.ranges))
        # Also one that another makes, the other way round or of no width.
        seen = np.abs(angles) <= self._field_of_view
        if not seen.any():
            return AckermannCommand(0.0, 0.0)
        angles = angles[seen]
        depths = self._widened(_depths(scan.ranges[seen], self._look_ahead),
                               abs(scan.angle_increment))
        first, last = _widest(depths >= _DEPTH * depths.max())
        target = 0.5 * (angles[first] + angles[last])
        depth = depths[(first + last) // 2]
        # Of the arc through a point in this direction.
        curvature = 2.0 * math.sin(target) / max(min(depth, self._pursuit_distance), 1e-3)
        steering = math.atan(self._vehicle.wheelbase * curvature)
        lowest, highest = self._vehicle.steering_range
        steering = max(lowest, min(highest, steering))
        return AckermannCommand.in_single_precision(self._speed_for(steering, depth), steering)

    def _speed_for(self, steering: float, way: float) -> float:
        """Return the speed [m/s] for a steering angle [rad] and an open way [m]."""
        curvature = abs(math.tan(steering)) / self._vehicle.wheelbase
        stopping = math.sqrt(2.0 * self._deceleration * max(0.0, way - self._stop_distance))
        turning = math.sqrt(self._lateral_acceleration / curvature) if curvature else math.inf
        return float(min(self._speed, stopping, turning))

    def _widened(self, depths: NDArray[np.float64], increment: float) -> NDArray[np.float64]:
        """Let each edge of an obstacle reach further, by the clearance, over what is behind it."""
        widened = depths.copy()
        for i in np.flatnonzero(np.abs(np.diff(depths)) > self._clearance):
            near = min(depths[i], depths[i + 1])
            reach = math.atan2(self._clearance, near)
            count = math.ceil(reach / increment) if increment else 0
            # Over the side that is further away.
            covered = slice(i + 1, i + 1 + count) if depths[i] < depths[i + 1] else \
                slice(max(0, i + 1 - count), i + 1)
            np.minimum(widened[covered], near, out=widened[covered])
        return widened


def _depths(ranges: NDArray[Any], limit: float) -> NDArray[np.float64]:
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
