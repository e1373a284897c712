# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""Driving by a policy file: a controller that `--policy` puts in the place of tracker and law."""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np

from racecar.base.errors import ConfigurationError, excerpt
from racecar.base.readings import LaserScan
from racecar.base.share import find_track
from racecar.base.types import AckermannCommand, CarMotion, NANOSECONDS, Odometry
from racecar.control.policy.contract import load_policy, PolicyContract
from racecar.control.policy.features import (
    ActionPlan,
    CarView,
    commanded,
    NO_LINE,
    PARTS,
    plan_of,
    SCAN,
    write_observation,
)
from racecar.control.trajectories import Motion
from racecar.control.trajectories.waypoint_file import read_way_points
from racecar.dynamics.vehicles.parameters import VehicleParameters
from racecar.metrics.lap_progress import courses_of, lap_reading, line_of, NO_LAP_READING
from racecar.metrics.laps import Course, lap_step, NO_LAPS, Sample

_NO_RANGES = np.empty(0, np.float32)
# Angles and ranges of messages are in single precision [rad, m].
_SAME = 1e-5


def course_along(line: str | Path) -> Course:
    """Course of a closed centre line, by name or as a CSV file.

    Raises ConfigurationError for one that is not closed or cannot be read.
    """
    points = read_way_points(find_track(line))
    course = Course.along(points.points, points.widths)
    if not course.is_closed:
        raise ConfigurationError(
            f'line {excerpt(str(line))} is not closed, expected a course whose last point repeats'
            ' the first')
    return course


def sees_scans(policy: str | Path) -> bool:
    """Whether the policy of a file sees scans. Raises ConfigurationError for what is none."""
    return PARTS[SCAN] in load_policy(policy).contract.parts


def action_plan(
    contract: PolicyContract, vehicle: VehicleParameters,
) -> ActionPlan:
    """How the actions of a contract become commands of a vehicle."""
    longitudinal, steering = contract.action
    return ActionPlan(
        float(longitudinal.name == 'acceleration'), float(steering.name == 'rate'),
        longitudinal.low, longitudinal.high, steering.low, steering.high, float(contract.scaled),
        1.0 / contract.rate, vehicle.speed_min, vehicle.speed_max, *vehicle.steering_range)


class PolicyDriver:
    """A custom controller that asks a policy at the rate of its contract.

    Between two answers the command stays. The reference of the run is not used: the policy drives
    along the line of its own. One that sees scans takes the last one, of the beams with which it
    learned.
    """

    def __init__(self, vehicle: VehicleParameters, policy: str, line: str = '') -> None:
        """policy: file; line: name or CSV file of a closed line; default: that of the contract.

        Raises ConfigurationError for a line that is needed and cannot be used.
        """
        self._network, contract = load_policy(policy)
        plan = plan_of(
            contract.parts, contract.features, contract.observation, scaled=contract.scaled)
        self._policy, self._features = policy, contract.features
        self._ranges, self._waits = _NO_RANGES, SCAN in plan.parts
        if self._waits:
            # Who has it gets scans, and runs outside compiled loops.
            self.see = self._see
        self._plan, self._actions = plan, action_plan(contract, vehicle)
        line = line or contract.line
        if not line and any(part in contract.parts for part in ('frenet', 'line', 'lap')):
            raise ConfigurationError(
                f'policy {excerpt(policy)} drives along a line that its contract does not name:'
                ' give --set controller.line=NAME')
        self._line = line_of(courses_of([course_along(line)]), 0) if line else NO_LINE
        self._limits = vehicle.speed_max, max(map(abs, vehicle.steering_range))
        self._period_ns = round(NANOSECONDS / contract.rate)
        self._lap = NO_LAPS
        self._next_ns: int | None = None
        self._start_ns = 0
        self._command = AckermannCommand(0.0, 0.0)

    def command(self, odometry: Odometry, reference: Motion) -> AckermannCommand:
        """Answer of the policy, or the one before if it is not due yet.

        It stands until the first scan, if it sees scans.
        """
        if self._waits:
            return self._command
        if self._next_ns is None:
            self._next_ns = self._start_ns = odometry.time_ns
        if odometry.time_ns < self._next_ns:
            return self._command
        # What comes late does not shift those after it.
        late = (odometry.time_ns - self._next_ns) // self._period_ns
        self._next_ns += (late + 1) * self._period_ns
        longitudinal, steering = self._network.answer(self.observe(odometry)).tolist()
        self._command = AckermannCommand(*commanded(
            longitudinal, steering, *self._command, self._actions))
        return self._command

    def _see(self, scan: LaserScan) -> None:
        """Keep a scan. Raises ConfigurationError for another one than the policy learned with."""
        features, half = self._features, 0.5 * self._features.field_of_view
        if len(scan.ranges) != features.beams or not (
                math.isclose(scan.angle_min, -half, abs_tol=_SAME)
                and math.isclose(scan.angle_max, half, abs_tol=_SAME)) or (
                    scan.range_max < features.range_max - _SAME):
            raise ConfigurationError(
                f'policy {excerpt(self._policy)} gets scans of {len(scan.ranges)} beams from'
                f' {scan.angle_min:g} to {scan.angle_max:g} rad up to {scan.range_max:g} m,'
                f' expected {features.beams} from {-half:g} to {half:g} rad up to'
                f' {features.range_max:g} m, which it learned with: set laser.rays,'
                ' laser.angle_min, laser.angle_max and laser.range_max of the simulator')
        self._ranges, self._waits = scan.ranges, False

    def observe(self, odometry: Odometry) -> np.ndarray[tuple[int], np.dtype[np.float32]]:
        """What the policy sees of a car that is driven since the first odometry."""
        time = (odometry.time_ns - self._start_ns) / NANOSECONDS
        motion = CarMotion(odometry.x, odometry.y, odometry.yaw, *odometry[5:])
        found = np.empty(len(self._plan.scales), np.float32)
        reading = NO_LAP_READING
        if len(self._line.x):
            self._lap = lap_step(self._line, self._lap, Sample(time, motion.x, motion.y))
            reading = lap_reading(self._line, self._lap, motion.yaw)
        view = CarView(motion, *self._command, reading, 0.0, time, *self._limits)
        write_observation(self._plan, view, self._line, self._ranges, found)
        return found
