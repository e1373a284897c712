# Copyright 2026 The racecar maintainers
# SPDX-License-Identifier: Apache-2.0
"""What a stack in this process drove: distance, laps and collisions."""

from __future__ import annotations

from collections.abc import Sequence
import sys
from typing import TYPE_CHECKING

from racecar.base.types import NANOSECONDS
from racecar.metrics.drive_sum import DriveSum
from racecar.ros.topics import GROUND_TRUTH, ODOMETRY
from racecar.simulation.obstacles import start_caution
from racecar.simulation.ports import collisions_of
from racecar.stacks import NodeDescription

if TYPE_CHECKING:
    from racecar.stacks.composing import ComposedStack


def warn_of_start(descriptions: Sequence[NodeDescription]) -> None:
    """Say on stderr that a vehicle stands in something before it starts."""
    for description in descriptions:
        caution = start_caution(description.resolve(), description.spec.table) \
            if description.spec.is_simulator else None
        if caution is not None:
            print(f'warning: {caution}', file=sys.stderr)


def observed_drive(composed: ComposedStack, car: str = '') -> DriveSum:
    """Sums of what a car of a stack drives from now on; car: its name, empty for the only one."""
    from racecar.ros.codecs.codec import Place
    from racecar.ros.codecs.odometry import read_odometry

    drive = DriveSum()

    def add(data: bytes) -> None:
        odometry = read_odometry(data)
        drive.add(odometry.time_ns / NANOSECONDS, odometry.x, odometry.y, odometry.yaw)

    simulator = composed.simulator
    composed.observe(simulator.resolve_topic_name(Place(car).topic(
        GROUND_TRUTH if simulator.is_reckoned else ODOMETRY)), add)
    return drive


def texts_of_drives(composed: ComposedStack, drives: Sequence[DriveSum]) -> list[str]:
    """What each car of a stack drove, and how it answered in lockstep."""
    simulator = composed.simulator
    lines = [drives[0].text(composed.collisions)] if len(drives) == 1 else [
        f'{entity.name}: {drive.text(None if met is None else met.contacts)}'
        for entity, drive in zip(simulator.plant.entities, drives, strict=True)
        for met in [collisions_of(entity)]]
    return ['; '.join(filter(None, (line, attendance.text)))
            for line, attendance in zip(lines, simulator.attendances, strict=True)]
