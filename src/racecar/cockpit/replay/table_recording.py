# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""A run without pictures and scans: CSV files of `simulate` and `up`, one for each car."""

from __future__ import annotations

from collections.abc import Sequence
import itertools

import numpy as np

from racecar.analysis.drive import drive_of_table
from racecar.analysis.robot_profile import RobotProfile
from racecar.base.columns import Array
from racecar.base.types import HINGE_JOINTS
from racecar.cockpit.columns import (
    COMMAND,
    ERRORS,
    joint_column,
    MOTION,
    POSE,
    REFERENCE,
    STEERING,
)
from racecar.cockpit.replay.recording import BLOCK, Block, Recording
from racecar.cockpit.robot_message import robot_frames
from racecar.cockpit.scene_message import path_frame, scene_frames
from racecar.description.robot_tree import RobotTree
from racecar.dynamics.vehicles.ackermann import middle_angles
from racecar.metrics.run_table import RunTable
from racecar.scene.scene import Scene

# A reference is compared with samples that it is not older than by this [s].
_STEP = 1e-6


class TableDrive:
    """A drive of which odometry, reference and commands are known; its wheels only roll.

    opening, end: as of Recording. faults: shapes of the robot that are left out.
    """

    def __init__(
        self, table: RunTable, profile: RobotProfile, tree: RobotTree, *, number: int = 0,
        car: str = '',
    ) -> None:
        """number: of the robot in the recording; car: its name among several."""
        drive = drive_of_table(table, profile)
        robot = robot_frames(number, tree, car=car)
        self.end, self.faults = drive.duration, robot.faults
        self.opening = robot.frames if len(drive.reference) < 2 else (
            *robot.frames, path_frame(drive.reference))
        self._times = drive.t
        self._values = np.full((len(drive.t), len(robot.columns)), np.nan)
        places = {column: index for index, column in enumerate(robot.columns)}

        def put(names: tuple[str, ...], values: Array) -> None:
            for column, numbers in zip(names, values.T, strict=True):
                if column in places:
                    self._values[:, places[column]] = numbers

        put(POSE, drive.poses)
        put(MOTION, np.column_stack([table.column('vx'), table.column('yaw_rate')]))
        put(COMMAND, np.column_stack(
            [table.column('speed_command'), table.column('steering_command')]))
        put(tuple(map(joint_column, drive.joints)), drive.positions)
        if set(HINGE_JOINTS) <= set(drive.joints):
            hinges = drive.positions[:, [drive.joints.index(joint) for joint in HINGE_JOINTS]]
            put((STEERING,), middle_angles(*hinges.T)[:, None])
        put((*REFERENCE, *ERRORS), _following(table))

    def block(self, index: int) -> Block:
        """Rows of the table."""
        first, last = np.searchsorted(self._times, (index * BLOCK, (index + 1) * BLOCK))
        return Block(self._times[first:last], self._values[first:last])


class TableRecording(Recording):
    """Drives in one world, which began at once."""

    def __init__(
        self, name: str, drives: Sequence[TableDrive], scene: Scene | None,
        notes: tuple[str, ...] = (),
    ) -> None:
        """drives: by the numbers of their robots, at least one."""
        self.name, self._drives = name, drives
        self.end = max(drive.end for drive in drives)
        self.opening = (
            *itertools.chain.from_iterable(drive.opening for drive in drives),
            *({} if scene is None else scene_frames(scene)).values())
        self.latched = ()
        self.notes = (
            *dict.fromkeys(itertools.chain.from_iterable(drive.faults for drive in drives)),
            *notes, 'not in a CSV file: laser scans, pictures, lamps, log')

    def block(self, index: int) -> Block:
        """Rows of the tables."""
        first, *others = (drive.block(index) for drive in self._drives)
        return first._replace(others=tuple(others))


def _following(table: RunTable) -> Array:
    """reference_x, _y, _speed, error, longitudinal and lateral error, (n, 6).

    The table has the places of the reference alone: its tangent and speed follow from them.
    """
    t, x, y, yaw = (table.column(name) for name in ('time', 'x', 'y', 'yaw'))
    x = x + table.tracked_ahead * np.cos(yaw)
    y = y + table.tracked_ahead * np.sin(yaw)
    place = np.column_stack([table.column('x_reference'), table.column('y_reference')])
    found = np.full((len(t), len(REFERENCE) + len(ERRORS)), np.nan)
    known = np.isfinite(place).all(axis=1)
    if known.sum() < 2:
        return found
    velocity = np.gradient(place[known], t[known], axis=0)
    speed = np.hypot(*velocity.T)
    heading = np.where(speed > _STEP, np.arctan2(velocity[:, 1], velocity[:, 0]), yaw[known])
    along, across = np.cos(heading), np.sin(heading)
    error_x, error_y = x[known] - place[known, 0], y[known] - place[known, 1]
    found[known] = np.column_stack([
        place[known], speed, np.hypot(error_x, error_y), error_x * along + error_y * across,
        error_y * along - error_x * across])
    return found
